//! Describes items of an instruction set in words: expressions, values, operands. Tables, comparisons and the manual
//! use the same words.

pub(crate) mod code;
pub(crate) mod expressions;
pub(crate) mod syntax;
pub(crate) mod values;
pub(crate) mod width;

use isadl_ir::isa::{Isa, NameId, Opcode, TypeKind};

/// A part of a composite as the language writes it, `address.base`.
pub(crate) fn part_name(isa: &Isa, opcode: &Opcode, field: NameId, part: usize) -> String {
    let name = isa.name_of(field);
    let part = opcode.field(field).and_then(|field| match &isa.ty(field.ty).kind {
        TypeKind::Composite(composite) => composite.parts.get(part),
        _ => None,
    });
    part.map_or_else(|| name.to_string(), |part| format!("{name}.{}", part.name))
}
