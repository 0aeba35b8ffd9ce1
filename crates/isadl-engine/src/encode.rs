//! From fields to words.

use super::decode::{RowId, broken_rule, is_legal, meets, written};
use super::fields::{get, with};
use super::image::{DEFAULT, FIXED, Field, Image, REQUIRED, Span, slice};
use super::set::{KnownSet, Set, UNKNOWN, known};
use super::target::{is_always, meets as meets_terms};
use super::word::Word;

/// Why an instruction cannot be encoded. Fields are told by the numbers of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The row does not have the field.
    NoSuchField(u16),
    /// The field does not have a default and was not given.
    Missing(u16),
    /// The row fixes the field.
    Fixed(u16),
    /// The value is reserved in the type of the field.
    IllegalValue(u16),
    /// The field shares bits with a field that was given a different value.
    Shared(u16),
    /// A rule forbids the word.
    Rule(u16),
    /// The word belongs to another opcode: the number of its name.
    SpecialCase(u16),
}

/// Whether a word of a row may be encoded: no rule forbids it, and there is a set of extensions in which it does not
/// belong to another opcode. The fields must hold legal values of their types.
#[inline]
pub const fn validate(image: &Image<'_>, row: RowId, word: Word) -> Result<(), Refusal> {
    checked(image, (UNKNOWN, None), row, word)
}

/// The same where the extensions are known: words of opcodes that these lack are words of the row.
#[inline]
pub const fn validate_in(
    image: &Image<'_>,
    set: Set,
    row: RowId,
    word: Word,
) -> Result<(), Refusal> {
    checked(image, (known(set), Some(set)), row, word)
}

#[inline(always)]
const fn checked(
    image: &Image<'_>,
    (extensions, set): (KnownSet, Option<Set>),
    row: RowId,
    word: Word,
) -> Result<(), Refusal> {
    let definition = &image.words.rows[row.get() as usize];
    let is_illegal = definition.conditions != 0
        && meets(image, extensions, definition.conditions, word)
        || definition.advice != 0 && meets(image, extensions, definition.advice, word);
    // INVARIANT: as fields hold values of their types, it is a rule that makes the word illegal.
    if is_illegal {
        if let Some(rule) = broken_rule(image, extensions, (row, word), true) {
            return Err(Refusal::Rule(rule));
        }
    }
    match special_case(image, set, row, word) {
        Some(name) => Err(Refusal::SpecialCase(name)),
        None => Ok(()),
    }
}

/// The same for a word that decodes as the row, of which none of its conditions holds therefore.
#[inline]
pub const fn validate_decoded(
    image: &Image<'_>,
    set: Set,
    row: RowId,
    word: Word,
) -> Result<(), Refusal> {
    let definition = &image.words.rows[row.get() as usize];
    if definition.advice != 0 && meets(image, known(set), definition.advice, word) {
        // INVARIANT: advice is made of rules.
        if let Some(rule) = broken_rule(image, known(set), (row, word), true) {
            return Err(Refusal::Rule(rule));
        }
    }
    match special_case(image, Some(set), row, word) {
        Some(name) => Err(Refusal::SpecialCase(name)),
        None => Ok(()),
    }
}

/// The opcode that takes a word of a row: the number of its name. Without a set of extensions, an opcode that
/// every set with the row has.
#[must_use]
pub const fn special_case(
    image: &Image<'_>,
    set: Option<Set>,
    row: RowId,
    word: Word,
) -> Option<u16> {
    let all = image.words.rows[row.get() as usize].cases;
    let cases = slice(image.words.cases, all);
    let mut at = 0;
    while at < cases.len() {
        if word & cases[at].mask == cases[at].value && has_case(image, set, all, at) {
            return Some(cases[at].name);
        }
        at += 1;
    }
    None
}

/// Whether a set of extensions has one of a row's special cases.
#[inline(always)]
const fn has_case(image: &Image<'_>, set: Option<Set>, cases: Span, at: usize) -> bool {
    let presence = image.words.case_presence;
    match set {
        _ if presence.is_empty() => true,
        Some(set) => meets_terms(image, set, presence[cases.0 as usize + at]),
        None => is_always(image, presence[cases.0 as usize + at]),
    }
}

/// The field of a name.
#[must_use]
pub fn field<'a>(image: &Image<'a>, row: RowId, name: u16) -> Option<&'a Field> {
    let fields = slice(image.words.fields, image.words.rows[row.get() as usize].fields);
    fields.iter().find(|field| field.name == name)
}

/// The bits of a field in a word.
#[inline]
#[must_use]
pub const fn raw(image: &Image<'_>, field: &Field, word: Word) -> u64 {
    get(image, word, field.lsb, field.width)
}

/// The word with other bits of a field.
pub fn with_raw(
    image: &Image<'_>,
    row: RowId,
    word: Word,
    name: u16,
    value: u64,
) -> Result<Word, Refusal> {
    let Some(field) = field(image, row, name) else { return Err(Refusal::NoSuchField(name)) };
    if field.binding == FIXED {
        return Err(Refusal::Fixed(name));
    }
    if !is_legal(image, field, value) {
        return Err(Refusal::IllegalValue(name));
    }
    Ok(with(image, word, field.lsb, field.width, value))
}

/// The bits of a row's words that no field holds.
#[inline]
#[must_use]
pub const fn base(image: &Image<'_>, row: RowId) -> Word {
    image.words.patterns[row.get() as usize].value | written(image, row)
}

/// The word of a row with these bits in its fields; fields with a default may be left out, and so may fields whose bits
/// another field has. A fixed field may be given as it is. Rules are not asked.
pub fn from_values(
    image: &Image<'_>,
    row: RowId,
    values: impl Iterator<Item = (u16, u64)> + Clone,
) -> Result<Word, Refusal> {
    let unknown = values.clone().find(|(name, _)| field(image, row, *name).is_none());
    if let Some((name, _)) = unknown {
        return Err(Refusal::NoSuchField(name));
    }
    let mut word = base(image, row);
    let fields = slice(image.words.fields, image.words.rows[row.get() as usize].fields);
    let given = |of: &Field| values.clone().find(|(name, _)| *name == of.name).map(|(_, raw)| raw);
    for known in fields {
        let is_same = |other: &&Field| (other.lsb, other.width) == (known.lsb, known.width);
        word = match (given(known), known.binding) {
            (None, REQUIRED) => match fields.iter().filter(is_same).any(|of| given(of).is_some()) {
                true => word,
                false => return Err(Refusal::Missing(known.name)),
            },
            (None, DEFAULT) => with(image, word, known.lsb, known.width, known.default),
            (None, _) => word,
            (Some(value), FIXED) if raw(image, known, word) == value => word,
            (Some(value), _) => with_raw(image, row, word, known.name, value)?,
        };
    }
    let differs = |known: &&Field| {
        values.clone().any(|(name, value)| name == known.name && raw(image, known, word) != value)
    };
    match fields.iter().find(differs) {
        Some(known) => Err(Refusal::Shared(known.name)),
        None => Ok(word),
    }
}
