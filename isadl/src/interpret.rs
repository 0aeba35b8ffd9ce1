//! Interpretation: words decoded and encoded by an [`Isa`] itself, without generated code.
//!
//! The twin of what backends generate: both must agree on every word.

use crate::isa::{Binding, Isa, NameId, OpcodeId, Reading, RuleId, low_bits};

/// A legal instruction: its opcode, and its word with nothing but significant bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inst {
    /// The opcode.
    pub opcode: OpcodeId,
    /// The word.
    pub word: u128,
}

/// Why a word is no instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// No opcode has these fixed bits.
    Unknown,
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
    /// A rule forbids the word.
    Rule(RuleId),
}

impl Isa {
    /// The opcode of a word, by the decision tree.
    pub fn find(&self, word: u128) -> Option<OpcodeId> {
        self.tree.candidates(word).iter().copied().find(|id| self.matches(*id, word))
    }

    /// The opcode of a word, by comparing it with every opcode: the twin of [`Isa::find`].
    pub fn find_linear(&self, word: u128) -> Option<OpcodeId> {
        let matching = self.opcode_ids().filter(|id| self.matches(*id, word));
        // Of several the one with the most fixed bits is the special case; the first of equals.
        matching.min_by_key(|id| std::cmp::Reverse(self.opcode(*id).mask.count_ones()))
    }

    fn matches(&self, id: OpcodeId, word: u128) -> bool {
        let opcode = self.opcode(id);
        word & opcode.mask == opcode.value
    }

    /// Decodes a word; bits beyond the instruction's width and bits that no field covers are
    /// ignored.
    pub fn decode(&self, word: u128) -> Result<Inst, DecodeError> {
        let word = word & low_bits(self.width);
        let opcode = self.find(word).ok_or(DecodeError::Unknown)?;
        let inst = Inst { opcode, word: word & self.opcode(opcode).significant };
        self.check_values(inst).map_err(|field| DecodeError::IllegalValue { opcode, field })?;
        self.check_rules(inst).map_err(|rule| DecodeError::Rule { opcode, rule })?;
        Ok(inst)
    }

    /// Builds an instruction from encoded field values; fields with a default may be left out.
    pub fn encode(&self, opcode: OpcodeId, values: &[(NameId, u64)]) -> Result<Inst, EncodeError> {
        let definition = self.opcode(opcode);
        let unknown = values.iter().find(|(name, _)| definition.field(*name).is_none());
        if let Some((name, _)) = unknown {
            return Err(EncodeError::NoSuchField(*name));
        }
        let mut word = definition.value;
        for field in &definition.fields {
            let given = values.iter().find(|(name, _)| *name == field.name).map(|(_, raw)| *raw);
            let raw = match (given, field.binding) {
                (None, Binding::Required) => return Err(EncodeError::Missing(field.name)),
                (None, Binding::Default(raw) | Binding::Fixed(raw)) => raw,
                (Some(raw), Binding::Fixed(fixed)) if raw != fixed => {
                    return Err(EncodeError::IllegalValue(field.name));
                }
                (Some(raw), _) => raw,
            };
            if !self.ty(field.ty).is_legal(raw) {
                return Err(EncodeError::IllegalValue(field.name));
            }
            word = field.insert(word, raw);
        }
        let inst = Inst { opcode, word };
        self.check_rules(inst).map_err(EncodeError::Rule)?;
        Ok(inst)
    }

    /// The first field, from the lowest bit, whose value its type lacks.
    fn check_values(&self, inst: Inst) -> Result<(), NameId> {
        let fields = self.opcode(inst.opcode).fields.iter();
        let mut illegal =
            fields.filter(|field| !self.ty(field.ty).is_legal(field.extract(inst.word)));
        illegal.next().map_or(Ok(()), |field| Err(field.name))
    }

    fn check_rules(&self, inst: Inst) -> Result<(), RuleId> {
        let rules = self.opcode(inst.opcode).rules.iter().copied();
        let mut broken = rules.filter(|rule| self.breaks(inst, *rule));
        broken.next().map_or(Ok(()), Err)
    }

    /// Whether an instruction's word is one that the rule forbids.
    pub fn breaks(&self, inst: Inst, rule: RuleId) -> bool {
        let condition = self.expr(self.rule(rule).condition);
        condition.eval(&|name, reading| self.value(inst, name, reading).unwrap_or(0)) != 0
    }

    /// The value of a field as an integer, if the opcode has it.
    pub fn value(&self, inst: Inst, name: NameId, reading: Reading) -> Option<i128> {
        let field = self.opcode(inst.opcode).field(name)?;
        let raw = field.extract(inst.word);
        Some(match reading {
            Reading::Unsigned => i128::from(raw),
            Reading::Signed => {
                let unused = 64 - field.width;
                i128::from((raw << unused) as i64 >> unused)
            }
        })
    }
}
