//! The values of a single field for which a condition holds, and the largest value of an expression.

use super::interval::{Interval, Known};
use crate::isa::{Expr, NameId, Presence, Reading, low_bits};

/// Most operators that are evaluated for one condition.
const BUDGET: u64 = 1 << 23;

/// Most operators that are evaluated where every value is looked at.
const LISTING_BUDGET: u64 = 1 << 26;

/// Most ranges of values.
const MAX_RANGES: usize = 1 << 16;

/// The values of a field of 1 to 64 bits for which a condition holds, in half-open ranges, ascending and
/// apart from each other; every field of the condition is this one. Halves of the values are looked at as
/// long as the condition is not decided for all of them; if that takes too long, each of few values is.
/// `None` if that takes too long as well, or there are too many ranges.
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

/// What an expression is at most, whatever its fields hold; it may always be less.
pub fn most(expr: &Expr) -> i128 {
    Interval::of(expr, &Values { ends: (0, u64::MAX), width: 64 }).high()
}

/// The values that every field may have, first and last, of a width in bits.
struct Values {
    ends: (u64, u64),
    width: u32,
}

impl Known for Values {
    fn field(&self, _: NameId, reading: Reading) -> Option<Interval> {
        Some(Interval::of_bits(self.ends, self.width, reading))
    }

    fn meets(&self, _: &Presence) -> Option<bool> {
        None
    }
}
