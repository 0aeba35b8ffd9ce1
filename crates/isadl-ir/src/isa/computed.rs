//! Numbers that an expression computes from the bits of a field, and the bits of a number.

use std::fmt;
use std::sync::OnceLock;

use super::types::{Number, NumberFormat, is_in};
use super::{Expr, Reading, low_bits};

/// The most bits of a field whose values are computed: all of them are listed.
pub const MAX_COMPUTED_BITS: u32 = 16;

/// The meaning of each value of a computed field.
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Computed {
    /// Computes the number; its only field stands for the field's bits, under any name.
    pub expr: Expr,
    format: NumberFormat,
    /// Bits of the field.
    width: u32,
    /// The illegal values: half-open ranges, ascending and disjoint.
    reserved_values: Vec<(u64, u128)>,
    /// Follows from the rest. Files do not contain it: there, it would be most of an instruction set.
    #[cfg_attr(feature = "serde", serde(skip))]
    values: OnceLock<Values>,
}

/// All values of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Values {
    /// The bits of each number, in two's complement or its format, by the bits of the field.
    numbers: Vec<u64>,
    /// The legal bits of the field, ascending by the bits of their numbers, and of equals by themselves.
    legal: Vec<u16>,
}

/// A result that is not a number of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfRange {
    /// The bits of the field.
    pub raw: u64,
    /// The computed number.
    pub value: i128,
}

impl Computed {
    /// Computes the numbers of a field of up to [`MAX_COMPUTED_BITS`]. `reserved_values` are half-open ranges, ascending
    /// and disjoint. The format applies to a single number.
    pub fn of(
        expr: Expr,
        width: u32,
        format: NumberFormat,
        reserved_values: &[(u64, u128)],
    ) -> Result<Computed, OutOfRange> {
        let reserved_values = reserved_values.to_vec();
        let values = OnceLock::new();
        let mut computed = Computed { expr, format, width, reserved_values, values };
        let (values, fault) = computed.listed();
        computed.values = OnceLock::from(values);
        fault.map_or(Ok(computed), Err)
    }

    fn values(&self) -> &Values {
        self.values.get_or_init(|| self.listed().0)
    }

    /// All values, and the first legal one whose number is not one of the format.
    fn listed(&self) -> (Values, Option<OutOfRange>) {
        let (low, high) = limits(self.format);
        let (mut numbers, mut legal, mut fault) = (Vec::new(), Vec::new(), None);
        for raw in 0..1u64 << self.width.min(MAX_COMPUTED_BITS) {
            let value = self.expr.eval(&|_, reading| reading.integer(raw, self.width));
            let is_legal = !is_in(&self.reserved_values, raw);
            if is_legal && !(low..=high).contains(&value) {
                fault.get_or_insert(OutOfRange { raw, value });
            }
            numbers.push(value as u64);
            // INVARIANT: fields have at most 16 bits.
            legal.extend(is_legal.then_some(raw as u16));
        }
        // Equal numbers are sorted by their bits, the lowest first.
        legal.sort_by_key(|raw| numbers[usize::from(*raw)]);
        (Values { numbers, legal }, fault)
    }

    /// The lowest pair of legal values that mean the same number.
    pub fn twins(&self) -> Option<[u64; 2]> {
        let both = self.legal().windows(2).map(|pair| [u64::from(pair[0]), u64::from(pair[1])]);
        both.filter(|[a, b]| self.number(*a) == self.number(*b)).min()
    }

    /// The bits of the number of a value.
    pub fn number(&self, raw: u64) -> u64 {
        self.values().numbers.get(raw as usize).copied().unwrap_or(0)
    }

    /// The legal bits of the field, ascending by the bits of their numbers, and of equals by themselves.
    pub fn legal(&self) -> &[u16] {
        &self.values().legal
    }

    /// The lowest bits of the field for the bits of a number.
    pub fn find(&self, number: u64) -> Option<u64> {
        let first = self.legal().partition_point(|raw| self.number((*raw).into()) < number);
        let raw = u64::from(*self.legal().get(first)?);
        (self.number(raw) == number).then_some(raw)
    }

    /// How many encodings the bits of a number have.
    pub fn encodings(&self, number: u64) -> usize {
        self.all_of(number).count()
    }

    /// The legal bits of the field for the bits of a number, the lowest first.
    pub fn all_of(&self, number: u64) -> impl Iterator<Item = u64> + '_ {
        let first = self.legal().partition_point(|raw| self.number((*raw).into()) < number);
        let all = self.legal()[first..].iter().map(|raw| u64::from(*raw));
        all.take_while(move |raw| self.number(*raw) == number)
    }

    /// How many bits a number has.
    pub fn width(&self) -> u32 {
        match self.format.number {
            Number::Unsigned | Number::Signed => 64,
            Number::Float { exponent, fraction } => 1 + exponent + fraction,
        }
    }

    /// How the 64 bits of a computed number are an integer.
    pub fn reading(&self) -> Reading {
        match self.format.number {
            Number::Signed => Reading::Signed,
            _ => Reading::Unsigned,
        }
    }

    /// The integer of a value, where numbers are integers.
    pub(super) fn integer(&self, raw: u64) -> i128 {
        match self.format.number {
            Number::Signed => i128::from(self.number(raw) as i64),
            _ => i128::from(self.number(raw)),
        }
    }

    /// All integers that legal values are.
    pub(super) fn integers(&self) -> impl Iterator<Item = i128> {
        self.legal().iter().map(|raw| self.integer((*raw).into()))
    }

    /// The bits of an integer.
    pub(super) fn bits_of(&self, value: i128) -> Option<u64> {
        let (low, high) = limits(self.format);
        (low..=high).contains(&value).then(|| self.find(value as u64)).flatten()
    }
}

impl PartialEq for Computed {
    fn eq(&self, other: &Computed) -> bool {
        (&self.expr, self.format, self.values()) == (&other.expr, other.format, other.values())
    }
}

impl Eq for Computed {}

impl fmt::Debug for Computed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The rest follows from it.
        f.debug_tuple("Computed").field(&self.expr).field(&self.format).finish()
    }
}

/// The least and the largest result that is a number of a format.
fn limits(format: NumberFormat) -> (i128, i128) {
    match format.number {
        Number::Unsigned => (0, u64::MAX.into()),
        Number::Signed => (i64::MIN.into(), i64::MAX.into()),
        Number::Float { exponent, fraction } => (0, low_bits(1 + exponent + fraction) as i128),
    }
}
