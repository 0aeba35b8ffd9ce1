//! Floating-point numbers as text, in any format whose numbers binary64 holds.
//!
//! Written for clarity; generated code has a faster twin.

/// Why a text is no number of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatError {
    /// It is no number.
    NoNumber,
    /// Rounded to the format it would be infinite, or zero though it is not; the bits of the
    /// nearest finite number are given.
    NotRepresentable {
        /// The bits.
        nearest: u64,
    },
}

/// Whole numbers below this are written with all their digits.
const WHOLE: f64 = 1e15;

/// The text of the number that `bits` hold with `exponent` and `fraction` bits: the shortest
/// decimal that reads as the same number, but a whole number as it is; `None` for what is not a
/// number.
pub fn print_float(bits: u64, exponent: u32, fraction: u32) -> Option<String> {
    let magnitude = bits & !(1 << (exponent + fraction));
    let sign = if bits != magnitude { "-" } else { "" };
    let value = to_f64(magnitude, exponent, fraction);
    if value.is_nan() {
        return None;
    }
    if value.is_infinite() {
        return Some(format!("{sign}inf"));
    }
    if value < WHOLE && value == value.trunc() {
        return Some(format!("{sign}{value:.0}"));
    }
    // 17 digits tell all numbers of binary64 apart.
    let shortest = (0..17)
        .map(|digits| format!("{value:.digits$e}"))
        .find(|text| parse_float(text, exponent, fraction) == Ok(magnitude))?;
    Some(format!("{sign}{}", plain(&shortest)))
}

/// `1.25e-1` as `0.125`, unless that would need many zeros.
fn plain(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let digits = mantissa.replace('.', "");
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let zeros = |count: i32| "0".repeat(count.max(0) as usize);
    let point = exponent + 1;
    let length = digits.len() as i32;
    match exponent {
        -5..0 => format!("0.{}{digits}", zeros(-point)),
        0..16 if point >= length => format!("{digits}{}", zeros(point - length)),
        0..16 => format!("{}.{}", &digits[..point as usize], &digits[point as usize..]),
        _ if length == 1 => format!("{digits}e{exponent}"),
        _ => format!("{}.{}e{exponent}", &digits[..1], &digits[1..]),
    }
}

/// The number in binary64, which holds every number of the format.
fn to_f64(bits: u64, exponent: u32, fraction: u32) -> f64 {
    let biased = bits >> fraction & ((1 << exponent) - 1);
    let low = bits & ((1 << fraction) - 1);
    let bias = (1i32 << (exponent - 1)) - 1;
    let shift = if exponent == 11 { 52 - fraction } else { 0 };
    if exponent == 11 {
        return f64::from_bits(bits << shift);
    }
    let scale = |power: i32| f64::from_bits(((power + 1023) as u64) << 52);
    match biased {
        0 => low as f64 * scale(1 - bias - fraction as i32),
        _ if biased == (1 << exponent) - 1 => {
            if low == 0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        _ => {
            let power = biased as i32 - bias;
            (1.0 + low as f64 / (1u64 << fraction) as f64) * scale(power)
        }
    }
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
    if !digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) {
        return Err(FloatError::NoNumber);
    }
    let value: f64 = digits.parse().map_err(|_| FloatError::NoNumber)?;
    let is_zero = digits
        .split(['e', 'E'])
        .next()
        .is_some_and(|mantissa| mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.')));
    let magnitude = match value.is_infinite() {
        true => infinity,
        false => round(value, digits, exponent, fraction),
    };
    match magnitude {
        0 if !is_zero => Err(FloatError::NotRepresentable { nearest: sign }),
        _ if magnitude >= infinity => {
            Err(FloatError::NotRepresentable { nearest: sign | (infinity - 1) })
        }
        _ => Ok(sign | magnitude),
    }
}

/// `value`, which is the number nearest to `digits` in binary64, rounded to the format.
fn round(value: f64, digits: &str, exponent: u32, fraction: u32) -> u64 {
    let infinity = ((1u64 << exponent) - 1) << fraction;
    // The bits of a format's numbers are in the order of the numbers.
    let (mut below, mut above) = (0, infinity);
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if to_f64(middle, exponent, fraction) <= value {
            below = middle;
        } else {
            above = middle;
        }
    }
    let low = to_f64(below, exponent, fraction);
    if low == value && exact(digits, value) == std::cmp::Ordering::Equal {
        return below;
    }
    let half = halfway(below, exponent, fraction);
    let order = match half {
        Some(half) => value
            .partial_cmp(&half)
            .unwrap_or(std::cmp::Ordering::Equal)
            .then_with(|| exact(digits, half)),
        // Binary64 itself was rounded to.
        None => return below,
    };
    match order {
        std::cmp::Ordering::Less => below,
        std::cmp::Ordering::Greater => above,
        std::cmp::Ordering::Equal => below + (below & 1),
    }
}

/// The number halfway between a number and the next, where binary64 has it.
fn halfway(bits: u64, exponent: u32, fraction: u32) -> Option<f64> {
    if fraction == 52 {
        return None;
    }
    if exponent == 11 {
        return Some(f64::from_bits((bits << (52 - fraction)) + (1 << (51 - fraction))));
    }
    Some(to_f64(bits * 2 + 1, exponent, fraction + 1))
}

/// How a decimal number compares with a binary one, exactly.
fn exact(digits: &str, value: f64) -> std::cmp::Ordering {
    // The expansion of a binary64 number has at most 1074 digits behind the point.
    let (a, b) = (normal(digits), normal(&format!("{value:.1100}")));
    match (a.0.is_empty(), b.0.is_empty()) {
        (true, true) => std::cmp::Ordering::Equal,
        (true, false) => std::cmp::Ordering::Less,
        (false, true) => std::cmp::Ordering::Greater,
        (false, false) => a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)),
    }
}

/// The digits of a decimal number without zeros around them, and the power of ten of the first.
fn normal(text: &str) -> (String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let leading = all.bytes().take_while(|byte| *byte == b'0').count();
    let power = exponent.saturating_add(whole.len() as i64 - leading as i64);
    (all[leading..].trim_end_matches('0').to_string(), power)
}
