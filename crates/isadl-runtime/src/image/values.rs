//! Tables of what the bits of operands are.

use std::collections::BTreeMap;

use isadl_engine::image::{FieldPiece, Span};
use isadl_engine::image_values::{
    Access, DISTANCE, ENTRIES, ENTRY_FLOAT, ENTRY_INTEGERS, ENTRY_LITERAL, ENTRY_NAME, ENTRY_ONES,
    ENTRY_REGISTERS, ENTRY_SPECIAL, ENTRY_ZEROS, Entry, FLOAT, File, INTEGER, NUMBER, Number,
    ONLY_PART, PACKED, PARTS, Part, SLOT_BITS, SLOT_NUMBER, SLOT_REGISTER, Slot, Type, Values,
};
use isadl_engine::number::parse_float;

use super::columns::part;
use super::flow::file_number;
use super::pool::Pool;
use super::rows::{Rows, computed_number, field_pieces};
use super::shared::{Shared, Slices};
use super::words::{OwnedWords, addresses_memory};
use crate::isa::{
    self, Composite, CompositeSegment, ConstantBits, FlowPlace, Immediate, Isa, Meaning,
    OperandLocation, TypeId, TypeKind,
};

part! {
    /// [`Values`] with their tables.
    OwnedValues for Values;
    own {}
    columns {
        types: Vec<Type>,
        entries: Vec<Entry>,
        numbers: Vec<Number>,
        parts: Vec<Part>,
        pieces: Vec<FieldPiece>,
        files: Vec<File>,
        floats: Vec<u64>,
        literals: Vec<u16>,
        slots_of: Vec<Span>,
        slots: Vec<Slot>,
        accesses_of: Vec<Span>,
        accesses: Vec<Access>,
        strings: String,
        names: Vec<u32>,
    }
    seen |part| {}
}

impl OwnedValues {
    /// The tables of an instruction set.
    pub(super) fn of(rows: &mut Rows<'_>, words: &OwnedWords) -> OwnedValues {
        let isa = rows.isa;
        let mut builder = Builder::new(isa);
        let opcodes: Vec<&isa::Opcode> = rows.numbered().map(|(_, opcode)| opcode).collect();
        let (mut slots_of, mut accesses_of) = (vec![(0, 0)], vec![(0, 0)]);
        for opcode in opcodes {
            slots_of.push(builder.slots(rows, opcode));
            accesses_of.push(builder.accesses(rows, opcode));
        }
        let mut used = operand_types(rows);
        let read = builder.slots.rows().iter().filter(|slot| slot.kind != SLOT_BITS);
        used.extend(read.map(|slot| TypeId::new(slot.ty.into())));
        let none = Type(ENTRIES, (0, 0), 0);
        let mut types = vec![none; isa.types().len()];
        for (id, row) in builder.types(used) {
            types[id.index()] = row;
        }
        let file = |(id, file): (usize, &isa::RegFile)| {
            File(file_number(isa, isa::RegFileId::new(id)), file.width, file.count)
        };
        let (strings, names) = builder.names.into_strings();
        OwnedValues {
            types,
            entries: builder.entries.into_rows(),
            numbers: builder.numbers.into_list(),
            parts: builder.parts.into_rows(),
            pieces: builder.pieces.into_rows(),
            files: isa.reg_files().iter().enumerate().map(file).collect(),
            floats: builder.floats.into_list().into_iter().flatten().collect(),
            literals: literals(rows, words),
            slots_of,
            slots: builder.slots.into_rows(),
            accesses_of,
            accesses: builder.accesses.into_rows(),
            strings,
            names,
        }
    }
}

/// The types of operands, and of the bases and offsets of indirect registers, and of literals.
fn operand_types(rows: &Rows<'_>) -> Vec<TypeId> {
    let mut types = Vec::new();
    for (_, opcode) in rows.numbered() {
        let places = opcode.operands.iter().chain(&opcode.implicit).map(|operand| operand.place);
        let names = places.flat_map(|place| match place {
            OperandLocation::Field(name) => [Some(name), None],
            OperandLocation::Indirect { base, offset, .. } => [Some(base), offset],
            OperandLocation::File(_) => [None; 2],
        });
        let literals = opcode.literals.iter().map(|form| form.literal);
        let names = names.flatten().chain(literals);
        types.extend(names.filter_map(|name| Some(opcode.field(name)?.ty)));
    }
    types
}

/// For each row, the number of the name of the field of its literal plus 1.
fn literals(rows: &Rows<'_>, words: &OwnedWords) -> Vec<u16> {
    // INVARIANT: every field of an opcode is among the names.
    let number = |name| words.field_names.binary_search(&name).unwrap_or_default() as u16;
    let of_rows = rows
        .numbered()
        .map(|(_, opcode)| opcode.literals.first().map_or(0, |form| number(form.literal) + 1));
    let all: Vec<u16> = std::iter::once(0).chain(of_rows).collect();
    if all.iter().all(|name| *name == 0) { Vec::new() } else { all }
}

struct Builder<'i> {
    isa: &'i Isa,
    names: Pool,
    entries: Slices<Entry>,
    numbers: Shared<Number>,
    parts: Slices<Part>,
    pieces: Slices<FieldPiece>,
    floats: Shared<[u64; 3]>,
    slots: Slices<Slot>,
    accesses: Slices<Access>,
}

impl Builder<'_> {
    fn new(isa: &Isa) -> Builder<'_> {
        Builder {
            isa,
            names: Pool::new(),
            entries: Slices::default(),
            numbers: Shared::default(),
            parts: Slices::default(),
            pieces: Slices::default(),
            floats: Shared::default(),
            slots: Slices::default(),
            accesses: Slices::default(),
        }
    }

    /// The rows of types, and of those that they lead to.
    fn types(&mut self, mut open: Vec<TypeId>) -> BTreeMap<TypeId, Type> {
        let mut known = BTreeMap::new();
        while let Some(id) = open.pop() {
            if known.contains_key(&id) {
                continue;
            }
            let ty = self.isa.ty(id);
            known.insert(id, self.ty(ty));
            open.extend(ty.otherwise.as_ref().map(|other| other.ty));
            if let TypeKind::Composite(composite) = &ty.kind {
                open.extend(composite.parts.iter().map(|part| part.ty));
            }
        }
        known
    }

    fn ty(&mut self, ty: &isa::Type) -> Type {
        let others = ty.otherwise.as_ref().map_or(0, |other| other.ty.index() as u32 + 1);
        let (kind, list) = match &ty.kind {
            TypeKind::BitField(values) => {
                let entry = |value: &isa::Enumerator| {
                    let name = match value.spelling.as_str() {
                        "" => &value.name,
                        spelling => spelling,
                    };
                    Entry(ENTRY_NAME, value.value, 0, 0, self.names.add(name), 0, 0, 1)
                };
                let rows = values.iter().map(entry).collect();
                (ENTRIES, self.entries(rows))
            }
            TypeKind::Operand(entries) => {
                let rows = entries.iter().map(|entry| self.entry(entry)).collect();
                (ENTRIES, self.entries(rows))
            }
            TypeKind::Immediate(immediate) => {
                let number = number(self.isa, immediate, ty.width);
                (NUMBER, (self.numbers.add(number) as u32, 1))
            }
            TypeKind::Composite(composite) => {
                let parts = composite.parts.iter().map(|part| Part {
                    name: self.names.add(&part.name),
                    ty: part.ty.index() as u32,
                    pieces: self.pieces.add(field_pieces(&part.bits)),
                });
                let parts = parts.collect();
                let kind = if is_only_part(composite) { ONLY_PART } else { PARTS };
                (kind, self.parts.add(parts))
            }
        };
        Type { kind, list, others }
    }

    /// What tells the instructions of an opcode apart.
    fn slots(&mut self, rows: &mut Rows<'_>, opcode: &isa::Opcode) -> Span {
        let places = opcode.operands.iter().map(|operand| operand.place);
        let names = places.flat_map(|place| match place {
            // What announces a literal is a register in other forms, and tells them apart.
            OperandLocation::Field(name) => [opcode.selector_of(name), Some(name)],
            OperandLocation::Indirect { base, offset, .. } => [Some(base), offset],
            OperandLocation::File(_) => [None; 2],
        });
        let of_operands = names.flatten().filter_map(|name| opcode.field(name));
        let selectors = opcode.literals.iter().filter_map(|form| opcode.field(form.selector));
        let mut covered = selectors.fold(opcode.mask, |mask, selector| mask & !selector.mask());
        let mut slots = Vec::new();
        for field in of_operands.chain(opcode.encoded()) {
            let is_new = field.bits.mask() & !covered != 0;
            covered |= field.bits.mask();
            if is_new {
                let name = self.isa.name_of(field.name);
                self.add_slots(rows, field, name, &mut slots);
            }
        }
        self.slots.add(slots)
    }

    /// The accesses of an opcode to memory.
    fn accesses(&mut self, rows: &mut Rows<'_>, opcode: &isa::Opcode) -> Span {
        let mut accesses = Vec::new();
        for item in &opcode.flow {
            let FlowPlace::Field(name) = item.place else { continue };
            let field = opcode.field(name).filter(|_| addresses_memory(self.isa, opcode, name));
            let (Some(field), Some(_)) = (field, item.width) else { continue };
            let condition = match item.condition.map(|id| (id, rows.constant(opcode, id))) {
                Some((_, Some(0))) => continue,
                None | Some((_, Some(_))) => 0,
                Some((id, None)) => rows.expr(opcode, self.isa.expr(id)),
            };
            let (lsb, width) = rows.place(&field.bits);
            accesses.push(Access {
                lsb,
                width,
                ty: field.ty.index() as u16,
                is_read: item.access.reads(),
                is_written: item.access.writes(),
                condition,
                data: rows.width(opcode, item.width),
            });
        }
        self.accesses.add(accesses)
    }

    /// Adds a field, or its parts.
    fn add_slots(
        &mut self,
        rows: &mut Rows<'_>,
        field: &isa::Field,
        name: &str,
        slots: &mut Vec<Slot>,
    ) {
        let isa = self.isa;
        let ty = isa.ty(field.ty);
        if let TypeKind::Composite(composite) = &ty.kind {
            for (index, part) in composite.parts.iter().enumerate() {
                if let Some(field) = isa.part(field, index) {
                    self.add_slots(rows, &field, &part.name, slots);
                }
            }
            return;
        }
        let kind = match &ty.kind {
            TypeKind::Immediate(_) => SLOT_NUMBER,
            TypeKind::Operand(entries) if is_of_one_file(isa, ty, entries) => SLOT_REGISTER,
            TypeKind::Operand(entries) if are_integers(ty, entries) => SLOT_NUMBER,
            _ => SLOT_BITS,
        };
        let (lsb, width) = rows.place(&field.bits);
        let (name, ty) = (self.names.add(name), field.ty.index() as u16);
        slots.push(Slot { name, kind, lsb, width, ty });
    }

    fn entries(&mut self, mut entries: Vec<Entry>) -> Span {
        // The first name of a value is its name.
        entries.sort_by_key(|entry| entry.value);
        entries.dedup_by_key(|entry| entry.value);
        self.entries.add(entries)
    }

    fn entry(&mut self, entry: &isa::Entry) -> Entry {
        let (value, more) = (entry.value, entry.count - 1);
        let row = |kind, of: usize, name, first: i64| {
            Entry(kind, value, more, of as u32, name, first, 0, 1)
        };
        match &entry.meaning {
            Meaning::Registers { file, first, align, .. } => {
                let align = *align;
                Entry { align, ..row(ENTRY_REGISTERS, file.index(), 0, (*first).into()) }
            }
            Meaning::Register { file, number, .. } => {
                row(ENTRY_REGISTERS, file.index(), 0, (*number).into())
            }
            Meaning::Special(name) => {
                match self.isa.specials().iter().position(|known| known == name) {
                    Some(number) => row(ENTRY_SPECIAL, number, 0, 0),
                    None => row(ENTRY_NAME, 0, self.names.add(name), 0),
                }
            }
            Meaning::Constant { file, name, bits } => {
                let kind = match bits {
                    ConstantBits::Zero => ENTRY_ZEROS,
                    ConstantBits::One => ENTRY_ONES,
                };
                row(kind, file.index(), self.names.add(name), 0)
            }
            Meaning::Nothing(name) => row(ENTRY_NAME, 0, self.names.add(name), 0),
            Meaning::Integers { first, step } => {
                Entry { step: *step as i8, ..row(ENTRY_INTEGERS, 0, 0, *first) }
            }
            Meaning::Float(text) => {
                let formats = [(5, 10), (8, 23), (11, 52)];
                let encodings =
                    formats.map(|(exponent, fraction)| parse_float(text, exponent, fraction).ok());
                let name = self.names.add(text);
                match encodings {
                    [Some(half), Some(single), Some(double)] => {
                        let at = 3 * self.floats.add([half, single, double]);
                        row(ENTRY_FLOAT, at, name, 0)
                    }
                    _ => row(ENTRY_NAME, 0, name, 0),
                }
            }
            Meaning::Literal => row(ENTRY_LITERAL, 0, 0, 0),
        }
    }
}

/// Whether the values of a type are registers and constants of one file.
fn is_of_one_file(isa: &Isa, ty: &isa::Type, entries: &[isa::Entry]) -> bool {
    let file = |entry: &isa::Entry| match entry.meaning {
        Meaning::Registers { file, .. }
        | Meaning::Register { file, .. }
        | Meaning::Constant { file, .. } => Some(file_number(isa, file)),
        _ => None,
    };
    let first = entries.first().and_then(file);
    ty.otherwise.is_none() && first.is_some() && entries.iter().all(|entry| file(entry) == first)
}

/// Whether the values of a type are integers.
fn are_integers(ty: &isa::Type, entries: &[isa::Entry]) -> bool {
    let is_integer = |entry: &isa::Entry| matches!(entry.meaning, Meaning::Integers { .. });
    ty.otherwise.is_none() && entries.iter().all(is_integer)
}

/// Whether a composite is written as its only part.
fn is_only_part(composite: &Composite) -> bool {
    use CompositeSegment::{Optional, Part};
    composite.parts.len() == 1 && matches!(composite.format.as_slice(), [Part(_) | Optional { .. }])
}

/// How the bits of a field of `width` bits are a number.
fn number(isa: &Isa, immediate: &Immediate, width: u32) -> Number {
    let computed = immediate.computed.as_ref();
    let (kind, exponent, fraction) = match immediate.number.number {
        _ if immediate.number.lanes > 1 => (PACKED, 0, 0),
        isa::Number::Float { exponent, fraction } => (FLOAT, exponent as u8, fraction as u8),
        _ if immediate.relative.is_some() => (DISTANCE, 0, 0),
        _ => (INTEGER, 0, 0),
    };
    let reading = computed.map_or(immediate.reading(), |computed| computed.reading());
    Number {
        kind,
        width: width as u8,
        is_signed: reading == isa::Reading::Signed,
        // A computed number is scaled already.
        scale: if computed.is_some() { 1 } else { immediate.scale },
        bias: if computed.is_some() { 0 } else { immediate.bias },
        computed: computed_number(isa, immediate).unwrap_or(0),
        exponent,
        fraction,
    }
}
