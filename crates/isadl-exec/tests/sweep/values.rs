//! Values of registers: random, and those at which something changes.

use super::Random;

/// A number for integer registers.
pub(super) fn integer(random: &mut Random) -> u64 {
    const EDGES: [u64; 14] = [
        0,
        1,
        2,
        63,
        64,
        1 << 63,
        u64::MAX,
        i64::MAX as u64,
        1 << 31,
        (1 << 31) - 1,
        0xffff_ffff,
        0xffff_ffff_8000_0000,
        0x80,
        0xff00,
    ];
    match random.below(5) {
        0 | 1 => EDGES[random.below(EDGES.len())],
        2 => random.next() >> 40,
        _ => random.next(),
    }
}

/// A floating-point number of 16, 32 or 64 bits: often zero, infinite, subnormal, a NaN, or near 1.
pub(super) fn float(random: &mut Random, width: u32) -> u64 {
    let fraction = match width {
        16 => 10,
        32 => 23,
        _ => 52,
    };
    let exponents = (1u64 << (width - 1 - fraction)) - 1;
    let any = random.next() & (u64::MAX >> (64 - width));
    let exponent = match random.below(8) {
        0 => 0,
        1 => exponents,
        2 => 1 + random.next() % 3,
        3 => exponents - 1 - random.next() % 3,
        // Where conversions to integers end.
        4 => exponents / 2 + 8 * (random.next() % 9).min(exponents / 16) - random.next() % 2,
        5 => return any,
        _ => exponents / 2 + random.next() % 5 - 2,
    };
    let low = (1 << fraction) - 1;
    let own = match random.below(6) {
        0 => 0,
        1 => low,
        2 => 1 << (random.next() % u64::from(fraction)),
        3 => any & low & !0xff,
        _ => any & low,
    };
    any >> (width - 1) << (width - 1) | exponent << fraction | own
}
