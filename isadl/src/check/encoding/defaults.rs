//! W0416: a default that no legal word has. W0417: defaults that together break a rule.

use std::collections::BTreeMap;

use super::{Context, open};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, names};
use crate::isa::{Binding, Field, Opcode, OpcodeId, RuleScope};
use crate::model::Field as Declared;
use crate::prove::{Answer, Partial, Proof, Prover};
use crate::source::Span;

/// The maximum number of opcodes or rules that one finding names.
const MAX_NAMED: usize = 4;

pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    alive: &[Answer],
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) {
    // A default that many opcodes inherit is a single finding.
    let mut never: BTreeMap<Span, (String, Vec<OpcodeId>)> = BTreeMap::new();
    for (id, answer) in context.isa.opcode_ids().zip(alive) {
        if !matches!(answer, Answer::Word(_)) {
            continue;
        }
        let opcode = context.isa.opcode(id);
        let ruled = ruled_bits(context, opcode);
        // An operand that is made of fields has no default but theirs.
        let fields =
            opcode.fields.iter().filter(|field| opcode.composite_operand(field.name).is_none());
        let defaults: Vec<(&Field, u64)> =
            fields.filter_map(|field| Some((field, default(field, ruled)?))).collect();
        if defaults.is_empty() {
            continue;
        }
        let all = |fields: &[(&Field, u64)]| {
            let none = Partial { known: 0, value: 0 };
            let with = |bits: Partial, (field, raw): &(&Field, u64)| {
                bits.and(Partial { known: field.mask(), value: field.insert(0, *raw) })
            };
            // Of fields that share bits, only one has its default.
            let bits = fields.iter().try_fold(none, with);
            bits.and_then(|bits| prover.legal(opcode).with(bits)).map(|q| prover.answer(&q))
        };
        match all(&defaults) {
            Some(Answer::None) => {}
            Some(Answer::Undecided) => {
                let message =
                    format!("it is not proven that the defaults of `{}` are legal", opcode.name);
                proof.open += 1;
                diagnostics.push(open::not_proven(context, prover, id, message));
                continue;
            }
            Some(Answer::Word(_)) | None => continue,
        }
        let alone = defaults.iter().filter(|default| all(&[**default]) == Some(Answer::None));
        let alone: Vec<&Field> = alone.map(|(field, _)| *field).collect();
        for field in &alone {
            let name = context.isa.name_of(field.name);
            let span =
                declared(context, id, name).map_or(context.layer(id).name.span, |f| f.ast.span);
            never.entry(span).or_insert_with(|| (name.to_string(), Vec::new())).1.push(id);
        }
        if alone.is_empty() {
            let mut fields = defaults;
            for at in (0..fields.len()).rev() {
                let kept = fields.remove(at);
                if all(&fields) != Some(Answer::None) {
                    fields.insert(at, kept);
                }
            }
            diagnostics.push(together(context, id, &fields));
        }
    }
    for (span, (name, opcodes)) in never {
        diagnostics.push(never_legal(context, span, &name, &opcodes));
    }
}

/// The bits of the fields that rules are about.
fn ruled_bits(context: &Context<'_, '_>, opcode: &Opcode) -> u128 {
    let rules = opcode.rules.iter().map(|id| context.isa.rule(*id));
    let rules = rules.filter(|rule| rule.scope == RuleScope::Word);
    let names = rules.flat_map(|rule| context.isa.expr(rule.condition).fields());
    names.filter_map(|name| opcode.field(name)).fold(0, |bits, field| bits | field.mask())
}

/// The default of a field that a rule is about.
fn default(field: &Field, ruled: u128) -> Option<u64> {
    match field.binding {
        Binding::Default(raw) if field.mask() & ruled != 0 => Some(raw),
        _ => None,
    }
}

/// Where a field of an opcode is declared.
pub(super) fn declared<'c, 'a>(
    context: &Context<'c, 'a>,
    id: OpcodeId,
    name: &str,
) -> Option<&'c Declared<'a>> {
    let fields = context.layer(id).fields.iter().map(|id| context.model.field(*id));
    fields.into_iter().find(|field| field.ast.name.text == name)
}

/// The rules of an opcode that mention one of the fields.
fn rules_about(context: &Context<'_, '_>, id: OpcodeId, fields: &[&str]) -> Vec<Span> {
    let rules = context.opcodes[id.index()].rules.iter();
    let rules = rules.filter(|(rule, condition)| {
        let used = context.isa.expr(*condition).fields();
        rule.scope == RuleScope::Word
            && used.iter().any(|name| fields.contains(&context.isa.name_of(*name)))
    });
    rules.map(|(rule, _)| rule.span).collect()
}

fn never_legal(
    context: &Context<'_, '_>,
    span: Span,
    name: &str,
    opcodes: &[OpcodeId],
) -> Diagnostic {
    let first = opcodes[0];
    let of = context.isa.opcode(first).name.as_str();
    let message = format!("the default of `{name}` is never legal");
    let mut diagnostic = Diagnostic::new(Code::W0416, message, span)
        .with_note(format!("rules forbid every word of `{of}` that has the default"))
        .with_help("give the field another default, or none, or correct the rule");
    for rule in rules_about(context, first, &[name]).into_iter().take(MAX_NAMED) {
        diagnostic = diagnostic.with_related(rule, "forbids it");
    }
    for id in opcodes.iter().take(MAX_NAMED) {
        let name = context.layer(*id).name.span;
        diagnostic = diagnostic.with_related(name, "cannot have the default");
    }
    match opcodes.len().checked_sub(MAX_NAMED) {
        None | Some(0) => diagnostic,
        Some(more) => {
            diagnostic.with_note(format!("{} opcodes in total, {more} not shown", opcodes.len()))
        }
    }
}

fn together(context: &Context<'_, '_>, id: OpcodeId, fields: &[(&Field, u64)]) -> Diagnostic {
    let opcode = context.isa.opcode(id);
    let fields: Vec<&str> =
        fields.iter().map(|(field, _)| context.isa.name_of(field.name)).collect();
    let message = format!("the defaults of `{}` together are never legal", opcode.name);
    let mut diagnostic = Diagnostic::new(Code::W0417, message, context.layer(id).name.span)
        .with_note(format!(
            "rules forbid every word in which {} have their defaults",
            names(&fields)
        ))
        .with_help(
            "change one of the defaults, let one of the fields have none, or correct the rule",
        );
    for name in fields.iter().take(MAX_NAMED) {
        if let Some(field) = declared(context, id, name) {
            diagnostic = diagnostic.with_related(field.ast.span, "one of the defaults");
        }
    }
    for rule in rules_about(context, id, &fields).into_iter().take(MAX_NAMED) {
        diagnostic = diagnostic.with_related(rule, "a rule about them");
    }
    diagnostic
}
