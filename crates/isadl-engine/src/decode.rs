//! Decodes words to rows: a look-up by bits that distinguish opcodes, a comparison of the other fixed bits, and a few
//! sums that detect reserved values.
//!
//! Constants of an image say what cannot happen in its instruction set, so that the compiler removes the code for it.

use core::num::NonZeroU32;

use super::bits::{low_bits, window};
use super::expr::{eval, is_in};
use super::fields::get;
use super::image::{
    ALWAYS_TWO, BY_RANGE, Gather, HAS_CONDITIONS, IS_NODE, Image, NO_MORE, Node, OTHERS_FOLLOW,
    TABLE_FOLLOWS, slice,
};
use super::set::{KnownSet, has, known};
use super::target::{Target, is_there};
use super::word::Word;

/// The number of a row.
pub type RowId = NonZeroU32;

/// Why a word is not an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No opcode has these fixed bits.
    Unknown,
    /// The set of extensions does not have the opcode with these fixed bits.
    Absent(RowId),
    /// A field holds a reserved value: the number of the field in the row.
    Field(RowId, usize),
    /// A rule forbids the word.
    Rule(RowId, u16),
}

impl Gather {
    /// The gathered bits of a word.
    #[inline(always)]
    #[must_use]
    pub const fn index(&self, word: Word) -> usize {
        // In words of up to 64 bits, the window begins at bit 0.
        let part = if Word::BITS > 64 { window(word, self.start) } else { word as u64 };
        ((part & self.mask).wrapping_mul(self.factor) >> (self.shift & 63)) as usize
    }
}

/// The first look-up of a word.
#[inline(always)]
const fn root<'i>(image: &'i Image<'_>, target: Target, word: Word) -> &'i Node {
    let words = &image.words;
    if words.split == 0 {
        return &words.roots[target.generation];
    }
    &words.roots
        [target.generation * (words.split as usize + 1) + (word as u32 & words.split) as usize]
}

/// The number of the first leaf that may be a word's; 0 for none.
#[inline(always)]
const fn candidate(image: &Image<'_>, target: Target, word: Word) -> u32 {
    let words = &image.words;
    let mut entry = step(image, root(image, target, word), word);
    match words.depth {
        1 => {}
        // A branch on nodes would be predicted badly, so there is none.
        ALWAYS_TWO => entry = step(image, &words.nodes[(entry ^ IS_NODE) as usize], word),
        2 => {
            if entry & IS_NODE != 0 {
                entry = step(image, &words.nodes[(entry ^ IS_NODE) as usize], word);
            }
        }
        _ => {
            while entry & IS_NODE != 0 {
                entry = step(image, &words.nodes[(entry ^ IS_NODE) as usize], word);
            }
        }
    }
    entry
}

/// The number of a word's leaf; `None` for a word that no opcode has.
#[inline(always)]
const fn leaf(image: &Image<'_>, target: Target, word: Word) -> Option<NonZeroU32> {
    own_leaf(image, target, candidate(image, target, word), word)
}

/// The first leaf from `entry` on that a word has.
#[inline(always)]
const fn own_leaf(
    image: &Image<'_>,
    target: Target,
    mut entry: u32,
    word: Word,
) -> Option<NonZeroU32> {
    let words = &image.words;
    // One comparison shows that it is not 0, and that it is an index of all tables of this length.
    if !words.has_chains && entry.wrapping_sub(1) as usize >= words.leaves.len() - 1 {
        return None;
    }
    if words.compares {
        loop {
            let pattern = &words.patterns[entry as usize];
            let is_own = word & pattern.mask == pattern.value;
            if is_own && has_leaf(image, target, entry) {
                break;
            }
            if !words.has_chains {
                return None;
            }
            entry = words.leaves[entry as usize].next;
            if entry == 0 {
                return None;
            }
        }
    }
    NonZeroU32::new(entry)
}

/// Whether a leaf has an opcode, possibly one that was left out.
#[inline(always)]
const fn has_leaf(image: &Image<'_>, target: Target, leaf: u32) -> bool {
    image.words.presence.is_empty()
        || is_there(image, target.set, image.words.leaves[leaf as usize].row as usize)
}

#[inline(always)]
const fn step(image: &Image<'_>, node: &Node, word: Word) -> u32 {
    image.words.table[node.first as usize + node.gather.index(word)]
}

/// The row whose fixed bits a word has, without checks of its other bits.
#[inline]
#[must_use]
pub const fn find(image: &Image<'_>, target: Target, word: Word) -> Option<RowId> {
    match leaf(image, target, word & image.words.mask) {
        Some(leaf) if image.words.has_overlaps => {
            found_by(image, target, leaf, word & image.words.mask)
        }
        Some(leaf) => row_of(image, leaf),
        None => None,
    }
}

/// The row of the opcode for which a word is legal, from a leaf on. If there is none, the row of the first opcode that
/// may take it.
#[inline(never)]
const fn found_by(
    image: &Image<'_>,
    target: Target,
    first: NonZeroU32,
    word: Word,
) -> Option<RowId> {
    let mut at = Some(first);
    let mut row = None;
    while let Some(leaf) = at {
        if let Some((legal, _)) = instruction(image, target, leaf, word) {
            return Some(legal);
        }
        if row.is_none() {
            row = row_of(image, leaf);
        }
        at = following(image, target, first, leaf, word);
    }
    row
}

/// The next leaf, in the chain that begins with `first`, whose opcode may take a word: the word has the opcode's fixed
/// bits, and not the bits of a special case. Special cases come before their general cases.
const fn following(
    image: &Image<'_>,
    target: Target,
    first: NonZeroU32,
    leaf: NonZeroU32,
    word: Word,
) -> Option<NonZeroU32> {
    let words = &image.words;
    let mut at = words.leaves[leaf.get() as usize].next;
    while at != 0 {
        let pattern = &words.patterns[at as usize];
        let mut takes = word & pattern.mask == pattern.value && has_leaf(image, target, at);
        let mut before = first.get();
        while takes && before != at {
            let special = &words.patterns[before as usize];
            let is_special =
                special.mask & pattern.mask == pattern.mask && special.mask != pattern.mask;
            takes = !is_special
                || is_matched(words.matched, words.leaves[before as usize].row)
                || word & special.mask != special.value
                || !has_leaf(image, target, before);
            before = words.leaves[before as usize].next;
        }
        if takes {
            return NonZeroU32::new(at);
        }
        at = words.leaves[at as usize].next;
    }
    None
}

/// Whether a row is in the list of rows with conditions.
const fn is_matched(matched: &[u32], row: u32) -> bool {
    let mut at = 0;
    while at < matched.len() {
        if matched[at] == row {
            return true;
        }
        at += 1;
    }
    false
}

/// The row of a leaf. If there are no more leaves than rows, their numbers are equal.
#[inline(always)]
const fn row_of(image: &Image<'_>, leaf: NonZeroU32) -> Option<RowId> {
    let words = &image.words;
    if words.leaves.len() == words.rows.len() {
        return Some(leaf);
    }
    NonZeroU32::new(words.leaves[leaf.get() as usize].row)
}

/// The row of a legal word, and the word with its significant bits only. `None` for a word that is not an instruction;
/// [`refusal`] returns the reason.
#[inline(always)]
#[must_use]
pub const fn decode(image: &Image<'_>, target: Target, word: Word) -> Option<(RowId, Word)> {
    let word = word & image.words.mask;
    let entry = candidate(image, target, word);
    if image.words.shares_words {
        return match first_instruction(image, target, entry, word) {
            None => instruction_from(image, target, entry, word),
            found => found,
        };
    }
    let Some(leaf) = own_leaf(image, target, entry, word) else { return None };
    match instruction(image, target, leaf, word) {
        Some((row, word)) if image.words.is_irregular => Some((row, word | written(image, row))),
        found => found,
    }
}

/// The instruction of a leaf, if a few comparisons show that it is the word's. This takes no branches but one at the end.
#[inline(always)]
const fn first_instruction(
    image: &Image<'_>,
    target: Target,
    entry: u32,
    word: Word,
) -> Option<(RowId, Word)> {
    let words = &image.words;
    let pattern = &words.patterns[entry as usize];
    let found = &words.leaves[entry as usize];
    let mut is_own = word & pattern.mask == pattern.value;
    if !words.presence.is_empty() {
        let term = &words.terms[found.term as usize];
        is_own &= has(target.set, term.needed, term.excluded);
    }
    if words.lanes > 0 {
        is_own &= carries(image, found.sums, word) & !HAS_CONDITIONS == 0;
    }
    if words.has_conditions {
        is_own &= found.conditions == 0;
    }
    if !is_own {
        return None;
    }
    let Some(row) = NonZeroU32::new(found.row) else { return None };
    let word = if words.ignores_bits { word & words.significant[entry as usize] } else { word };
    Some((row, word | written(image, row)))
}

/// The instruction of the first opcode for which a word is legal, of the leaves from `entry` on.
#[inline(never)]
const fn instruction_from(
    image: &Image<'_>,
    target: Target,
    entry: u32,
    word: Word,
) -> Option<(RowId, Word)> {
    let Some(first) = own_leaf(image, target, entry, word) else { return None };
    let mut at = Some(first);
    while let Some(leaf) = at {
        if let Some((row, word)) = instruction(image, target, leaf, word) {
            return Some((row, word | written(image, row)));
        }
        if !image.words.has_overlaps {
            return None;
        }
        at = following(image, target, first, leaf, word);
    }
    None
}

/// The bits of a row's words that are ignored and written as 1.
#[inline]
#[must_use]
pub const fn written(image: &Image<'_>, row: RowId) -> Word {
    let written = image.words.written;
    if written.is_empty() { 0 } else { written[row.get() as usize] }
}

/// The row of a leaf, and the word with its significant bits only, if the word is legal for it.
#[inline(always)]
const fn instruction(
    image: &Image<'_>,
    target: Target,
    leaf: NonZeroU32,
    word: Word,
) -> Option<(RowId, Word)> {
    let words = &image.words;
    let Some(row) = row_of(image, leaf) else { return None };
    let leaf = leaf.get() as usize;
    // Ignored bits are not in fields, so sums and conditions do not see them.
    if words.lanes > 0 || words.has_conditions {
        let found = &words.leaves[leaf];
        let carries = carries(image, found.sums, word);
        let may_meet = match words.lanes {
            0 => found.conditions != 0,
            _ => carries != 0,
        };
        let is_legal = !may_meet
            || words.has_conditions
                && carries & !HAS_CONDITIONS == 0
                && !meets(image, known(target.set), found.conditions, word);
        if !is_legal {
            return None;
        }
    }
    let word = if words.ignores_bits { word & words.significant[leaf] } else { word };
    Some((row, word))
}

/// The carries of a leaf's sums: one for each field with a reserved value, as far as sums detect it, and
/// [`HAS_CONDITIONS`].
#[inline(always)]
const fn carries(image: &Image<'_>, first: u32, word: Word) -> u64 {
    let words = &image.words;
    let (mut carries, mut lane) = (0, words.lanes as usize);
    // The last first, so that one check of the table's length is enough for all.
    while lane > 0 {
        lane -= 1;
        // If all leaves share their sums, the leaf is not read.
        let first = if words.sums.len() == words.lanes as usize { 0 } else { first as usize };
        let sum = &words.sums[first + lane];
        let part = window(word, words.lane_starts[lane]) & sum.mask;
        carries |= part.wrapping_add(sum.addend) & sum.carry;
    }
    carries
}

/// Whether one of the conditions of a list holds.
#[inline]
#[must_use]
pub const fn meets(image: &Image<'_>, set: KnownSet, first: u32, word: Word) -> bool {
    let words = &image.words;
    let mut index = first as usize;
    loop {
        let condition = &words.conditions[index];
        if is_in(image, index as u32, word) {
            return true;
        }
        index += 1;
        if condition.next != TABLE_FOLLOWS {
            return condition.next == OTHERS_FOLLOW && meets_other(image, set, index, word);
        }
    }
}

/// Whether one of the conditions from `index` on holds; none of them is a truth table.
#[inline(never)]
const fn meets_other(image: &Image<'_>, set: KnownSet, mut index: usize, word: Word) -> bool {
    let words = &image.words;
    loop {
        let condition = &words.conditions[index];
        let first = condition.first as usize;
        let holds = if condition.kind == BY_RANGE {
            let raw = (word >> condition.gather.start) as u64 & condition.gather.mask;
            words.truth[first] <= raw && raw <= words.truth[first + 1]
        } else {
            eval(image, set, condition.first, word) != 0
        };
        if holds || condition.next == NO_MORE {
            return holds;
        }
        index += 1;
    }
}

/// Why a word is not an instruction: the first field, from the lowest bit, with a reserved value, or the first rule.
#[cold]
#[must_use]
pub const fn refusal(image: &Image<'_>, target: Target, word: Word) -> Refusal {
    let Some(row) = find(image, target, word) else {
        return match absent(image, target, word & image.words.mask) {
            Some(row) => Refusal::Absent(row),
            None => Refusal::Unknown,
        };
    };
    let definition = &image.words.rows[row.get() as usize];
    let fields = slice(image.words.fields, definition.fields);
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        let raw = get(image, word, field.lsb, field.width);
        if !is_legal(image, field, raw) {
            return Refusal::Field(row, at);
        }
        at += 1;
    }
    match broken_rule(image, known(target.set), (row, word), false) {
        Some(rule) => Refusal::Rule(row, rule),
        None => Refusal::Unknown,
    }
}

/// The number of the name of a row's field.
#[must_use]
pub const fn field_name(image: &Image<'_>, row: RowId, at: usize) -> Option<u16> {
    let fields = slice(image.words.fields, image.words.rows[row.get() as usize].fields);
    if at < fields.len() { Some(fields[at].name) } else { None }
}

/// The row whose fixed bits a word has, among the rows that the set of extensions does not have.
const fn absent(image: &Image<'_>, target: Target, word: Word) -> Option<RowId> {
    let words = &image.words;
    if words.presence.is_empty() {
        return None;
    }
    let mut entry = candidate(image, target, word);
    while entry != 0 {
        let pattern = &words.patterns[entry as usize];
        if word & pattern.mask == pattern.value && !has_leaf(image, target, entry) {
            return NonZeroU32::new(words.leaves[entry as usize].row);
        }
        entry = words.leaves[entry as usize].next;
    }
    None
}

/// Whether a field's type has a value.
#[must_use]
pub const fn is_legal(image: &Image<'_>, field: &super::image::Field, raw: u64) -> bool {
    let reserved_values = slice(image.words.reserved_values, field.reserved_values);
    let mut at = 0;
    while at < reserved_values.len() {
        if reserved_values[at].0 <= raw && raw <= reserved_values[at].1 {
            return false;
        }
        at += 1;
    }
    raw <= low_bits(field.width as u32)
}

/// The first rule of a row that a word breaks, with or without the rules that only encoders and assemblers follow.
#[must_use]
pub const fn broken_rule(
    image: &Image<'_>,
    set: KnownSet,
    (row, word): (RowId, Word),
    advice: bool,
) -> Option<u16> {
    let rules = slice(image.words.rules, image.words.rows[row.get() as usize].rules);
    let mut at = 0;
    while at < rules.len() {
        let rule = &rules[at];
        if (advice || !rule.is_advice) && eval(image, set, rule.expr, word) != 0 {
            return Some(rule.rule);
        }
        at += 1;
    }
    None
}
