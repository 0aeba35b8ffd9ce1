//! Floating-point numbers and integers as text, compared with the standard library.

use isadl_engine::number::{Digits, FloatError, decimal, float, hexadecimal, parse_float};

fn text(bits: u64, exponent: u32, fraction: u32) -> Option<String> {
    let mut digits = Digits::new();
    float(bits, exponent, fraction, &mut digits)
        .then(|| String::from_utf8(digits.as_bytes().to_vec()).expect("numbers are ASCII"))
}

#[test]
fn every_number_of_small_formats_is_read_as_it_was_written() {
    for (exponent, fraction) in [(5, 10), (8, 7), (4, 3), (5, 2), (3, 1), (2, 4), (6, 9)] {
        for bits in 0..1u64 << (1 + exponent + fraction) {
            let Some(text) = text(bits, exponent, fraction) else {
                let magnitude = bits & !(1 << (exponent + fraction));
                assert!(magnitude > ((1 << exponent) - 1) << fraction, "0x{bits:x} is a number");
                continue;
            };
            let read = parse_float(&text, exponent, fraction);
            assert_eq!(read, Ok(bits), "{text} of <{exponent}, {fraction}>");
        }
    }
}

/// The number of significant digits: zeros at either end do not count.
fn digits(text: &str) -> usize {
    let mantissa = text.split('e').next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

#[test]
fn numbers_of_32_and_64_bits_are_the_shortest() {
    let mut state = 88172645463325252u64;
    for _ in 0..20_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let single = f32::from_bits(state as u32);
        if single.is_finite() && single.fract() != 0.0 {
            let ours = text(u64::from(single.to_bits()), 8, 23).expect("a number");
            assert_eq!(digits(&ours), digits(&format!("{single:e}")), "{single:e}");
            assert_eq!(ours.parse(), Ok(single));
        }
        let double = f64::from_bits(state);
        if double.is_finite() && double.fract() != 0.0 {
            let ours = text(double.to_bits(), 11, 52).expect("a number");
            assert_eq!(digits(&ours), digits(&format!("{double:e}")), "{double:e}");
            assert_eq!(ours.parse(), Ok(double));
        }
    }
}

#[test]
fn decimals_are_rounded_to_the_nearest() {
    let texts = [
        "0.1",
        "2049",
        "2049.0000000000000000000000000001",
        "2048.99999999999999999999999",
        "16777217",
        "16777217.0000000000000001",
        "3.4028236e38",
        "1e-45",
        "2.98023223876953125e-8",
        "0",
        "0e5",
    ];
    for text in texts {
        let single = text.parse::<f32>().expect("a number");
        let expected = match single.is_infinite() {
            true => Err(FloatError::NotRepresentable),
            false => Ok(u64::from(single.to_bits())),
        };
        assert_eq!(parse_float(text, 8, 23), expected, "{text}");
    }
    // Exactly halfway between two numbers, the even one is chosen; above that, the higher one.
    assert_eq!(parse_float("2049", 5, 10), Ok(0x6800));
    assert_eq!(parse_float("2049.0000000000000000000000000001", 5, 10), Ok(0x6801));
    assert_eq!(parse_float("65519.99999", 5, 10), Ok(0x7bff));
    assert_eq!(parse_float("65520", 5, 10), Err(FloatError::NotRepresentable));
    assert_eq!(parse_float("1e-400", 11, 52), Err(FloatError::NotRepresentable));
    assert_eq!(parse_float("x", 11, 52), Err(FloatError::NoNumber));
}

#[test]
fn integers_are_written() {
    let mut digits = Digits::new();
    decimal(0, &mut digits);
    decimal(u64::MAX, &mut digits);
    assert_eq!(digits.as_bytes(), b"018446744073709551615");
    let near_powers = (0..20).map(|power| 10u64.pow(power)).flat_map(|ten| [ten - 1, ten, ten + 1]);
    let spread =
        (0..100_000u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (number % 64));
    for value in near_powers.chain(spread) {
        let mut digits = Digits::new();
        decimal(value, &mut digits);
        assert_eq!(digits.as_bytes(), value.to_string().as_bytes());
    }
    let mut digits = Digits::new();
    hexadecimal(0, b'A', &mut digits);
    hexadecimal(0xabcdef, b'A', &mut digits);
    hexadecimal(0xabcdef, b'a', &mut digits);
    assert_eq!(digits.as_bytes(), b"0x00xABCDEF0xabcdef");
}
