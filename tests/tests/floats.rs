//! Floating-point numbers as text: printed numbers read back, and reading rounds as Rust does.

use isadl_engine::number::{Digits, FloatError, float, parse_float};
use isadl_test_support::Random;

/// Random patterns of each wide format.
const PATTERNS: usize = 5_000;

/// Random decimal texts.
const TEXTS: usize = 10_000;

/// The text of a number; `None` if the bits are not a number.
fn print_float(bits: u64, exponent: u32, fraction: u32) -> Option<String> {
    let mut digits = Digits::new();
    let text = |digits: Digits| String::from_utf8_lossy(digits.as_bytes()).into_owned();
    float(bits, exponent, fraction, &mut digits).then(|| text(digits))
}

/// Prints a pattern and parses the text: the same pattern, unless it is a NaN.
fn there_and_back(bits: u64, exponent: u32, fraction: u32) {
    let infinity = ((1 << exponent) - 1) << fraction;
    let magnitude = bits & ((1 << (exponent + fraction)) - 1);
    match print_float(bits, exponent, fraction) {
        Some(text) => {
            assert!(magnitude <= infinity, "0x{bits:x} is no number, but `{text}`");
            assert_eq!(parse_float(&text, exponent, fraction), Ok(bits), "`{text}` of 0x{bits:x}");
        }
        None => assert!(magnitude > infinity, "0x{bits:x} is a number"),
    }
}

#[test]
fn all_patterns_of_16_bits_read_back() {
    for bits in 0..1 << 16 {
        there_and_back(bits, 5, 10);
        there_and_back(bits, 8, 7);
    }
}

#[test]
fn all_patterns_of_8_bits_read_back() {
    for bits in 0..1 << 8 {
        there_and_back(bits, 4, 3);
        there_and_back(bits, 5, 2);
    }
}

#[test]
fn wide_patterns_read_back() {
    let mut random = Random::new(4);
    for (exponent, fraction) in [(8, 23), (11, 20), (11, 52)] {
        let width = 1 + exponent + fraction;
        let all = u64::MAX >> (64 - width);
        let infinity = ((1u64 << exponent) - 1) << fraction;
        let ends = [0, 1, 2, (1 << fraction) - 1, 1 << fraction, infinity - 1, infinity];
        for bits in ends {
            there_and_back(bits, exponent, fraction);
            there_and_back(bits | 1 << (width - 1), exponent, fraction);
        }
        for _ in 0..PATTERNS {
            there_and_back(random.next_u64() & all, exponent, fraction);
        }
    }
}

/// Rust's result, in the form of [`parse_float`].
fn oracle(text: &str) -> Result<u64, FloatError> {
    let value: f32 = text.parse().expect("Rust reads the number");
    let bits = u64::from(value.to_bits());
    let is_zero = text.split('e').next().is_some_and(|m| !m.contains(|c| ('1'..='9').contains(&c)));
    match value {
        _ if value.is_infinite() || value == 0.0 && !is_zero => Err(FloatError::NotRepresentable),
        _ => Ok(bits),
    }
}

fn agree(text: &str) {
    assert_eq!(parse_float(text, 8, 23), oracle(text), "`{text}`");
}

#[test]
fn decimals_are_rounded_to_binary32_as_rust_does() {
    let mut random = Random::new(5);
    for _ in 0..TEXTS {
        let sign = ["", "-"][random.below(2) as usize];
        let digits = random.next_u64() >> random.below(64);
        let exponent = random.below(110) as i64 - 65;
        let part = random.next_u64() >> random.below(64);
        agree(&format!("{sign}{digits}.{part}e{exponent}"));
        agree(&format!("{sign}{digits}e{exponent}"));
        agree(&format!("{sign}{digits}.{part}"));
    }
    for text in ["0", "-0", "0.0e99", "1e38", "3.4028235e38", "3.4028236e38", "1e-46", "7e-46"] {
        agree(text);
    }
}

/// The number halfway between two neighbours, exactly, and a little to either side of it.
#[test]
fn halfway_cases_of_binary32_go_to_even() {
    let mut random = Random::new(6);
    for _ in 0..TEXTS / 10 {
        let bits = (random.next_u64() as u32) % f32::MAX.to_bits();
        let (low, high) = (f32::from_bits(bits), f32::from_bits(bits + 1));
        // Binary64 holds it.
        let half = (f64::from(low) + f64::from(high)) / 2.0;
        let text = format!("{half:.160}");
        agree(&text);
        let even = bits + (bits & 1);
        if even != 0 {
            assert_eq!(parse_float(&text, 8, 23), Ok(u64::from(even)), "`{text}`");
        }
        agree(&format!("{text}0000000000000000001"));
        assert_eq!(parse_float(&format!("{text}1"), 8, 23), Ok(u64::from(bits) + 1), "`{text}1`");
        let below = f64::from_bits(half.to_bits() - 1);
        agree(&format!("{below:.160}"));
    }
}

/// Binary64 rounds once, so a number next to a halfway case of a narrow format must not be
/// mistaken for it.
#[test]
fn nothing_is_rounded_twice() {
    for (text, bits) in [
        // 2049 is halfway between 2048 and 2050 in binary16.
        ("2049", 0x6800),
        ("2049.0000000000000000000000000000001", 0x6801),
        ("2048.9999999999999999999999999999999", 0x6800),
        ("2051", 0x6802),
        ("2050.9999999999999999999999999999999", 0x6801),
        ("65519.9999999999999999999999999999999", 0x7bff),
        ("5.9604644775390625e-8", 1),
        ("2.98023223876953126e-8", 1),
    ] {
        assert_eq!(parse_float(text, 5, 10), Ok(bits), "`{text}`");
    }
    for text in ["65520", "-65520", "1e400", "2.98023223876953125e-8", "1e-10", "-1e-400"] {
        assert_eq!(parse_float(text, 5, 10), Err(FloatError::NotRepresentable), "`{text}`");
    }
}

#[test]
fn what_is_no_number_is_refused() {
    for text in [
        "", "-", "nan", "NaN", "infinity", ".5", "+1", "1e", "1e+", "1.2.3", "--1", "0x", "1f",
        "e5",
    ] {
        assert_eq!(parse_float(text, 8, 23), Err(FloatError::NoNumber), "`{text}`");
    }
    let long = "9".repeat(100_000);
    assert!(parse_float(&long, 8, 23).is_err());
    assert_eq!(parse_float(&format!("0.{}", "0".repeat(100_000)), 8, 23), Ok(0));
    assert!(parse_float(&format!("1e-{long}"), 8, 23).is_err());
    assert!(parse_float(&format!("1e{long}"), 8, 23).is_err());
    assert_eq!(parse_float(&format!("0e{long}"), 8, 23), Ok(0));
}
