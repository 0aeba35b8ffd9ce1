//! What names in a program mean among the fields of an opcode: operands, other fields, marks of operands.

use std::collections::BTreeSet;

use isadl_ir::isa::{Field, FieldRole, Isa, NameId, Opcode, TypeId};

/// What an operand has beside its value: a sign, a selected part.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mark {
    /// A field of the opcode.
    Field(NameId),
    /// None in this form, but in others, of a type.
    Absent(TypeId),
}

/// The field that a name means: its own, or the one that a placeholder stands for.
pub(crate) fn field_named(isa: &Isa, opcode: &Opcode, name: &str) -> Option<NameId> {
    let fields = &opcode.fields;
    let named = fields.iter().find(|field| isa.name_of(field.name) == name);
    let found = named
        .or_else(|| fields.iter().find(|field| isa.stands_for(name, isa.name_of(field.name))))?;
    // The operand is the literal in this form of the opcode.
    Some(opcode.literal_of(found.name).unwrap_or(found.name))
}

/// The mark of an operand, `ra.neg`, or of the operand that a placeholder stands for.
pub(crate) fn mark_named(isa: &Isa, opcode: &Opcode, of: &str, mark: &str) -> Option<Mark> {
    let operand = field_named(isa, opcode, of);
    let part = |field: &Field| isa.name_of(field.name).split_once('.').map(|(_, part)| part);
    // The operand may be a literal, whose name is not that of the mark.
    let is_its = |field: &&Field| match (field.role, operand) {
        (FieldRole::Attribute { of }, Some(operand)) => of == operand && part(field) == Some(mark),
        _ => false,
    };
    if let Some(field) = opcode.fields.iter().find(is_its) {
        return Some(Mark::Field(field.name));
    }
    let of_operand = |field: &&Field, operand: &str| {
        let parts = isa.name_of(field.name).split_once('.');
        parts.is_some_and(|(own, part)| own == operand && part == mark)
    };
    let operands: Vec<&str> = isa.stand_ins(of).collect();
    let fields = isa.opcodes().iter().flat_map(|opcode| &opcode.fields);
    let types: BTreeSet<TypeId> = fields
        .filter(|field| operands.iter().any(|operand| of_operand(field, operand)))
        .map(|field| field.ty)
        .collect();
    let first = types.first().copied();
    first.filter(|_| types.len() == 1).map(Mark::Absent)
}
