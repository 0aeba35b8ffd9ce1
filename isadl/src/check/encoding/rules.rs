//! Rules that say nothing: W0604 (never holds), E0605 (always holds).
//!
//! Exact where the fields of the condition have few values together; larger rules are passed
//! over.

use std::collections::{BTreeMap, HashMap};

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Binding, Expr, ExprId, Isa, NameId, Opcode, Reading, RuleScope, TypeId};
use crate::source::Span;

/// Most combinations of field values that are tried for one rule.
const MAX_COMBINATIONS: u128 = 1 << 16;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    // Whether the rule at a place holds somewhere; an inherited rule may concern some opcodes only.
    let mut holds_somewhere: BTreeMap<Span, bool> = BTreeMap::new();
    let mut known: HashMap<Question, Option<Outcomes>> = HashMap::new();
    for (id, opcode) in context.isa.opcode_ids().zip(&context.opcodes) {
        let lowered = context.isa.opcode(id);
        for (rule, condition) in &opcode.rules {
            let found = *known
                .entry(question(context.isa, lowered, *condition))
                .or_insert_with(|| outcomes(context.isa, lowered, context.isa.expr(*condition)));
            let holds = found.is_none_or(|outcomes| outcomes.holds);
            *holds_somewhere.entry(rule.span).or_default() |= holds;
            let is_meant = is_refusal(context.isa.expr(*condition), rule.scope);
            if found.is_some_and(|outcomes| !outcomes.fails) && !is_meant {
                let layer = context.layer(id);
                let message = format!("the rule forbids every word of `{}`", layer.name.text);
                diagnostics.push(
                    Diagnostic::new(Code::E0605, message, rule.span)
                        .with_label("holds for all values of its fields")
                        .with_related(layer.name.span, "this opcode could not be encoded"),
                );
            }
        }
    }
    for (span, _) in holds_somewhere.into_iter().filter(|(_, holds)| !holds) {
        diagnostics.push(
            Diagnostic::new(Code::W0604, "the rule forbids nothing", span)
                .with_label("holds for no values of its fields")
                .with_help("remove it, or mend its condition"),
        );
    }
}

/// Whether a rule may hold for all words: one that says so, to refuse them by name, or one for
/// assemblers, which refuse a form that decodes.
fn is_refusal(condition: &Expr, scope: RuleScope) -> bool {
    *condition == Expr::Int(1) || scope == RuleScope::Assembler
}

/// A condition with all that its outcomes depend on: the types and fixed values of its fields.
type Question = (ExprId, Vec<Option<(TypeId, Option<u64>)>>);

fn question(isa: &Isa, opcode: &Opcode, condition: ExprId) -> Question {
    let field = |name: NameId| {
        let field = opcode.field(name)?;
        let fixed = match field.binding {
            Binding::Fixed(raw) => Some(raw),
            Binding::Default(_) | Binding::Required => None,
        };
        Some((field.ty, fixed))
    };
    (condition, isa.expr(condition).fields().into_iter().map(field).collect())
}

/// What a condition can be.
#[derive(Clone, Copy, Default)]
struct Outcomes {
    holds: bool,
    fails: bool,
}

/// Tries all values of the fields of a condition; `None` if there are too many.
fn outcomes(isa: &Isa, opcode: &Opcode, condition: &Expr) -> Option<Outcomes> {
    let names = condition.fields();
    let values: Vec<Vec<u64>> =
        names.iter().map(|name| legal_values(isa, opcode, *name)).collect::<Option<_>>()?;
    let combinations =
        values.iter().try_fold(1u128, |all, list| all.checked_mul(list.len() as u128))?;
    if combinations > MAX_COMBINATIONS {
        return None;
    }
    let mut outcomes = Outcomes::default();
    for mut index in 0..combinations {
        let mut chosen: Vec<u64> = Vec::with_capacity(names.len());
        for list in &values {
            chosen.push(list[(index % list.len() as u128) as usize]);
            index /= list.len() as u128;
        }
        let value = condition.eval(&|name: NameId, reading: Reading| {
            let position = names.iter().position(|other| *other == name);
            position.map_or(0, |position| as_integer(opcode, name, chosen[position], reading))
        });
        outcomes.holds |= value != 0;
        outcomes.fails |= value == 0;
    }
    Some(outcomes)
}

fn legal_values(isa: &Isa, opcode: &Opcode, name: NameId) -> Option<Vec<u64>> {
    let field = opcode.field(name)?;
    if let Binding::Fixed(raw) = field.binding {
        return Some(vec![raw]);
    }
    if field.width > 16 {
        return None;
    }
    let ty = isa.ty(field.ty);
    Some((0..1u64 << field.width).filter(|raw| ty.is_legal(*raw)).collect())
}

fn as_integer(opcode: &Opcode, name: NameId, raw: u64, reading: Reading) -> i128 {
    let width = opcode.field(name).map_or(64, |field| field.width);
    reading.integer(raw, width)
}
