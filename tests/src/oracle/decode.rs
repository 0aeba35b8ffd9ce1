//! Which opcode a word is, or why it is not an instruction.

use isadl::isa::{Isa, NameId, Opcode, OpcodeId, RuleId, RuleScope, TypeKind};

use super::{Instruction, entry, enumerator};

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// An instruction of the opcode. The rule is one for assemblers that forbids to make it.
    Legal {
        /// The opcode.
        opcode: OpcodeId,
        /// The first rule that forbids an assembler to make it.
        advice: Option<RuleId>,
    },
    /// No opcode has these fixed bits.
    Unknown,
    /// The field has a value that is not in its type.
    IllegalValue {
        /// The opcode of the word.
        opcode: OpcodeId,
        /// The first such field from the lowest bit on.
        field: NameId,
    },
    /// A rule forbids the word.
    Rule {
        /// The opcode of the word.
        opcode: OpcodeId,
        /// The first such rule.
        rule: RuleId,
    },
}

/// Decodes a word, in which the instruction begins at bit 0.
pub fn decode(isa: &Isa, word: u128) -> Verdict {
    let Some(id) = find(isa, word) else { return Verdict::Unknown };
    let opcode = &isa.opcodes()[id.index()];
    let inst = Instruction { isa, opcode, word };
    let mut fields: Vec<_> = opcode.fields.iter().collect();
    fields.sort_by_key(|field| field.lsb);
    if let Some(field) = fields.into_iter().find(|field| !is_legal(inst, field)) {
        return Verdict::IllegalValue { opcode: id, field: field.name };
    }
    match broken(inst, RuleScope::Word) {
        Some(rule) => Verdict::Rule { opcode: id, rule },
        None => Verdict::Legal { opcode: id, advice: broken(inst, RuleScope::Assembler) },
    }
}

/// The bits of an instruction that mean something: those of its fields.
pub fn significant(opcode: &Opcode, word: u128) -> u128 {
    let mut kept = 0;
    for field in &opcode.fields {
        for bit in field.lsb..field.lsb + field.width {
            kept |= word & 1 << bit;
        }
    }
    kept
}

/// The opcode whose fixed bits the word has; of several the one with the most. Of a selection, the words
/// of an opcode that is left out have none, also where they are those of a special case.
pub fn find(isa: &Isa, word: u128) -> Option<OpcodeId> {
    let mut found: Option<OpcodeId> = None;
    for id in isa.opcode_ids() {
        let opcode = &isa.opcodes()[id.index()];
        let fixed = |id: OpcodeId| isa.opcodes()[id.index()].mask.count_ones();
        if word & opcode.mask == opcode.value && found.is_none_or(|found| fixed(id) > fixed(found))
        {
            found = Some(id);
        }
    }
    let is_left_out = |id: &OpcodeId| {
        let cases = &isa.opcodes()[id.index()].special_cases;
        cases.iter().any(|case| !case.is_present && case.takes(word))
    };
    found.filter(|id| !is_left_out(id))
}

pub(super) fn is_legal(inst: Instruction<'_>, field: &isadl::isa::Field) -> bool {
    let (ty, raw) = (inst.type_of(field), inst.raw(field.name));
    match &ty.kind {
        TypeKind::BitField(_) => enumerator(ty, raw).is_some(),
        TypeKind::Operand(_) => entry(ty, raw).is_some(),
        TypeKind::Immediate(_) | TypeKind::Composite(_) => true,
    }
}

/// The first rule of a scope that forbids an instruction.
fn broken(inst: Instruction<'_>, scope: RuleScope) -> Option<RuleId> {
    let is_broken = |id: &RuleId| inst.isa.rules()[id.index()].scope == scope && breaks(inst, *id);
    inst.opcode.rules.iter().copied().find(is_broken)
}

/// Whether a rule forbids an instruction.
pub(super) fn breaks(inst: Instruction<'_>, rule: RuleId) -> bool {
    let condition = inst.isa.rules()[rule.index()].condition;
    inst.value(&inst.isa.exprs()[condition.index()]) != 0
}
