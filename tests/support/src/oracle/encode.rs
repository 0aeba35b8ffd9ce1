//! The word of values of fields.

use isadl::engine::EncodeError;
use isadl::isa::{Binding, Isa, NameId, OpcodeId};

use super::decode::{is_broken_by, is_legal};
use super::{Instruction, gathered, positions};

/// The word of an opcode with values of its fields; those with a default may be left out.
pub fn encode(isa: &Isa, id: OpcodeId, values: &[(NameId, u64)]) -> Result<u128, EncodeError> {
    let opcode = &isa.opcodes()[id.index()];
    let known = |name: NameId| opcode.fields.iter().find(|field| field.name == name);
    if let Some((name, _)) = values.iter().find(|(name, _)| known(*name).is_none()) {
        return Err(EncodeError::NoSuchField(*name));
    }
    let mut word = opcode.value | opcode.written;
    for field in &opcode.fields {
        let given = values.iter().find(|(name, _)| *name == field.name).map(|(_, raw)| *raw);
        let raw = match (given, field.binding) {
            (None, Binding::Required) => return Err(EncodeError::Missing(field.name)),
            (None, Binding::Default(raw) | Binding::Fixed(raw)) => raw,
            (Some(raw), Binding::Fixed(fixed)) if raw != fixed => {
                return Err(EncodeError::IllegalValue(field.name));
            }
            (Some(raw), _) => raw,
        };
        let places = positions(&field.bits);
        let bit = |(at, bit): (usize, &u32)| u128::from(raw >> at & 1) << bit;
        let alone: u128 = places.iter().enumerate().map(bit).sum();
        let fits = places.len() >= 64 || raw >> places.len() == 0;
        if !fits || !is_legal(Instruction::new(isa, opcode, alone), field) {
            return Err(EncodeError::IllegalValue(field.name));
        }
        let all = places.iter().fold(0u128, |mask, bit| mask | 1 << bit);
        word = word & !all | alone;
    }
    for field in &opcode.fields {
        let given = values.iter().find(|(name, _)| *name == field.name);
        if given.is_some_and(|(_, raw)| gathered(word, &field.bits) != *raw) {
            return Err(EncodeError::Shared(field.name));
        }
    }
    let inst = Instruction::new(isa, opcode, word);
    if let Some(rule) = opcode.rules.iter().find(|rule| is_broken_by(inst, **rule)) {
        return Err(EncodeError::Rule(*rule));
    }
    match opcode.special_cases.iter().position(|case| case.takes(word)) {
        Some(case) => Err(EncodeError::SpecialCase(case)),
        None => Ok(word),
    }
}
