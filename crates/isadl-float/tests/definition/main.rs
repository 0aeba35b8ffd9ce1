//! Every operation against exact fractions, and against the processor.

mod exact;

use exact::Mode;
use isadl_float::{Environment, Extremum, Flags, Format, NotANumber, Rounding};
use num_bigint::BigInt;

const MODES: [(Rounding, Mode); 6] = [
    (Rounding::NearestEven, Mode::NearestEven),
    (Rounding::NearestAway, Mode::NearestAway),
    (Rounding::ToZero, Mode::ToZero),
    (Rounding::Up, Mode::Up),
    (Rounding::Down, Mode::Down),
    (Rounding::ToOdd, Mode::ToOdd),
];

/// A generator of numbers that are the same in every run (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// An encoding: any, one with few bits in its fraction, or one whose exponent is near 1, the least or the largest.
    fn encoding(&mut self, format: Format) -> u64 {
        let any = self.next() & (format.sign() | (format.sign() - 1));
        let fraction = format.fraction();
        let (low, sign) = ((1u64 << fraction) - 1, any & format.sign());
        let largest = (1u64 << format.exponent()) - 1;
        let exponent = match self.next() % 4 {
            0 => (largest / 2).wrapping_add(self.next() % 8).wrapping_sub(4) & largest,
            1 => self.next() % 3,
            2 => largest - self.next() % 3,
            _ => any >> fraction & largest,
        };
        let own = match self.next() % 4 {
            0 => 0,
            1 => low,
            2 => 1 << (self.next() % u64::from(fraction)),
            _ => any & low,
        };
        sign | exponent << fraction | own
    }
}

/// A format, and the same for the oracle.
fn both(exponent: u32, fraction: u32) -> (Format, exact::Format) {
    (Format::new(exponent, fraction).expect("a format"), exact::Format { exponent, fraction })
}

/// The modes, with both rules for tininess.
fn settings() -> impl Iterator<Item = (Environment, Mode, bool)> {
    MODES.into_iter().flat_map(|(rounding, mode)| {
        [false, true].map(|is_tiny_before| {
            (
                Environment { rounding, is_tiny_before, ..Environment::default() },
                mode,
                is_tiny_before,
            )
        })
    })
}

/// Compares a result and its flags with those of the oracle.
fn same(
    environment: Environment,
    expected: exact::Result,
    operation: impl Fn(&mut Environment) -> u64,
    what: impl Fn() -> String,
) {
    let mut environment = environment;
    let found = operation(&mut environment);
    assert_eq!((found, environment.flags.bits()), expected, "{} {environment:?}", what());
}

/// All operations on two and three operands, in all modes.
fn arithmetic((format, exact): (Format, exact::Format), a: u64, b: u64, c: u64) {
    let [x, y, z] = [a, b, c].map(|bits| exact.meaning(bits));
    for (environment, mode, before) in settings() {
        let what = |name: &str| format!("{name} {format:?} {a:x} {b:x} {c:x}");
        let sum = exact.sum(&x, &y, mode, before);
        same(environment, sum, |e| format.add(e, a, b), || what("add"));
        let difference = exact.sum(&x, &y.opposite(), mode, before);
        same(environment, difference, |e| format.subtract(e, a, b), || what("subtract"));
        let product = exact.product(&x, &y, mode, before);
        same(environment, product, |e| format.multiply(e, a, b), || what("multiply"));
        let quotient = exact.quotient(&x, &y, mode, before);
        same(environment, quotient, |e| format.divide(e, a, b), || what("divide"));
        let fused = exact.fused([&x, &y, &z], mode, before);
        same(environment, fused, |e| format.multiply_add(e, a, b, c), || what("fused"));
    }
}

/// All operations on one operand, in all modes.
fn unary((format, exact): (Format, exact::Format), a: u64) {
    for (environment, mode, before) in settings() {
        let what = |name: &str| format!("{name} {format:?} {a:x}");
        same(
            environment,
            exact.root(&exact.meaning(a), mode, before),
            |e| format.square_root(e, a),
            || what("root"),
        );
        let integral = exact.to_integral(a, mode);
        same(environment, integral, |e| format.to_integral(e, a, true), || what("integral"));
        for (exponent, fraction) in [(5, 10), (8, 7), (8, 23), (11, 52), (4, 3)] {
            let (to, exact_to) = both(exponent, fraction);
            let converted = exact_to.encoding(&exact.meaning(a), mode, before);
            same(environment, converted, |e| format.convert(to, e, a), || what("convert"));
        }
        for (width, is_signed) in [(8, true), (32, true), (32, false), (64, true), (64, false)] {
            let power = |bits: u32| BigInt::from(1) << bits;
            let range: (BigInt, BigInt) = match is_signed {
                true => (-power(width - 1), power(width - 1) - 1),
                false => (BigInt::ZERO, power(width) - 1),
            };
            let nan = range.1.clone();
            let (integer, flags) = exact.to_integer(a, range, mode, nan);
            let integer = match is_signed {
                true => i64::try_from(integer).expect("in range") as u64,
                false => u64::try_from(integer).expect("in range"),
            };
            let found = |e: &mut Environment| format.to_integer(e, a, width, is_signed);
            same(environment, (integer, flags), found, || what("to_integer"));
        }
    }
}

#[test]
fn all_operands_of_small_formats() {
    for (exponent, fraction) in [(2, 1), (2, 3), (3, 2)] {
        let formats = both(exponent, fraction);
        let count = 1u64 << formats.0.width();
        for a in 0..count {
            unary(formats, a);
            for b in 0..count {
                arithmetic(formats, a, b, (a * 7 + b * 3) % count);
            }
        }
    }
    let formats = both(2, 1);
    let triples = (0..16 * 16 * 16).map(|n| (n / 256, n / 16 % 16, n % 16));
    triples.for_each(|(a, b, c)| arithmetic(formats, a, b, c));
}

#[test]
fn random_operands_of_the_formats_in_use() {
    let mut random = Random(1);
    for (exponent, fraction) in [(5, 10), (8, 7), (8, 10), (8, 23), (11, 52), (11, 51), (6, 28)] {
        let formats = both(exponent, fraction);
        for _ in 0..150 {
            let [a, b, c] = std::array::from_fn(|_| random.encoding(formats.0));
            arithmetic(formats, a, b, c);
            // Nearly the product, so that most of its bits vanish.
            let [x, y] = [a, b].map(|bits| formats.1.meaning(bits));
            let product = formats.1.product(&x, &y, Mode::NearestEven, false).0;
            arithmetic(formats, a, b, product ^ formats.0.sign());
            unary(formats, c);
        }
    }
}

#[test]
fn integers() {
    let mut random = Random(2);
    for (exponent, fraction) in [(5, 10), (8, 7), (8, 23), (11, 52)] {
        let (format, exact) = both(exponent, fraction);
        for _ in 0..300 {
            let integer = random.next() >> (random.next() % 64);
            for ((rounding, mode), is_signed) in MODES.into_iter().zip([true, false].repeat(3)) {
                let environment = Environment { rounding, ..Environment::default() };
                let exactly = match is_signed {
                    true => BigInt::from(integer as i64),
                    false => BigInt::from(integer),
                };
                let expected = exact.of_integer(&exactly, mode);
                let found = |e: &mut Environment| format.from_integer(e, integer, 64, is_signed);
                same(environment, expected, found, || format!("{format:?} {integer}"));
            }
        }
    }
}

#[test]
fn scaled_numbers() {
    let mut random = Random(5);
    let (format, exact) = both(8, 23);
    for _ in 0..2_000 {
        let bits = random.encoding(format);
        let by = (random.next() % 600) as i32 - 300;
        let exact::Meaning::Number(value) = exact.meaning(bits) else { continue };
        let (environment, mode, before) = settings().nth(random.next() as usize % 12).expect("one");
        let scaled = |e: &mut Environment| {
            let number = format.unpack(e, bits).scaled(by);
            format.pack(e, number)
        };
        let expected = exact.rounded(&value.scaled(by), mode, before);
        same(environment, expected, scaled, || format!("{bits:x} {by}"));
    }
}

#[test]
fn comparisons_and_extrema() {
    let mut random = Random(3);
    let (format, exact) = both(5, 10);
    let nan = |bits: u64| match exact.meaning(bits) {
        exact::Meaning::NotANumber { is_signaling } => Some(is_signaling),
        _ => None,
    };
    for _ in 0..20_000 {
        let (a, b) = (random.encoding(format), random.encoding(format));
        let order = exact.order(a, b);
        let has_signaling = nan(a) == Some(true) || nan(b) == Some(true);
        for is_signaling in [false, true] {
            let mut environment = Environment::default();
            assert_eq!(format.compare(&mut environment, a, b, is_signaling), order);
            let is_invalid = has_signaling || is_signaling && order.is_none();
            assert_eq!(environment.flags.has(Flags::INVALID), is_invalid, "{a:x} {b:x}");
        }
        // -0 is less than 0; else the order decides.
        let (less, greater) = match order {
            Some(std::cmp::Ordering::Less) => (a, b),
            Some(std::cmp::Ordering::Greater) => (b, a),
            _ if a & format.sign() != 0 => (a, b),
            _ => (b, a),
        };
        let of_nan = |number: u64| match (nan(a).is_some(), nan(b).is_some()) {
            (true, true) => (exact.not_a_number(), exact.not_a_number(), exact.not_a_number()),
            (true, false) => (exact.not_a_number(), b, b),
            (false, true) => (exact.not_a_number(), a, a),
            (false, false) => (number, number, number),
        };
        for (is_minimum, number) in [(true, less), (false, greater)] {
            let (propagated, chosen, unless) = of_nan(number);
            let unless = if has_signaling { exact.not_a_number() } else { unless };
            for (extremum, expected) in [
                (Extremum::Nan, propagated),
                (Extremum::Number, chosen),
                (Extremum::NumberUnlessSignaling, unless),
            ] {
                let mut environment = Environment::default();
                let found = match is_minimum {
                    true => format.minimum(&mut environment, a, b, extremum),
                    false => format.maximum(&mut environment, a, b, extremum),
                };
                assert_eq!(found, expected, "{a:x} {b:x} {extremum:?} {is_minimum}");
                assert_eq!(environment.flags.has(Flags::INVALID), has_signaling);
            }
        }
    }
}

#[test]
fn the_processor_agrees() {
    let mut random = Random(4);
    let nan = |bits: u64, format: Format| {
        let is_nan = bits & !format.sign() > format.infinity();
        if is_nan { format.infinity() | 1 << (format.fraction() - 1) } else { bits }
    };
    for _ in 0..50_000 {
        let format = Format::BINARY64;
        let bits: [u64; 3] = std::array::from_fn(|_| random.encoding(format));
        let [a, b, c] = bits.map(f64::from_bits);
        let e = &mut Environment::default();
        let own = [
            format.add(e, bits[0], bits[1]),
            format.subtract(e, bits[0], bits[1]),
            format.multiply(e, bits[0], bits[1]),
            format.divide(e, bits[0], bits[1]),
            format.square_root(e, bits[0]),
            format.multiply_add(e, bits[0], bits[1], bits[2]),
        ];
        let native = [a + b, a - b, a * b, a / b, a.sqrt(), a.mul_add(b, c)];
        assert_eq!(own, native.map(|x| nan(x.to_bits(), format)), "{a} {b} {c}");
        assert_eq!(format.to_integer(e, bits[0], 64, true) as i64, round(a), "{a}");
        let single = format.convert(Format::BINARY32, e, bits[0]);
        assert_eq!(single, nan((a as f32).to_bits().into(), Format::BINARY32));
    }
    for _ in 0..50_000 {
        let format = Format::BINARY32;
        let bits: [u64; 3] = std::array::from_fn(|_| random.encoding(format));
        let [a, b, c] = bits.map(|bits| f32::from_bits(bits as u32));
        let e = &mut Environment::default();
        let own = [
            format.add(e, bits[0], bits[1]),
            format.multiply(e, bits[0], bits[1]),
            format.divide(e, bits[0], bits[1]),
            format.square_root(e, bits[0]),
            format.multiply_add(e, bits[0], bits[1], bits[2]),
        ];
        let native = [a + b, a * b, a / b, a.sqrt(), a.mul_add(b, c)];
        assert_eq!(own, native.map(|x| nan(x.to_bits().into(), format)), "{a} {b} {c}");
    }
}

/// To the nearest integer, ties to even; out of range, the nearest, and for a NaN the largest.
fn round(x: f64) -> i64 {
    if x.is_nan() { i64::MAX } else { x.round_ties_even() as i64 }
}

#[test]
fn machines_differ() {
    let format = Format::BINARY32;
    let mut environment = Environment {
        flushes_operands: true,
        nan_integer: NotANumber::Zero,
        is_canonical_full: true,
        is_canonical_negative: true,
        ..Environment::default()
    };
    assert_eq!(format.add(&mut environment, 1, 1), 0, "subnormal operands are zero");
    assert_eq!(environment.flags, Flags::SUBNORMAL);
    let nan = format.subtract(&mut environment, format.infinity(), format.infinity());
    assert_eq!(nan, 0xffff_ffff, "the canonical number");
    assert_eq!(format.to_integer(&mut environment, nan, 32, true), 0);
    let least = Environment { nan_integer: NotANumber::Least, ..environment };
    assert_eq!(format.to_integer(&mut { least }, nan, 32, true) as i32, i32::MIN);
    let least = Environment { nan_integer: NotANumber::Least, ..environment };
    assert_eq!(format.to_integer(&mut { least }, nan, 32, false), 0);
}

#[test]
fn nans_are_found_in_order() {
    use isadl_float::{Flush, NanRule};
    let format = Format::BINARY32;
    let (quiet, other, signaling) = (0x7fc0_0001, 0xffc0_0002, 0x7f80_0003);
    let with = |nan| Environment { nan, ..Environment::default() };
    assert_eq!(format.add(&mut with(NanRule::First), quiet, signaling), quiet);
    assert_eq!(format.add(&mut with(NanRule::First), signaling, quiet), 0x7fc0_0003);
    assert_eq!(format.add(&mut with(NanRule::SignalingFirst), quiet, signaling), 0x7fc0_0003);
    assert_eq!(format.subtract(&mut with(NanRule::First), 0, other), other, "its sign stays");
    let e = &mut with(NanRule::SignalingFirst);
    let [a, b, c] = [quiet, 0, other].map(|bits| format.unpack(e, bits));
    assert_eq!(e.fused(a, b, c, format.fraction()), a);
    assert_eq!(e.fused_addend_first(a, b, c, format.fraction()), c);
    // Zero times infinity plus a quiet NaN.
    let ignoring = Environment { ignores_product: true, ..with(NanRule::First) };
    assert_eq!(format.multiply_add(&mut { ignoring }, 0, format.infinity(), quiet), quiet);
    assert_eq!(
        format.multiply_add(&mut with(NanRule::First), 0, format.infinity(), quiet),
        0x7fc0_0000
    );
    // Results that would be subnormal.
    for (flush, flags) in [
        (Flush::Inexact, Flags::UNDERFLOW | Flags::INEXACT),
        (Flush::UnderflowOnly, Flags::UNDERFLOW),
    ] {
        let e = &mut Environment { flush, ..Environment::default() };
        assert_eq!(format.multiply(e, 0x8080_0000, 0x3f00_0000), 0x8000_0000);
        assert_eq!(e.flags, flags);
    }
}
