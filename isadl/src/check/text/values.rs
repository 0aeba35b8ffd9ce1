//! W0904: a template lists a value that the type lacks. Also W0903 for a list of values of
//! something that is not a field, if no form shows its name.

use super::templates::Templates;
use super::{Context, Findings, attribute_name, spellings};
use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic, names};
use crate::isa::{Field, FieldRole, Isa};
use crate::template::Values;

pub(super) fn check(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    findings: &mut Findings,
) {
    for values in &templates.values {
        let fields = fields(context.isa, templates, values.name.text);
        match fields.first() {
            Some(first) => listed(context.isa, values, &fields, first, findings),
            None if is_shown(templates, values.name.text) => {}
            None => findings.add(values.name.text, unknown(templates, values.name)),
        }
    }
}

/// The modifiers and attributes that the name of a placeholder means.
pub(super) fn fields<'i>(
    isa: &'i Isa,
    templates: &Templates<'_, '_>,
    name: &str,
) -> Vec<&'i Field> {
    let is_meant = |field: &&Field| match field.role {
        FieldRole::Modifier | FieldRole::Mnemonic => isa.name_of(field.name) == name,
        FieldRole::Attribute { .. } => attribute_name(isa, field) == Some(name),
        FieldRole::Operand | FieldRole::Part { .. } | FieldRole::Control => false,
    };
    templates.opcodes(isa).flat_map(|opcode| &opcode.fields).filter(is_meant).collect()
}

/// Whether a form shows the name after its mnemonic or after a place.
fn is_shown(templates: &Templates<'_, '_>, name: &str) -> bool {
    templates.forms.iter().any(|shown| {
        let suffixes = shown.form.places.iter().flat_map(|place| &place.suffixes);
        let items = shown.items().unwrap_or_default();
        items.iter().chain(suffixes).any(|item| item.name.text == name)
    })
}

fn unknown(templates: &Templates<'_, '_>, name: Ident<'_>) -> Diagnostic {
    let message = format!(
        "no opcode of `{}` has a modifier or attribute `.{}`",
        templates.optype.name, name.text
    );
    Diagnostic::new(Code::W0903, message, name.span)
}

fn listed(
    isa: &Isa,
    values: &Values<'_>,
    fields: &[&Field],
    first: &Field,
    findings: &mut Findings,
) {
    let is_known = |name: &str| fields.iter().any(|field| isa.ty(field.ty).spelled(name).is_some());
    let missing: Vec<Ident<'_>> =
        values.values.iter().map(|(name, _)| *name).filter(|name| !is_known(name.text)).collect();
    let [name, ..] = missing.as_slice() else { return };
    let ty = &isa.ty(first.ty).name;
    let texts: Vec<String> = missing.iter().map(|name| format!(".{}", name.text)).collect();
    let what = if missing.len() == 1 { "value" } else { "values" };
    let message = format!("`{ty}` has no {what} {}", names(&texts));
    let known = spellings(isa, first);
    let mut found = Diagnostic::new(Code::W0904, message, name.span).with_note(format!(
        "the values of `.{}` are {}",
        values.name.text,
        names(&known)
    ));
    for other in &missing[1..] {
        found = found.with_related(other.span, "this value is also undefined");
    }
    if let [_] = missing.as_slice() {
        found = found.with_suggestion(&texts[0], &known);
    }
    findings.add(values.name.text, found);
}
