//! Operands as values, by the definitions of types instead of tables.

use isadl::engine::{Operand, Part, Value};
use isadl::isa::{
    Access, CompositeSegment, ConstantBits, Entry, ExprId, Field, FlowPlace, Immediate, Inst, Isa,
    Meaning, NameId, Number, Opcode, OperandLocation, RegFileId, Resource, SpecialId, Type,
    TypeKind, Use, low_bits,
};

/// The operands of an instruction. A width that the specification does not say is not known here.
pub fn operands(isa: &Isa, inst: Inst) -> Vec<Operand<'_>> {
    let values = Values { isa, opcode: isa.opcode(inst.opcode), inst };
    values.opcode.operands.iter().map(|operand| values.operand(operand)).collect()
}

/// The number of accessed bits, for a use of memory.
pub fn memory_width(isa: &Isa, inst: Inst, used: &Use) -> Option<u32> {
    let Resource::Memory { ty, raw } = used.resource else { return None };
    let values = Values { isa, opcode: isa.opcode(inst.opcode), inst };
    let is_it = |field: &Field| field.ty == ty && field.extract(inst.word) == raw;
    let is_meant = |access: Access| match used.effect.reads() {
        true => access.reads(),
        false => access.writes(),
    };
    let items = values.opcode.flow.iter().filter(|item| {
        matches!(item.place, FlowPlace::Field(name) if values.opcode.field(name).is_some_and(is_it))
            && is_meant(item.access)
            && item.condition.is_none_or(|condition| values.number(condition) != 0)
    });
    items.filter_map(|item| values.width(item.width?)).max()
}

/// The values of an instruction.
struct Values<'e> {
    isa: &'e Isa,
    opcode: &'e Opcode,
    inst: Inst,
}

impl<'e> Values<'e> {
    fn operand(&self, operand: &isadl::isa::Operand) -> Operand<'e> {
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
        let width = match (&value, operand.place) {
            (Value::Memory(_), OperandLocation::Field(name)) => self.accessed(name),
            _ => width,
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
            Value::Parts(parts) if self.is_memory(name) => Value::Memory(parts),
            value => value,
        }
    }

    /// Whether the operand addresses memory: a system register that is written by its numbers does not.
    fn is_memory(&self, name: NameId) -> bool {
        let field = self.opcode.field(name);
        let is_composite =
            |field: &Field| matches!(self.isa.ty(field.ty).kind, TypeKind::Composite(_));
        field.is_some_and(is_composite)
            && self.opcode.flow.iter().any(|item| item.place == FlowPlace::Field(name))
    }

    /// The largest access to the memory of an operand, in bits.
    fn accessed(&self, name: NameId) -> Option<u32> {
        let happens = |condition: ExprId| self.number(condition) != 0;
        let items = self.opcode.flow.iter().filter(|item| {
            item.place == FlowPlace::Field(name) && item.condition.is_none_or(happens)
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
                let part = |part: &'e isadl::isa::Part| {
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
            Meaning::Literal => match self.opcode.literals.first() {
                Some(form) => self.named(form.literal, width),
                None => Value::Name(""),
            },
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
