//! `Value` and `Canonical`: numbers that are computed from the bits of a field.
//!
//! Codes: E0318, E0319.

use super::Subject;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic, Old, bits};
use crate::isa::{Computed, Expr, Immediate, MAX_COMPUTED_BITS, Number, OutOfRange, Print};
use crate::resolve::Resolver;
use crate::resolve::exprs::Scope;

/// The only value of `Canonical`.
const LOWEST: &str = "lowest";

impl<'a> Resolver<'a, '_> {
    /// The expression of `Value`, if it is given and usable.
    pub(super) fn computed(
        &mut self,
        subject: Subject<'a>,
        ty: &'a ast::Immediate<'a>,
        into: &Immediate,
    ) -> Option<Expr> {
        let given = ty.value.as_deref()?;
        let expr = self.expr_in(Scope::Bits, given);
        let wrong = |message: &str, help: &str| {
            Some(Diagnostic::new(Code::E0318, message, given.span).with_help(help))
        };
        let width = subject.width.unwrap_or(0);
        let fault = if width > MAX_COMPUTED_BITS {
            let message = format!("values of {} cannot be computed", bits(width.into()));
            wrong(&message, "only fields of up to 16 bits have computed values")
        } else if ty.scale.or(ty.bias).is_some() {
            wrong("computed values cannot have a scale or bias", "write it into the expression")
        } else if into.number.lanes != 1 {
            wrong("only single numbers can be computed", "remove `x n` from `Number`")
        } else if into.print == Print::Bits {
            let message = "numbers that are printed as bits cannot be computed";
            let found = Diagnostic::new(Code::E0318, message, given.span);
            let print = Old::Statement(ty.print.map_or(given.span, |print| print.span));
            Some(found.with_removal("remove `Print = bits;`", print))
        } else if ty.relative.is_some() {
            wrong(
                "distances cannot be computed",
                "remove `Relative`, or use `Scale` and `Bias` instead of `Value`",
            )
        } else {
            None
        };
        match fault {
            None if expr.is_some() => expr,
            fault => {
                self.gap(subject);
                fault.into_iter().for_each(|diagnostic| self.report(diagnostic));
                None
            }
        }
    }

    /// Adds the computed values, when it is known which are illegal.
    pub(super) fn computed_values(
        &mut self,
        subject: Subject<'a>,
        ty: &'a ast::Immediate<'a>,
        expr: Expr,
        into: &mut Immediate,
    ) {
        let (Some(width), Some(given)) = (subject.width, ty.value.as_deref()) else { return };
        let computed = match Computed::of(expr, width, into.number, &into.reserved_values) {
            Ok(computed) => computed,
            Err(fault) => {
                self.gap(subject);
                self.report(beyond(fault, into, given));
                return;
            }
        };
        let twins = computed.twins();
        let fault = match (twins, ty.canonical) {
            (Some([first, second]), None) => {
                let text = self.number_in_words(&computed, into, first);
                let message = format!("two encodings of {text}");
                let help = "add `Canonical = lowest;` if assemblers and encoders use the lowest bits, or exclude encodings by `Except`";
                Some(
                    Diagnostic::new(Code::E0319, message, given.span)
                        .with_label(format!(
                            "`bits` of {first:#x} and {second:#x} are the same number"
                        ))
                        .with_help(help),
                )
            }
            (None, Some(word)) if word.text == LOWEST => Some(
                Diagnostic::new(Code::E0319, "no number has two encodings", word.span)
                    .with_removal("remove `Canonical`", Old::Statement(word.span))
                    .certainly(),
            ),
            _ => None,
        };
        if let Some(diagnostic) = fault {
            self.gap(subject);
            self.report(diagnostic);
        }
        into.computed = Some(Box::new(computed));
    }

    /// `Canonical` selects the encoding that is written. There is only one legal answer, and without `Value` the
    /// statement is an error.
    pub(super) fn canonical(&mut self, ty: &'a ast::Immediate<'a>) {
        let Some(word) = ty.canonical else { return };
        if word.text != LOWEST {
            let message = format!("`{}` does not define which encoding is written", word.text);
            let diagnostic = Diagnostic::new(Code::E0319, message, word.span)
                .with_note(
                    "write `Canonical = lowest;` to choose the encoding with the lowest bits",
                )
                .with_suggestion(word.text, [LOWEST]);
            self.report(diagnostic);
        } else if ty.value.is_none() {
            let diagnostic = Diagnostic::new(Code::E0319, "`Canonical` without `Value`", word.span)
                .with_label("every number has one encoding")
                .with_removal("remove `Canonical`, or add `Value`", Old::Statement(word.span));
            self.report(diagnostic);
        }
    }

    fn number_in_words(&self, computed: &Computed, of: &Immediate, raw: u64) -> String {
        match of.number.number {
            Number::Unsigned => computed.number(raw).to_string(),
            Number::Signed => (computed.number(raw) as i64).to_string(),
            Number::Float { .. } => format!("the number with the bits {:#x}", computed.number(raw)),
        }
    }
}

fn beyond(fault: OutOfRange, of: &Immediate, given: &ast::Expr<'_>) -> Diagnostic {
    let (what, help) = match of.number.number {
        Number::Unsigned => (
            "an unsigned number of 64 bits",
            "use `Number = signed;` for numbers below 0, or except the bits that have none",
        ),
        Number::Signed => {
            ("a signed number of 64 bits", "use `Number = unsigned;` for larger numbers")
        }
        Number::Float { .. } => (
            "the bits of a number of the format",
            "the expression gives all bits of the number, and no more",
        ),
    };
    let OutOfRange { raw, value } = fault;
    Diagnostic::new(Code::E0318, format!("a value that is not {what}"), given.span)
        .with_label(format!("where `bits` is {raw:#x}, the value is {value}"))
        .with_help(help)
}
