//! Keys of names, by which tables are laid out and read.

use super::image_lines::Key;

/// The multiplier of Fibonacci hashing: 2^64 over the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of a sequence of kinds, of which the highest bits are the best.
#[inline]
#[must_use]
pub fn sequence_hash(sequence: u64) -> u64 {
    (sequence ^ sequence >> 29).wrapping_mul(MULTIPLIER)
}

impl Key {
    /// The key of a name.
    #[must_use]
    pub fn of(name: &[u8]) -> Key {
        let all =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        let first = all(&name[..name.len().min(8)]);
        let last = if name.len() > 8 { all(&name[name.len() - 8..]) } else { 0 };
        Key { first, last, length: name.len() as u32 }
    }

    /// The key of the name that is `text[start..end]`; mostly all its bytes are read at once.
    #[inline]
    #[must_use]
    pub fn within(text: &[u8], start: usize, end: usize) -> Key {
        let length = end.saturating_sub(start);
        match text.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(bytes) if length <= 8 => {
                let unused = (64 - 8 * length as u32) & 63;
                let all = u64::from_le_bytes(*bytes) << unused >> unused;
                Key { first: if length == 0 { 0 } else { all }, last: 0, length: length as u32 }
            }
            Some(first) if length <= 16 => {
                let last = text.get(end - 8..end).and_then(|last| last.first_chunk());
                let last = last.map_or(0, |last| u64::from_le_bytes(*last));
                Key { first: u64::from_le_bytes(*first), last, length: length as u32 }
            }
            _ => Key::of(text.get(start..end).unwrap_or_default()),
        }
    }

    /// The key of the name in lower case.
    #[inline]
    #[must_use]
    pub fn folded(self) -> Key {
        Key { first: folded(self.first), last: folded(self.last), ..self }
    }

    /// Whether two keys are the same; all of them is compared, for where they differ cannot be
    /// predicted.
    #[inline]
    #[must_use]
    pub fn is(self, other: Key) -> bool {
        let length = u64::from(self.length ^ other.length);
        (self.first ^ other.first) | (self.last ^ other.last) | length == 0
    }

    /// Whether the key holds every byte of the name.
    #[inline]
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.length <= 16
    }

    /// A hash, of which the highest bits are the best.
    #[inline]
    #[must_use]
    pub fn hash(self) -> u64 {
        let mixed = self.first ^ self.last.rotate_left(29) ^ (u64::from(self.length) << 56);
        let mixed = mixed.wrapping_mul(MULTIPLIER);
        (mixed ^ (mixed >> 29)).wrapping_mul(MULTIPLIER)
    }
}

/// Eight bytes with letters in lower case.
#[inline]
fn folded(bytes: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let low = bytes & (EACH * 0x7f);
    // The highest bit of each sum says whether the byte is at least `A`, and more than `Z`.
    let (from, beyond) = (low + EACH * (0x80 - 0x41), low + EACH * (0x80 - 0x5b));
    let letters = from & !beyond & !bytes & (EACH << 7);
    bytes | letters >> 2
}
