//! Operations by the arithmetic of the host, which is several times faster than software.
//!
//! When rounding to nearest, ties to even, the host's binary32 and binary64 agree with software as long as operands and result are zero or
//! have moderate exponents. Such an operation can raise only the inexact flag. Each result says whether it qualifies; if not, use software.
//! The code has no branches, so a compiler can vectorize it.
//!
//! Narrow formats are computed in a wider host format. Its result is rounded to odd, which makes the second rounding harmless (Boldo and
//! Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).

/// A result of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Near {
    /// The encoding.
    pub bits: u64,
    /// Whether the inexact flag is raised.
    pub is_inexact: bool,
    /// Whether the encoding and the flag are right. If not, software must compute them.
    pub is_it: bool,
}

/// A format that the host can compute. Operands are encodings.
pub trait Real {
    /// The number as binary64, and whether it is zero or has a moderate exponent.
    fn wide(bits: u64) -> (f64, bool);
    /// The nearest number to one that is exact, or rounded to odd.
    fn of_wide(number: f64) -> Near;
    /// `a + b`
    fn sum(a: u64, b: u64) -> Near;
    /// `a * b`
    fn product(a: u64, b: u64) -> Near;
    /// `a * b + c`
    fn fused(a: u64, b: u64, c: u64) -> Near;
    /// `a / b`
    fn quotient(a: u64, b: u64) -> Near;
    /// The encoding with the opposite sign.
    fn opposite(bits: u64) -> u64;
}

/// Whether `a < b`, as 0 or 1.
#[inline(always)]
pub fn less<T: Real>(a: u64, b: u64) -> Near {
    compared::<T>(a, b, |a, b| a < b)
}

/// Whether `a <= b`, as 0 or 1.
#[inline(always)]
pub fn less_or_equal<T: Real>(a: u64, b: u64) -> Near {
    compared::<T>(a, b, |a, b| a <= b)
}

/// Whether `a == b`, as 0 or 1.
#[inline(always)]
pub fn equal<T: Real>(a: u64, b: u64) -> Near {
    compared::<T>(a, b, |a, b| a == b)
}

#[inline(always)]
fn compared<T: Real>(a: u64, b: u64, holds: impl Fn(f64, f64) -> bool) -> Near {
    let ((a, is_a), (b, is_b)) = (T::wide(a), T::wide(b));
    Near { bits: holds(a, b).into(), is_inexact: false, is_it: is_a & is_b }
}

/// A number in another format.
#[inline(always)]
pub fn converted<T: Real, To: Real>(bits: u64) -> Near {
    let (number, is_it) = T::wide(bits);
    let near = To::of_wide(number);
    Near { is_it: near.is_it & is_it, ..near }
}

/// The number of an integer with `width` bits, 1 to 64.
#[inline(always)]
pub fn from_integer<T: Real>(bits: u64, width: u32, is_signed: bool) -> Near {
    let up = 64 - width;
    let integer = if is_signed { (bits << up) as i64 >> up } else { bits as i64 };
    let near = T::of_wide(integer as f64);
    let is_exact = integer.unsigned_abs() <= 1 << 53;
    Near { is_it: near.is_it & is_exact & (is_signed | (integer >= 0)), ..near }
}

/// An integer with `width` bits, 1 to 64, rounded towards zero. The result has no other bits.
#[inline(always)]
pub fn to_integer<T: Real>(bits: u64, width: u32, is_signed: bool) -> Near {
    let (number, is_it) = T::wide(bits);
    // Integers beyond the limits are the limits.
    let integer = number as i64;
    let magnitude = integer.unsigned_abs();
    let fits = (magnitude < 1 << 53)
        & (magnitude >> (width - u32::from(is_signed)).min(63) == 0)
        & (is_signed | (number >= 0.0));
    let bits = integer as u64 & (u64::MAX >> (64 - width));
    Near { bits, is_inexact: integer as f64 != number, is_it: is_it & fits }
}

/// The rounded sum of two numbers, and its error (Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B).
macro_rules! two_sum {
    ($a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        let sum = a + b;
        let rest = sum - a;
        (sum, (a - (sum - rest)) + (b - rest))
    }};
}

/// A rounded number and its error, rounded to odd: the nearest number towards zero, with the lowest bit set if that is not exact.
macro_rules! odd {
    ($real:ident, $bits:ident, $sum:expr, $error:expr) => {{
        let (sum, error): ($real, $real) = ($sum, $error);
        let is_inexact = error != 0.0;
        let is_too_large = is_inexact & ((sum < 0.0) != (error < 0.0));
        $real::from_bits(sum.to_bits().wrapping_sub(is_too_large as $bits) | is_inexact as $bits)
    }};
}

/// Implements a narrow format by a host type. The arguments are the host type, the type of its encodings, and the fraction bits and the
/// exponent bias of the host and of the narrow format.
macro_rules! narrow {
    ($name:ident, $real:ident, $bits:ident, $host:literal, $host_bias:literal, $fraction:literal, $bias:literal) => {
        impl $name {
            /// The exponents of infinities and NaNs.
            const LAST: $bits = 2 * $bias + 1;
            const SIGN: u32 = ($bias as $bits + 1).trailing_zeros() + 1 + $fraction;
            /// How far fractions are apart.
            const UP: u32 = $host - $fraction;

            /// The number, and whether it is zero or normal.
            #[inline(always)]
            fn number(encoding: u64) -> ($real, bool) {
                let bits = encoding as $bits;
                let magnitude = bits & ((1 << Self::SIGN) - 1);
                let is_zero = magnitude == 0;
                let is_normal = (magnitude >> $fraction).wrapping_sub(1) < Self::LAST - 1;
                let own = (magnitude << Self::UP) + (($host_bias - $bias) << $host);
                let own = if is_zero { 0 } else { own };
                let sign = (bits >> Self::SIGN & 1) << ($bits::BITS - 1);
                ($real::from_bits(own | sign), is_zero | is_normal)
            }

            /// The nearest number to one that is exact, or rounded to odd.
            #[inline(always)]
            fn rounded(number: $real) -> Near {
                let bits = number.to_bits();
                let magnitude = bits & ($bits::MAX >> 1);
                let half = (1 << (Self::UP - 1)) - 1 + (magnitude >> Self::UP & 1);
                let own = (magnitude + half) >> Self::UP;
                let own = own.wrapping_sub(($host_bias - $bias) << $fraction);
                let is_zero = magnitude == 0;
                // A result with the smallest exponent may have been subnormal before rounding.
                let is_moderate = own.wrapping_sub(2 << $fraction) < (Self::LAST - 2) << $fraction;
                let own = if is_zero { 0 } else { own };
                let sign = (bits >> ($bits::BITS - 1)) << Self::SIGN;
                Near {
                    bits: (own | sign).into(),
                    is_inexact: magnitude & ((1 << Self::UP) - 1) != 0,
                    is_it: is_zero | is_moderate,
                }
            }
        }

        impl Real for $name {
            #[inline(always)]
            fn wide(bits: u64) -> (f64, bool) {
                let (number, is_it) = Self::number(bits);
                (number.into(), is_it)
            }

            #[inline(always)]
            fn of_wide(number: f64) -> Near {
                $name::of_binary64(number)
            }

            #[inline(always)]
            fn sum(a: u64, b: u64) -> Near {
                let ((a, is_a), (b, is_b)) = (Self::number(a), Self::number(b));
                let (sum, error) = two_sum!(a, b);
                let near = Self::rounded(odd!($real, $bits, sum, error));
                Near { is_it: near.is_it & is_a & is_b, ..near }
            }

            #[inline(always)]
            fn product(a: u64, b: u64) -> Near {
                let ((a, is_a), (b, is_b)) = (Self::number(a), Self::number(b));
                let near = Self::rounded(a * b);
                Near { is_it: near.is_it & is_a & is_b, ..near }
            }

            #[inline(always)]
            fn fused(a: u64, b: u64, c: u64) -> Near {
                let ((a, is_a), (b, is_b)) = (Self::number(a), Self::number(b));
                let (c, is_c) = Self::number(c);
                let (sum, error) = two_sum!(a * b, c);
                let near = Self::rounded(odd!($real, $bits, sum, error));
                Near { is_it: near.is_it & is_a & is_b & is_c, ..near }
            }

            /// The host's quotient has more than twice as many bits, so rounding it again does no harm.
            #[inline(always)]
            fn quotient(a: u64, b: u64) -> Near {
                let ((a, is_a), (b, is_b)) = (Self::number(a), Self::number(b));
                let near = Self::rounded(a / b);
                let is_inexact = Self::number(near.bits).0 * b != a;
                Near { is_inexact, is_it: near.is_it & is_a & is_b & (b != 0.0), ..near }
            }

            #[inline(always)]
            fn opposite(bits: u64) -> u64 {
                bits ^ 1 << Self::SIGN
            }
        }
    };
}

/// binary16, computed in binary32.
#[derive(Debug, Clone, Copy)]
pub struct Half;

/// bfloat16, computed in binary64.
#[derive(Debug, Clone, Copy)]
pub struct Brain;

/// binary32, computed in binary64.
#[derive(Debug, Clone, Copy)]
pub struct Single;

/// binary64.
#[derive(Debug, Clone, Copy)]
pub struct Double;

narrow!(Half, f32, u32, 23, 127, 10, 15);
narrow!(Brain, f64, u64, 52, 1023, 7, 127);
narrow!(Single, f64, u64, 52, 1023, 23, 127);

impl Half {
    #[inline(always)]
    fn of_binary64(number: f64) -> Near {
        let short = number as f32;
        // The host rounds to even; its error is a number of binary64.
        let error = (number - f64::from(short)) as f32;
        let near = Half::rounded(odd!(f32, u32, short, error));
        // A number that is no normal one of binary32 is none of binary16.
        Near { is_it: near.is_it & (number.abs() > 1e-30 || number == 0.0), ..near }
    }
}

impl Brain {
    #[inline(always)]
    fn of_binary64(number: f64) -> Near {
        Brain::rounded(number)
    }
}

impl Single {
    #[inline(always)]
    fn of_binary64(number: f64) -> Near {
        Single::rounded(number)
    }
}

/// The greatest distance of a binary64 exponent from that of 1. Products, and the lowest bits of differences, are then normal numbers.
const DISTANCE: u64 = 400;

impl Double {
    #[inline(always)]
    fn near(number: f64, is_inexact: bool, is_it: bool) -> Near {
        Near { bits: number.to_bits(), is_inexact, is_it }
    }

    /// The product and its error (Dekker, "A floating-point technique for extending the available precision", 1971).
    #[inline(always)]
    fn two_product(a: f64, b: f64) -> (f64, f64) {
        // 2^27 + 1 splits a number into halves of 26 bits.
        let split = |number: f64| {
            let up = number * 134_217_729.0;
            let high = up - (up - number);
            (high, number - high)
        };
        let product = a * b;
        let ((ah, al), (bh, bl)) = (split(a), split(b));
        (product, al * bl - (((product - ah * bh) - al * bh) - ah * bl))
    }
}

impl Real for Double {
    #[inline(always)]
    fn wide(bits: u64) -> (f64, bool) {
        let magnitude = bits & (u64::MAX >> 1);
        let from_least = (magnitude >> 52).wrapping_sub(1023 - DISTANCE);
        (f64::from_bits(bits), (from_least <= 2 * DISTANCE) | (magnitude == 0))
    }

    #[inline(always)]
    fn of_wide(number: f64) -> Near {
        Double::near(number, false, true)
    }

    #[inline(always)]
    fn sum(a: u64, b: u64) -> Near {
        let ((a, is_a), (b, is_b)) = (Double::wide(a), Double::wide(b));
        let (sum, error) = two_sum!(a, b);
        Double::near(sum, error != 0.0, is_a & is_b)
    }

    #[inline(always)]
    fn product(a: u64, b: u64) -> Near {
        let ((a, is_a), (b, is_b)) = (Double::wide(a), Double::wide(b));
        let (product, error) = Double::two_product(a, b);
        Double::near(product, error != 0.0, is_a & is_b)
    }

    /// By the algorithm of Boldo and Melquiond, figure 5.
    #[inline(always)]
    fn fused(a: u64, b: u64, c: u64) -> Near {
        let ((a, is_a), (b, is_b)) = (Double::wide(a), Double::wide(b));
        let (c, is_c) = Double::wide(c);
        let (high, low) = Double::two_product(a, b);
        let (top, bottom) = two_sum!(c, low);
        let (sum, rest) = two_sum!(high, top);
        let (last, error) = two_sum!(bottom, rest);
        let last = odd!(f64, u64, last, error);
        let (fused, other) = two_sum!(sum, last);
        let is_inexact = (error != 0.0) | (other != 0.0);
        // The sum determines the sign of a zero.
        let is_zero = high == 0.0;
        let fused = if is_zero { high + c } else { fused };
        Double::near(fused, is_inexact & !is_zero, is_a & is_b & is_c)
    }

    #[inline(always)]
    fn quotient(a: u64, b: u64) -> Near {
        let ((a, is_a), (b, is_b)) = (Double::wide(a), Double::wide(b));
        let quotient = a / b;
        let (product, error) = Double::two_product(quotient, b);
        let is_inexact = (product != a) | (error != 0.0);
        Double::near(quotient, is_inexact, is_a & is_b & (b != 0.0))
    }

    #[inline(always)]
    fn opposite(bits: u64) -> u64 {
        bits ^ 1 << 63
    }
}
