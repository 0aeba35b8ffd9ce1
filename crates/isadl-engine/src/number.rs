//! Numbers as text: integers, and floating-point numbers of any format that binary64 holds.

use core::cmp::Ordering;
use core::fmt::{self, Write};

use super::bits::{low_bits, sign_extend};
use super::image_text::{Format, NUMBER_SIGNED, Notation};

/// Room for the text of one number, in bytes.
pub const NUMBER_ROOM: usize = 68;

/// The text of a number.
#[derive(Debug, Clone, Copy)]
pub struct Digits {
    pub(crate) bytes: [u8; NUMBER_ROOM],
    pub(crate) len: usize,
}

impl Default for Digits {
    fn default() -> Digits {
        Digits::new()
    }
}

impl Digits {
    /// No text yet.
    #[must_use]
    pub const fn new() -> Digits {
        Digits { bytes: [0; NUMBER_ROOM], len: 0 }
    }

    /// The text in ASCII.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub(crate) fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.len) {
            *slot = byte;
            self.len += 1;
        }
    }

    /// Appends what is after the first `skipped` of eight bytes, the first in the highest.
    fn push_digits(&mut self, digits: u64, skipped: u32) {
        let room = self.bytes.get_mut(self.len..).and_then(|bytes| bytes.first_chunk_mut());
        if let Some(room) = room {
            // All eight are copied, those after the digits without meaning.
            *room = (digits << (8 * skipped)).to_be_bytes();
            self.len += 8 - skipped as usize;
        }
    }

    /// Adds zeros to a floating-point number, so that it has at least so many digits after its point, unless it has an
    /// exponent.
    pub fn pad_fraction(&mut self, count: u32) {
        let is_plain = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
        if count == 0 || !self.as_bytes().iter().all(is_plain) {
            return;
        }
        let point = self.as_bytes().iter().position(|byte| *byte == b'.');
        if point.is_none() {
            self.push(b'.');
        }
        let after = self.len - point.map_or(self.len, |point| point + 1);
        (after..count as usize).for_each(|_| self.push(b'0'));
    }

    /// Adds zeros to an integer, so that it has at least so many digits.
    pub fn pad_integer(&mut self, count: u32) {
        let text = self.as_bytes();
        let sign = usize::from(text.first() == Some(&b'-'));
        let is_based = matches!(text.get(sign..), Some([b'0', b'x' | b'b', ..]));
        let start = sign + if is_based { 2 } else { 0 };
        let (end, digits) = (self.len, self.len - start);
        for _ in digits..count as usize {
            self.push(b'0');
        }
        let added = self.len - end;
        self.bytes.copy_within(start..end, start + added);
        self.bytes[start..start + added].fill(b'0');
    }

    fn push_all(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if let Some(room) = self.bytes.get_mut(self.len..end) {
            room.copy_from_slice(bytes);
            self.len = end;
        }
    }
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.len + text.len() > NUMBER_ROOM {
            return Err(fmt::Error);
        }
        self.push_all(text.as_bytes());
        Ok(())
    }
}

impl Notation {
    /// The integer that bits are.
    pub(crate) fn value(&self, format: &Format, bits: u64) -> i128 {
        let number = match format.kind {
            NUMBER_SIGNED => i128::from(sign_extend(bits, u32::from(format.lane_bits))),
            _ => i128::from(bits),
        };
        number * i128::from(self.scale) + i128::from(self.bias)
    }

    /// The bits of an integer. `Err` tells whether it lies between two that have bits.
    pub(crate) fn bits(&self, format: &Format, value: i128) -> Result<u64, bool> {
        let all = low_bits(u32::from(format.lane_bits));
        let (low, high) = match format.kind {
            NUMBER_SIGNED => (-i128::from(all / 2) - 1, i128::from(all / 2)),
            _ => (0, i128::from(all)),
        };
        // Most are small, and a division of 64 bits is fast.
        let small = i64::try_from(value).ok().and_then(|value| value.checked_sub(self.bias));
        let small = small.and_then(|distance| {
            Some((distance.checked_div(self.scale)?, distance.checked_rem(self.scale)?))
        });
        let (number, rest) = match small {
            Some((number, rest)) => (i128::from(number), i128::from(rest)),
            None => {
                let (distance, scale) = (value - i128::from(self.bias), i128::from(self.scale));
                (distance.checked_div(scale).unwrap_or(0), distance.checked_rem(scale).unwrap_or(1))
            }
        };
        // What is left over has the sign of the distance, and the next number is away from 0.
        let next = number + (rest.signum() * i128::from(self.scale.signum()));
        match (low..=high).contains(&number) && (low..=high).contains(&next) {
            true if rest == 0 => Ok(number as u64 & all),
            is_between => Err(is_between),
        }
    }
}

/// Decimal digits without zeros before them.
pub fn decimal(mut value: u64, out: &mut Digits) {
    if let Ok(value) = u32::try_from(value) {
        let (text, len) = short_decimal(value);
        return out.push_all(&text.to_le_bytes()[..len as usize]);
    }
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.push_all(&digits[first..]);
}

/// `0x` and digits without zeros before them; `letter` is `b'a'` or `b'A'`.
pub fn hexadecimal(value: u64, letter: u8, out: &mut Digits) {
    out.push_all(b"0x");
    if value >> 32 != 0 {
        let zeros = value.leading_zeros() / 4;
        out.push_digits(eight_digits((value >> 32) as u32, letter), zeros);
        out.push_digits(eight_digits(value as u32, letter), 0);
    } else {
        let zeros = (value as u32 | 1).leading_zeros() / 4;
        out.push_digits(eight_digits(value as u32, letter), zeros);
    }
}

/// `0b` and binary digits without zeros before them.
pub fn binary(value: u64, out: &mut Digits) {
    out.push_all(b"0b");
    let count = u64::BITS - (value | 1).leading_zeros();
    for bit in (0..count).rev() {
        out.push(b'0' + (value >> bit & 1) as u8);
    }
}

/// Decimal digits of a number, the first byte in the lowest, and how many.
#[inline(always)]
pub(crate) fn short_decimal(value: u32) -> (u128, u32) {
    const EIGHT: u32 = 100_000_000;
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    if value >= EIGHT {
        let (high, low) = (eight_decimals(value / EIGHT), eight_decimals(value % EIGHT));
        let zeros = high.trailing_zeros() / 8;
        let high = (high | ZEROS) >> (8 * zeros);
        return (u128::from(low | ZEROS) << (8 * (8 - zeros)) | u128::from(high), 16 - zeros);
    }
    let digits = eight_decimals(value);
    let zeros = (digits | 1 << 56).trailing_zeros() / 8;
    (u128::from((digits | ZEROS) >> (8 * zeros)), 8 - zeros)
}

/// Eight decimal digits as numbers, the highest in the lowest byte.
#[inline(always)]
fn eight_decimals(value: u32) -> u64 {
    // Halves of four digits, then pairs of two, then digits, all at once.
    let value = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    let hundreds = ((value * 10_486) >> 20) & 0x7f_0000_007f;
    let pairs = hundreds | (value - hundreds * 100) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - tens * 10) << 8
}

/// The text by [`hexadecimal`] of a number of 32 bits, the first byte in the lowest, and its length.
#[inline(always)]
pub(crate) fn short_hexadecimal(value: u32, letter: u8) -> (u128, u32) {
    let zeros = (value | 1).leading_zeros() / 4;
    let digits = (eight_digits(value, letter) << (8 * zeros)).swap_bytes();
    (u128::from(digits) << 16 | u128::from(u16::from_le_bytes(*b"0x")), 10 - zeros)
}

/// Eight hexadecimal digits, the highest in the highest byte.
#[inline(always)]
fn eight_digits(value: u32, letter: u8) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // A digit in each byte, all at once.
    let value = u64::from(value);
    let value = value & 0xffff | (value & 0xffff_0000) << 16;
    let value = value & 0xff_0000_00ff | (value & 0xff00_0000_ff00) << 8;
    let value = value & 0x000f_000f_000f_000f | (value & 0x00f0_00f0_00f0_00f0) << 4;
    let letters = (value + 6 * EACH) >> 4 & EACH;
    value + EACH * u64::from(b'0') + letters * u64::from(letter - b'0' - 10)
}

/// The number in binary64, which holds every number of the format.
fn to_f64(bits: u64, exponent: u32, fraction: u32) -> f64 {
    if exponent == 11 {
        return f64::from_bits(bits << (52 - fraction));
    }
    let biased = bits >> fraction & ((1 << exponent) - 1);
    let low = bits & ((1 << fraction) - 1);
    let bias = (1i32 << (exponent - 1)) - 1;
    let scale = |power: i32| f64::from_bits(((power + 1023) as u64) << 52);
    if biased == 0 {
        return low as f64 * scale(1 - bias - fraction as i32);
    }
    if biased == (1 << exponent) - 1 {
        return if low == 0 { f64::INFINITY } else { f64::NAN };
    }
    (1.0 + low as f64 / (1u64 << fraction) as f64) * scale(biased as i32 - bias)
}

/// Writes the shortest decimal that reads as the same number, but a whole number with all digits; `false` for other
/// values.
pub fn float(bits: u64, exponent: u32, fraction: u32, out: &mut Digits) -> bool {
    let magnitude = bits & !(1 << (exponent + fraction));
    let value = to_f64(magnitude, exponent, fraction);
    if value.is_nan() {
        return false;
    }
    if bits != magnitude {
        out.push(b'-');
    }
    if value.is_infinite() {
        out.push_all(b"inf");
    } else if value < 1e15 && value == (value as u64) as f64 {
        decimal(value as u64, out);
    } else if let Some((digits, places)) = shortest(magnitude, exponent, fraction) {
        let mut text = Digits::new();
        decimal(digits, &mut text);
        let power = text.len as i32 - 1 - places as i32;
        plain(text.as_bytes(), power, out);
    } else {
        by_trial(value, magnitude, exponent, fraction, out);
    }
    true
}

/// Digits and the places of them after the point, for numbers that are not whole and not too
/// small for exact arithmetic; `None` for others.
fn shortest(magnitude: u64, exponent: u32, fraction: u32) -> Option<(u64, u32)> {
    let biased = (magnitude >> fraction) as i32;
    let low = magnitude & ((1 << fraction) - 1);
    let bias = (1i32 << (exponent - 1)) - 1;
    // The number is mantissa / 2^shift; subnormal numbers have no leading 1.
    let mantissa = u128::from(if biased == 0 { low } else { low | 1 << fraction });
    let shift = bias + fraction as i32 - biased.max(1);
    if fraction > 23 || !(1..=70).contains(&shift) {
        return None;
    }
    let is_even = mantissa & 1 == 0;
    // Below a power of two numbers lie closer.
    let is_power_of_two = mantissa == 1 << fraction && biased > 1;
    let mut scale = 1u128;
    for places in 1..=30 {
        scale *= 10;
        let exact = mantissa * scale;
        if exact >> shift == 0 {
            continue;
        }
        let digits = round_shift(exact, shift as u32);
        let back = digits << shift;
        let (difference, room) = if back >= exact {
            (2 * (back - exact), scale)
        } else if is_power_of_two {
            (4 * (exact - back), scale)
        } else {
            (2 * (exact - back), scale)
        };
        if difference < room || is_even && difference == room {
            return Some((digits as u64, places));
        }
    }
    None
}

/// `value / 2^shift`, rounded to the nearest, ties to even.
fn round_shift(value: u128, shift: u32) -> u128 {
    let whole = value >> shift;
    let rest = value & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    whole + u128::from(rest > half || rest == half && whole & 1 != 0)
}

/// Tries more and more digits until the text reads as the same number.
fn by_trial(value: f64, magnitude: u64, exponent: u32, fraction: u32, out: &mut Digits) {
    for digits in 0..17 {
        let mut text = Digits::new();
        if write!(text, "{value:.digits$e}").is_err() {
            return;
        }
        let Ok(written) = core::str::from_utf8(text.as_bytes()) else { return };
        if parse_float(written, exponent, fraction) == Ok(magnitude) {
            let (mantissa, power) = written.split_once('e').unwrap_or((written, "0"));
            let mut plain_digits = Digits::new();
            for byte in mantissa.bytes().filter(|byte| *byte != b'.') {
                plain_digits.push(byte);
            }
            return plain(plain_digits.as_bytes(), power.parse().unwrap_or(0), out);
        }
    }
}

/// Digits of which the first stands for that power of ten: with a point, unless that would need
/// many zeros.
fn plain(digits: &[u8], power: i32, out: &mut Digits) {
    let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    let digits = &digits[..(digits.len() - zeros).max(1)];
    let point = power + 1;
    match power {
        -5..0 => {
            out.push_all(b"0.");
            out.push_all(&b"0000"[..(-point) as usize]);
            out.push_all(digits);
        }
        0..16 if point as usize >= digits.len() => {
            out.push_all(digits);
            (digits.len()..point as usize).for_each(|_| out.push(b'0'));
        }
        0..16 => {
            out.push_all(&digits[..point as usize]);
            out.push(b'.');
            out.push_all(&digits[point as usize..]);
        }
        _ => {
            out.push(digits[0]);
            if digits.len() > 1 {
                out.push(b'.');
                out.push_all(&digits[1..]);
            }
            out.push(b'e');
            if power < 0 {
                out.push(b'-');
            }
            decimal(u64::from(power.unsigned_abs()), out);
        }
    }
}

/// Why a text is no number of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatError {
    /// It is no number.
    NoNumber,
    /// Rounded it would be infinite, or zero though it is not.
    NotRepresentable,
}

/// The bits of the number that a text names, rounded to the nearest, ties to even.
pub fn parse_float(text: &str, exponent: u32, fraction: u32) -> Result<u64, FloatError> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (1u64 << (exponent + fraction), rest.trim_ascii_start()),
        None => (0, text),
    };
    let infinity = ((1u64 << exponent) - 1) << fraction;
    if digits.eq_ignore_ascii_case("inf") {
        return Ok(sign | infinity);
    }
    if !digits.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return Err(FloatError::NoNumber);
    }
    let Ok(value) = digits.parse::<f64>() else { return Err(FloatError::NoNumber) };
    let mantissa = digits.bytes().take_while(|byte| !matches!(byte, b'e' | b'E'));
    let is_zero = mantissa.clone().all(|byte| matches!(byte, b'0' | b'.'));
    match narrow(value, digits, exponent, fraction) {
        0 if !is_zero => Err(FloatError::NotRepresentable),
        magnitude if magnitude >= infinity => Err(FloatError::NotRepresentable),
        magnitude => Ok(sign | magnitude),
    }
}

/// `value`, which is the number of binary64 nearest to `digits`, in a narrower format.
fn narrow(value: f64, digits: &str, exponent: u32, fraction: u32) -> u64 {
    let bits = value.to_bits();
    if value == 0.0 || value.is_infinite() {
        return if value == 0.0 { 0 } else { u64::MAX };
    }
    let bias = (1i32 << (exponent - 1)) - 1;
    let biased = (bits >> 52) as i32;
    let (power, mantissa) = match biased {
        0 => (-1022, bits),
        _ => (biased - 1023, bits & ((1 << 52) - 1) | 1 << 52),
    };
    // The bits below those of the format; more of them for its subnormal numbers.
    let below_normal = (1 - bias - power).max(0);
    let dropped = (52 - fraction) as i32 + below_normal;
    if dropped == 0 {
        return if biased == 0 {
            mantissa
        } else {
            ((power + bias) as u64) << fraction | mantissa & ((1 << fraction) - 1)
        };
    }
    if dropped > 54 {
        return 0;
    }
    let kept = (u128::from(mantissa) >> dropped) as u64;
    let rest = mantissa as u128 & ((1 << dropped) - 1);
    let half = 1u128 << (dropped - 1);
    let order = match rest.cmp(&half) {
        // Binary64 may have been rounded to the middle.
        Ordering::Equal => exact(digits, value),
        other => other,
    };
    let up = match order {
        Ordering::Greater => 1,
        Ordering::Equal => kept & 1,
        Ordering::Less => 0,
    };
    // A carry out of the fraction goes into the exponent, as it should.
    let base = if below_normal > 0 { 0 } else { ((power + bias - 1) as u64) << fraction };
    base + kept + up
}

/// How a decimal number compares with a binary one, exactly.
fn exact(digits: &str, value: f64) -> Ordering {
    let mut compare =
        Compare { digits: Decimal::new(digits), started: false, order: Ordering::Equal };
    // The first digit that is written tells the power of ten.
    let _ = write!(compare, "{value:.1100e}");
    if compare.order == Ordering::Equal && compare.digits.any(|digit| digit != b'0') {
        return Ordering::Greater;
    }
    let power = power_of(value);
    match Decimal::new(digits).power.cmp(&power) {
        Ordering::Equal => compare.order,
        other => other,
    }
}

/// The power of ten of the first digit of a number.
fn power_of(value: f64) -> i64 {
    let mut text = Digits::new();
    // One digit would be rounded up; all are needed, but only the exponent is kept.
    let mut tail = Exponent { text: &mut text, seen: false };
    let _ = write!(tail, "{value:.1100e}");
    core::str::from_utf8(text.as_bytes()).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Keeps what follows the `e`.
struct Exponent<'t> {
    text: &'t mut Digits,
    seen: bool,
}

impl Write for Exponent<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if self.seen {
                self.text.push(byte);
            }
            self.seen |= byte == b'e';
        }
        Ok(())
    }
}

/// The digits of a decimal number from the first that is not 0, and its power of ten.
#[derive(Clone)]
struct Decimal<'t> {
    rest: &'t [u8],
    power: i64,
}

impl<'t> Decimal<'t> {
    fn new(text: &'t str) -> Decimal<'t> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i64 = exponent.parse().unwrap_or(0);
        let bytes = mantissa.as_bytes();
        let point = bytes.iter().position(|byte| *byte == b'.').unwrap_or(bytes.len());
        let first = bytes.iter().position(|byte| !matches!(byte, b'0' | b'.'));
        let first = first.unwrap_or(bytes.len());
        let offset = if first < point { point - first - 1 } else { 0 };
        let behind = first.saturating_sub(point);
        let power = exponent.saturating_add(offset as i64 - behind as i64);
        Decimal { rest: &bytes[first..], power }
    }
}

impl Iterator for Decimal<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            if *first != b'.' {
                return Some(*first);
            }
        }
    }
}

/// Compares the digits that are written with those of a decimal number.
struct Compare<'t> {
    digits: Decimal<'t>,
    started: bool,
    order: Ordering,
}

impl Write for Compare<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match byte {
                b'e' => self.started = true,
                b'0'..=b'9' if !self.started => {
                    let digit = self.digits.next().unwrap_or(b'0');
                    self.order = self.order.then(digit.cmp(&byte));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
