//! Bit slicing and table records that every generated crate shares.
//!
//! Bit 0 is the least significant bit of an instruction word.

#![allow(dead_code, reason = "which functions are used depends on the parts that are generated")]
#![allow(clippy::unnecessary_cast, reason = "a word is 64 or 128 bits wide")]

use super::Word;

/// The lowest `width` bits set; `width` is at most 64.
pub(crate) const fn low_bits(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The field of `width` bits (at most 64) at bit `lsb`.
#[inline]
pub(crate) const fn extract(word: Word, lsb: u32, width: u32) -> u64 {
    (word >> lsb) as u64 & low_bits(width)
}

/// `word` with the field of `width` bits (at most 64) at bit `lsb` set to `raw`.
#[inline]
pub(crate) const fn insert(word: Word, lsb: u32, width: u32, raw: u64) -> Word {
    let mask = low_bits(width) as Word;
    word & !(mask << lsb) | (raw as Word & mask) << lsb
}

/// The lower and the upper 64 bits of a word.
#[inline]
pub(crate) const fn halves(word: Word) -> (u64, u64) {
    (word as u64, (word as u128 >> 64) as u64)
}

/// The word of its lower and upper 64 bits.
#[inline]
pub(crate) const fn from_halves(low: u64, high: u64) -> Word {
    (low as u128 | (high as u128) << 64) as Word
}

/// Sets a field as [`insert`] does, mostly without arithmetic on 128 bits.
#[inline]
pub(crate) fn put(word: &mut Word, lsb: u8, width: u8, raw: u64) {
    let shift = lsb & 63;
    if shift + width > 64 {
        *word = insert(*word, u32::from(lsb), u32::from(width), raw);
        return;
    }
    let mask = low_bits(u32::from(width)) << shift;
    let set = |half: u64| half & !mask | raw << shift & mask;
    let (low, high) = halves(*word);
    let (low, high) = if lsb < 64 { (set(low), high) } else { (low, set(high)) };
    *word = from_halves(low, high);
}

/// `raw`, a number of `width` bits in two's complement, as an integer.
#[inline]
pub(crate) const fn sign_extend(raw: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((raw << unused) as i64) >> unused
}

/// Which fields of a word hold values that their types lack, as sums that carry.
pub(crate) struct Validity {
    pub(crate) sums: [(Word, Word, Word); 2],
    pub(crate) holes: &'static [Hole],
}

/// Values of a field that its type lacks.
pub(crate) struct Hole {
    pub(crate) lsb: u8,
    pub(crate) width: u8,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Validity {
    /// Whether every field holds a value of its type, as far as sums can tell.
    #[inline]
    pub(crate) const fn is_within_sums(&self, word: Word) -> bool {
        let [(mask, addend, carry), (mask_2, addend_2, carry_2)] = self.sums;
        // The fields of a sum have a cleared bit above each, where a carry shows.
        let sum = ((word & mask).wrapping_add(addend) & carry)
            | ((word & mask_2).wrapping_add(addend_2) & carry_2);
        sum == 0
    }

    /// Whether no field holds a value that is listed as illegal.
    pub(crate) const fn is_outside_holes(&self, word: Word) -> bool {
        let mut i = 0;
        while i < self.holes.len() {
            let hole = &self.holes[i];
            let raw = extract(word, hole.lsb as u32, hole.width as u32);
            if hole.first <= raw && raw <= hole.last {
                return false;
            }
            i += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_sliced_at_every_edge() {
        let word: Word = 0xf123_4567_89ab_cdef_0011_2233_4455_6677;
        assert_eq!(extract(word, 0, 4), 0x7);
        assert_eq!(extract(word, 124, 4), 0xf);
        assert_eq!(extract(word, 60, 8), 0xf0);
        assert_eq!(extract(word, 64, 64), 0xf123_4567_89ab_cdef);
        assert_eq!(insert(word, 124, 4, 0x2) >> 124, 0x2);
        assert_eq!(insert(0, 62, 64, u64::MAX), (u64::MAX as Word) << 62);
        assert_eq!(insert(Word::MAX, 8, 8, 0x1ff) >> 8 & 0xffff, 0xffff);
        assert_eq!(halves(word), (0x0011_2233_4455_6677, 0xf123_4567_89ab_cdef));
        assert_eq!(from_halves(0x0011_2233_4455_6677, 0xf123_4567_89ab_cdef), word);
    }

    #[test]
    fn fields_are_put_as_they_are_inserted() {
        let word: Word = 0xf123_4567_89ab_cdef_0011_2233_4455_6677;
        for lsb in 0..128 {
            for width in 1..=(128 - lsb).min(64) {
                for raw in [0, 1, 0xa5a5_5a5a_c3c3_3c3c, u64::MAX] {
                    let mut put_into = word;
                    put(&mut put_into, lsb, width, raw);
                    assert_eq!(put_into, insert(word, u32::from(lsb), u32::from(width), raw));
                }
            }
        }
    }

    #[test]
    fn signs_are_extended_from_every_width() {
        assert_eq!(sign_extend(0x1ff, 9), -1);
        assert_eq!(sign_extend(0xff, 9), 255);
        assert_eq!(sign_extend(u64::MAX, 64), -1);
        assert_eq!(sign_extend(1, 1), -1);
    }

    #[test]
    fn carries_and_holes_tell_illegal_values() {
        static HOLES: [Hole; 1] = [Hole { lsb: 16, width: 4, first: 3, last: 5 }];
        // A field of 2 bits at 4 that may hold 0 to 2, and one of 3 bits at 8 that may hold 0 to 5.
        let sums = [(0b11 << 4, 1 << 4, 1 << 6), (0b111 << 8, 2 << 8, 1 << 11)];
        let validity = Validity { sums, holes: &HOLES };
        let is_legal = |word| validity.is_within_sums(word) && validity.is_outside_holes(word);
        assert!(is_legal(0));
        assert!(is_legal(0b10 << 4 | 5 << 8 | 6 << 16));
        assert!(!is_legal(0b11 << 4));
        assert!(!is_legal(6 << 8));
        assert!(!is_legal(3 << 16));
        assert!(!is_legal(5 << 16));
        assert!(is_legal(2 << 16));
    }
}
