//! Immediates and the formats of their numbers.
//!
//! Codes: E0307, E0308, E0313, E0314.

use super::Subject;
use crate::ast::{self, Ident, Int};
use crate::diagnostic::{Code, Diagnostic, Old, bits};
use crate::isa::{Expr, Immediate, MAX_FIELD_BITS, Number, NumberFormat, Print, TypeKind};
use crate::prove::values_for_which;
use crate::resolve::Resolver;
use crate::resolve::exprs::Scope;
use crate::source::Span;

/// Limit on requested digits: no number of any format needs more digits after its point to be distinguished.
const MAX_DIGITS: u32 = 16;

impl<'a> Resolver<'a, '_> {
    pub(super) fn immediate(
        &mut self,
        subject: Subject<'a>,
        ty: &'a ast::Immediate<'a>,
    ) -> TypeKind {
        let number = match &ty.number {
            // Computed numbers have as many bits as their format.
            Some(format) => {
                self.number_format(format, subject.width.filter(|_| ty.value.is_none()))
            }
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
        let is_known = number.is_some() && subject.width.is_some();
        let number = number.unwrap_or(NumberFormat { number: Number::Unsigned, lanes: 1 });
        let mut immediate = Immediate::new(number, print);
        self.canonical(ty);
        let computed = if is_known { self.computed(subject, ty, &immediate) } else { None };
        if is_known && ty.value.is_none() {
            self.scale(subject, ty, &mut immediate);
        }
        if let Some(digits) = ty.digits.filter(|_| is_known) {
            self.digits(digits, &mut immediate);
        }
        if let Some(either) = &ty.either {
            self.either(ty, either, &mut immediate);
        }
        if let Some(prefix) = ty.prefix {
            self.prefix(prefix, &mut immediate);
        }
        if let Some(condition) = &ty.except {
            let condition = self.expr_in(Scope::Values(&immediate, computed.as_ref()), condition);
            if is_known && let Some(condition) = condition {
                self.except(subject, ty, &condition, &mut immediate);
            }
        }
        if let Some(computed) = computed {
            self.computed_values(subject, ty, computed, &mut immediate);
        }
        if let Some(base) = ty.relative.as_ref().filter(|_| is_known && ty.value.is_none()) {
            self.relative(subject, base, &mut immediate);
        }
        if is_known {
            self.relocations(subject, ty, &mut immediate);
        }
        TypeKind::Immediate(immediate)
    }

    /// `Scale` and `Bias`.
    fn scale(&mut self, subject: Subject<'a>, ty: &ast::Immediate<'a>, into: &mut Immediate) {
        let (Some(span), Some(width)) = (ty.scale.or(ty.bias).map(|int| int.span), subject.width)
        else {
            return;
        };
        let wrong = |message: &str, span| Some(Diagnostic::new(Code::E0313, message, span));
        let [scale, bias] = [(ty.scale, 1), (ty.bias, 0)]
            .map(|(given, usual)| i64::try_from(given.map_or(usual, |int| int.value)));
        let mut scaled = Immediate::new(into.number, into.print);
        let fault = match (scale, bias) {
            _ if !into.is_integer() => wrong("only single integers can have a scale or bias", span)
                .map(|d| d.with_help("use `Number = unsigned;` or `Number = signed;`")),
            _ if into.print == Print::Bits => {
                wrong("numbers that are printed as bits cannot have a scale or bias", span)
                    .map(|d| d.with_help("remove `Print = bits;`, or the scale and bias"))
            }
            (Ok(0), _) => wrong("a scale of 0 makes all values the same", span)
                .map(|d| d.with_help("give the distance from one value to the next")),
            (Ok(scale), Ok(bias)) => {
                (scaled.scale, scaled.bias) = (scale, bias);
                let (low, high) = scaled.range(width);
                let fits = low >= i64::MIN.into() && high <= i64::MAX.into()
                    || low >= 0 && high <= u64::MAX.into();
                match fits {
                    true => None,
                    false => wrong("values need more than 64 bits", span)
                        .map(|d| d.with_label(format!("the values would be {low} to {high}"))),
                }
            }
            _ => wrong("values need more than 64 bits", span),
        };
        match fault {
            None => (into.scale, into.bias) = (scaled.scale, scaled.bias),
            Some(diagnostic) => {
                self.gap(subject);
                self.report(diagnostic);
            }
        }
    }

    /// `Digits`: how many there are at least.
    fn digits(&mut self, given: Int, into: &mut Immediate) {
        let diagnostic = |message: &str| Diagnostic::new(Code::E0313, message, given.span);
        let fault = match u32::try_from(given.value) {
            _ if into.print == Print::Bits => {
                diagnostic("numbers that are printed as bits always have all their digits")
                    .with_help("remove `Digits`, or `Print = bits;`")
            }
            Ok(count @ 1..=MAX_DIGITS) => return into.digits = count,
            _ => diagnostic("the number of digits is out of range")
                .with_help(format!("use 1 to {MAX_DIGITS}")),
        };
        self.report(fault);
    }

    /// `or signed`, `or unsigned`: integers of the other sign are read too.
    fn either(
        &mut self,
        ty: &ast::Immediate<'a>,
        either: &ast::NumberFormat,
        into: &mut Immediate,
    ) {
        use ast::Number::{Signed, Unsigned};
        let first = ty.number.as_ref().map(|format| format.number);
        let is_other =
            matches!((first, either.number), (Some(Signed), Unsigned) | (Some(Unsigned), Signed));
        let is_plain = into.is_integer() && ty.scale.or(ty.bias).is_none() && ty.value.is_none();
        if is_other && is_plain && ty.relative.is_none() && into.print != Print::Bits {
            into.reads_either = true;
            return;
        }
        let message = "`or` cannot accept these numbers".to_string();
        let diagnostic = Diagnostic::new(Code::E0313, message, either.span)
            .with_note("integers that are not distances and have no scale or bias may be read with either sign")
            .with_help("write `Number = unsigned or signed;` or `Number = signed or unsigned;`");
        self.report(diagnostic);
    }

    /// `Prefix`: it must not look like another part of a line.
    fn prefix(&mut self, prefix: Ident<'a>, into: &mut Immediate) {
        let signs =
            self.model.isa.as_ref().map(|isa| isa.comment_syntax.clone()).unwrap_or_default();
        let sign = signs.comments().chain(signs.separators()).find(|s| prefix.text.contains(*s));
        let is_apart = |byte: u8| isadl_engine::image_text::PREFIX_BYTES.contains(&byte);
        let message = match sign {
            _ if prefix.text.is_empty() => "a prefix of numbers is empty".to_string(),
            _ if !prefix.text.bytes().all(is_apart) => {
                format!("`{}` cannot be a prefix of numbers", prefix.text)
            }
            Some(sign) => format!("the prefix contains `{sign}`, which ends lines"),
            None => return into.prefix = prefix.text.to_string(),
        };
        let diagnostic = Diagnostic::new(Code::E0313, message, prefix.span).with_note(format!(
            "a prefix consists of one or more of `{}`",
            String::from_utf8_lossy(isadl_engine::image_text::PREFIX_BYTES)
        ));
        self.report(diagnostic);
    }

    /// `Except`: values that satisfy the condition are reserved.
    fn except(
        &mut self,
        subject: Subject<'a>,
        ty: &ast::Immediate<'a>,
        condition: &Expr,
        into: &mut Immediate,
    ) {
        let (Some(width), Some(given)) = (subject.width, &ty.except) else { return };
        let diagnostic = match values_for_which(condition, width) {
            None => Diagnostic::new(Code::E0314, "the condition is too complex", given.span)
                .with_note("the compiler cannot list the values that satisfy it")
                .with_help("compare `value` or `bits` with numbers, or write a rule"),
            Some(reserved_values) if reserved_values.first() == Some(&(0, 1 << width)) => {
                Diagnostic::new(Code::E0314, "all values are excepted", given.span)
                    .with_help("`Except` selects the illegal values")
            }
            Some(reserved_values) if reserved_values.is_empty() => {
                Diagnostic::new(Code::E0314, "no value is excepted", given.span).with_removal(
                    "the condition never holds; remove it",
                    Old::Statement(given.span),
                )
            }
            Some(reserved_values) => return into.reserved_values = reserved_values,
        };
        self.gap(subject);
        self.report(diagnostic);
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
