//! Useless rules: E0605 (always holds), W0604 (never holds), W0607 (follows from others), W0608 (holds for words of
//! special cases only). W0708: which of these is so is not proven.
//!
//! A rule is useful if one word shows it: the word is legal but for this rule, and outside special cases. Most rules
//! therefore cost one search, however many opcodes have them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use super::{Context, given, open};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::isa::{Expr, OpcodeId, RuleScope};
use crate::prove::{Answer, Failing, Proof, Prover, Question};
use crate::source::Span;

/// The maximum number of opcodes or rules that one finding names.
const MAX_NAMED: usize = 4;

/// Returns the rules about which nothing is proven.
pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    alive: &[Answer],
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) -> HashSet<Span> {
    let mut open_rules = HashSet::new();
    let always = always_holding(context, prover, alive);
    let is_dead = |id: OpcodeId| alive[id.index()] == Answer::None;
    // An inherited rule may be of use for some opcodes only.
    let mut useful: HashSet<Span> = HashSet::new();
    let mut others: BTreeMap<Span, Vec<(OpcodeId, usize)>> = BTreeMap::new();
    for (id, opcode) in context.isa.opcode_ids().zip(context.opcodes) {
        let refused = OnceCell::new();
        for (at, (rule, _)) in opcode.rules.iter().enumerate() {
            if useful.contains(&rule.span) || is_constant(context.rule(id, at)) {
                continue;
            }
            let place = RuleIndex { id, at };
            let refused = refused.get_or_init(|| place.refused(context));
            let alone = place.alone(context, prover, (&always, refused));
            if matches!(prover.answer(&alone), Answer::Word(_)) {
                useful.insert(rule.span);
                others.remove(&rule.span);
            } else {
                others.entry(rule.span).or_default().push((id, at));
            }
        }
    }
    proof.useful_rules = useful.len() as u64;
    proof.rules = (useful.len() + others.len() + always.len()) as u64;
    for (span, opcodes) in &always {
        diagnostics.push(forbids_all(context, *span, opcodes));
    }
    // Among rules that follow from each other, the last is reported.
    let mut dropped: BTreeMap<Span, Vec<OpcodeId>> = always;
    for (span, places) in others.into_iter().rev() {
        if dropped.contains_key(&span) {
            continue;
        }
        let places: Vec<RuleIndex> =
            places.into_iter().map(|(id, at)| RuleIndex { id, at }).collect();
        match verdict(context, prover, &places, &dropped) {
            Verdict::Useful => proof.useful_rules += 1,
            Verdict::Open => {
                proof.open += 1;
                open_rules.insert(span);
                let message = "it is not proven that the rule has an effect";
                let found = Diagnostic::new(Code::W0708, message, span);
                diagnostics.push(open::explain(context, prover, &[places[0].id], found));
            }
            Verdict::Never => diagnostics.push(
                Diagnostic::new(Code::W0604, "the rule never holds", span)
                    .with_label("does not hold for any values of its fields")
                    .with_removal(
                        "remove the rule, or correct its condition",
                        Old::Statement(span),
                    ),
            ),
            Verdict::Special => diagnostics.push(of_special_cases(context, span, places[0])),
            // An opcode without words has its own error; this would only repeat it.
            Verdict::Implied if places.iter().any(|place| is_dead(place.id)) => {}
            Verdict::Implied => {
                diagnostics.push(implied(context, prover, span, places[0], &dropped));
                dropped.insert(span, Vec::new());
            }
        }
    }
    open_rules
}

/// A rule of an opcode: its index among the rules of the opcode.
#[derive(Clone, Copy)]
struct RuleIndex {
    id: OpcodeId,
    at: usize,
}

enum Verdict {
    Never,
    Special,
    Implied,
    Useful,
    Open,
}

impl RuleIndex {
    fn condition<'c>(self, context: &Context<'c, '_>) -> &'c Expr {
        context.rule(self.id, self.at)
    }

    /// Asks for a word that satisfies the rule's condition.
    fn holds<'q>(self, context: &Context<'q, '_>, prover: &'q Prover<'_>) -> Question<'q> {
        let opcode = context.isa.opcode(self.id);
        let condition = self.condition(context);
        given(context, prover, self.id).where_condition(opcode, condition, true)
    }

    /// Asks for such a word outside special cases.
    fn own<'q>(self, context: &Context<'q, '_>, prover: &'q Prover<'_>) -> Question<'q> {
        let opcode = context.isa.opcode(self.id);
        let condition = self.condition(context);
        let typed = given(context, prover, self.id).where_condition(opcode, condition, true);
        let cases = opcode.special_cases.iter();
        cases.fold(typed, |question, case| question.without_case(case, u128::MAX))
    }

    /// The conditions of all rules of its opcode, which must fail.
    fn refused<'q>(self, context: &Context<'q, '_>) -> Vec<Failing<'q>> {
        let opcode = context.isa.opcode(self.id);
        let rules = 0..context.opcodes[self.id.index()].rules.len();
        rules.map(|at| Failing::new(opcode, context.rule(self.id, at))).collect()
    }

    /// The other rules that are evaluated before this rule, except dropped rules, as indices into the opcode's rules.
    fn others(
        self,
        context: &Context<'_, '_>,
        dropped: &BTreeMap<Span, Vec<OpcodeId>>,
    ) -> Vec<usize> {
        let rules = &context.opcodes[self.id.index()].rules;
        let is_requested = |scope: RuleScope| {
            scope == RuleScope::Word || rules[self.at].0.scope == RuleScope::Assembler
        };
        let others = rules.iter().enumerate().filter(|(at, (rule, _))| {
            *at != self.at && is_requested(rule.scope) && !dropped.contains_key(&rule.span)
        });
        let others = others.map(|(at, _)| at);
        others.filter(|at| !is_constant(context.rule(self.id, *at))).collect()
    }

    /// Asks for a word that only this rule forbids, apart from rules that are dropped. `refused` has the conditions of all
    /// rules of the opcode.
    fn alone<'q>(
        self,
        context: &Context<'q, '_>,
        prover: &'q Prover<'_>,
        (dropped, refused): (&BTreeMap<Span, Vec<OpcodeId>>, &[Failing<'q>]),
    ) -> Question<'q> {
        let others = self.others(context, dropped).into_iter();
        others.fold(self.own(context, prover), |question, at| question.failing(&refused[at]))
    }
}

/// The verdict on a rule in all opcodes that have it.
fn verdict(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    places: &[RuleIndex],
    dropped: &BTreeMap<Span, Vec<OpcodeId>>,
) -> Verdict {
    let all = |question: &dyn Fn(RuleIndex) -> Answer| {
        let mut answer = Answer::None;
        for place in places {
            match question(*place) {
                Answer::Word(word) => return Answer::Word(word),
                Answer::Undecided => answer = Answer::Undecided,
                Answer::None => {}
            }
        }
        answer
    };
    let steps: [(&dyn Fn(RuleIndex) -> Answer, Verdict); 3] = [
        (&|place| prover.answer(&place.holds(context, prover)), Verdict::Never),
        (&|place| prover.answer(&place.own(context, prover)), Verdict::Special),
        (
            &|place| {
                let refused = place.refused(context);
                prover.answer(&place.alone(context, prover, (dropped, &refused)))
            },
            Verdict::Implied,
        ),
    ];
    for (question, verdict) in steps {
        match all(question) {
            Answer::None => return verdict,
            Answer::Undecided => return Verdict::Open,
            Answer::Word(_) => {}
        }
    }
    Verdict::Useful
}

fn of_special_cases(context: &Context<'_, '_>, span: Span, place: RuleIndex) -> Diagnostic {
    let opcode = context.isa.opcode(place.id);
    let diagnostic = Diagnostic::new(
        Code::W0608,
        "the rule holds for words of special cases only",
        span,
    )
    .with_note(format!(
        "every word that satisfies it belongs to a special case of `{}`, which has its own rules",
        opcode.name
    ))
    .with_removal("move the rule to the special case, or remove it", Old::Statement(span));
    let cases = opcode.special_cases.iter();
    let places = cases.filter_map(|case| context.isa.find_opcode(&case.name));
    places.take(MAX_NAMED).fold(diagnostic, |diagnostic, case| {
        diagnostic.with_related(context.layer(case).name.span, "a special case")
    })
}

fn implied(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    span: Span,
    place: RuleIndex,
    dropped: &BTreeMap<Span, Vec<OpcodeId>>,
) -> Diagnostic {
    let refused = place.refused(context);
    let mut others = place.others(context, dropped);
    let follows = |others: &[usize]| {
        let own = place.own(context, prover);
        let question = others.iter().fold(own, |question, at| question.failing(&refused[*at]));
        prover.answer(&question) == Answer::None
    };
    for at in (0..others.len()).rev() {
        let kept = others.remove(at);
        if !follows(&others) {
            others.insert(at, kept);
        }
    }
    let diagnostic = Diagnostic::new(Code::W0607, "other rules imply this rule", span)
        .with_label("other rules already forbid every word that satisfies it")
        .with_removal("remove the rule, or correct its condition", Old::Statement(span));
    let rules = &context.opcodes[place.id.index()].rules;
    others.into_iter().take(MAX_NAMED).fold(diagnostic, |diagnostic, at| {
        diagnostic.with_related(rules[at].0.span, "forbids these words already")
    })
}

/// Whether the condition of a rule is the constant 1, by intent; perhaps in some sets of extensions.
fn is_constant(condition: &Expr) -> bool {
    *condition.apart().1 == Expr::Int(1)
}

/// Whether a rule forbids every word of an opcode by intent: its condition is the constant 1.
pub(super) fn is_refused(context: &Context<'_, '_>, id: OpcodeId) -> bool {
    let rules = &context.opcodes[id.index()].rules;
    rules.iter().enumerate().any(|(at, (rule, _))| {
        rule.scope == RuleScope::Word && *context.rule(id, at) == Expr::Int(1)
    })
}

/// Whether a single rule forbids every word of an opcode, which is E0605.
pub(super) fn is_forbidden(context: &Context<'_, '_>, prover: &Prover<'_>, id: OpcodeId) -> bool {
    let rules = &context.opcodes[id.index()].rules;
    let rules = rules.iter().enumerate();
    rules.into_iter().any(|(at, (rule, _))| always_holds(context, prover, id, (rule.scope, at)))
}

/// Whether a rule holds for every word that the types allow. One for assemblers may, since these may
/// refuse a form that decodes.
fn always_holds(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    id: OpcodeId,
    (scope, at): (RuleScope, usize),
) -> bool {
    let (opcode, condition) = (context.isa.opcode(id), context.rule(id, at));
    let given = || given(context, prover, id);
    scope == RuleScope::Word
        && !is_constant(condition)
        && prover.answer(&given().where_condition(opcode, condition, false)) == Answer::None
        // If there is no word, that is not due to the rule.
        && prover.answer(&given()) != Answer::None
}

/// The rules that forbid every word of some opcodes, with these. An opcode with a legal word has none.
fn always_holding(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    alive: &[Answer],
) -> BTreeMap<Span, Vec<OpcodeId>> {
    let mut found: BTreeMap<Span, Vec<OpcodeId>> = BTreeMap::new();
    for (id, answer) in context.isa.opcode_ids().zip(alive) {
        if matches!(answer, Answer::Word(_)) {
            continue;
        }
        for (at, (rule, _)) in context.opcodes[id.index()].rules.iter().enumerate() {
            if always_holds(context, prover, id, (rule.scope, at)) {
                found.entry(rule.span).or_default().push(id);
            }
        }
    }
    found
}

/// A rule that forbids every word of some opcodes: a single finding for all of them.
fn forbids_all(context: &Context<'_, '_>, span: Span, opcodes: &[OpcodeId]) -> Diagnostic {
    let mut opcodes = opcodes.to_vec();
    // All forms of an opcode count once.
    opcodes.dedup_by_key(|id| context.opcodes[id.index()].layer);
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
