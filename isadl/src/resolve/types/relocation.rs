//! `Relocation`: how linkers, or the syntax of operands, compute values from addresses.
//!
//! Codes: E0320.

use super::Subject;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Immediate, Pair, Print, Relocation, Written};
use crate::resolve::Resolver;
use crate::resolve::exprs::Scope;

impl<'a> Resolver<'a, '_> {
    /// Adds the relocations of values.
    pub(super) fn relocations(
        &mut self,
        subject: Subject<'a>,
        ty: &'a ast::Immediate<'a>,
        into: &mut Immediate,
    ) {
        let Some(width) = subject.width else { return };
        for (at, given) in ty.relocations.iter().enumerate() {
            let value = given.value.as_ref().map(|value| self.expr_in(Scope::Relocation, value));
            let fault = self.relocation_fault(given, into);
            let fault = fault.or_else(|| twin(given, &ty.relocations[..at]));
            // A fault in the expression was reported already.
            let is_known = value != Some(None);
            let value = value.flatten();
            let (value, pair) = match given.of {
                Some(of) => {
                    let pair = value.map(|value| Pair { of: of.text.to_string(), value });
                    (None, pair)
                }
                None => (value, None),
            };
            let relocation = Relocation {
                name: given.name.map(|name| name.text.to_string()),
                number: u32::try_from(given.number.value).unwrap_or(0),
                value,
                pair,
            };
            let fault = fault.or_else(|| match &given.value {
                Some(value) if is_known && !has_bits(&relocation, into, width) => Some(
                    Diagnostic::new(Code::E0320, "the relocation gives no value of the type", value.span)
                        .with_label(format!("the values are {}", into.range_in_words(width)))
                        .with_help("write the value of the operand, not its bits, and mask the excess: `value & 0xfff`"),
                ),
                _ => None,
            });
            match fault {
                Some(diagnostic) => {
                    self.gap(subject);
                    self.report(diagnostic);
                }
                None if is_known => into.relocations.push(relocation),
                None => self.gap(subject),
            }
        }
    }

    /// The fault of a relocation by itself, regardless of other relocations.
    fn relocation_fault(&self, given: &ast::Relocation<'a>, of: &Immediate) -> Option<Diagnostic> {
        let wrong = |message: &str, span| Diagnostic::new(Code::E0320, message, span);
        let signs =
            self.model.isa.as_ref().map(|isa| isa.comment_syntax.clone()).unwrap_or_default();
        let name = given.name;
        let ends_line = |sign: &&str| name.is_some_and(|name| name.text.contains(*sign));
        let sign = signs.comments().chain(signs.separators()).find(ends_line);
        Some(match name {
            _ if !of.is_integer() => {
                wrong("only single integers can have a relocation", given.keyword.span)
                    .with_help("use `Number = unsigned;` or `Number = signed;`")
            }
            _ if of.print == Print::Bits => wrong(
                "numbers that are printed as bits cannot have a relocation",
                given.keyword.span,
            )
            .with_help("remove `Print = bits;`, or `Relocation`"),
            _ if u32::try_from(given.number.value).is_err() => {
                wrong("the number of a relocation has 32 bits", given.number.span)
            }
            Some(name) if Written::of(name.text).is_none() => {
                let message = format!("`{}` cannot be the name of a relocation", name.text);
                wrong(&message, name.span).with_note(
                    "it is a word after a sign, such as `%hi` for `%hi(…)`, with a colon after it, such as `:lo12:` for `:lo12:…`, or a word after `@`, such as `@ha` for `…@ha`",
                )
            }
            Some(name) if let Some(sign) = sign => {
                wrong(&format!("the name contains `{sign}`, which ends lines"), name.span)
            }
            _ => return pair_fault(given),
        })
    }
}

/// The fault of the paired relocation.
fn pair_fault(given: &ast::Relocation<'_>) -> Option<Diagnostic> {
    let of = given.of?;
    let wrong = |message: String| Diagnostic::new(Code::E0320, message, of.span);
    match given.name {
        None => Some(wrong(
            "a relocation without a name cannot be computed from another one".to_string(),
        )),
        Some(_) if Written::of(of.text).is_none() => {
            Some(wrong(format!("`{}` cannot be the name of a relocation", of.text)))
        }
        Some(_) if given.value.is_none() => {
            let message = format!("the expression that uses `{}` is missing", of.text);
            Some(wrong(message).with_help("write an expression over `value` and `start` after `=`"))
        }
        Some(_) => None,
    }
}

/// Two relocations of the same name or number.
fn twin(given: &ast::Relocation<'_>, before: &[ast::Relocation<'_>]) -> Option<Diagnostic> {
    let text = |one: &ast::Relocation<'_>| one.name.map(|name| name.text.to_string());
    let place = |one: &ast::Relocation<'_>| one.name.map_or(one.keyword.span, |name| name.span);
    let same_name = before.iter().find(|other| text(other) == text(given));
    let same_number = before.iter().find(|other| other.number.value == given.number.value);
    let (what, span, other) = match (same_name, same_number) {
        (Some(other), _) => {
            let what = match given.name {
                Some(name) => format!("two relocations are written `{}`", name.text),
                None => "two relocations without a name".to_string(),
            };
            (what, place(given), place(other))
        }
        (None, Some(other)) => {
            let what = format!("two relocations have the number {}", given.number.value);
            (what, given.number.span, other.number.span)
        }
        (None, None) => return None,
    };
    let help = "a field's relocation is identified by its name and number; use separate types for fields that differ";
    let diagnostic = Diagnostic::new(Code::E0320, what, span);
    Some(diagnostic.with_related(other, "the first one is here").with_help(help))
}

/// Whether a relocation gives an encodable value for some address. Tries powers of 2 and their neighbours.
fn has_bits(relocation: &Relocation, of: &Immediate, width: u32) -> bool {
    let near =
        |bit: u32| [1i64 << bit, (1i64 << bit).wrapping_sub(1), (1i64 << bit).wrapping_neg()];
    let mut addresses = std::iter::once(0).chain((0..i64::BITS).flat_map(near));
    addresses.any(|value| {
        let given = relocation.value_of(value, 0);
        given.is_some_and(|given| of.bits_of(given, width).is_some_and(|raw| !of.excepts(raw)))
    })
}
