//! Numbers as text.

use std::cmp::Ordering;

use isadl::isa::{Entry, Immediate, Meaning, Number, NumberFormat, Print, Reading};

use super::{bits, value};

/// The text of an immediate of `width` bits: its numbers side by side, the highest first, each with its prefix. If one
/// of them is not a number, the pattern of all bits.
pub(super) fn immediate(raw: u64, width: u32, format: NumberFormat, own: &Immediate) -> String {
    let (raw, width) = match own.computed {
        Some(_) => (computed(raw, own), own_width(format)),
        None => (raw, width),
    };
    let print = own.print;
    let pattern = match print {
        Print::UpperHex => format!("0x{raw:X}"),
        Print::Decimal | Print::Hex | Print::Binary | Print::Bits => format!("0x{raw:x}"),
    };
    let pattern = own.prefix.clone() + &pattern;
    if print == Print::Bits && matches!(format.number, Number::Float { .. }) {
        return pattern;
    }
    let lane = match format.number {
        Number::Float { exponent, fraction } => 1 + exponent + fraction,
        Number::Unsigned | Number::Signed => width / format.lanes,
    };
    let beyond = lane * format.lanes;
    if beyond < width && bits(raw.into(), beyond, width - beyond) != 0 {
        return pattern;
    }
    let mut texts = Vec::new();
    for index in (0..format.lanes).rev() {
        let raw = bits(raw.into(), index * lane, lane);
        let text = match format.number {
            Number::Float { exponent, fraction } => {
                float(raw, exponent, fraction).map(|text| with_digits(text, own.digits))
            }
            Number::Unsigned => {
                Some(integer(with_scale(raw.into(), own), raw, (print, own.digits)))
            }
            Number::Signed => {
                Some(integer(with_scale(signed(raw, lane), own), raw, (print, own.digits)))
            }
        };
        match text {
            Some(text) => texts.push(own.prefix.clone() + &text),
            None => return pattern,
        }
    }
    texts.join(", ")
}

/// A floating-point number with zeros at its end.
fn with_digits(text: String, count: u32) -> String {
    let whole = text.trim_start_matches('-');
    if count == 0 || whole.contains(|c: char| c.is_ascii_alphabetic()) {
        return text;
    }
    let (before, after) = text.split_once('.').unwrap_or((&text, ""));
    format!("{before}.{after:0<count$}", count = count as usize)
}

/// The bits of the number that is computed from others.
pub(super) fn computed(raw: u64, own: &Immediate) -> u64 {
    own.computed.as_ref().map_or(raw, |of| value(&of.expr, &|_, _| raw.into()) as u64)
}

/// Bits of a number that is computed.
fn own_width(format: NumberFormat) -> u32 {
    match format.number {
        Number::Float { exponent, fraction } => 1 + exponent + fraction,
        Number::Unsigned | Number::Signed => 64,
    }
}

/// The number that the bits of a field are.
pub(super) fn read(raw: u64, width: u32, reading: Reading) -> i128 {
    match reading {
        Reading::Signed => signed(raw, width),
        Reading::Unsigned => raw.into(),
    }
}

/// The integer that the bits of a type of single integers are.
pub(super) fn integer_of(raw: u64, width: u32, own: &Immediate) -> i128 {
    match own.number.number {
        Number::Signed if own.computed.is_some() => signed(computed(raw, own), 64),
        Number::Unsigned if own.computed.is_some() => computed(raw, own).into(),
        Number::Signed => with_scale(signed(raw, width), own),
        _ => with_scale(raw.into(), own),
    }
}

/// The value that the bits encode.
fn with_scale(number: i128, of: &Immediate) -> i128 {
    i128::from(of.bias) + i128::from(of.scale) * number
}

fn signed(raw: u64, width: u32) -> i128 {
    let raw = i128::from(raw);
    if raw >> (width - 1) & 1 == 1 { raw - (1 << width) } else { raw }
}

/// An integer with a minimum number of digits.
pub(super) fn integer(value: i128, raw: u64, (print, digits): (Print, u32)) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let (magnitude, count) = (value.abs(), digits as usize);
    match print {
        Print::Decimal => format!("{sign}{magnitude:0count$}"),
        Print::Hex => format!("{sign}0x{magnitude:0count$x}"),
        Print::UpperHex => format!("{sign}0x{magnitude:0count$X}"),
        Print::Binary => format!("{sign}0b{magnitude:0count$b}"),
        Print::Bits => format!("0x{raw:x}"),
    }
}

/// The number that has these bits without a sign; `None` where they are not a number.
fn magnitude(bits: u64, exponent: u32, fraction: u32) -> Option<f64> {
    let (biased, low) = (bits >> fraction, bits & ((1 << fraction) - 1));
    let all = (1u64 << exponent) - 1;
    if biased == all {
        return (low == 0).then_some(f64::INFINITY);
    }
    let bias = (1i64 << (exponent - 1)) - 1;
    let (whole, power) = match biased {
        0 => (low, 1 - bias - i64::from(fraction)),
        _ => (low | 1 << fraction, biased as i64 - bias - i64::from(fraction)),
    };
    Some(scaled(whole as f64, power))
}

/// A number times a power of two, in two steps that are exact.
fn scaled(number: f64, power: i64) -> f64 {
    let half = power as i32 / 2;
    number * 2f64.powi(half) * 2f64.powi(power as i32 - half)
}

/// The text of a floating-point number: whole numbers as they are, others with the fewest digits that read back.
fn float(bits: u64, exponent: u32, fraction: u32) -> Option<String> {
    let unsigned = bits & !(1 << (exponent + fraction));
    let sign = if unsigned == bits { "" } else { "-" };
    let number = magnitude(unsigned, exponent, fraction)?;
    if number.is_infinite() {
        return Some(format!("{sign}inf"));
    }
    if number.fract() == 0.0 && number < 1e15 {
        return Some(format!("{sign}{number:.0}"));
    }
    let mut scientific = String::new();
    for digits in 0..17 {
        scientific = format!("{number:.digits$e}");
        if reads_as(&scientific, unsigned, exponent, fraction) {
            break;
        }
    }
    Some(format!("{sign}{}", without_zeros(&scientific)))
}

/// `2.5e-1` as `0.25`; numbers from 1e16 on and below 1e-5 keep their exponent.
fn without_zeros(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').expect("it has an exponent");
    let exponent: i32 = exponent.parse().expect("it is a number");
    let digits = mantissa.replace('.', "");
    let digits = digits.trim_end_matches('0');
    let (first, rest) = digits.split_at(1);
    match exponent {
        -5..=-1 => format!("0.{}{digits}", "0".repeat((-1 - exponent) as usize)),
        0..=15 => {
            let whole = exponent as usize + 1;
            if digits.len() <= whole {
                format!("{digits}{}", "0".repeat(whole - digits.len()))
            } else {
                format!("{}.{}", &digits[..whole], &digits[whole..])
            }
        }
        _ if rest.is_empty() => format!("{first}e{exponent}"),
        _ => format!("{first}.{rest}e{exponent}"),
    }
}

/// Whether a decimal number without sign, rounded to the nearest and ties to even, has these bits.
fn reads_as(text: &str, bits: u64, exponent: u32, fraction: u32) -> bool {
    let Some(own) = magnitude(bits, exponent, fraction).filter(|own| own.is_finite()) else {
        return false;
    };
    let read: f64 = text.parse().expect("it is a number");
    if (exponent, fraction) == (11, 52) || bits == 0 {
        return read == own;
    }
    let step = |bits: u64| {
        let power = (bits >> fraction).max(1) as i64 - ((1i64 << (exponent - 1)) - 1);
        scaled(1.0, power - i64::from(fraction))
    };
    // Halfway to the numbers below and above; binary64 holds both.
    let (below, above) = (own - step(bits - 1) / 2.0, own + step(bits) / 2.0);
    let is_even = bits & 1 == 0;
    let is_within = |order: Ordering| order == Ordering::Greater || order.is_eq() && is_even;
    is_within(compare(text, read, below)) && is_within(compare(text, read, above).reverse())
}

/// Compares a decimal number, whose nearest binary64 number is `read`, with a limit.
fn compare(text: &str, read: f64, limit: f64) -> Ordering {
    let order = read.partial_cmp(&limit).expect("both are numbers");
    order.then_with(|| exact(text).cmp(&exact(&format!("{limit:.1100}"))))
}

/// The power of ten of the first digit, and all digits: a key that sorts like the numbers.
fn exact(text: &str) -> (i64, String) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let digits = all.trim_start_matches('0');
    let exponent: i64 = exponent.parse().expect("it is a number");
    let zeros = (all.len() - digits.len()) as i64;
    (exponent + whole.len() as i64 - zeros, digits.trim_end_matches('0').to_string())
}

/// The text of the constant among the entries of a type that has the bits of a literal.
pub(super) fn constant(
    entries: &[Entry],
    raw: u64,
    width: u32,
    literal: &Immediate,
) -> Option<String> {
    let number = literal.number.number;
    let value = match number {
        Number::Unsigned | Number::Signed => integer_of(raw, width, literal),
        Number::Float { .. } => with_scale(signed(raw, width), literal),
    };
    for entry in entries {
        match &entry.meaning {
            Meaning::Integers { first, step } => {
                let position = (value - i128::from(*first)) * i128::from(*step);
                if (0..i128::from(entry.count)).contains(&position) {
                    return Some(value.to_string());
                }
            }
            Meaning::Float(text) => {
                let Number::Float { exponent, fraction } = number else { continue };
                let unsigned = raw & !(1 << (exponent + fraction));
                let magnitude = text.trim_start_matches('-');
                if text.starts_with('-') == (unsigned != raw)
                    && reads_as(magnitude, unsigned, exponent, fraction)
                {
                    return Some(text.clone());
                }
            }
            _ => {}
        }
    }
    None
}
