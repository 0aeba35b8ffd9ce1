//! Conversions: between formats, from and to integers.

use super::environment::{Environment, Flags, NotANumber};
use super::format::Format;
use super::number::{Class, Number};

impl Environment {
    /// A number as the result of a conversion: a NaN is quiet, or the canonical one.
    pub fn converted(&mut self, number: Number) -> Number {
        match number.class {
            Class::Nan => self.propagate(&[number]),
            _ => number,
        }
    }

    /// A number as an integer of `width` bits, 1 to 64. What is out of range becomes the nearest integer, and raises invalid. The result is in the
    /// lowest bits; those above are copies of the sign if the integer has one.
    ///
    /// # Panics
    ///
    /// If `width` is 0 or more than 64.
    #[inline]
    pub fn integer(&mut self, number: Number, width: u32, is_signed: bool) -> u64 {
        let largest = u128::from(u64::MAX >> (64 - width) >> u32::from(is_signed));
        let least = if is_signed { largest + 1 } else { 0 };
        let (magnitude, is_inexact) = match number.class {
            Class::Nan => {
                self.raise(Flags::INVALID);
                return match self.nan_integer {
                    NotANumber::Largest => largest as u64,
                    NotANumber::Zero => 0,
                    NotANumber::Least => (least as u64).wrapping_neg(),
                };
            }
            Class::Zero => return 0,
            Class::Finite if number.exponent < 64 => number.to_integer(self.rounding),
            _ => (u128::MAX, false),
        };
        let limit = if number.is_negative { least } else { largest };
        if magnitude > limit {
            self.raise(Flags::INVALID);
        } else if is_inexact {
            self.raise(Flags::INEXACT);
        }
        let magnitude = magnitude.min(limit) as u64;
        if number.is_negative { magnitude.wrapping_neg() } else { magnitude }
    }
}

impl Format {
    /// To another format.
    #[inline]
    pub fn convert(self, to: Format, environment: &mut Environment, bits: u64) -> u64 {
        let number = self.unpack(environment, bits);
        let number = environment.converted(number);
        to.pack(environment, number)
    }

    /// From an integer of `width` bits, 1 to 64, in the lowest bits.
    ///
    /// # Panics
    ///
    /// If `width` is 0 or more than 64.
    #[inline]
    pub fn from_integer(
        self,
        environment: &mut Environment,
        integer: u64,
        width: u32,
        is_signed: bool,
    ) -> u64 {
        self.pack(environment, Number::of_bits(integer, width, is_signed))
    }

    /// To an integer of `width` bits, 1 to 64: see [`Environment::integer`].
    ///
    /// # Panics
    ///
    /// If `width` is 0 or more than 64.
    #[inline]
    pub fn to_integer(
        self,
        environment: &mut Environment,
        bits: u64,
        width: u32,
        is_signed: bool,
    ) -> u64 {
        let number = self.unpack(environment, bits);
        environment.integer(number, width, is_signed)
    }

    /// To an integer in the same format. Inexact is raised if `is_exact` asks for it, and overflow if the format ends below the integer.
    #[inline]
    pub fn to_integral(self, environment: &mut Environment, bits: u64, is_exact: bool) -> u64 {
        let number = self.unpack(environment, bits);
        let rounded = match number.class {
            Class::Nan => environment.propagate(&[number]),
            Class::Finite if number.exponent < self.fraction() as i32 => {
                let (magnitude, is_inexact) = number.to_integer(environment.rounding);
                if is_exact && is_inexact {
                    environment.raise(Flags::INEXACT);
                }
                let rounded = Number::from_integer(number.is_negative, magnitude as u64);
                Number { is_negative: number.is_negative, ..rounded }
            }
            _ => number,
        };
        self.pack(environment, rounded)
    }
}

impl Number {
    /// The integer in the lowest `width` bits, 1 to 64.
    ///
    /// # Panics
    ///
    /// If `width` is 0 or more than 64.
    pub fn of_bits(integer: u64, width: u32, is_signed: bool) -> Number {
        let top = integer << (64 - width);
        let integer = match is_signed {
            true => (top as i64 >> (64 - width)) as u64,
            false => top >> (64 - width),
        };
        let is_negative = is_signed && (integer as i64) < 0;
        let magnitude = if is_negative { integer.wrapping_neg() } else { integer };
        Number::from_integer(is_negative, magnitude)
    }
}
