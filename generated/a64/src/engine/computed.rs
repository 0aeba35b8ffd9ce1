//! Numbers that are computed from the bits of a field, and the bits of a number.

use super::expr::eval;
use super::image::Image;
use super::rows::slice;
use super::set::UNKNOWN;
use super::word::Word;

/// The bits of the number that the bits of a field are: in two's complement, or in the format of the
/// number.
#[must_use]
pub const fn number(image: &Image<'_>, computed: u16, bits: u64) -> u64 {
    eval(image, UNKNOWN, image.words.computed[computed as usize].expr, bits as Word) as u64
}

/// The lowest bits of a field for a number, of which these are the bits.
#[must_use]
pub const fn encoding(image: &Image<'_>, computed: u16, bits: u64) -> Option<u64> {
    encoding_within(image, computed, bits, (0, 0))
}

/// The lowest bits of a field for a number, of which these are the bits, that have the value of `known` in its mask.
#[must_use]
pub const fn encoding_within(
    image: &Image<'_>,
    computed: u16,
    bits: u64,
    known: (u64, u64),
) -> Option<u64> {
    let encodings = slice(image.words.encodings, image.words.computed[computed as usize].encodings);
    let (mut first, mut end) = (0, encodings.len());
    while first < end {
        let middle = (first + end) / 2;
        if number(image, computed, encodings[middle] as u64) < bits {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    while first < encodings.len() {
        let raw = encodings[first] as u64;
        if number(image, computed, raw) != bits {
            return None;
        }
        if raw & known.0 == known.1 {
            return Some(raw);
        }
        first += 1;
    }
    None
}
