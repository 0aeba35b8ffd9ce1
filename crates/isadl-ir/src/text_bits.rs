//! The bits of a word that the texts of its pieces depend on: words that agree in them have the same text.
//!
//! Invariant: what `operand_text.rs` reads of a word for a piece is in the bits of this piece.

use isadl_base::vocabulary::Symbol;

use crate::isa::{Field, Isa, ModifierSyntax, NameId, Opcode, OperandLocation, OperandSyntax};

impl Opcode {
    /// The bits of the field with a name; none if it has no such field.
    pub fn bits_of(&self, name: NameId) -> u128 {
        self.field(name).map_or(0, Field::mask)
    }

    /// The bits that the text of a modifier, attribute or control field depends on.
    pub fn modifier_bits(&self, modifier: &ModifierSyntax) -> u128 {
        self.bits_of(modifier.field) | modifier.omission.map_or(0, |omission| omission.mask)
    }

    /// The bits that the marks before an operand depend on.
    pub fn marks_bits(&self, operand: &OperandSyntax) -> u128 {
        operand.marks.iter().fold(0, |bits, mark| {
            let extension = mark.extension.map_or(0, |modifier| self.bits_of(modifier));
            bits | self.bits_of(mark.field) | extension
        })
    }

    /// The bits that the text after an operand depends on, unless a mark is a word: such a word depends on the marks
    /// and the operand too.
    pub fn tail_bits(&self, operand: &OperandSyntax) -> u128 {
        let suffixes = operand.suffixes.iter();
        let suffixes = suffixes.fold(0, |bits, suffix| bits | self.modifier_bits(suffix));
        let bar = operand.marks.iter().filter(|mark| mark.symbol == Symbol::Absolute);
        bar.fold(suffixes, |bits, mark| bits | self.bits_of(mark.field))
    }
}

impl Isa {
    /// The bits that an operand without marks and attributes depends on.
    pub fn core_bits(&self, opcode: &Opcode, operand: &OperandSyntax) -> u128 {
        let place = match operand.place(opcode) {
            OperandLocation::File(_) => 0,
            OperandLocation::Field(name) => opcode.bits_of(name),
            OperandLocation::Indirect { base, offset, .. } => {
                opcode.bits_of(base) | offset.map_or(0, |offset| opcode.bits_of(offset))
            }
        };
        let format = operand.format.map_or(0, |modifier| opcode.bits_of(modifier));
        place | self.width_bits(opcode, operand) | format
    }

    /// The bits that the number of an operand's registers depends on.
    fn width_bits(&self, opcode: &Opcode, operand: &OperandSyntax) -> u128 {
        let Some(width) = opcode.operands[operand.operand].width else { return 0 };
        self.expr(width).fields().into_iter().fold(0, |bits, name| bits | opcode.bits_of(name))
    }

    /// All bits that the text of an operand depends on, but for its omission.
    pub fn operand_bits(&self, opcode: &Opcode, operand: &OperandSyntax) -> u128 {
        opcode.marks_bits(operand) | self.core_bits(opcode, operand) | opcode.tail_bits(operand)
    }
}
