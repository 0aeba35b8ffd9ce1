//! Numbers that are computed from the bits of a field, and the bits of a number.

use super::expr::{eval, eval_sequence};
use super::image::{Computed, Image};
use super::rows::slice;
use super::set::UNKNOWN;
use super::word::Word;

/// The number for the bits of a field: in two's complement, or in the format of the number.
#[must_use]
pub const fn number(image: &Image<'_>, computed: u16, bits: u64) -> u64 {
    let of = &image.words.computed[computed as usize];
    match of.nodes {
        (_, 0) => eval(image, UNKNOWN, of.expr, bits as Word) as u64,
        nodes => eval_sequence(image, slice(image.words.sequences, nodes), bits) as u64,
    }
}

/// The lowest bits of a field for a number, given by its bits.
#[must_use]
pub const fn encoding(image: &Image<'_>, computed: u16, bits: u64) -> Option<u64> {
    encoding_within(image, computed, bits, (0, 0))
}

/// The lowest bits of a field for a number, given by its bits, that have the value of `known` in its mask.
#[must_use]
pub const fn encoding_within(
    image: &Image<'_>,
    computed: u16,
    bits: u64,
    known: (u64, u64),
) -> Option<u64> {
    let mut place = first_place(image, computed, bits);
    while let Some(raw) = encoding_at(image, computed, bits, place) {
        if raw & known.0 == known.1 {
            return Some(raw);
        }
        place += 1;
    }
    None
}

/// All bits of a field for a number, given by its bits; the lowest first.
pub fn encodings<'i>(
    image: &'i Image<'i>,
    computed: u16,
    bits: u64,
) -> impl Iterator<Item = u64> + 'i {
    let first = first_place(image, computed, bits);
    (first..).map_while(move |place| encoding_at(image, computed, bits, place))
}

/// The first position in the list of a field whose number is not less than the number with these bits.
const fn first_place(image: &Image<'_>, computed: u16, bits: u64) -> u32 {
    let list = &image.words.computed[computed as usize];
    let (mut first, mut end) = (0, list.encodings.1);
    while first < end {
        let middle = (first + end) / 2;
        if number(image, computed, at(image, list, middle)) < bits {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    first
}

/// The bits at a position of the list of a field, if they encode a number.
const fn encoding_at(image: &Image<'_>, computed: u16, bits: u64, place: u32) -> Option<u64> {
    let list = &image.words.computed[computed as usize];
    if place >= list.encodings.1 {
        return None;
    }
    let raw = at(image, list, place);
    if number(image, computed, raw) == bits { Some(raw) } else { None }
}

/// The legal bits at a position of a list.
const fn at(image: &Image<'_>, list: &Computed, place: u32) -> u64 {
    match list.step {
        0 => slice(image.words.encodings, list.encodings)[place as usize] as u64,
        step => (list.encodings.0 as i64 + place as i64 * step as i64) as u64,
    }
}
