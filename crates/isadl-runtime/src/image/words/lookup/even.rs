//! As many look-ups for every word.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use isadl_engine::image::{ALWAYS_THREE, ALWAYS_TWO, Gather, IS_NODE, Node};

use super::{Lookups, gather};

impl Lookups {
    /// Adds look-ups of no bits where fewer look-ups than elsewhere lead to a leaf: if there are three, or two and the first mostly leads
    /// to another. An unconditional look-up is faster than an unpredictable branch.
    pub(super) fn evened(mut self) -> Lookups {
        let slots =
            |root: &Node| root.first as usize..root.first as usize + gather::len(&root.gather);
        let slots: Vec<usize> = self.roots.iter().flat_map(slots).collect();
        let leads = |to_node: bool| {
            let entries = slots.iter().map(|slot| self.table[*slot]).filter(|entry| *entry != 0);
            entries.filter(|entry| (entry & IS_NODE != 0) == to_node).count()
        };
        let is_mostly_one = self.split == 0 && leads(true) < leads(false);
        let others = match self.depth {
            2 if !is_mostly_one => 1,
            3 => 2,
            _ => return self,
        };
        let mut padding = Padding {
            table: std::mem::take(&mut self.table),
            nodes: std::mem::take(&mut self.nodes),
            known: HashMap::new(),
        };
        self.node_numbers.clear();
        self.known_nodes.clear();
        for root in std::mem::take(&mut self.roots) {
            let root = padding.node(&mut self, root, others);
            self.roots.push(root);
        }
        self.depth = if others == 1 { ALWAYS_TWO } else { ALWAYS_THREE };
        self
    }

    /// A look-up with these entries, whose table may be that of another.
    fn node_of(&mut self, gather: Gather, entries: Vec<u32>) -> Node {
        let next = self.table.len() as u32;
        let first = match self.known_nodes.entry((gather, entries)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.table.extend(&new.key().1);
                *new.insert(next)
            }
        };
        Node { gather, first }
    }
}

/// Look-ups that are made again, with as many after each as after the others.
struct Padding {
    table: Vec<u32>,
    nodes: Vec<Node>,
    /// New entries, by the old ones and the number of look-ups after them.
    known: HashMap<(u32, usize), u32>,
}

impl Padding {
    /// A look-up, with `others` after it.
    fn node(&mut self, lookups: &mut Lookups, node: Node, others: usize) -> Node {
        let first = node.first as usize;
        let entries = self.table[first..first + gather::len(&node.gather)].to_vec();
        let entries = entries.into_iter().map(|entry| self.entry(lookups, entry, others)).collect();
        lookups.node_of(node.gather, entries)
    }

    /// An entry, with `others` look-ups after it.
    fn entry(&mut self, lookups: &mut Lookups, entry: u32, others: usize) -> u32 {
        let Some(left) = others.checked_sub(1) else { return entry };
        if let Some(known) = self.known.get(&(entry, others)) {
            return *known;
        }
        let node = match entry & IS_NODE {
            0 => {
                let next = self.entry(lookups, entry, left);
                lookups.node_of(gather::NONE, vec![next])
            }
            _ => self.node(lookups, self.nodes[(entry ^ IS_NODE) as usize], left),
        };
        let new = IS_NODE | lookups.node(node);
        self.known.insert((entry, others), new);
        new
    }
}
