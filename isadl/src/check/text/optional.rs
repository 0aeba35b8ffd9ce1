//! W0906: a template shows a mandatory part as optional, or the reverse, or marks another value than the default with a
//! star.
//!
//! A value shown without braces selects a form, so nothing follows from it. Whatever differs
//! between the opcodes of a form is not a contradiction.

use super::templates::{Meaning, Shown, Templates, meanings, suffix};
use super::{Context, Findings, values};
use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::isa::{Binding, Field, Isa, ModifierSyntax, NameId, TypeKind};
use crate::source::Span;
use crate::template::{IsDefault, Values};

pub(super) fn check(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    findings: &mut Findings,
) {
    for shown in templates.forms.iter().filter(|shown| !shown.matches.is_empty()) {
        modifiers(context.isa, shown, findings);
        places(context.isa, templates, shown, findings);
        not_shown(context.isa, templates, shown, findings);
    }
    for values in &templates.values {
        star(context.isa, templates, values, findings);
    }
}

fn modifiers(isa: &Isa, shown: &Shown<'_>, findings: &mut Findings) {
    let items = shown.items().unwrap_or_default();
    let opcodes = shown.matches.iter().map(|found| isa.opcode(found.opcode));
    let of_opcodes: Vec<Vec<Option<Meaning<'_>>>> =
        opcodes.map(|opcode| meanings(isa, opcode, items)).collect();
    for (index, item) in items.iter().enumerate() {
        let meanings: Vec<Meaning<'_>> =
            of_opcodes.iter().filter_map(|meanings| meanings[index]).collect();
        let is_placeholder = meanings.iter().any(|meaning| meaning.value.is_none());
        if item.is_optional || is_placeholder {
            let modifiers = meanings.iter().map(|meaning| meaning.modifier.absent.is_some());
            let name = format!(".{}", item.name.text);
            braces(&modifiers.collect::<Vec<_>>(), (item.name, name), item.is_optional, findings);
        }
    }
}

fn places(isa: &Isa, templates: &Templates<'_, '_>, shown: &Shown<'_>, findings: &mut Findings) {
    for (index, place) in shown.form.places.iter().enumerate() {
        if !templates.is_operand(place) {
            continue;
        }
        let operands = templates.operands_at(isa, shown, index);
        let optional: Vec<bool> = operands.iter().map(|(_, o)| o.is_optional).collect();
        let name = place.name;
        // Braces around an operand are nothing to an opcode that lacks it.
        let is_in_all = optional.len() == shown.matches.len();
        if is_in_all || optional.iter().all(|optional| *optional) || !place.is_optional {
            braces(&optional, (name, name.text.to_string()), place.is_optional, findings);
        }
        for item in &place.suffixes {
            let found =
                operands.iter().filter_map(|(opcode, o)| suffix(isa, opcode, o, item.name.text));
            let optional: Vec<bool> = found.map(|suffix| suffix.absent.is_some()).collect();
            let subject = (item.name, format!("{}.{}", name.text, item.name.text));
            braces(&optional, subject, item.is_optional, findings);
        }
    }
}

/// A modifier or attribute in a template, with its dot.
fn with_dot(name: Span) -> Old {
    Old::Span(Span { start: name.start - 1, ..name })
}

/// Compares the braces of a template with the opcodes.
fn braces(
    optional: &[bool],
    (name, subject): (Ident<'_>, String),
    is_optional: bool,
    findings: &mut Findings,
) {
    if optional.is_empty() || optional.contains(&is_optional) {
        return;
    }
    let found = if is_optional {
        Diagnostic::new(Code::W0906, format!("`{subject}` must be given"), name.span)
            .with_label("shown as optional, in braces")
            .with_note("the field does not have a default")
            .with_help("remove the braces, or give the field a default")
    } else {
        let found = Diagnostic::new(Code::W0906, format!("`{subject}` may be left out"), name.span)
            .with_label("shown as required, without braces")
            .with_note("the field has a default, or is fixed");
        let help = "put braces around it";
        // The braces of an operand have a comma in them, before it or after.
        match subject.contains('.') {
            true => found.with_change(help, with_dot(name.span), format!("{{.{}}}", name.text)),
            false => found.with_help(help),
        }
    };
    findings.add(key(name.text, is_optional), found);
}

/// The key of a finding on a field; the reason is either a default or the lack of one.
fn key(name: &str, lacks_default: bool) -> String {
    format!("{name} {lacks_default}")
}

/// Modifiers that must be given in all opcodes of a form, which does not show them.
fn not_shown(isa: &Isa, templates: &Templates<'_, '_>, shown: &Shown<'_>, findings: &mut Findings) {
    let items = shown.items().unwrap_or_default();
    // One that nothing encodes may be meant for it.
    if items.iter().any(|item| !templates.is_modifier(item.name.text)) {
        return;
    }
    let missing = |modifier: &&ModifierSyntax| {
        shown.matches.iter().all(|found| {
            let opcode = isa.opcode(found.opcode);
            let meanings = meanings(isa, opcode, items);
            let mut shown = meanings.iter().flatten().map(|meaning| meaning.modifier.field);
            let same = opcode.syntax.modifiers.iter().find(|m| m.field == modifier.field);
            same.is_some_and(|same| same.absent.is_none())
                && shown.all(|field| field != modifier.field)
        })
    };
    let first = isa.opcode(shown.matches[0].opcode);
    for modifier in first.syntax.modifiers.iter().filter(missing) {
        let name = isa.name_of(modifier.field);
        let message = format!("the form leaves out `.{name}`, which must be given");
        let found = Diagnostic::new(Code::W0906, message, shown.form.span)
            .with_note("the field does not have a default")
            .with_help(format!("show `.{name}` or one of its values"));
        findings.add(key(name, true), found);
    }
}

fn star(isa: &Isa, templates: &Templates<'_, '_>, values: &Values<'_>, findings: &mut Findings) {
    let name = values.name.text;
    let fields = values::fields(isa, templates, name);
    for (value, _) in values.values.iter().filter(|(_, star)| *star == IsDefault::Yes) {
        let raws = fields
            .iter()
            .map(|field| isa.ty(field.ty).spelled(value.text).map(|found| found.value));
        let known: Vec<(&&Field, u64)> =
            fields.iter().zip(raws).filter_map(|(field, raw)| Some((field, raw?))).collect();
        let is_default = |(field, raw): &(&&Field, u64)| matches!(field.binding, Binding::Default(d) | Binding::Fixed(d) if d == *raw);
        let Some((first, _)) = known.first().filter(|_| !known.iter().any(is_default)) else {
            continue;
        };
        let (what, lacks_default) = match first.binding {
            Binding::Default(raw) | Binding::Fixed(raw) => {
                (default(isa, first.name, first, raw), false)
            }
            Binding::Required => (format!("`.{name}` does not have a default"), true),
        };
        let found = Diagnostic::new(Code::W0906, what, value.span)
            .with_label("marked as the default by `*`");
        let subject = if lacks_default { key(name, true) } else { format!("{name} *") };
        findings.add(subject, found);
    }
}

fn default(isa: &Isa, name: NameId, field: &Field, raw: u64) -> String {
    let name = isa.name_of(name);
    let TypeKind::BitField(values) = &isa.ty(field.ty).kind else { return String::new() };
    let value = values.iter().find(|value| value.value == raw);
    let value = value.map_or(String::new(), |value| match value.spelling.as_str() {
        "" => value.name.clone(),
        spelling => format!(".{spelling}"),
    });
    let what = match field.binding {
        Binding::Fixed(_) => "value",
        _ => "default",
    };
    format!("the {what} of `{name}` is `{value}`")
}
