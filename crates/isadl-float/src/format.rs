//! Formats: encodings to numbers, and numbers to encodings, rounded.

use super::environment::{Environment, Flags, Flush, Rounding};
use super::number::{Class, Number, TOP, shift_right};

/// A binary format (section 3.4): from the top a sign bit, an exponent with a bias, a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(u32, u32)", into = "(u32, u32)"))]
pub struct Format {
    exponent: u32,
    fraction: u32,
}

impl Format {
    /// Half precision.
    pub const BINARY16: Format = Format { exponent: 5, fraction: 10 };
    /// Single precision.
    pub const BINARY32: Format = Format { exponent: 8, fraction: 23 };
    /// Double precision.
    pub const BINARY64: Format = Format { exponent: 11, fraction: 52 };

    /// The format with this many bits in the exponent, 2 to 11, and in the fraction, 1 to 52.
    pub const fn new(exponent: u32, fraction: u32) -> Option<Format> {
        match (exponent, fraction) {
            (2..=11, 1..=52) => Some(Format { exponent, fraction }),
            _ => None,
        }
    }

    /// The interchange format (section 3.6) of 16, 32 or 64 bits.
    pub const fn interchange(width: u32) -> Option<Format> {
        match width {
            16 => Some(Format::BINARY16),
            32 => Some(Format::BINARY32),
            64 => Some(Format::BINARY64),
            _ => None,
        }
    }

    /// The number of bits of the exponent.
    pub const fn exponent(self) -> u32 {
        self.exponent
    }

    /// The number of bits of the fraction.
    pub const fn fraction(self) -> u32 {
        self.fraction
    }

    /// The number of bits of an encoding.
    pub const fn width(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// The encoding of positive infinity.
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The encoding of the sign bit alone: negative zero.
    pub const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The number of an encoding, whose higher bits are ignored. A subnormal one is taken for zero if the environment says so.
    #[inline(always)]
    pub fn unpack(self, environment: &mut Environment, bits: u64) -> Number {
        let is_negative = bits & self.sign() != 0;
        let biased = (bits >> self.fraction) as i32 & ((1 << self.exponent) - 1);
        let fraction = bits & ((1 << self.fraction) - 1);
        let significand = fraction << (TOP - self.fraction);
        if biased == (1 << self.exponent) - 1 {
            let class = if fraction == 0 { Class::Infinite } else { Class::Nan };
            return Number { class, is_negative, exponent: 0, significand };
        }
        let class = Class::Finite;
        if biased != 0 {
            let (exponent, significand) = (biased - self.bias(), significand | 1 << TOP);
            return Number { class, is_negative, exponent, significand };
        }
        if fraction == 0 {
            return Number::special(Class::Zero, is_negative);
        }
        if environment.flushes_operands {
            environment.raise(Flags::SUBNORMAL);
            return Number::special(Class::Zero, is_negative);
        }
        let up = significand.leading_zeros() - 1;
        let exponent = 1 - self.bias() - up as i32;
        Number { class, is_negative, exponent, significand: significand << up }
    }

    /// The encoding of a number, rounded once. Overflow, underflow and inexact are raised here alone.
    #[inline(always)]
    pub fn pack(self, environment: &mut Environment, number: Number) -> u64 {
        let sign = if number.is_negative { self.sign() } else { 0 };
        let dropped = TOP - self.fraction;
        match number.class {
            Class::Zero => return sign,
            Class::Infinite => return sign | self.infinity(),
            Class::Nan => {
                let fraction = (number.significand & ((1 << TOP) - 1)) >> dropped;
                return sign | self.infinity() | fraction;
            }
            Class::Finite => {}
        }
        let (mask, half) = ((1u64 << dropped) - 1, 1u64 << (dropped - 1));
        let rounding = environment.rounding;
        // What is added before the low bits are dropped. To nearest even: half, less one where the last bit that stays is 0.
        let increment = |significand: u64| match rounding {
            Rounding::NearestEven => half - 1 + (significand >> dropped & 1),
            Rounding::NearestAway => half,
            Rounding::Up if !number.is_negative => mask,
            Rounding::Down if number.is_negative => mask,
            _ => 0,
        };
        // How many powers of two the number lies below the normal ones.
        let below = 1 - self.bias() - number.exponent;
        let (mut significand, mut is_tiny) = (number.significand, false);
        if below > 0 {
            is_tiny = below > 1
                || environment.is_tiny_before
                || significand + increment(significand) < 1 << (TOP + 1);
            if is_tiny && environment.flush != Flush::Kept {
                let is_inexact = environment.flush == Flush::Inexact;
                let inexact = if is_inexact { Flags::INEXACT } else { Flags::NONE };
                environment.raise(Flags::UNDERFLOW | inexact);
                return sign;
            }
            significand = shift_right(significand, below.unsigned_abs());
        }
        // The leading bit and a carry are added to the exponent.
        let exponent = (-below).clamp(0, 1 << self.exponent) as u64;
        let bits =
            (exponent << self.fraction) + ((significand + increment(significand)) >> dropped);
        let is_inexact = significand & mask != 0;
        if bits >= self.infinity() {
            environment.raise(Flags::OVERFLOW | Flags::INEXACT);
            let is_infinite = match rounding {
                Rounding::NearestEven | Rounding::NearestAway => true,
                Rounding::Up => !number.is_negative,
                Rounding::Down => number.is_negative,
                Rounding::ToZero | Rounding::ToOdd => false,
            };
            return sign | (self.infinity() - u64::from(!is_infinite));
        }
        if is_inexact {
            let underflow = if is_tiny { Flags::UNDERFLOW } else { Flags::NONE };
            environment.raise(Flags::INEXACT | underflow);
        }
        sign | bits | u64::from(is_inexact && rounding == Rounding::ToOdd)
    }

    /// `a + b`
    #[inline]
    pub fn add(self, environment: &mut Environment, a: u64, b: u64) -> u64 {
        let (a, b) = (self.unpack(environment, a), self.unpack(environment, b));
        let sum = environment.sum(a, b);
        self.pack(environment, sum)
    }

    /// `a - b`
    #[inline]
    pub fn subtract(self, environment: &mut Environment, a: u64, b: u64) -> u64 {
        let (a, b) = (self.unpack(environment, a), self.unpack(environment, b));
        let difference = environment.difference(a, b);
        self.pack(environment, difference)
    }

    /// `a * b`
    #[inline]
    pub fn multiply(self, environment: &mut Environment, a: u64, b: u64) -> u64 {
        let (a, b) = (self.unpack(environment, a), self.unpack(environment, b));
        let product = environment.product(a, b);
        self.pack(environment, product)
    }

    /// `a / b`
    #[inline]
    pub fn divide(self, environment: &mut Environment, a: u64, b: u64) -> u64 {
        let (a, b) = (self.unpack(environment, a), self.unpack(environment, b));
        let quotient = environment.quotient(a, b, self.fraction);
        self.pack(environment, quotient)
    }

    /// The square root.
    #[inline]
    pub fn square_root(self, environment: &mut Environment, of: u64) -> u64 {
        let of = self.unpack(environment, of);
        let root = environment.root(of, self.fraction);
        self.pack(environment, root)
    }

    /// `a * b + c`, rounded once.
    #[inline]
    pub fn multiply_add(self, environment: &mut Environment, a: u64, b: u64, c: u64) -> u64 {
        let [a, b, c] = [a, b, c].map(|bits| self.unpack(environment, bits));
        let sum = environment.fused(a, b, c, self.fraction);
        self.pack(environment, sum)
    }
}
