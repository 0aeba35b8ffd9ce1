//! How the values of types are written: names, numbers, composites.

use std::collections::{BTreeMap, BTreeSet};

use isadl_engine::image::{FieldPiece, Span};
use isadl_engine::image_text::{
    AGAIN, BINARY, BITS, DECIMAL, ENTRY_FLOAT, ENTRY_INTEGERS, ENTRY_NAME, ENTRY_OTHERS, ENTRY_RUN,
    Entry, Format, NUMBER_FLOAT, NUMBER_SIGNED, NUMBER_UNSIGNED, Notation, OPTIONAL, SegmentRow,
    TYPE_COMPOSITE, TYPE_NAMES, TYPE_NUMBER, Type,
};
use isadl_engine::number::parse_float;

use super::super::pool::Pool;
use super::super::rows::{computed_number, field_pieces};
use super::super::shared::{Shared, Slices};
use crate::isa::{
    self, Composite, Immediate, Isa, Meaning, Number, NumberFormat, OtherName, Print, TypeId,
    TypeKind, low_bits,
};

/// Types and their component types, each once.
pub(super) struct Values {
    pub(super) pool: Pool,
    pub(super) types: Vec<Type>,
    /// The types, in the order of their rows.
    pub(super) ids: Vec<TypeId>,
    /// Their numbers, by the set of names that they are printed by.
    numbers: BTreeMap<(TypeId, usize), u32>,
    /// The stem of an entry is set when all stems are known.
    pub(super) entries: Vec<Entry>,
    pub(super) pieces: Vec<SegmentRow>,
    pub(super) part_pieces: Slices<FieldPiece>,
    pub(super) formats: Shared<Format>,
    /// Empty unless some numbers have a notation. The first entry then applies to all other numbers.
    pub(super) notations: Shared<Notation>,
    pub(super) format_of: Vec<u32>,
    selections: BTreeMap<(TypeId, Option<TypeId>), u32>,
    /// Constants by the types of operands and of their literals.
    constants: BTreeMap<(TypeId, TypeId), Vec<(u64, u64)>>,
    /// The relocations of types.
    relocations: BTreeMap<TypeId, Span>,
}

impl Values {
    pub(super) fn new(relocations: BTreeMap<TypeId, Span>) -> Values {
        Values {
            pool: Pool::new(),
            types: Vec::new(),
            ids: Vec::new(),
            numbers: BTreeMap::new(),
            entries: Vec::new(),
            pieces: Vec::new(),
            part_pieces: Slices::default(),
            formats: Shared::default(),
            notations: Shared::default(),
            format_of: Vec::new(),
            selections: BTreeMap::new(),
            constants: BTreeMap::new(),
            relocations,
        }
    }

    /// As [`literal_constants`].
    pub(super) fn constants(&mut self, isa: &Isa, types: (TypeId, TypeId)) -> Vec<(u64, u64)> {
        let make = || literal_constants(isa, types.0, types.1);
        self.constants.entry(types).or_insert_with(make).clone()
    }

    /// The number of a type.
    pub(super) fn ty(&mut self, isa: &Isa, id: TypeId) -> u32 {
        let definition = isa.ty(id);
        let set = if definition.has_other_names() { isa.shown_names() } else { 0 };
        if let Some(number) = self.numbers.get(&(id, set)) {
            return *number;
        }
        let other = definition.otherwise.as_ref().map(|other| self.ty(isa, other.ty));
        let others = other.map(|ty| Entry { count: 0, ..self.entry(ENTRY_OTHERS, "", ty.into()) });
        let (kind, list) = match &definition.kind {
            TypeKind::BitField(values) => {
                let first = self.entries.len();
                for value in values.iter().filter(|value| !value.spelling.is_empty()) {
                    let entry = self.entry(ENTRY_NAME, isa.spelling(value), value.value);
                    self.entries.push(entry);
                }
                // The first entry of a value is printed; only the types of the first set of names are read.
                for value in values.iter().filter(|_| set == 0) {
                    for other in &value.also {
                        let entry = self.entry(ENTRY_NAME, other, value.value);
                        self.entries.push(entry);
                    }
                }
                self.entries.extend(others);
                (TYPE_NAMES, (first, self.entries.len() - first))
            }
            TypeKind::Operand(entries) => {
                let first = self.entries.len();
                for entry in entries {
                    let entry = match isa.shown_name(entry) {
                        Some(other) => self.renamed(isa, entry, other),
                        None => self.meaning(isa, entry),
                    };
                    self.entries.push(entry);
                }
                for entry in entries.iter().filter(|_| set == 0) {
                    for other in &entry.also {
                        let entry = self.renamed(isa, entry, other);
                        self.entries.push(entry);
                    }
                }
                self.entries.extend(others);
                (TYPE_NAMES, (first, self.entries.len() - first))
            }
            TypeKind::Immediate(_) => (TYPE_NUMBER, (self.selection(isa, id, None) as usize, 1)),
            TypeKind::Composite(composite) => {
                let mut pieces = Vec::new();
                self.add_pieces(
                    isa,
                    composite,
                    &composite.format,
                    &mut BTreeSet::new(),
                    &mut pieces,
                );
                let first = self.pieces.len();
                self.pieces.extend(&pieces);
                (TYPE_COMPOSITE, (first, pieces.len()))
            }
        };
        let name = self.pool.add(&definition.name);
        let (first, count) = list;
        let number = self.types.len() as u32;
        let list = (first as u32, count as u32);
        self.types.push(Type { name, kind, list, width: definition.width as u8 });
        self.ids.push(id);
        self.numbers.insert((id, set), number);
        number
    }

    /// Adds pieces of a composite; `known` are the parts that pieces before them give.
    fn add_pieces(
        &mut self,
        isa: &Isa,
        composite: &Composite,
        pieces: &[isa::CompositeSegment],
        known: &mut BTreeSet<usize>,
        rows: &mut Vec<SegmentRow>,
    ) {
        for piece in pieces {
            let (part, later) = match piece {
                // Blanks are for readers; a text of nothing else is not looked for.
                isa::CompositeSegment::Text(text) if text.trim().is_empty() => continue,
                isa::CompositeSegment::Text(text) => {
                    let row = |text| SegmentRow(self.pool.add(text), 0, 0, (0, 0), 0, 0, 0);
                    rows.extend(without_blanks(text).into_iter().map(row));
                    continue;
                }
                isa::CompositeSegment::Optional { pieces, absent } => {
                    let at = rows.len();
                    // Text that is only sometimes written does not determine the part afterwards.
                    let (_, mut bits) = composite.omission(absent);
                    for part in absent.iter().filter(|(part, _)| known.contains(part)) {
                        bits &= !(composite.parts[part.0].bits.mask() as u64);
                    }
                    self.add_pieces(isa, composite, pieces, known, rows);
                    let count = (rows.len() - at) as u8;
                    rows.insert(at, SegmentRow(0, 0, 0, (0, 0), OPTIONAL, count, bits));
                    continue;
                }
                // Other pieces are read where they are also written.
                isa::CompositeSegment::Otherwise { pieces, .. } => {
                    if let [isa::CompositeSegment::Text(_)] = pieces.as_slice() {
                        let at = rows.len();
                        self.add_pieces(isa, composite, pieces, known, rows);
                        let count = (rows.len() - at) as u8;
                        rows.insert(at, SegmentRow(0, 0, 0, (0, 0), OPTIONAL, count, 0));
                    }
                    continue;
                }
                isa::CompositeSegment::Part(part) => (*part, 0),
                isa::CompositeSegment::Next(part, by) => (*part, *by as u8),
            };
            let kind = if known.insert(part) { 0 } else { AGAIN };
            let part = &composite.parts[part];
            let pieces = match part.bits.as_one() {
                Some(_) => (0, 0),
                None => self.part_pieces.add(field_pieces(&part.bits)),
            };
            let lsb = part.bits.lsb() as u8;
            rows.push(SegmentRow(0, self.ty(isa, part.ty), lsb, pieces, kind, later, 0));
        }
    }

    /// The bytes that follow the first word in names of several words, as a bit set; bit 0 if a name begins with a
    /// sign.
    pub(super) fn after_words(&self) -> u128 {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let names = self.entries.iter().filter(|entry| entry.kind == ENTRY_NAME);
        let after = names.filter_map(|entry| {
            let name = self.pool.name(entry.text);
            let end = name.find(|c| !is_word(c))?;
            Some(if end == 0 { 0 } else { name.as_bytes()[end] & 127 })
        });
        after.fold(0, |bits, byte| bits | 1 << byte)
    }

    /// Whether values of some types are written otherwise where they have no name.
    pub(super) fn has_others(&self) -> bool {
        self.entries.iter().any(|entry| entry.kind == ENTRY_OTHERS)
    }

    /// The number of the first run of registers of a type.
    pub(super) fn first_run(&self, ty: u32) -> Option<u32> {
        let ty = &self.types[ty as usize];
        let (first, count) = ty.list;
        let mut entries = (first..first + count).filter(|_| ty.kind == TYPE_NAMES);
        entries.find(|number| self.entries[*number as usize].kind == ENTRY_RUN)
    }

    /// The first format of a number. It has one format, or one for each value of the modifier that selects it.
    pub(super) fn selection(&mut self, isa: &Isa, id: TypeId, modifier: Option<TypeId>) -> u32 {
        if let Some(first) = self.selections.get(&(id, modifier)) {
            return *first;
        }
        let TypeKind::Immediate(immediate) = &isa.ty(id).kind else { return 0 };
        let width = isa.ty(id).width;
        let notation = self.notation(isa, id, immediate);
        let format =
            |immediate, number, width| Format { notation, ..format(immediate, number, width) };
        let own = self.formats.add(format(immediate, immediate.number, width)) as u32;
        let selecting = modifier.map(|modifier| isa.ty(modifier));
        let formats: Vec<u32> = match selecting.map(|ty| (ty.width, &ty.kind)) {
            Some((bits, TypeKind::BitField(values))) => (0..1u64 << bits)
                .map(|raw| {
                    let value = values.iter().find(|value| value.value == raw);
                    let number = value.and_then(|value| value.format);
                    let row = number.map(|number| format(immediate, number, width));
                    row.map_or(own, |row| self.formats.add(row) as u32)
                })
                .collect(),
            _ => vec![own],
        };
        let first = self.format_of.len() as u32;
        self.format_of.extend(formats);
        self.selections.insert((id, modifier), first);
        first
    }

    /// The notation of a type's numbers, beyond the number in their bits.
    fn notation(&mut self, isa: &Isa, id: TypeId, immediate: &Immediate) -> u16 {
        let plain = Notation {
            scale: 1,
            bias: 0,
            prefix: 0,
            computed: 0,
            digits: 0,
            is_relative: false,
            reads_either: false,
            relocations: (0, 0),
        };
        let own = Notation {
            scale: immediate.scale,
            bias: immediate.bias,
            prefix: self.pool.add(&immediate.prefix),
            computed: computed_number(isa, immediate).unwrap_or(0),
            digits: immediate.digits as u8,
            is_relative: immediate.relative.is_some(),
            reads_either: immediate.reads_either,
            relocations: self.relocations.get(&id).copied().unwrap_or_default(),
        };
        if own == plain {
            return 0;
        }
        self.notations.add(plain);
        self.notations.add(own) as u16
    }

    /// The entry of a single name.
    fn entry(&mut self, kind: u8, text: &str, value: u64) -> Entry {
        Entry {
            kind,
            text: self.pool.add(text),
            value,
            count: 1,
            first: 0,
            step: 0,
            register: 0,
            align: 1,
            stem: 0,
            is_stem: stem(text) == text,
        }
    }

    /// An entry under another name.
    fn renamed(&mut self, isa: &Isa, entry: &isa::Entry, other: &OtherName) -> Entry {
        let printed = self.meaning(isa, entry);
        let (text, first) = match (printed.kind, other.first) {
            (ENTRY_RUN, Some(first)) => (other.text.clone(), first.into()),
            _ => (other.at(0), printed.first),
        };
        let named = self.entry(printed.kind, &text, entry.value);
        Entry { first, text: named.text, is_stem: named.is_stem, ..printed }
    }

    fn meaning(&mut self, isa: &Isa, entry: &isa::Entry) -> Entry {
        match &entry.meaning {
            Meaning::Registers { file, prefix, first, align } => Entry {
                count: entry.count,
                first: i64::from(*first),
                step: 1,
                // No operand has more bits than this says.
                register: isa.reg_files()[file.index()].width.min(u32::from(u16::MAX)) as u16,
                align: *align,
                ..self.entry(ENTRY_RUN, prefix, entry.value)
            },
            Meaning::Integers { first, step } => Entry {
                count: entry.count,
                first: *first,
                step: if *step < 0 { -1 } else { 1 },
                ..self.entry(ENTRY_INTEGERS, "", entry.value)
            },
            Meaning::Float(text) => Entry {
                // INVARIANT: the parser of specifications takes only numbers here.
                first: text.parse::<f64>().unwrap_or_default().to_bits() as i64,
                ..self.entry(ENTRY_FLOAT, text, entry.value)
            },
            _ => self.entry(ENTRY_NAME, &entry.text_at(0), entry.value),
        }
    }
}

/// The key by which the parser classifies a text: its first word without trailing digits.
pub(super) fn stem(text: &str) -> &str {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = text.find(|c| !is_word(c)).map_or(text, |end| &text[..end]);
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn format(immediate: &Immediate, number: NumberFormat, width: u32) -> Format {
    let (kind, lane_bits, exponent, fraction) = match number.number {
        Number::Unsigned | Number::Signed if immediate.computed.is_some() => {
            let is_signed = number.number == Number::Signed;
            (if is_signed { NUMBER_SIGNED } else { NUMBER_UNSIGNED }, u64::BITS, 0, 0)
        }
        Number::Unsigned => (NUMBER_UNSIGNED, width / number.lanes, 0, 0),
        Number::Signed => (NUMBER_SIGNED, width / number.lanes, 0, 0),
        Number::Float { exponent, fraction } => {
            (NUMBER_FLOAT, 1 + exponent + fraction, exponent, fraction)
        }
    };
    let letter = match immediate.print {
        Print::Decimal => DECIMAL,
        Print::Binary => BINARY,
        Print::Bits => BITS,
        Print::Hex => b'a',
        Print::UpperHex => b'A',
    };
    let [lanes, lane_bits, exponent, fraction] =
        [number.lanes, lane_bits, exponent, fraction].map(|bits| bits as u8);
    Format { kind, lanes, lane_bits, exponent, fraction, letter, notation: 0 }
}

/// The parts of a text between blanks. Blanks are optional, except between two words.
fn without_blanks(text: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text.trim());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut from = 0;
    while let Some(at) = rest[from..].find(' ').map(|at| from + at) {
        let (before, after) = (&rest[..at], rest[at..].trim_start());
        if before.ends_with(is_word) && after.starts_with(is_word) {
            from = rest.len() - after.len();
            continue;
        }
        parts.push(before);
        (rest, from) = (after, 0);
    }
    parts.push(rest);
    parts
}

/// The literal bits that equal a constant of an operand type, and the values of these constants.
pub(super) fn literal_constants(isa: &Isa, operand: TypeId, literal: TypeId) -> Vec<(u64, u64)> {
    let ty = isa.ty(literal);
    let TypeKind::Immediate(number) = &ty.kind else { return Vec::new() };
    let entries = isa.ty(operand).entries().iter();
    let bits: BTreeSet<u64> =
        entries.flat_map(|entry| constant_bits(entry, number, ty.width)).collect();
    let value = |bits: u64| Some((bits, isa.constant_of_bits(operand, literal, bits)?));
    bits.into_iter().filter_map(value).collect()
}

/// The literal bits of a type that equal a constant of an entry.
fn constant_bits(entry: &isa::Entry, number: &Immediate, width: u32) -> Vec<u64> {
    let all = low_bits(width) as u64;
    match (&entry.meaning, number.number.number) {
        (Meaning::Integers { first, step }, _) => {
            let integers = (0..entry.count as i64).map(|position| first + step * position);
            match number.is_scaled() {
                false => integers.map(|integer| integer as u64 & all).collect(),
                true => integers.filter_map(|i| number.bits_of(i.into(), width)).collect(),
            }
        }
        (Meaning::Float(text), Number::Float { exponent, fraction }) => {
            let bits = parse_float(text, exponent, fraction).ok();
            let raw = |bits| number.computed.as_ref().map_or(Some(bits), |of| of.find(bits));
            bits.and_then(raw).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
