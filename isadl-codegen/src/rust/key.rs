//! Keys of names, by which generated tables are laid out and read.

#![allow(dead_code, reason = "the generator makes keys, and what it generates looks for them")]

/// The multiplier of Fibonacci hashing: 2^64 over the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of a sequence of kinds, of which the highest bits are the best.
#[inline]
pub(crate) fn sequence_hash(sequence: u64) -> u64 {
    (sequence ^ sequence >> 29).wrapping_mul(MULTIPLIER)
}

/// The length of a name, its first eight bytes, and its last eight if it is longer: the whole name
/// up to 16 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) length: u32,
}

impl Key {
    /// The key of a name.
    pub(crate) fn of(name: &[u8]) -> Key {
        let all =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        let first = all(&name[..name.len().min(8)]);
        let last = if name.len() > 8 { all(&name[name.len() - 8..]) } else { 0 };
        Key { first, last, length: name.len() as u32 }
    }

    /// The key of the name that is `text[start..end]`; mostly all its bytes are read at once.
    #[inline]
    pub(crate) fn within(text: &[u8], start: usize, end: usize) -> Key {
        let length = end.saturating_sub(start);
        match text.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(bytes) if length <= 8 => {
                let unused = (64 - 8 * length as u32) & 63;
                let all = u64::from_le_bytes(*bytes) << unused >> unused;
                Key { first: if length == 0 { 0 } else { all }, last: 0, length: length as u32 }
            }
            _ => Key::of(text.get(start..end).unwrap_or_default()),
        }
    }

    /// Whether two keys are the same; all of them is compared, for where they differ cannot be
    /// predicted.
    #[inline]
    pub(crate) fn is(self, other: Key) -> bool {
        let length = u64::from(self.length ^ other.length);
        (self.first ^ other.first) | (self.last ^ other.last) | length == 0
    }

    /// Whether the key holds every byte of the name.
    #[inline]
    pub(crate) fn is_whole(self) -> bool {
        self.length <= 16
    }

    /// A hash, of which the highest bits are the best.
    #[inline]
    pub(crate) fn hash(self) -> u64 {
        let mixed = self.first ^ self.last.rotate_left(29) ^ (u64::from(self.length) << 56);
        let mixed = mixed.wrapping_mul(MULTIPLIER);
        (mixed ^ (mixed >> 29)).wrapping_mul(MULTIPLIER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_have_keys_of_their_own() {
        let names = ["", "a", "ab", "ba", "aab", "aba", "abcd", "abcde", "abcdefgh", "bbcdefgh"];
        let longer = ["abcdefghi", "abcdefghijklmnop", "abcdefghXjklmnop"];
        let all: Vec<&str> = names.into_iter().chain(longer).collect();
        for a in &all {
            for b in &all {
                let same = Key::of(a.as_bytes()).is(Key::of(b.as_bytes()));
                assert_eq!(same, a == b, "{a} and {b}");
            }
            let text = format!("{a} and more");
            assert!(Key::within(text.as_bytes(), 0, a.len()).is(Key::of(a.as_bytes())));
            assert!(Key::within(a.as_bytes(), 0, a.len()).is(Key::of(a.as_bytes())));
        }
    }
}
