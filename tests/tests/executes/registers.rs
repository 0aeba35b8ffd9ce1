//! The registers of lanes at the beginning of a case. The program with the generated module has this text, too.

/// The first address and the first behind the data.
const DATA: (u64, u64) = (0x2000, 0x5000);

/// A number that instructions find interesting, of any number: an address, a small one, one of few or many bits, a floating-point number.
pub(super) fn number(any: u64) -> u64 {
    match any % 8 {
        0 | 1 => address(any),
        2 => any / 8 % 256,
        3 => [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 31, (1 << 31) - 1, 0xffff_ffff]
            [(any / 8 % 8) as usize],
        4 => 0xffff_ffff_0000_0000 | any >> 32,
        5 => (f64::from((any >> 40) as u32) / 64.0).to_bits(),
        _ => any.rotate_left(17),
    }
}

fn address(any: u64) -> u64 {
    DATA.0 + 64 + any / 8 % (DATA.1 - DATA.0 - 256)
}

/// The number of a register of some bits in a lane, in pieces of 64 bits.
pub(super) fn of_lane(
    seed: u64,
    file: usize,
    register: usize,
    lane: usize,
    width: u32,
) -> Vec<u64> {
    let pieces = (0..width).step_by(64).map(|low| {
        let seed = mixed(seed ^ u64::from(low));
        piece(seed, file, register, lane) & (u64::MAX >> (64 - (width - low).min(64)))
    });
    pieces.collect()
}

/// A piece. All lanes may have addresses, or zeros.
fn piece(seed: u64, file: usize, register: usize, lane: usize) -> u64 {
    let of_register = mixed(mixed(seed ^ file as u64) ^ register as u64);
    let any = mixed(of_register ^ lane as u64 ^ 1 << 40);
    match of_register % 8 {
        0 | 1 => address(any) / 4 * 4,
        2 => 0,
        3 => any % 64,
        4 => f32::to_bits((any % 4096) as f32 / 16.0 - 64.0).into(),
        _ => number(any),
    }
}

/// The lanes that take part in instructions that do not choose them: mostly all.
pub(super) fn launched(seed: u64) -> u64 {
    match mixed(seed) % 4 {
        0 => mixed(seed ^ 1),
        _ => u64::MAX,
    }
}

/// Another number, of which each bit depends on all (the finalizer of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
