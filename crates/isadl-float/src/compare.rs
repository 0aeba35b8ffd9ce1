//! Comparisons, and the lesser and the greater of two numbers.

use core::cmp::Ordering;

use super::environment::{Environment, Flags};
use super::format::Format;
use super::number::{Class, Number};

/// What the lesser or the greater of two numbers is if one is a NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Extremum {
    /// A NaN: `minimum` and `maximum` of section 9.6.
    Nan,
    /// The number: `minimumNumber` and `maximumNumber` of section 9.6.
    Number,
    /// The number, unless the NaN is signaling: `minNum` and `maxNum` of IEEE 754-2008, section 5.3.1.
    NumberUnlessSignaling,
}

impl Environment {
    /// The order of two numbers; none with a NaN. A signaling comparison is invalid with any NaN, another with signaling ones alone.
    pub fn order(&mut self, a: Number, b: Number, is_signaling: bool) -> Option<Ordering> {
        if a.class == Class::Nan || b.class == Class::Nan {
            if is_signaling || a.is_signaling() || b.is_signaling() {
                self.raise(Flags::INVALID);
            }
            return None;
        }
        let key = |number: Number| {
            let magnitude = match number.class {
                Class::Zero => 0,
                Class::Infinite => i128::MAX,
                // Exponents of all formats are above -4096.
                _ => i128::from(number.exponent + 4096) << 64 | i128::from(number.significand),
            };
            if number.is_negative { -magnitude } else { magnitude }
        };
        Some(key(a).cmp(&key(b)))
    }
}

impl Format {
    /// The order of two numbers; none with a NaN. See [`Environment::order`].
    #[inline]
    pub fn compare(
        self,
        environment: &mut Environment,
        a: u64,
        b: u64,
        is_signaling: bool,
    ) -> Option<Ordering> {
        let (a, b) = (self.unpack(environment, a), self.unpack(environment, b));
        environment.order(a, b, is_signaling)
    }

    /// The lesser of two numbers; -0 is less than 0.
    pub fn minimum(self, environment: &mut Environment, a: u64, b: u64, extremum: Extremum) -> u64 {
        self.extremum(environment, (a, b), Ordering::Less, extremum)
    }

    /// The greater of two numbers; 0 is greater than -0.
    pub fn maximum(self, environment: &mut Environment, a: u64, b: u64, extremum: Extremum) -> u64 {
        self.extremum(environment, (a, b), Ordering::Greater, extremum)
    }

    fn extremum(
        self,
        environment: &mut Environment,
        (a, b): (u64, u64),
        wanted: Ordering,
        extremum: Extremum,
    ) -> u64 {
        let (a, b) = (self.unpack(environment, a), self.unpack(environment, b));
        let is_signaling = a.is_signaling() || b.is_signaling();
        let is_number_taken = match extremum {
            Extremum::Nan => false,
            Extremum::Number => true,
            Extremum::NumberUnlessSignaling => !is_signaling,
        };
        let chosen = match (a.class == Class::Nan, b.class == Class::Nan) {
            (true, false) | (false, true) if is_number_taken => {
                if is_signaling {
                    environment.raise(Flags::INVALID);
                }
                if a.class == Class::Nan { b } else { a }
            }
            (false, false) => {
                let order = environment.order(a, b, false).unwrap_or(Ordering::Equal);
                // -0 is before 0.
                if order.then(b.is_negative.cmp(&a.is_negative)) == wanted { a } else { b }
            }
            _ => environment.propagate(&[a, b]),
        };
        self.pack(environment, chosen)
    }
}
