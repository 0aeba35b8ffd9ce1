//! Useless rules: W0604 (never holds), E0605 (always holds).
//!
//! The prover decides this over the values that the types of the condition's fields allow; if its
//! budget does not suffice, nothing is reported.

use std::collections::{BTreeMap, HashMap};

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Binding, Expr, ExprId, Isa, NameId, Opcode, OpcodeId, RuleScope, TypeId};
use crate::prove::{Answer, Budget, Prover};
use crate::source::Span;

/// Operators that may be evaluated for all rules of an instruction set together.
const BUDGET: u64 = 1 << 26;

/// The maximum number of opcodes that one finding names.
const MAX_NAMED: usize = 4;

pub(super) fn check(context: &Context<'_, '_>, prover: &Prover<'_>, diagnostics: &mut Diagnostics) {
    // An inherited rule may apply to some opcodes only.
    let mut found: BTreeMap<Span, Found> = BTreeMap::new();
    let mut known: HashMap<Question, Outcomes> = HashMap::new();
    let mut budget = Budget::of(BUDGET);
    for (id, opcode) in context.isa.opcode_ids().zip(&context.opcodes) {
        let lowered = context.isa.opcode(id);
        for (rule, condition) in &opcode.rules {
            let expr = context.isa.expr(*condition);
            let outcomes = *known
                .entry(question(context.isa, lowered, *condition))
                .or_insert_with(|| outcomes(prover, lowered, expr, &mut budget));
            let found = found.entry(rule.span).or_default();
            found.holds |= outcomes.holds;
            if !outcomes.fails && !is_refusal(expr, rule.scope) {
                found.always.push(id);
            }
        }
    }
    for (span, found) in found {
        if !found.holds {
            diagnostics.push(
                Diagnostic::new(Code::W0604, "the rule never holds", span)
                    .with_label("does not hold for any values of its fields")
                    .with_help("remove the rule, or correct its condition"),
            );
        }
        if !found.always.is_empty() {
            diagnostics.push(always(context, span, &found.always));
        }
    }
}

/// What is known about a rule in all opcodes that have it.
#[derive(Default)]
struct Found {
    /// Whether it may hold for some word of one of them.
    holds: bool,
    /// The opcodes for whose words it always holds.
    always: Vec<OpcodeId>,
}

/// A rule that forbids every word of some opcodes: a single finding for all of them.
fn always(context: &Context<'_, '_>, span: Span, opcodes: &[OpcodeId]) -> Diagnostic {
    let mut opcodes = opcodes.to_vec();
    // The forms of an opcode count as one.
    opcodes.dedup_by_key(|id| context.layer(*id).name.span);
    let first = context.layer(opcodes[0]).name.text;
    let message = match opcodes.len() {
        1 => format!("the rule forbids every word of `{first}`"),
        2 => format!("the rule forbids every word of `{first}` and of another opcode"),
        count => format!("the rule forbids every word of `{first}` and of {} others", count - 1),
    };
    let diagnostic = Diagnostic::new(Code::E0605, message, span)
        .with_label("holds for all values of its fields");
    let named = opcodes.iter().take(MAX_NAMED);
    let diagnostic = named.fold(diagnostic, |diagnostic, id| {
        diagnostic.with_related(context.layer(*id).name.span, "could not be encoded")
    });
    match opcodes.len().checked_sub(MAX_NAMED) {
        None | Some(0) => diagnostic,
        Some(more) => {
            diagnostic.with_note(format!("{} opcodes in total, {more} not shown", opcodes.len()))
        }
    }
}

/// Whether a rule is allowed to hold for all words: if its condition is the constant 1, or if it is
/// for assemblers, which may refuse a form that decodes.
fn is_refusal(condition: &Expr, scope: RuleScope) -> bool {
    *condition == Expr::Int(1) || scope == RuleScope::Assembler
}

/// A condition with everything that its outcomes depend on: the types, fixed values and positions of
/// its fields, since fields may share bits.
type Question = (ExprId, Vec<Option<(TypeId, u32, Option<u64>)>>);

fn question(isa: &Isa, opcode: &Opcode, condition: ExprId) -> Question {
    let names = isa.expr(condition).fields();
    let lowest = names.iter().filter_map(|name| Some(opcode.field(*name)?.lsb)).min().unwrap_or(0);
    let field = |name: NameId| {
        let field = opcode.field(name)?;
        let fixed = match field.binding {
            Binding::Fixed(raw) => Some(raw),
            Binding::Default(_) | Binding::Required => None,
        };
        Some((field.ty, field.lsb - lowest, fixed))
    };
    (condition, names.into_iter().map(field).collect())
}

/// The possible outcomes of a condition, as far as known.
#[derive(Clone, Copy)]
struct Outcomes {
    holds: bool,
    fails: bool,
}

fn outcomes(
    prover: &Prover<'_>,
    opcode: &Opcode,
    condition: &Expr,
    budget: &mut Budget,
) -> Outcomes {
    let typed = prover.typed(opcode, &condition.fields());
    let mut is_possible = |holds: bool| {
        let question = typed.clone().where_condition(opcode, condition, holds);
        question.answer_within(budget) != Answer::None
    };
    Outcomes { holds: is_possible(true), fails: is_possible(false) }
}
