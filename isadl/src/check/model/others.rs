//! E0315: a modifier or attribute whose type has values without a name, which it cannot write.
//!
//! E0316: an attribute of a distance, which stops being a distance with a sign or a suffix.

use std::collections::HashSet;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::FieldRole;
use crate::model::Model;

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    nameless(model, diagnostics);
    distances(model, diagnostics);
}

/// Attributes of operands that are distances.
fn distances(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut seen = HashSet::new();
    for opcode in &model.opcodes {
        let layer = model.layer(opcode.layer);
        for (id, role) in layer.fields.iter().zip(&opcode.roles) {
            let Some(FieldRole::Attribute { of, .. }) = role else { continue };
            let operand = model.find_field(opcode.layer, *of).map(|field| model.field(field));
            let Some(ty) = operand.and_then(|operand| operand.ty) else { continue };
            let field = model.field(*id);
            if !model.has_distances(ty) || !seen.insert(field.ast.span) {
                continue;
            }
            let name = field.ast.name;
            let message = format!("`{}` is an attribute of a distance", name.text);
            diagnostics.push(
                Diagnostic::new(Code::E0316, message, name.span)
                    .with_related(model.types[ty.index()].name.span, "its type has `Relative`")
                    .with_note(
                        "if the address is known, the operand is printed as its target address",
                    )
                    .with_help("remove the attribute, or `Relative`"),
            );
        }
    }
}

fn nameless(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut seen = HashSet::new();
    for opcode in &model.opcodes {
        let layer = model.layer(opcode.layer);
        for (id, role) in layer.fields.iter().zip(&opcode.roles) {
            let what = match role {
                Some(FieldRole::Modifier) => "modifier",
                Some(FieldRole::Attribute { .. }) => "attribute",
                Some(FieldRole::Mnemonic) => "part of a mnemonic",
                _ => continue,
            };
            let field = model.field(*id);
            let Some(ty) = field.ty.map(|ty| &model.types[ty.index()]) else { continue };
            if ty.ty.otherwise.is_none() || !seen.insert(field.ast.span) {
                continue;
            }
            let name = field.ast.name;
            let message = format!("values of the {what} `{}` may have no name", name.text);
            let note = format!(
                "`else` in `{}` prints values without a name as numbers or composites, which only operands can be",
                ty.name.text
            );
            diagnostics.push(
                Diagnostic::new(Code::E0315, message, name.span)
                    .with_related(ty.name.span, "its type is defined here")
                    .with_note(note)
                    .with_help("list the field in `Order`, or give it a type without `else`"),
            );
        }
    }
}
