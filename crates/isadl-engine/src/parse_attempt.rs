//! Reads a line as an instruction of one row: its guard, operands and control fields.
//!
//! Operands that their first text identifies are read in order; others are searched for. The resulting word must have
//! the bits of the row and decode.

use super::bits::low_bits;
use super::computed;
use super::decode::{Refusal, RowId, decode, refusal};
use super::encode::{self, validate_decoded, validate_in};
use super::expr::eval;
use super::fields::{get, set};
use super::image::{Image, Tables, slice};
use super::image_lines::{Control, Form, OperandForm};
use super::image_text::Alias;
use super::parse::{alias_row, spelled, text_row};
use super::parse_cursor::Cursor;
use super::parse_error::{Failure, MAX_STEPS, Part, Reason, expected, fail};
use super::parse_line::{Line, OperandText, ValueSlot};
use super::set::UNKNOWN;
use super::word::Word;

impl<'a, T: Tables<'a>> Line<'_, 'a, T> {
    /// Reads the line as an instruction of one row, in the syntax of the row or of one of its aliases.
    pub(crate) fn attempt(&self, text: RowId, dots: usize) -> Result<(RowId, Word), Failure> {
        let image = self.image();
        let lines = &image.lines;
        let alias = alias_row(image, text);
        let row = match alias {
            Some(alias) => RowId::new(alias.row).unwrap_or(text),
            None => text_row(image, text),
        };
        if self.keeps_place {
            if let Some(named) = self.names {
                named.back_to(0);
            }
            self.place.set(ValueSlot { row, ..self.place.get() });
        }
        let definition = &lines.rows[text.get() as usize];
        let form = &lines.forms[definition.form as usize];
        let mut word = definition.default;
        if image.texts.is_word_style {
            if let Some((start, _)) = self.dotted().get(dots) {
                return expected(start - 1, "a space");
            }
        }
        self.modifiers(form, dots, &mut word)?;
        self.guard(form, &mut word)?;
        // The number of registers of an operand may depend on a control field. Faults of operands are still reported
        // first.
        let controls = self.controls(form, &mut word);
        let before = word;
        let fixups = self.names.map(|named| (named, named.count()));
        if self.simple_operands(form, &mut word).is_none() {
            word = before;
            if let Some((named, count)) = fixups {
                named.back_to(count);
            }
            let mut operands = Operands { line: self, form, steps: MAX_STEPS, furthest: None };
            operands.read(&mut word)?;
        }
        controls?;
        let found = self.finished((row, text), word);
        found.or_else(|failure| {
            let mut choices = Choices { line: self, form, word, left: MAX_CHOICES };
            choices.from(0, word, &|word| self.finished((row, text), word).ok()).ok_or(failure)
        })
    }

    /// The instruction of a row or an alias with the values that were read.
    fn finished(
        &self,
        (row, text): (RowId, RowId),
        mut word: Word,
    ) -> Result<(RowId, Word), Failure> {
        let image = self.image();
        let definition = &image.lines.rows[text.get() as usize];
        let alias = alias_row(image, text);
        if let Some(alias) = alias {
            for copied in slice(image.texts.copies, alias.copies) {
                // The alias does not stand for words with other bits.
                let value = eval(image, UNKNOWN, copied.value, word) as u64;
                let bits = value & low_bits(copied.width.into());
                set(image, &mut word, copied.to, copied.width, bits);
            }
            // A field value in the mnemonic must equal the computed value.
            let fields = spelled(image, text).map_or(0, |spelled| spelled.fields);
            if (word ^ definition.default) & fields != 0 {
                return fail(self.end, Reason::Unfit);
            }
        }
        let form = &image.lines.forms[definition.form as usize];
        let pattern = &image.words.patterns[row.get() as usize];
        let unfit = match form {
            _ if form.is_unwritable => Some(Reason::Unwritable),
            _ if word & pattern.mask != pattern.value => Some(Reason::Unfit),
            _ if alias.is_some_and(|alias| !is_meant(image, alias, word)) => Some(Reason::Unfit),
            _ => None,
        };
        if let Some(reason) = unfit {
            return fail(self.end, reason);
        }
        let found = decode(image, self.target, word);
        // A word that decodes as the row satisfies none of its conditions.
        let is_valid = match found {
            Some((other, _)) if other == row => validate_decoded(image, self.target.set, row, word),
            _ => validate_in(image, self.target.set, row, word),
        };
        if let Err(refusal) = is_valid {
            if let (encode::Refusal::Rule(_), Some(named)) = (&refusal, self.names) {
                named.refuse();
            }
            return fail(self.end, encoding_reason(refusal));
        }
        match found {
            Some(found) => Ok(found),
            None => {
                let refusal = refusal(image, self.target, word);
                fail(self.end, decoding_reason(image, row, refusal))
            }
        }
    }

    /// The word of a line with modifiers only.
    pub(crate) fn with_modifiers(&self, row: RowId, dots: usize) -> Word {
        let lines = &self.image().lines;
        let definition = &lines.rows[row.get() as usize];
        let mut word = definition.default;
        match self.modifiers(&lines.forms[definition.form as usize], dots, &mut word) {
            Ok(()) => word,
            Err(_) => definition.default,
        }
    }

    /// Reads operands that their first text identifies; `None` if some operand is not identified or is wrong.
    fn simple_operands(&self, form: &Form, word: &mut Word) -> Option<()> {
        let image = self.image();
        let lines = &image.lines;
        if !form.is_simple {
            return None;
        }
        let is_number = |piece: &OperandText| piece.classes & lines.number_classes != 0;
        let mut pieces = self.piece.get(..self.pieces)?.iter();
        let mut piece = pieces.next();
        for index in slice(lines.operand_lists, form.operands) {
            let operand = &lines.operands[*index as usize];
            match piece {
                Some(found) if found.classes >> operand.class & 1 != 0 => {
                    let mut last = found;
                    piece = pieces.next();
                    if lines.multiple_classes >> operand.class & 1 != 0 {
                        let lanes = operand.format(image, *word).map_or(1, |format| format.lanes);
                        let mut more = lanes - 1;
                        while let Some(next) = piece.filter(|next| more > 0 && is_number(next)) {
                            last = next;
                            piece = pieces.next();
                            more -= 1;
                        }
                    }
                    let (at, end) = (found.start as usize, last.end as usize);
                    let cursor = Cursor { line: self, at, end, piece: found };
                    cursor.operand(operand, word).ok()?;
                }
                _ if operand.is_optional => {}
                _ => return None,
            }
        }
        piece.is_none().then_some(())
    }

    /// Reads everything after the mnemonic as one operand.
    pub(crate) fn only_operand(&self, operand: &OperandForm, mut word: Word) -> Option<Word> {
        let pieces = self.piece.get(..self.pieces)?;
        let (first, last) = (pieces.first()?, pieces.last()?);
        let lanes = operand.format(self.image(), word).map_or(1, |format| format.lanes);
        let is_one = self.pieces == 1 || self.pieces == lanes as usize;
        let is_all = self.modifier_words(0).is_empty() && self.controls.0 == self.controls.1;
        let (at, end) = (first.start as usize, last.end as usize);
        let cursor = Cursor { line: self, at, end, piece: first };
        (is_one && is_all).then_some(())?;
        cursor.operand(operand, &mut word).ok()?;
        Some(word)
    }

    fn guard(&self, form: &Form, word: &mut Word) -> Result<(), Failure> {
        match (self.image().lines.operands.get(form.guard as usize), self.guard) {
            (None, None) => Ok(()),
            (None, Some((start, _))) => expected(start - 1, "no guard"),
            (Some(operand), Some((start, end))) => {
                let cursor = Cursor { line: self, at: start, end, piece: &self.guard_piece };
                cursor.operand(operand, word).map_err(|failure| failure.within(Part::Guard))
            }
            (Some(operand), None) if operand.is_optional => Ok(()),
            (Some(_), None) => expected(self.mnemonic.0, "`@`"),
        }
    }

    fn controls(&self, form: &Form, word: &mut Word) -> Result<(), Failure> {
        let image = self.image();
        let (start, end) = self.controls;
        let mut cursor = Cursor { line: self, at: start, end, piece: &OperandText::EMPTY };
        let mut seen = 0u128;
        while !cursor.is_done() {
            let at = cursor.at;
            let controls = slice(image.lines.controls, form.controls);
            if let Some((index, control, raw)) = cursor.whole_control(controls, seen) {
                set(image, word, control.lsb, control.width, raw);
                seen |= 1 << index;
                continue;
            }
            if !cursor.take(b"$") {
                return expected(at, "the end");
            }
            let name = cursor.word();
            let is_named = |(index, control): &(usize, &Control)| {
                image.texts.is_named(control.name, name) && seen >> index & 1 == 0
            };
            let Some((index, control)) = controls.iter().enumerate().find(is_named) else {
                return fail(at, Reason::ExpectedControl);
            };
            if !cursor.take(b"=") {
                return expected(cursor.at, "`=`");
            }
            cursor.skip_space();
            self.read_for((control.lsb, control.width));
            let raw = cursor.value(control.ty, 1, None)?;
            set(image, word, control.lsb, control.width, raw);
            seen |= 1 << index;
        }
        Ok(())
    }
}

/// Whether an alias is for a word.
fn is_meant(image: &Image<'_>, alias: &Alias, word: Word) -> bool {
    let has_bits = word & alias.mask == alias.value;
    has_bits && (alias.condition == 0 || eval(image, UNKNOWN, alias.condition, word) != 0)
}

/// Why the word of a line cannot be encoded.
#[cold]
fn encoding_reason(refusal: encode::Refusal) -> Reason {
    match refusal {
        encode::Refusal::Rule(rule) => Reason::Rule(rule),
        encode::Refusal::SpecialCase(name) => Reason::SpecialCase(name),
        encode::Refusal::Fixed(name) | encode::Refusal::IllegalValue(name) => {
            Reason::IllegalValue(name)
        }
        _ => Reason::Unfit,
    }
}

/// Why the word of a line, read as a row, is not an instruction.
#[cold]
fn decoding_reason(image: &Image<'_>, row: RowId, refusal: Refusal) -> Reason {
    match refusal {
        Refusal::Rule(_, rule) => Reason::Rule(rule),
        Refusal::Field(of, at) if of == row => {
            let fields = slice(image.words.fields, image.words.rows[row.get() as usize].fields);
            fields.get(at).map_or(Reason::Unfit, |field| Reason::IllegalValue(field.name))
        }
        Refusal::Unknown | Refusal::Absent(_) | Refusal::Field(..) => Reason::Unfit,
    }
}

/// The maximum number of encodings of computed numbers that are tried for a line.
const MAX_CHOICES: u32 = 1 << 12;

/// The encodings of the computed numbers of a line. Some combinations may be illegal.
struct Choices<'c, 'a, T> {
    line: &'c Line<'c, 'a, T>,
    form: &'a Form,
    /// The word that was read, with the lowest encoding of each number.
    word: Word,
    left: u32,
}

impl<'a, T: Tables<'a>> Choices<'_, 'a, T> {
    /// The first legal instruction with other encodings of the same numbers, from an operand on.
    fn from<R>(
        &mut self,
        place: usize,
        word: Word,
        accept: &impl Fn(Word) -> Option<R>,
    ) -> Option<R> {
        let lines = &self.line.image().lines;
        let Some(index) = slice(lines.operand_lists, self.form.operands).get(place) else {
            self.left = self.left.checked_sub(1)?;
            // The word that was read is known to fail, and operands may share bits.
            return (word != self.word && self.is_same(word)).then(|| accept(word)).flatten();
        };
        let operand = &lines.operands[*index as usize];
        let Some((computed, number)) = self.number(operand, self.word) else {
            return self.from(place + 1, word, accept);
        };
        let image = self.line.image();
        for raw in computed::encodings(image, computed, number) {
            let mut with = word;
            set(image, &mut with, operand.lsb, operand.width, raw);
            let found = self.from(place + 1, with, accept);
            if found.is_some() || self.left == 0 {
                return found;
            }
        }
        None
    }

    /// Whether all numbers equal the numbers that were read.
    fn is_same(&self, word: Word) -> bool {
        let lines = &self.line.image().lines;
        let mut all = slice(lines.operand_lists, self.form.operands).iter();
        all.all(|index| {
            let operand = &lines.operands[*index as usize];
            self.number(operand, word) == self.number(operand, self.word)
        })
    }

    /// How an operand is computed, and its number in a word. An operand that may be left out has only the encoding of
    /// its default.
    fn number(&self, operand: &OperandForm, word: Word) -> Option<(u16, u64)> {
        let image = self.line.image();
        let notation = image.texts.notation(operand.format(image, word)?)?;
        let is_chosen = notation.computed != 0 && !operand.is_optional;
        let raw = get(image, word, operand.lsb, operand.width);
        is_chosen.then(|| (notation.computed, computed::number(image, notation.computed, raw)))
    }
}

/// Assigns the operands of a line to the first positions that they fit.
struct Operands<'c, 'a, T> {
    line: &'c Line<'c, 'a, T>,
    form: &'a Form,
    steps: u32,
    furthest: Option<Failure>,
}

impl<'a, T: Tables<'a>> Operands<'_, 'a, T> {
    fn read(&mut self, word: &mut Word) -> Result<(), Failure> {
        let (at, part) = (self.line.end, Part::General);
        let unfit = Failure { at, reason: Reason::Unfit, part };
        *word = self.from(0, 0, *word).ok_or(self.furthest.unwrap_or(unfit))?;
        Ok(())
    }

    fn note(&mut self, failure: Failure) {
        let is_further = |other: Failure| failure.rank() > other.rank();
        if self.furthest.is_none_or(is_further) {
            self.furthest = Some(failure);
        }
    }

    /// Reads the texts from one index on for the positions from one index on.
    fn from(&mut self, place: usize, piece: usize, word: Word) -> Option<Word> {
        self.steps = self.steps.checked_sub(1)?;
        let line = self.line;
        let image = line.image();
        let lines = &image.lines;
        let Some(index) = slice(lines.operand_lists, self.form.operands).get(place) else {
            if piece < line.pieces {
                let (at, reason) = (line.piece[piece].start as usize, Reason::Expected("the end"));
                self.note(Failure { at, reason, part: Part::General });
                return None;
            }
            return Some(word);
        };
        let operand = &lines.operands[*index as usize];
        let left = line.pieces - piece;
        let format = operand.format(image, word);
        let lanes = format.map_or(1, |format| usize::from(format.lanes)).min(left);
        for taken in [lanes, 1] {
            if taken == 0 || left == 0 {
                continue;
            }
            let first = &line.piece[piece];
            let end = line.piece[piece + taken - 1].end as usize;
            let mut read = word;
            let cursor = Cursor { line, at: first.start as usize, end, piece: first };
            let fixups = line.names.map(|named| (named, named.count()));
            match cursor.operand(operand, &mut read) {
                Ok(()) => {
                    if lines.has_shared && (read ^ word) & operand.shared != 0 {
                        let (at, part) = (first.start as usize, Part::Operand(place as u16));
                        self.note(Failure { at, reason: Reason::NotAgain, part });
                    } else if let Some(word) = self.from(place + 1, piece + taken, read) {
                        return Some(word);
                    }
                }
                Err(failure) => self.note(failure.within(Part::Operand(place as u16))),
            }
            if let Some((named, count)) = fixups {
                named.back_to(count);
            }
            if lanes <= 1 {
                break;
            }
        }
        if operand.is_optional {
            return self.from(place + 1, piece, word);
        }
        if left == 0 {
            let last = line.pieces.checked_sub(1).map(|last| line.piece[last].end as usize);
            let at = last.unwrap_or(line.words_end);
            let (reason, part) = (operand.described(), Part::Operand(place as u16));
            self.note(Failure { at, reason, part });
        }
        None
    }
}
