//! A check of data flow: E0514, an output operand that cannot be written.
//!
//! Findings are reported at the statement, once for all opcodes that inherit it.

use crate::ast::OperandRef;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::isa::{Binding, ConstantBits, Entry, Meaning, OperandLocation, TypeKind};
use crate::model::{Field, LayerKind, Model, Opcode};

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let is_opcode = |opcode: &&Opcode<'_>| model.layer(opcode.layer).kind == LayerKind::Opcode;
    for opcode in model.opcodes.iter().filter(is_opcode) {
        for (reference, place) in opcode.outputs.entries().iter().zip(&opcode.outputs.places) {
            let Some(OperandLocation::Field(name)) = place else { continue };
            let Some(field) = model.find_field(opcode.layer, *name) else { continue };
            if let Some(why) = not_writable(model, opcode, model.field(field)) {
                diagnostics.push(not_a_resource(model, opcode, reference, why));
            }
        }
    }
}

/// Why a field's operand cannot be written, if it cannot.
fn not_writable(model: &Model<'_>, opcode: &Opcode<'_>, field: &Field<'_>) -> Option<&'static str> {
    let ty = &model.types[field.ty?.index()];
    let entries = match &ty.ty.kind {
        TypeKind::Immediate(_) => return Some("an immediate cannot be written"),
        TypeKind::Operand(entries) if !ty.has_gaps => entries,
        _ => return None,
    };
    if !entries.iter().any(is_resource) {
        return Some("the operand cannot be written: no value of its type is a register");
    }
    let Some(Binding::Fixed(raw)) = opcode.binding(field) else { return None };
    let entry = entries.iter().find(|entry| entry.position(raw).is_some())?;
    match entry.meaning {
        Meaning::Constant { bits: ConstantBits::Zero | ConstantBits::One, .. } => {
            Some("the operand is always a constant, so writes to it are discarded")
        }
        _ => None,
    }
}

fn is_resource(entry: &Entry) -> bool {
    matches!(
        entry.meaning,
        Meaning::Registers { .. } | Meaning::Register { .. } | Meaning::Special(_)
    )
}

fn not_a_resource(
    model: &Model<'_>,
    opcode: &Opcode<'_>,
    reference: &OperandRef<'_>,
    why: &str,
) -> Diagnostic {
    let layer = model.layer(opcode.layer);
    Diagnostic::new(Code::E0514, why, reference.span())
        .with_label("listed in `OutList`")
        .with_related(layer.header, "in the context of this definition")
        .with_removal(
            "remove it from `OutList`, or give its field another type",
            Old::Entry(reference.span()),
        )
}
