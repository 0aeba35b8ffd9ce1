//! Fields of words, which are next to each other or in pieces.
//!
//! Rows tell where a field is by its lowest bit and its number of bits. From [`IN_PIECES`] on the first
//! is not a bit but the number of a row of [`Words::scattered`](super::image::Words), which lists
//! pieces.

use super::bits::{extract, insert, put};
use super::image::{Image, slice};
use super::word::Word;

/// What would be the lowest bit of a field is the number of one in pieces from here on.
pub const IN_PIECES: u16 = 128;

/// The bits of a field in a word.
#[inline(always)]
#[must_use]
pub const fn get(image: &Image<'_>, word: Word, lsb: u16, width: u8) -> u64 {
    if lsb >= IN_PIECES && !image.words.scattered.is_empty() {
        return gathered(image, word, lsb);
    }
    extract(word, lsb as u32, width as u32)
}

/// The word with other bits of a field.
#[inline(always)]
#[must_use]
pub const fn with(image: &Image<'_>, word: Word, lsb: u16, width: u8, raw: u64) -> Word {
    if lsb >= IN_PIECES && !image.words.scattered.is_empty() {
        return scattered(image, word, lsb, raw);
    }
    insert(word, lsb as u32, width as u32, raw)
}

/// Sets a field as [`with`] does, mostly without arithmetic on 128 bits.
#[inline(always)]
pub fn set(image: &Image<'_>, word: &mut Word, lsb: u16, width: u8, raw: u64) {
    if lsb >= IN_PIECES && !image.words.scattered.is_empty() {
        *word = scattered(image, *word, lsb, raw);
        return;
    }
    put(word, lsb as u8, width, raw);
}

/// The lowest bit of a field in the word.
#[must_use]
pub const fn lowest(image: &Image<'_>, lsb: u16) -> u8 {
    if lsb < IN_PIECES || image.words.scattered.is_empty() {
        return lsb as u8;
    }
    let pieces = slice(image.words.pieces, image.words.scattered[(lsb - IN_PIECES) as usize]);
    let (mut at, mut lowest) = (0, u8::MAX);
    while at < pieces.len() {
        if pieces[at].lsb < lowest {
            lowest = pieces[at].lsb;
        }
        at += 1;
    }
    lowest
}

/// The number that pieces of a word make.
const fn gathered(image: &Image<'_>, word: Word, number: u16) -> u64 {
    let pieces = image.words.scattered[(number - IN_PIECES) as usize];
    let pieces = slice(image.words.pieces, pieces);
    let (mut at, mut raw) = (0, 0);
    while at < pieces.len() {
        let piece = &pieces[at];
        raw |= ((word >> piece.lsb) as u64 & piece.mask) << piece.shift;
        at += 1;
    }
    raw
}

/// The word with the pieces of a number.
const fn scattered(image: &Image<'_>, mut word: Word, number: u16, raw: u64) -> Word {
    let pieces = image.words.scattered[(number - IN_PIECES) as usize];
    let pieces = slice(image.words.pieces, pieces);
    let mut at = 0;
    while at < pieces.len() {
        let piece = &pieces[at];
        let bits = (raw >> piece.shift & piece.mask) as Word;
        word = word & !((piece.mask as Word) << piece.lsb) | bits << piece.lsb;
        at += 1;
    }
    word
}
