//! Integers as text.

use crate::isa::{Immediate, Number, Print, low_bits};

/// The text of an integer of `width` bits.
pub(super) fn print_integer(raw: u64, width: u32, ty: &Immediate) -> String {
    let value = match ty.number.number {
        Number::Signed => sign_extend(raw, width),
        _ => i128::from(raw),
    };
    let sign = if value < 0 { "-" } else { "" };
    let magnitude = value.unsigned_abs();
    match ty.print {
        Print::Decimal => format!("{sign}{magnitude}"),
        Print::Hex => format!("{sign}0x{magnitude:x}"),
        Print::Bits => print_pattern(raw, ty.print),
        Print::UpperHex => format!("{sign}0x{magnitude:X}"),
    }
}

/// A bit pattern, in the digits that the type prefers.
pub(super) fn print_pattern(raw: u64, print: Print) -> String {
    match print {
        Print::UpperHex => format!("0x{raw:X}"),
        Print::Decimal | Print::Hex | Print::Bits => format!("0x{raw:x}"),
    }
}

fn sign_extend(raw: u64, width: u32) -> i128 {
    let unused = 64 - width;
    i128::from((raw << unused) as i64 >> unused)
}

/// An integer as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) value: i128,
    /// Whether it is a pattern of bits: written in hexadecimal or binary, without a sign.
    pub(super) is_pattern: bool,
}

/// Reads decimal, `0x` and `0b` integers with an optional sign, and `_` between digits.
pub(super) fn read_integer(text: &str) -> Option<Written> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_ascii_start()),
        None => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(rest), _) => (16, rest),
        (_, Some(rest)) => (2, rest),
        _ => (10, lower.as_str()),
    };
    let first = digits.bytes().next()?;
    if !first.is_ascii_alphanumeric() {
        return None;
    }
    let digits = digits.replace('_', "");
    // Larger than any field all the same.
    let magnitude = match u64::from_str_radix(&digits, radix) {
        Ok(value) => i128::from(value),
        Err(_) if digits.chars().all(|digit| digit.is_digit(radix)) => 1 << 64,
        Err(_) => return None,
    };
    let value = if negative { -magnitude } else { magnitude };
    Some(Written { value, is_pattern: radix != 10 && !negative })
}

/// The least and the greatest value of an integer of `width` bits.
pub(super) fn range(number: Number, width: u32) -> (i128, i128) {
    match number {
        Number::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        Number::Unsigned | Number::Float { .. } => (0, low_bits(width) as i128),
    }
}

/// The bits of a written integer in a field of `width` bits, if it has room. A pattern of bits
/// may fill a signed field whole: `0xFFFFFFFF` is -1 in 32 bits.
pub(super) fn encode_integer(written: Written, number: Number, width: u32) -> Option<u64> {
    let (low, high) = range(number, width);
    let high = if written.is_pattern { low_bits(width) as i128 } else { high };
    (low..=high).contains(&written.value).then(|| (written.value as u128 & low_bits(width)) as u64)
}
