//! The parts of a line: guard, mnemonic, dotted words, pieces for operands, control fields.
//!
//! The line is split once for all opcodes. Parts are ranges of bytes of the line. A piece has the classes of operands
//! that it may be.

use core::cell::Cell;
use core::marker::PhantomData;

use super::decode::RowId;
use super::image::{Image, Tables};
use super::image_lines::{FirstWord, KIND_BITS, Key, MAX_KINDS, NO_KIND, NONE, NUMBER_KIND, Names};
use super::names::Named;
use super::parse_error::{Failure, Part, Reason, expected};
use super::target::Target;

/// A part of the text: the positions of its first byte and after its last.
pub type Range = (usize, usize);

/// The text of an operand.
#[derive(Debug, Clone, Copy)]
pub struct OperandText {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The first word after marks: a stem, which is known by number, and digits.
    pub(crate) name_start: u32,
    pub(crate) digits: u32,
    pub(crate) name_end: u32,
    pub(crate) stem: u32,
    /// The classes of operands that it may be.
    pub(crate) classes: u64,
}

/// In the place of a sequence: the kinds of operands are not known, or too many.
pub(crate) const UNTOLD: u64 = u64::MAX;

impl OperandText {
    /// No text.
    pub const EMPTY: OperandText = OperandText {
        start: 0,
        end: 0,
        name_start: 0,
        digits: 0,
        name_end: 0,
        stem: NONE,
        classes: 0,
    };
}

/// The field of a value.
#[derive(Clone, Copy)]
pub(crate) struct ValueSlot {
    /// The row that is tried.
    pub(crate) row: RowId,
    /// The operand's lowest bit, or the number of a field in pieces, and its number of bits.
    pub(crate) field: (u16, u8),
    /// The bits of this field.
    pub(crate) part: u64,
}

/// The parts of a line.
pub(crate) struct Line<'l, 'a, T> {
    pub(crate) tables: T,
    pub(crate) target: Target,
    /// The address of the instruction, if it is known: then distances are written as addresses.
    pub(crate) address: Option<u64>,
    /// The names that may be in expressions.
    pub(crate) names: Option<&'l Named<'l>>,
    /// The field of the value that is being read; only kept if [`Line::keeps_place`].
    pub(crate) place: Cell<ValueSlot>,
    /// Whether the address is known, or there are names.
    pub(crate) keeps_place: bool,
    pub(crate) text: &'l str,
    pub(crate) bytes: &'l [u8],
    /// The text after `@`.
    pub(crate) guard: Option<Range>,
    /// The same as an operand.
    pub(crate) guard_piece: OperandText,
    pub(crate) mnemonic: Range,
    /// Words after dots, without the dots, and then modifiers that are words after the operands.
    word: &'l mut [Range],
    /// How many words after dots there are.
    dotted: usize,
    /// How many words there are.
    words: usize,
    pub(crate) words_end: usize,
    /// The last operand, if there is one.
    last: Option<usize>,
    pub(crate) pieces: usize,
    /// The kinds of the operands by their first words, or [`UNTOLD`].
    pub(crate) sequence: u64,
    /// The operands, and room for one more than an instruction has.
    pub(crate) piece: &'l mut [OperandText],
    pub(crate) controls: Range,
    pub(crate) end: usize,
    /// Where the `;`, the comment or the end of the text is.
    stop: usize,
    /// Where a space is missing after the mnemonic.
    pub(crate) glued: Option<usize>,
    /// The first fault of the parts.
    problem: Option<Failure>,
    image: PhantomData<&'a Image<'a>>,
}

pub(crate) const WORD: u8 = 1;
pub(crate) const SPACE: u8 = 2;
const STOP: u8 = 4;
const MARK: u8 = 8;
const DIGIT: u8 = 16;
const PREFIX: u8 = 32;

/// The classes of bytes: words, digits, spaces, marks, and ends of operands.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        class[byte] = match c {
            b'0'..=b'9' => WORD | DIGIT,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => WORD,
            b' ' | b'\t' | b'\n' | 12 | b'\r' => SPACE,
            b',' | b'$' | b';' | b'/' | b'[' | b']' | b'(' | b')' | b'{' | b'}' => STOP,
            b'!' | b'-' | b'~' | b'|' => MARK,
            b'#' | b'%' | b'&' | b'*' | b':' | b'<' | b'=' | b'>' | b'?' | b'^' => PREFIX,
            _ => 0,
        };
        byte += 1;
    }
    class
};

#[inline]
pub(crate) fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

impl<'l, 'a, T: Tables<'a>> Line<'l, 'a, T> {
    /// A line that is not split yet. `word` and `piece` are as long as the image says, and empty.
    #[inline(always)]
    pub(crate) fn new(
        tables: T,
        target: Target,
        text: &'l str,
        word: &'l mut [Range],
        piece: &'l mut [OperandText],
    ) -> Line<'l, 'a, T> {
        Line {
            tables,
            target,
            address: None,
            names: None,
            keeps_place: false,
            place: Cell::new(ValueSlot { row: RowId::MIN, field: (0, 0), part: u64::MAX }),
            text,
            bytes: text.as_bytes(),
            guard: None,
            guard_piece: OperandText::EMPTY,
            mnemonic: (0, 0),
            word,
            dotted: 0,
            words: 0,
            words_end: 0,
            last: None,
            pieces: 0,
            sequence: 0,
            piece,
            controls: (0, 0),
            end: 0,
            stop: 0,
            glued: None,
            problem: None,
            image: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn image(&self) -> &'a Image<'a> {
        self.tables.image()
    }

    /// Keeps the field for which a value is read: its lowest bit, or the number of a field in pieces, and its bits.
    #[inline]
    pub(crate) fn read_for(&self, field: (u16, u8)) {
        if self.keeps_place {
            self.place.set(ValueSlot { field, part: u64::MAX, ..self.place.get() });
        }
    }

    /// The words after dots.
    #[inline]
    pub(crate) fn dotted(&self) -> &[Range] {
        self.word.get(..self.dotted).unwrap_or_default()
    }

    /// The modifiers of a mnemonic with this many dots.
    #[inline]
    pub(crate) fn modifier_words(&self, dots: usize) -> &[Range] {
        let is_word_style = self.image().texts.is_word_style;
        let first = if is_word_style { self.dotted } else { dots };
        self.word.get(first..self.words).unwrap_or_default()
    }

    /// The only operand, if nothing follows it.
    pub(crate) fn only_piece(&self) -> Option<Range> {
        let is_all = self.pieces == 1 && self.words == 0 && self.controls.0 == self.controls.1;
        let piece = self.piece.first().filter(|_| is_all)?;
        Some((piece.start as usize, piece.end as usize))
    }

    pub(crate) fn split(&mut self) -> Result<(), Failure> {
        let line = self;
        let mut at = line.skip_space(0);
        if line.byte(at) == b'@' {
            let start = at + 1;
            at = start;
            while is(line.byte(at), SPACE | MARK) {
                at += 1;
            }
            let (digits, end) = line.word_at(at);
            let word = line.first_word(at, digits);
            let piece = &mut line.guard_piece;
            (piece.start, piece.name_start) = (start as u32, at as u32);
            (piece.digits, piece.name_end) = (digits as u32, end as u32);
            (piece.stem, piece.classes) = (word.stem, word.classes);
            at = end;
            line.guard = Some((start, at));
            at = line.skip_space(at);
        }
        line.mnemonic = (at, line.skip_word(at));
        at = line.mnemonic.1;
        while line.byte(at) == b'.' {
            if is(line.byte(at + 1), SPACE) && !line.image().lines.has_final_dots {
                line.note(at + 1, "a modifier");
            }
            let end = line.skip_word(at + 1);
            line.push_word((at + 1, end));
            at = end;
        }
        line.dotted = line.words;
        line.words_end = at;
        let of_words = line.problem.take();
        line.split_operands(at);
        line.check_end()?;
        // Spaces before a comment belong to no part.
        line.mnemonic.0 = line.mnemonic.0.min(line.end);
        line.guard = line.guard.map(|(start, end)| (start.min(line.end), end.min(line.end)));
        let is_control = line.byte(at) == b'$' && line.has_controls();
        let is_apart = is_control || matches!(line.byte(at), b' ' | b'\t') || at >= line.end;
        line.glued = (!is_apart).then_some(at);
        // Text without a space after the mnemonic is not a list of operands.
        let of_operands = line.problem.filter(|_| is_apart);
        match of_words.filter(|problem| problem.at < line.end).or(of_operands) {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }

    /// Keeps a word. There is room for one more than any opcode takes, so a line with even more words still does not
    /// fit.
    #[inline]
    fn push_word(&mut self, range: Range) {
        if let Some(word) = self.word.get_mut(self.words) {
            *word = range;
            self.words += 1;
        }
    }

    /// The operands, the control fields, and where the instruction ends.
    fn split_operands(&mut self, start: usize) {
        let mut first_control = None;
        let mut at = start;
        let mut is_one_of_several = false;
        loop {
            let from = self.skip_space(at);
            let (first, kind) = self.begin_piece(from);
            at = self.piece_end(first);
            let stop = self.byte(at);
            is_one_of_several |= stop == b',';
            self.end_piece((from, at), kind, is_one_of_several);
            if stop == b'$' && self.has_controls() {
                first_control = Some(at);
                at = self.controls_end(at);
            }
            if stop != b',' {
                break;
            }
            at += 1;
        }
        self.stop = at;
        let mut end = at;
        while end > 0 && is(self.bytes[end - 1], SPACE) {
            end -= 1;
        }
        self.end = end;
        self.controls = (first_control.unwrap_or(end), end);
        if self.image().texts.is_word_style {
            self.split_modifiers();
        }
    }

    /// Cuts the words off that follow the last operand.
    fn split_modifiers(&mut self) {
        let Some(last) = self.last else { return };
        let (start, end) = (self.piece[last].start as usize, self.piece[last].end as usize);
        let Some(mut at) = self.operand_end(start, end) else { return };
        self.piece[last].end = at as u32;
        while at < end {
            let first = self.skip_space(at);
            at = match self.image().lines.has_made_modifiers {
                true => self.operand_end(first, end).unwrap_or(end),
                false => first,
            };
            while at < end && !is(self.byte(at), SPACE) {
                at += 1;
            }
            self.push_word((first, at));
        }
    }

    /// Where a blank after an operand is followed by a word: outside of brackets, and not after
    /// a mark, which may have blanks after it.
    fn operand_end(&self, start: usize, end: usize) -> Option<usize> {
        let (mut depth, mut at) = (0u32, start);
        // After the last byte that is not a blank; whether there is more than marks before it.
        let (mut after, mut is_begun) = (start, false);
        while at < end {
            let byte = self.byte(at);
            if is(byte, SPACE) {
                let next = self.skip_space(at);
                if depth == 0
                    && is_begun
                    && self.byte(next).is_ascii_alphabetic()
                    && !self.is_joint(start, after)
                {
                    return Some(after);
                }
                // Other blanks between marks are not marks.
                is_begun |= self.bytes[at..next].iter().any(|blank| *blank != b' ');
                at = next;
                continue;
            }
            match byte {
                b'[' | b'(' | b'{' => depth += 1,
                b']' | b')' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_begun |= !is(byte, MARK);
            at += 1;
            after = at;
        }
        None
    }

    /// Whether the last word of a part is a sign that joins it to the next word.
    #[inline]
    fn is_joint(&self, start: usize, end: usize) -> bool {
        let joints = self.image().lines.joints;
        let part = self.bytes.get(start..end).unwrap_or_default();
        !joints.is_empty()
            && part
                .rsplit(|byte| is(*byte, SPACE))
                .next()
                .is_some_and(|last| joints.lines().any(|joint| joint.as_bytes() == last))
    }

    /// Where an operand ends; the text up to `at` contains no stop.
    fn piece_end(&self, mut at: usize) -> usize {
        let mut depth = 0u32;
        loop {
            match self.byte(at) {
                b',' if depth == 0 => return at,
                b';' => return at,
                b'$' if self.has_controls() => return at,
                b'/' if self.byte(at + 1) == b'/' => return at,
                b'[' | b'(' | b'{' => depth += 1,
                b']' | b')' | b'}' => depth = depth.saturating_sub(1),
                _ if at >= self.bytes.len() => return at,
                _ => {}
            }
            at += 1;
            while at < self.bytes.len() && !is(self.bytes[at], STOP) {
                at += 1;
            }
        }
    }

    /// Whether `$` begins a control field; without any it is a character like others.
    fn has_controls(&self) -> bool {
        !self.image().lines.controls.is_empty()
    }

    /// Where the control fields end.
    fn controls_end(&self, mut at: usize) -> usize {
        // Eight bytes at once, as long as none of them may end the control fields.
        while let Some(bytes) = self.bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            let bytes = u64::from_le_bytes(*bytes);
            if has_byte(bytes, b';') || has_byte(bytes, b'/') {
                break;
            }
            at += 8;
        }
        while at < self.bytes.len() {
            match self.bytes[at] {
                b';' => break,
                b'/' if self.byte(at + 1) == b'/' => break,
                _ => at += 1,
            }
        }
        at
    }

    /// Nothing but a comment may follow the instruction.
    fn check_end(&self) -> Result<(), Failure> {
        let at = self.stop;
        let rest = if self.byte(at) == b';' { self.skip_space(at + 1) } else { at };
        let is_comment = self.byte(rest) == b'/' && self.byte(rest + 1) == b'/';
        if rest >= self.bytes.len() || is_comment {
            return Ok(());
        }
        expected(rest, "the end of the line")
    }

    /// Begins an operand with the facts about its first word; returns the end of the word. Fields are written one by
    /// one, because a copy of the whole piece would wait for them.
    #[inline]
    fn begin_piece(&mut self, start: usize) -> (usize, u8) {
        let lines = &self.image().lines;
        let mut at = start;
        while is(self.byte(at), SPACE | MARK) {
            at += 1;
        }
        let index = self.pieces;
        self.piece[index].start = start as u32;
        self.piece[index].name_start = at as u32;
        // A number may have a sign after its prefix.
        let mut digit = at;
        if !self.image().texts.notations.is_empty() {
            while is(self.byte(digit), PREFIX) || digit > at && is(self.byte(digit), SPACE | MARK) {
                digit += 1;
            }
        }
        if is(self.byte(digit), DIGIT) {
            self.piece[index].name_end = at as u32;
            self.piece[index].classes = lines.number_classes | lines.always_classes;
            return (at, NUMBER_KIND);
        }
        let (digits, end) = self.word_at(at);
        let word = self.first_word(at, digits);
        let is_infinite = word.stem == NONE
            && self.bytes.get(at..end).is_some_and(|word| word.eq_ignore_ascii_case(b"inf"));
        let piece = &mut self.piece[index];
        (piece.digits, piece.name_end, piece.stem) = (digits as u32, end as u32, word.stem);
        piece.classes = match is_infinite || end == at {
            true => u64::MAX,
            false => word.classes | lines.always_classes,
        };
        (end, word.kind)
    }

    /// Ends an operand's text, which counts unless there is none at all.
    #[inline]
    fn end_piece(&mut self, (start, mut end): Range, kind: u8, is_one_of_several: bool) {
        let stop = end;
        while end > start && is(self.bytes[end - 1], SPACE) {
            end -= 1;
        }
        if start >= end {
            if is_one_of_several {
                self.no_operand(stop);
            }
            return;
        }
        self.piece[self.pieces].end = end as u32;
        self.last = Some(self.pieces);
        let is_told = self.pieces < MAX_KINDS && kind != NO_KIND && self.sequence != UNTOLD;
        self.sequence = if is_told { self.sequence << KIND_BITS | u64::from(kind) } else { UNTOLD };
        // No opcode has room for more than fit here.
        self.pieces = (self.pieces + 1).min(self.piece.len() - 1);
    }

    /// Notes that an operand is missing before a stop.
    #[cold]
    fn no_operand(&mut self, stop: usize) {
        // The last one ends where the text does, before spaces and comments.
        let is_last = !matches!(self.byte(stop), b',' | b'$');
        let spaces = self.bytes[..stop].iter().rev().take_while(|byte| is(**byte, SPACE));
        let at = if is_last { stop - spaces.count() } else { stop };
        self.note(at, "an operand");
    }

    /// Keeps the first problem of the parts.
    fn note(&mut self, at: usize, text: &'static str) {
        let (reason, part) = (Reason::Expected(text), Part::General);
        self.problem = self.problem.or(Some(Failure { at, reason, part }));
    }

    #[inline]
    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while is(self.byte(at), SPACE) {
            at += 1;
        }
        at
    }

    fn skip_word(&self, mut at: usize) -> usize {
        while is(self.byte(at), WORD) {
            at += 1;
        }
        at
    }

    /// The start of the digits at the end of a word, and the end of the word.
    #[inline]
    pub(crate) fn word_at(&self, start: usize) -> (usize, usize) {
        self.word_within(start, self.bytes.len())
    }

    /// The same for a word that ends at `limit` at the latest.
    #[inline]
    pub(crate) fn word_within(&self, start: usize, limit: usize) -> (usize, usize) {
        let (mut end, mut digits) = (start, start);
        let within = self.bytes.get(..limit).unwrap_or(self.bytes);
        while let Some(byte) = within.get(end).filter(|byte| is(**byte, WORD)) {
            end += 1;
            digits = if is(*byte, DIGIT) { digits } else { end };
        }
        (digits, end)
    }

    /// The facts about a word without its digits.
    #[inline(always)]
    pub(crate) fn first_word(&self, start: usize, digits: usize) -> FirstWord {
        let lines = &self.image().lines;
        if digits == start + 1 {
            let letter = usize::from(self.bytes[start] & 127);
            return lines.letters.get(letter).copied().unwrap_or(FirstWord::UNKNOWN);
        }
        find(self.image(), &lines.first_words, self.bytes, (start, digits))
            .copied()
            .unwrap_or(FirstWord::UNKNOWN)
    }
}

/// Whether one of eight bytes is this one.
#[inline]
fn has_byte(bytes: u64, byte: u8) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let zeros = bytes ^ (EACH * u64::from(byte));
    zeros.wrapping_sub(EACH) & !zeros & EACH << 7 != 0
}

/// The meaning of the name `text[start..end]`.
#[inline(always)]
pub(crate) fn find<'a, R>(
    image: &Image<'a>,
    names: &Names<'a, R>,
    text: &[u8],
    (start, end): Range,
) -> Option<&'a R> {
    let key = Key::within(text, start, end);
    let key = if image.texts.folds_case { key.folded() } else { key };
    let mut at = (key.hash() >> names.shift) as usize;
    loop {
        let slot = *names.slots.get(at)? as usize;
        let (known, name, found) = names.rows.get(slot.wrapping_sub(1))?;
        let is_found = known.is(key)
            && (key.is_whole()
                || text.get(start..end).is_some_and(|text| image.texts.is_named(*name, text)));
        if is_found {
            return Some(found);
        }
        at += 1;
    }
}
