//! Prints words as canonical text. Texts are chosen by bits of the word, and copied from a table in chunks of a fixed
//! size. The next text overwrites the bytes after the end of a text.

use super::bits::{halves, low_bits, sign_extend};
use super::computed;
use super::decode::RowId;
use super::expr::{data_bits, eval};
use super::fields::get;
use super::image::{Image, Span, Tables, Width, slice};
use super::image_text::{
    Alias, BINARY, BITS, CALL, CHOICE, CHUNK, CONSTANT, DECIMAL, Detail, Format, HEX, INTEGER,
    IS_LONG, JOIN, LONG_CHUNK, NUMBER, NUMBER_FLOAT, NUMBER_SIGNED, NUMBER_UNSIGNED, Notation,
    OFFSET, SCATTERED, SKIP, SKIP_FAR, Step, VALUE,
};
use super::number::{
    Digits, NUMBER_ROOM, binary, decimal, float, hexadecimal, short_decimal, short_hexadecimal,
};
use super::set::{KnownSet, UNKNOWN};
use super::short::lengthen;
use super::target::meets_known;
use super::word::Word;

/// Writes the canonical text of an instruction, in the syntax of its longer encoding and its first alias, and returns
/// the length. The assembler reads the text back as the same word. `None` if the buffer has less room than
/// [`Texts::room`](super::image_text::Texts); bytes after the text may be overwritten.
#[inline]
pub fn print<'a>(
    tables: impl Tables<'a>,
    row: RowId,
    word: Word,
    bytes: &mut [u8],
) -> Option<usize> {
    print_in(tables, UNKNOWN, (row, word), bytes)
}

/// Writes the text of an instruction as [`print`] does, with the aliases that a set of extensions has.
#[inline]
pub fn print_in<'a>(
    tables: impl Tables<'a>,
    set: KnownSet,
    (row, word): (RowId, Word),
    bytes: &mut [u8],
) -> Option<usize> {
    let (row, word) = shown(tables.image(), set, row, word);
    print_plain(tables, row, word, bytes)
}

/// Options for printing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// The set of names for printing.
    pub names: u32,
    /// Whether instructions are printed in their own encodings and without aliases.
    pub is_plain: bool,
}

/// Writes the text of an instruction as [`print_in`] does, in a style. The assembler reads the text back as the same
/// word.
pub fn print_with<'a>(
    tables: impl Tables<'a>,
    (row, word): (RowId, Word),
    (set, style): (KnownSet, Style),
    bytes: &mut [u8],
) -> Option<usize> {
    let image = tables.image();
    let (row, word) = match style.is_plain {
        true => (row, word),
        false => shown(image, set, row, word),
    };
    print_plain(tables, named(image, row, style.names)?, word, bytes)
}

/// The row of a text by the names of a set.
#[must_use]
pub fn named(image: &Image<'_>, row: RowId, set: u32) -> Option<RowId> {
    let rows = image.texts.programs.len() as u32 / image.texts.name_sets;
    row.checked_add(set.checked_mul(rows)?)
}

/// The row and word that are printed for an instruction.
#[inline(always)]
fn shown(image: &Image<'_>, set: KnownSet, row: RowId, word: Word) -> (RowId, Word) {
    let (row, word) = longest(image, set, row, word);
    let row = match image.texts.has_aliases {
        true => alias(image, set, row, word).unwrap_or(row),
        false => row,
    };
    (row, word)
}

/// The longest encoding of an instruction.
#[inline(always)]
pub(crate) fn longest(image: &Image<'_>, set: KnownSet, row: RowId, word: Word) -> (RowId, Word) {
    match image.texts.has_shorts {
        true => lengthen(image, set, row, word).unwrap_or((row, word)),
        false => (row, word),
    }
}

/// The alias by which an instruction is printed, as the row of its text. If the set of extensions is not known, the
/// alias is in every set that has the instruction.
pub fn alias(image: &Image<'_>, set: KnownSet, row: RowId, word: Word) -> Option<RowId> {
    let (first, count) = *image.texts.aliases_of.get(row.get() as usize)?;
    let aliases = image.texts.aliases.get(first as usize..)?.iter().take(count as usize);
    let first = image.words.rows.len() + first as usize;
    let fits = |(at, alias): (usize, &Alias)| {
        // Bits first: few aliases match the bits of a word, and conditions take longest.
        alias.is_printed
            && word & alias.mask == alias.value
            && (alias.condition == 0 || eval(image, UNKNOWN, alias.condition, word) != 0)
            && has_text(image, set, row, first + at)
    };
    let at = aliases.into_iter().enumerate().position(fits)?;
    RowId::new((first + at) as u32)
}

/// Whether a set of extensions that has a row has the text of an alias of it.
#[inline(always)]
fn has_text(image: &Image<'_>, set: KnownSet, row: RowId, text: usize) -> bool {
    let presence = image.words.presence;
    match (presence.get(row.get() as usize), presence.get(text)) {
        (Some(of_row), Some(of_text)) => of_row == of_text || meets_known(image, set, *of_text),
        _ => true,
    }
}

/// Writes the text of an instruction like [`print`], but without aliases; if the row is the row of an alias, in its
/// syntax.
#[inline]
pub fn print_plain<'a>(
    tables: impl Tables<'a>,
    row: RowId,
    word: Word,
    bytes: &mut [u8],
) -> Option<usize> {
    let texts = &tables.image().texts;
    let program = texts.programs.get(row.get() as usize)?;
    let mut out = Out::new(tables, bytes, 0)?;
    let windows = windows(word);
    if texts.has_guards {
        out.run(word, &windows, program.guard);
    }
    out.mnemonic(program.mnemonic);
    out.run(word, &windows, program.rest);
    Some(out.len)
}

/// The windows of a word that steps read, by their numbers.
#[inline(always)]
pub(super) fn windows(word: Word) -> [u64; 4] {
    let (low, high) = halves(word);
    [low, low >> 32 | high << 32, high, low & 0xffff_ffff | high << 32]
}

/// How many registers of `register` bits hold an operand; 1 for other operands.
pub(crate) fn registers(image: &Image<'_>, word: Word, width: Width, register: u16) -> u16 {
    if register == 0 { 1 } else { data_bits(image, width, word).div_ceil(register).max(1) }
}

/// The text so far.
pub(super) struct Out<'b, T> {
    tables: T,
    bytes: &'b mut [u8],
    len: usize,
}

impl<'a, 'b, T: Tables<'a>> Out<'b, T> {
    /// The buffer has the size of the longest text, so that the size is known at compile time if the image is constant.
    #[inline(always)]
    pub(super) fn new(tables: T, bytes: &'b mut [u8], len: usize) -> Option<Out<'b, T>> {
        let bytes = bytes.get_mut(..tables.image().texts.room as usize)?;
        Some(Out { tables, bytes, len })
    }

    /// The text before a position.
    pub(super) fn before(&self, at: usize) -> &[u8] {
        self.bytes.get(..at).unwrap_or_default()
    }

    /// Runs the steps of a program.
    #[inline(always)]
    fn run(&mut self, word: Word, windows: &[u64; 4], program: Span) {
        let texts = &self.tables.image().texts;
        let steps = slice(texts.steps, program);
        let mut joint = Joint::default();
        let mut rest = steps;
        while let Some((step, after)) = rest.split_first() {
            let passed = self.step(word, windows, step, &mut joint);
            rest = if passed == 0 { after } else { after.get(passed..).unwrap_or_default() };
        }
    }

    /// Runs a step; returns how many steps to skip.
    #[inline(always)]
    pub(super) fn step(
        &mut self,
        word: Word,
        windows: &[u64; 4],
        step: &Step,
        joint: &mut Joint,
    ) -> usize {
        // Words of up to 64 bits have one window.
        let window = if Word::BITS <= 64 { 0 } else { usize::from(step.window) & 3 };
        let part = windows[window];
        if step.kind == CHOICE {
            let index = (part & step.mask).wrapping_mul(step.factor) >> (step.shift & 63);
            self.chunk(step.table as usize + index as usize);
        } else if step.kind == HEX {
            self.hex(step, part);
        } else if step.kind == INTEGER {
            self.integer(step, part);
        } else if step.kind == SKIP {
            return if part & step.mask == step.factor { step.table as usize } else { 0 };
        } else {
            let (passed, len) = other_step(self.tables, word, step, joint, self.bytes, self.len);
            self.len = len;
            return passed;
        }
        0
    }

    /// Appends a mnemonic, which consists of chunks.
    #[inline(always)]
    pub(super) fn mnemonic(&mut self, (first, count): Span) {
        for chunk in first..first + count {
            if self.tables.image().texts.has_long_texts {
                self.long(chunk as usize);
            } else {
                self.chunk(chunk as usize);
            }
        }
    }

    /// Bytes of text so far.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Appends a chunk: copies all its bytes. Its length is in the last byte.
    #[inline(always)]
    fn chunk(&mut self, index: usize) {
        let texts = &self.tables.image().texts;
        let Some(chunk) = texts.chunks.get(index) else { return };
        if let Some(room) = self.room::<CHUNK>() {
            // As a number, the chunk is loaded and stored at once.
            let chunk = u128::from_le_bytes(*chunk);
            *room = chunk.to_le_bytes();
            let len = (chunk >> (8 * (CHUNK - 1))) as u8;
            if texts.has_long_texts && len == IS_LONG {
                return self.long(chunk as u32 as usize);
            }
            self.len += usize::from(len);
        }
    }

    /// Appends a number of up to 32 bits in hexadecimal.
    #[inline(always)]
    fn hex(&mut self, step: &Step, part: u64) {
        let raw = part >> (step.shift & 63) & step.mask;
        let is_negative = raw & step.factor != 0;
        let magnitude = if is_negative { raw.wrapping_neg() & step.mask } else { raw };
        let (text, len) = short_hexadecimal(magnitude as u32, step.table as u8);
        let sign = u32::from(is_negative);
        let text = if is_negative { text << 8 | u128::from(b'-') } else { text };
        self.short(text, len + sign);
    }

    /// Appends an integer of up to 32 bits.
    #[inline(always)]
    fn integer(&mut self, step: &Step, part: u64) {
        let texts = &self.tables.image().texts;
        let Some(integer) = texts.integers.get(step.table as usize) else { return };
        let raw = part >> (step.shift & 63) & step.mask;
        let value = (raw ^ step.factor).wrapping_sub(step.factor) as i64;
        let value = value.wrapping_mul(integer.scale).wrapping_add(integer.bias);
        let prefix = (integer.prefix, u32::from(integer.prefix_len));
        if let Some((text, len)) = short_integer(value, integer.letter, prefix) {
            self.short(text, len);
        }
    }

    /// Appends a text of less than 16 bytes, the first in the lowest.
    #[inline(always)]
    fn short(&mut self, text: u128, len: u32) {
        if let Some(room) = self.room::<CHUNK>() {
            *room = text.to_le_bytes();
            self.len += len as usize;
        }
    }

    /// Appends a long chunk.
    #[inline]
    fn long(&mut self, index: usize) {
        let Some(chunk) = self.tables.image().texts.long_chunks.get(index) else { return };
        if let Some(room) = self.room::<LONG_CHUNK>() {
            *room = *chunk;
            self.len += usize::from(chunk[LONG_CHUNK - 1]);
        }
    }

    /// Appends a number. There is room: the size of the buffer counts numbers at their longest.
    fn digits(&mut self, digits: &Digits) {
        if let Some(room) = self.room::<NUMBER_ROOM>() {
            *room = digits.bytes;
            self.len += digits.len;
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if let Some(room) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
            room.copy_from_slice(bytes);
            self.len += bytes.len();
        }
    }

    /// The bytes after the text.
    #[inline(always)]
    fn room<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        // Compared in this way, one check is enough.
        if self.len > self.bytes.len().checked_sub(N)? {
            return None;
        }
        self.bytes.get_mut(self.len..)?.first_chunk_mut()
    }
}

/// A run of bits of a choice, in its place in the index.
#[inline(always)]
fn run_bits(detail: &Detail, run: usize, low: u64, high: u64) -> u64 {
    let shift = detail.shifts[run];
    let half = if Word::BITS <= 64 || shift & 64 == 0 { low } else { high };
    half.rotate_right(u32::from(shift)) & u64::from(detail.widths[run])
}

/// Where the operands begin, and the byte before them.
#[derive(Default)]
pub(super) struct Joint {
    start: usize,
    before: u8,
}

/// Runs a step that is neither a choice nor a plain number; returns how many steps to skip, and the length of the text.
#[inline(never)]
fn other_step<'a>(
    tables: impl Tables<'a>,
    word: Word,
    step: &Step,
    joint: &mut Joint,
    bytes: &mut [u8],
    len: usize,
) -> (usize, usize) {
    let image = tables.image();
    let texts = &image.texts;
    let Some(mut out) = Out::new(tables, bytes, len) else { return (0, len) };
    let Some(detail) = texts.details.get(step.table as usize) else { return (0, len) };
    let ([a, b, _], [a_width, b_width, count]) = (detail.shifts, detail.widths);
    let table = detail.table as usize;
    let mut passed = 0;
    match step.kind {
        SCATTERED => {
            let (low, high) = halves(word);
            let (a, b) = (run_bits(detail, 0, low, high), run_bits(detail, 1, low, high));
            let index = a | b | run_bits(detail, 2, low, high);
            out.chunk(table + index as usize);
        }
        NUMBER => {
            let raw = get(image, word, a, a_width as u8);
            let selected = get(image, word, b, b_width as u8) as usize;
            number(raw, texts.format(table + selected), &mut out);
        }
        OFFSET => {
            let raw = get(image, word, a, a_width as u8);
            if raw != 0 {
                let format = texts.format(table);
                let is_signed = format.is_some_and(|format| format.kind == NUMBER_SIGNED);
                if !is_signed || sign_extend(raw, a_width) >= 0 {
                    out.bytes(b"+");
                }
                number(raw, format, &mut out);
            }
        }
        VALUE => value(word, get(image, word, a, a_width as u8), table, &mut out),
        SKIP_FAR => {
            let omission = &texts.omissions[table];
            passed = if word & omission.mask == omission.value { a_width } else { 0 };
        }
        JOIN => {
            // The first comma overwrites the byte before the operands, which is restored afterwards.
            let start = out.len.saturating_sub(1);
            *joint = Joint { start: out.len, before: out.bytes[start] };
            out.len = start;
        }
        CONSTANT if texts.has_constants => {
            let raw = get(image, word, a, a_width as u8);
            passed = if constant(raw, table, &mut out) { b_width } else { 0 };
        }
        CALL if texts.has_constants => {
            // Skips the steps for constants, unless the literal is one.
            let raw = get(image, word, a, a_width as u8);
            let ranges = slice(texts.ranges, (detail.table, count));
            let next = ranges.partition_point(|(_, last)| *last < raw);
            let is_constant = ranges.get(next).is_some_and(|(first, _)| *first <= raw);
            passed = if is_constant { 0 } else { b_width };
        }
        _ => {
            out.bytes[joint.start.saturating_sub(1)] = joint.before;
            out.len = out.len.max(joint.start);
        }
    }
    (passed as usize, out.len)
}

/// Writes the constant for a literal, and returns whether the set has the literal.
fn constant<'a, T: Tables<'a>>(raw: u64, set: usize, out: &mut Out<'_, T>) -> bool {
    let texts = &out.tables.image().texts;
    let set = &texts.constant_sets[set];
    // Few literals are constants: some of their bits decide without a search.
    if set.heads >> (raw >> set.shift & 63) & 1 == 0 {
        return false;
    }
    let constants = slice(texts.constants, set.list);
    let Ok(found) = constants.binary_search_by_key(&raw, |constant| constant.bits) else {
        return false;
    };
    let (first, count) = constants[found].text;
    (first..first + count).for_each(|chunk| out.chunk(chunk as usize));
    true
}

/// Writes the lanes of a number, the highest first. Other values are written as bit patterns.
fn number<'a, T: Tables<'a>>(raw: u64, format: Option<&Format>, out: &mut Out<'_, T>) {
    let Some(format) = format else { return };
    let texts = &out.tables.image().texts;
    let has_bits = texts.has_bits;
    let notation = texts.notation(format);
    let prefix = notation.map_or(&[][..], |notation| texts.bytes(notation.prefix));
    let raw = match notation {
        Some(notation) if notation.computed != 0 => {
            computed::number(out.tables.image(), notation.computed, raw)
        }
        _ => raw,
    };
    if let Some((text, len)) = short(raw, format, notation, prefix) {
        return out.short(text, len);
    }
    let lane_bits = u32::from(format.lane_bits);
    let before = out.len;
    let all = lane_bits * u32::from(format.lanes);
    let mut fits = all >= 64 || raw >> all == 0;
    for lane in (0..u32::from(format.lanes)).rev() {
        let bits = raw >> (lane * lane_bits) & low_bits(lane_bits);
        let mut digits = Digits::new();
        out.bytes(prefix);
        fits = fits && one_number(bits, (format, notation), has_bits, &mut digits);
        out.digits(&digits);
        if lane > 0 {
            out.bytes(b", ");
        }
    }
    if !fits {
        out.len = before;
        let mut digits = Digits::new();
        out.bytes(prefix);
        hexadecimal(raw, if format.letter == b'A' { b'A' } else { b'a' }, &mut digits);
        out.digits(&digits);
    }
}

/// The text of a number with its prefix, the first byte in the lowest, and its length, if it is one integer of up to 32
/// bits, as most are.
#[inline(always)]
fn short(
    raw: u64,
    format: &Format,
    notation: Option<&Notation>,
    prefix: &[u8],
) -> Option<(u128, u32)> {
    let bits = u32::from(format.lane_bits);
    let is_integer = format.lanes == 1 && matches!(format.kind, NUMBER_UNSIGNED | NUMBER_SIGNED);
    if !is_integer || prefix.len() > 4 || bits < 64 && raw >> bits != 0 {
        return None;
    }
    let mut value = match format.kind {
        NUMBER_SIGNED => sign_extend(raw, bits),
        _ => i64::try_from(raw).ok()?,
    };
    if let Some(notation) = notation {
        if notation.digits != 0 {
            return None;
        }
        value = value.checked_mul(notation.scale)?.checked_add(notation.bias)?;
    }
    let len = prefix.len() as u32;
    let prefix = prefix.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
    short_integer(value, format.letter, (prefix, len))
}

/// The text of an integer after a prefix of up to four bytes, the first in the lowest, and its length, if it has up to 32 bits.
#[inline(always)]
fn short_integer(value: i64, letter: u8, (prefix, before): (u32, u32)) -> Option<(u128, u32)> {
    let magnitude = u32::try_from(value.unsigned_abs()).ok()?;
    let (text, len) = match letter {
        DECIMAL => short_decimal(magnitude),
        b'a' | b'A' => short_hexadecimal(magnitude, letter),
        _ => return None,
    };
    let sign = u32::from(value < 0);
    let text = if value < 0 { text << 8 | u128::from(b'-') } else { text };
    Some((text << (8 * before) | u128::from(prefix), before + sign + len))
}

/// Writes a number; `false` if the bits are not a number.
#[inline(always)]
fn one_number(
    bits: u64,
    (format, notation): (&Format, Option<&Notation>),
    has_bits: bool,
    digits: &mut Digits,
) -> bool {
    if has_bits && format.letter == BITS {
        let is_float = format.kind == NUMBER_FLOAT;
        if !is_float {
            hexadecimal(bits, b'a', digits);
        }
        return !is_float;
    }
    if format.kind == NUMBER_FLOAT {
        let (exponent, fraction) = (u32::from(format.exponent), u32::from(format.fraction));
        let is_number = float(bits, exponent, fraction, digits);
        if let Some(notation) = notation {
            digits.pad_fraction(notation.digits.into());
        }
        return is_number;
    }
    let mut magnitude = bits;
    if let Some(notation) = notation {
        let value = notation.value(format, bits);
        magnitude = value.unsigned_abs() as u64;
        if value < 0 {
            digits.push(b'-');
        }
    } else if format.kind == NUMBER_SIGNED {
        let value = sign_extend(bits, u32::from(format.lane_bits));
        magnitude = value.unsigned_abs();
        if value < 0 {
            digits.push(b'-');
        }
    }
    match format.letter {
        DECIMAL => decimal(magnitude, digits),
        BINARY => binary(magnitude, digits),
        letter => hexadecimal(magnitude, letter, digits),
    }
    if let Some(notation) = notation {
        digits.pad_integer(notation.digits.into());
    }
    true
}

/// Writes a name that is searched for.
fn value<'a, T: Tables<'a>>(word: Word, raw: u64, searched: usize, out: &mut Out<'_, T>) {
    let image = out.tables.image();
    let texts = &image.texts;
    let searched = &texts.searched[searched];
    let mut entries = slice(texts.entries, texts.types[searched.ty as usize].list).iter();
    let Some(entry) = entries.find(|entry| raw.wrapping_sub(entry.value) < entry.count) else {
        return;
    };
    let position = raw - entry.value;
    let mut number =
        entry.first.wrapping_add((position as i64).wrapping_mul(i64::from(entry.step)));
    if texts.has_aligned {
        number -= number % i64::from(entry.align);
    }
    out.bytes(texts.bytes(searched.sign));
    out.bytes(texts.bytes(entry.text));
    if entry.step == 0 {
        return;
    }
    let registers = registers(image, word, searched.width, entry.register);
    let mut digits = Digits::new();
    if registers > 1 {
        digits.push(b'[');
        decimal(number as u64, &mut digits);
        digits.push(b':');
        decimal(number as u64 + u64::from(registers) - 1, &mut digits);
        digits.push(b']');
    } else {
        if number < 0 {
            digits.push(b'-');
        }
        decimal(number.unsigned_abs(), &mut digits);
    }
    out.digits(&digits);
}
