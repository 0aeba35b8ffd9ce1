//! The printing steps of opcodes, before they become rows.

use std::sync::Arc;

use isadl_engine::image::Gather;
use isadl_engine::image_text::{HIGH, LOW, MIDDLE, OUTER};

use super::super::words::gather::{self, gather};
use crate::isa::{Bits, TypeId, low_bits};

/// Limit on the bits that choose a register or name.
pub(super) const MAX_CORE_BITS: u32 = 10;

/// Limit on the bits that choose a name with its marks, where chunks have room for it.
pub(super) const MAX_MARKED_BITS: u32 = 11;

/// Limit on the bits that choose a text of several parts.
pub(super) const MAX_JOINT_BITS: u32 = 6;

/// Limit on the bits of a modifier that chooses its text.
pub(super) const MAX_LONE_BITS: u32 = 12;

/// Limit on the bits of a number that is looked up and not computed.
pub(super) const MAX_NUMBER_BITS: u32 = 6;

/// Bits of a word: the lowest and their number.
pub(super) type Run = (u32, u32);

/// How bits of a word number a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Selector {
    /// They are brought together within a window.
    Gathered {
        /// Which 64 bits of the word it is.
        window: u8,
        /// How bits of it are brought together.
        gather: Gather,
    },
    /// The index is composed of runs of bits; later runs are more significant.
    Scattered([Run; 3]),
}

impl Selector {
    /// Selects by no bits: there is a single text.
    pub(super) const NONE: Selector = Selector::Gathered { window: LOW, gather: gather::NONE };

    /// The selector that gathers the bits, if there is one.
    pub(super) fn of(bits: u128) -> Option<Selector> {
        windows(bits).find_map(|(window, within)| {
            Some(Selector::Gathered { window, gather: gather(within.into())? })
        })
    }

    /// The bits of the words that have each text, in the order of the texts.
    pub(super) fn words(&self) -> Vec<u128> {
        match self {
            Selector::Gathered { window, gather } => {
                let mut words: Vec<(usize, u128)> = gather::combinations(*gather)
                    .map(|(index, part)| (index, out_of_window(*window, part as u64)))
                    .collect();
                words.sort_unstable();
                words.into_iter().map(|(_, word)| word).collect()
            }
            Selector::Scattered(runs) => {
                let count: u32 = runs.iter().map(|(_, width)| width).sum();
                let word = |mut index: u128| {
                    runs.iter().fold(0, |word, (lsb, width)| {
                        let bits = index & low_bits(*width);
                        index >>= width;
                        word | bits << lsb
                    })
                };
                (0..1 << count).map(word).collect()
            }
        }
    }
}

/// The windows that have all of some bits, with the bits in them.
fn windows(bits: u128) -> impl Iterator<Item = (u8, u64)> {
    let within = move |window| (window, into_window(window, bits));
    let all = [LOW, HIGH, MIDDLE, OUTER].into_iter().map(within);
    all.filter(move |(window, within)| out_of_window(*window, *within) == bits)
}

/// The first window that has all of some bits, with the bits in it.
pub(super) fn within(bits: u128) -> Option<(u8, u64)> {
    windows(bits).next()
}

/// The bits of a window.
pub(super) fn into_window(window: u8, word: u128) -> u64 {
    match window {
        LOW => word as u64,
        MIDDLE => (word >> 32) as u64,
        HIGH => (word >> 64) as u64,
        _ => u64::from(word as u32) | (word >> 64 << 32) as u64,
    }
}

/// The word that has the bits of a window, and no others.
fn out_of_window(window: u8, part: u64) -> u128 {
    let part = u128::from(part);
    match window {
        LOW => part,
        MIDDLE => part << 32,
        HIGH => part << 64,
        _ => part & low_bits(32) | part >> 32 << 64,
    }
}

/// Texts of a choice, which opcodes share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Texts {
    list: Arc<[String]>,
    /// Bytes of the longest.
    pub(super) longest: usize,
}

impl Texts {
    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// Identifies these texts: copies share the address while any of them exists.
    pub(super) fn address(&self) -> usize {
        self.list.as_ptr() as usize
    }
}

impl FromIterator<String> for Texts {
    fn from_iter<I: IntoIterator<Item = String>>(texts: I) -> Texts {
        let list: Arc<[String]> = texts.into_iter().collect();
        let longest = list.iter().map(String::len).max().unwrap_or(0);
        Texts { list, longest }
    }
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// One of the texts, by bits of the word.
    Choice { selector: Selector, texts: Texts },
    /// A number; the format is the type's, or selected by the bits of a modifier.
    Number { field: Bits, ty: TypeId, format: Option<(Bits, TypeId)> },
    /// A number after a register, with its sign; nothing for 0.
    Offset { field: Bits, ty: TypeId },
    /// A name with its sign, by a search for its entry; nothing for a value without a name.
    Value { field: Bits, ty: TypeId, operand: Option<usize>, sign: &'static str },
    /// Passes over steps where the word has these bits.
    Skip { mask: u128, value: u128, steps: usize },
    /// Writes a constant if the bits match one, and then passes over steps. The constants are in ascending order of
    /// their bits.
    Constant { field: Bits, constants: Vec<(u64, String)>, steps: usize },
    /// Passes over steps unless the bits are in one of the ranges, both ends included.
    Call { field: Bits, ranges: Vec<(u64, u64)>, steps: usize },
    /// The operands begin, each with a comma before it.
    Join,
    /// They end; the first comma is made a space.
    Joined,
}

/// How many of the steps that follow may be passed over.
pub(super) fn passed(step: &Step) -> Option<usize> {
    match step {
        Step::Skip { steps, .. } | Step::Constant { steps, .. } | Step::Call { steps, .. } => {
            Some(*steps)
        }
        _ => None,
    }
}

/// The step that writes a text.
pub(super) fn literal(text: &str) -> Step {
    let texts = std::iter::once(text.to_string()).collect();
    Step::Choice { selector: Selector::NONE, texts }
}

/// The runs of set bits, from the lowest.
pub(super) fn runs(mut mask: u128) -> Vec<Run> {
    let mut runs = Vec::new();
    while mask != 0 {
        let low = mask.trailing_zeros();
        let width = (!(mask >> low)).trailing_zeros();
        runs.push((low, width));
        mask &= !(low_bits(width) << low);
    }
    runs
}

/// A run, or its parts in both halves of a word.
pub(super) fn in_halves((lsb, width): Run) -> Vec<Run> {
    if lsb >= 64 || lsb + width <= 64 {
        return vec![(lsb, width)];
    }
    vec![(lsb, 64 - lsb), (64, lsb + width - 64)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_as_the_engine_gathers() {
        // Within one half, across the middle, in the outer parts, and scattered bits that fit one window only.
        let masks: [u128; 6] =
            [0, 0xf0f, 0xff << 60, 0xff << 16 | 1 << 80, 0x7 << 29 | 1 << 93, 0x3ff << 118];
        for mask in masks {
            let selector = Selector::of(mask).unwrap();
            let Selector::Gathered { window, gather } = selector else { unreachable!() };
            let words = selector.words();
            assert_eq!(words.len(), 1 << mask.count_ones());
            for (index, word) in words.into_iter().enumerate() {
                assert_eq!(word & !mask, 0);
                for other in [word, word | !mask] {
                    let part = into_window(window, other) & gather.mask;
                    assert_eq!(
                        (part.wrapping_mul(gather.factor) >> (gather.shift & 63)) as usize,
                        index
                    );
                }
            }
        }
        assert_eq!(Selector::of(1 | 1 << 127), None);
    }
}
