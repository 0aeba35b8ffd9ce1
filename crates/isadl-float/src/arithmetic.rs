//! Sums, products, quotients and roots of numbers, exact but for a sticky bit.

use super::environment::{Environment, Flags, NanRule, Rounding};
use super::number::{Class, Number, QUIET, TOP, shift_right, shift_right_wide};

/// The sum of two finite numbers (sign, exponent, significand), in words of a type, whose leading bits are next to the top. The result
/// is to be normalized. It branches on the data at exact zero alone.
macro_rules! sum {
    ($word:ty, $shift_right:ident, $a:expr, $b:expr, $environment:expr) => {{
        let (a, b): ((bool, i32, $word), (bool, i32, $word)) = ($a, $b);
        let is_swapped = (a.1, a.2) < (b.1, b.2);
        let pick = |x: $word, y: $word| y ^ ((x ^ y) & (is_swapped as $word).wrapping_neg());
        let (large, small) = (pick(b.2, a.2), pick(a.2, b.2));
        let (is_negative, exponent) = if is_swapped { (b.0, b.1) } else { (a.0, a.1) };
        let small = $shift_right(small, (a.1 - b.1).unsigned_abs());
        let minus = ((a.0 != b.0) as $word).wrapping_neg();
        let sum = large.wrapping_add((small ^ minus).wrapping_sub(minus));
        if sum == 0 {
            return Number::special(Class::Zero, $environment.rounding == Rounding::Down);
        }
        (is_negative, exponent + 1, sum)
    }};
}

impl Environment {
    pub(crate) fn invalid(&mut self) -> Number {
        self.raise(Flags::INVALID);
        self.canonical()
    }

    /// The canonical NaN.
    pub fn canonical(&self) -> Number {
        let significand = if self.is_canonical_full { (1 << TOP) - 1 } else { QUIET };
        let is_negative = self.is_canonical_negative;
        Number { class: Class::Nan, is_negative, exponent: 0, significand }
    }

    /// The result of an operation of which some operand is a NaN.
    #[cold]
    #[inline(never)]
    pub(crate) fn propagate(&mut self, operands: &[Number]) -> Number {
        let signaling = operands.iter().find(|operand| operand.is_signaling());
        if signaling.is_some() {
            self.raise(Flags::INVALID);
        }
        let first = operands.iter().find(|operand| operand.class == Class::Nan);
        let chosen = match self.nan {
            NanRule::Canonical => None,
            NanRule::First => first,
            NanRule::SignalingFirst => signaling.or(first),
        };
        let quiet = |nan: &Number| Number { significand: nan.significand | QUIET, ..*nan };
        chosen.map_or(self.canonical(), quiet)
    }

    /// `a + b`
    #[inline]
    pub fn sum(&mut self, a: Number, b: Number) -> Number {
        if let (Class::Finite, Class::Finite) = (a.class, b.class) {
            let parts = |x: Number| (x.is_negative, x.exponent, x.significand);
            let (is_negative, exponent, sum) = sum!(u64, shift_right, parts(a), parts(b), self);
            return Number::normalized(is_negative, exponent, sum, 0);
        }
        self.special_sum(a, b)
    }

    /// `a - b`; a NaN keeps its sign.
    #[inline]
    pub fn difference(&mut self, a: Number, b: Number) -> Number {
        match b.class {
            Class::Nan => self.special_sum(a, b),
            _ => self.sum(a, Number { is_negative: !b.is_negative, ..b }),
        }
    }

    #[inline(never)]
    fn special_sum(&mut self, a: Number, b: Number) -> Number {
        let differ = a.is_negative != b.is_negative;
        match (a.class, b.class) {
            (Class::Nan, _) | (_, Class::Nan) => self.propagate(&[a, b]),
            (Class::Infinite, Class::Infinite) if differ => self.invalid(),
            (Class::Zero, Class::Zero) if differ => {
                Number::special(Class::Zero, self.rounding == Rounding::Down)
            }
            (Class::Infinite, _) | (_, Class::Zero) => a,
            _ => b,
        }
    }

    /// `a * b`
    #[inline]
    pub fn product(&mut self, a: Number, b: Number) -> Number {
        let is_negative = a.is_negative ^ b.is_negative;
        match (a.class, b.class) {
            (Class::Finite, Class::Finite) => {
                let product = u128::from(a.significand) * u128::from(b.significand << 1);
                let high = (product >> 64) as u64 | u64::from(product as u64 != 0);
                let carry = (high >> TOP) as u32;
                let exponent = a.exponent + b.exponent + carry as i32;
                let significand = high << (1 - carry);
                Number { class: Class::Finite, is_negative, exponent, significand }
            }
            (Class::Nan, _) | (_, Class::Nan) => self.propagate(&[a, b]),
            (Class::Infinite, Class::Zero) | (Class::Zero, Class::Infinite) => self.invalid(),
            (Class::Infinite, _) | (_, Class::Infinite) => {
                Number::special(Class::Infinite, is_negative)
            }
            _ => Number::special(Class::Zero, is_negative),
        }
    }

    /// `a * b + c`, of which no operand has more than `fraction` bits below its leading one.
    #[inline]
    pub fn fused(&mut self, a: Number, b: Number, c: Number, fraction: u32) -> Number {
        if let (Class::Finite, Class::Finite, Class::Finite) = (a.class, b.class, c.class) {
            return self.finite_fused(a, b, c, fraction);
        }
        if a.class == Class::Nan || b.class == Class::Nan {
            return self.propagate(&[a, b, c]);
        }
        let is_invalid = matches!(
            (a.class, b.class),
            (Class::Infinite, Class::Zero) | (Class::Zero, Class::Infinite)
        );
        // Where signaling NaNs count first, one that is added does before a product that is none.
        let is_first = self.nan == NanRule::SignalingFirst && c.is_signaling();
        if c.class == Class::Nan && (self.ignores_product || !is_invalid || is_first) {
            return self.propagate(&[c]);
        }
        // The product is special, or the sum with `c` is: nothing is rounded twice.
        let product = self.product(a, b);
        match is_invalid {
            true => product,
            false => self.sum(product, c),
        }
    }

    /// As [`Environment::fused`]; if several operands are NaNs, `c` counts first.
    pub fn fused_addend_first(&mut self, a: Number, b: Number, c: Number, fraction: u32) -> Number {
        match a.class == Class::Nan || b.class == Class::Nan {
            true => self.propagate(&[c, a, b]),
            false => self.fused(a, b, c, fraction),
        }
    }

    #[inline]
    fn finite_fused(&mut self, a: Number, b: Number, c: Number, fraction: u32) -> Number {
        let product = u128::from(a.significand) * u128::from(b.significand << 1);
        let carry = (product >> 126) as u32;
        let is_negative = a.is_negative ^ b.is_negative;
        let exponent = a.exponent + b.exponent + carry as i32;
        let product = product + (product & u128::from(carry).wrapping_sub(1));
        if fraction <= 27 {
            // The product fits 64 bits, with guard bits below.
            let product = (is_negative, exponent, (product >> 64) as u64);
            let addend = (c.is_negative, c.exponent, c.significand);
            let (is_negative, exponent, sum) = sum!(u64, shift_right, product, addend, self);
            return Number::normalized(is_negative, exponent, sum, 0);
        }
        let product = (is_negative, exponent, product);
        let addend = (c.is_negative, c.exponent, u128::from(c.significand) << 64);
        let (is_negative, exponent, sum) = sum!(u128, shift_right_wide, product, addend, self);
        match ((sum >> 64) as u64, sum as u64) {
            (0, low) => Number::normalized(is_negative, exponent - 64, low, 0),
            (high, low) => Number::normalized(is_negative, exponent, high, low),
        }
    }

    /// `a / b`. Both numbers and the format that the quotient is rounded to have at most `fraction` bits below the leading one.
    #[inline]
    pub fn quotient(&mut self, a: Number, b: Number, fraction: u32) -> Number {
        let is_negative = a.is_negative ^ b.is_negative;
        match (a.class, b.class) {
            (Class::Finite, Class::Finite) => {
                let is_less = a.significand < b.significand;
                let dividend = a.significand << u32::from(is_less);
                let significand = match fraction <= 28 {
                    true => divide_short(dividend, b.significand),
                    false => divide(dividend, b.significand),
                };
                let exponent = a.exponent - b.exponent - i32::from(is_less);
                Number { class: Class::Finite, is_negative, exponent, significand }
            }
            (Class::Nan, _) | (_, Class::Nan) => self.propagate(&[a, b]),
            (Class::Infinite, Class::Infinite) | (Class::Zero, Class::Zero) => self.invalid(),
            (Class::Infinite, _) => Number::special(Class::Infinite, is_negative),
            (_, Class::Infinite) | (Class::Zero, _) => Number::special(Class::Zero, is_negative),
            (Class::Finite, Class::Zero) => {
                self.raise(Flags::DIVISION);
                Number::special(Class::Infinite, is_negative)
            }
        }
    }

    /// The square root. The number and the format that the root is rounded to have at most `fraction` bits below the leading one.
    #[inline]
    pub fn root(&mut self, of: Number, fraction: u32) -> Number {
        match of.class {
            Class::Nan => self.propagate(&[of]),
            Class::Zero => of,
            _ if of.is_negative => self.invalid(),
            Class::Infinite => of,
            Class::Finite => {
                let significand = root(of.significand << (of.exponent & 1), fraction);
                Number { exponent: of.exponent >> 1, significand, ..of }
            }
        }
    }
}

/// `n / d` with 2^62 as 1, for significands whose lowest 32 bits are 0 and d <= n < 2 * d.
#[inline]
fn divide_short(n: u64, d: u64) -> u64 {
    let d = d >> 32;
    let quotient = n / d;
    quotient << 30 | u64::from(!n.is_multiple_of(d))
}

/// `n / d` with 2^62 as 1, for significands whose lowest ten bits are 0 and d <= n < 2 * d: two digits of 32 bits each (Knuth, The Art
/// of Computer Programming, volume 2, 4.3.1, algorithm D).
#[inline]
fn divide(n: u64, d: u64) -> u64 {
    // The leading bit of the divisor is bit 63; the dividend is n * 2^63 = (n / 2) * 2^64, as n is even.
    let d = d << 1;
    let (high, low) = (d >> 32, d & 0xffff_ffff);
    let digit = |rest: u64| {
        let (mut quotient, mut left) = (rest / high, rest % high);
        while quotient >> 32 != 0 || quotient * low > left << 32 {
            quotient -= 1;
            left += high;
            if left >> 32 != 0 {
                break;
            }
        }
        (quotient, (rest << 32).wrapping_sub(quotient.wrapping_mul(d)))
    };
    let (first, rest) = digit(n >> 1);
    let (second, rest) = digit(rest);
    (first << 32 | second) | u64::from(rest != 0)
}

/// 2^15 / sqrt(x) for the middle of each 1/256 of [1/4, 1).
static INVERSE_ROOTS: [u16; 192] = {
    let mut table = [0; 192];
    let mut index = 0;
    while index < 192 {
        table[index] = ((1u64 << 39) / (129 + 2 * index as u64)).isqrt() as u16;
        index += 1;
    }
    table
};

/// The square root of x / 2^64, which is in [1/4, 1), with 2^63 as 1.
#[inline]
fn root(x: u64, fraction: u32) -> u64 {
    let high = |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64;
    // The inverse root, with 2^62 as 1: 8 bits from the table, their number doubled by each of Newton's steps.
    let mut inverse = u64::from(INVERSE_ROOTS[(x >> 56) as usize - 64]) << 47;
    for _ in 0..if fraction <= 23 { 2 } else { 3 } {
        inverse = high(inverse, (3 << 60) - high(x, high(inverse, inverse))) << 3;
    }
    // The root is a few units off in 62 bits; it is made exact in 30 or 56.
    let near = high(x, inverse);
    if fraction <= 23 {
        let square = x >> 4;
        let exact = exact_root((near >> 32).into(), square.into());
        (exact as u64) << 33 | u64::from(exact * exact != square.into())
    } else {
        let square = u128::from(x) << 48;
        let exact = exact_root((near >> 6).into(), square);
        (exact as u64) << 7 | u64::from(exact * exact != square)
    }
}

/// The largest integer whose square is not above a number, from one near to it.
#[inline]
fn exact_root(near: u128, square: u128) -> u128 {
    let mut root = near;
    while root * root > square {
        root -= 1;
    }
    while (root + 1) * (root + 1) <= square {
        root += 1;
    }
    root
}
