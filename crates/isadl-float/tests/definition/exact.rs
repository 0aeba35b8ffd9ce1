//! Floating point by its definition: operations on exact fractions, rounded by looking for the nearest number of a format. It shares
//! nothing with the product, and is as slow as it looks.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// A format: bits of the exponent and of the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub exponent: u32,
    pub fraction: u32,
}

/// A rounding mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    NearestEven,
    NearestAway,
    ToZero,
    Up,
    Down,
    ToOdd,
}

/// The result of an operation, with the flags: inexact 1, underflow 2, overflow 4, division by zero 8, invalid 16. A result that is not a
/// number is the canonical one.
pub(crate) type Result = (u64, u8);

/// A fraction `top / bottom`; `bottom` is positive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fraction {
    top: BigInt,
    bottom: BigInt,
}

/// What an encoding means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    NotANumber { is_signaling: bool },
    Infinity { is_negative: bool },
    Zero { is_negative: bool },
    Number(Fraction),
}

use Meaning::{Infinity, NotANumber, Number};

impl Meaning {
    fn is_negative(&self) -> bool {
        match self {
            Infinity { is_negative } | Meaning::Zero { is_negative } => *is_negative,
            Number(x) => x.is_negative(),
            NotANumber { .. } => false,
        }
    }

    /// The number with the other sign.
    pub(crate) fn opposite(&self) -> Meaning {
        match self {
            NotANumber { is_signaling } => NotANumber { is_signaling: *is_signaling },
            Infinity { is_negative } => Infinity { is_negative: !is_negative },
            Meaning::Zero { is_negative } => Meaning::Zero { is_negative: !is_negative },
            Number(x) => Number(Fraction { top: -&x.top, bottom: x.bottom.clone() }),
        }
    }
}

fn power(exponent: i64) -> Fraction {
    let magnitude = BigInt::one() << exponent.unsigned_abs();
    match exponent {
        0.. => Fraction { top: magnitude, bottom: BigInt::one() },
        _ => Fraction { top: BigInt::one(), bottom: magnitude },
    }
}

impl Fraction {
    pub(crate) fn integer(top: BigInt) -> Fraction {
        Fraction { top, bottom: BigInt::one() }
    }

    /// The fraction times a power of two.
    pub(crate) fn scaled(&self, by: i32) -> Fraction {
        self.times(&power(by.into()))
    }

    fn is_negative(&self) -> bool {
        self.top.is_negative()
    }

    fn times(&self, other: &Fraction) -> Fraction {
        Fraction { top: &self.top * &other.top, bottom: &self.bottom * &other.bottom }
    }

    fn plus(&self, other: &Fraction) -> Fraction {
        let top = &self.top * &other.bottom + &other.top * &self.bottom;
        Fraction { top, bottom: &self.bottom * &other.bottom }
    }

    fn over(&self, other: &Fraction) -> Fraction {
        let (top, bottom) = (&self.top * &other.bottom, &self.bottom * &other.top);
        match bottom.is_negative() {
            true => Fraction { top: -top, bottom: -bottom },
            false => Fraction { top, bottom },
        }
    }

    fn magnitude(&self) -> Fraction {
        Fraction { top: self.top.abs(), bottom: self.bottom.clone() }
    }

    fn is_less(&self, other: &Fraction) -> bool {
        &self.top * &other.bottom < &other.top * &self.bottom
    }

    /// The largest power of two that is not above a positive fraction.
    fn exponent(&self) -> i64 {
        let mut near = self.top.bits() as i64 - self.bottom.bits() as i64;
        while self.is_less(&power(near)) {
            near -= 1;
        }
        while !self.is_less(&power(near + 1)) {
            near += 1;
        }
        near
    }

    /// A positive fraction that is as far from every number with up to 150 bits as the root: on the same side, or equal.
    fn near_root(&self) -> Fraction {
        let scaled = (&self.top << 1200u32) / &self.bottom;
        let root = scaled.sqrt();
        let is_exact = &root * &root * &self.bottom == &self.top << 1200u32;
        let top = (root << 1u32) + i32::from(!is_exact);
        Fraction { top, bottom: BigInt::one() << 601u32 }
    }
}

/// A multiple of a step near to a magnitude, and whether it is another number.
fn nearest(magnitude: &Fraction, step: &Fraction, mode: Mode, is_negative: bool) -> (BigInt, bool) {
    let steps = magnitude.over(step);
    let whole = &steps.top / &steps.bottom;
    let rest = &steps.top - &whole * &steps.bottom;
    let is_odd = whole.bit(0);
    let twice = &rest << 1u32;
    let is_inexact = !rest.is_zero();
    let is_next = match mode {
        Mode::NearestEven => twice > steps.bottom || twice == steps.bottom && is_odd,
        Mode::NearestAway => twice >= steps.bottom,
        Mode::ToZero => false,
        Mode::Up => is_inexact && !is_negative,
        Mode::Down => is_inexact && is_negative,
        Mode::ToOdd => is_inexact && !is_odd,
    };
    (whole + i32::from(is_next), is_inexact)
}

impl Format {
    fn least_exponent(self) -> i64 {
        2 - (1 << (self.exponent - 1))
    }

    fn largest_exponent(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    fn sign(self, is_negative: bool) -> u64 {
        u64::from(is_negative) << (self.exponent + self.fraction)
    }

    fn infinity(self, is_negative: bool) -> u64 {
        self.sign(is_negative) | ((1 << self.exponent) - 1) << self.fraction
    }

    pub(crate) fn not_a_number(self) -> u64 {
        self.infinity(false) | 1 << (self.fraction - 1)
    }

    fn invalid(self) -> Result {
        (self.not_a_number(), 16)
    }

    pub(crate) fn meaning(self, bits: u64) -> Meaning {
        let is_negative = bits >> (self.exponent + self.fraction) & 1 == 1;
        let biased = bits >> self.fraction & ((1 << self.exponent) - 1);
        let fraction = bits & ((1 << self.fraction) - 1);
        if biased == (1 << self.exponent) - 1 {
            let is_signaling = fraction >> (self.fraction - 1) == 0;
            return if fraction == 0 {
                Infinity { is_negative }
            } else {
                NotANumber { is_signaling }
            };
        }
        let (exponent, leading) = match biased {
            0 => (self.least_exponent(), 0),
            _ => (biased as i64 - self.largest_exponent(), 1 << self.fraction),
        };
        let magnitude = leading | fraction;
        if magnitude == 0 {
            return Meaning::Zero { is_negative };
        }
        let magnitude = BigInt::from(magnitude);
        let top = if is_negative { -magnitude } else { magnitude };
        Number(Fraction::integer(top).times(&power(exponent - i64::from(self.fraction))))
    }

    /// The encoding of a fraction other than zero.
    pub(crate) fn rounded(self, value: &Fraction, mode: Mode, is_tiny_before: bool) -> Result {
        let is_negative = value.is_negative();
        let magnitude = value.magnitude();
        let least = self.least_exponent();
        let exponent = magnitude.exponent().max(least);
        let step = |exponent: i64| power(exponent - i64::from(self.fraction));
        let (steps, is_inexact) = nearest(&magnitude, &step(exponent), mode, is_negative);
        let is_tiny = magnitude.is_less(&power(least))
            && (is_tiny_before || {
                // As if the exponent had no least value.
                let own = step(magnitude.exponent());
                let (steps, _) = nearest(&magnitude, &own, mode, is_negative);
                Fraction::integer(steps).times(&own).is_less(&power(least))
            });
        let result = Fraction::integer(steps.clone()).times(&step(exponent));
        if !result.is_less(&power(self.largest_exponent() + 1)) {
            let is_infinite = match mode {
                Mode::NearestEven | Mode::NearestAway => true,
                Mode::ToZero | Mode::ToOdd => false,
                Mode::Up => !is_negative,
                Mode::Down => is_negative,
            };
            return (self.infinity(is_negative) - u64::from(!is_infinite), 4 | 1);
        }
        let flags = u8::from(is_inexact) | u8::from(is_inexact && is_tiny) << 1;
        (self.sign(is_negative) | self.encoded(&steps, exponent), flags)
    }

    /// The encoding of a number of steps, of which 2^fraction are 2^exponent.
    fn encoded(self, steps: &BigInt, exponent: i64) -> u64 {
        let steps = u64::try_from(steps).expect("as many as the fraction has");
        match steps >> self.fraction {
            0 => steps,
            // The leading bit is not written; a carry out of it is the next exponent.
            _ => {
                let biased = (exponent + self.largest_exponent()) as u64 - 1;
                (biased << self.fraction) + steps
            }
        }
    }

    fn zero(self, is_negative: bool) -> Result {
        (self.sign(is_negative), 0)
    }

    fn with_nan(self, operands: &[&Meaning]) -> Option<Result> {
        let signals = |operand: &&&Meaning| ***operand == NotANumber { is_signaling: true };
        let is_nan = operands.iter().any(|operand| matches!(operand, NotANumber { .. }));
        let is_signaling = operands.iter().any(|operand| signals(&operand));
        is_nan.then(|| (self.not_a_number(), if is_signaling { 16 } else { 0 }))
    }

    /// `a + b`
    pub(crate) fn sum(self, a: &Meaning, b: &Meaning, mode: Mode, is_tiny_before: bool) -> Result {
        if let Some(found) = self.with_nan(&[a, b]) {
            return found;
        }
        match (a, b) {
            (Infinity { is_negative }, Infinity { is_negative: other }) if is_negative != other => {
                self.invalid()
            }
            (Infinity { is_negative }, _) | (_, Infinity { is_negative }) => {
                (self.infinity(*is_negative), 0)
            }
            (Meaning::Zero { is_negative }, Meaning::Zero { is_negative: other }) => {
                self.zero(if is_negative == other { *is_negative } else { mode == Mode::Down })
            }
            (Meaning::Zero { .. }, Number(x)) | (Number(x), Meaning::Zero { .. }) => {
                self.rounded(x, mode, is_tiny_before)
            }
            (Number(x), Number(y)) => {
                let sum = x.plus(y);
                match sum.top.is_zero() {
                    true => self.zero(mode == Mode::Down),
                    false => self.rounded(&sum, mode, is_tiny_before),
                }
            }
            _ => unreachable!("not a number"),
        }
    }

    /// The product as a meaning, or the result if it is invalid.
    fn exact_product(self, a: &Meaning, b: &Meaning) -> std::result::Result<Meaning, Result> {
        let is_negative = a.is_negative() != b.is_negative();
        match (a, b) {
            (Infinity { .. }, Meaning::Zero { .. }) | (Meaning::Zero { .. }, Infinity { .. }) => {
                Err(self.invalid())
            }
            (Infinity { .. }, _) | (_, Infinity { .. }) => Ok(Infinity { is_negative }),
            (Number(x), Number(y)) => Ok(Number(x.times(y))),
            _ => Ok(Meaning::Zero { is_negative }),
        }
    }

    /// `a * b`
    pub(crate) fn product(
        self,
        a: &Meaning,
        b: &Meaning,
        mode: Mode,
        is_tiny_before: bool,
    ) -> Result {
        if let Some(found) = self.with_nan(&[a, b]) {
            return found;
        }
        self.exact_product(a, b)
            .map_or_else(|invalid| invalid, |product| self.encoding(&product, mode, is_tiny_before))
    }

    /// `a * b + c`; the product of zero and infinity is invalid even if `c` is not a number.
    pub(crate) fn fused(
        self,
        [a, b, c]: [&Meaning; 3],
        mode: Mode,
        is_tiny_before: bool,
    ) -> Result {
        let nan = self.with_nan(&[a, b, c]);
        if self.with_nan(&[a, b]).is_some() {
            return nan.expect("there is one");
        }
        match self.exact_product(a, b) {
            Err(invalid) => invalid,
            Ok(product) => nan.unwrap_or_else(|| self.sum(&product, c, mode, is_tiny_before)),
        }
    }

    /// `a / b`
    pub(crate) fn quotient(
        self,
        a: &Meaning,
        b: &Meaning,
        mode: Mode,
        is_tiny_before: bool,
    ) -> Result {
        if let Some(found) = self.with_nan(&[a, b]) {
            return found;
        }
        let is_negative = a.is_negative() != b.is_negative();
        match (a, b) {
            (Infinity { .. }, Infinity { .. }) | (Meaning::Zero { .. }, Meaning::Zero { .. }) => {
                self.invalid()
            }
            (Infinity { .. }, _) => (self.infinity(is_negative), 0),
            (_, Meaning::Zero { .. }) => (self.infinity(is_negative), 8),
            (Number(x), Number(y)) => self.rounded(&x.over(y), mode, is_tiny_before),
            _ => self.zero(is_negative),
        }
    }

    /// The square root.
    pub(crate) fn root(self, of: &Meaning, mode: Mode, is_tiny_before: bool) -> Result {
        match of {
            Number(x) if !x.is_negative() => self.rounded(&x.near_root(), mode, is_tiny_before),
            Number(_) | Infinity { is_negative: true } => self.invalid(),
            _ => self.encoding(of, mode, is_tiny_before),
        }
    }

    /// A number in this format.
    pub(crate) fn encoding(self, of: &Meaning, mode: Mode, is_tiny_before: bool) -> Result {
        match of {
            NotANumber { .. } => self.with_nan(&[of]).expect("one"),
            Infinity { is_negative } => (self.infinity(*is_negative), 0),
            Meaning::Zero { is_negative } => self.zero(*is_negative),
            Number(x) => self.rounded(x, mode, is_tiny_before),
        }
    }

    /// The nearest integer in a range, or the given one for what is not a number.
    pub(crate) fn to_integer(
        self,
        a: u64,
        range: (BigInt, BigInt),
        mode: Mode,
        nan: BigInt,
    ) -> (BigInt, u8) {
        let (least, largest) = range;
        match self.meaning(a) {
            NotANumber { .. } => (nan, 16),
            Infinity { is_negative } => (if is_negative { least } else { largest }, 16),
            Meaning::Zero { .. } => (BigInt::zero(), 0),
            Number(x) => {
                let one = power(0);
                let (steps, is_inexact) = nearest(&x.magnitude(), &one, mode, x.is_negative());
                let integer = if x.is_negative() { -steps } else { steps };
                match (integer < least, integer > largest) {
                    (true, _) => (least, 16),
                    (_, true) => (largest, 16),
                    _ => (integer, is_inexact.into()),
                }
            }
        }
    }

    pub(crate) fn of_integer(self, integer: &BigInt, mode: Mode) -> Result {
        match integer.is_zero() {
            true => (0, 0),
            false => self.rounded(&Fraction::integer(integer.clone()), mode, false),
        }
    }

    /// Rounded to an integer in the format.
    pub(crate) fn to_integral(self, a: u64, mode: Mode) -> Result {
        let meaning = self.meaning(a);
        let Number(x) = &meaning else {
            return self.with_nan(&[&meaning]).unwrap_or((a, 0));
        };
        let (steps, is_inexact) = nearest(&x.magnitude(), &power(0), mode, x.is_negative());
        if steps.is_zero() {
            return (self.sign(x.is_negative()), is_inexact.into());
        }
        let integer = if x.is_negative() { -steps } else { steps };
        // Small formats end below the next integer.
        let (bits, flags) = self.rounded(&Fraction::integer(integer), mode, false);
        (bits, flags | u8::from(is_inexact))
    }

    /// Whether the first is less, equal, greater; none if one is not a number.
    pub(crate) fn order(self, a: u64, b: u64) -> Option<std::cmp::Ordering> {
        let key = |meaning: Meaning| match meaning {
            NotANumber { .. } => None,
            Infinity { is_negative } => {
                let far = power(4000);
                Some(if is_negative { Fraction { top: -far.top, ..far } } else { far })
            }
            Meaning::Zero { .. } => Some(Fraction::integer(BigInt::zero())),
            Number(x) => Some(x),
        };
        let (a, b) = (key(self.meaning(a))?, key(self.meaning(b))?);
        Some((&a.top * &b.bottom).cmp(&(&b.top * &a.bottom)))
    }
}
