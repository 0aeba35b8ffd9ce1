//! A value of a type read from text: a name, registers, numbers side by side, or a composite of
//! those.

use super::cursor::{Cursor, Failure, Reason, expected, expected_of, wrong};
use super::float::{FloatError, parse_float, print_float};
use super::integer::{Written, encode_integer, print_pattern, range, read_integer};
use super::operand::Reader;
use super::print::lane_width;
use crate::isa::{
    Composite, Entry, Immediate, Meaning, Number, NumberFormat, Piece, Print, Type, TypeKind,
    low_bits,
};

impl Reader<'_> {
    /// A value of a type; `width` is the number of bits of data in it.
    pub(super) fn value(
        &self,
        ty: &Type,
        width: i128,
        cursor: &mut Cursor<'_>,
    ) -> Result<u64, Failure> {
        let start = cursor.at;
        match &ty.kind {
            TypeKind::BitField(_) => match ty.spelled(cursor.identifier()) {
                Some(found) => Ok(found.value),
                None => expected_of(start, self.values(ty, width)),
            },
            TypeKind::Immediate(immediate) => numbers(immediate, ty.width, cursor),
            TypeKind::Operand(entries) => match self.entry(ty, width, cursor)? {
                Some(raw) => Ok(raw),
                None => no_value(entries, cursor.since(start), start)
                    .map_or_else(|| expected_of(start, self.values(ty, width)), Err),
            },
            TypeKind::Composite(composite) => self.composite(ty, composite, cursor),
        }
    }

    fn composite(
        &self,
        ty: &Type,
        composite: &Composite,
        cursor: &mut Cursor<'_>,
    ) -> Result<u64, Failure> {
        let mut raw = 0;
        for (index, piece) in composite.format.iter().enumerate() {
            cursor.skip_space();
            match piece {
                // Blanks at the ends of a text are for readers.
                Piece::Text(text) if cursor.take(text.trim()) => {}
                Piece::Text(_) if index == 0 => {
                    return expected_of(cursor.at, self.values(ty, 1));
                }
                Piece::Text(text) => return expected(cursor.at, format!("`{}`", text.trim())),
                Piece::Part(part) => {
                    let part = &composite.parts[*part];
                    raw |= self.value(self.isa.ty(part.ty), 1, cursor)? << part.lsb;
                }
            }
        }
        Ok(raw)
    }

    /// The value that a name or number stands for; `None` if none does.
    fn entry(
        &self,
        ty: &Type,
        width: i128,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<u64>, Failure> {
        let start = cursor.at;
        if is_number(cursor.rest().trim_start_matches('-')) {
            let text = cursor.number();
            return Ok(constant(ty, text));
        }
        let name = cursor.identifier();
        if let Some((entry, raw)) = ty.named(name) {
            let registers = self.registers(entry, width);
            if registers > 1 {
                let Meaning::Registers { prefix, first, .. } = &entry.meaning else {
                    return Ok(Some(raw));
                };
                let number = u64::from(*first) + raw - entry.value;
                let last = number + u64::from(registers) - 1;
                return expected(start, format!("`{prefix}[{number}:{last}]`"));
            }
            return Ok(Some(raw));
        }
        let mut runs = ty.runs_of(name).peekable();
        let Some(first) = runs.peek() else { return Ok(None) };
        let registers = self.registers(first, width);
        if registers < 2 || !cursor.take("[") {
            return Ok(None);
        }
        let (low, high) = range_of(cursor)?;
        let mut misaligned = None;
        let found = runs.find_map(|entry| {
            let Meaning::Registers { first, align, .. } = &entry.meaning else { return None };
            let position = low.checked_sub(u64::from(*first)).filter(|p| *p < entry.count)?;
            misaligned = Some(*align).filter(|align| low % u64::from(*align) != 0);
            Some(entry.value + position)
        });
        if let Some(align) = misaligned {
            let what = format!("`{name}[{low}:{high}]` must begin at a multiple of {align}");
            return wrong(start, what);
        }
        let last = low.saturating_add(u64::from(registers) - 1);
        if found.is_some() && high != last {
            return wrong(start, format!("{registers} registers are `{name}[{low}:{last}]`"));
        }
        Ok(found)
    }

    /// Registers that an operand of `width` bits takes, if the entry names such.
    fn registers(&self, entry: &Entry, width: i128) -> u32 {
        match &entry.meaning {
            Meaning::Registers { file, .. } => self.isa.registers_in(*file, width),
            _ => 1,
        }
    }
}

/// What is wrong with a number that is no constant of a type that takes literals elsewhere.
fn no_value(entries: &[Entry], text: &str, start: usize) -> Option<Failure> {
    let text = text.trim_ascii();
    let takes_literals = entries.iter().any(|entry| entry.meaning == Meaning::Literal);
    if !takes_literals || !is_number(text.trim_start_matches('-')) {
        return None;
    }
    let what = format!("`{}` is no constant, and a literal is not possible here", compact(text));
    Some(Failure { at: start, reason: Reason::Wrong(what) })
}

/// `first:last]`.
fn range_of(cursor: &mut Cursor<'_>) -> Result<(u64, u64), Failure> {
    let low = register_number(cursor)?;
    if !cursor.take(":") {
        return expected(cursor.at, "`:`");
    }
    let high = register_number(cursor)?;
    if !cursor.take("]") {
        return expected(cursor.at, "`]`");
    }
    Ok((low, high))
}

fn register_number(cursor: &mut Cursor<'_>) -> Result<u64, Failure> {
    cursor.skip_space();
    let at = cursor.at;
    let text = cursor.identifier();
    match text.parse() {
        Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
        _ => expected(at, "the number of a register"),
    }
}

/// Whether a number begins here, once its sign is taken.
pub(super) fn is_number(rest: &str) -> bool {
    let rest = rest.trim_ascii_start();
    let is_infinite = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("inf"))
        && !rest[3..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    is_infinite || rest.starts_with(|c: char| c.is_ascii_digit())
}

/// The value of a constant that is written as a number.
fn constant(ty: &Type, text: &str) -> Option<u64> {
    if let Some(found) = read_integer(text).and_then(|written| ty.integer(written.value)) {
        return Some(found);
    }
    let number = text.parse().ok().filter(|_| text.contains(['.', 'e', 'E']))?;
    ty.float(number)
}

/// Numbers side by side, the highest first; or one pattern for all their bits.
pub(super) fn numbers(ty: &Immediate, width: u32, cursor: &mut Cursor<'_>) -> Result<u64, Failure> {
    cursor.skip_space();
    let NumberFormat { number, lanes } = ty.number;
    let lane = lane_width(ty.number, width);
    let is_float = matches!(number, Number::Float { .. });
    let mut raw = 0;
    for index in (0..lanes).rev() {
        cursor.skip_space();
        let start = cursor.at;
        let text = cursor.number();
        let written = read_integer(text);
        if let (Some(written), Print::Bits) = (written, ty.print) {
            return bits(written, width, text, start);
        }
        let pattern = written.filter(|written| written.is_pattern && (is_float || lanes > 1));
        if let Some(pattern) = pattern.filter(|_| index == lanes - 1) {
            let is_alone = cursor.clone().is_done();
            if is_alone || is_float {
                return match u64::try_from(pattern.value) {
                    Ok(raw) if u128::from(raw) <= low_bits(width) => Ok(raw),
                    _ => wrong(start, format!("`{}` does not fit in {width} bits", compact(text))),
                };
            }
        }
        let bits = match number {
            Number::Float { exponent, fraction } => float(ty, text, start, exponent, fraction)?,
            Number::Unsigned | Number::Signed => integer(ty, width, text, start)?,
        };
        raw |= bits << (index * lane);
        if index > 0 && !cursor.take(",") {
            return expected(cursor.at, format!("`,` and {index} more of {lanes} numbers"));
        }
    }
    Ok(raw)
}

/// The bits that an integer stands for where a number is written by its bits.
fn bits(written: Written, width: u32, text: &str, start: usize) -> Result<u64, Failure> {
    let (low, high) = (-(1i128 << (width - 1)), low_bits(width) as i128);
    if (low..=high).contains(&written.value) {
        return Ok((written.value as u128 & low_bits(width)) as u64);
    }
    wrong(start, format!("`{}` does not fit in {width} bits", compact(text)))
}

fn integer(ty: &Immediate, width: u32, text: &str, start: usize) -> Result<u64, Failure> {
    let NumberFormat { number, lanes } = ty.number;
    let width = width / lanes;
    let Some(written) = read_integer(text) else {
        let (low, high) = range(number, width);
        return expected(start, format!("an integer from {low} to {high}"));
    };
    match encode_integer(written, number, width) {
        Some(bits) => Ok(bits),
        None => {
            let (low, high) = range(number, width);
            wrong(start, out_of_range(text, low, high))
        }
    }
}

pub(super) fn out_of_range(text: &str, low: i128, high: i128) -> String {
    format!("`{}` is out of range: the values are {low} to {high}", compact(text))
}

/// A number as it is quoted: blanks behind its sign may be anything, even the end of a line.
fn compact(text: &str) -> String {
    text.split_whitespace().collect()
}

fn float(
    ty: &Immediate,
    text: &str,
    start: usize,
    exponent: u32,
    fraction: u32,
) -> Result<u64, Failure> {
    match parse_float(text, exponent, fraction) {
        Ok(bits) => Ok(bits),
        Err(FloatError::NoNumber) => expected(start, "a number"),
        Err(FloatError::NotRepresentable { nearest }) => {
            let near = print_float(nearest, exponent, fraction)
                .unwrap_or_else(|| print_pattern(nearest, ty.print));
            let bits = 1 + exponent + fraction;
            let text = compact(text);
            let what = format!("`{text}` is no number of {bits} bits: the nearest is {near}");
            wrong(start, what)
        }
    }
}
