//! Bounds of integers, and how operators change them.
//!
//! Bounds are exact while they have up to 127 bits. Beyond that they are powers of 2, rounded outwards: a bound is never too small.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// The most bits that a value may have.
pub const MAX_BITS: u32 = 1 << 16;

/// A bound of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// This integer.
    Exact(i128),
    /// 2^n - 1, with n more than 127.
    High(u32),
    /// -2^n, with n more than 127.
    Low(u32),
}

impl Bound {
    /// 2^n - 1.
    pub fn ones(bits: u32) -> Bound {
        match bits {
            0..=126 => Bound::Exact((1 << bits) - 1),
            127 => Bound::Exact(i128::MAX),
            _ => Bound::High(bits),
        }
    }

    /// -2^n.
    pub fn minus_power(bits: u32) -> Bound {
        match bits {
            0..=126 => Bound::Exact(-(1 << bits)),
            127 => Bound::Exact(i128::MIN),
            _ => Bound::Low(bits),
        }
    }

    /// The least n for which the bound is at least -2^n and at most 2^n - 1.
    pub fn bits(self) -> u32 {
        match self {
            Bound::Exact(value) if value < 0 => 128 - (!value).leading_zeros(),
            Bound::Exact(value) => 128 - value.leading_zeros(),
            Bound::High(bits) | Bound::Low(bits) => bits,
        }
    }

    /// Whether it is below 0.
    pub fn is_negative(self) -> bool {
        match self {
            Bound::Exact(value) => value < 0,
            Bound::High(_) => false,
            Bound::Low(_) => true,
        }
    }

    /// The integer, if it is exact.
    pub fn exact(self) -> Option<i128> {
        match self {
            Bound::Exact(value) => Some(value),
            _ => None,
        }
    }

    /// -1 - x, exactly.
    fn complement(self) -> Bound {
        match self {
            Bound::Exact(value) => Bound::Exact(!value),
            Bound::High(bits) => Bound::Low(bits),
            Bound::Low(bits) => Bound::High(bits),
        }
    }

    /// The sum, rounded to the side of `side`.
    fn plus(self, other: Bound, side: Side) -> Bound {
        if let (Bound::Exact(a), Bound::Exact(b)) = (self, other)
            && let Some(sum) = a.checked_add(b)
        {
            return Bound::Exact(sum);
        }
        if self.is_negative() == other.is_negative() {
            let bits = self.bits().max(other.bits()) + 1;
            return side.beyond(bits, self.is_negative());
        }
        // The sum lies between the two.
        match side {
            Side::Up => self.max(other),
            Side::Down => self.min(other),
        }
    }

    /// The product, rounded to the side of `side`.
    fn times(self, other: Bound, side: Side) -> Bound {
        if let (Bound::Exact(a), Bound::Exact(b)) = (self, other)
            && let Some(product) = a.checked_mul(b)
        {
            return Bound::Exact(product);
        }
        if self == Bound::Exact(0) || other == Bound::Exact(0) {
            return Bound::Exact(0);
        }
        let is_negative = self.is_negative() != other.is_negative();
        let both = self.is_negative() && other.is_negative();
        // The product of two negative powers of 2 is a power of 2, which needs a bit more.
        side.beyond(self.bits() + other.bits() + u32::from(both), is_negative)
    }

    fn shifted_left(self, by: u32, side: Side) -> Bound {
        if self == Bound::Exact(0) {
            return self;
        }
        if let Bound::Exact(value) = self
            && by < 127
            && (value << by) >> by == value
        {
            return Bound::Exact(value << by);
        }
        side.beyond(self.bits() + by, self.is_negative())
    }

    fn shifted_right(self, by: u32) -> Bound {
        match self {
            Bound::Exact(value) => Bound::Exact(value >> by.min(127)),
            Bound::High(bits) => Bound::ones(bits.saturating_sub(by)),
            Bound::Low(bits) if bits > by => Bound::minus_power(bits - by),
            Bound::Low(_) => Bound::Exact(-1),
        }
    }
}

/// The side that a bound is rounded to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Up,
    Down,
}

impl Side {
    /// A bound for an integer of a sign that lies within -2^bits … 2^bits - 1.
    fn beyond(self, bits: u32, is_negative: bool) -> Bound {
        match (self, is_negative) {
            (Side::Up, false) => Bound::ones(bits),
            (Side::Down, true) => Bound::minus_power(bits),
            // It is negative, or it is not; how far is not kept.
            (Side::Up, true) => Bound::Exact(-1),
            (Side::Down, false) => Bound::Exact(0),
        }
    }
}

impl Ord for Bound {
    fn cmp(&self, other: &Bound) -> Ordering {
        match (self, other) {
            (Bound::Exact(a), Bound::Exact(b)) => a.cmp(b),
            (Bound::High(a), Bound::High(b)) => a.cmp(b),
            (Bound::Low(a), Bound::Low(b)) => b.cmp(a),
            (Bound::High(_), _) | (_, Bound::Low(_)) => Ordering::Greater,
            (Bound::Low(_), _) | (_, Bound::High(_)) => Ordering::Less,
        }
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Bound) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Powers of 2 say more than their digits.
            Bound::Exact(value)
                if *value > 0xffff_ffff && value.count_ones() == 128 - value.leading_zeros() =>
            {
                write!(f, "2^{} - 1", value.count_ones())
            }
            Bound::Exact(value)
                if *value < -0xffff_ffff && value.unsigned_abs().is_power_of_two() =>
            {
                write!(f, "-2^{}", value.trailing_zeros())
            }
            Bound::Exact(value) => write!(f, "{value}"),
            Bound::High(bits) => write!(f, "2^{bits} - 1"),
            Bound::Low(bits) => write!(f, "-2^{bits}"),
        }
    }
}

/// The integers from a bound to another, both included. The first is never above the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least.
    pub low: Bound,
    /// The largest.
    pub high: Bound,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.low == self.high {
            return write!(f, "{}", self.low);
        }
        write!(f, "{} to {}", self.low, self.high)
    }
}

impl Interval {
    /// One integer.
    pub fn one(value: i128) -> Interval {
        Interval { low: Bound::Exact(value), high: Bound::Exact(value) }
    }

    /// The integers from one to another.
    pub fn between(low: i128, high: i128) -> Interval {
        Interval { low: Bound::Exact(low), high: Bound::Exact(high.max(low)) }
    }

    /// The unsigned numbers of some bits.
    pub fn unsigned(bits: u32) -> Interval {
        Interval { low: Bound::Exact(0), high: Bound::ones(bits) }
    }

    /// The numbers of some bits in two's complement; at least 1.
    pub fn signed(bits: u32) -> Interval {
        let magnitude = bits.saturating_sub(1);
        Interval { low: Bound::minus_power(magnitude), high: Bound::ones(magnitude) }
    }

    /// The only integer.
    pub fn value(self) -> Option<i128> {
        (self.low == self.high).then(|| self.low.exact()).flatten()
    }

    /// The bounds as integers, if both are exact.
    pub fn exact(self) -> Option<(i128, i128)> {
        Some((self.low.exact()?, self.high.exact()?))
    }

    /// Whether an integer may be negative.
    pub fn may_be_negative(self) -> bool {
        self.low.is_negative()
    }

    /// Whether 0 is inside.
    pub fn has_zero(self) -> bool {
        self.low <= Bound::Exact(0) && self.high >= Bound::Exact(0)
    }

    /// Whether all integers are inside another interval.
    pub fn is_within(self, other: Interval) -> bool {
        self.low >= other.low && self.high <= other.high
    }

    /// Whether the integers may be stored in a place of some bits, signed or not: -2^(bits-1) … 2^bits - 1.
    pub fn fits(self, bits: u32) -> bool {
        let low = Interval::signed(bits).low;
        self.low >= low && self.high <= Bound::ones(bits)
    }

    /// The number of bits that the integers need, unsigned if none is negative and in two's complement otherwise.
    pub fn width(self) -> u32 {
        let bits = self.low.bits().max(self.high.bits());
        (bits + u32::from(self.may_be_negative())).max(1)
    }

    /// The integers in both, or `None` if there are none.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let found = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        (found.low <= found.high).then_some(found)
    }

    /// The least interval that contains both.
    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// -1 - x.
    pub fn complement(self) -> Interval {
        Interval { low: self.high.complement(), high: self.low.complement() }
    }

    /// Remainders that are never negative; the divisors are positive.
    pub fn modulo(self, other: Interval) -> Interval {
        let largest = other.high.plus(Bound::Exact(-1), Side::Up).max(Bound::Exact(0));
        match self.may_be_negative() {
            false => Interval { low: Bound::Exact(0), high: self.high.min(largest) },
            true => Interval { low: Bound::Exact(0), high: largest },
        }
    }

    /// Left shifts by numbers of bits from `least` to `most`.
    pub fn shl(self, least: u32, most: u32) -> Interval {
        let low = if self.low.is_negative() { most } else { least };
        let high = if self.high.is_negative() { least } else { most };
        Interval {
            low: self.low.shifted_left(low, Side::Down),
            high: self.high.shifted_left(high, Side::Up),
        }
    }

    /// Right shifts, rounded down, by numbers of bits from `least` to `most`.
    pub fn shr(self, least: u32, most: u32) -> Interval {
        let low = if self.low.is_negative() { least } else { most };
        let high = if self.high.is_negative() { most } else { least };
        Interval { low: self.low.shifted_right(low), high: self.high.shifted_right(high) }
    }

    /// Bitwise and.
    pub fn and(self, other: Interval) -> Interval {
        match (self.may_be_negative(), other.may_be_negative()) {
            (false, false) => Interval { low: Bound::Exact(0), high: self.high.min(other.high) },
            (false, true) => Interval { low: Bound::Exact(0), high: self.high },
            (true, false) => Interval { low: Bound::Exact(0), high: other.high },
            (true, true) => self.spanned(other),
        }
    }

    /// Bitwise or, exclusive or.
    pub fn or(self, other: Interval) -> Interval {
        self.spanned(other)
    }

    /// All integers with as many bits as the wider of two intervals.
    fn spanned(self, other: Interval) -> Interval {
        let bounds = [self.low, self.high, other.low, other.high];
        let bits = bounds.iter().map(|bound| bound.bits()).max().unwrap_or(0);
        let is_signed = self.may_be_negative() || other.may_be_negative();
        let low = if is_signed { Bound::minus_power(bits) } else { Bound::Exact(0) };
        Interval { low, high: Bound::ones(bits) }
    }

    /// The lesser of each pair.
    pub fn min(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// The greater of each pair.
    pub fn max(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.max(other.high) }
    }
}

impl Add for Interval {
    type Output = Interval;

    /// Sums.
    fn add(self, other: Interval) -> Interval {
        Interval {
            low: self.low.plus(other.low, Side::Down),
            high: self.high.plus(other.high, Side::Up),
        }
    }
}

impl Sub for Interval {
    type Output = Interval;

    /// Differences.
    fn sub(self, other: Interval) -> Interval {
        // a - b is a + 1 + (-1 - b), and -1 - b is exact.
        self + other.complement() + Interval::one(1)
    }
}

impl Neg for Interval {
    type Output = Interval;

    /// Opposites.
    fn neg(self) -> Interval {
        Interval::one(0) - self
    }
}

impl Mul for Interval {
    type Output = Interval;

    /// Products.
    fn mul(self, other: Interval) -> Interval {
        let corners = [
            (self.low, other.low),
            (self.low, other.high),
            (self.high, other.low),
            (self.high, other.high),
        ];
        let low = corners.iter().map(|(a, b)| a.times(*b, Side::Down)).min();
        let high = corners.iter().map(|(a, b)| a.times(*b, Side::Up)).max();
        // There are four corners.
        Interval { low: low.unwrap_or(self.low), high: high.unwrap_or(self.high) }
    }
}

impl Div for Interval {
    type Output = Interval;

    /// Quotients rounded towards zero; a divisor of 0 does not count.
    fn div(self, other: Interval) -> Interval {
        let least = match (other.low.is_negative(), other.high.is_negative()) {
            (false, _) => other.low.max(Bound::Exact(1)),
            (true, true) => other.high.complement().plus(Bound::Exact(1), Side::Down),
            (true, false) => Bound::Exact(1),
        };
        let is_mixed = self.may_be_negative() || other.may_be_negative();
        if let (Some((low, high)), Bound::Exact(least)) = (self.exact(), least)
            && !is_mixed
        {
            return Interval::between(
                low / other.high.exact().unwrap_or(i128::MAX).max(1),
                high / least.max(1),
            );
        }
        if !is_mixed {
            return Interval { low: Bound::Exact(0), high: self.high };
        }
        // The magnitude does not grow; the sign may change.
        let opposite = -self;
        let both = self.join(opposite).join(Interval::one(0));
        match (self.may_be_negative(), other.may_be_negative()) {
            (true, false) => self.join(Interval::one(0)),
            _ => both,
        }
    }
}

impl Rem for Interval {
    type Output = Interval;

    /// Remainders with the sign of the dividend.
    fn rem(self, other: Interval) -> Interval {
        let largest =
            other.high.max((-other).high).plus(Bound::Exact(-1), Side::Up).max(Bound::Exact(0));
        let limit = Interval { low: Bound::Exact(0), high: largest };
        let positive =
            if self.high.is_negative() { Bound::Exact(0) } else { self.high.min(limit.high) };
        let negative = match self.may_be_negative() {
            true => self.low.max((-limit).low),
            false => Bound::Exact(0),
        };
        Interval { low: negative, high: positive }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operator on small intervals contains the results on every pair of integers.
    #[test]
    fn small_intervals_contain_their_results() {
        let intervals: Vec<(i128, i128)> =
            (-5..6).flat_map(|low| (low..6).map(move |high| (low, high))).collect();
        type Case =
            (&'static str, fn(Interval, Interval) -> Interval, fn(i128, i128) -> Option<i128>);
        let cases: [Case; 11] = [
            ("+", Interval::add, |a, b| Some(a + b)),
            ("-", Interval::sub, |a, b| Some(a - b)),
            ("*", Interval::mul, |a, b| Some(a * b)),
            ("/", Interval::div, |a, b| (b != 0).then(|| a / b)),
            ("%", Interval::rem, |a, b| (b != 0).then(|| a % b)),
            ("mod", Interval::modulo, |a, b| (b > 0).then(|| a.rem_euclid(b))),
            ("&", Interval::and, |a, b| Some(a & b)),
            ("|", Interval::or, |a, b| Some(a | b)),
            ("^", Interval::or, |a, b| Some(a ^ b)),
            ("min", Interval::min, |a, b| Some(a.min(b))),
            ("max", Interval::max, |a, b| Some(a.max(b))),
        ];
        for (name, of, exact) in cases {
            for (a, b) in intervals.iter().flat_map(|a| intervals.iter().map(move |b| (*a, *b))) {
                let found = of(Interval::between(a.0, a.1), Interval::between(b.0, b.1));
                for (x, y) in (a.0..=a.1).flat_map(|x| (b.0..=b.1).map(move |y| (x, y))) {
                    let Some(result) = exact(x, y) else { continue };
                    assert!(Interval::one(result).is_within(found), "{x} {name} {y} in {found}");
                }
            }
        }
    }

    #[test]
    fn shifts_contain_their_results() {
        for (low, high) in (-9..9i128).flat_map(|low| (low..9).map(move |high| (low, high))) {
            for (least, most) in
                (0..4u32).flat_map(|least| (least..4).map(move |most| (least, most)))
            {
                let left = Interval::between(low, high).shl(least, most);
                let right = Interval::between(low, high).shr(least, most);
                for (x, by) in (low..=high).flat_map(|x| (least..=most).map(move |by| (x, by))) {
                    assert!(Interval::one(x << by).is_within(left));
                    assert!(Interval::one(x >> by).is_within(right));
                }
            }
        }
    }

    #[test]
    fn wide_bounds_are_rounded_outwards() {
        let word = Interval::unsigned(64);
        assert_eq!((word * word).high, Bound::High(128));
        assert_eq!((word * word).shr(64, 64), Interval::unsigned(64));
        let wide = Interval::unsigned(512);
        assert_eq!((wide + wide).high, Bound::High(513));
        assert_eq!((wide - wide).low, Bound::Low(512));
        assert_eq!(wide.complement(), Interval { low: Bound::Low(512), high: Bound::Exact(-1) });
        assert_eq!((Interval::signed(512) * Interval::signed(512)).high, Bound::High(1023));
        assert!(Interval::signed(512).fits(512) && !(wide + wide).fits(512));
        assert_eq!(Interval::between(1, 1).shl(0, 300).high, Bound::High(301));
    }

    #[test]
    fn widths_and_stores() {
        assert_eq!(Interval::between(0, 255).width(), 8);
        assert_eq!(Interval::between(-1, 255).width(), 9);
        assert_eq!(Interval::between(-128, 127).width(), 8);
        assert!(Interval::between(-128, 255).fits(8));
        assert!(!Interval::between(-129, 0).fits(8) && !Interval::between(0, 256).fits(8));
        assert_eq!(Interval::one(0).width(), 1);
    }
}
