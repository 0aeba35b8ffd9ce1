//! Multiplications that bring scattered bits together, and truth tables over such bits.

use isadl_engine::image::Gather;

/// Limit on gathered bits, except in the first lookup of many opcodes. A table has two to the power of this many
/// entries.
pub(super) const MAX_BITS: u32 = 12;

/// Limit on runs of bits for which every order is tried.
const MAX_RUNS: usize = 6;

/// The gathering of no bits, whose index is always 0.
pub(in crate::image) const NONE: Gather = Gather { mask: 0, factor: 0, shift: 0, start: 0 };

/// Finds a multiplication that maps every combination of the bits to its own index. There are at most [`MAX_BITS`]
/// bits, not more than 64 apart.
pub(in crate::image) fn gather(bits: u128) -> Option<Gather> {
    gather_up_to(bits, MAX_BITS)
}

/// Like `gather`, for at most `most` bits.
pub(in crate::image) fn gather_up_to(bits: u128, most: u32) -> Option<Gather> {
    if bits == 0 {
        return Some(NONE);
    }
    if bits.count_ones() > most {
        return None;
    }
    // Words of up to 64 bits are not shifted; the engine relies on this. The upper half of longer words needs no shift.
    let starts = match bits >> 64 {
        0 => [0, 0],
        _ => [64, bits.trailing_zeros()],
    };
    starts.into_iter().find_map(|start| gather_from(bits, start))
}

/// Like `gather`, within the 64 bits that begin at a bit of the word.
fn gather_from(bits: u128, start: u32) -> Option<Gather> {
    if bits >> start << start != bits {
        return None;
    }
    let count = bits.count_ones();
    let mask = u64::try_from(bits >> start).ok()?;
    let shift = (64 - count) as u8;
    let gather = |factor| Gather { mask, factor, shift, start: start as u8 };
    let runs = runs(mask);
    if runs.len() > MAX_RUNS {
        return None;
    }
    let mut order: Vec<usize> = (0..runs.len()).collect();
    loop {
        let factor = factor(&runs, &order, 64 - count);
        if let Some(found) = factor.map(gather).filter(is_unique) {
            return Some(found);
        }
        if !next_permutation(&mut order) {
            return None;
        }
    }
}

/// The bits that are gathered.
pub(super) fn bits(gather: &Gather) -> u128 {
    u128::from(gather.mask) << gather.start
}

/// The runs of set bits, from the lowest: where each begins, and how many bits it has.
fn runs(mut mask: u64) -> Vec<(u32, u32)> {
    let mut runs = Vec::new();
    while mask != 0 {
        let low = mask.trailing_zeros();
        let width = (mask >> low).trailing_ones();
        runs.push((low, width));
        mask = if width + low >= 64 { 0 } else { mask >> (low + width) << (low + width) };
    }
    runs
}

/// The factor that brings runs together in an order, starting at bit `at`; `None` if a run would have to move down.
fn factor(runs: &[(u32, u32)], order: &[usize], mut at: u32) -> Option<u64> {
    let mut factor = 0u64;
    for index in order {
        let (low, width) = runs[*index];
        factor = factor.wrapping_add(1 << at.checked_sub(low)?);
        at += width;
    }
    Some(factor)
}

/// Whether every combination of the bits has an index of its own.
fn is_unique(gather: &Gather) -> bool {
    let mut seen = vec![false; len(gather)];
    combined(gather.mask).all(|part| !std::mem::replace(&mut seen[index_of(gather, part)], true))
}

/// The index of a combination.
fn index_of(gather: &Gather, part: u64) -> usize {
    (part.wrapping_mul(gather.factor) >> (gather.shift & 63)) as usize
}

/// The combinations of the bits of a mask, from the least number.
fn combined(mask: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0u64), move |part| {
        let next = part.wrapping_sub(mask) & mask;
        (next != 0).then_some(next)
    })
}

fn next_permutation(order: &mut [usize]) -> bool {
    let Some(at) = (1..order.len()).rev().find(|at| order[at - 1] < order[*at]) else {
        return false;
    };
    let last = (at..order.len()).rev().find(|last| order[*last] > order[at - 1]).unwrap_or(at);
    order.swap(at - 1, last);
    order[at..].reverse();
    true
}

/// The combinations of gathered bits as words, each with its index.
pub(in crate::image) fn combinations(gather: Gather) -> impl Iterator<Item = (usize, u128)> {
    combinations_with(gather, 0, 0)
}

/// The same, of words with some values of known bits.
pub(super) fn combinations_with(
    gather: Gather,
    known: u128,
    value: u128,
) -> impl Iterator<Item = (usize, u128)> {
    let known = (known >> gather.start) as u64 & gather.mask;
    let value = (value >> gather.start) as u64 & known;
    combined(gather.mask & !known).map(move |part| {
        let part = part | value;
        (index_of(&gather, part), u128::from(part) << gather.start)
    })
}

/// A bit for each index: whether something holds for the combination.
pub(in crate::image) fn truth(gather: Gather, holds: impl Fn(u128) -> bool) -> Vec<u64> {
    let mut truth = vec![0u64; len(&gather).div_ceil(64)];
    for (index, word) in combinations(gather) {
        truth[index / 64] |= u64::from(holds(word)) << (index % 64);
    }
    truth
}

/// How many indexes there are.
pub(super) fn len(gather: &Gather) -> usize {
    1 << gather.mask.count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_has_an_index_of_its_own() {
        let masks: [u128; 7] =
            [0, 0x7f, 0x4000_707f & !0x3, 0xfff << 100, 1 << 63 | 1, 0xf << 60, 0b1010_1010_1010];
        for mask in masks {
            let gather = gather(mask).unwrap();
            let mut indexes: Vec<usize> = combinations(gather).map(|(index, _)| index).collect();
            for (index, word) in combinations(gather) {
                assert_eq!(gather.index(word), index);
                assert_eq!(gather.index(word | !mask), index);
                assert_eq!(word & !mask, 0);
            }
            indexes.sort_unstable();
            assert!(indexes.into_iter().eq(0..1 << mask.count_ones()));
        }
    }

    #[test]
    fn bits_that_are_too_far_apart_are_not_gathered() {
        assert_eq!(gather(1 | 1 << 64), None);
        assert_eq!(gather(0x1fff), None);
    }
}
