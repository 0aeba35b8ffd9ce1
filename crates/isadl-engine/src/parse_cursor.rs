//! Reading a part of a line. A cursor never passes the end of its part.

use super::image::Tables;
use super::image_lines::Control;
use super::image_text::TYPE_NUMBER;
use super::parse_line::{Line, OperandText, SPACE, WORD, find, is};

/// A part of a line that is being read.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'c, 'a, T> {
    pub(crate) line: &'c Line<'c, 'a, T>,
    pub(crate) at: usize,
    pub(crate) end: usize,
    /// The operand, of which the first word is known.
    pub(crate) piece: &'c OperandText,
}

impl<'c, 'a, T: Tables<'a>> Cursor<'c, 'a, T> {
    #[inline]
    pub(crate) fn peek(&self) -> u8 {
        if self.at < self.end { self.line.byte(self.at) } else { 0 }
    }

    #[inline]
    pub(crate) fn skip_space(&mut self) {
        while is(self.peek(), SPACE) {
            self.at += 1;
        }
    }

    #[inline]
    pub(crate) fn take(&mut self, text: &[u8]) -> bool {
        let mut at = self.at;
        while at < self.end && is(self.line.byte(at), SPACE) {
            at += 1;
        }
        let folds_case = self.line.image().texts.folds_case;
        let is_same = |(i, byte): (usize, &u8)| {
            let found = self.line.byte(at + i);
            found == *byte || folds_case && found.eq_ignore_ascii_case(byte)
        };
        let found = text.iter().enumerate().all(is_same) && at + text.len() <= self.end;
        self.at = if found { at + text.len() } else { self.at };
        found
    }

    pub(crate) fn word(&mut self) -> &'c [u8] {
        self.skip_space();
        let start = self.at;
        while is(self.peek(), WORD) {
            self.at += 1;
        }
        &self.line.bytes[start..self.at]
    }

    /// Takes a control field that is written as it is printed: its place among those of a form and its
    /// value, unless it was seen before.
    pub(crate) fn whole_control(
        &mut self,
        controls: &'a [Control],
        seen: u128,
    ) -> Option<(usize, &'a Control, u64)> {
        let mut end = self.at;
        while end < self.end && !is(self.line.byte(end), SPACE) {
            end += 1;
        }
        let place = (self.at + 1, end);
        let image = self.line.image();
        let text = find(image, &image.lines.control_texts, self.line.bytes, place)?;
        let is_meant = |(index, control): &(usize, &Control)| {
            (control.name, control.ty) == (text.name, text.ty) && seen >> index & 1 == 0
        };
        let (index, control) = controls.iter().enumerate().find(is_meant)?;
        if self.peek() != b'$' || self.is_address(control) {
            return None;
        }
        self.at = end;
        Some((index, control, text.raw))
    }

    /// Whether a control field is written as an address: a distance, where the address is known.
    fn is_address(&self, control: &Control) -> bool {
        let texts = &self.line.image().texts;
        let ty = &texts.types[control.ty as usize];
        let own = || texts.notation(texts.own_format(ty)?);
        self.line.address.is_some()
            && ty.kind == TYPE_NUMBER
            && own().is_some_and(|notation| notation.is_relative)
    }

    pub(crate) fn is_done(&mut self) -> bool {
        self.skip_space();
        self.at >= self.end
    }

    /// Whether a number begins at a place, once its sign is taken.
    pub(crate) fn is_number(&self, mut at: usize) -> bool {
        while at < self.end && is(self.line.byte(at), SPACE) {
            at += 1;
        }
        let rest = self.line.bytes.get(at..self.end).unwrap_or_default();
        let is_infinite = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"inf"))
            && !rest.get(3).is_some_and(|byte| is(*byte, WORD));
        is_infinite || rest.first().is_some_and(u8::is_ascii_digit)
    }

    /// Takes a number with its sign and its exponent.
    pub(crate) fn number(&mut self) -> &'c str {
        self.skip_space();
        let start = self.at;
        if self.peek() == b'-' {
            self.at += 1;
            self.skip_space();
        }
        let digits = self.at;
        loop {
            let byte = self.peek();
            let is_exponent = matches!(byte, b'+' | b'-')
                && self.at > digits
                && matches!(self.line.byte(self.at - 1), b'e' | b'E')
                && !self.line.bytes[digits..self.at].starts_with(b"0x");
            if !is(byte, WORD) && byte != b'.' && !is_exponent {
                break;
            }
            self.at += 1;
        }
        self.line.text.get(start..self.at).unwrap_or_default()
    }
}
