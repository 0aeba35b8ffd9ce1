//! The bounds that the compiler gives to expressions.

use isadl::semantics::interval::Interval;
use isadl::semantics::program::{Expr, ExprKind, Range, Statement, StatementKind};

/// The bounds of the expressions of a checked program, by their places.
#[derive(Default)]
pub(super) struct Ranges {
    pub(super) found: Vec<((u32, u32), Interval)>,
}

impl Ranges {
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Bind { value, .. } | StatementKind::Do(value) => self.expr(value),
                StatementKind::Write { value, .. } => self.expr(value),
                StatementKind::If { condition, yes, no } => {
                    self.expr(condition);
                    self.statements(yes);
                    self.statements(no);
                }
                StatementKind::For { range, body, .. } => {
                    self.range(range);
                    self.statements(body);
                }
                StatementKind::Trap { .. } => {}
                other => panic!("not in random programs: {other:?}"),
            }
        }
    }

    fn range(&mut self, range: &Range) {
        if let Range::Between(first, last) = range {
            self.expr(first);
            self.expr(last);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let place = (expr.span.start, expr.span.end);
        // A place in a program with branches over a number has bounds in each branch.
        match self.found.iter_mut().find(|(known, _)| *known == place) {
            Some((_, range)) => *range = range.join(expr.range),
            None => self.found.push((place, expr.range)),
        }
        self.parts(expr);
    }

    /// The parts of an expression that the text has: the parts of an element stand at the element's own place.
    fn parts(&mut self, expr: &Expr) {
        let mut is_element = false;
        expr.visit(&mut |part| {
            is_element |= matches!(part.kind, ExprKind::Read(_)) && part.span == expr.span;
        });
        if is_element {
            return;
        }
        match &expr.kind {
            ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } => self.expr(of),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Choice(parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::Concat(parts) | ExprKind::Builtin(_, parts) => {
                parts.iter().for_each(|part| self.expr(part))
            }
            ExprKind::Part { of, low, .. } => {
                self.expr(of);
                self.expr(low);
            }
            ExprKind::Fold { item, range, .. } => {
                self.range(range);
                self.expr(item);
            }
            _ => {}
        }
    }
}
