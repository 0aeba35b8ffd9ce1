//! Fields of words, and numbers in them.

#![allow(clippy::unnecessary_cast, reason = "words may be narrower than 128 bits")]

use super::word::Word;

/// The lowest `width` bits set (at most 64).
#[inline]
#[must_use]
pub const fn low_bits(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The field of `width` bits (at most 64) at bit `lsb`.
#[inline]
#[must_use]
pub const fn extract(word: Word, lsb: u32, width: u32) -> u64 {
    (word >> lsb) as u64 & low_bits(width)
}

/// 64 bits of a word, from bit `start` on. Shifting halves takes less than shifting 128 bits does.
#[inline(always)]
#[must_use]
pub const fn window(word: Word, start: u8) -> u64 {
    let (low, high) = halves(word);
    if Word::BITS > 64 && start >= 64 {
        high >> (start & 63)
    } else if Word::BITS > 64 && start > 0 {
        low >> start | high << (64 - start)
    } else {
        low >> start
    }
}

/// `word` with the field of `width` bits (at most 64) at bit `lsb` set to `raw`.
#[inline]
#[must_use]
pub const fn insert(word: Word, lsb: u32, width: u32, raw: u64) -> Word {
    let mask = low_bits(width) as Word;
    word & !(mask << lsb) | (raw as Word & mask) << lsb
}

/// The lower and the upper 64 bits of a word.
#[inline]
#[must_use]
pub const fn halves(word: Word) -> (u64, u64) {
    (word as u64, (word as u128 >> 64) as u64)
}

/// The word of its lower and upper 64 bits.
#[inline]
#[must_use]
pub const fn from_halves(low: u64, high: u64) -> Word {
    (low as u128 | (high as u128) << 64) as Word
}

/// Sets a field as [`insert`] does, mostly without arithmetic on 128 bits.
#[inline]
pub fn put(word: &mut Word, lsb: u8, width: u8, raw: u64) {
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

/// `raw`, a number of `width` bits (1 to 64) in two's complement, as an integer.
#[inline]
#[must_use]
pub const fn sign_extend(raw: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((raw << unused) as i64) >> unused
}
