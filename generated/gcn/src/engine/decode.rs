//! From words to rows: a look-up by bits that tell opcodes apart, a comparison where these are not
//! all that an opcode fixes, and a few sums that show values that types lack.
//!
//! What cannot happen in an instruction set is a constant of its image, so that the compiler
//! removes the code for it.

use core::num::NonZeroU32;

use super::bits::{extract, low_bits};
use super::expr::eval;
use super::image::{BY_EXPR, BY_TABLE, Gather, IS_NODE, Image, Leaf, Node, slice};
use super::word::Word;

/// The number of a row.
pub type RowId = NonZeroU32;

/// Why a word is not an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No opcode has these fixed bits.
    Unknown,
    /// A field holds a value that its type lacks: its number among those of the row.
    Field(RowId, usize),
    /// A rule forbids the word.
    Rule(RowId, u16),
}

impl Gather {
    /// The bits of a word, brought together.
    #[inline(always)]
    #[must_use]
    pub const fn index(&self, word: Word) -> usize {
        let part = (word >> self.start) as u64 & self.mask;
        (part.wrapping_mul(self.factor) >> (self.shift & 63)) as usize
    }
}

/// The leaf of a word.
#[inline(always)]
const fn leaf<'a>(image: &Image<'a>, generation: usize, word: Word) -> &'a Leaf {
    let words = &image.words;
    let mut entry = step(image, &words.roots[generation], word);
    if words.depth == 2 {
        if entry & IS_NODE != 0 {
            entry = step(image, &words.nodes[(entry ^ IS_NODE) as usize], word);
        }
    } else if words.depth > 2 {
        while entry & IS_NODE != 0 {
            entry = step(image, &words.nodes[(entry ^ IS_NODE) as usize], word);
        }
    }
    let mut leaf = &words.leaves[entry as usize];
    if words.compares {
        loop {
            let pattern = &words.patterns[leaf.pattern as usize];
            if word & pattern.mask == pattern.value {
                break;
            }
            if !words.has_chains || leaf.next == 0 {
                return &words.leaves[0];
            }
            leaf = &words.leaves[leaf.next as usize];
        }
    }
    leaf
}

#[inline(always)]
const fn step(image: &Image<'_>, node: &Node, word: Word) -> u32 {
    image.words.table[node.first as usize + node.gather.index(word)]
}

/// The row whose fixed bits a word has, whatever its other bits are.
#[inline]
#[must_use]
pub const fn find(image: &Image<'_>, generation: usize, word: Word) -> Option<RowId> {
    row_of(image, leaf(image, generation, word & image.words.mask))
}

/// The row of a leaf.
#[inline(always)]
const fn row_of(image: &Image<'_>, leaf: &Leaf) -> Option<RowId> {
    if image.words.has_left_out && leaf.pattern as usize >= image.words.rows.len() {
        return None;
    }
    NonZeroU32::new(leaf.pattern)
}

/// The row of a legal word, and the word with nothing but significant bits; `None` for a word that is
/// not an instruction, of which [`refusal`] says why.
#[inline(always)]
#[must_use]
pub const fn decode(image: &Image<'_>, generation: usize, word: Word) -> Option<(RowId, Word)> {
    let words = &image.words;
    let word = word & words.mask;
    let leaf = leaf(image, generation, word);
    let Some(row) = row_of(image, leaf) else { return None };
    let check = leaf.check as usize;
    // Bits that are ignored are in no field, so sums and conditions do not see them.
    if !are_within_sums(image, check, word) {
        return None;
    }
    if words.has_conditions && leaf.conditions != 0 && meets(image, leaf.conditions, word) {
        return None;
    }
    let word = if words.ignores_bits { word & words.significant[check] } else { word };
    Some((row, word))
}

/// Whether every field holds a value of its type, as far as sums tell.
#[inline(always)]
const fn are_within_sums(image: &Image<'_>, check: usize, word: Word) -> bool {
    let words = &image.words;
    let lanes = words.lanes as usize;
    let (mut carries, mut lane) = (0, 0);
    while lane < lanes {
        let sum = &words.sums[check * lanes + lane];
        let part = (word >> words.lane_starts[lane]) as u64 & sum.mask;
        carries |= part.wrapping_add(sum.addend) & sum.carry;
        lane += 1;
    }
    carries == 0
}

/// Whether one of the conditions from one on holds.
#[inline]
#[must_use]
pub const fn meets(image: &Image<'_>, first: u32, word: Word) -> bool {
    let words = &image.words;
    let mut index = first as usize;
    loop {
        let condition = &words.conditions[index];
        let first = condition.first as usize;
        let holds = match condition.kind {
            BY_TABLE => {
                let bit = condition.gather.index(word);
                words.truth[first + bit / 64] >> (bit % 64) & 1 != 0
            }
            BY_EXPR => eval(image, condition.first, word) != 0,
            _ => {
                let raw = (word >> condition.gather.start) as u64 & condition.gather.mask;
                words.truth[first] <= raw && raw <= words.truth[first + 1]
            }
        };
        if holds || condition.is_last {
            return holds;
        }
        index += 1;
    }
}

/// Why a word is not an instruction: the first field, from the lowest bit, whose value its type lacks,
/// or the first rule.
#[cold]
#[must_use]
pub const fn refusal(image: &Image<'_>, generation: usize, word: Word) -> Refusal {
    let Some(row) = find(image, generation, word) else { return Refusal::Unknown };
    let definition = &image.words.rows[row.get() as usize];
    let fields = slice(image.words.fields, definition.fields);
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        let raw = extract(word, field.lsb as u32, field.width as u32);
        if !is_legal(image, field, raw) {
            return Refusal::Field(row, at);
        }
        at += 1;
    }
    match broken_rule(image, row, word, false) {
        Some(rule) => Refusal::Rule(row, rule),
        None => Refusal::Unknown,
    }
}

/// Whether a field's type has a value.
#[must_use]
pub const fn is_legal(image: &Image<'_>, field: &super::image::Field, raw: u64) -> bool {
    let holes = slice(image.words.holes, field.holes);
    let mut at = 0;
    while at < holes.len() {
        if holes[at].0 <= raw && raw <= holes[at].1 {
            return false;
        }
        at += 1;
    }
    raw <= low_bits(field.width as u32)
}

/// The first rule of a row that a word breaks; with those that only encoders and assemblers follow,
/// or without.
#[must_use]
pub const fn broken_rule(image: &Image<'_>, row: RowId, word: Word, advice: bool) -> Option<u16> {
    let rules = slice(image.words.rules, image.words.rows[row.get() as usize].rules);
    let mut at = 0;
    while at < rules.len() {
        let rule = &rules[at];
        if (advice || !rule.is_advice) && eval(image, rule.expr, word) != 0 {
            return Some(rule.rule);
        }
        at += 1;
    }
    None
}
