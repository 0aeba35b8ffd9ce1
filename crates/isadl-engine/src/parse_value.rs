//! A value of a type: a name, registers, numbers side by side, or a composite of those.

use super::bits::low_bits;
use super::computed::encoding;
use super::image::{Tables, slice};
use super::image_text::{
    AGAIN, BITS, ENTRY_FLOAT, ENTRY_INTEGERS, ENTRY_NAME, ENTRY_OTHERS, ENTRY_RUN, Entry, Format,
    NUMBER_FLOAT, OPTIONAL, SegmentRow, TYPE_COMPOSITE, TYPE_NUMBER, Texts,
};
use super::number::{FloatError, parse_float};
use super::parse_cursor::Cursor;
use super::parse_error::{Failure, Reason, expected, fail};
use super::parse_integer::{Integer, one_integer, read_integer, register_number};
use super::parse_line::{ValueSlot, WORD, is};

/// The bits of a part in its composite.
fn in_composite(texts: &Texts<'_>, piece: &SegmentRow, part: u64) -> u64 {
    if texts.part_pieces.is_empty() || piece.part_pieces.1 == 0 {
        return part << piece.lsb;
    }
    let pieces = slice(texts.part_pieces, piece.part_pieces).iter();
    pieces.fold(0, |raw, piece| raw | (part >> piece.shift & piece.mask) << piece.lsb)
}

/// The part of which a piece is a later register.
fn earlier(texts: &Texts<'_>, piece: &SegmentRow, later: u64) -> u64 {
    let mut entries = slice(texts.entries, texts.types[piece.ty as usize].list).iter();
    let Some(run) = entries.find(|entry| later.wrapping_sub(entry.value) < entry.count) else {
        return later;
    };
    let back = u64::from(piece.count) % run.count;
    run.value + (later - run.value + (run.count - back)) % run.count
}

impl<'a, T: Tables<'a>> Cursor<'_, 'a, T> {
    /// A value of a type, in so many registers.
    pub(crate) fn value(
        &mut self,
        ty: u32,
        count: u16,
        format: Option<&'a Format>,
    ) -> Result<u64, Failure> {
        self.value_of(ty, |register| if register == 0 { 1 } else { count }, format)
    }

    /// A value of a type, if it is a number as most are written.
    #[inline]
    pub(crate) fn short_number(&mut self, ty: u32) -> Option<u64> {
        let texts = &self.line.image().texts;
        let ty = &texts.types[ty as usize];
        let format = if ty.kind == TYPE_NUMBER { texts.own_format(ty)? } else { return None };
        self.plain_integer(format)
    }

    pub(crate) fn value_of(
        &mut self,
        number: u32,
        registers: impl Fn(u16) -> u16,
        format: Option<&'a Format>,
    ) -> Result<u64, Failure> {
        let texts = &self.line.image().texts;
        let ty = &texts.types[number as usize];
        match ty.kind {
            TYPE_NUMBER => match format.or_else(|| texts.own_format(ty)) {
                Some(format) => self.numbers(format, u32::from(ty.width)),
                None => fail(self.at, Reason::Unfit),
            },
            TYPE_COMPOSITE => self.composite(number),
            _ => {
                let start = self.at;
                let named = self.name(number, registers);
                match named {
                    Err(failure) if texts.has_others => self.other(number, start, failure),
                    named => named,
                }
            }
        }
    }

    /// The value that has no name, or is not written by it, if values of the type may be; otherwise why the
    /// name is not one.
    #[cold]
    fn other(&mut self, number: u32, start: usize, failure: Failure) -> Result<u64, Failure> {
        let texts = &self.line.image().texts;
        let entries = slice(texts.entries, texts.types[number as usize].list);
        let Some(last) = entries.last().filter(|entry| entry.kind == ENTRY_OTHERS) else {
            return Err(failure);
        };
        let end = core::mem::replace(&mut self.at, start);
        let is_number = self.is_number(start) || self.line.byte(start) == b'-';
        self.value(last.value as u32, 1, None).map_err(|other| {
            if is_number || other.at > failure.at {
                return other;
            }
            self.at = end;
            failure
        })
    }

    fn composite(&mut self, number: u32) -> Result<u64, Failure> {
        let texts = &self.line.image().texts;
        let mut left_out = None;
        let pieces = slice(texts.pieces, texts.types[number as usize].list);
        self.pieces(number, pieces, 0, &mut left_out)
    }

    /// The bits of a composite whose first pieces, before these, gave `raw`. `left_out` is why the last
    /// optional pieces were not read.
    fn pieces(
        &mut self,
        number: u32,
        pieces: &[SegmentRow],
        mut raw: u64,
        left_out: &mut Option<Failure>,
    ) -> Result<u64, Failure> {
        let start = self.at;
        let mut rest = pieces;
        while let Some((piece, after)) = rest.split_first() {
            rest = after;
            self.skip_space();
            if piece.kind == OPTIONAL {
                let at = self.at;
                let (optional, after) = rest.split_at(rest.len().min(piece.count.into()));
                rest = after;
                let fixups = self.line.names.map(|named| (named, named.count()));
                match self.pieces(number, optional, raw, left_out) {
                    Ok(with) => raw = with,
                    Err(failure) => {
                        self.at = at;
                        if let Some((named, count)) = fixups {
                            named.back_to(count);
                        }
                        raw |= piece.absent;
                        *left_out = Some(failure);
                    }
                }
                continue;
            }
            let is_first = self.at == start;
            let result = match rest.first() {
                Some(next) if piece.text == 0 && next.text != 0 => {
                    self.piece_before(number, piece, (raw, is_first), next.text)
                }
                _ => self.piece(number, piece, raw, is_first),
            };
            // Where nothing else fits either, what was left out may have come further.
            raw = result.map_err(|failure| match *left_out {
                Some(other) if other.at > failure.at => other,
                _ => failure,
            })?;
        }
        Ok(raw)
    }

    /// The bits of a composite with those of a part that a text follows. Where this is joined to a number, as
    /// in `S3_0`, the number ends where the text begins.
    fn piece_before(
        &mut self,
        number: u32,
        piece: &SegmentRow,
        (raw, is_first): (u64, bool),
        text: u32,
    ) -> Result<u64, Failure> {
        let (start, end) = (self.at, self.end);
        let texts = &self.line.image().texts;
        let text = texts.bytes(text);
        let result = self.piece(number, piece, raw, is_first);
        let is_joined = text.first().is_some_and(|byte| is(*byte, WORD) || *byte == b'.');
        let goes_on = |cursor: &Self| (Cursor { ..*cursor }).take(text);
        if !is_joined || result.is_ok() && goes_on(self) {
            return result;
        }
        let after = self.at;
        for at in start + 1..end {
            if is(self.line.byte(at - 1), WORD) && texts.begins(&self.line.bytes[at..end], text) {
                (self.at, self.end) = (start, at);
                let shorter = self.piece(number, piece, raw, is_first);
                self.end = end;
                if shorter.is_ok() && self.at == at {
                    return shorter;
                }
            }
        }
        self.at = after;
        result
    }

    /// The bits of a composite with those of a piece.
    fn piece(
        &mut self,
        number: u32,
        piece: &SegmentRow,
        raw: u64,
        is_first: bool,
    ) -> Result<u64, Failure> {
        let texts = &self.line.image().texts;
        let start = self.at;
        if piece.text != 0 {
            return match self.take(texts.bytes(piece.text)) {
                true => Ok(raw),
                false if is_first => fail(start, Reason::ExpectedValue(number)),
                false => fail(start, Reason::ExpectedName(piece.text)),
            };
        }
        // An expression may begin with a number.
        let short = if self.line.names.is_some() { None } else { self.short_number(piece.ty) };
        let part = match short {
            Some(part) => part,
            None => {
                if self.line.keeps_place {
                    let width = u32::from(texts.types[piece.ty as usize].width);
                    let part = in_composite(texts, piece, low_bits(width));
                    let place = &self.line.place;
                    place.set(ValueSlot { part, ..place.get() });
                }
                self.value(piece.ty, 1, None)?
            }
        };
        let part = if piece.count == 0 { part } else { earlier(texts, piece, part) };
        let bits = in_composite(texts, piece, part);
        if piece.kind == AGAIN {
            let width = u32::from(texts.types[piece.ty as usize].width);
            let mask = in_composite(texts, piece, low_bits(width));
            return if raw & mask == bits { Ok(raw) } else { fail(start, Reason::NotAgain) };
        }
        Ok(raw | bits)
    }

    /// Takes the longest name that is more than a word.
    #[cold]
    fn dotted<'e>(&mut self, entries: &'e [Entry]) -> Option<&'e Entry> {
        let texts = &self.line.image().texts;
        let rest = &self.line.bytes[self.at..self.end];
        let is_here = |entry: &&Entry| {
            let name = texts.bytes(entry.text);
            let is_dotted = || !name.iter().all(|byte| is(*byte, WORD));
            let goes_on = || rest.get(name.len()).is_some_and(|byte| is(*byte, WORD));
            entry.kind == ENTRY_NAME && texts.begins(rest, name) && is_dotted() && !goes_on()
        };
        let found = entries.iter().filter(is_here);
        let entry = found.max_by_key(|entry| texts.bytes(entry.text).len())?;
        self.at += texts.bytes(entry.text).len();
        Some(entry)
    }

    /// The value that a name, or a number that stands for itself, has in a type.
    fn name(&mut self, number: u32, registers: impl Fn(u16) -> u16) -> Result<u64, Failure> {
        let start = self.at;
        let texts = &self.line.image().texts;
        let unknown = Reason::ExpectedValue(number);
        let entries = slice(texts.entries, texts.types[number as usize].list);
        let mut after_sign = start;
        while self.line.byte(after_sign) == b'-' && after_sign < self.end {
            after_sign += 1;
        }
        if self.is_number(after_sign) {
            let text = self.number();
            if let Some(found) = constant(entries, text) {
                return Ok(found);
            }
            // The name of a value may look like a number.
            let (_, end) = self.line.word_at(start);
            let word = &self.line.bytes[start..end];
            let is_named =
                |entry: &&Entry| entry.kind == ENTRY_NAME && texts.is_named(entry.text, word);
            let Some(entry) = entries.iter().find(is_named) else { return fail(start, unknown) };
            self.at = end.min(self.end);
            return Ok(entry.value);
        }
        let known = self.piece;
        let (first_digit, end, stem) = match known.name_start as usize == start {
            true if (start + 1..=self.end).contains(&(known.name_end as usize)) => {
                (known.digits as usize, known.name_end as usize, known.stem)
            }
            _ => {
                let (digits, end) = self.line.word_within(start, self.end);
                (digits, end, self.line.first_word(start, digits).stem)
            }
        };
        // A name that is more than a word begins with a sign, or has one after its first word.
        let next = if end == start { 0 } else { self.line.byte(end) };
        let may_go_on = texts.after_words != 0 && texts.after_words >> (next & 127) & 1 != 0;
        if let Some(entry) = if may_go_on { self.dotted(entries) } else { None } {
            return Ok(entry.value);
        }
        self.at = end.min(self.end);
        let digits = &self.line.bytes[first_digit..end];
        for entry in entries.iter().filter(|entry| entry.stem == stem) {
            let count = match entry.kind {
                ENTRY_NAME if texts.is_named(entry.text, &self.line.bytes[start..end]) => {
                    return Ok(entry.value);
                }
                ENTRY_RUN => registers(entry.register),
                _ => continue,
            };
            // What a prefix ends in was taken for a part of the number.
            let prefix = texts.bytes(entry.text).len() - (first_digit - start);
            let Some((_, digits)) = digits.split_at_checked(prefix) else { continue };
            if digits.is_empty() && count > 1 && self.take(b"[") {
                return self.run(entries, entry.text, count, start, unknown);
            }
            let is_aligned =
                |number: &u64| !texts.has_aligned || number.is_multiple_of(u64::from(entry.align));
            let position = register_number(digits)
                .filter(is_aligned)
                .and_then(|number| number.checked_sub(entry.first as u64))
                .filter(|position| *position < entry.count);
            match position {
                Some(_) if count > 1 => {
                    return fail(start, Reason::ExpectedRegisters(count));
                }
                Some(position) => return Ok(entry.value + position),
                None => {}
            }
        }
        fail(start, unknown)
    }

    /// `first:last]` after the prefix of registers and `[`.
    fn run(
        &mut self,
        entries: &[Entry],
        prefix: u32,
        count: u16,
        start: usize,
        unknown: Reason,
    ) -> Result<u64, Failure> {
        let low = self.register_number()?;
        if !self.take(b":") {
            return expected(self.at, "`:`");
        }
        let high = self.register_number()?;
        if !self.take(b"]") {
            return expected(self.at, "`]`");
        }
        let has_aligned = self.line.image().texts.has_aligned;
        let mut runs = entries.iter().filter(|e| e.kind == ENTRY_RUN && e.text == prefix);
        let found = runs.find_map(|entry| {
            let position = low.checked_sub(entry.first as u64)?;
            (position < entry.count).then_some((entry.value + position, entry.align))
        });
        match found {
            None => fail(start, unknown),
            Some((_, align)) if has_aligned && !low.is_multiple_of(u64::from(align)) => {
                fail(start, Reason::Misaligned(align))
            }
            Some(_) if high != low.saturating_add(u64::from(count) - 1) => {
                fail(start, Reason::ExpectedRegisters(count))
            }
            Some((raw, _)) => Ok(raw),
        }
    }

    fn register_number(&mut self) -> Result<u64, Failure> {
        self.skip_space();
        let at = self.at;
        // A word has no sign, so this takes digits only.
        match core::str::from_utf8(self.word()).map(str::parse) {
            Ok(Ok(number)) => Ok(number),
            _ => expected(at, "the number of a register"),
        }
    }

    /// A number, or several; the bits of a computed one are looked up.
    fn numbers(&mut self, format: &Format, width: u32) -> Result<u64, Failure> {
        let image = self.line.image();
        let notation = image.texts.notation(format).filter(|notation| notation.computed != 0);
        let Some(notation) = notation else { return self.written(format, width) };
        let mut first = Cursor { ..*self };
        first.take(image.texts.bytes(notation.prefix));
        first.skip_space();
        let start = first.at;
        let number = self.written(format, format.lane_bits.into())?;
        encoding(image, notation.computed, number).map_or(fail(start, Reason::NotEncoded), Ok)
    }

    /// Numbers side by side, the highest first; or one pattern for all their bits.
    fn written(&mut self, format: &Format, width: u32) -> Result<u64, Failure> {
        self.skip_space();
        let notation = self.line.image().texts.notation(format);
        let names = self.line.names;
        if let Some(bits) = names.and_then(|named| self.of_names(named, format)) {
            return bits;
        }
        if let Some(bits) = notation.and_then(|notation| self.of_address(format, notation)) {
            return bits;
        }
        if let Some(bits) = self.plain_integer(format) {
            return Ok(bits);
        }
        let lanes = u32::from(format.lanes);
        let lane_bits = u32::from(format.lane_bits);
        let is_float = format.kind == NUMBER_FLOAT;
        let texts = &self.line.image().texts;
        let mut raw = 0;
        for index in (0..lanes).rev() {
            if let Some(notation) = notation {
                self.take(texts.bytes(notation.prefix));
            }
            self.skip_space();
            let start = self.at;
            let text = self.number();
            let is_bits = texts.has_bits && format.letter == BITS;
            let bits = if is_bits { read_integer(text) } else { None };
            if let Some(Integer { value, .. }) = bits {
                let all = i128::from(low_bits(width));
                let fits = (-(all / 2) - 1..=all).contains(&value);
                let raw = (value & all) as u64;
                return if fits { Ok(raw) } else { fail(start, Reason::TooWide(width as u8)) };
            }
            let is_first = index == lanes - 1;
            let is_alone = lanes > 1 && Cursor { ..*self }.is_done();
            let pattern =
                if is_first && (is_float || is_alone) { read_integer(text) } else { None };
            if let Some(Integer { value, .. }) = pattern.filter(|pattern| pattern.is_pattern) {
                let fits = u64::try_from(value).ok().filter(|raw| *raw <= low_bits(width));
                return fits.map_or(fail(start, Reason::TooWide(width as u8)), Ok);
            }
            let bits = match is_float {
                true => one_float(text, start, format)?,
                false => one_integer(text, start, (format, notation))?,
            };
            raw |= bits << (index * lane_bits);
            if index > 0 && !self.take(b",") {
                return expected(self.at, "`,` and another number");
            }
        }
        Ok(raw)
    }
}

fn one_float(text: &str, start: usize, format: &Format) -> Result<u64, Failure> {
    match parse_float(text, u32::from(format.exponent), u32::from(format.fraction)) {
        Ok(bits) => Ok(bits),
        Err(FloatError::NoNumber) => expected(start, "a number"),
        Err(FloatError::NotRepresentable) => {
            let (exponent, fraction) = (format.exponent, format.fraction);
            fail(start, Reason::NotRepresentable { exponent, fraction })
        }
    }
}

/// The value of the constant that a number names.
fn constant(entries: &[Entry], text: &str) -> Option<u64> {
    let integer = read_integer(text).map(|integer| integer.value);
    // Only what looks like one is read as a floating-point number.
    let float = text.contains(['.', 'e', 'E']).then(|| text.parse::<f64>().ok()).flatten();
    entries.iter().find_map(|entry| match entry.kind {
        ENTRY_INTEGERS => {
            let position = (integer? - i128::from(entry.first)) * i128::from(entry.step);
            u64::try_from(position).ok().filter(|p| *p < entry.count).map(|p| entry.value + p)
        }
        ENTRY_FLOAT => (float? == f64::from_bits(entry.first as u64)).then_some(entry.value),
        _ => None,
    })
}
