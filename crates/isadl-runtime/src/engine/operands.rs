//! Operands of instructions as values: one list of kinds for every instruction set.

use isadl_engine::expr::data_bits;
use isadl_engine::{image, values as engine};

use crate::isa::{
    Access, Bits, Inst, Opcode, OperandLocation, OperandSyntax, RegFileId, Resource, SpecialId,
};

use super::Engine;

/// An operand of an instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand<'e> {
    /// The name of its field, or of the operand that is made of fields; of a whole register file, the name of the file.
    pub name: &'e str,
    /// Whether it is read and written.
    pub access: Access,
    /// The number of bits of data in it; of memory, the most that are accessed. `None` if the instruction set does not say it.
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
    /// Memory that is accessed, by the parts of its address; [`Operand::width`] says how many bits.
    Memory(Vec<Part<'e>>),
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
        let row = self.row(inst.opcode);
        let operand = |(known, own): (&crate::isa::Operand, &image::Operand)| Operand {
            name: match known.place {
                OperandLocation::File(file) => &isa.reg_files()[file.index()].name,
                OperandLocation::Field(name) => isa.name_of(name),
                OperandLocation::Indirect { base, .. } => isa.name_of(base),
            },
            access: known.access,
            width: known_bits(data_bits(&self.image, own.data, inst.word)),
            value: named(engine::value(&self.image, row, inst.word, own)),
        };
        let known = isa.opcode(inst.opcode).operands.iter();
        known.zip(engine::operands(&self.image, row)).map(operand).collect()
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
        let Resource::Memory { ty, raw } = used.resource else { return None };
        let (row, of) = (self.row(inst.opcode), ([ty.index() as u16], raw));
        let of = (&of.0[..], of.1);
        known_bits(engine::memory_width(&self.image, row, inst.word, of, used.effect))
    }
}

/// A number of bits, unless it is 0: then it is not known.
fn known_bits(bits: u16) -> Option<u32> {
    (bits > 0).then_some(bits.into())
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

/// The value with the names of an instruction set.
fn named<'e>(value: engine::Value<'_, 'e>) -> Value<'e> {
    let file = |number: u32| RegFileId::new(number as usize);
    let parts = |parts: engine::Parts<'_, 'e>| {
        parts.map(|(name, value)| Part { name, value: named(value) }).collect()
    };
    match value {
        engine::Value::Registers { file: number, first, count } => {
            Value::Registers { file: file(number), first, count }
        }
        engine::Value::Indirect { file: number, base, offset } => {
            Value::Indirect { file: file(number), base: Box::new(named(base.value())), offset }
        }
        engine::Value::Constant { file: number, name, is_ones } => {
            Value::Constant { file: file(number), name, is_ones }
        }
        engine::Value::Special(number) => Value::Special(SpecialId::new(number as usize)),
        engine::Value::Integer(value) => Value::Integer(value),
        engine::Value::Distance(value) => Value::Distance(value),
        engine::Value::Float { bits, exponent, fraction } => {
            Value::Float { bits, exponent: exponent.into(), fraction: fraction.into() }
        }
        engine::Value::Packed(bits) => Value::Packed(bits),
        engine::Value::Name(name) => Value::Name(name),
        engine::Value::Parts(own) => Value::Parts(parts(own)),
        engine::Value::Memory(own) => Value::Memory(parts(own)),
    }
}
