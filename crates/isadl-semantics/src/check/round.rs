//! `round(…)`: exact arithmetic on floating-point numbers, with one rounding at the end.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::diagnostic::Code;
use isadl_diagnostics::span::Span;

use super::Checker;
use super::floats::scaled;
use crate::float::{Format, Function, Operation};
use crate::program::Expr;
use crate::syntax::ast;

/// A term of a sum, with its parts as they are written.
enum Term<'c, 's> {
    Value(&'c ast::Expr<'s>),
    Product(&'c ast::Expr<'s>, &'c ast::Expr<'s>),
    Quotient(&'c ast::Expr<'s>, &'c ast::Expr<'s>),
    Root(&'c ast::Expr<'s>),
}

impl<'c, 's> Term<'c, 's> {
    fn parts(&self) -> Vec<&'c ast::Expr<'s>> {
        match self {
            Term::Value(of) | Term::Root(of) => vec![of],
            Term::Product(a, b) | Term::Quotient(a, b) => vec![a, b],
        }
    }
}

impl<'c, 's> Checker<'c, 's, '_> {
    /// `round(e)`, `round(e, format)`, `round(e, format, mode)`
    pub(super) fn round(
        &mut self,
        arguments: &'c [ast::Expr<'s>],
        wanted: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        let (format, mode) = self.round_arguments(arguments)?;
        let (of, by) = match scaled(&arguments[0]) {
            Some([of, by]) => (of, Some(by)),
            None => (&arguments[0], None),
        };
        let mut terms = Vec::new();
        collect(of, false, &mut terms);
        let Some(function) = function(&terms) else {
            let help = "write one value, or a sum of two terms of which one may be a product, or one quotient, or `sqrt(x)`; round parts by themselves";
            self.error(Code::E1231, arguments[0].span, "this cannot be rounded at once", help);
            return None;
        };
        let parts: Vec<&'c ast::Expr<'s>> =
            terms.iter().flat_map(|(_, term)| term.parts()).collect();
        let mut values = self.parts_of_sum(&parts, format.or(wanted))?;
        let by = match by {
            Some(by) => Some(self.scale(by)?),
            None => None,
        };
        if let ([value], Function::Convert) = (values.as_slice(), function)
            && value.format().is_none()
        {
            let value = values.remove(0);
            return self.integer_rounded((value, by), format.or(wanted), mode, span);
        }
        let mut formats = Vec::new();
        for value in &values {
            match value.format() {
                Some(format) => formats.push(format),
                None => {
                    let help = "convert it first: `round(x, float(32))`";
                    let message = "an integer among floating-point numbers";
                    self.error(Code::E1231, value.span, message, help);
                    return None;
                }
            }
        }
        let is_one = formats.windows(2).all(|pair| pair[0] == pair[1]);
        let common = formats.first().copied().filter(|_| is_one);
        let Some(to) = format.or(wanted).or(common) else {
            self.unknown_format(span);
            return None;
        };
        if matches!(function, Function::Fused { is_addend_first: true, .. }) {
            // The addend is the last operand.
            values.rotate_left(1);
            formats.rotate_left(1);
        }
        values.extend(by);
        self.operation(Operation { function, from: formats, to }, values, mode, span)
    }

    /// The values of a sum's parts. Literals have the format of the others, or of the result.
    fn parts_of_sum(
        &mut self,
        parts: &[&'c ast::Expr<'s>],
        to: Option<Format>,
    ) -> Option<Vec<Expr>> {
        let mut found: Vec<Option<Expr>> = parts.iter().map(|_| None).collect();
        let mut is_lost = false;
        for is_literal in [false, true] {
            let format = found.iter().flatten().find_map(Expr::format).or(to);
            for (part, value) in parts.iter().zip(&mut found) {
                if self.is_literal(part) == is_literal {
                    self.format = format.filter(|_| is_literal);
                    *value = self.expr(part);
                    self.format = None;
                    is_lost |= value.is_none();
                }
            }
            if is_lost {
                return None;
            }
        }
        found.into_iter().collect()
    }

    fn integer_rounded(
        &mut self,
        (value, by): (Expr, Option<Expr>),
        to: Option<Format>,
        mode: Option<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let at = value.span;
        let value = self.as_number(value, at)?;
        let Some(to) = to else {
            self.unknown_format(span);
            return None;
        };
        let (width, is_signed) = (value.range.width(), value.range.may_be_negative());
        if width > 64 {
            let message = format!("the integer may have {width} bits");
            let help = "integers of conversions have at most 64 bits: write `(…)[63:0]`";
            self.error(Code::E1219, at, message, help);
            return None;
        }
        let function = Function::FromInteger { width, is_signed };
        let arguments = [value].into_iter().chain(by).collect();
        self.operation(Operation { function, from: Vec::new(), to }, arguments, mode, span)
    }

    fn unknown_format(&mut self, span: Span) {
        let help = "give a format: `round(…, float(32))`";
        self.error(Code::E1231, span, "the format of the result is not known here", help);
    }
}

/// The terms of a sum, and whether each is subtracted. The sign of a value belongs to the value.
fn collect<'c, 's>(expr: &'c ast::Expr<'s>, is_minus: bool, into: &mut Vec<(bool, Term<'c, 's>)>) {
    let term = match &expr.kind {
        ast::ExprKind::Binary(BinaryOp::Add, a, b) => {
            collect(a, is_minus, into);
            return collect(b, is_minus, into);
        }
        ast::ExprKind::Binary(BinaryOp::Sub, a, b) => {
            collect(a, is_minus, into);
            return collect(b, !is_minus, into);
        }
        ast::ExprKind::Unary(UnaryOp::Neg, of)
            if matches!(
                of.kind,
                ast::ExprKind::Binary(BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub, ..)
            ) =>
        {
            return collect(of, !is_minus, into);
        }
        ast::ExprKind::Binary(BinaryOp::Mul, a, b) => Term::Product(a, b),
        ast::ExprKind::Binary(BinaryOp::Div, a, b) => Term::Quotient(a, b),
        ast::ExprKind::Call { function, arguments }
            if function.text == "sqrt" && arguments.len() == 1 =>
        {
            Term::Root(&arguments[0])
        }
        _ => Term::Value(expr),
    };
    into.push((is_minus, term));
}

/// The function that computes a sum of terms; `None` if there is none. Operands are in the order of the text.
fn function(terms: &[(bool, Term<'_, '_>)]) -> Option<Function> {
    Some(match terms {
        [(false, Term::Value(_))] => Function::Convert,
        [(false, Term::Root(_))] => Function::Root,
        [(false, Term::Quotient(..))] => Function::Quotient,
        [(is_minus, Term::Product(..))] => Function::Product { is_minus: *is_minus },
        [(a, Term::Value(_)), (b, Term::Value(_))] => Function::Sum { is_minus: [*a, *b] },
        [(product, Term::Product(..)), (addend, Term::Value(_))] => {
            Function::Fused { is_minus: [*product, *addend], is_addend_first: false }
        }
        [(addend, Term::Value(_)), (product, Term::Product(..))] => {
            Function::Fused { is_minus: [*product, *addend], is_addend_first: true }
        }
        _ => return None,
    })
}
