//! Comparisons of floating-point numbers, and the functions of the language on them.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::diagnostic::Code;
use isadl_diagnostics::span::Span;
use isadl_float::Extremum;

use super::Checker;
use super::floats::{is_comparison, is_format, scaled};
use crate::float::{Format, Function, Operation, Order, Setting};
use crate::program::{Expr, ExprKind, Type};
use crate::syntax::ast::{self, Name};

impl<'c, 's> Checker<'c, 's, '_> {
    // ---- comparisons

    /// A comparison of floating-point numbers, with which any NaN is invalid if that is written. Without a word only `==` and `!=` are
    /// quiet.
    pub(super) fn float_comparison(
        &mut self,
        op: BinaryOp,
        (a, b): (Expr, Expr),
        is_signaling: Option<bool>,
        span: Span,
    ) -> Option<Expr> {
        for (value, other) in [(&a, &b), (&b, &a)] {
            let Some(format) = other.format() else { continue };
            self.is_of_format(value, format, "the other is")?;
        }
        let format = a.format()?;
        let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let is_signaling = is_signaling.unwrap_or(!is_equality);
        let (order, is_swapped) = match op {
            BinaryOp::Lt => (Order::Less, false),
            BinaryOp::Gt => (Order::Less, true),
            BinaryOp::Le => (Order::LessOrEqual, false),
            BinaryOp::Ge => (Order::LessOrEqual, true),
            _ => (Order::Equal, false),
        };
        let arguments = if is_swapped { vec![b, a] } else { vec![a, b] };
        let function = Function::Compare { order, is_signaling };
        let operation = Operation { function, from: vec![format; 2], to: format };
        let found = self.operation(operation, arguments, None, span)?;
        Some(match op {
            BinaryOp::Ne => self.make_bits(ExprKind::Unary(UnaryOp::Not, Box::new(found)), 1, span),
            _ => found,
        })
    }

    /// `quiet(a < b)`, `signaling(a == b)`
    fn with_signal(
        &mut self,
        argument: &'c ast::Expr<'s>,
        is_signaling: bool,
        span: Span,
    ) -> Option<Expr> {
        if let ast::ExprKind::Binary(op, left, right) = &argument.kind
            && is_comparison(*op)
        {
            let (a, b) = self.pair(left, right)?;
            if a.format().is_some() || b.format().is_some() {
                return self.float_comparison(*op, (a, b), Some(is_signaling), span);
            }
        }
        let help = "write a comparison of two: `quiet(rs1 < rs2)`";
        let message = "this is no comparison of floating-point numbers";
        self.error(Code::E1231, argument.span, message, help);
        None
    }

    // ---- functions

    /// A call of a function on floating-point numbers. `format` is that of the place that the value is for.
    pub(super) fn float_call(
        &mut self,
        function: Name<'s>,
        arguments: &'c [ast::Expr<'s>],
        format: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        let first = &arguments[0];
        match function.text {
            "round" => self.round(arguments, format, span),
            "quiet" | "signaling" => self.with_signal(first, function.text == "signaling", span),
            "with_sign" => self.with_sign(arguments, format, span),
            "from_bits" => self.bits_call(arguments, format, span),
            "to_bits" => {
                let (of, format) = self.float(first)?;
                Some(Expr { ty: Type::Bits(format.width()), span, ..of })
            }
            "to_signed" | "to_unsigned" => {
                self.integer_call(arguments, function.text == "to_signed", span)
            }
            "sqrt" | "scaled" => {
                let message = format!("`{}` gives an exact number", function.text);
                let help = format!("round it: `round({}(…))`", function.text);
                self.error(Code::E1231, span, message, help);
                None
            }
            "to_integral" | "to_integral_exact" => {
                let (of, format) = self.float(first)?;
                let mode = self.mode_argument(arguments.get(1))?;
                let is_exact = function.text == "to_integral_exact";
                let function = Function::ToIntegral { is_exact };
                let operation = Operation { function, from: vec![format], to: format };
                self.operation(operation, vec![of], mode, span)
            }
            "is_nan" | "is_infinite" | "is_zero" | "is_signaling" | "is_subnormal" | "sign" => {
                let (of, format) = self.float(first)?;
                Some(self.question(function.text, of, format, span))
            }
            name => {
                let function = match name {
                    "minimum" => Function::Minimum(Extremum::Nan),
                    "maximum" => Function::Maximum(Extremum::Nan),
                    "minimum_number" => Function::Minimum(Extremum::Number),
                    "maximum_number" => Function::Maximum(Extremum::Number),
                    "min_num" => Function::Minimum(Extremum::NumberUnlessSignaling),
                    _ => Function::Maximum(Extremum::NumberUnlessSignaling),
                };
                self.extremum(function, arguments, span)
            }
        }
    }

    fn extremum(
        &mut self,
        function: Function,
        arguments: &'c [ast::Expr<'s>],
        span: Span,
    ) -> Option<Expr> {
        let (a, b) = self.pair(&arguments[0], &arguments[1])?;
        let Some(format) = a.format().or(b.format()) else {
            let help = "of integers, write `min(a, b)` or `max(a, b)`";
            self.error(Code::E1231, a.span, "this is no floating-point number", help);
            return None;
        };
        self.is_of_format(&a, format, "the other is")?;
        self.is_of_format(&b, format, "the other is")?;
        let operation = Operation { function, from: vec![format; 2], to: format };
        self.operation(operation, vec![a, b], None, span)
    }

    /// An argument that is a rounding mode, if it is written.
    pub(super) fn mode_argument(
        &mut self,
        argument: Option<&'c ast::Expr<'s>>,
    ) -> Option<Option<Expr>> {
        match argument {
            Some(argument) => self.mode(Setting::Rounding, argument).map(Some),
            None => Some(None),
        }
    }

    /// `to_signed(x, 32)`, `to_unsigned(x, 32, mode)`
    fn integer_call(
        &mut self,
        arguments: &'c [ast::Expr<'s>],
        is_signed: bool,
        span: Span,
    ) -> Option<Expr> {
        let (of, by) = match scaled(&arguments[0]) {
            Some([of, by]) => (of, Some(self.scale(by)?)),
            None => (&arguments[0], None),
        };
        let of = self.float(of);
        let width = self.width(&arguments[1]);
        let mode = self.mode_argument(arguments.get(2));
        let ((of, format), width, mode) = (of?, width?, mode?);
        if width > 64 {
            let help = "integers of conversions have at most 64 bits";
            self.error(Code::E1219, arguments[1].span, format!("{width} bits are too many"), help);
            return None;
        }
        let function = Function::ToInteger { width, is_signed };
        let operation = Operation { function, from: vec![format], to: format };
        self.operation(operation, [of].into_iter().chain(by).collect(), mode, span)
    }

    /// `from_bits(x)`, `from_bits(x, float(32))`
    fn bits_call(
        &mut self,
        arguments: &'c [ast::Expr<'s>],
        wanted: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        let given = match arguments.get(1) {
            Some(argument) => Some(self.format_argument(argument)?),
            None => wanted,
        };
        let of = self.number(&arguments[0])?;
        let Some(format) = given else {
            let help = "give a format: `from_bits(x, float(32))`";
            self.error(Code::E1231, span, "the format is not known here", help);
            return None;
        };
        self.store(&of, format.width(), "the format has")?;
        let bits = self.stored(of, format.width());
        Some(Expr { ty: Type::Float(format), span, ..bits })
    }

    /// The format of `round(e, float(32))` and its mode, which both may be left out.
    pub(super) fn round_arguments(
        &mut self,
        arguments: &'c [ast::Expr<'s>],
    ) -> Option<(Option<Format>, Option<Expr>)> {
        let rest = &arguments[1..];
        let (format, rest) = match rest.split_first() {
            Some((first, rest)) if is_format(first) => (Some(self.format_argument(first)?), rest),
            _ => (None, rest),
        };
        if let Some(extra) = rest.get(1) {
            let help = "write `round(x, format, mode)`";
            self.error(Code::E1213, extra.span, "`round` has a format and a mode", help);
            return None;
        }
        Some((format, self.mode_argument(rest.first())?))
    }
}
