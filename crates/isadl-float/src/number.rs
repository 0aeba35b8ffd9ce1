//! Numbers without a format.

use super::environment::Rounding;

/// The classes of numbers that operations tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Zero.
    Zero,
    /// A finite number other than zero.
    Finite,
    /// Infinity.
    Infinite,
    /// Not a number.
    Nan,
}

/// A number without a format.
///
/// A finite one is (-1)^`is_negative` * `significand` * 2^(`exponent` - 62), with 2^62 <= `significand` < 2^63. As an operand its ten
/// lowest bits are zero. As a result bit 0 says whether anything below it was lost, and the number is to be packed, not operated on.
/// The significand of a NaN is its fraction, below bit 62.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// What it is.
    pub class: Class,
    /// Whether it has the sign bit.
    pub is_negative: bool,
    /// The exponent of a finite number.
    pub exponent: i32,
    /// The significand of a finite number, or the fraction of a NaN.
    pub significand: u64,
}

/// The place of a significand's highest bit.
pub(crate) const TOP: u32 = 62;

/// The bit of a NaN's significand that says that it is quiet (section 6.2.1).
pub(crate) const QUIET: u64 = 1 << (TOP - 1);

/// `x >> by`; bit 0 is set if any lost bit was.
#[inline(always)]
pub(crate) fn shift_right(x: u64, by: u32) -> u64 {
    // A shift by 63 leaves nothing but the lost bits of x < 2^63, so a longer one is the same.
    let by = by.min(63);
    x >> by | u64::from(x & ((1 << by) - 1) != 0)
}

/// `x >> by`; bit 0 is set if any lost bit was.
#[inline(always)]
pub(crate) fn shift_right_wide(x: u128, by: u32) -> u128 {
    let by = by.min(127);
    x >> by | u128::from(x & ((1 << by) - 1) != 0)
}

/// Whether a magnitude is rounded away from zero to an integer that is odd or even before; `rest` are the bits below, as a fraction of
/// 2^64. Rounding to odd is the caller's.
#[inline]
fn is_rounded_away(rounding: Rounding, is_negative: bool, is_odd: bool, rest: u64) -> bool {
    match rounding {
        Rounding::NearestEven => rest > 1 << 63 || rest == 1 << 63 && is_odd,
        Rounding::NearestAway => rest >= 1 << 63,
        Rounding::Up => rest != 0 && !is_negative,
        Rounding::Down => rest != 0 && is_negative,
        Rounding::ToZero | Rounding::ToOdd => false,
    }
}

impl Number {
    pub(crate) fn special(class: Class, is_negative: bool) -> Number {
        Number { class, is_negative, exponent: 0, significand: 0 }
    }

    /// The number whose magnitude is `high + rest / 2^64` in units of which 2^63 are 2^exponent; `high` is not 0.
    #[inline(always)]
    pub(crate) fn normalized(is_negative: bool, exponent: i32, high: u64, rest: u64) -> Number {
        let zeros = high.leading_zeros();
        let top = high << zeros | rest >> 1 >> (63 - zeros);
        Number {
            class: Class::Finite,
            is_negative,
            exponent: exponent - zeros as i32,
            significand: top >> 1 | top & 1 | u64::from(rest << zeros != 0),
        }
    }

    /// Whether it is a signaling NaN.
    pub fn is_signaling(self) -> bool {
        self.class == Class::Nan && self.significand & QUIET == 0
    }

    /// An integer, from its sign and magnitude. Zero has no sign.
    pub fn from_integer(is_negative: bool, magnitude: u64) -> Number {
        let finite = |exponent, significand| Number {
            class: Class::Finite,
            is_negative,
            exponent,
            significand,
        };
        match magnitude.leading_zeros() {
            64 => Number::special(Class::Zero, false),
            0 => finite(63, magnitude >> 1 | magnitude & 1),
            zeros => finite(63 - zeros as i32, magnitude << (zeros - 1)),
        }
    }

    /// The number times 2^`by`.
    pub fn scaled(self, by: i32) -> Number {
        // Further away, every format overflows or underflows.
        let by = by.clamp(-(1 << 20), 1 << 20);
        let by = if self.class == Class::Finite { by } else { 0 };
        Number { exponent: self.exponent + by, ..self }
    }

    /// The magnitude of a finite number below 2^64, rounded to an integer, and whether that was inexact.
    pub(crate) fn to_integer(self, rounding: Rounding) -> (u128, bool) {
        let by = self.exponent + 2;
        let fixed = match by {
            0.. => u128::from(self.significand) << by,
            _ => u128::from(shift_right(self.significand, by.unsigned_abs())),
        };
        let (integer, rest) = (fixed >> 64, fixed as u64);
        let is_away = is_rounded_away(rounding, self.is_negative, integer & 1 == 1, rest);
        let is_odd = rounding == Rounding::ToOdd && rest != 0;
        ((integer + u128::from(is_away)) | u128::from(is_odd), rest != 0)
    }
}
