//! W0504: an operand without `Bitwidth` that is a composite, or is in a register file with multi-register operands.

use crate::ast::{OperandRef, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Meaning, NameId, OperandLocation, RegFileId, TypeKind};
use crate::model::{LayerKind, Model, Opcode, Type};
use crate::prove::most;
use crate::source::Span;

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let several = several(model);
    for opcode in
        model.opcodes.iter().filter(|opcode| model.layer(opcode.layer).kind == LayerKind::Opcode)
    {
        if opcode.widths.has_gaps {
            continue;
        }
        for operand in &opcode.operands {
            let OperandLocation::Field(name) = operand.place else { continue };
            let ty = model.find_field(opcode.layer, name).and_then(|field| model.field(field).ty);
            let needs = ty.is_some_and(|ty| needs_width(&several, &model.types[ty.index()]));
            if needs && opcode.widths.names.binary_search(&name).is_err() {
                diagnostics.push(missing(model, opcode, name));
            }
        }
    }
}

/// The register files in which some operands can be several registers. In other files, an operand without a width is
/// one register.
fn several(model: &Model<'_>) -> Vec<bool> {
    let mut several = vec![false; model.reg_files.len()];
    for opcode in &model.opcodes {
        for operand in &opcode.operands {
            let (OperandLocation::Field(name), Some(width)) = (operand.place, operand.width) else {
                continue;
            };
            let ty = model.find_field(opcode.layer, name).and_then(|field| model.field(field).ty);
            let most = most(model.exprs.get(width));
            let files = ty.into_iter().flat_map(|ty| files(&model.ty(ty).kind));
            for file in files {
                let own = i128::from(model.reg_files[file.index()].width);
                several[file.index()] |= most > own;
            }
        }
    }
    several
}

/// The register files of a type.
fn files(kind: &TypeKind) -> impl Iterator<Item = RegFileId> {
    let entries = match kind {
        TypeKind::Operand(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().filter_map(|entry| match &entry.meaning {
        Meaning::Registers { file, .. } | Meaning::Register { file, .. } => Some(*file),
        _ => None,
    })
}

/// Whether fields of a type need a width, judging by its known values.
fn needs_width(several: &[bool], ty: &Type<'_>) -> bool {
    match &ty.ty.kind {
        TypeKind::Operand(_) => files(&ty.ty.kind).any(|file| several[file.index()]),
        TypeKind::Composite(_) => true,
        TypeKind::BitField(_) | TypeKind::Immediate(_) => false,
    }
}

fn missing(model: &Model<'_>, opcode: &Opcode<'_>, name: NameId) -> Diagnostic {
    let text = model.names.text(name);
    let layer = model.layer(opcode.layer);
    let message = format!("operand `{text}` of `{}` does not have a `Bitwidth`", layer.name.text);
    Diagnostic::new(Code::W0504, message, place_in_order(opcode, text).unwrap_or(layer.name.span))
        .with_note("the width determines how many registers it occupies")
        .with_help(match opcode.order.statement.is_some_and(|statement| statement.is_short) {
            true => format!("write `{text} : width` in `Operands`"),
            false => format!("add `Bitwidth<{text}> = …;` to `__OperandInfo`"),
        })
}

fn place_in_order(opcode: &Opcode<'_>, text: &str) -> Option<Span> {
    let OperandStatementKind::Order(list) = &opcode.order.statement?.kind else { return None };
    list.iter().find_map(|operand| match operand {
        OperandRef::Name(name) if name.text == text => Some(name.span),
        _ => None,
    })
}
