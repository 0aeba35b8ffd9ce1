//! `Relative`: the point that the values of an immediate are distances from.
//!
//! Codes: E0316.

use super::Subject;
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Immediate, Point, Print, Relative};
use crate::resolve::Resolver;

/// The legal forms of `Relative`.
const FORM: &str = "it is `start`, `next` or `here`, perhaps with a number added, and perhaps within `align(…, n)`";

/// The functions of these expressions.
const ALIGN: &str = "align";

impl<'a> Resolver<'a, '_> {
    /// Adds the point that values are distances from.
    pub(super) fn relative(&mut self, subject: Subject<'a>, base: &Expr<'a>, into: &mut Immediate) {
        let wrong = |message: &str, help: &str| {
            Box::new(Diagnostic::new(Code::E0316, message, base.span).with_help(help))
        };
        let found = match into {
            _ if !into.is_integer() => Err(wrong(
                "only single integers can be distances",
                "use `Number = unsigned;` or `Number = signed;`",
            )),
            _ if into.print == Print::Bits => Err(wrong(
                "numbers that are printed as bits cannot be distances",
                "remove `Print = bits;`, or `Relative`",
            )),
            _ => relative(base),
        };
        match found {
            Ok(relative) => into.relative = Some(relative),
            Err(diagnostic) => {
                self.gap(subject);
                self.report(*diagnostic);
            }
        }
    }
}

/// The address that an expression means.
fn relative(base: &Expr<'_>) -> Result<Relative, Box<Diagnostic>> {
    match &base.kind {
        ExprKind::Field(name) => {
            let points = [Point::Start, Point::Next, Point::Here];
            let found = points.into_iter().find(|point| point.name() == *name);
            let from = found.ok_or_else(|| {
                let message = format!("`{name}` is not an address that an instruction has");
                let known = points.map(Point::name);
                let diagnostic = Diagnostic::new(Code::E0316, message, base.span);
                Box::new(diagnostic.with_note(FORM).with_suggestion(name, known))
            })?;
            Ok(Relative { from, before: 0, align: 1, after: 0 })
        }
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
            let number = constant(right)?;
            let number = if *op == BinaryOp::Sub { number.checked_neg() } else { Some(number) };
            let mut relative = relative(left)?;
            let place = match relative.align {
                1 => &mut relative.before,
                _ => &mut relative.after,
            };
            let sum = number.and_then(|number| place.checked_add(number));
            *place = sum.ok_or_else(|| other(right))?;
            Ok(relative)
        }
        ExprKind::Call(name, arguments) if name.text == ALIGN => {
            let [inner, number] = arguments.as_slice() else { return Err(other(base)) };
            let relative = relative(inner)?;
            if relative.align != 1 {
                return Err(other(base));
            }
            let align = u64::try_from(constant(number)?).ok();
            let align = align.filter(|number| number.is_power_of_two()).ok_or_else(|| {
                let message = "addresses are aligned to powers of 2";
                Box::new(Diagnostic::new(Code::E0316, message, number.span))
            })?;
            Ok(Relative { align, ..relative })
        }
        ExprKind::Call(name, _) => {
            let message = format!("an address does not have a function `{}`", name.text);
            let diagnostic = Diagnostic::new(Code::E0316, message, name.span);
            Err(Box::new(diagnostic.with_note(FORM).with_suggestion(name.text, [ALIGN])))
        }
        _ => Err(other(base)),
    }
}

/// A number, perhaps with a sign.
fn constant(expr: &Expr<'_>) -> Result<i64, Box<Diagnostic>> {
    let value = match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Neg, operand) => match operand.kind {
            ExprKind::Int(value) => Some(-value),
            _ => None,
        },
        _ => None,
    };
    value.and_then(|value| i64::try_from(value).ok()).ok_or_else(|| other(expr))
}

fn other(expr: &Expr<'_>) -> Box<Diagnostic> {
    let message = "this is not an address that numbers can be relative to";
    Box::new(Diagnostic::new(Code::E0316, message, expr.span).with_note(FORM))
}
