//! How the values of types are written: names, numbers, composites.

use std::collections::BTreeSet;

use isadl::isa::{
    Entry, Immediate, Isa, Meaning, Number, NumberFormat, Piece, Print, TypeId, TypeKind, low_bits,
};

use crate::rust::number::parse_float;
use crate::rust::plan::Shared;

/// A type, as the generated code sees it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Of entries, pieces or formats.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) width: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Names,
    Number,
    Composite,
}

/// A run of values with names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryRow {
    pub(super) kind: EntryKind,
    pub(super) text: String,
    pub(super) value: u64,
    pub(super) count: u64,
    /// Number of the first, or the bits of a constant in binary64.
    pub(super) first: i64,
    pub(super) step: i8,
    /// Bits in a register.
    pub(super) register: u32,
    /// What numbers of registers are multiples of.
    pub(super) align: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EntryKind {
    Run,
    Name,
    Integers,
    Float,
}

/// A piece of a composite: a text, or a part of a type at a bit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PieceRow {
    Text(String),
    Part { ty: usize, lsb: u32 },
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FormatRow {
    pub(super) kind: NumberKind,
    pub(super) lanes: u32,
    pub(super) lane_bits: u32,
    pub(super) exponent: u32,
    pub(super) fraction: u32,
    /// 0 for decimal, [`BITS`], else the first letter of hexadecimal.
    pub(super) letter: u8,
}

/// In the place of the first letter of hexadecimal: numbers are written by their bits.
pub(super) const BITS: u8 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NumberKind {
    Unsigned,
    Signed,
    Float,
}

/// Types and what they are made of, each once.
#[derive(Default)]
pub(super) struct Values {
    pub(super) types: Vec<Type>,
    ids: Vec<TypeId>,
    pub(super) entries: Vec<EntryRow>,
    pub(super) pieces: Vec<PieceRow>,
    pub(super) formats: Shared<FormatRow>,
    /// Formats by the values of modifiers that select them; runs for each pair that occurs.
    pub(super) format_of: Vec<usize>,
    selections: Vec<((TypeId, Option<TypeId>), usize)>,
}

impl Values {
    /// The types, in the order of [`Values::types`].
    pub(super) fn ids(&self) -> &[TypeId] {
        &self.ids
    }

    /// The index of the first run of registers of a type.
    pub(super) fn first_run(&self, ty: usize) -> Option<usize> {
        let ty = self.types.get(ty).filter(|ty| ty.kind == Kind::Names)?;
        (ty.first..ty.first + ty.count).find(|index| self.entries[*index].kind == EntryKind::Run)
    }

    /// The index of a type.
    pub(super) fn ty(&mut self, isa: &Isa, id: TypeId) -> usize {
        if let Some(index) = self.ids.iter().position(|other| *other == id) {
            return index;
        }
        let definition = isa.ty(id);
        let (kind, first, count) = match &definition.kind {
            TypeKind::BitField(values) => {
                let named = values.iter().filter(|value| !value.spelling.is_empty());
                let rows = named.map(|value| row(EntryKind::Name, &value.spelling, value.value));
                let rows: Vec<EntryRow> = rows.collect();
                let first = self.entries.len();
                self.entries.extend(rows.iter().cloned());
                (Kind::Names, first, rows.len())
            }
            TypeKind::Operand(entries) => {
                let first = self.entries.len();
                self.entries.extend(entries.iter().map(|entry| entry_row(isa, entry)));
                (Kind::Names, first, entries.len())
            }
            TypeKind::Immediate(_) => (Kind::Number, self.selection(isa, id, None), 1),
            TypeKind::Composite(composite) => {
                let rows: Vec<PieceRow> = composite
                    .format
                    .iter()
                    .filter_map(|piece| match piece {
                        // Blanks are for readers; a text of nothing else is not looked for.
                        Piece::Text(text) if text.trim().is_empty() => None,
                        Piece::Text(text) => Some(PieceRow::Text(text.trim().to_string())),
                        Piece::Part(part) => {
                            let part = &composite.parts[*part];
                            Some(PieceRow::Part { ty: self.ty(isa, part.ty), lsb: part.lsb })
                        }
                    })
                    .collect();
                let first = self.pieces.len();
                self.pieces.extend(rows.iter().cloned());
                (Kind::Composite, first, rows.len())
            }
        };
        let (name, width) = (definition.name.clone(), definition.width);
        self.ids.push(id);
        self.types.push(Type { name, kind, first, count, width });
        self.types.len() - 1
    }

    /// Where the formats of a number begin: one, or one for each value of the modifier that
    /// selects it.
    pub(super) fn selection(&mut self, isa: &Isa, id: TypeId, modifier: Option<TypeId>) -> usize {
        let key = (id, modifier);
        if let Some((_, first)) = self.selections.iter().find(|(other, _)| *other == key) {
            return *first;
        }
        let TypeKind::Immediate(immediate) = &isa.ty(id).kind else { return 0 };
        let width = isa.ty(id).width;
        let own = self.formats.add(format_row(immediate, immediate.number, width));
        let formats: Vec<usize> = match modifier.map(|modifier| isa.ty(modifier)) {
            None => vec![own],
            Some(ty) => {
                let TypeKind::BitField(values) = &ty.kind else { return 0 };
                (0..1u64 << ty.width)
                    .map(|raw| {
                        let value = values.iter().find(|value| value.value == raw);
                        let number = value.and_then(|value| value.format);
                        let row = number.map(|number| format_row(immediate, number, width));
                        row.map_or(own, |row| self.formats.add(row))
                    })
                    .collect()
            }
        };
        let first = self.format_of.len();
        self.format_of.extend(formats);
        self.selections.push((key, first));
        first
    }
}

fn row(kind: EntryKind, text: &str, value: u64) -> EntryRow {
    EntryRow {
        kind,
        text: text.to_string(),
        value,
        count: 1,
        first: 0,
        step: 0,
        register: 0,
        align: 1,
    }
}

fn entry_row(isa: &Isa, entry: &Entry) -> EntryRow {
    match &entry.meaning {
        Meaning::Registers { file, prefix, first, align } => EntryRow {
            align: *align,
            count: entry.count,
            first: i64::from(*first),
            step: 1,
            register: isa.reg_files()[file.index()].width,
            ..row(EntryKind::Run, prefix, entry.value)
        },
        Meaning::Integers { first, step } => EntryRow {
            count: entry.count,
            first: *first,
            step: if *step < 0 { -1 } else { 1 },
            ..row(EntryKind::Integers, "", entry.value)
        },
        Meaning::Float(text) => EntryRow {
            first: text.parse::<f64>().unwrap_or_default().to_bits() as i64,
            ..row(EntryKind::Float, text, entry.value)
        },
        _ => row(EntryKind::Name, &entry.name_at(0), entry.value),
    }
}

fn format_row(immediate: &Immediate, number: NumberFormat, width: u32) -> FormatRow {
    let (kind, lane_bits, exponent, fraction) = match number.number {
        Number::Unsigned => (NumberKind::Unsigned, width / number.lanes, 0, 0),
        Number::Signed => (NumberKind::Signed, width / number.lanes, 0, 0),
        Number::Float { exponent, fraction } => {
            (NumberKind::Float, 1 + exponent + fraction, exponent, fraction)
        }
    };
    let letter = match immediate.print {
        Print::Decimal => 0,
        Print::Bits => BITS,
        Print::Hex => b'a',
        Print::UpperHex => b'A',
    };
    FormatRow { kind, lanes: number.lanes, lane_bits, exponent, fraction, letter }
}

/// The bits of literals that are those of constants of an operand type, and the values of these.
pub(super) fn literal_constants(isa: &Isa, operand: TypeId, literal: TypeId) -> Vec<(u64, u64)> {
    let ty = isa.ty(literal);
    let TypeKind::Immediate(number) = &ty.kind else { return Vec::new() };
    let entries = isa.ty(operand).entries().iter();
    let bits: BTreeSet<u64> =
        entries.flat_map(|entry| constant_bits(entry, number, ty.width)).collect();
    let value = |bits: u64| Some((bits, isa.constant_of_bits(operand, literal, bits)?));
    bits.into_iter().filter_map(value).collect()
}

/// The bits that literals of a type have if they are one of the constants.
fn constant_bits(entry: &Entry, number: &Immediate, width: u32) -> Vec<u64> {
    let all = low_bits(width) as u64;
    match (&entry.meaning, number.number.number) {
        (Meaning::Integers { first, step }, _) => {
            (0..entry.count as i64).map(|position| (first + step * position) as u64 & all).collect()
        }
        (Meaning::Float(text), Number::Float { exponent, fraction }) => {
            parse_float(text, exponent, fraction).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
