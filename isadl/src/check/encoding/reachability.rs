//! E0704: an opcode without a legal word of its own. Its rules together forbid all words, or its special cases take all
//! words that rules and types leave. W0708: the existence of a word is not proven.

use super::{Context, extensions, given, open, rules};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{OpcodeId, RuleScope, SpecialCase};
use crate::prove::{Answer, Proof, Prover};

/// The maximum number of special cases and rules that are shown.
const MAX_SHOWN: usize = 4;

/// Whether each opcode has a word of its own, with such a word.
pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) -> Vec<Answer> {
    let dead = extensions::dead(context);
    let mut answers = Vec::with_capacity(context.isa.opcodes().len());
    for id in context.isa.opcode_ids() {
        let opcode = context.isa.opcode(id);
        let answer = prover.answer(&prover.own(opcode));
        answers.push(answer);
        let is_told = || {
            dead.contains(&id)
                || rules::is_refused(context, id)
                || rules::is_forbidden(context, prover, id)
        };
        match answer {
            Answer::Word(_) => proof.alive += 1,
            Answer::None if is_told() => {}
            Answer::None => diagnostics.push(unreachable_opcode(context, prover, id)),
            Answer::Undecided => {
                proof.open += 1;
                let message = format!("it is not proven that `{}` has a legal word", opcode.name);
                diagnostics.push(open::not_proven(context, prover, id, message));
            }
        }
    }
    answers
}

fn unreachable_opcode(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    general: OpcodeId,
) -> Diagnostic {
    let opcode = context.isa.opcode(general);
    let name = context.layer(general).name;
    let message = format!("opcode `{}` can never be decoded", name.text);
    let diagnostic = Diagnostic::new(Code::E0704, message, name.span);
    let (rules, cases) = reason(context, prover, general);
    let (note, help) = match (rules.is_empty(), cases.is_empty()) {
        (true, _) => (
            "opcodes that fix more bits take precedence, and together they match all of its legal words",
            "remove the opcode, or one of its special cases",
        ),
        (false, true) => (
            "its rules together forbid every word that its types allow",
            "correct one of the rules, or remove the opcode",
        ),
        (false, false) => (
            "opcodes that fix more bits take precedence, and together they match all words that the rules \
             leave to it",
            "correct one of the rules, or remove the opcode or one of its special cases",
        ),
    };
    let diagnostic = diagnostic.with_note(note).with_help(help);
    let written = &context.opcodes[general.index()].rules;
    let spans = rules.iter().filter_map(|at| written.get(*at)).map(|(rule, _)| rule.span);
    let diagnostic = spans.take(MAX_SHOWN).fold(diagnostic, |diagnostic, span| {
        diagnostic.with_related(span, "forbids some of its words")
    });
    let places = cases.iter().filter_map(|at| {
        let case: &SpecialCase = opcode.special_cases.get(*at)?;
        context.isa.find_opcode(&case.name)
    });
    places.take(MAX_SHOWN).fold(diagnostic, |diagnostic, case| {
        diagnostic.with_related(context.layer(case).name.span, "a special case of it")
    })
}

/// A minimal set of rules and special cases that together leave no word.
fn reason(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    id: OpcodeId,
) -> (Vec<usize>, Vec<usize>) {
    let opcode = context.isa.opcode(id);
    let written = &context.opcodes[id.index()].rules;
    let is_word = |at: &usize| written[*at].0.scope == RuleScope::Word;
    let mut rules: Vec<usize> = (0..written.len()).filter(is_word).collect();
    let mut cases: Vec<usize> = (0..opcode.special_cases.len()).collect();
    let leaves_none = |rules: &[usize], cases: &[usize]| {
        let conditions = rules.iter().map(|at| context.rule(id, *at));
        let typed = conditions
            .fold(given(context, prover, id), |q, expr| q.where_condition(opcode, expr, false));
        let cases = cases.iter().map(|at| &opcode.special_cases[*at]);
        let left = cases.fold(typed, |q, case| q.without_case(case, u128::MAX));
        prover.answer(&left) == Answer::None
    };
    // With very many the search for the reason would take too long.
    if rules.len() + cases.len() > 64 {
        let rules = if leaves_none(&[], &cases) { Vec::new() } else { rules };
        return (rules, cases);
    }
    for at in (0..cases.len()).rev() {
        let kept = cases.remove(at);
        if !leaves_none(&rules, &cases) {
            cases.insert(at, kept);
        }
    }
    for at in (0..rules.len()).rev() {
        let kept = rules.remove(at);
        if !leaves_none(&rules, &cases) {
            rules.insert(at, kept);
        }
    }
    (rules, cases)
}
