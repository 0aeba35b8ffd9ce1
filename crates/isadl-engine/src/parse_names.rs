//! Expressions over names where a number may be. A caller reads them; what is not known yet becomes a
//! [`Fixup`], and the field gets zeros until then.
//!
//! They are only looked for in lines that are no instruction without them. So a name never takes the place of a
//! register, a modifier, or anything else that is written like it.

use super::decode::RowId;
use super::expr::eval_numbers;
use super::image::{Tables, slice};
use super::image_control::{AFTER, BEFORE, FUNCTION, Relocation, UNNAMED};
use super::image_text::{Format, NUMBER_FLOAT, Notation};
use super::names::{Fixup, Named};
use super::parse::split;
use super::parse_cursor::Cursor;
use super::parse_error::{Failure, ParseError, Reason, expected, fail};
use super::parse_integer::{Integer, integer_bits, numbers};
use super::parse_line::{self, Range, UNTOLD, WORD, is};
use super::target::Target;
use super::word::Word;

/// Assembles a line in which expressions may be where numbers are.
pub fn parse_named<'l, 'a, T: Tables<'a>>(
    tables: T,
    (target, named): (Target, &'l Named<'l>),
    text: &'l str,
    words: &'l mut [Range],
    pieces: &'l mut [parse_line::OperandText],
) -> Result<(RowId, Word), ParseError> {
    let mut line = split(tables, target, text, words, pieces)?;
    named.back_to(0);
    named.keep();
    if let Some(plain) = line.search() {
        return plain;
    }
    line.take_names(named);
    line.instruction()
}

impl<'l, 'a, T: Tables<'a>> parse_line::Line<'l, 'a, T> {
    /// From now on expressions are read, too.
    pub(crate) fn take_names(&mut self, named: &'l Named<'l>) {
        self.names = Some(named);
        self.keeps_place = true;
        // A word that begins another kind of operand may be a name.
        self.sequence = UNTOLD;
    }
}

impl<'a, T: Tables<'a>> Cursor<'_, 'a, T> {
    /// Reads a number that is written as an expression; `None` if it is none, and nothing is taken.
    #[cold]
    pub(crate) fn of_names(
        &mut self,
        named: &Named<'_>,
        format: &Format,
    ) -> Option<Result<u64, Failure>> {
        if format.kind == NUMBER_FLOAT || format.lanes != 1 {
            return None;
        }
        let start = self.at;
        let image = self.line.image();
        let notation = image.texts.notation(format);
        let (first, count) = notation.map_or((0, 0), |notation| notation.relocations);
        for (index, relocation) in (first..).zip(slice(image.control.relocations, (first, count))) {
            if let Some(bits) = self.of_relocation(named, (index, relocation), (format, notation?))
            {
                return Some(bits);
            }
            self.at = start;
        }
        let bits = self.of_expression(named, format, notation);
        self.at = if bits.is_none() { start } else { self.at };
        bits
    }

    /// The bits that a relocation of an expression gives, if it is written.
    fn of_relocation(
        &mut self,
        named: &Named<'_>,
        (index, relocation): (u32, &Relocation),
        (format, notation): (&Format, &Notation),
    ) -> Option<Result<u64, Failure>> {
        let image = self.line.image();
        self.take(image.texts.bytes(notation.prefix));
        self.skip_space();
        let at = self.at;
        let (first, length) = relocation.name;
        let names = image.control.relocation_names.as_bytes();
        let name = names.get(first as usize..(first + length) as usize)?;
        let is_before = matches!(relocation.form, FUNCTION | BEFORE);
        let is_function = relocation.form == FUNCTION;
        if relocation.form == UNNAMED || is_before && !self.take(name) {
            return None;
        }
        if is_function && !self.take(b"(") {
            return None;
        }
        let Some((range, value)) = self.expression(named) else {
            return is_before.then(|| expected(self.at, "an expression"));
        };
        if is_function && !self.take(b")") {
            return Some(expected(self.at, "`)`"));
        }
        if relocation.form == AFTER && (!self.take(name) || is(self.peek(), WORD)) {
            return None;
        }
        let is_known = relocation.value != 0 && !relocation.is_relative;
        let bits = match value.and_then(|value| i64::try_from(value).ok()).filter(|_| is_known) {
            Some(value) => {
                let value = eval_numbers(image, relocation.value, (value, 0));
                integer_bits(Integer { value, is_pattern: false }, at, (format, Some(notation)))
            }
            None => self.later(named, (range, Some(index))),
        };
        Some(bits)
    }

    /// The bits of an expression.
    fn of_expression(
        &mut self,
        named: &Named<'_>,
        format: &Format,
        notation: Option<&Notation>,
    ) -> Option<Result<u64, Failure>> {
        let image = self.line.image();
        if let Some(notation) = notation {
            self.take(image.texts.bytes(notation.prefix));
        }
        let is_added = self.is_added();
        self.skip_space();
        let start = self.at;
        let sign = usize::from(self.peek() == b'-');
        let is_digit = self.line.byte(start + sign).is_ascii_digit();
        let number = if is_digit { (Cursor { ..*self }).number().len() } else { 0 };
        let (range, value) = self.expression(named)?;
        if let Some(value) = value {
            // Numbers alone are read as they always are.
            if number >= (range.1 - range.0) as usize {
                return None;
            }
            let integer = Integer { value, is_pattern: false };
            let computed = notation.filter(|notation| notation.computed != 0).is_some();
            let notation = notation.filter(|_| !computed);
            return Some(integer_bits(integer, start, (format, notation)));
        }
        let notation = notation?;
        let (first, count) = notation.relocations;
        let mut own = (first..).zip(slice(image.control.relocations, (first, count)));
        let own = own.find(|(_, one)| one.form == UNNAMED).map(|(index, _)| index);
        let is_place = own.is_some() || notation.is_relative;
        Some(match is_place && !is_added {
            true => self.later(named, (range, own)),
            false => fail(start, Reason::ExpectedInteger(numbers(format))),
        })
    }

    /// The place of an expression in the line, and its value if it is known.
    fn expression(&mut self, named: &Named<'_>) -> Option<((u32, u32), Option<i128>)> {
        self.skip_space();
        let text = self.line.text.get(self.at..self.end)?;
        let (length, value) = named.names.read(text)?;
        if length == 0 || length > text.len() {
            return None;
        }
        let start = self.at;
        self.at += length;
        Some(((start as u32, self.at as u32), value))
    }

    /// The bits of a field until its value is known.
    fn later(
        &self,
        named: &Named<'_>,
        (expression, relocation): ((u32, u32), Option<u32>),
    ) -> Result<u64, Failure> {
        let start = expression.0 as usize;
        let Some(field) = self.field_of_address(relocation.is_some()) else {
            return fail(start, Reason::Unfit);
        };
        if !named.push(Fixup { expression, relocation, field }) {
            return fail(start, Reason::Unfit);
        }
        Ok(named.bits())
    }
}
