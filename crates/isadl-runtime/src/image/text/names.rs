//! The tables that the parser searches by name: mnemonics, spellings of modifiers, first words of
//! operands.
//!
//! Invariant: the engine looks up a name by the same [`Key`] that orders it here.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use isadl_engine::image::Span;
use isadl_engine::image_lines::{
    ControlText, FirstWord, KIND_BITS, Key, MAX_KINDS, Mnemonic, Names, Sequences,
};
use isadl_engine::key::sequence_hash;

use super::super::columns::Column;
use super::super::pool::Pool;
use super::super::rows::Rows;
use super::super::shared::Slices;
use super::expected_syntax::ExpectedSyntax;
use super::values::Values;
use crate::isa::{Inst, Isa, ModifierSyntax, TypeId, TypeKind};

/// Limit on sequences of kinds, so that their table stays small compared with others.
const MAX_SEQUENCES: usize = 1 << 16;

/// Mnemonics and sequences are numbered together in 64 bits.
const MAX_MNEMONICS: usize = 1 << (64 - MAX_KINDS * KIND_BITS as usize);

/// [`Names`] with their tables.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct OwnedNames<R> {
    shift: u32,
    slots: Vec<u32>,
    rows: Vec<(Key, u32, R)>,
}

impl<R> OwnedNames<R> {
    fn of(pool: &mut Pool, names: impl IntoIterator<Item = (String, R)>) -> OwnedNames<R> {
        let row = |(name, found): (String, R)| (Key::of(name.as_bytes()), pool.add(&name), found);
        let rows: Vec<(Key, u32, R)> = names.into_iter().map(row).collect();
        let (shift, slots) = slots(rows.iter().map(|(key, ..)| key.hash()).collect());
        OwnedNames { shift, slots, rows }
    }
}

impl<R> Column for OwnedNames<R> {
    type View<'a>
        = Names<'a, R>
    where
        R: 'a;

    fn view(&self) -> Names<'_, R> {
        Names { shift: self.shift, slots: &self.slots, rows: &self.rows }
    }
}

/// [`Sequences`] with their tables.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct OwnedSequences {
    shift: u32,
    slots: Vec<u32>,
    rows: Vec<(u64, Span)>,
}

impl Column for OwnedSequences {
    type View<'a> = Sequences<'a>;

    fn view(&self) -> Sequences<'_> {
        Sequences { shift: self.shift, slots: &self.slots, rows: &self.rows }
    }
}

/// The mnemonics of an instruction set and the rows that they may be.
pub(super) struct Mnemonics {
    pub(super) names: OwnedNames<Mnemonic>,
    pub(super) candidates: Vec<u32>,
    pub(super) sequences: OwnedSequences,
    /// The largest number of dots in a mnemonic.
    pub(super) most_dots: usize,
}

/// The rows of a mnemonic, each with the sequences of kinds of its operands, if these determine whether it fits.
type Candidates = Vec<(u32, Option<Vec<u64>>)>;

impl Mnemonics {
    pub(super) fn of(rows: &Rows<'_>, forms: &ExpectedSyntax, values: &mut Values) -> Mnemonics {
        let mut known = candidates(rows, forms, values);
        limit(&mut known);
        let mut candidates = Slices::default();
        let mut names = Vec::new();
        let mut sequences = Vec::new();
        for (number, (name, rows)) in known.iter().enumerate() {
            let all = candidates.add(rows.iter().map(|(row, _)| *row).collect());
            let untold = candidates.add(fitting(rows, None));
            let told: BTreeSet<u64> =
                rows.iter().filter_map(|(_, told)| told.as_ref()).flatten().copied().collect();
            sequences.extend(told.into_iter().map(|sequence| {
                let key = (number as u64) << (MAX_KINDS as u32 * KIND_BITS) | sequence;
                (key, candidates.add(fitting(rows, Some(sequence))))
            }));
            let dots = most_dots(&known, name) as u32;
            names.push((name.to_string(), Mnemonic { number: number as u32, dots, all, untold }));
        }
        let (shift, slots) = slots(sequences.iter().map(|(key, _)| sequence_hash(*key)).collect());
        Mnemonics {
            names: OwnedNames::of(&mut values.pool, names),
            candidates: candidates.into_rows(),
            sequences: OwnedSequences { shift, slots, rows: sequences },
            most_dots: known.keys().map(|name| dots(name)).max().unwrap_or(0),
        }
    }
}

/// The rows of each mnemonic, the lowest rank first. The text before the first dot is also an entry; it tells how many
/// dots can follow.
fn candidates<'i>(
    rows: &Rows<'_>,
    forms: &'i ExpectedSyntax,
    values: &Values,
) -> BTreeMap<Cow<'i, str>, Candidates> {
    let kinds = forms.classes.kinds();
    let mut known: BTreeMap<Cow<'i, str>, Candidates> = BTreeMap::new();
    let told: Vec<Option<Vec<u64>>> = forms
        .forms
        .list()
        .iter()
        .map(|form| match form.is_simple {
            true => kinds.sequences(&forms.classes, &forms.operands_of(values, form)),
            false => None,
        })
        .collect();
    let ranks: BTreeMap<u32, _> = rows.texts().map(|(row, text)| (row, text.rank())).collect();
    for (row, mnemonic) in &forms.mnemonics {
        let form = forms.rows[*row as usize].form;
        let rows = known.entry(rows.isa.folded(&mnemonic.text)).or_default();
        let is_known = |(last, _): &(u32, _)| {
            let text = forms.text(*last);
            text == forms.text(*row) && forms.rows[*last as usize] == forms.rows[*row as usize]
        };
        if !rows.last().is_some_and(is_known) {
            rows.push((*row, told[form as usize].clone()));
        }
    }
    for rows in known.values_mut() {
        rows.sort_by_key(|(row, _)| ranks[&forms.text(*row)]);
    }
    let heads = known.keys().filter_map(|name| Some(name.split('.').next()?.to_string()));
    for head in heads.collect::<Vec<String>>() {
        known.entry(head.into()).or_default();
    }
    known
}

/// Leaves all sequences out if they are too many.
fn limit(known: &mut BTreeMap<Cow<'_, str>, Candidates>) {
    let sequences = |rows: &Candidates| {
        rows.iter().filter_map(|(_, told)| told.as_ref()).map(Vec::len).sum::<usize>()
    };
    let count = known.values().map(sequences).sum::<usize>();
    if count > MAX_SEQUENCES || known.len() > MAX_MNEMONICS {
        for (_, told) in known.values_mut().flatten() {
            *told = None;
        }
    }
}

/// The rows of a mnemonic that fit operands of a sequence of kinds. `None` stands for a sequence that no row is known
/// to have.
fn fitting(rows: &Candidates, sequence: Option<u64>) -> Vec<u32> {
    let may_fit = |told: &Option<Vec<u64>>| match (told, sequence) {
        (None, _) => true,
        (Some(told), Some(sequence)) => told.contains(&sequence),
        (Some(_), None) => false,
    };
    rows.iter().filter(|(_, told)| may_fit(told)).map(|(row, _)| *row).collect()
}

fn dots(name: &str) -> usize {
    name.matches('.').count()
}

/// The largest number of dots in the mnemonics that equal a name, or begin with it and a dot.
fn most_dots(known: &BTreeMap<Cow<'_, str>, Candidates>, name: &str) -> usize {
    let with_name = known.range(Cow::Borrowed(name)..).map(|(other, _)| other.as_ref());
    let with_name = with_name.map_while(|other| other.strip_prefix(name));
    let longer = with_name.filter(|rest| rest.is_empty() || rest.starts_with('.'));
    dots(name) + longer.map(dots).max().unwrap_or(0)
}

/// Spellings of modifiers, and the types that have them with their values.
pub(super) fn spellings(isa: &Isa, values: &mut Values) -> (OwnedNames<Span>, Vec<(u32, u64)>) {
    let mut spellings: BTreeMap<Cow<'_, str>, Vec<(u32, u64)>> = BTreeMap::new();
    for (number, id) in values.ids.iter().enumerate() {
        let TypeKind::BitField(list) = &isa.ty(*id).kind else { continue };
        let others = list.iter().flat_map(|value| value.also.iter().map(move |text| (text, value)));
        let printed = list.iter().map(|value| (&value.spelling, value));
        for (text, value) in printed.chain(others).filter(|(text, _)| !text.is_empty()) {
            let meanings = spellings.entry(isa.folded(text)).or_default();
            if meanings.iter().all(|(ty, _)| *ty != number as u32) {
                meanings.push((number as u32, value.value));
            }
        }
    }
    let mut meanings = Slices::default();
    let spelled = spellings.into_iter().map(|(name, list)| (name.to_string(), meanings.add(list)));
    let names = OwnedNames::of(&mut values.pool, spelled);
    (names, meanings.into_rows())
}

/// Limit on the bits of control fields whose texts are known.
const MAX_CONTROL_BITS: u32 = 8;

/// Printed control fields with their values. Only fields of few bits, and only texts with a single meaning.
pub(super) fn control_texts(rows: &Rows<'_>, values: &mut Values) -> OwnedNames<ControlText> {
    let isa = rows.isa;
    let mut seen = BTreeSet::new();
    let mut texts: BTreeMap<String, Option<ControlText>> = BTreeMap::new();
    for id in &rows.ids {
        let opcode = isa.opcode(*id);
        for control in &opcode.syntax.controls {
            let field =
                opcode.field(control.field).filter(|field| field.width() <= MAX_CONTROL_BITS);
            let Some(field) = field.filter(|field| seen.insert((field.name, field.ty))) else {
                continue;
            };
            let (name, ty) = (values.pool.add(isa.name_of(field.name)), values.ty(isa, field.ty));
            // Omitted text can also be written; it must not mean anything else then.
            let control = ModifierSyntax { omission: None, ..control.clone() };
            for raw in (0..1 << field.width()).filter(|raw| has_text(isa, field.ty, *raw)) {
                let word = field.insert(opcode.value, raw);
                let text = isa.control_text(Inst { opcode: *id, word }, &control);
                let Some(text) = text.strip_prefix(" $") else { continue };
                let found = Some(ControlText(name, ty, raw));
                let known = texts.entry(isa.folded(text).into_owned()).or_insert(found);
                *known = known.filter(|known| Some(*known) == found);
            }
        }
    }
    // A text ends before the first blank.
    let is_word = |text: &String| !text.contains(|c: char| c.is_ascii_whitespace());
    let texts = texts.into_iter().filter(|(text, _)| is_word(text));
    let texts: Vec<_> = texts.filter_map(|(text, found)| Some((text, found?))).collect();
    OwnedNames::of(&mut values.pool, texts)
}

/// Whether a value of a type is written in full.
fn has_text(isa: &Isa, ty: TypeId, raw: u64) -> bool {
    let ty = isa.ty(ty);
    let TypeKind::Composite(composite) = &ty.kind else { return ty.is_legal(raw) };
    composite.parts.iter().all(|part| has_text(isa, part.ty, part.bits.extract(raw.into())))
}

/// The first words of operands, numbered in order, and the same facts for each single letter.
pub(super) fn first_words(
    isa: &Isa,
    forms: &ExpectedSyntax,
    pool: &mut Pool,
) -> (OwnedNames<FirstWord>, Vec<FirstWord>) {
    let kinds = forms.classes.kinds();
    let mut letters = vec![FirstWord::UNKNOWN; 128];
    let words = forms.classes.names.iter().enumerate().map(|(number, (name, classes))| {
        let word = FirstWord(number as u32, kinds.of(*classes), *classes);
        if let [letter] = name.as_bytes() {
            letters[usize::from(letter & 127)] = word;
            if isa.folds_case() {
                letters[usize::from(letter.to_ascii_uppercase() & 127)] = word;
            }
        }
        (name.clone(), word)
    });
    let names = OwnedNames::of(pool, words);
    (names, letters)
}

/// Hash slots for entries, and the shift that maps a hash to a slot. An entry whose slot is taken goes to a later slot,
/// and the last slot is free.
fn slots(hashes: Vec<u64>) -> (u32, Vec<u32>) {
    let bits = (hashes.len() * 2).next_power_of_two().trailing_zeros().max(1);
    let shift = 64 - bits;
    let mut slots: Vec<u32> = vec![0; 1 << bits];
    for (index, hash) in hashes.iter().enumerate() {
        let mut at = (hash >> shift) as usize;
        while slots.get(at).is_some_and(|slot| *slot != 0) {
            at += 1;
        }
        if at == slots.len() {
            slots.push(0);
        }
        slots[at] = index as u32 + 1;
    }
    slots.push(0);
    (shift, slots)
}
