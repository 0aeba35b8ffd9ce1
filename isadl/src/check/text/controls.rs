//! W0907: a template names a control field that no opcode has.

use super::templates::Templates;
use super::{Context, Findings};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    findings: &mut Findings,
) {
    let mut known: Vec<&str> = Vec::new();
    for opcode in templates.opcodes(context.isa) {
        known.extend(opcode.syntax.controls.iter().map(|c| context.isa.name_of(c.field)));
    }
    for name in templates.forms.iter().flat_map(|shown| &shown.form.controls) {
        if known.contains(&name.text) {
            continue;
        }
        let message =
            format!("no opcode of `{}` has a control field `{}`", templates.optype.name, name.text);
        let found =
            Diagnostic::new(Code::W0907, message, name.span).with_suggestion(name.text, &known);
        findings.add(name.text, found);
    }
}
