//! The texts that a piece of an instruction can have: all of them with the values that they stand for, or samples where
//! there are very many.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::shapes::{SIGNS, Shape, lead, legal_count, legal_values};
use crate::check::text::readback::values_of;
use crate::isa::{
    Binding, CompositeSegment, Entry, Enumerator, Inst, Isa, Meaning, ModifierSyntax, NameId,
    Opcode, OpcodeId, OperandLocation, OperandSyntax, Type, TypeKind,
};

/// Limit on the samples of a piece.
const MAX_SAMPLES: usize = 512;

/// A text with the values of the fields that it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) raws: Vec<u64>,
}

/// The texts of pieces that are alike.
#[derive(Debug)]
pub(super) struct Kind {
    /// Equal for equals.
    pub(super) number: usize,
    pub(super) texts: Vec<Text>,
    /// Texts that a modifier is read from besides.
    pub(super) others: Vec<Text>,
    /// The places of the texts that are not empty, in alphabetical order.
    pub(super) order: Vec<usize>,
    /// Whether these are all its texts.
    pub(super) is_complete: bool,
    /// Whether no two values share a text.
    pub(super) is_injective: bool,
    /// Whether a text is several numbers, which another opcode may have as several operands.
    pub(super) is_list: bool,
    /// The numbers that its texts are, if these are computed integers and nothing else.
    numbers: Option<Numbers>,
    /// How it is written, word by word, if it is made of fields.
    composed: Option<Shape>,
    /// All texts that are read as its values, for an operand whose texts are all known. Computed on demand.
    listed: OnceCell<Option<Shape>>,
    /// Names that an operand is read from besides, if these are all.
    names: Option<Vec<String>>,
    /// All texts that are read as its values, computed on demand.
    readable: OnceCell<Option<Shape>>,
    /// The possible beginnings of its texts, including texts that are only read.
    leads: HashSet<String>,
    /// The first word of all its texts, if a template begins with a word.
    head: Option<String>,
    /// The first words of all its texts, including texts that are only read, if these are known. Computed on demand.
    heads: OnceCell<Option<HashSet<String>>>,
}

impl Kind {
    /// The first words of all its texts, including texts that are only read, if these are known.
    pub(super) fn heads(&self) -> Option<&HashSet<String>> {
        let all = || match &self.names {
            Some(names) => {
                let texts = self.texts.iter().map(|text| text.text.as_str());
                heads(texts, names)
            }
            None => self.head.clone().map(|head| HashSet::from([head])),
        };
        self.heads.get_or_init(all).as_ref()
    }

    /// The possible beginnings of its texts, including texts that are only read.
    pub(super) fn leads(&self) -> &HashSet<String> {
        &self.leads
    }

    /// Whether a text can belong to both, judging by their beginnings.
    pub(super) fn may_meet(&self, other: &Kind) -> bool {
        !self.leads.is_disjoint(&other.leads)
    }

    /// Whether a printed text can belong to both, judging by their words.
    pub(super) fn may_share(&self, other: &Kind) -> bool {
        match (&self.composed, &other.composed) {
            (Some(own), Some(other)) => own.may_meet(other),
            // Where all texts of both are known they are compared.
            _ if self.is_complete && other.is_complete => true,
            _ => match (self.shape(), other.shape()) {
                (Some(own), Some(other)) => own.may_meet(other),
                _ => true,
            },
        }
    }

    /// Whether the other can be read from a printed text, judging by their words.
    pub(super) fn may_be_read(&self, other: &Kind) -> bool {
        if self.is_complete {
            return true;
        }
        match (self.shape(), other.readable()) {
            (Some(own), Some(other)) => own.may_meet(other),
            (Some(own), None) => other.composed.as_ref().is_none_or(|other| other.may_read(own)),
            (None, _) => true,
        }
    }

    /// Whether the other can be read from one of its texts, judging by their numbers: a computed integer is read from
    /// no other integer.
    pub(super) fn may_be_number_of(&self, at: usize, other: &Kind) -> bool {
        let others = other.numbers.as_ref().filter(|_| other.is_complete);
        match (&self.numbers, others) {
            (Some(own), Some(others)) => others.ascending.binary_search(&own.of_texts[at]).is_ok(),
            _ => true,
        }
    }

    fn shape(&self) -> Option<&Shape> {
        let listed = || {
            let texts = self.texts.iter().map(|text| text.text.as_str());
            if self.is_complete { Shape::of_texts(texts) } else { None }
        };
        self.composed.as_ref().or_else(|| self.listed.get_or_init(listed).as_ref())
    }

    fn readable(&self) -> Option<&Shape> {
        let all = || {
            let names = self.names.as_ref()?.iter();
            let texts = self.texts.iter().map(|text| &text.text);
            Shape::of_texts(texts.chain(names).map(String::as_str))
        };
        self.readable.get_or_init(all).as_ref()
    }

    /// Whether a text may be a number, which may be written in several ways.
    pub(super) fn has_numbers(&self) -> bool {
        ["0", "-0"].iter().any(|lead| self.leads.contains(*lead))
    }
}

/// Integers as 64 bits in two's complement, as which an assembler compares them.
#[derive(Debug)]
struct Numbers {
    of_texts: Vec<u64>,
    ascending: Vec<u64>,
}

/// The source of a kind.
#[derive(Clone, Copy)]
pub(super) enum Source<'s> {
    Modifier(&'s ModifierSyntax),
    Operand(&'s OperandSyntax),
    Control(&'s ModifierSyntax),
}

/// The kinds of an instruction set, each made once.
pub(super) struct Kinds<'i> {
    isa: &'i Isa,
    known: HashMap<Vec<u64>, Rc<Kind>>,
    words: HashMap<String, Rc<Kind>>,
    /// Numbers of types; types that are written alike share a number.
    types: Vec<u64>,
    /// Limit on the texts of a piece that are all listed.
    most: usize,
    /// How many kinds there are.
    count: usize,
}

impl<'i> Kinds<'i> {
    pub(super) fn new(isa: &'i Isa, most: usize) -> Kinds<'i> {
        let (known, words) = (HashMap::new(), HashMap::new());
        Kinds { isa, known, words, types: alike(isa), most, count: 0 }
    }

    /// The kind that consists of a single text.
    pub(super) fn of_text(&mut self, text: &str) -> Rc<Kind> {
        if let Some(kind) = self.words.get(text) {
            return Rc::clone(kind);
        }
        let texts = vec![Text { text: text.to_string(), raws: Vec::new() }];
        let kind = self.made(texts, Vec::new(), (true, HashSet::new()), (None, None), (None, None));
        self.words.insert(text.to_string(), Rc::clone(&kind));
        kind
    }

    /// The kind of a piece of an opcode.
    pub(super) fn of(&mut self, id: OpcodeId, fields: &[NameId], source: Source<'_>) -> Rc<Kind> {
        let key = self.key(id, fields, source);
        if let Some(kind) = self.known.get(&key) {
            return Rc::clone(kind);
        }
        let opcode = self.isa.opcode(id);
        let types: Vec<(&Type, Option<u64>)> = fields
            .iter()
            .filter_map(|name| opcode.field(*name))
            .map(|field| match field.binding {
                Binding::Fixed(raw) => (self.isa.ty(field.ty), Some(raw)),
                _ => (self.isa.ty(field.ty), None),
            })
            .collect();
        let count = types.iter().fold(1u128, |count, (ty, fixed)| {
            count.saturating_mul(if fixed.is_some() { 1 } else { legal_count(ty) })
        });
        let is_complete = count <= self.most as u128;
        let values: Vec<Vec<u64>> = types
            .iter()
            .map(|(ty, fixed)| match fixed {
                Some(raw) => vec![*raw],
                None if is_complete => legal_values(ty),
                None => values_of(self.isa, ty),
            })
            .collect();
        let most = if is_complete { self.most } else { MAX_SAMPLES };
        let texts = combinations(&values, most).into_iter().map(|raws| {
            let word = fields.iter().zip(&raws).fold(opcode.value, |word, (name, raw)| {
                opcode.field(*name).map_or(word, |field| field.insert(word, *raw))
            });
            Text { text: text(self.isa, Inst { opcode: id, word }, source), raws }
        });
        let texts: Vec<Text> = texts.collect();
        let mut leads = HashSet::new();
        types.iter().for_each(|(ty, _)| leads_read(self.isa, ty, &mut leads));
        if let Source::Operand(operand) = source {
            let others = [operand.constants, operand.literal].into_iter().flatten();
            others.for_each(|ty| leads_read(self.isa, self.isa.ty(ty), &mut leads));
        }
        let others = match (source, types.as_slice()) {
            (Source::Modifier(_), [(ty, fixed)]) => other_words(ty)
                .into_iter()
                .filter(|(_, raw)| fixed.is_none_or(|fixed| fixed == *raw))
                .map(|(text, raw)| Text { text, raws: vec![raw] })
                .collect(),
            _ => Vec::new(),
        };
        let names = match source {
            Source::Operand(operand) if is_complete => {
                names_read(self.isa, opcode, operand, &texts)
            }
            _ => None,
        };
        let shape = shape(self.isa, opcode, source);
        let head = head(self.isa, opcode, source);
        let numbers = numbers(self.isa, opcode, source, &texts);
        let kind = self.made(texts, others, (is_complete, leads), (shape, names), (head, numbers));
        self.known.insert(key, Rc::clone(&kind));
        kind
    }

    /// Everything that the texts of a piece depend on, except the location of its fields.
    fn key(&self, id: OpcodeId, fields: &[NameId], source: Source<'_>) -> Vec<u64> {
        let opcode = self.isa.opcode(id);
        let position =
            |name: NameId| fields.iter().position(|field| *field == name).unwrap_or(99) as u64;
        let mut key = Vec::new();
        for field in fields.iter().filter_map(|name| opcode.field(*name)) {
            let (kind, raw) = match field.binding {
                Binding::Fixed(raw) => (1, raw),
                _ => (0, 0),
            };
            key.extend([self.types[field.ty.index()], kind, raw]);
        }
        match source {
            Source::Modifier(_) => key.push(u64::MAX),
            Source::Control(control) => {
                key.extend([u64::MAX - 1, control.field.index() as u64]);
            }
            Source::Operand(operand) => {
                key.push(u64::MAX - 2);
                match operand.place(opcode) {
                    OperandLocation::Field(name) => key.extend([0, position(name)]),
                    OperandLocation::File(file) => key.extend([1, file.index() as u64]),
                    OperandLocation::Indirect { file, base, offset } => {
                        let offset = offset.map_or(u64::MAX, position);
                        key.extend([2, file.index() as u64, position(base), offset]);
                    }
                }
                for mark in &operand.marks {
                    key.extend([3, position(mark.field), mark.symbol as u64]);
                    key.push(mark.extension.map_or(u64::MAX, position));
                    let word = mark.call.as_deref().unwrap_or_default();
                    key.extend(word.bytes().map(u64::from));
                    key.push(u64::MAX);
                }
                for suffix in &operand.suffixes {
                    key.extend([4, position(suffix.field), suffix.absent.map_or(0, |raw| raw + 1)]);
                }
                key.push(operand.format.map_or(u64::MAX, position));
                let types = [operand.constants, operand.literal];
                key.extend(types.map(|ty| ty.map_or(u64::MAX, |ty| self.types[ty.index()])));
                let width = opcode.operands[operand.operand].width;
                key.push(width.map_or(u64::MAX, |width| width.index() as u64));
                // A suffix is left out for values that depend on the opcode's defaults.
                for suffix in &operand.suffixes {
                    let of = suffix.omission.zip(opcode.field(suffix.field));
                    key.push(
                        of.map_or(u64::MAX, |(omission, field)| field.extract(omission.value)),
                    );
                    key.push(of.map_or(0, |(omission, field)| field.extract(omission.mask)));
                }
            }
        }
        key
    }

    fn made(
        &mut self,
        texts: Vec<Text>,
        others: Vec<Text>,
        (is_complete, mut leads): (bool, HashSet<String>),
        (composed, names): (Option<Shape>, Option<Vec<String>>),
        (head, numbers): (Option<String>, Option<Numbers>),
    ) -> Rc<Kind> {
        self.count += 1;
        let fold = |text: Text| Text { text: self.isa.folded(&text.text).into_owned(), ..text };
        let texts: Vec<Text> = texts.into_iter().map(fold).collect();
        let others: Vec<Text> = others.into_iter().map(fold).collect();
        let folded = |name: String| self.isa.folded(&name).into_owned();
        let names: Option<Vec<String>> = names.map(|names| names.into_iter().map(folded).collect());
        let head = head.map(|head| self.isa.folded(&head).into_owned());
        let order = alphabetical(&texts);
        let text = |at: &usize| &texts[*at].text;
        let is_injective = order.windows(2).all(|two| text(&two[0]) != text(&two[1]));
        for at in &order {
            let lead = lead(text(at));
            if !leads.contains(&lead) {
                leads.insert(lead);
            }
        }
        // A number that no sample has may be negative.
        if !is_complete && leads.contains("0") {
            leads.insert("-0".to_string());
        }
        let is_list = texts.iter().any(|text| text.text.contains(", "));
        let number = self.count;
        Rc::new(Kind {
            number,
            is_list,
            texts,
            others,
            order,
            is_complete,
            is_injective,
            numbers,
            composed,
            listed: OnceCell::new(),
            names,
            readable: OnceCell::new(),
            leads,
            head,
            heads: OnceCell::new(),
        })
    }
}

/// The places of the texts that are not empty, in alphabetical order.
pub(super) fn alphabetical(texts: &[Text]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].text.is_empty()).collect();
    order.sort_by(|a, b| texts[*a].text.cmp(&texts[*b].text));
    order
}

/// The field of an operand or modifier without text around it.
fn alone(opcode: &Opcode, source: Source<'_>) -> Option<NameId> {
    match source {
        Source::Operand(operand) => match operand.place(opcode) {
            OperandLocation::Field(name) => {
                (operand.marks.is_empty() && operand.suffixes.is_empty()).then_some(name)
            }
            OperandLocation::File(_) | OperandLocation::Indirect { .. } => None,
        },
        Source::Modifier(modifier) => Some(modifier.field),
        Source::Control(_) => None,
    }
}

/// The syntax of an operand, word by word, if it is composed of fields without text around it.
fn shape(isa: &Isa, opcode: &Opcode, source: Source<'_>) -> Option<Shape> {
    let name = alone(opcode, source)?;
    let TypeKind::Composite(composite) = &isa.ty(opcode.field(name)?.ty).kind else { return None };
    Shape::of(isa, composite)
}

/// The numbers that the texts of an operand are, if these are computed integers and nothing else.
fn numbers(isa: &Isa, opcode: &Opcode, source: Source<'_>, texts: &[Text]) -> Option<Numbers> {
    let Source::Operand(operand) = source else { return None };
    let OperandLocation::Field(name) = operand.place(opcode) else { return None };
    let ty = isa.ty(opcode.field(name)?.ty);
    let TypeKind::Immediate(immediate) = &ty.kind else { return None };
    let computed = immediate.computed.as_ref().filter(|_| immediate.is_integer())?;
    let is_alone = operand.marks.is_empty()
        && operand.suffixes.is_empty()
        && operand.constants.is_none()
        && operand.literal.is_none()
        && operand.format.is_none()
        && ty.otherwise.is_none();
    is_alone.then(|| {
        let of_texts: Vec<u64> = texts.iter().map(|text| computed.number(text.raws[0])).collect();
        let mut ascending = of_texts.clone();
        ascending.sort_unstable();
        Numbers { of_texts, ascending }
    })
}

/// The first words of texts and names, if each is a word that no space follows.
fn heads<'t>(texts: impl Iterator<Item = &'t str>, names: &'t [String]) -> Option<HashSet<String>> {
    let all = texts.chain(names.iter().map(String::as_str)).filter(|text| !text.is_empty());
    all.map(|text| first_word(text).map(str::to_string)).collect()
}

/// The first word of a text. `None` if a space follows the word.
fn first_word(text: &str) -> Option<&str> {
    let end = text.find(|c| SIGNS.contains(c)).unwrap_or(text.len());
    (end > 0 && !text[end..].starts_with(' ')).then(|| &text[..end])
}

/// The word at the start of each text of an operand, if a template begins with a word.
fn head(isa: &Isa, opcode: &Opcode, source: Source<'_>) -> Option<String> {
    let name = alone(opcode, source)?;
    let ty = isa.ty(opcode.field(name)?.ty);
    let TypeKind::Composite(composite) = &ty.kind else { return None };
    // The bit that an operand without fields has is written as nothing.
    let is_plain = opcode.composite_operand(name).is_some_and(|view| view.parts.is_empty());
    let mut pieces =
        composite.format.iter().filter(|of| !is_plain || matches!(of, CompositeSegment::Text(_)));
    let CompositeSegment::Text(text) = pieces.next()? else { return None };
    let is_last = pieces.next().is_none();
    let word = first_word(text).filter(|word| word.len() < text.len() || is_last);
    word.filter(|_| ty.otherwise.is_none()).map(str::to_string)
}

/// The text of a piece of an instruction, without the sign before it.
fn text(isa: &Isa, inst: Inst, source: Source<'_>) -> String {
    match source {
        Source::Operand(operand) => {
            let mut text = String::new();
            isa.append_operand(inst, operand, &mut text);
            text
        }
        // The item records the words that leave it out.
        Source::Modifier(modifier) => {
            let modifier = ModifierSyntax { omission: None, ..modifier.clone() };
            let text = isa.modifier_text(inst, &modifier);
            text.get(1..).unwrap_or_default().to_string()
        }
        Source::Control(control) => {
            let control = ModifierSyntax { omission: None, ..control.clone() };
            isa.control_text(inst, &control).trim_start().to_string()
        }
    }
}

/// A number for each type, equal for types with the same values and texts.
fn alike(isa: &Isa) -> Vec<u64> {
    let mut known: HashMap<String, u64> = HashMap::new();
    let number = |ty: &Type| {
        let next = known.len() as u64;
        *known.entry(signature(isa, ty)).or_insert(next)
    };
    isa.types().iter().map(number).collect()
}

/// Everything that determines how a type is written, as text.
fn signature(isa: &Isa, ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Composite(composite) => {
            let parts = composite.parts.iter();
            let parts =
                parts.map(|part| format!("{} {}", part.bits, signature(isa, isa.ty(part.ty))));
            format!("{} {:?} {:?}", ty.width, composite.format, parts.collect::<Vec<_>>())
        }
        kind => {
            let other = ty.otherwise.as_ref().map(|other| signature(isa, isa.ty(other.ty)));
            format!("{} {kind:?} {other:?}", ty.width)
        }
    }
}

/// Words that are read as values of a type, but not printed. Numbered names contribute the name of the first value.
fn other_words(ty: &Type) -> Vec<(String, u64)> {
    match &ty.kind {
        TypeKind::BitField(values) => {
            let words = |value: &Enumerator| {
                let raw = value.value;
                value.also.iter().map(move |word| (word.clone(), raw)).collect::<Vec<_>>()
            };
            values.iter().flat_map(words).collect()
        }
        TypeKind::Operand(entries) => {
            let words = |entry: &Entry| {
                let raw = entry.value;
                entry.also.iter().map(move |other| (other.at(0), raw)).collect::<Vec<_>>()
            };
            entries.iter().flat_map(words).collect()
        }
        TypeKind::Immediate(_) | TypeKind::Composite(_) => Vec::new(),
    }
}

/// All names that an operand is read from, besides printed texts. `None` if it is also read from other texts, such as
/// numbers and ranges of registers.
fn names_read(
    isa: &Isa,
    opcode: &Opcode,
    operand: &OperandSyntax,
    printed: &[Text],
) -> Option<Vec<String>> {
    let OperandLocation::Field(name) = operand.place(opcode) else { return None };
    let ty = isa.ty(opcode.field(name)?.ty);
    let is_alone = operand.marks.is_empty()
        && operand.suffixes.is_empty()
        && operand.constants.is_none()
        && operand.literal.is_none()
        && ty.otherwise.is_none();
    if !is_alone {
        return None;
    }
    match &ty.kind {
        TypeKind::BitField(values) => {
            Some(values.iter().flat_map(|value| value.also.clone()).collect())
        }
        TypeKind::Operand(entries) => {
            let has_brackets = printed.iter().any(|text| text.text.contains('['));
            let is_name = |entry: &Entry| match &entry.meaning {
                Meaning::Integers { .. } | Meaning::Float(_) | Meaning::Literal => false,
                Meaning::Registers { .. } => !has_brackets,
                _ => true,
            };
            let names = |entry: &Entry| {
                let count = entry.count;
                let names =
                    entry.also.iter().flat_map(move |other| (0..count).map(|at| other.at(at)));
                names.collect::<Vec<_>>()
            };
            entries.iter().all(is_name).then(|| entries.iter().flat_map(names).collect())
        }
        TypeKind::Immediate(_) | TypeKind::Composite(_) => None,
    }
}

/// Adds the beginnings of texts that are read as a value of a type but perhaps not written: numbers with several
/// spellings, and numbers of named values.
fn leads_read(isa: &Isa, ty: &Type, leads: &mut HashSet<String>) {
    match &ty.kind {
        TypeKind::Composite(composite) => {
            for piece in composite.first() {
                if let CompositeSegment::Part(part) | CompositeSegment::Next(part, _) = piece {
                    leads_read(isa, isa.ty(composite.parts[*part].ty), leads);
                }
            }
        }
        TypeKind::Immediate(_) => leads.extend(["0", "-0"].map(str::to_string)),
        TypeKind::BitField(_) | TypeKind::Operand(_) => {}
    }
    leads.extend(other_words(ty).iter().map(|(text, _)| lead(text)));
    let Some(other) = ty.otherwise.as_ref().map(|other| isa.ty(other.ty)) else { return };
    leads.extend(values_of(isa, other).into_iter().map(|raw| lead(&isa.value_text(other, raw))));
    leads_read(isa, other, leads);
}

/// All combinations of values, varying the last field fastest; at most `most`.
fn combinations(values: &[Vec<u64>], most: usize) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for list in values {
        let longer = all.iter().flat_map(|start: &Vec<u64>| {
            list.iter().map(move |raw| start.iter().copied().chain([*raw]).collect())
        });
        all = longer.take(most).collect();
    }
    all
}

/// The bits of a field, the highest first.
pub(super) fn bits_of(opcode: &Opcode, name: NameId) -> Vec<u32> {
    let Some(field) = opcode.field(name) else { return Vec::new() };
    (0..field.width()).rev().map(|bit| field.insert(0, 1 << bit).trailing_zeros()).collect()
}
