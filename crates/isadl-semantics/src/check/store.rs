//! The storing rule: what may be stored in a place of some bits.
//!
//! A value is stored if it lies in -2^(n-1) … 2^n - 1, or is written there as a sum, difference, product, left shift or bitwise
//! operation of values that may be stored: its low n bits depend on the low n bits of its parts alone.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::diagnostic::{Code, Diagnostic, bits};

use super::Checker;
use super::bits::Position;
use crate::program::{Expr, ExprKind, Fold, Type};

impl Checker<'_, '_, '_> {
    /// Checks that a value may be stored in some bits of a place called `place`.
    pub(super) fn store(&mut self, value: &Expr, width: u32, place: &str) -> Option<()> {
        let mut parts = Vec::new();
        unfit(value, width, &mut parts);
        if parts.is_empty() {
            return Some(());
        }
        for part in parts {
            let found = self.unfit_part(part, width, place);
            self.report(found);
        }
        None
    }

    /// The bits of a place that a value is stored in.
    pub(super) fn stored(&mut self, value: Expr, width: u32) -> Expr {
        if value.ty == Type::Bits(width) {
            return value;
        }
        let span = value.span;
        self.bits_at(value, Position::Fixed(0, width), span)
    }

    fn unfit_part(&self, part: &Expr, width: u32, place: &str) -> Diagnostic {
        let needed = part.range.width();
        let what = match &part.kind {
            ExprKind::Local(local) | ExprKind::Variable(local) => {
                format!("`{}`", self.locals[local.index()].name)
            }
            _ => "the value".to_string(),
        };
        let message = format!("{what} has {}, {place} only {width}", bits(needed.into()));
        let found =
            Diagnostic::new(Code::E1204, message, part.span).with_label(part.range.to_string());
        if part.value().is_some() {
            return found.with_help("write a number that fits");
        }
        let top = width - 1;
        let help = match (&part.kind, part.range.may_be_negative()) {
            (ExprKind::Local(local), false) => {
                let name = &self.locals[local.index()].name;
                let carry = if needed == width + 1 {
                    format!("; the carry is `{name}[{width}]`")
                } else {
                    String::new()
                };
                format!("write `{name}[{top}:0]`{carry}")
            }
            (ExprKind::Local(local), true) => {
                format!("write `{}[{top}:0]`", self.locals[local.index()].name)
            }
            _ => format!("write `(…)[{top}:0]` to keep the lowest bits"),
        };
        found.with_note("a sum wraps only where it is written; a name, a quotient or a right shift keeps its value").with_help(help)
    }
}

/// The parts of a value that do not fit.
fn unfit<'e>(value: &'e Expr, width: u32, into: &mut Vec<&'e Expr>) {
    if value.range.fits(width) && !matches!(value.ty, Type::Enumeration(_)) {
        return;
    }
    match &value.kind {
        ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, of) if !value.is_exact => {
            unfit(of, width, into)
        }
        ExprKind::Binary(op, a, b) if is_ring(*op) && !value.is_exact => {
            unfit(a, width, into);
            unfit(b, width, into);
        }
        ExprKind::Binary(BinaryOp::Shl, a, _) if !value.is_exact => unfit(a, width, into),
        ExprKind::Choice(parts) => {
            let [_, yes, no] = &**parts;
            unfit(yes, width, into);
            unfit(no, width, into);
        }
        ExprKind::Inline { value, .. } => unfit(value, width, into),
        ExprKind::Fold { fold: Fold::Sum | Fold::And | Fold::Or | Fold::Xor, item, .. } => {
            unfit(item, width, into)
        }
        _ => into.push(value),
    }
}

/// Whether the low bits of a result depend on the low bits of the operands alone.
pub(super) fn is_ring(op: BinaryOp) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Mul, Sub};
    matches!(op, Add | Sub | Mul | BitAnd | BitOr | BitXor)
}
