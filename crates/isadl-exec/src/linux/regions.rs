//! Sets of addresses, as ranges.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of addresses: ranges that neither overlap nor touch.
#[derive(Debug, Clone, Default)]
pub(super) struct Regions {
    /// The end of each range, by its start.
    ends: BTreeMap<u64, u64>,
}

impl Regions {
    /// The parts of a range that are in the set, by ascending addresses.
    pub(super) fn within(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let before = self.ends.range(..range.start).next_back();
        let all =
            before.into_iter().chain(self.ends.range(range.start..range.end.max(range.start)));
        all.map(|(start, end)| *start.max(&range.start)..*end.min(&range.end))
            .filter(|part| part.start < part.end)
            .collect()
    }

    pub(super) fn has_any(&self, range: &Range<u64>) -> bool {
        !self.within(range).is_empty()
    }

    pub(super) fn has_all(&self, range: &Range<u64>) -> bool {
        range.is_empty() || self.within(range) == [range.clone()]
    }

    pub(super) fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let (mut start, mut end) = (range.start, range.end);
        let before = self.ends.range(..=start).next_back().map(|(start, end)| (*start, *end));
        if let Some((first, last)) = before.filter(|(_, last)| *last >= start) {
            (start, end) = (first, end.max(last));
        }
        while let Some((first, last)) = self.ends.range(start..=end).next().map(|(a, b)| (*a, *b)) {
            self.ends.remove(&first);
            end = end.max(last);
        }
        self.ends.insert(start, end);
    }

    pub(super) fn remove(&mut self, range: &Range<u64>) {
        for part in self.within(range) {
            let found = self.ends.range(..=part.start).next_back().map(|(a, b)| (*a, *b));
            let Some((first, last)) = found else { continue };
            self.ends.remove(&first);
            if first < part.start {
                self.ends.insert(first, part.start);
            }
            if part.end < last {
                self.ends.insert(part.end, last);
            }
        }
    }

    /// The highest range of so many addresses below `top` and not below `bottom` that the set does not have.
    pub(super) fn free_below(&self, top: u64, bottom: u64, length: u64) -> Option<Range<u64>> {
        let mut top = top;
        for (start, end) in self.ends.range(..top).rev() {
            if *end < top && top - *end >= length {
                break;
            }
            top = top.min(*start);
        }
        let start = top.checked_sub(length).filter(|start| *start >= bottom)?;
        Some(start..top)
    }

    /// How many addresses it has.
    pub(super) fn count(&self) -> u64 {
        self.ends.iter().map(|(start, end)| end - start).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(ranges: &[Range<u64>]) -> Regions {
        let mut regions = Regions::default();
        ranges.iter().for_each(|range| regions.add(range.clone()));
        regions
    }

    fn all(regions: &Regions) -> Vec<Range<u64>> {
        regions.within(&(0..u64::MAX))
    }

    #[test]
    fn ranges_that_touch_are_one() {
        let mut set = regions(&[10..20, 30..40, 20..25, 50..60]);
        assert_eq!(all(&set), [10..25, 30..40, 50..60]);
        set.add(24..55);
        assert!(set.has_all(&(10..60)) && set.count() == 50);
        set.remove(&(15..17));
        set.remove(&(0..11));
        set.remove(&(59..100));
        assert_eq!(all(&set), [11..15, 17..59]);
        assert!(set.has_all(&(17..59)) && !set.has_all(&(14..18)) && set.has_any(&(14..18)));
        assert!(!set.has_any(&(15..17)) && set.has_all(&(3..3)) && !set.has_any(&(3..3)));
        assert_eq!(set.count(), 46);
    }

    #[test]
    fn the_highest_free_range_is_found() {
        let set = regions(&[10..20, 30..40, 50..60]);
        assert_eq!(set.free_below(70, 0, 10), Some(60..70));
        assert_eq!(set.free_below(60, 0, 10), Some(40..50));
        assert_eq!(set.free_below(55, 0, 3), Some(47..50));
        assert_eq!(set.free_below(45, 0, 6), Some(24..30));
        assert_eq!(set.free_below(50, 0, 10), Some(40..50));
        assert_eq!(set.free_below(70, 0, 11), None);
        assert_eq!(set.free_below(70, 45, 10), Some(60..70));
        assert_eq!(set.free_below(60, 45, 6), None);
        assert_eq!(set.free_below(5, 0, 5), Some(0..5));
        assert_eq!(set.free_below(5, 0, u64::MAX), None);
    }

    /// Against a set of single addresses.
    #[test]
    fn as_a_set_of_addresses() {
        let mut state: u64 = 1;
        let mut next = move |limit: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % limit
        };
        let (mut set, mut plain) = (Regions::default(), [false; 64]);
        for _ in 0..20_000 {
            let start = next(64);
            let range = start..start + next(65 - start);
            let is_added = next(2) == 0;
            match is_added {
                true => set.add(range.clone()),
                false => set.remove(&range),
            }
            plain[range.start as usize..range.end as usize].fill(is_added);
            let whole = next(60);
            let asked = whole..whole + 4;
            let own = plain[whole as usize..whole as usize + 4].iter();
            assert_eq!(set.has_all(&asked), own.clone().all(|one| *one));
            assert_eq!(set.has_any(&asked), own.clone().any(|one| *one));
            assert_eq!(set.count(), plain.iter().filter(|one| **one).count() as u64);
            let (top, length) = (next(65), next(8) + 1);
            let is_free =
                |start: &u64| !plain[*start as usize..(*start + length) as usize].contains(&true);
            let expected =
                (0..=top.saturating_sub(length)).rev().filter(|_| length <= top).find(is_free);
            assert_eq!(set.free_below(top, 0, length).map(|found| found.start), expected);
        }
    }
}
