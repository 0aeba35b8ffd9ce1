//! One operand for a place that is known: marks, the register, name or number, attributes.
//!
//! What is one word or one number goes the short way (`plain`); both ways agree. A new way of
//! writing operands begins here, with its row in `image_lines.rs`.

use super::bits::{extract, put};
use super::computed;
use super::fields::{get, set};
use super::image::{Image, Tables, slice};
use super::image_lines::{Mark, Modifier, OperandForm, PLACE_FIELD, PLACE_FILE};
use super::image_text::{
    ENTRY_NAME, ENTRY_RUN, Entry, Format, NUMBER_SIGNED, TYPE_COMPOSITE, TYPE_NUMBER,
};
use super::parse_cursor::Cursor;
use super::parse_error::{Failure, Numbers, Reason, expected, fail};
use super::parse_integer::register_number;
use super::parse_modifiers::meanings;
use super::print::registers;
use super::word::Word;

impl OperandForm {
    /// The format of its numbers.
    #[inline(always)]
    pub(crate) fn format<'a>(&self, image: &Image<'a>, word: Word) -> Option<&'a Format> {
        let texts = &image.texts;
        if self.place != PLACE_FIELD || texts.types[self.ty as usize].kind != TYPE_NUMBER {
            return None;
        }
        let (lsb, width, first) = self.selector;
        let selected = get(image, word, lsb, width);
        texts.format(first as usize + selected as usize)
    }

    /// What is said where it is missing.
    pub(crate) fn described(&self) -> Reason {
        match self.place {
            PLACE_FIELD => Reason::ExpectedValue(self.ty),
            _ => Reason::ExpectedName(self.text),
        }
    }
}

impl<'a, T: Tables<'a>> Cursor<'_, 'a, T> {
    /// Reads an operand that is one word with marks before it, or one number, and nothing else; `None`
    /// if it is more, or wrong.
    #[inline(always)]
    fn plain(mut self, operand: &OperandForm, word: &mut Word) -> Option<()> {
        if !operand.is_plain {
            return None;
        }
        let name = self.piece;
        let is_word = name.name_end as usize == self.end && name.name_start < name.name_end;
        let mut marks = 0;
        if is_word && name.name_start as usize != self.at {
            marks = self.marks_before(operand, *word)?;
            self.at = name.name_start as usize;
        }
        let raw = match self.line.image().texts.entries.get(operand.run as usize) {
            Some(run) if is_word && run.stem == name.stem => {
                self.at = self.end;
                self.register(run)?
            }
            _ => self.other_plain(operand, *word, is_word)?,
        };
        if self.at != self.end {
            return None;
        }
        *word = *word & !operand.mark_bits | marks;
        set(self.line.image(), word, operand.lsb, operand.width, raw);
        Some(())
    }

    /// The bits of the marks before the operand's word; `None` if something else is there, or a bar.
    fn marks_before(&self, operand: &OperandForm, word: Word) -> Option<Word> {
        let marks = slice(self.line.image().lines.marks, operand.marks);
        let mut bits = 0;
        for at in self.at..self.piece.name_start as usize {
            let symbol = self.line.byte(at);
            if symbol == b'|' || symbol == b'-' && self.is_number(at + 1) {
                return None;
            }
            let mark = marks.iter().find(|mark| {
                let own = if self.is_extended(mark, word) { b'~' } else { mark.symbol };
                own == symbol && bits >> mark.lsb & 1 == 0
            });
            bits |= 1 << mark?.lsb;
        }
        Some(bits)
    }

    /// The value of a register whose prefix is the stem of the operand's word.
    #[inline(always)]
    fn register(&self, run: &Entry) -> Option<u64> {
        let digits = self.line.bytes.get(self.piece.digits as usize..self.end)?;
        let number = register_number(digits)?.checked_sub(run.first as u64)?;
        (number < run.count).then_some(run.value + number)
    }

    /// A number, or a word that does not name a single register of the operand's first run.
    fn other_plain(&mut self, operand: &OperandForm, word: Word, is_word: bool) -> Option<u64> {
        let image = self.line.image();
        let texts = &image.texts;
        let ty = &texts.types[operand.ty as usize];
        match ty.kind {
            TYPE_NUMBER => return self.plain_integer(operand.format(image, word)?),
            TYPE_COMPOSITE => return None,
            _ if !is_word => return None,
            _ => {}
        }
        self.at = self.end;
        let mut same =
            slice(texts.entries, ty.list).iter().filter(|entry| entry.stem == self.piece.stem);
        let entry = same.next().filter(|entry| entry.is_stem)?;
        match entry.kind {
            ENTRY_RUN if texts.has_aligned && entry.align > 1 => None,
            ENTRY_RUN if registers(image, word, operand.data_width, entry.register) == 1 => {
                self.register(entry)
            }
            ENTRY_NAME if self.piece.digits == self.piece.name_end => Some(entry.value),
            _ => None,
        }
    }

    /// Reads an operand with its marks and attributes; it must fill the cursor.
    #[inline(always)]
    pub(crate) fn operand(self, operand: &OperandForm, word: &mut Word) -> Result<(), Failure> {
        match self.plain(operand, word) {
            Some(()) => Ok(()),
            None => self.full_operand(operand, word),
        }
    }

    fn full_operand(mut self, operand: &OperandForm, word: &mut Word) -> Result<(), Failure> {
        let mut bars = false;
        if operand.marks.1 != 0 {
            bars = self.marks(operand, word)?;
        } else {
            self.skip_space();
            let is_mark = matches!(self.peek(), b'!' | b'~' | b'|')
                || self.peek() == b'-' && !self.is_number(self.at + 1);
            // It may be the sign of an expression, or begin a text.
            let texts = &self.line.image().texts;
            let is_composite = operand.place == PLACE_FIELD
                && texts.types[operand.ty as usize].kind == TYPE_COMPOSITE;
            let may_begin = self.line.names.is_some() || texts.after_words != 0 || is_composite;
            if is_mark && !may_begin {
                return fail(self.at, operand.described());
            }
        }
        let has_constants = self.line.image().texts.has_constants;
        let is_called = has_constants && operand.marks.1 != 0 && self.call(operand, word);
        self.core(operand, word)?;
        if is_called && !self.take(b")") {
            return expected(self.at, "`)`");
        }
        if operand.suffixes.1 != 0 || self.at < self.end {
            let suffixes = slice(self.line.image().lines.modifiers, operand.suffixes);
            let mut taken = 0u128;
            self.suffixes(suffixes, word, &mut taken)?;
            if bars {
                if !self.take(b"|") {
                    return expected(self.at, "`|`");
                }
                self.suffixes(suffixes, word, &mut taken)?;
            }
            if !self.is_done() {
                return expected(self.at, "`,` or the end");
            }
            for (at, suffix) in suffixes.iter().enumerate() {
                if taken >> at & 1 != 0 {
                    continue;
                }
                // What is not written has its value already.
                if suffix.is_required {
                    return fail(self.at, Reason::ExpectedSuffix(at as u16));
                }
            }
        } else if bars {
            return expected(self.at, "`|`");
        }
        Ok(())
    }

    /// Reads the marks; every mark's bit is set or cleared. Tells whether a bar is among them.
    fn marks(&mut self, operand: &OperandForm, word: &mut Word) -> Result<bool, Failure> {
        let marks = slice(self.line.image().lines.marks, operand.marks);
        let (mut seen, mut bars) = (0u32, false);
        loop {
            self.skip_space();
            let byte = self.peek();
            let is_mark = match byte {
                b'!' | b'~' | b'|' => true,
                b'-' => !self.is_number(self.at + 1),
                _ => false,
            };
            if !is_mark {
                break;
            }
            let found = marks.iter().enumerate().find(|(at, mark)| {
                let symbol = if self.is_extended(mark, *word) { b'~' } else { mark.symbol };
                symbol == byte && seen >> at & 1 == 0
            });
            let Some((at, _)) = found else {
                return fail(self.at, operand.described());
            };
            seen |= 1 << at;
            bars |= byte == b'|';
            self.at += 1;
        }
        for (at, mark) in marks.iter().enumerate() {
            put(word, mark.lsb, 1, u64::from(seen >> at & 1));
        }
        Ok(bars)
    }

    /// Whether a modifier turns a mark into `~`.
    fn is_extended(&self, mark: &Mark, word: Word) -> bool {
        let (ty, lsb, width) = mark.extension;
        if width == 0 {
            return false;
        }
        let image = self.line.image();
        let texts = &image.texts;
        let value = get(image, word, lsb, width);
        let mut names = slice(texts.entries, texts.types[ty as usize].list).iter();
        names.any(|name| name.value == value)
    }

    /// Takes the word of a mark and its parenthesis, and sets the mark's bit, unless it is set.
    fn call(&mut self, operand: &OperandForm, word: &mut Word) -> bool {
        let start = self.at;
        let name = self.word();
        let image = self.line.image();
        let mut marks = slice(image.lines.marks, operand.marks).iter();
        let called = marks.find(|mark| {
            let is_set = extract(*word, u32::from(mark.lsb), 1) != 0;
            mark.call != 0 && image.texts.is_named(mark.call, name) && !is_set
        });
        let Some(mark) = called.filter(|_| self.take(b"(")) else {
            self.at = start;
            return false;
        };
        put(word, mark.lsb, 1, 1);
        true
    }

    fn suffixes(
        &mut self,
        suffixes: &[Modifier],
        word: &mut Word,
        taken: &mut u128,
    ) -> Result<(), Failure> {
        loop {
            self.skip_space();
            let at = self.at;
            if !self.take(b".") {
                return Ok(());
            }
            let length = self.word().len();
            let word_at = (self.at - length, self.at);
            let meanings = meanings(self.line.image(), self.line.bytes, word_at);
            let mut open = suffixes.iter().enumerate().filter(|(at, _)| *taken >> at & 1 == 0);
            let found = open.find_map(|(at, suffix)| {
                let (_, raw) = meanings.iter().find(|(ty, _)| *ty == suffix.ty)?;
                Some((at, suffix, *raw))
            });
            let Some((index, suffix, raw)) = found else {
                let first = (!*taken).trailing_zeros() as usize;
                let is_full = first >= suffixes.len();
                let kind = match is_full {
                    true => Reason::Expected("`,` or the end"),
                    false => Reason::ExpectedSuffix(first as u16),
                };
                return fail(at, kind);
            };
            *taken |= 1 << index;
            set(self.line.image(), word, suffix.lsb, suffix.width, raw);
        }
    }

    fn core(&mut self, operand: &OperandForm, word: &mut Word) -> Result<(), Failure> {
        self.skip_space();
        let (lsb, width) = (operand.lsb, operand.width);
        let image = self.line.image();
        if operand.place == PLACE_FIELD {
            let format = operand.format(image, *word);
            let registers = |register| registers(image, *word, operand.data_width, register);
            let start = self.at;
            self.line.read_for((lsb, width));
            let raw = match self.value_of(operand.ty, registers, format) {
                Ok(raw) => raw,
                Err(failure) if image.texts.has_constants => {
                    self.constant_of_number(operand, start).ok_or(failure)?
                }
                Err(failure) => return Err(failure),
            };
            let raw = self.agreeing(operand, format, *word, raw);
            set(image, word, lsb, width, raw);
            return Ok(());
        }
        let start = self.at;
        let is_named = image.texts.is_named(operand.text, self.word());
        if operand.place == PLACE_FILE {
            return if is_named { Ok(()) } else { fail(start, operand.described()) };
        }
        if !is_named || !self.take(b"[") {
            return fail(start, operand.described());
        }
        self.skip_space();
        let base = self.value(operand.ty, 1, None)?;
        set(image, word, lsb, width, base);
        let (ty, lsb, width) = operand.offset;
        if width != 0 {
            let at = self.at;
            let has_plus = self.take(b"+");
            let is_written = has_plus || {
                self.skip_space();
                self.peek() == b'-'
            };
            let raw = if is_written {
                self.offset(ty, has_plus)?
            } else {
                self.at = at;
                0
            };
            set(image, word, lsb, width, raw);
        }
        if !self.take(b"]") {
            return expected(self.at, "`]`");
        }
        Ok(())
    }

    /// Of the encodings of a computed number the one that has what operands before it say; otherwise the lowest.
    fn agreeing(
        &self,
        operand: &OperandForm,
        format: Option<&Format>,
        word: Word,
        raw: u64,
    ) -> u64 {
        let image = self.line.image();
        let notation = format.and_then(|format| image.texts.notation(format));
        let Some(notation) = notation.filter(|of| of.computed != 0 && operand.shared != 0) else {
            return raw;
        };
        let own = |word| get(image, word, operand.lsb, operand.width);
        let known = (own(operand.shared), own(word & operand.shared));
        let number = computed::number(image, notation.computed, raw);
        computed::encoding_within(image, notation.computed, number, known).unwrap_or(raw)
    }

    /// The constant that has the bits of a number, read as a literal of the operand.
    #[cold]
    fn constant_of_number(&mut self, operand: &OperandForm, start: usize) -> Option<u64> {
        let constants = slice(self.line.image().lines.constants, operand.constants);
        if constants.is_empty() {
            return None;
        }
        self.at = start;
        let bits = self.value(operand.literal, 1, None).ok()?;
        let found = constants.binary_search_by_key(&bits, |constant| constant.0).ok()?;
        Some(constants[found].1)
    }

    /// The offset of an indirect register. After `+` no pattern of bits is negative.
    fn offset(&mut self, number: u32, has_plus: bool) -> Result<u64, Failure> {
        self.skip_space();
        let start = self.at;
        let raw = self.value(number, 1, None)?;
        let texts = &self.line.image().texts;
        let ty = &texts.types[number as usize];
        let is_signed = ty.kind == TYPE_NUMBER
            && texts.own_format(ty).is_some_and(|format| format.kind == NUMBER_SIGNED);
        let is_negative = is_signed && raw >> (ty.width - 1) & 1 != 0;
        if has_plus && is_negative && self.line.byte(start) != b'-' {
            let notation = texts.own_format(ty).map_or(0, |format| format.notation);
            let numbers = Numbers { is_signed: true, bits: ty.width, notation };
            return fail(start, Reason::OutOfRange(numbers));
        }
        Ok(raw)
    }
}
