//! Interpretation: words decoded and encoded by an [`Isa`] itself, without generated code.
//!
//! The twin of what backends generate: both must agree on every word.

use crate::isa::{Binding, Field, Isa, NameId, OpcodeId, Reading, RuleId, RuleScope, low_bits};

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
    /// There are fewer bytes than the instruction has.
    Truncated {
        /// How many bytes it has.
        needed: usize,
    },
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
    /// A field that shares bits with another one was given another value.
    Shared(NameId),
    /// A rule forbids the word.
    Rule(RuleId),
    /// The word belongs to a special case of the opcode: its index in
    /// [`Opcode::special_cases`](crate::isa::Opcode::special_cases).
    SpecialCase(usize),
}

impl Isa {
    /// The opcode of a word, by the decision tree. Of a selection, the words of an opcode that is
    /// left out have none, also where they are those of a special case.
    pub fn find(&self, word: u128) -> Option<OpcodeId> {
        let mut candidates = self.tree.candidates(word).iter().copied();
        candidates.find(|id| self.matches(*id, word)).filter(|id| !self.is_left_out(*id, word))
    }

    /// Whether a word of an opcode belongs to a special case that a selection leaves out.
    fn is_left_out(&self, id: OpcodeId, word: u128) -> bool {
        let cases = &self.opcode(id).special_cases;
        cases.iter().any(|case| !case.is_present && case.takes(word))
    }

    /// The opcode of a word, by comparing it with every opcode: the twin of [`Isa::find`].
    pub fn find_linear(&self, word: u128) -> Option<OpcodeId> {
        let matching = self.opcode_ids().filter(|id| self.matches(*id, word));
        // Of several the one with the most fixed bits is the special case; the first of equals.
        let found = matching.min_by_key(|id| std::cmp::Reverse(self.opcode(*id).mask.count_ones()));
        found.filter(|id| !self.is_left_out(*id, word))
    }

    fn matches(&self, id: OpcodeId, word: u128) -> bool {
        let opcode = self.opcode(id);
        word & opcode.mask == opcode.value
    }

    /// Decodes the instruction at the start of `bytes`, little-endian; returns it with the number
    /// of bytes that it takes.
    pub fn decode_bytes(&self, bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
        let (word, needed) = self.first_word(bytes);
        if needed > bytes.len() {
            return Err(DecodeError::Truncated { needed });
        }
        Ok((self.decode(word)?, needed))
    }

    /// The word that `bytes`, little-endian, begin with, zeros behind them, and how many bytes its
    /// instruction takes; as many as the shortest has where there is none.
    pub fn first_word(&self, bytes: &[u8]) -> (u128, usize) {
        let mut word = [0; 16];
        let available = bytes.len().min(self.bytes());
        word[..available].copy_from_slice(&bytes[..available]);
        let word = u128::from_le_bytes(word);
        let opcode = self.find(word).map(|opcode| self.opcode(opcode));
        (word, opcode.map_or_else(|| self.shortest(), |opcode| opcode.width as usize / 8))
    }

    /// Bytes in the instruction that a word is; those of the widest if it is none.
    pub fn length(&self, word: u128) -> usize {
        self.find(word).map_or(self.bytes(), |opcode| self.opcode(opcode).width as usize / 8)
    }

    /// Bytes in the shortest instruction.
    pub fn shortest(&self) -> usize {
        self.opcodes.iter().map(|opcode| opcode.width as usize / 8).min().unwrap_or(self.bytes())
    }

    /// The rule that holds for a legal instruction all the same: it is none that an assembler
    /// makes.
    pub fn advice(&self, inst: Inst) -> Option<RuleId> {
        self.broken_rule(inst, |scope| scope == RuleScope::Assembler)
    }

    /// Decodes a word; bits beyond the instruction's width and bits that no field covers are
    /// ignored.
    pub fn decode(&self, word: u128) -> Result<Inst, DecodeError> {
        let opcode = self.find(word & low_bits(self.width)).ok_or(DecodeError::Unknown)?;
        let definition = self.opcode(opcode);
        let significant = definition.significant & low_bits(definition.width);
        let inst = Inst { opcode, word: word & significant };
        self.check_values(inst).map_err(|field| DecodeError::IllegalValue { opcode, field })?;
        match self.broken_rule(inst, |scope| scope == RuleScope::Word) {
            Some(rule) => Err(DecodeError::Rule { opcode, rule }),
            None => Ok(inst),
        }
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
        let differs = |field: &&Field| {
            values.iter().any(|(name, raw)| *name == field.name && field.extract(word) != *raw)
        };
        if let Some(field) = definition.fields.iter().find(differs) {
            return Err(EncodeError::Shared(field.name));
        }
        let inst = Inst { opcode, word };
        match self.broken_rule(inst, |_| true) {
            Some(rule) => Err(EncodeError::Rule(rule)),
            None => match definition.special_case(word) {
                Some(index) => Err(EncodeError::SpecialCase(index)),
                None => Ok(inst),
            },
        }
    }

    /// The first field, from the lowest bit, whose value its type lacks.
    fn check_values(&self, inst: Inst) -> Result<(), NameId> {
        let fields = self.opcode(inst.opcode).fields.iter();
        let mut illegal =
            fields.filter(|field| !self.ty(field.ty).is_legal(field.extract(inst.word)));
        illegal.next().map_or(Ok(()), |field| Err(field.name))
    }

    /// The first rule of a scope that an instruction breaks.
    fn broken_rule(&self, inst: Inst, of: impl Fn(RuleScope) -> bool) -> Option<RuleId> {
        let mut rules = self.opcode(inst.opcode).rules.iter().copied();
        rules.find(|rule| of(self.rule(*rule).scope) && self.breaks(inst, *rule))
    }

    /// Whether an instruction's word is one that the rule forbids.
    pub fn breaks(&self, inst: Inst, rule: RuleId) -> bool {
        let condition = self.expr(self.rule(rule).condition);
        condition.eval(&|name, reading| self.value(inst, name, reading).unwrap_or(0)) != 0
    }

    /// The value of a field as an integer, if the opcode has it.
    pub fn value(&self, inst: Inst, name: NameId, reading: Reading) -> Option<i128> {
        let field = self.opcode(inst.opcode).field(name)?;
        Some(reading.integer(field.extract(inst.word), field.width))
    }
}
