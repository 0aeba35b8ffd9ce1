//! The hash of names, by which generated tables are laid out and read.

/// A hash of the length, the first and the last eight bytes of a name.
#[inline]
pub(crate) fn hash(name: &[u8]) -> u64 {
    let (first, last) = match name.len() {
        0 => (0, 0),
        length @ 1..4 => {
            let middle = u64::from(name[length / 2]) << 8;
            (u64::from(name[0]) | middle, u64::from(name[length - 1]))
        }
        length @ 4..8 => (four(&name[..4]), four(&name[length - 4..])),
        length => (eight(&name[..8]), eight(&name[length - 8..])),
    };
    // The multiplier is that of Fibonacci hashing: 2^64 over the golden ratio.
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = first ^ last.rotate_left(29) ^ ((name.len() as u64) << 56);
    let mixed = mixed.wrapping_mul(MULTIPLIER);
    (mixed ^ (mixed >> 29)).wrapping_mul(MULTIPLIER)
}

#[inline]
fn four(bytes: &[u8]) -> u64 {
    bytes.first_chunk::<4>().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)))
}

#[inline]
fn eight(bytes: &[u8]) -> u64 {
    bytes.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
