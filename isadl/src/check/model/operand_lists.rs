//! Operands and their lists: E0502 (required operand absent from `Order`), E0503 (lists
//! disagree), E0508 (no `Order` at all).
//!
//! Immediates need not be read by name; an indirect operand is written in `Order` as one, and
//! its register and offset stand in it.

use crate::ast::{Fixed, OperandRef, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Access, FieldRole, NameId, Place, TypeKind};
use crate::model::{LayerKind, Model, Opcode};
use crate::source::Span;

pub(super) fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for opcode in
        model.opcodes.iter().filter(|opcode| model.layer(opcode.layer).kind == LayerKind::Opcode)
    {
        match opcode.order {
            None => no_order(model, opcode, diagnostics),
            Some(_) => {
                required(model, opcode, diagnostics);
                listed_but_not_ordered(model, opcode, diagnostics);
                ordered_but_not_listed(model, opcode, diagnostics);
            }
        }
    }
}

/// The operand fields of an opcode, with whether they may be left out.
fn operands<'m>(
    model: &'m Model<'_>,
    opcode: &'m Opcode<'_>,
) -> impl Iterator<Item = &'m crate::model::Field<'m>> {
    let fields = model.layer(opcode.layer).fields.iter().zip(&opcode.roles);
    fields.filter(|(_, role)| **role == Some(FieldRole::Operand)).map(|(id, _)| model.field(*id))
}

fn no_order(model: &Model<'_>, opcode: &Opcode<'_>, diagnostics: &mut Diagnostics) {
    let layer = model.layer(opcode.layer);
    let names: Vec<&str> =
        operands(model, opcode).filter(|f| !is_fixed(f)).map(|field| field.ast.name.text).collect();
    if names.is_empty() {
        return;
    }
    diagnostics.push(
        Diagnostic::new(
            Code::E0508,
            format!("opcode `{}` has operands but no `Order`", layer.name.text),
            layer.name.span,
        )
        .with_note("`Order` says in which order operands are written in assembly")
        .with_help(format!("add `Order<{}>;` to `__OperandInfo`", names.join(", "))),
    );
}

fn is_fixed(field: &crate::model::Field<'_>) -> bool {
    field.ast.binding.is_some_and(|binding| binding.fixed == Fixed::Yes)
}

/// The names that `Order` writes, also those inside an indirect operand.
fn written(opcode: &Opcode<'_>) -> Vec<NameId> {
    let names = opcode.operands.iter().flat_map(|operand| match operand.place {
        Place::Field(name) => [Some(name), None],
        Place::File(_) => [None, None],
        Place::Indirect { base, offset, .. } => [Some(base), offset],
    });
    names.flatten().collect()
}

fn required(model: &Model<'_>, opcode: &Opcode<'_>, diagnostics: &mut Diagnostics) {
    let Some(order) = opcode.order else { return };
    let written = written(opcode);
    for field in operands(model, opcode) {
        if field.ast.binding.is_some() || written.contains(&field.name) {
            continue;
        }
        let name = field.ast.name.text;
        let layer = model.layer(opcode.layer);
        diagnostics.push(
            Diagnostic::new(
                Code::E0502,
                format!("operand `{name}` of `{}` is not in `Order`", layer.name.text),
                order.span,
            )
            .with_related(field.ast.span, "it has no default, so it must be written")
            .with_help(format!("add `{name}` to `Order`, or give it a default")),
        );
    }
}

/// The list in force of one kind with the place of each entry.
fn entries<'m>(
    model: &'m Model<'_>,
    opcode: &Opcode<'_>,
    kind: ListKind,
) -> Option<(Span, &'m [OperandRef<'m>])> {
    model.layer(opcode.layer).chain.iter().rev().find_map(|layer| {
        model.layer(*layer).ast.operand_info.iter().find_map(|statement| {
            match (&statement.kind, kind) {
                (OperandStatementKind::InList(list), ListKind::In) => {
                    Some((statement.span, list.as_slice()))
                }
                (OperandStatementKind::OutList(list), ListKind::Out) => {
                    Some((statement.span, list.as_slice()))
                }
                (OperandStatementKind::Order(list), ListKind::Order) => {
                    Some((statement.span, list.as_slice()))
                }
                _ => None,
            }
        })
    })
}

#[derive(Clone, Copy, PartialEq)]
enum ListKind {
    In,
    Out,
    Order,
}

fn listed_but_not_ordered(model: &Model<'_>, opcode: &Opcode<'_>, diagnostics: &mut Diagnostics) {
    let Some(order) = opcode.order else { return };
    let written = written(opcode);
    let files: Vec<&str> = opcode
        .operands
        .iter()
        .filter_map(|operand| match operand.place {
            Place::File(file) => Some(model.reg_files[file.index()].name.text),
            _ => None,
        })
        .collect();
    for (kind, word) in [(ListKind::In, "InList"), (ListKind::Out, "OutList")] {
        for operand in entries(model, opcode, kind).map_or(&[][..], |(_, list)| list) {
            let OperandRef::Name(name) = operand else { continue };
            let field = model.find_field_text(opcode.layer, name.text).map(|id| model.field(id));
            let known = match field {
                Some(field) => operands(model, opcode).any(|o| o.name == field.name),
                None => model.find_reg_file(name.text).is_some(),
            };
            let is_written =
                field.map_or(files.contains(&name.text), |field| written.contains(&field.name));
            let is_immediate = field.is_some_and(|field| is_immediate(model, field));
            let constant = field.is_some_and(is_fixed);
            if !known || is_written || is_immediate || constant {
                continue;
            }
            diagnostics.push(
                Diagnostic::new(
                    Code::E0503,
                    format!("`{}` is in `{word}` but not in `Order`", name.text),
                    name.span,
                )
                .with_related(order.span, "the order in which operands are written")
                .with_help(format!("add `{}` to `Order`, or remove it here", name.text)),
            );
        }
    }
}

fn ordered_but_not_listed(model: &Model<'_>, opcode: &Opcode<'_>, diagnostics: &mut Diagnostics) {
    let Some((_, order)) = entries(model, opcode, ListKind::Order) else { return };
    for operand in order {
        let OperandRef::Name(name) = operand else { continue };
        let field = model.find_field_text(opcode.layer, name.text).map(|id| model.field(id));
        let place = match field {
            Some(field) => Place::Field(field.name),
            None => match model.find_reg_file(name.text) {
                Some(file) => Place::File(file),
                None => continue,
            },
        };
        let unlisted = opcode.operands.iter().any(|o| o.place == place && o.access == Access::None);
        if !unlisted || field.is_some_and(|field| is_immediate(model, field)) {
            continue;
        }
        let at = |kind| entries(model, opcode, kind).map(|(span, _)| span);
        let mut diagnostic = Diagnostic::new(
            Code::E0503,
            format!("`{}` is in `Order` but in neither `InList` nor `OutList`", name.text),
            name.span,
        )
        .with_note("every operand but an immediate is read or written")
        .with_help(format!("add `{}` to the list it belongs to", name.text));
        for (span, text) in
            [(at(ListKind::In), "what is read"), (at(ListKind::Out), "what is written")]
        {
            if let Some(span) = span {
                diagnostic = diagnostic.with_related(span, text);
            }
        }
        diagnostics.push(diagnostic);
    }
}

fn is_immediate(model: &Model<'_>, field: &crate::model::Field<'_>) -> bool {
    field.ty.is_none_or(|ty| matches!(model.ty(ty).kind, TypeKind::Immediate(_)))
}
