//! Numbers that are computed from the bits of a field, and the bits of a number.

use super::expr::eval;
use super::image::Image;
use super::rows::slice;
use super::word::Word;

/// The bits of the number that the bits of a field are: in two's complement, or in the format of the
/// number.
#[must_use]
pub const fn number(image: &Image<'_>, computed: u16, bits: u64) -> u64 {
    eval(image, image.words.computed[computed as usize].expr, bits as Word) as u64
}

/// The bits of a field that are written for a number, of which these are the bits.
#[must_use]
pub const fn encoding(image: &Image<'_>, computed: u16, bits: u64) -> Option<u64> {
    let encodings = slice(image.words.encodings, image.words.computed[computed as usize].encodings);
    let (mut first, mut end) = (0, encodings.len());
    while first < end {
        let middle = (first + end) / 2;
        let found = number(image, computed, encodings[middle] as u64);
        if found == bits {
            return Some(encodings[middle] as u64);
        }
        if found < bits {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    None
}
