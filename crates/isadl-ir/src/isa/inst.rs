//! Instructions, and why words and values are none.

use super::{Expr, ExtensionSet, Isa, NameId, OpcodeId, Reading, RuleId};

/// A legal instruction: its opcode, and its word with nothing but significant bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inst {
    /// The opcode.
    pub opcode: OpcodeId,
    /// The word.
    pub word: u128,
}

/// Why a word is not an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// There are fewer bytes than the instruction has.
    Truncated {
        /// How many bytes it has.
        needed: usize,
    },
    /// No opcode has these fixed bits.
    Unknown,
    /// The extensions lack the opcode that has these fixed bits.
    Absent {
        /// The opcode.
        opcode: OpcodeId,
    },
    /// A field holds a value that its type lacks.
    IllegalValue {
        /// The opcode of the word.
        opcode: OpcodeId,
        /// The field.
        field: NameId,
    },
    /// A rule forbids the word.
    Rule {
        /// The opcode of the word.
        opcode: OpcodeId,
        /// The rule.
        rule: RuleId,
    },
}

/// Why an instruction cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodeError {
    /// The opcode has no such field.
    NoSuchField(NameId),
    /// A value that the field's type lacks, or that a fixed field must not have.
    IllegalValue(NameId),
    /// A field without default was not given.
    Missing(NameId),
    /// Another field that shares bits was given a different value.
    Shared(NameId),
    /// A rule forbids the word.
    Rule(RuleId),
    /// The word belongs to a special case of the opcode: its index in
    /// [`Opcode::special_cases`](super::Opcode::special_cases).
    SpecialCase(usize),
}

impl Isa {
    /// Bytes in the shortest instruction.
    pub fn shortest(&self) -> usize {
        self.opcodes.iter().map(|opcode| opcode.width as usize / 8).min().unwrap_or(self.bytes())
    }

    /// Whether the rule forbids the instruction's word in every set of extensions.
    pub fn breaks(&self, inst: Inst, rule: RuleId) -> bool {
        self.holds(inst, self.expr(self.rule(rule).condition))
    }

    /// Whether the rule forbids the instruction's word in a set of extensions.
    pub fn breaks_in(&self, set: ExtensionSet, inst: Inst, rule: RuleId) -> bool {
        let condition = self.expr(self.rule(rule).condition);
        match condition.extensions() {
            0 => self.holds(inst, condition),
            _ => self.holds(inst, &condition.in_set(set)),
        }
    }

    pub(super) fn holds(&self, inst: Inst, condition: &Expr) -> bool {
        condition.eval(&|name, reading| self.value(inst, name, reading).unwrap_or(0)) != 0
    }

    /// The value of a field as an integer, if the opcode has it.
    pub fn value(&self, inst: Inst, name: NameId, reading: Reading) -> Option<i128> {
        let field = self.opcode(inst.opcode).field(name)?;
        Some(reading.integer(field.extract(inst.word), field.width()))
    }
}
