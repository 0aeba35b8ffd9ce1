//! `match`: its patterns, whether they cover every value, and the conditions that it stands for.

use isadl_base::vocabulary::BinaryOp;
use isadl_diagnostics::diagnostic::Code;
use isadl_diagnostics::span::Span;

use super::Checker;
use crate::float::Format;
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, LocalId, Statement, StatementKind, Type};
use crate::syntax::ast::{self, Match, Pattern, PatternKind};

/// The most combinations of values that are looked at.
const MAX_CASES: usize = 1 << 16;

/// The most arms of a `match`.
const MAX_ARMS: usize = 400;

/// The alternatives of a pattern; `None` stands for any value.
type Alternatives = Option<Vec<i128>>;

/// A subject and what is known of it.
struct Subject {
    /// The value.
    value: Expr,
    /// The name that holds it, if it is computed.
    local: Option<(LocalId, Expr)>,
}

impl<'c, 's> Checker<'c, 's, '_> {
    /// A `match` that is an expression.
    pub(super) fn match_value(
        &mut self,
        of: &'c Match<'s, ast::Expr<'s>>,
        format: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        let subjects = self.subjects(&of.subjects)?;
        let patterns = self.patterns(&subjects, of)?;
        let values: Vec<Expr> = subjects.iter().map(|subject| subject.value.clone()).collect();
        let facts = self.facts.clone();
        let mut arms = Vec::new();
        let mut is_lost = false;
        for (arm, alternatives) in of.arms.iter().zip(&patterns) {
            let condition = self.fits(&values, alternatives, arm.span);
            let before = self.facts.clone();
            if let Some(condition) = &condition {
                self.facts.assume(condition, true);
            }
            self.format = format;
            let value = self.expr(&arm.value);
            self.facts = before;
            if let Some(condition) = &condition {
                self.facts.assume(condition, false);
            }
            is_lost |= value.is_none();
            arms.extend(value.map(|value| (condition, value)));
        }
        self.facts = facts;
        if is_lost {
            return None;
        }
        // Every value is covered, so the last arm needs no condition.
        let (_, mut found) = arms.pop()?;
        for (condition, value) in arms.into_iter().rev() {
            let Some(condition) = condition else {
                found = value;
                continue;
            };
            found = self.choose(condition, value, found, span)?;
        }
        Some(self.with_subjects(subjects, found, span))
    }

    /// A value that uses the names of computed subjects.
    fn with_subjects(&mut self, subjects: Vec<Subject>, value: Expr, span: Span) -> Expr {
        let bindings = bindings(subjects);
        if bindings.is_empty() {
            return Expr { span, ..value };
        }
        let (ty, range, is_signed) = (value.ty, value.range, value.is_signed);
        let kind = ExprKind::Inline { bindings, value: Box::new(value) };
        Expr { kind, ty, range, span, is_signed, is_exact: false }
    }

    /// A `match` of statements; and whether all arms end the program.
    pub(super) fn match_statements(
        &mut self,
        of: &'c Match<'s, ast::Block<'s>>,
        span: Span,
    ) -> Option<(Vec<Statement>, bool)> {
        let subjects = self.subjects(&of.subjects)?;
        let patterns = self.patterns(&subjects, of)?;
        let values: Vec<Expr> = subjects.iter().map(|subject| subject.value.clone()).collect();
        let facts = self.facts.clone();
        let (mut arms, mut all_end) = (Vec::new(), true);
        for (arm, alternatives) in of.arms.iter().zip(&patterns) {
            let condition = self.fits(&values, alternatives, arm.span);
            let before = self.facts.clone();
            if let Some(condition) = &condition {
                self.facts.assume(condition, true);
            }
            let (body, ends) = self.block(&arm.value.statements);
            self.facts = before;
            if let Some(condition) = &condition {
                self.facts.assume(condition, false);
            }
            all_end &= ends;
            arms.push((condition, body));
        }
        self.facts = facts;
        let (_, mut found) = arms.pop()?;
        for (condition, yes) in arms.into_iter().rev() {
            found = match condition {
                Some(condition) => {
                    vec![Statement { span, kind: StatementKind::If { condition, yes, no: found } }]
                }
                None => yes,
            };
        }
        let statements = bindings(subjects).into_iter().chain(found).collect();
        Some((statements, all_end))
    }

    fn subjects(&mut self, subjects: &'c [ast::Expr<'s>]) -> Option<Vec<Subject>> {
        let found: Vec<Option<Expr>> = subjects.iter().map(|subject| self.expr(subject)).collect();
        let found: Vec<Expr> = found.into_iter().collect::<Option<_>>()?;
        let mut all = Vec::new();
        for value in found {
            if matches!(
                value.kind,
                ExprKind::Field(_) | ExprKind::FieldBits(_) | ExprKind::Local(_) | ExprKind::Int(_)
            ) {
                all.push(Subject { value, local: None });
                continue;
            }
            let local = self.add_temporary(value.ty, value.range, value.span);
            let read = self.read_local(local, value.span);
            all.push(Subject { value: read, local: Some((local, value)) });
        }
        Some(all)
    }

    /// The alternatives of each arm for each subject. Reports values that no arm covers, and arms that cover none.
    fn patterns<V>(
        &mut self,
        subjects: &[Subject],
        of: &'c Match<'s, V>,
    ) -> Option<Vec<Vec<Alternatives>>> {
        if of.arms.len() > MAX_ARMS {
            let message = format!("{} arms; a `match` has at most {MAX_ARMS}", of.arms.len());
            self.error(Code::E1219, of.keyword, message, "match parts of the value");
            return None;
        }
        let mut arms = Vec::new();
        for arm in &of.arms {
            if arm.patterns.len() != subjects.len() {
                let message =
                    format!("{} patterns for {} values", arm.patterns.len(), subjects.len());
                self.error(
                    Code::E1213,
                    arm.span,
                    message,
                    "give each value a pattern, with commas between them",
                );
                return None;
            }
            let all: Vec<Option<Alternatives>> = arm
                .patterns
                .iter()
                .zip(subjects)
                .map(|(patterns, subject)| self.alternatives(patterns, &subject.value))
                .collect();
            arms.push(all.into_iter().collect::<Option<Vec<Alternatives>>>()?);
        }
        self.covered(subjects, &arms, of)?;
        Some(arms)
    }

    fn alternatives(
        &mut self,
        patterns: &'c [Pattern<'s>],
        subject: &Expr,
    ) -> Option<Alternatives> {
        let mut found = Vec::new();
        for pattern in patterns {
            match (&pattern.kind, subject.ty) {
                (PatternKind::Any, _) => return Some(None),
                (PatternKind::Name(name), Type::Enumeration(ty)) => {
                    found.push(self.enumerator(ty, name, pattern.span)?.into());
                }
                (PatternKind::Int(value), Type::Bits(_) | Type::Integer) => found.push(*value),
                _ => {
                    let help = "names are patterns of enumerations, numbers of numbers";
                    self.error(
                        Code::E1217,
                        pattern.span,
                        "the pattern does not fit the value",
                        help,
                    );
                    return None;
                }
            }
        }
        Some(Some(found))
    }

    /// Reports values that no arm covers, and arms that are never taken.
    fn covered<V>(
        &mut self,
        subjects: &[Subject],
        arms: &[Vec<Alternatives>],
        of: &Match<'s, V>,
    ) -> Option<()> {
        let domains: Vec<Vec<Option<i128>>> = (0..subjects.len())
            .map(|at| self.domain(&subjects[at].value, arms.iter().map(|arm| &arm[at])))
            .collect();
        let count: usize = domains.iter().map(Vec::len).product();
        if count > MAX_CASES {
            let help = "match fewer values at once";
            self.error(Code::E1219, of.keyword, format!("{count} combinations of values"), help);
            return None;
        }
        let mut taken = vec![false; arms.len()];
        let mut missing: Option<Vec<Option<i128>>> = None;
        for number in 0..count {
            let mut rest = number;
            let case: Vec<Option<i128>> = domains
                .iter()
                .map(|domain| {
                    let value = domain[rest % domain.len()];
                    rest /= domain.len();
                    value
                })
                .collect();
            let fits = |arm: &Vec<Alternatives>| {
                arm.iter().zip(&case).all(|(one, value)| {
                    one.as_ref().is_none_or(|list| value.is_some_and(|value| list.contains(&value)))
                })
            };
            match arms.iter().position(fits) {
                Some(arm) => taken[arm] = true,
                None => {
                    let is_possible = subjects
                        .iter()
                        .zip(&case)
                        .all(|(subject, value)| self.may_be(&subject.value, *value));
                    missing = missing.or(is_possible.then_some(case));
                }
            }
        }
        if let Some(case) = missing {
            let values: Vec<String> = subjects
                .iter()
                .enumerate()
                .map(|(at, subject)| {
                    let named = arms.iter().filter_map(|arm| arm[at].as_ref()).flatten();
                    let value = case[at]
                        .or_else(|| other_value(subject.value.range, named.copied().collect()));
                    self.name_of(&subject.value, value)
                })
                .collect();
            let message = format!("no arm covers {}", values.join(", "));
            self.error(
                Code::E1214,
                of.keyword,
                message,
                "add an arm for it, or `_` for all other values",
            );
            return None;
        }
        let mut is_fine = true;
        for (arm, _) in of.arms.iter().zip(&taken).filter(|(_, taken)| !**taken) {
            is_fine = false;
            let help = "remove it, or put it before the arms that cover its values";
            self.error(Code::E1215, arm.span, "this arm is never taken", help);
        }
        is_fine.then_some(())
    }

    /// The values of a subject that differ for the patterns; `None` stands for all others.
    fn domain<'a>(
        &self,
        subject: &Expr,
        patterns: impl Iterator<Item = &'a Alternatives>,
    ) -> Vec<Option<i128>> {
        if let Type::Enumeration(ty) = subject.ty {
            let values = self.context.isa.ty(ty).enumerators();
            return values.iter().map(|value| Some(i128::from(value.value))).collect();
        }
        let mut named: Vec<i128> = patterns.flatten().flatten().copied().collect();
        named.sort_unstable();
        named.dedup();
        let range = subject.width().map_or(subject.range, Interval::unsigned);
        let inside = named.iter().filter(|value| Interval::one(**value).is_within(range)).count();
        let all =
            range.high.exact().zip(range.low.exact()).and_then(|(high, low)| high.checked_sub(low));
        let has_others = all.is_none_or(|all| all >= inside as i128);
        named.into_iter().map(Some).chain(has_others.then_some(None)).collect()
    }

    /// Whether the bounds of a value allow it to be this one.
    fn may_be(&self, subject: &Expr, value: Option<i128>) -> bool {
        match value {
            Some(value) => Interval::one(value).is_within(subject.range),
            // Another value than those named; one is not left if the bounds have a single value.
            None => subject.range.low != subject.range.high,
        }
    }

    fn name_of(&self, subject: &Expr, value: Option<i128>) -> String {
        match (subject.ty, value) {
            (Type::Enumeration(ty), Some(value)) => {
                let values = self.context.isa.ty(ty).enumerators().iter();
                let named = values.into_iter().find(|one| i128::from(one.value) == value);
                named.map_or_else(|| value.to_string(), |one| format!("`{}`", one.name))
            }
            (_, Some(value)) => format!("`{value}`"),
            (_, None) => format!("other values of {}", subject.range),
        }
    }

    /// The condition that values fit the patterns of an arm; `None` if they always do.
    fn fits(&mut self, values: &[Expr], patterns: &[Alternatives], span: Span) -> Option<Expr> {
        let mut all: Option<Expr> = None;
        for (value, alternatives) in values.iter().zip(patterns) {
            let Some(alternatives) = alternatives else { continue };
            let mut any: Option<Expr> = None;
            for alternative in alternatives {
                let number = self.int(*alternative, span);
                let range = match value.range.value() {
                    Some(known) => Interval::one((known == *alternative).into()),
                    None => Interval::unsigned(1),
                };
                let kind =
                    ExprKind::Binary(BinaryOp::Eq, Box::new(value.clone()), Box::new(number));
                let one = Expr { range, ..self.make_bits(kind, 1, span) };
                any = Some(self.join(BinaryOp::Or, any, one, span));
            }
            let any = any?;
            all = Some(self.join(BinaryOp::And, all, any, span));
        }
        all
    }

    fn join(&mut self, op: BinaryOp, known: Option<Expr>, one: Expr, span: Span) -> Expr {
        let Some(known) = known else { return one };
        let decided = match (op, known.value(), one.value()) {
            (BinaryOp::Or, Some(1), _) | (BinaryOp::Or, _, Some(1)) => Some(1),
            (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => Some(0),
            (BinaryOp::Or, Some(0), Some(0)) => Some(0),
            (BinaryOp::And, Some(1), Some(1)) => Some(1),
            _ => None,
        };
        let made = self.make_bits(ExprKind::Binary(op, Box::new(known), Box::new(one)), 1, span);
        Expr { range: decided.map_or(made.range, Interval::one), ..made }
    }
}

/// The least value in a range that is none of some others, if it is among the first.
fn other_value(range: Interval, others: Vec<i128>) -> Option<i128> {
    let low = range.low.exact()?;
    let last = low.saturating_add(others.len() as i128);
    let found = (low..=last).find(|value| !others.contains(value))?;
    Interval::one(found).is_within(range).then_some(found)
}

/// The statements that give names to computed subjects.
fn bindings(subjects: Vec<Subject>) -> Vec<Statement> {
    let bind = |(local, value): (LocalId, Expr)| Statement {
        span: value.span,
        kind: StatementKind::Bind { local, value },
    };
    subjects.into_iter().filter_map(|subject| subject.local).map(bind).collect()
}
