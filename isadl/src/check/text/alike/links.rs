//! Links values of two pieces that share a text, or where one is read from the other's text.

use std::collections::HashMap;
use std::rc::Rc;

use super::alias_forms::AliasForms;
use super::items::{Item, Role};
use super::kinds::{Kind, Text, alphabetical};
use super::reading::{self, Unfaithful, UnfaithfulValues};
use crate::engine::{Engine, OperandReader, TextOf};
use crate::isa::{Computed, Field, Isa, NameId, Opcode, OpcodeId, TypeKind};

/// Limit on combinations of the fields that determine an operand's syntax; each is tried.
const MAX_CONTEXTS: u128 = 256;

/// Limit on pairs of values with one text; each is tried.
const MAX_PAIRS: usize = 1 << 14;

/// How texts of one piece can be texts of another.
#[derive(Debug)]
pub(super) enum Link {
    /// The same values have the same texts, and no others do.
    Same,
    /// These do.
    Some {
        /// Values of the fields of each.
        pairs: Vec<[Rc<[u64]>; 2]>,
        /// Whether there are no others.
        is_complete: bool,
    },
}

impl Link {
    /// Whether there may be such texts.
    pub(super) fn may_hold(&self) -> bool {
        match self {
            Link::Same => true,
            Link::Some { pairs, is_complete } => !is_complete || !pairs.is_empty(),
        }
    }
}

/// Finds links, each once.
pub(super) struct Linker<'i> {
    engine: &'i Engine<'i>,
    forms: &'i AliasForms<'i>,
    printed: HashMap<[usize; 2], Rc<Link>>,
    read: HashMap<[usize; 2], Rc<Link>>,
    unfaithful: UnfaithfulValues,
    mapped: HashMap<usize, Rc<Link>>,
}

impl<'i> Linker<'i> {
    pub(super) fn new(engine: &'i Engine<'i>, forms: &'i AliasForms<'i>) -> Linker<'i> {
        let (printed, read, mapped) = Default::default();
        Linker { engine, forms, printed, read, unfaithful: UnfaithfulValues::new(), mapped }
    }

    /// The pairs of values that are printed alike.
    pub(super) fn printed(&mut self, a: &Kind, b: &Kind) -> Rc<Link> {
        if a.number == b.number && a.is_injective {
            return Rc::new(Link::Same);
        }
        let found = self.printed.entry([a.number, b.number]);
        Rc::clone(found.or_insert_with(|| Rc::new(printed(a, b, false))))
    }

    /// The values of a piece of the opcode `id` that are read from texts of another piece.
    pub(super) fn read(&mut self, a: &Kind, id: OpcodeId, b: &Item) -> Rc<Link> {
        if !b.is_parsed() {
            if b.kind.others.is_empty() || a.number == b.kind.number {
                return self.printed(a, &b.kind);
            }
            let found = self.read.entry([a.number, b.kind.number]);
            return Rc::clone(found.or_insert_with(|| Rc::new(printed(a, &b.kind, true))));
        }
        if a.number == b.kind.number && a.is_injective {
            return Rc::new(Link::Same);
        }
        if !a.may_meet(&b.kind) || !a.may_be_read(&b.kind) {
            return Rc::new(Link::Some { pairs: Vec::new(), is_complete: true });
        }
        let texts = (self.engine, self.forms);
        let found = self.read.entry([a.number, b.kind.number]);
        Rc::clone(found.or_insert_with(|| Rc::new(read(texts, a, id, b))))
    }

    /// The values of an item that are read from its own texts, where these are others; all of its texts.
    pub(super) fn mapped(&mut self, id: OpcodeId, item: &Item) -> Rc<Link> {
        let number = item.kind.number;
        if let Some(known) = self.mapped.get(&number) {
            return Rc::clone(known);
        }
        let unfaithful = self.unfaithful(id, item);
        let found = Rc::new(mapped(item, &unfaithful));
        self.mapped.insert(number, Rc::clone(&found));
        found
    }

    /// The values of an item that share a text.
    pub(super) fn chosen(item: &Item) -> Rc<Link> {
        let kind = &item.kind;
        let mut pairs = Vec::new();
        let text = |at: &usize| kind.texts[*at].text.as_str();
        for group in kind.order.chunk_by(|a, b| text(a) == text(b)) {
            let all: Vec<Rc<[u64]>> =
                group.iter().map(|at| kind.texts[*at].raws.as_slice().into()).collect();
            if pairs.len() + all.len() * all.len() > MAX_PAIRS {
                return Rc::new(Link::Some { pairs, is_complete: false });
            }
            let of = |own: &Rc<[u64]>| {
                all.iter().map(|read| [Rc::clone(own), Rc::clone(read)]).collect::<Vec<_>>()
            };
            pairs.extend(all.iter().flat_map(of));
        }
        Rc::new(Link::Some { pairs, is_complete: kind.is_complete })
    }

    /// The texts of an item that are not read as they are meant.
    pub(super) fn unfaithful(&mut self, id: OpcodeId, item: &Item) -> Rc<Unfaithful> {
        if let Some(known) = self.unfaithful.get(&item.kind.number) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.unfaithful_after(id, item, 0));
        self.unfaithful.insert(item.kind.number, Rc::clone(&found));
        found
    }

    /// Like `unfaithful`, where some bits are known from earlier text.
    pub(super) fn unfaithful_after(&self, id: OpcodeId, item: &Item, known: u128) -> Unfaithful {
        let (opcode, form) = (self.forms.isa().opcode(id), self.forms.text(id));
        let Some(mut reader) = reader(self.engine, form, item) else {
            return Unfaithful::default();
        };
        let (blank, fields) = (self.engine.blank(form), fields(opcode, item));
        reading::examine(&item.kind, |raws: &[u64], text: &str, read: &mut Vec<u64>| {
            // Fields of other items are known before it is read.
            let others = fields.iter().zip(raws).skip(item.own);
            let word = others.fold(blank, |word, (field, raw)| field.insert(word, *raw));
            let word = match known {
                0 => word,
                _ => word & !known | item.word(opcode, raws).value & known,
            };
            let read_word = reader.read(word, text).filter(|_| is_closed(text));
            let Some(word) = read_word else { return false };
            read.extend(fields.iter().map(|field| field.extract(word)));
            true
        })
    }
}

/// The values that are read from the texts of an item.
fn mapped(item: &Item, unfaithful: &Unfaithful) -> Link {
    if unfaithful.moved.is_empty() {
        return Link::Same;
    }
    let moved: HashMap<&[u64], &[Rc<[u64]>; 2]> =
        unfaithful.moved.iter().map(|moved| (&*moved[0], moved)).collect();
    let texts = item.kind.texts.iter().filter(|text| !text.text.is_empty());
    let pairs = texts.map(|text| match moved.get(text.raws.as_slice()) {
        Some(moved) => (*moved).clone(),
        None => {
            let own: Rc<[u64]> = text.raws.as_slice().into();
            [Rc::clone(&own), own]
        }
    });
    Link::Some { pairs: pairs.collect(), is_complete: item.kind.is_complete }
}

/// The pairs of values with the same text. `is_read` says whether the text of `b` can be a text that is only read.
fn printed(a: &Kind, b: &Kind, is_read: bool) -> Link {
    if !a.may_meet(b) || !is_read && !a.may_share(b) {
        return Link::Some { pairs: Vec::new(), is_complete: true };
    }
    let mut found = common(a, (&b.texts, &b.order));
    if is_read {
        let read = common(a, (&b.others, &alphabetical(&b.others)));
        found.extend(read.into_iter().map(|[own, other]| [own, b.texts.len() + other]));
    }
    found.sort_unstable();
    let texts: Vec<&Text> = b.texts.iter().chain(&b.others).collect();
    let raws = |text: &Text| -> Rc<[u64]> { text.raws.as_slice().into() };
    let pairs = found.into_iter().map(|[own, other]| [raws(&a.texts[own]), raws(texts[other])]);
    Link::Some { pairs: pairs.collect(), is_complete: a.is_complete && b.is_complete }
}

/// Finds the positions of texts of a piece that are also in a list; `order` gives the alphabetical order of the list.
fn common(a: &Kind, (list, order): (&[Text], &[usize])) -> Vec<[usize; 2]> {
    let mut found = Vec::new();
    let mut rest = order;
    for own in &a.order {
        let text = &a.texts[*own].text;
        let before = rest.iter().take_while(|at| list[**at].text < *text).count();
        rest = &rest[before..];
        let same = rest.iter().take_while(|at| list[**at].text == *text);
        found.extend(same.map(|other| [*own, *other]));
    }
    found
}

/// Whether all brackets of a text are closed. A comma behind it is within them otherwise, and does not end it.
fn is_closed(text: &str) -> bool {
    let depth = text.bytes().fold(0u32, |depth, byte| match byte {
        b'[' | b'(' | b'{' => depth + 1,
        b']' | b')' | b'}' => depth.saturating_sub(1),
        _ => depth,
    });
    depth == 0
}

/// Reads an item of a form; `None` if it is found by its text.
fn reader<'e>(engine: &'e Engine<'e>, text: TextOf, item: &Item) -> Option<OperandReader<'e>> {
    match (item.role, item.made) {
        (Role::Operand(number), _) => Some(OperandReader::new(engine, text, number)),
        (_, number) => Some(OperandReader::of_modifier(engine, text, number?)),
    }
}

fn read(
    (engine, forms): (&Engine<'_>, &AliasForms<'_>),
    a: &Kind,
    id: OpcodeId,
    item: &Item,
) -> Link {
    let (opcode, text_of) = (forms.isa().opcode(id), forms.text(id));
    let blank = engine.blank(text_of);
    let contexts = contexts((forms.isa(), blank), opcode, &item.fields[item.own..]);
    let computed = computed(forms.isa(), opcode, item);
    let fields = fields(opcode, item);
    let mut pairs = Vec::new();
    let Some(mut reader) = reader(engine, text_of, item) else {
        return Link::Some { pairs, is_complete: false };
    };
    for (at, text) in a.texts.iter().enumerate().filter(|(_, text)| !text.text.is_empty()) {
        if !a.may_be_number_of(at, &item.kind) {
            continue;
        }
        for word in contexts.iter().flatten() {
            let Some(word) = reader.read(*word, &text.text) else { continue };
            let raws = fields.iter().map(|field| field.extract(word)).collect();
            let own: Rc<[u64]> = text.raws.as_slice().into();
            let read = encodings(computed, raws).into_iter();
            pairs.extend(read.map(|raws| [Rc::clone(&own), raws.into()]));
        }
    }
    // The computation of numbers can depend on the fields that determine their syntax.
    let is_known = computed.is_none() || item.fields.len() == item.own;
    Link::Some { pairs, is_complete: a.is_complete && contexts.is_some() && is_known }
}

/// The computation of a numeric operand, if its number is computed.
fn computed<'i>(isa: &'i Isa, opcode: &Opcode, item: &Item) -> Option<&'i Computed> {
    let field = item.fields[..item.own].first().and_then(|name| opcode.field(*name))?;
    match &isa.ty(field.ty).kind {
        TypeKind::Immediate(immediate) => immediate.computed.as_deref(),
        _ => None,
    }
}

/// All values that an operand with these values can be read as. An assembler takes the encoding of a computed number
/// that agrees with earlier operands, or another encoding if the first is illegal.
fn encodings(computed: Option<&Computed>, raws: Vec<u64>) -> Vec<Vec<u64>> {
    let Some((computed, first)) = computed.zip(raws.first()) else { return vec![raws] };
    let all = computed.all_of(computed.number(*first));
    all.map(|raw| [&[raw], &raws[1..]].concat()).collect()
}

/// The fields of an item that an opcode has.
fn fields<'o>(opcode: &'o Opcode, item: &Item) -> Vec<&'o Field> {
    item.fields.iter().filter_map(|name| opcode.field(*name)).collect()
}

/// The words with all values of some fields; `None` if they are too many.
fn contexts((isa, blank): (&Isa, u128), opcode: &Opcode, names: &[NameId]) -> Option<Vec<u128>> {
    let mut words = vec![blank];
    for field in names.iter().filter_map(|name| opcode.field(*name)) {
        let ty = isa.ty(field.ty);
        if field.mask() & !opcode.mask == 0 {
            continue;
        }
        if (words.len() as u128) << field.width() > MAX_CONTEXTS {
            return None;
        }
        let values = (0..1u64 << field.width()).filter(|raw| ty.is_legal(*raw));
        let longer = values.flat_map(|raw| words.iter().map(move |word| field.insert(*word, raw)));
        words = longer.collect();
    }
    Some(words)
}
