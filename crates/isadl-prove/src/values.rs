//! Values of a single field that satisfy a condition, and the largest value of an expression.

use super::interval::{FieldRanges, Interval};
use crate::isa::{Expr, ExtensionCondition, NameId, Reading, low_bits};

/// Limit on evaluated operators per condition.
const BUDGET: u64 = 1 << 23;

/// Limit on evaluated operators when every value is tried.
const LISTING_BUDGET: u64 = 1 << 26;

/// Limit on ranges of values.
const MAX_RANGES: usize = 1 << 16;

/// The values of a field that satisfy a condition, as half-open ranges, ascending and disjoint. The field has 1 to 64
/// bits. Every field in the condition is this field.
///
/// The search halves the range of values until the condition is decided for each part. If that takes too long and the
/// values are few, it tries each value. Returns `None` if that takes too long as well, or if there are too many ranges.
pub fn values_for_which(condition: &Expr, width: u32) -> Option<Vec<(u64, u128)>> {
    halved(condition, width).or_else(|| listed(condition, width))
}

/// Each value is looked at.
fn listed(condition: &Expr, width: u32) -> Option<Vec<(u64, u128)>> {
    if width >= u64::BITS || condition.size() > LISTING_BUDGET >> width {
        return None;
    }
    let mut ranges: Vec<(u64, u128)> = Vec::new();
    let holds = |raw: &u64| condition.eval(&|_, reading| reading.integer(*raw, width)) != 0;
    for raw in (0..1u64 << width).filter(holds) {
        add(&mut ranges, raw, u128::from(raw) + 1);
    }
    (ranges.len() <= MAX_RANGES).then_some(ranges)
}

/// Adds a range after the others.
fn add(ranges: &mut Vec<(u64, u128)>, first: u64, end: u128) {
    match ranges.last_mut().filter(|last| last.1 == u128::from(first)) {
        Some(last) => last.1 = end,
        None => ranges.push((first, end)),
    }
}

fn halved(condition: &Expr, width: u32) -> Option<Vec<(u64, u128)>> {
    let mut ranges: Vec<(u64, u128)> = Vec::new();
    let mut budget = BUDGET;
    // The last is looked at first, so that ranges are found in ascending order.
    let mut open = vec![(0u64, width)];
    while let Some((low, free)) = open.pop() {
        budget = budget.checked_sub(condition.size())?;
        let high = low | low_bits(free) as u64;
        let values = Values { ends: (low, high), width };
        let known = || condition.eval(&|_, reading| reading.integer(low, width)) != 0;
        let truth = match Interval::of(condition, &values).truth() {
            // An operator may give up on numbers that are too large.
            None if free == 0 => Some(known()),
            truth => truth,
        };
        match truth {
            Some(false) => {}
            Some(true) => {
                add(&mut ranges, low, u128::from(high) + 1);
                if ranges.len() > MAX_RANGES {
                    return None;
                }
            }
            None => {
                let half = free - 1;
                open.push((low | 1 << half, half));
                open.push((low, half));
            }
        }
    }
    Some(ranges)
}

/// An upper bound of an expression for all values of its fields; not necessarily reached.
pub fn most(expr: &Expr) -> i128 {
    Interval::of(expr, &Values { ends: (0, u64::MAX), width: 64 }).high()
}

/// The values that every field may have, first and last, of a width in bits.
struct Values {
    ends: (u64, u64),
    width: u32,
}

impl FieldRanges for Values {
    fn field(&self, _: NameId, reading: Reading) -> Option<Interval> {
        Some(Interval::of_bits(self.ends, self.width, reading))
    }

    fn meets(&self, _: &ExtensionCondition) -> Option<bool> {
        None
    }
}
