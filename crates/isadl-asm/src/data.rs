//! Directives that make data: numbers and strings.

use isadl::diagnostic::Code;
use isadl::engine::{FloatError, parse_float};
use isadl::isa::Isa;

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::expr::{Evaluator, Expr, Malformed, Unplaced, at_place};
use crate::sections::{Content, Fixup, FixupKind, Tail};
use crate::text::{Loc, blanks, parts};

impl Assembler<'_, '_> {
    pub(crate) fn data_bytes(&self, number: u64, size: u8) -> [u8; 8] {
        data_bytes(self.engine.isa(), number, size)
    }

    /// Appends bytes.
    pub(crate) fn put(&mut self, bytes: &[u8], loc: Loc) {
        self.note_line(loc);
        self.mark(Content::Data);
        let is_zero = bytes.iter().all(|byte| *byte == 0);
        if is_zero && self.section().attributes.is_empty {
            self.space(Expr::Number(bytes.len() as i64), (1, 0), loc);
        } else if !self.is_without_bytes(loc) {
            self.section_mut().bytes.extend_from_slice(bytes);
        }
    }

    /// Reads numbers of `size` bytes each.
    pub(crate) fn data(&mut self, statement: &Statement, start: usize, size: u8) {
        let all = statement.as_str();
        let mut at = start;
        let whole = statement.loc(start, all.len());
        self.note_line(whole);
        if start == all.len() {
            return;
        }
        self.mark(Content::Data);
        loop {
            at += blanks(&all[at..]);
            let Some((expr, end)) = self.expression(statement, at) else { return };
            let loc = statement.loc(at, end);
            let here = self.here();
            let number = match expr {
                Expr::Number(number) => Ok(number),
                ref expr => {
                    let symbols = self.symbols.borrow();
                    Evaluator::new(&symbols, Unplaced, Some(here)).number(expr)
                }
            };
            match number {
                Ok(number) => self.number(number, size, loc),
                Err(_) if self.is_without_bytes(loc) => return,
                Err(_) => {
                    let expr = at_place(expr, here);
                    self.mark_used(&expr, loc);
                    let section = self.section_mut();
                    section.bytes.resize(section.bytes.len() + usize::from(size), 0);
                    let kind = FixupKind::Data(size, expr);
                    section.fixups.push(Fixup { place: here, kind, loc });
                }
            }
            at = end + blanks(&all[end..]);
            match all.as_bytes().get(at) {
                None => return,
                Some(b',') => at += 1,
                Some(_) => {
                    let message = "expected `,` or the end of the statement".to_string();
                    self.malformed(statement, at, &Malformed { at: 0, message });
                    return;
                }
            }
        }
    }

    fn number(&mut self, number: i64, size: u8, loc: Loc) {
        if !fits(number, size) {
            let bits = u32::from(size) * 8;
            self.error(Code::E1104, loc, format!("{number} does not fit into {bits} bits"));
            return;
        }
        let bytes = self.data_bytes(number as u64, size);
        if number == 0 && self.section().attributes.is_empty {
            self.space(Expr::Number(size.into()), (1, 0), loc);
        } else if !self.is_without_bytes(loc) {
            self.section_mut().bytes.extend_from_slice(&bytes[..size.into()]);
        }
    }

    /// Strings whose characters have a size in bytes, with or without a zero after each.
    pub(crate) fn strings(
        &mut self,
        statement: &Statement,
        start: usize,
        (size, is_ended): (u8, bool),
    ) {
        let text = statement.as_str();
        let mut at = start;
        if at == text.len() {
            return;
        }
        loop {
            let Some((mut bytes, end)) = self.string(statement, at) else { return };
            let mut end = end;
            // Strings without a comma between them are one.
            while text[end + blanks(&text[end..])..].starts_with('"') {
                end += blanks(&text[end..]);
                let Some((more, next)) = self.string(statement, end) else { return };
                bytes.extend(more);
                end = next;
            }
            bytes.extend(is_ended.then_some(0));
            if size > 1 {
                let wide = |byte: &u8| self.data_bytes(u64::from(*byte), size);
                let wide = bytes.iter().map(wide).collect::<Vec<_>>();
                bytes = wide.iter().flat_map(|one| &one[..size.into()]).copied().collect();
            }
            self.put(&bytes, statement.loc(at, end));
            at = end + blanks(&text[end..]);
            if !text[at..].starts_with(',') {
                break;
            }
            at += 1;
            at += blanks(&text[at..]);
        }
        if at < text.len() {
            let message = "expected `,` or the end of the statement".to_string();
            self.malformed(statement, at, &Malformed { at: 0, message });
        }
    }

    /// `.octa`: numbers of 128 bits.
    pub(crate) fn octa(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        for (at, part) in parts(&text[start..]) {
            let loc = statement.loc(start + at, start + at + part.len());
            let number = match large(part) {
                Some(number) => number,
                None => {
                    let Some((expr, _)) = self.expression(statement, start + at) else { return };
                    let Some(number) = self.number_of(&expr, loc) else { return };
                    i128::from(number) as u128
                }
            };
            let halves = [number as u64, (number >> 64) as u64];
            let halves = halves.map(|half| self.data_bytes(half, 8));
            let [low, high] = halves;
            let is_big = self.engine.isa().word_layout().is_big();
            let halves = if is_big { [high, low] } else { [low, high] };
            self.put(&halves.concat(), loc);
        }
    }

    /// `.incbin "file", skip, count`
    pub(crate) fn include_bytes(&mut self, statement: &Statement, start: usize) {
        let Some((_, bytes, loc)) = self.named_file(statement, start) else { return };
        let mut limits = [0, bytes.len()];
        let given = parts(&statement.as_str()[start..]);
        for (limit, (at, part)) in limits.iter_mut().zip(given.into_iter().skip(1)) {
            if part.is_empty() {
                continue;
            }
            let Some((expr, _)) = self.expression(statement, start + at) else { return };
            let Some(number) = self.number_of(&expr, loc) else { return };
            let Ok(number) = usize::try_from(number) else {
                return self.error(Code::E1104, loc, format!("{number} is negative"));
            };
            *limit = number;
        }
        let [skip, count] = limits;
        let found = bytes.get(skip..).unwrap_or_default();
        if skip > bytes.len() || limits[1] != bytes.len() && count > found.len() {
            let message = format!("the file has {} bytes", bytes.len());
            return self.error(Code::E1104, loc, message);
        }
        self.put(&found[..count.min(found.len())], loc);
    }

    /// Floating-point numbers with bits of exponent and fraction.
    pub(crate) fn floats(
        &mut self,
        statement: &Statement,
        start: usize,
        (exponent, fraction): (u32, u32),
    ) {
        let text = statement.as_str();
        let bits = 1 + exponent + fraction;
        for (at, part) in parts(&text[start..]) {
            let loc = statement.loc(start + at, start + at + part.len());
            match float_bits(part, exponent, fraction) {
                Ok(number) => {
                    let size = (bits / 8) as u8;
                    let bytes = self.data_bytes(number, size);
                    self.put(&bytes[..size.into()], loc);
                }
                Err(FloatError::NotRepresentable) => {
                    let message = format!(
                        "`{part}` does not fit into a floating-point number of {bits} bits"
                    );
                    self.error(Code::E1104, loc, message);
                }
                Err(FloatError::NoNumber) => {
                    self.error(Code::E1102, loc, format!("`{part}` is not a number"));
                }
            }
        }
    }

    pub(crate) fn leb128(&mut self, statement: &Statement, start: usize, is_signed: bool) {
        let text = statement.as_str();
        for (at, part) in parts(&text[start..]) {
            let loc = statement.loc(start + at, start + at + part.len());
            let Some((expr, _)) = self.expression(statement, start + at) else { return };
            let here = self.here();
            let number = Evaluator::new(&self.symbols.borrow(), Unplaced, Some(here)).number(&expr);
            match number {
                Ok(number) => self.put(&leb128(number, is_signed, 1), loc),
                Err(_) if self.is_without_bytes(loc) => return,
                Err(_) => {
                    let value = at_place(expr, here);
                    self.mark_used(&value, loc);
                    self.mark(Content::Data);
                    self.section_mut().end_fragment(Tail::Leb { value, is_signed, length: 1, loc });
                }
            }
        }
    }
}

/// The bits of a floating-point number. GNU as also reads `0f1.5`, and all bits of the fraction of `nan` are ones, as in
/// llvm-mc.
fn float_bits(text: &str, exponent: u32, fraction: u32) -> Result<u64, FloatError> {
    let bare = text.strip_prefix('0').and_then(|rest| {
        let is_letter = rest.starts_with(['f', 'd', 'r', 'F', 'D', 'R']);
        is_letter.then(|| &rest[1..])
    });
    let bare = bare.unwrap_or(text);
    let bare = bare.strip_prefix('+').unwrap_or(bare);
    let (sign, magnitude) = match bare.strip_prefix('-') {
        Some(rest) => (1 << (exponent + fraction), rest),
        None => (0, bare),
    };
    let all_ones = (1u64 << (exponent + fraction)) - 1;
    match magnitude.to_ascii_lowercase().as_str() {
        "nan" => return Ok(sign | all_ones),
        "inf" | "infinity" => return Ok(sign | all_ones & !((1 << fraction) - 1)),
        _ => {}
    }
    // `.5` and `5.` are numbers, too.
    let whole = if magnitude.starts_with('.') { format!("0{magnitude}") } else { magnitude.into() };
    match parse_float(&whole, exponent, fraction) {
        Ok(bits) => Ok(sign | bits),
        // What is too small is zero.
        Err(FloatError::NotRepresentable) if whole.parse().is_ok_and(|own: f64| own < 1.0) => {
            Ok(sign)
        }
        Err(error) => Err(error),
    }
}

/// A number of up to 128 bits.
fn large(text: &str) -> Option<u128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let number = match lower.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok()?,
        None if lower.starts_with('0') && lower.len() > 1 => return None,
        None => lower.parse().ok()?,
    };
    Some(if is_negative { number.wrapping_neg() } else { number })
}

/// Encodes a number in bytes of 7 bits each. All but the last byte have the highest bit set. There are at least `least`
/// bytes.
pub(crate) fn leb128(number: i64, is_signed: bool, least: usize) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), number);
    loop {
        let low = (rest & 0x7f) as u8;
        rest = if is_signed { rest >> 7 } else { ((rest as u64) >> 7) as i64 };
        let sign = if is_signed && low & 0x40 != 0 { -1 } else { 0 };
        if rest == sign && bytes.len() + 1 >= least {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// A number as `size` bytes in memory, padded with zeros.
pub(crate) fn data_bytes(isa: &Isa, number: u64, size: u8) -> [u8; 8] {
    match isa.word_layout().is_big() {
        true => (number << (64 - 8 * u32::from(size).clamp(1, 8))).to_be_bytes(),
        false => number.to_le_bytes(),
    }
}

/// Whether a number fits into `size` bytes, signed or unsigned.
pub(crate) fn fits(number: i64, size: u8) -> bool {
    if size >= 8 {
        return true;
    }
    let limit = 1i64 << (u32::from(size) * 8);
    (-limit / 2..limit).contains(&number)
}
