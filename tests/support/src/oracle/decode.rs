//! Which opcode a word is, or why it is not an instruction.

use isadl::isa::{ExprId, Isa, NameId, Opcode, OpcodeId, RuleId, RuleScope, TypeKind};

use super::{Instruction, entry, enumerator, positions};

/// The verdict on a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// An instruction of the opcode. `advice` is a rule that forbids assemblers to generate it.
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

/// Decodes a word in which the instruction begins at bit 0. If several opcodes match, the opcode for which the word is
/// legal wins. If there is none, the reason comes from the first opcode.
pub fn decode(isa: &Isa, word: u128) -> Verdict {
    let verdicts: Vec<Verdict> =
        candidates(isa, word).into_iter().map(|id| verdict(isa, id, word)).collect();
    let legal = verdicts.iter().find(|verdict| matches!(verdict, Verdict::Legal { .. }));
    legal.or(verdicts.first()).copied().unwrap_or(Verdict::Unknown)
}

/// The verdict on a word as an instruction of an opcode whose fixed bits it has.
pub fn verdict(isa: &Isa, id: OpcodeId, word: u128) -> Verdict {
    let opcode = &isa.opcodes()[id.index()];
    let inst = Instruction::new(isa, opcode, word);
    let mut fields: Vec<_> = opcode.fields.iter().collect();
    fields.sort_by_key(|field| {
        let bits = positions(&field.bits).into_iter();
        // Where bit 0 is the highest, a field has the lower number that has the higher bit.
        let number = |bit: u32| if isa.word_layout().is_msb0() { u32::MAX - bit } else { bit };
        bits.map(number).min()
    });
    if let Some(field) = fields.into_iter().find(|field| !is_legal(inst, field)) {
        return Verdict::IllegalValue { opcode: id, field: field.name };
    }
    match broken(inst, RuleScope::Word) {
        Some(rule) => Verdict::Rule { opcode: id, rule },
        None => Verdict::Legal { opcode: id, advice: broken(inst, RuleScope::Assembler) },
    }
}

/// The meaningful bits of an instruction: field bits and fixed bits. All other bits are set as an encoder writes them.
pub fn significant(opcode: &Opcode, word: u128) -> u128 {
    let mut kept = word & opcode.mask;
    for field in &opcode.fields {
        for bit in positions(&field.bits) {
            kept |= word & 1 << bit;
        }
    }
    kept | opcode.written
}

/// The opcode that a word belongs to: the opcode for which it is legal, else the first opcode whose fixed bits it has.
pub fn find(isa: &Isa, word: u128) -> Option<OpcodeId> {
    match decode(isa, word) {
        Verdict::Unknown => None,
        Verdict::Legal { opcode, .. }
        | Verdict::IllegalValue { opcode, .. }
        | Verdict::Rule { opcode, .. } => Some(opcode),
    }
}

/// The opcodes that match a word, the most fixed bits first: the word has their fixed bits, but not the bits of their
/// special cases. In a selection, words of an excluded opcode match none, even if they belong to a special case.
pub fn candidates(isa: &Isa, word: u128) -> Vec<OpcodeId> {
    let opcode = |id: OpcodeId| &isa.opcodes()[id.index()];
    let has_bits = |id: &OpcodeId| word & opcode(*id).mask == opcode(*id).value;
    let matching: Vec<OpcodeId> = isa.opcode_ids().filter(has_bits).collect();
    let has_special_case = |general: &Opcode| {
        let fixes_more = |special: &Opcode| {
            let has_all = special.mask & general.mask == general.mask;
            has_all && special.mask != general.mask && !special.has_match
        };
        matching.iter().any(|special| fixes_more(opcode(*special)))
            || general.special_cases.iter().any(|case| !case.is_present && case.takes(word))
    };
    let mut found: Vec<OpcodeId> =
        matching.iter().copied().filter(|id| !has_special_case(opcode(*id))).collect();
    found.sort_by_key(|id| (std::cmp::Reverse(opcode(*id).mask.count_ones()), *id));
    found
}

pub(super) fn is_legal(inst: Instruction<'_>, field: &isadl::isa::Field) -> bool {
    let (ty, raw) = (inst.type_of(field), inst.raw(field.name));
    let is_reserved = |reserved_values: &[(u64, u128)]| {
        reserved_values.iter().any(|(first, end)| *first <= raw && u128::from(raw) < *end)
    };
    let is_other =
        || ty.otherwise.as_ref().is_some_and(|other| !is_reserved(&other.reserved_values));
    match &ty.kind {
        TypeKind::BitField(_) => enumerator(ty, raw).is_some() || is_other(),
        TypeKind::Operand(_) => entry(ty, raw).is_some() || is_other(),
        TypeKind::Immediate(immediate) => !is_reserved(&immediate.reserved_values),
        TypeKind::Composite(_) => true,
    }
}

/// The first rule of a scope that forbids an instruction.
fn broken(inst: Instruction<'_>, scope: RuleScope) -> Option<RuleId> {
    let is_broken =
        |id: &RuleId| inst.isa.rules()[id.index()].scope == scope && is_broken_by(inst, *id);
    inst.opcode.rules.iter().copied().find(is_broken)
}

/// Whether a rule holds for a word of an opcode.
pub fn breaks(isa: &Isa, opcode: &Opcode, word: u128, rule: RuleId) -> bool {
    is_broken_by(Instruction::new(isa, opcode, word), rule)
}

/// Whether a condition holds in a word of an opcode.
pub fn holds(isa: &Isa, opcode: &Opcode, word: u128, condition: ExprId) -> bool {
    Instruction::new(isa, opcode, word).value(&isa.exprs()[condition.index()]) != 0
}

/// Whether a rule forbids an instruction.
pub(super) fn is_broken_by(inst: Instruction<'_>, rule: RuleId) -> bool {
    let condition = inst.isa.rules()[rule.index()].condition;
    inst.value(&inst.isa.exprs()[condition.index()]) != 0
}
