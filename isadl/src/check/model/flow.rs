//! Checks of data flow: E0514 (an output operand that cannot be written), E0515 (a width that
//! exceeds the register file).
//!
//! Findings are reported at the statement, once for all opcodes that inherit it.

use crate::ast::{OperandRef, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, bits};
use crate::isa::{Binding, ConstantBits, Entry, Expr, Meaning, NameId, Place, TypeKind};
use crate::model::{Field, LayerKind, Model, Opcode};

/// The maximum number of combinations of modifier values that are tried for a width.
const MAX_COMBINATIONS: usize = 1 << 12;

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let is_opcode = |opcode: &&Opcode<'_>| model.layer(opcode.layer).kind == LayerKind::Opcode;
    for opcode in model.opcodes.iter().filter(is_opcode) {
        for (reference, place) in opcode.outputs.entries().iter().zip(&opcode.outputs.places) {
            let Some(Place::Field(name)) = place else { continue };
            let Some(field) = model.find_field(opcode.layer, *name) else { continue };
            if let Some(why) = not_writable(model, opcode, model.field(field)) {
                diagnostics.push(not_a_resource(model, opcode, reference, why));
            }
        }
        widths(model, opcode, diagnostics);
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
        .with_help("remove it from `OutList`, or give its field another type")
}

/// Reports operands whose data exceeds their register file.
fn widths(model: &Model<'_>, opcode: &Opcode<'_>, diagnostics: &mut Diagnostics) {
    for item in &opcode.flow {
        let (crate::isa::FlowPlace::Field(name), Some(width)) = (item.place, item.width) else {
            continue;
        };
        let Some(room) = room(model, opcode, name) else { continue };
        let widest = widest(model, opcode, model.exprs.get(width));
        let Some(widest) = widest.filter(|widest| *widest > i128::from(room)) else { continue };
        let text = model.names.text(name);
        let layer = model.layer(opcode.layer);
        let span = statement(model, opcode, text).unwrap_or(layer.header);
        let data = u64::try_from(widest).unwrap_or(u64::MAX);
        let message =
            format!("`{text}` has up to {} of data, more than its register file", bits(data));
        diagnostics.push(
            Diagnostic::new(Code::E0515, message, span)
                .with_label(format!("all registers of its file together have {}", bits(room)))
                .with_related(layer.header, "in the context of this definition")
                .with_help("correct the width, or the register file"),
        );
    }
}

/// The total number of bits in an operand's largest register file; `None` if it does not have
/// registers.
fn room(model: &Model<'_>, opcode: &Opcode<'_>, name: NameId) -> Option<u64> {
    let field = model.field(model.find_field(opcode.layer, name)?);
    let ty = &model.types[field.ty?.index()];
    let TypeKind::Operand(entries) = &ty.ty.kind else { return None };
    if ty.has_gaps {
        return None;
    }
    let room = |entry: &Entry| match entry.meaning {
        Meaning::Registers { file, .. } | Meaning::Register { file, .. } => {
            let file = &model.reg_files[file.index()];
            Some(u64::from(file.width) * u64::from(file.count))
        }
        _ => None,
    };
    entries.iter().filter_map(room).max()
}

/// The largest width over all values of the modifiers that it depends on, if there are few.
fn widest(model: &Model<'_>, opcode: &Opcode<'_>, expr: &Expr) -> Option<i128> {
    let names = expr.fields();
    let values = |name: &NameId| -> Option<Vec<u64>> {
        let field = model.field(model.find_field(opcode.layer, *name)?);
        if let Some(Binding::Fixed(raw)) = opcode.binding(field) {
            return Some(vec![raw]);
        }
        match &model.ty(field.ty?).kind {
            TypeKind::BitField(values) => Some(values.iter().map(|value| value.value).collect()),
            _ => None,
        }
    };
    let values: Vec<Vec<u64>> = names.iter().map(values).collect::<Option<_>>()?;
    let combinations: usize = values.iter().map(Vec::len).product();
    let value = |mut index: usize| {
        let chosen: Vec<u64> = values
            .iter()
            .map(|list| {
                let value = list[index % list.len()];
                index /= list.len();
                value
            })
            .collect();
        expr.eval(&|name, _| {
            let position = names.iter().position(|other| *other == name);
            position.map_or(0, |position| i128::from(chosen[position]))
        })
    };
    (combinations <= MAX_COMBINATIONS).then(|| (0..combinations).map(value).max()).flatten()
}

/// The `Bitwidth` statement that applies to an operand.
fn statement(model: &Model<'_>, opcode: &Opcode<'_>, operand: &str) -> Option<crate::source::Span> {
    let chain = model.layer(opcode.layer).chain.iter().rev();
    let mut statements = chain.flat_map(|id| &model.layer(*id).ast.operand_info);
    let found = statements.find(|statement| {
        matches!(&statement.kind, OperandStatementKind::Bitwidth(name, _) if name.text == operand)
    });
    found.map(|statement| statement.span)
}
