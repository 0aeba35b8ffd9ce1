//! The search for a word that satisfies all constraints.
//!
//! Fields that must equal constants are decided first. Constraints that do not share unknown bits are separate
//! questions. Within a question, each field is decided from its most significant bit on, which narrows intervals
//! fastest.

use std::collections::HashSet;

use super::constraint::Constraint;
use super::{Answer, Budget, Partial};
use crate::isa::Bits;

/// Searches for a word with the fixed bits that satisfies the constraints.
pub(super) fn search(
    fixed: Partial,
    constraints: &[Constraint<'_>],
    budget: &mut Budget,
) -> Answer {
    if budget.take(constraints.len() as u64).is_none() {
        return Answer::Undecided;
    }
    let required = constraints.iter().try_fold(fixed, |all, of| all.and(of.required()?));
    let Some(fixed) = required else { return Answer::None };
    let mut open = Vec::new();
    for constraint in constraints {
        match constraint.truth(fixed) {
            Some(true) => {}
            Some(false) => return Answer::None,
            None => open.push(constraint),
        }
    }
    let mut word = fixed.value;
    let mut is_undecided = false;
    for part in parts(fixed, open) {
        let mut search = Search { order: order(&part), budget };
        match search.from(fixed, &part) {
            // A part without a word decides the answer, regardless of the other parts.
            Answer::None => return Answer::None,
            Answer::Undecided => is_undecided = true,
            Answer::Word(found) => word |= found,
        }
    }
    if is_undecided { Answer::Undecided } else { Answer::Word(word) }
}

/// Groups constraints into sets that do not share unknown bits, the sets with the fewest bits first.
fn parts<'c, 'q>(
    fixed: Partial,
    constraints: Vec<&'c Constraint<'q>>,
) -> Vec<Vec<&'c Constraint<'q>>> {
    let mut parts: Vec<(u128, Vec<&Constraint<'q>>)> = Vec::new();
    for constraint in constraints {
        let own = constraint.support() & !fixed.known;
        let (shared, apart): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(bits, _)| bits & own != 0);
        // The order is reversed at the end, so that long parts are not copied.
        let mut joined = (own, Vec::new());
        for (bits, constraints) in shared.into_iter().rev() {
            joined.0 |= bits;
            match joined.1.is_empty() {
                true => joined.1 = constraints,
                false => joined.1.extend(constraints),
            }
        }
        joined.1.push(constraint);
        parts = apart;
        parts.push(joined);
    }
    parts.sort_by_key(|(bits, _)| bits.count_ones());
    let reversed = parts.into_iter().map(|(_, constraints)| constraints.into_iter().rev());
    reversed.map(Iterator::collect).collect()
}

/// The order in which the bits of the constraints are decided.
fn order(constraints: &[&Constraint<'_>]) -> Vec<u32> {
    let mut bits: Vec<(u32, u32)> = Vec::new();
    let mut seen: HashSet<&Bits> = HashSet::new();
    let fields = constraints.iter().flat_map(|constraint| constraint.fields());
    for field in fields.filter(|field| seen.insert(&field.bits)) {
        for (at, piece) in field.bits.places() {
            bits.extend((0..piece.width).map(|bit| (128 - at - bit, piece.lsb + bit)));
        }
    }
    let support = constraints.iter().fold(0, |bits, constraint| bits | constraint.support());
    bits.extend((0..128).filter(|bit| support >> bit & 1 == 1).map(|bit| (129, bit)));
    bits.sort_unstable();
    let mut taken = 0u128;
    bits.retain(|(_, bit)| {
        let is_new = taken >> bit & 1 == 0;
        taken |= 1 << bit;
        is_new
    });
    bits.into_iter().map(|(_, bit)| bit).collect()
}

struct Search<'b> {
    order: Vec<u32>,
    budget: &'b mut Budget,
}

impl Search<'_> {
    fn from(&mut self, word: Partial, constraints: &[&Constraint<'_>]) -> Answer {
        let mut open = Vec::with_capacity(constraints.len());
        let mut unknown = 0;
        let mut forced = None;
        for constraint in constraints {
            if self.budget.take(constraint.operators()).is_none() {
                return Answer::Undecided;
            }
            match constraint.truth(word) {
                Some(true) => {}
                Some(false) => return Answer::None,
                None => {
                    open.push(*constraint);
                    let bits = constraint.support() & !word.known;
                    // The constraint alone decides its last bit.
                    forced =
                        forced.or(Some(bits.trailing_zeros()).filter(|_| bits.is_power_of_two()));
                    unknown |= bits;
                }
            }
        }
        // A constraint without unknown bits is decided, so an open constraint has unknown bits.
        let next = || self.order.iter().copied().find(|bit| unknown >> bit & 1 == 1);
        let bit = forced.or_else(next);
        let Some(bit) = bit else { return Answer::Word(word.value) };
        match self.from(word.with(bit, false), &open) {
            Answer::None => self.from(word.with(bit, true), &open),
            found => found,
        }
    }
}
