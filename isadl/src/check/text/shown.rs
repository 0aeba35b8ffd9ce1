//! W0903: a template shows a modifier, an attribute or a mark that nothing encodes.

use super::templates::{Shown, Templates, suffix};
use super::{Context, Findings, attribute_name, spellings};
use crate::diagnostic::{Code, Diagnostic, names};
use crate::isa::{Attribute, Binding, Isa, ModifierSyntax, Opcode, OperandSyntax, Symbol};
use crate::source::Span;
use crate::template::PlaceItem;

pub(super) fn check(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    findings: &mut Findings,
) {
    for shown in &templates.forms {
        modifiers(context, templates, shown, findings);
        for (index, place) in shown.form.places.iter().enumerate() {
            let operands = templates.operands_at(context.isa, shown, index);
            if operands.is_empty() || !templates.is_operand(place) {
                continue;
            }
            suffixes(context, templates, place, &operands, findings);
            for (symbol, span) in &place.marks {
                mark(context, templates, (shown, place), (*symbol, *span), &operands, findings);
            }
        }
    }
}

fn modifiers(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    shown: &Shown<'_>,
    findings: &mut Findings,
) {
    let unknown = shown.items().unwrap_or_default().iter().map(|item| item.name);
    for name in unknown.filter(|name| !templates.is_modifier(name.text)) {
        if findings.repeats(name.text, Code::W0903, name.span) {
            continue;
        }
        let message =
            format!("no opcode of `{}` has a modifier `.{}`", templates.optype.name, name.text);
        let found = Diagnostic::new(Code::W0903, message, name.span)
            .with_label("no field and no value of a field has this name")
            .with_suggestion(name.text, known(context.isa, templates));
        findings.add(name.text, found);
    }
}

/// The names of modifiers and of their values.
fn known(isa: &Isa, templates: &Templates<'_, '_>) -> Vec<String> {
    let mut known = Vec::new();
    for opcode in templates.opcodes(isa) {
        for modifier in &opcode.syntax.modifiers {
            known.push(isa.name_of(modifier.field).to_string());
            let values = opcode.field(modifier.field).map(|field| spellings(isa, field));
            known.extend(values.into_iter().flatten().map(|value| value[1..].to_string()));
        }
    }
    known
}

fn suffixes(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    place: &PlaceItem<'_>,
    operands: &[(&Opcode, &OperandSyntax)],
    findings: &mut Findings,
) {
    let isa = context.isa;
    for item in &place.suffixes {
        let name = item.name.text;
        if operands.iter().any(|(opcode, operand)| suffix(isa, opcode, operand, name).is_some()) {
            continue;
        }
        let place_name = place.name.text;
        let message = format!(
            "`{place_name}` of `{}` does not have an attribute `.{name}`",
            templates.optype.name
        );
        let known = operands.iter().flat_map(|(opcode, operand)| {
            let attribute = |suffix: &ModifierSyntax| {
                attribute_name(isa, opcode.field(suffix.field)?).map(str::to_string)
            };
            operand.suffixes.iter().filter_map(attribute).collect::<Vec<_>>()
        });
        let found = Diagnostic::new(Code::W0903, message, item.name.span)
            .with_label("no field and no value of a field has this name")
            .with_suggestion(name, known);
        findings.add(format!("{place_name}.{name}"), found);
    }
}

fn mark(
    context: &Context<'_, '_>,
    templates: &Templates<'_, '_>,
    (shown, place): (&Shown<'_>, &PlaceItem<'_>),
    (symbol, span): (Symbol, Span),
    operands: &[(&Opcode, &OperandSyntax)],
    findings: &mut Findings,
) {
    let mut possible: Vec<Symbol> = Vec::new();
    let mut is_extended = false;
    for (opcode, operand) in operands {
        for mark in &operand.marks {
            possible.extend(symbols(context.isa, shown, opcode, mark));
            is_extended |= mark.extension.is_some();
        }
    }
    if possible.contains(&symbol) {
        return;
    }
    possible.sort_unstable();
    possible.dedup();
    let (name, mark) = (place.name.text, symbol.as_char());
    let message = format!("`{name}` of `{}` takes no `{mark}` here", templates.optype.name);
    let marks: Vec<char> = possible.iter().map(|symbol| symbol.as_char()).collect();
    let mut found = Diagnostic::new(Code::W0903, message, span).with_note(match marks.len() {
        0 => "no opcode has such an attribute for it".to_string(),
        _ => format!("it accepts the marks {}", names(&marks)),
    });
    if is_extended {
        found = found.with_note("its `AsmFormat` uses the mark `~` where the modifier is written");
    }
    findings.add(format!("{mark}{name}"), found);
}

/// The symbols that a mark may be written as in a form.
fn symbols(isa: &Isa, shown: &Shown<'_>, opcode: &Opcode, mark: &Attribute) -> Vec<Symbol> {
    let Some(extension) = mark.extension else { return vec![mark.symbol] };
    let Some(field) = opcode.field(extension) else { return vec![mark.symbol] };
    let is_written =
        |raw| isa.ty(field.ty).enumerator(raw).is_some_and(|value| !value.spelling.is_empty());
    let symbol = |raw| if is_written(raw) { Symbol::Complement } else { mark.symbol };
    if let Binding::Fixed(raw) = field.binding {
        return vec![symbol(raw)];
    }
    let items = shown.items().unwrap_or_default();
    let meanings = super::templates::meanings(isa, opcode, items);
    let mut mentions = items.iter().zip(&meanings).filter_map(|(item, meaning)| {
        let meaning = meaning.filter(|meaning| meaning.modifier.field == extension)?;
        Some((item.is_optional, meaning.value))
    });
    match (mentions.next(), absent(opcode, extension)) {
        (Some((false, Some(raw))), _) | (None, Some(raw)) => vec![symbol(raw)],
        _ => vec![mark.symbol, Symbol::Complement],
    }
}

fn absent(opcode: &Opcode, field: crate::isa::NameId) -> Option<u64> {
    opcode.syntax.modifiers.iter().find(|modifier| modifier.field == field)?.absent
}
