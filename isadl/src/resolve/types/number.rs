//! Immediates and the formats of their numbers.
//!
//! Codes: E0307, E0308.

use super::Subject;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic, bits};
use crate::isa::{Immediate, MAX_FIELD_BITS, Number, NumberFormat, Print, TypeKind};
use crate::resolve::Resolver;
use crate::source::Span;

impl<'a> Resolver<'a, '_> {
    pub(super) fn immediate(
        &mut self,
        subject: Subject<'a>,
        ty: &'a ast::Immediate<'a>,
    ) -> TypeKind {
        let number = match &ty.number {
            Some(format) => self.number_format(format, subject.width),
            None => {
                if !subject.definition.broken.has("Number") {
                    self.no_number(subject.definition.header);
                }
                None
            }
        };
        if number.is_none() {
            self.gap(subject);
        }
        let print = match ty.print {
            None => Print::Decimal,
            Some(word) if word.text == "decimal" => Print::Decimal,
            Some(word) if word.text == "hex" => Print::Hex,
            Some(word) if word.text == "HEX" => Print::UpperHex,
            Some(word) if word.text == "binary" => Print::Binary,
            Some(word) if word.text == "bits" => Print::Bits,
            Some(word) => {
                let message = format!("`{}` is not a way to print numbers", word.text);
                let diagnostic = Diagnostic::new(Code::E0307, message, word.span)
                    .with_note("use `decimal`, `hex`, `HEX`, `binary` or `bits`")
                    .with_suggestion(word.text, ["decimal", "hex", "HEX", "binary", "bits"]);
                self.report(diagnostic);
                Print::Decimal
            }
        };
        let number = number.unwrap_or(NumberFormat { number: Number::Unsigned, lanes: 1 });
        TypeKind::Immediate(Immediate { number, print })
    }

    fn no_number(&mut self, header: Span) {
        let diagnostic = Diagnostic::new(Code::E0307, "immediate without `Number`", header)
            .with_help("add `Number = unsigned;`, `Number = signed;` or `Number = float<exponent, fraction>;`");
        self.report(diagnostic);
    }

    /// A number format; `width` is the number of bits that it fills, if known.
    pub(super) fn number_format(
        &mut self,
        given: &ast::NumberFormat,
        width: Option<u32>,
    ) -> Option<NumberFormat> {
        match format_of(given, width) {
            Ok(format) => Some(format),
            Err(diagnostic) => {
                self.report(*diagnostic);
                None
            }
        }
    }
}

fn format_of(
    given: &ast::NumberFormat,
    width: Option<u32>,
) -> Result<NumberFormat, Box<Diagnostic>> {
    let wrong = |message: &str| Diagnostic::new(Code::E0308, message, given.span);
    let lanes = given.lanes.value;
    if lanes < 1 {
        return Err(Box::new(wrong("a number format needs at least one number")));
    }
    let (number, least) = match given.number {
        ast::Number::Unsigned => (Number::Unsigned, 1),
        ast::Number::Signed => (Number::Signed, 1),
        ast::Number::Float { exponent, fraction } => {
            if !(2..=11).contains(&exponent.value) || !(1..=52).contains(&fraction.value) {
                let label = "the exponent has 2 to 11 bits, the fraction 1 to 52";
                return Err(Box::new(wrong("invalid floating-point format").with_label(label)));
            }
            let (exponent, fraction) = (exponent.value as u32, fraction.value as u32);
            (Number::Float { exponent, fraction }, 1 + exponent + fraction)
        }
    };
    let room = width.unwrap_or(MAX_FIELD_BITS);
    if i128::from(least).saturating_mul(lanes) > i128::from(room) {
        let numbers = if lanes == 1 { "a number" } else { "numbers" };
        let count = if lanes == 1 { String::new() } else { format!("{lanes} ") };
        let label =
            format!("{count}{numbers} of at least {} in {}", bits(least.into()), bits(room.into()));
        return Err(Box::new(wrong("number format is wider than its type").with_label(label)));
    }
    let is_float = matches!(number, Number::Float { .. });
    if let Some(width) = width.filter(|width| !is_float && i128::from(*width) % lanes != 0) {
        let message = format!("{} cannot be divided into {lanes} numbers", bits(width.into()));
        return Err(Box::new(wrong(&message)));
    }
    Ok(NumberFormat { number, lanes: lanes as u32 })
}
