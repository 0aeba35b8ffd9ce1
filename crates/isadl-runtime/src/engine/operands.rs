//! Operands of instructions as values: one list of kinds for every instruction set.

use crate::isa::{
    Access, Bits, CompositeSegment, ConstantBits, Effect, Entry, ExprId, Field, FlowPlace,
    Immediate, Inst, Isa, Meaning, NameId, Number, Opcode, OperandLocation, OperandSyntax,
    RegFileId, Resource, SpecialId, Type, TypeKind, low_bits,
};

use super::Engine;

/// An operand of an instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand<'e> {
    /// The name of its field, or of the operand that is made of fields; of a whole register file, the name of the file.
    pub name: &'e str,
    /// Whether it is read and written.
    pub access: Access,
    /// The number of bits of data in it, if the instruction set says so.
    pub width: Option<u32>,
    /// Its value.
    pub value: Value<'e>,
}

/// The value of an operand or of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'e> {
    /// Consecutive registers of a file.
    Registers {
        /// The file.
        file: RegFileId,
        /// The number of the first.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A register of a file whose number is in another register.
    Indirect {
        /// The file.
        file: RegFileId,
        /// The register with the number.
        base: Box<Value<'e>>,
        /// The number added to it.
        offset: i128,
    },
    /// A name among registers that reads as zeros or ones, and discards what is written.
    Constant {
        /// The file that it belongs to.
        file: RegFileId,
        /// The name.
        name: &'e str,
        /// Whether it reads as ones.
        is_ones: bool,
    },
    /// A register outside of files.
    Special(SpecialId),
    /// An integer, scaled and computed as it is written.
    Integer(i128),
    /// The distance to an address: see [`Engine::target`].
    Distance(i128),
    /// A floating-point number.
    Float {
        /// Its encoding.
        bits: u64,
        /// Bits of the exponent.
        exponent: u32,
        /// Bits of the fraction.
        fraction: u32,
    },
    /// Several numbers in one field: its bits.
    Packed(u64),
    /// A value that has a name, such as a condition or a kind of shift; empty if it is not written.
    Name(&'e str),
    /// Several parts.
    Parts(Vec<Part<'e>>),
    /// Memory that is accessed.
    Memory {
        /// The parts of its address.
        parts: Vec<Part<'e>>,
        /// The number of bits that are accessed, if the instruction set says so.
        width: Option<u32>,
    },
}

/// A part of an operand.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<'e> {
    /// Its name.
    pub name: &'e str,
    /// Its value.
    pub value: Value<'e>,
}

impl<'e> Engine<'e> {
    /// The operands of an instruction, in the order of its text.
    ///
    /// The list also has optional operands that are not written, and operands that an alias omits.
    pub fn operands(&self, inst: Inst) -> Vec<Operand<'e>> {
        let isa = self.isa();
        let values = Values { isa, opcode: isa.opcode(inst.opcode), inst };
        values.opcode.operands.iter().map(|operand| values.operand(operand)).collect()
    }

    /// The text of an operand with its marks, by its index in [`Engine::operands`]; empty if the instruction is written without it.
    pub fn operand_text(&self, inst: Inst, index: usize) -> String {
        let (isa, mut text) = (self.isa(), String::new());
        let opcode = isa.opcode(inst.opcode);
        let form = self.alias(inst).map_or(opcode, |alias| &opcode.aliases[alias].form);
        let Some(place) = opcode.operands.get(index).map(|operand| operand.place) else {
            return text;
        };
        // In an alias, the same bits may be read as another type.
        let place = bits(opcode, place);
        let is_it = |written: &&OperandSyntax, of: &Opcode| {
            let is_left_out = written.omission.is_some_and(|omission| omission.holds(inst.word));
            !is_left_out && bits(of, written.place(of)) == place
        };
        // An alias has the operands of its opcode that it is written with.
        if written(form).any(|operand| is_it(&operand, form))
            && let Some(operand) = written(opcode).find(|operand| is_it(operand, opcode))
        {
            isa.append_operand(inst, operand, &mut text);
        }
        text
    }

    /// The number of accessed bits, for a use of memory. `None` for registers, and if the instruction set does not say it.
    pub fn memory_width(&self, inst: Inst, used: &crate::isa::Use) -> Option<u32> {
        let isa = self.isa();
        let Resource::Memory { ty, raw } = used.resource else { return None };
        let values = Values { isa, opcode: isa.opcode(inst.opcode), inst };
        let is_it = |name: NameId| {
            let field = values.opcode.field(name);
            field.is_some_and(|field| field.ty == ty && field.extract(inst.word) == raw)
        };
        values.accessed(is_it, |access| match used.effect {
            Effect::Write | Effect::ConditionalWrite => access.writes(),
            _ => access.reads(),
        })
    }
}

/// The location of an operand: the bits of its field, or else its place.
fn bits(of: &Opcode, place: OperandLocation) -> (Option<OperandLocation>, Option<&Bits>) {
    match place {
        OperandLocation::Field(name) => (None, of.field(name).map(|field| &field.bits)),
        place => (Some(place), None),
    }
}

/// The operands in the text of a form.
fn written(of: &Opcode) -> impl Iterator<Item = &OperandSyntax> {
    of.syntax.guard.iter().chain(&of.syntax.operands)
}

/// The values of an instruction.
struct Values<'e> {
    isa: &'e Isa,
    opcode: &'e Opcode,
    inst: Inst,
}

impl<'e> Values<'e> {
    fn operand(&self, operand: &crate::isa::Operand) -> Operand<'e> {
        let width = operand.width.and_then(|width| self.width(width));
        let (name, value) = match operand.place {
            OperandLocation::File(file) => {
                let known = &self.isa.reg_files()[file.index()];
                (known.name.as_str(), Value::Registers { file, first: 0, count: known.count })
            }
            OperandLocation::Field(name) => {
                (self.isa.name_of(name), self.named(name, width.unwrap_or(1)))
            }
            OperandLocation::Indirect { file, base, offset } => {
                let number = offset.and_then(|offset| self.opcode.field(offset));
                let number = number
                    .map(|field| self.isa.ty(field.ty).integer_of(field.extract(self.inst.word)));
                let base_value = Box::new(self.named(base, 1));
                let offset = number.unwrap_or(0);
                (self.isa.name_of(base), Value::Indirect { file, base: base_value, offset })
            }
        };
        Operand { name, access: operand.access, width, value }
    }

    fn number(&self, expr: ExprId) -> i128 {
        self.isa
            .expr(expr)
            .eval(&|name, reading| self.isa.value(self.inst, name, reading).unwrap_or(0))
    }

    fn width(&self, width: ExprId) -> Option<u32> {
        u32::try_from(self.number(width)).ok()
    }

    /// The value of an operand with so many bits of data.
    fn named(&self, name: NameId, width: u32) -> Value<'e> {
        let Some(field) = self.opcode.field(name) else { return Value::Name("") };
        let value = self.of_field(field, width);
        match value {
            Value::Parts(parts) if self.is_memory(name) => {
                Value::Memory { parts, width: self.accessed(|of| of == name, |_| true) }
            }
            value => value,
        }
    }

    fn is_memory(&self, name: NameId) -> bool {
        self.opcode.flow.iter().any(|item| item.place == FlowPlace::Field(name))
    }

    /// The largest access to the memory of some operands, in bits.
    fn accessed(
        &self,
        is_it: impl Fn(NameId) -> bool,
        is_meant: impl Fn(Access) -> bool,
    ) -> Option<u32> {
        let happens = |condition: ExprId| self.number(condition) != 0;
        let items = self.opcode.flow.iter().filter(|item| {
            matches!(item.place, FlowPlace::Field(name) if is_it(name))
                && is_meant(item.access)
                && item.condition.is_none_or(happens)
        });
        items.filter_map(|item| self.width(item.width?)).max()
    }

    /// A constant of the format that has so many bits.
    fn constant(&self, entry: &Entry, position: u64, width: u32) -> Option<Value<'e>> {
        let (exponent, fraction) = match width {
            16 => (5, 10),
            32 => (8, 23),
            64 => (11, 52),
            _ => return None,
        };
        let bits = entry.meaning.constant(position, width)? as u64;
        Some(Value::Float { bits, exponent, fraction })
    }

    fn of_field(&self, field: &Field, width: u32) -> Value<'e> {
        self.of(self.isa.ty(field.ty), field.extract(self.inst.word), width)
    }

    /// A value of a type.
    fn of(&self, ty: &'e Type, raw: u64, width: u32) -> Value<'e> {
        if let Some(other) = ty.otherwise.as_ref().filter(|_| !ty.is_named(raw)) {
            return self.of(self.isa.ty(other.ty), raw, width);
        }
        match &ty.kind {
            TypeKind::BitField(_) => {
                let name = ty.enumerator(raw).map(|value| match value.spelling.as_str() {
                    "" => value.name.as_str(),
                    spelling => spelling,
                });
                Value::Name(name.unwrap_or(""))
            }
            TypeKind::Operand(_) => self.of_entry(ty, raw, width),
            TypeKind::Immediate(immediate) => number(immediate, raw, ty.width),
            TypeKind::Composite(composite) => {
                let part = |part: &'e crate::isa::Part| {
                    let raw = part.bits.extract(raw.into());
                    Part { name: &part.name, value: self.of(self.isa.ty(part.ty), raw, 1) }
                };
                let is_shown = |segment: &&CompositeSegment| {
                    matches!(segment, CompositeSegment::Part(_) | CompositeSegment::Optional { .. })
                };
                match (composite.parts.as_slice(), composite.format.iter().find(is_shown)) {
                    // One part with something around it.
                    ([only], Some(_)) if composite.format.len() == 1 => part(only).value,
                    (parts, _) => Value::Parts(parts.iter().map(part).collect()),
                }
            }
        }
    }

    /// The registers for so many bits of data, up to the last of the file.
    fn registers(&self, file: RegFileId, first: u32, width: u32) -> Value<'e> {
        let left = self.isa.reg_files()[file.index()].count.saturating_sub(first);
        let count = self.isa.registers_in(file, width.into()).min(left.max(1));
        Value::Registers { file, first, count }
    }

    fn of_entry(&self, ty: &'e Type, raw: u64, width: u32) -> Value<'e> {
        let Some((entry, position)) = ty.entry(raw) else { return Value::Name("") };
        match &entry.meaning {
            Meaning::Registers { file, first, align, .. } => {
                let number = first + position as u32;
                self.registers(*file, number - number % align, width)
            }
            Meaning::Register { file, number, .. } => self.registers(*file, *number, width),
            Meaning::Special(name) => {
                let at = self.isa.specials().iter().position(|known| known == name);
                at.map_or(Value::Name(name), |at| Value::Special(SpecialId::new(at)))
            }
            Meaning::Constant { file, name, bits } => {
                Value::Constant { file: *file, name, is_ones: *bits == ConstantBits::One }
            }
            Meaning::Nothing(name) => Value::Name(name),
            Meaning::Float(text) => {
                self.constant(entry, position, width).unwrap_or(Value::Name(text))
            }
            Meaning::Integers { .. } => {
                Value::Integer(entry.meaning.constant(position, width).unwrap_or(0))
            }
            Meaning::Literal => Value::Name(""),
        }
    }
}

/// The number that the bits of a field of `width` bits are.
fn number<'e>(immediate: &Immediate, raw: u64, width: u32) -> Value<'e> {
    match immediate.number.number {
        _ if immediate.number.lanes > 1 => Value::Packed(raw & low_bits(width) as u64),
        Number::Float { exponent, fraction } => {
            let (bits, _) = immediate.number_bits(raw, width);
            Value::Float { bits, exponent, fraction }
        }
        _ => {
            let value = immediate.value(raw, width);
            match immediate.relative {
                Some(_) => Value::Distance(value),
                None => Value::Integer(value),
            }
        }
    }
}
