//! Forms and opcodes that do not find each other: W0908 (form that no opcode implements), W0909
//! (opcode that no template shows).
//!
//! A form without opcode and an opcode without form are likely one mistake, which is reported at the form.

use super::templates::{Shown, Templates};
use super::{Context, Findings, places};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Isa, Opcode, OpcodeId};

pub(super) fn check(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    findings: &mut Findings,
) {
    let mut is_clear = templates.is_whole && !templates.forms.is_empty();
    for shown in templates.forms.iter().filter(|shown| shown.matches.is_empty()) {
        is_clear = false;
        findings
            .add(format!("{:?}", shown.form.span), without_opcode(context.isa, templates, shown));
    }
    if !is_clear {
        return;
    }
    for id in &templates.opcodes {
        let mut matches = templates.forms.iter().flat_map(|shown| &shown.matches);
        if matches.all(|found| found.opcode != *id) {
            findings
                .add(context.isa.opcode(*id).name.clone(), without_form(context, templates, *id));
        }
    }
}

fn without_opcode(isa: &Isa, templates: &Templates<'_, '_>, shown: &Shown<'_>) -> Diagnostic {
    let optype = templates.optype;
    if shown.dots.is_none() {
        let message = format!("the form has another mnemonic than `{}`", optype.mnemonic);
        return Diagnostic::new(Code::W0908, message, shown.form.head.span)
            .with_note("all forms of an operation have the mnemonic of the first");
    }
    let message = format!("no opcode of `{}` is written in this form", optype.name);
    let mut found = Diagnostic::new(Code::W0908, message, shown.form.span)
        .with_label("none has these operands in this order with these modifiers");
    let mut told: Vec<String> = Vec::new();
    for opcode in templates.opcodes(isa) {
        let order = order(isa, opcode);
        if !told.contains(&order) && told.len() < 4 {
            found = found.with_note(format!("the operands of `{}` are {order}", opcode.name));
            told.push(order);
        }
    }
    found
}

fn without_form(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    id: OpcodeId,
) -> Diagnostic {
    let (isa, name) = (context.isa, context.layer(id).name);
    let message = format!("no template of `{}` shows `{}`", templates.optype.name, name.text);
    let order = context.opcodes[id.index()].order.statement;
    Diagnostic::new(Code::W0909, message, order.map_or(name.span, |order| order.span))
        .with_related(templates.forms[0].form.span, "the templates")
        .with_note(format!(
            "the operands of `{}` are {}",
            name.text,
            self::order(isa, isa.opcode(id))
        ))
}

/// The operands in order, optional operands in braces.
fn order(isa: &Isa, opcode: &Opcode) -> String {
    let operand = |operand: &crate::isa::OperandSyntax| {
        let name = places::name(isa, operand.place(opcode));
        if operand.is_optional { format!("{{{name}}}") } else { name }
    };
    let operands: Vec<String> = opcode.syntax.operands.iter().map(operand).collect();
    if operands.is_empty() { "none".to_string() } else { operands.join(", ") }
}
