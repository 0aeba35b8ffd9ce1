//! Look-ups of opcodes, and conditions.

use isadl_engine::image::{
    ALWAYS_TWO, BY_EXPR, BY_RANGE, BY_TABLE, Gather, IS_NODE, MAX_LANES, NO_MORE, Node,
    OTHERS_FOLLOW, TABLE_FOLLOWS,
};

use super::{Verify, row};

impl Verify<'_> {
    /// The number of places that gathered bits may have; `None` if that is not known.
    fn places(gather: &Gather) -> Option<u64> {
        match gather.shift {
            _ if gather.start >= 128 => None,
            0 if gather.mask == 0 => Some(1),
            shift @ 1..64 => Some((u64::MAX >> shift).checked_add(1)?),
            _ => None,
        }
    }

    /// Whether the truth table of a condition is there.
    pub(super) fn table(&self, at: usize) -> bool {
        let words = &self.image.words;
        let condition = &words.conditions[at];
        let places = Self::places(&condition.gather);
        condition.kind == BY_TABLE
            && places.is_some_and(|places| {
                u64::from(condition.first) + places.div_ceil(64) <= words.truth.len() as u64
            })
    }

    /// Whether a list of conditions is there, and ends; 0 stands for none.
    pub(super) fn conditions(&self, first: u32) -> bool {
        let words = &self.image.words;
        if first == 0 {
            return true;
        }
        let (mut at, mut is_table) = (first as usize, true);
        loop {
            let Some(condition) = words.conditions.get(at) else { return false };
            let place = u64::from(condition.first);
            let is_there = match condition.kind {
                BY_TABLE => is_table && self.table(at),
                BY_RANGE => {
                    !is_table && condition.gather.start < 128 && row(words.truth, place + 1)
                }
                BY_EXPR => !is_table && row(words.exprs, place),
                _ => false,
            };
            match condition.next {
                _ if !is_there => return false,
                NO_MORE => return true,
                OTHERS_FOLLOW => is_table = false,
                TABLE_FOLLOWS if is_table => {}
                _ => return false,
            }
            at += 1;
        }
    }

    pub(super) fn words(&self) -> bool {
        let words = &self.image.words;
        let (leaves, lanes) = (words.leaves, usize::from(words.lanes));
        let sums =
            |first: u32| words.sums.len() == lanes || first as usize + lanes <= words.sums.len();
        let splits = u64::from(words.split) + 1;
        !words.roots.is_empty()
            && splits.is_power_of_two()
            && (words.roots.len() as u64).is_multiple_of(splits)
            && !leaves.is_empty()
            && words.patterns.len() == leaves.len()
            && leaves.len() >= words.rows.len()
            && [0, leaves.len()].contains(&words.significant.len())
            && (!words.ignores_bits || !words.significant.is_empty())
            && [0, words.rows.len()].contains(&words.written.len())
            && lanes <= MAX_LANES
            && (words.conditions.is_empty() || self.table(0))
            && words.lane_starts.iter().all(|start| *start < 128)
            && leaves.iter().all(|leaf| {
                row(words.rows, leaf.row)
                    && row(leaves, leaf.next)
                    && sums(leaf.sums)
                    && self.conditions(leaf.conditions)
                    && (words.presence.is_empty() || row(words.terms, leaf.term))
            })
            && ends(leaves.len(), |leaf| leaves[leaf].next as usize)
            && words.roots.iter().chain(words.nodes).all(|node| self.entries(node).is_some())
            && self.depth()
    }

    /// The entries of a look-up.
    fn entries(&self, node: &Node) -> Option<&[u32]> {
        let words = &self.image.words;
        let places = usize::try_from(Self::places(&node.gather)?).ok()?;
        let first = node.first as usize;
        let own = words.table.get(first..first.checked_add(places)?)?;
        let is_there = |entry: &u32| match entry & IS_NODE {
            0 => row(words.leaves, *entry),
            _ => row(words.nodes, entry ^ IS_NODE),
        };
        own.iter().all(is_there).then_some(own)
    }

    /// Whether look-ups lead to leaves after as many steps as the engine takes.
    fn depth(&self) -> bool {
        let words = &self.image.words;
        let mut heights = vec![None; words.nodes.len()];
        let mut most = 0;
        for root in words.roots {
            let entries = self.entries(root).unwrap_or_default();
            if words.depth == ALWAYS_TWO && entries.iter().any(|entry| entry & IS_NODE == 0) {
                return false;
            }
            for entry in entries.iter().filter(|entry| **entry & IS_NODE != 0) {
                match self.height((entry ^ IS_NODE) as usize, &mut heights, words.nodes.len()) {
                    Some(height) => most = most.max(height),
                    None => return false,
                }
            }
        }
        match words.depth {
            ALWAYS_TWO => most == 1,
            depth @ 1..=2 => most < depth.into(),
            _ => true,
        }
    }

    /// The most look-ups from a node on; `None` if they do not end.
    fn height(&self, at: usize, known: &mut [Option<usize>], left: usize) -> Option<usize> {
        if let Some(height) = known[at] {
            return Some(height);
        }
        // A path that is longer than there are nodes is a circle.
        let left = left.checked_sub(1)?;
        let mut height = 0;
        for entry in self.entries(&self.image.words.nodes[at])? {
            if entry & IS_NODE != 0 {
                height = height.max(self.height((entry ^ IS_NODE) as usize, known, left)?);
            }
        }
        known[at] = Some(height + 1);
        known[at]
    }
}

/// Whether a way from each of some rows to the next ends at 0.
fn ends(count: usize, next: impl Fn(usize) -> usize) -> bool {
    let mut is_good = vec![false; count];
    for start in 1..count {
        let (mut at, mut steps) = (start, 0);
        while at != 0 && !is_good[at] {
            at = next(at);
            steps += 1;
            if steps > count {
                return false;
            }
        }
        let mut at = start;
        while at != 0 && !is_good[at] {
            is_good[at] = true;
            at = next(at);
        }
    }
    true
}
