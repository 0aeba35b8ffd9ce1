//! Integers as text: decimal, `0x` and `0b`, with an optional sign and `_` between digits.
//!
//! Most are read at once (`plain_integer`); what is not so plain is read again in full.

use super::bits::low_bits;
use super::image::Tables;
use super::image_text::{BITS, Format, NUMBER_FLOAT, NUMBER_SIGNED, Notation};
use super::parse_cursor::Cursor;
use super::parse_error::{Failure, Numbers, Reason, fail};
use super::parse_line::{WORD, is};

impl<'a, T: Tables<'a>> Cursor<'_, 'a, T> {
    /// An integer as most are written; nothing is taken if it is not such a one.
    #[inline]
    pub(crate) fn plain_integer(&mut self, format: &Format) -> Option<u64> {
        if format.kind == NUMBER_FLOAT || format.lanes != 1 {
            return None;
        }
        if self.line.image().texts.has_bits && format.letter == BITS {
            return None;
        }
        let text = self.line.bytes.get(self.at..self.end)?;
        let texts = &self.line.image().texts;
        let notation = texts.notation(format);
        let text = match notation {
            Some(notation) if notation.computed != 0 || notation.reads_either => return None,
            Some(notation) if notation.is_relative && self.line.address.is_some() => return None,
            Some(notation) => {
                let prefix = texts.bytes(notation.prefix);
                if texts.begins(text, prefix) { text.get(prefix.len()..)? } else { text }
            }
            None => text,
        };
        let (is_negative, text) = match text {
            [b'-', text @ ..] => (true, text),
            text => (false, text),
        };
        let (is_hexadecimal, text) = match text {
            [b'0', b'x' | b'X', text @ ..] => (true, text),
            text => (false, text),
        };
        let (mut magnitude, mut count) = (0u64, 0);
        // What overflows has too many digits.
        if is_hexadecimal {
            while let Some(digit) = text.get(count).map(|byte| HEX_DIGIT[usize::from(*byte)]) {
                if digit > 15 {
                    break;
                }
                magnitude = magnitude << 4 | u64::from(digit);
                count += 1;
            }
        } else {
            while let Some(digit) = text.get(count).map(|byte| byte.wrapping_sub(b'0')) {
                if digit > 9 {
                    break;
                }
                magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit));
                count += 1;
            }
        }
        // No more digits than surely fit.
        let next = text.get(count);
        let is_other = next.is_some_and(|next| {
            is(*next, WORD) || *next == b'.' || notation.is_some() && *next == b'@'
        });
        if !(1..=15).contains(&count) || is_other {
            return None;
        }
        let at = self.end - text.len() + count;
        if let Some(notation) = notation.filter(|notation| notation.is_scaled()) {
            let value = if is_negative { -i128::from(magnitude) } else { magnitude.into() };
            let bits = notation.bits(format, value).ok()?;
            self.at = at;
            return Some(bits);
        }
        let all = low_bits(u32::from(format.lane_bits));
        let most = match format.kind {
            NUMBER_SIGNED if is_negative => all / 2 + 1,
            NUMBER_SIGNED if !is_hexadecimal => all / 2,
            _ if is_negative => 0,
            _ => all,
        };
        self.at = if magnitude <= most { at } else { self.at };
        let value = if is_negative { magnitude.wrapping_neg() } else { magnitude };
        (magnitude <= most).then_some(value & all)
    }
}

/// The values of hexadecimal digits, and 255 for other bytes.
static HEX_DIGIT: [u8; 256] = {
    let mut values = [255; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        values[byte] = match c {
            b'0'..=b'9' => c - b'0',
            b'a'..=b'f' => c - b'a' + 10,
            b'A'..=b'F' => c - b'A' + 10,
            _ => 255,
        };
        byte += 1;
    }
    values
};

pub(crate) fn one_integer(
    text: &str,
    start: usize,
    (format, notation): (&Format, Option<&Notation>),
) -> Result<u64, Failure> {
    match read_integer(text) {
        Some(integer) => integer_bits(integer, start, (format, notation)),
        None => fail(start, Reason::ExpectedInteger(numbers(format))),
    }
}

/// The integers of a format.
pub(crate) fn numbers(format: &Format) -> Numbers {
    Numbers {
        is_signed: format.kind == NUMBER_SIGNED,
        bits: format.lane_bits,
        notation: format.notation,
    }
}

/// The bits of an integer, unless it has none.
pub(crate) fn integer_bits(
    Integer { value, is_pattern }: Integer,
    start: usize,
    (format, notation): (&Format, Option<&Notation>),
) -> Result<u64, Failure> {
    let numbers = numbers(format);
    if let Some(notation) = notation.filter(|notation| notation.is_scaled()) {
        return match notation.bits(format, value) {
            Ok(bits) => Ok(bits),
            Err(true) => fail(start, Reason::NotMultiple(numbers)),
            Err(false) => fail(start, Reason::OutOfRange(numbers)),
        };
    }
    let all = i128::from(low_bits(u32::from(format.lane_bits)));
    let reads_either = notation.is_some_and(|notation| notation.reads_either);
    let (low, high) = match format.kind {
        _ if reads_either => (-(all / 2) - 1, all),
        NUMBER_SIGNED if is_pattern => (-(all / 2) - 1, all),
        NUMBER_SIGNED => (-(all / 2) - 1, all / 2),
        _ => (0, all),
    };
    if value < low || value > high {
        return fail(start, Reason::OutOfRange(numbers));
    }
    Ok((value & all) as u64)
}

/// An integer as it was written.
pub(crate) struct Integer {
    pub(crate) value: i128,
    /// Whether it is a pattern of bits: written in hexadecimal or binary, without a sign.
    pub(crate) is_pattern: bool,
}

/// Reads decimal, `0x` and `0b` integers with an optional sign, and `_` between digits.
pub(crate) fn read_integer(text: &str) -> Option<Integer> {
    let (negative, rest) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest.trim_ascii_start()),
        rest => (false, rest),
    };
    let (radix, rest) = match rest {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        _ => (10, rest),
    };
    if rest.first() == Some(&b'_') {
        return None;
    }
    let magnitude = magnitude(rest, radix)?;
    let value = if negative { -magnitude } else { magnitude };
    Some(Integer { value, is_pattern: radix != 10 && !negative })
}

/// The value of digits with `_` between them; larger than any field if it does not fit.
fn magnitude(text: &[u8], radix: u32) -> Option<i128> {
    let mut value = 0u64;
    let mut is_large = false;
    let mut count = 0;
    for byte in text.iter().filter(|byte| **byte != b'_') {
        let digit = char::from(*byte).to_digit(radix)?;
        match value.checked_mul(u64::from(radix)).and_then(|v| v.checked_add(u64::from(digit))) {
            Some(next) => value = next,
            None => is_large = true,
        }
        count += 1;
    }
    match (count, is_large) {
        (0, _) => None,
        (_, true) => Some(1 << 64),
        (_, false) => Some(i128::from(value)),
    }
}

/// A number of a register as it is written: without zeros before it.
#[inline]
pub(crate) fn register_number(text: &[u8]) -> Option<u64> {
    // Both are looked at, for neither can be predicted.
    let is_padded = (text.len() > 1) & (text.first() == Some(&b'0'));
    digits(text).filter(|_| !is_padded)
}

/// The number that digits are, if there are some and it is below 2^60.
#[inline]
fn digits(text: &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for byte in text {
        let digit = u64::from(byte.wrapping_sub(b'0'));
        if digit > 9 || value >> 56 != 0 {
            return None;
        }
        value = value * 10 + digit;
    }
    if text.is_empty() { None } else { Some(value) }
}
