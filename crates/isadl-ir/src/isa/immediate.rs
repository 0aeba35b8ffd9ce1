//! Types of numbers, and how their bits become values.

use std::collections::BTreeSet;

use super::computed::Computed;
use super::relocation::Relocation;
use super::types::{Number, NumberFormat, Print, Relative, is_in};
use super::{Expr, NameId, Reading, low_bits};

/// How many computed integers are listed instead of the first and the last.
const FEW: usize = 8;

/// A type of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Immediate {
    /// How its bits are read; of computed numbers, how the bits are read that are computed.
    pub number: NumberFormat,
    /// How it is written.
    pub print: Print,
    /// The factor that multiplies the number in the bits; never 0, usually 1.
    pub scale: i64,
    /// The number that is added after scaling.
    pub bias: i64,
    /// The function that computes the number, if the number is neither the bits nor the scaled bits.
    pub computed: Option<Box<Computed>>,
    /// The illegal values, by their bits: half-open ranges, ascending and apart from each other.
    pub reserved_values: Vec<(u64, u128)>,
    /// The minimum number of digits of printed integers, or the number of digits after the point of floating-point
    /// numbers; 0 if irrelevant.
    pub digits: u32,
    /// Text that is printed before the number and is optional in assembly.
    pub prefix: String,
    /// Whether integers of the other sign are read too, as the same bits.
    pub reads_either: bool,
    /// The reference point, if values are distances.
    pub relative: Option<Relative>,
    /// How linkers make its values of addresses.
    pub relocations: Vec<Relocation>,
}

impl Immediate {
    /// An immediate whose numbers are exactly its bits, all of them legal.
    pub fn new(number: NumberFormat, print: Print) -> Immediate {
        Immediate {
            number,
            print,
            scale: 1,
            bias: 0,
            computed: None,
            reserved_values: Vec::new(),
            digits: 0,
            prefix: String::new(),
            reads_either: false,
            relative: None,
            relocations: Vec::new(),
        }
    }

    /// Whether the integers differ from the bits.
    pub fn is_scaled(&self) -> bool {
        (self.scale, self.bias) != (1, 0) || self.computed.is_some() && self.is_integer()
    }

    /// Whether it is just the number in its bits: neither scaled nor computed nor a distance.
    pub fn is_plain(&self) -> bool {
        !self.is_scaled() && self.computed.is_none() && self.relative.is_none()
    }

    /// Whether its values are single integers.
    pub fn is_integer(&self) -> bool {
        self.number.lanes == 1 && !matches!(self.number.number, Number::Float { .. })
    }

    /// Whether its values are integers, but perhaps not all from the smallest to the largest of its bits.
    pub fn has_gaps(&self) -> bool {
        self.is_integer() && (self.is_scaled() || !self.reserved_values.is_empty())
    }

    /// Whether the bits are a reserved value.
    pub fn excepts(&self, raw: u64) -> bool {
        is_in(&self.reserved_values, raw)
    }

    /// How its bits become an integer, before it is scaled.
    pub fn reading(&self) -> Reading {
        match self.number {
            _ if self.computed.is_some() => Reading::Unsigned,
            NumberFormat { number: Number::Signed, lanes: 1 } => Reading::Signed,
            _ => Reading::Unsigned,
        }
    }

    /// The bits that its format reads, and their number, for a field of `width` bits.
    pub fn number_bits(&self, raw: u64, width: u32) -> (u64, u32) {
        match &self.computed {
            Some(computed) => (computed.number(raw), computed.width()),
            None => (raw, width),
        }
    }

    /// The integer that the bits of a field of `width` bits are.
    pub fn value(&self, raw: u64, width: u32) -> i128 {
        match &self.computed {
            Some(computed) if self.is_integer() => computed.integer(raw),
            _ => {
                self.reading().integer(raw, width) * i128::from(self.scale) + i128::from(self.bias)
            }
        }
    }

    /// The integer that the bits of a field of `width` bits are, or the encoding of the floating-point number.
    pub fn encoded(&self, raw: u64, width: u32) -> i128 {
        match self.number.number {
            Number::Float { .. } => self.number_bits(raw, width).0.into(),
            _ => self.value(raw, width),
        }
    }

    /// The bits of an integer in a field of `width` bits, if the field can encode it. The lowest bits win if several
    /// encode the same integer.
    pub fn bits_of(&self, value: i128, width: u32) -> Option<u64> {
        if let Some(computed) = self.computed.as_ref().filter(|_| self.is_integer()) {
            return computed.bits_of(value);
        }
        let (low, high) = self.range(width);
        let (distance, scale) = (value.checked_sub(self.bias.into())?, i128::from(self.scale));
        let has_bits = (low..=high).contains(&value) && distance % scale == 0;
        has_bits.then(|| (distance / scale) as u64 & low_bits(width) as u64)
    }

    /// Whether an expression is the integer that the bits of a field are computed to be.
    pub fn is_computed_by(&self, expr: &Expr, field: NameId) -> bool {
        let bits = Expr::Field(field, Reading::Unsigned);
        let computed = self.computed.as_ref().filter(|_| self.is_integer());
        computed.is_some_and(|of| of.expr.with_field(&bits) == *expr)
    }

    /// Whether two legal values encode the same number.
    pub fn is_same(&self, a: u64, b: u64) -> bool {
        a == b || self.computed.as_ref().is_some_and(|of| of.number(a) == of.number(b))
    }

    /// The nearest encodable integers below and above an integer that cannot be encoded.
    pub fn beside(&self, value: i128, width: u32) -> (Option<i128>, Option<i128>) {
        if let Some(computed) = self.computed.as_ref().filter(|_| self.is_integer()) {
            let below = computed.integers().filter(|own| *own < value).max();
            return (below, computed.integers().filter(|own| *own > value).min());
        }
        let ((low, high), step) = (self.range(width), i128::from(self.scale).abs());
        let below = value.clamp(low, high) - (value.clamp(low, high) - low) % step;
        let above = if below < value { below + step } else { below };
        (Some(below).filter(|below| *below < value), Some(above).filter(|above| *above <= high))
    }

    /// The integers of a field of `width` bits in words: the smallest and the largest, and the distance
    /// from each to the next unless that is 1. Those that are computed are listed if they are few.
    pub fn range_in_words(&self, width: u32) -> String {
        let computed = self.computed_integers();
        if (1..=FEW).contains(&computed.len()) {
            return computed.iter().map(i128::to_string).collect::<Vec<_>>().join(", ");
        }
        let (low, high) = self.range(width);
        match self.scale.unsigned_abs() {
            _ if !computed.is_empty() => format!("some of {low} to {high}"),
            1 => format!("{low} to {high}"),
            step => format!("{low} to {high} in steps of {step}"),
        }
    }

    /// The integers that legal bits are computed to, rising; none if they are not.
    pub fn computed_integers(&self) -> Vec<i128> {
        let computed = self.computed.as_ref().filter(|_| self.is_integer());
        let integers: BTreeSet<i128> =
            computed.into_iter().flat_map(|computed| computed.integers()).collect();
        integers.into_iter().collect()
    }

    /// The smallest and the largest integer that a field of `width` bits can hold. Reserved values count, except in
    /// computed numbers.
    pub fn range(&self, width: u32) -> (i128, i128) {
        if let Some(computed) = self.computed.as_ref().filter(|_| self.is_integer()) {
            let all = || computed.integers();
            return (all().min().unwrap_or(0), all().max().unwrap_or(0));
        }
        let (first, last) = match self.reading() {
            Reading::Signed => (1u64 << (width - 1), (1 << (width - 1)) - 1),
            Reading::Unsigned => (0, low_bits(width) as u64),
        };
        let (first, last) = (self.value(first, width), self.value(last, width));
        (first.min(last), first.max(last))
    }
}
