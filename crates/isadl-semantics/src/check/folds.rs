//! Folds: one value from all values of a loop.

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;

use super::Checker;
use crate::interval::{Bound, Interval, MAX_BITS};
use crate::program::{Expr, ExprKind, Fold, Range, Type};
use crate::syntax::ast::{self, Name};

/// The folds by name.
const FOLDS: [(&str, Fold); 6] = [
    ("sum", Fold::Sum),
    ("and", Fold::And),
    ("or", Fold::Or),
    ("xor", Fold::Xor),
    ("min", Fold::Min),
    ("max", Fold::Max),
];

/// `function(item for name in range if condition)`
#[derive(Clone, Copy)]
pub(super) struct Loop<'c, 's> {
    pub(super) function: Name<'s>,
    pub(super) item: &'c ast::Expr<'s>,
    pub(super) name: Name<'s>,
    pub(super) range: &'c ast::Range<'s>,
    pub(super) condition: Option<&'c ast::Expr<'s>>,
}

impl<'c, 's> Checker<'c, 's, '_> {
    pub(super) fn fold(&mut self, of: Loop<'c, 's>, span: Span) -> Option<Expr> {
        let Some((_, fold)) = FOLDS.iter().find(|(name, _)| *name == of.function.text) else {
            let message = format!("`{}` does not join the values of a loop", of.function.text);
            let known = FOLDS.map(|(name, _)| name);
            let found = Diagnostic::new(Code::E1202, message, of.function.span);
            let found = found.with_suggestion(of.function.text, known);
            self.report(found.with_help("write `sum`, `and`, `or`, `xor`, `min` or `max`"));
            return None;
        };
        let (range, values) = self.loop_range(of.range)?;
        let (item, condition, local) = self.in_block(|checker| {
            let local = checker.bind(of.name, Type::Integer, values, false)?;
            let condition = match of.condition {
                Some(condition) => Some(Box::new(checker.condition(condition)?)),
                None => None,
            };
            if let Some(condition) = &condition {
                checker.facts.assume(condition, true);
            }
            Some((checker.number(of.item)?, condition, local))
        })?;
        let count = values
            .high
            .exact()
            .zip(values.low.exact())
            .map_or(i128::MAX, |(high, low)| high - low + 1);
        let range_of = self.fold_range(*fold, &item, count, span)?;
        let ty = match (fold, item.ty) {
            (Fold::Or | Fold::Xor, ty @ Type::Bits(_)) => ty,
            (Fold::And, Type::Bits(1)) => item.ty,
            _ => Type::Integer,
        };
        let is_signed = item.is_signed;
        let kind = ExprKind::Fold {
            fold: *fold,
            item: Box::new(item),
            local,
            range: Box::new(range),
            condition,
        };
        let made = self.make(kind, ty, range_of, span);
        Some(Expr { is_signed, ..made })
    }

    fn fold_range(&mut self, fold: Fold, item: &Expr, count: i128, span: Span) -> Option<Interval> {
        let whole = match fold {
            Fold::Sum => {
                let times = Interval::between(0, count.clamp(0, i128::from(MAX_BITS)));
                (item.range * times).join(Interval::one(0))
            }
            // Of bits, `and` of none is 1.
            Fold::And if item.width() == Some(1) => Interval::between(0, 1),
            Fold::And => item.range.and(Interval::one(-1)).join(item.range).join(Interval::one(-1)),
            Fold::Or | Fold::Xor => item.range.or(item.range).join(Interval::one(0)),
            Fold::Min | Fold::Max => item.range,
        };
        if count > i128::from(MAX_BITS) {
            let help = format!("a loop has at most {MAX_BITS} steps");
            self.error(Code::E1219, span, "the loop may be too long", help);
            return None;
        }
        Some(whole)
    }

    /// The values of a loop, and their bounds.
    pub(super) fn loop_range(&mut self, range: &'c ast::Range<'s>) -> Option<(Range, Interval)> {
        match range {
            ast::Range::Between(first, last) => {
                let (first, last) = (self.number(first), self.number(last));
                let (first, last) = (first?, last?);
                let low = first.range.low;
                let values = Interval { low, high: last.range.high.max(low) };
                Some((Range::Between(first, last), values))
            }
            ast::Range::Bits(of) => {
                let of = self.sized(of)?;
                let top = of.width().unwrap_or(1) - 1;
                let values = Interval { low: Bound::Exact(0), high: Bound::Exact(top.into()) };
                Some((Range::Bits(of), values))
            }
        }
    }
}
