//! The decision tree that finds the opcode of a word, built from the fixed bits of opcodes.
//!
//! A switch looks at a run of bits that as many opcodes as possible fix; an opcode that does
//! not fix them goes into every child. Invariants: every word reaches exactly one leaf; an
//! opcode that matches a word is among the candidates of the word's leaf; candidates with more
//! fixed bits come first, so that a special case is tried before the general one.

use std::collections::HashMap;

use crate::isa::{Opcode, OpcodeId, low_bits};

/// The widest run of bits that a switch looks at.
const MAX_SWITCH_BITS: u32 = 12;

/// The widest run if some candidates do not fix the bits and are copied.
const MAX_COPYING_SWITCH_BITS: u32 = 4;

/// The number of children of switches that the tree may have per opcode, besides a fixed number.
const CHILDREN_PER_OPCODE: usize = 16;

/// Leaves with at most this many candidates are not split if that would copy candidates.
const SMALL_LEAF: usize = 3;

/// A decision tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    children: Vec<u32>,
    candidates: Vec<OpcodeId>,
    root: u32,
}

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// Candidates to be compared with the word, in order.
    Leaf {
        /// Index of the first in [`Tree::candidates`].
        first: u32,
        /// Their number.
        count: u32,
    },
    /// Looks at bits `shift` to `shift + width - 1`.
    Switch {
        /// Lowest bit.
        shift: u32,
        /// Number of bits.
        width: u32,
        /// Index of the child for 0 in [`Tree::children`]; the others follow.
        first: u32,
    },
}

impl Tree {
    /// Builds the tree for the `selected` opcodes, for words of `width` bits.
    pub(crate) fn build(opcodes: &[Opcode], selected: &[OpcodeId], width: u32) -> Tree {
        let mut builder = Builder {
            opcodes,
            tree: Tree { nodes: Vec::new(), children: Vec::new(), candidates: Vec::new(), root: 0 },
            leaves: HashMap::new(),
            budget: CHILDREN_PER_OPCODE * opcodes.len() + 4096,
        };
        builder.leaf(&[]);
        let mut all = selected.to_vec();
        all.sort_by_key(|id| (std::cmp::Reverse(opcodes[id.index()].mask.count_ones()), *id));
        builder.tree.root = builder.node(&all, !low_bits(width));
        builder.tree
    }

    /// The candidates of a word.
    pub fn candidates(&self, word: u128) -> &[OpcodeId] {
        let mut node = self.nodes[self.root as usize];
        loop {
            match node {
                Node::Leaf { first, count } => {
                    return &self.candidates[first as usize..(first + count) as usize];
                }
                Node::Switch { shift, width, first } => {
                    let index = (word >> shift & low_bits(width)) as u32;
                    node = self.nodes[self.children[(first + index) as usize] as usize];
                }
            }
        }
    }

    /// All nodes; 0 is the empty leaf.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node to begin with.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The children of all switches, as indexes of nodes.
    pub fn children(&self) -> &[u32] {
        &self.children
    }

    /// The candidates of all leaves.
    pub fn all_candidates(&self) -> &[OpcodeId] {
        &self.candidates
    }

    /// The candidates of each leaf.
    pub fn leaves(&self) -> impl Iterator<Item = &[OpcodeId]> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Leaf { first, count } => {
                Some(&self.candidates[*first as usize..(first + count) as usize])
            }
            Node::Switch { .. } => None,
        })
    }
}

struct Builder<'o> {
    opcodes: &'o [Opcode],
    tree: Tree,
    /// Leaves by their candidates: equal leaves are shared.
    leaves: HashMap<Vec<OpcodeId>, u32>,
    /// The number of children that may still be created; this bounds the cost of copying.
    budget: usize,
}

/// A run of bits to look at.
#[derive(Clone, Copy)]
struct Run {
    shift: u32,
    width: u32,
}

impl Builder<'_> {
    /// The node for these candidates, of which `tested` bits are known.
    fn node(&mut self, candidates: &[OpcodeId], tested: u128) -> u32 {
        let Some(run) = self.choose(candidates, tested) else { return self.leaf(candidates) };
        let entries = 1usize << run.width;
        if entries > self.budget {
            return self.leaf(candidates);
        }
        self.budget -= entries;
        let bits = low_bits(run.width) << run.shift;
        let mut buckets: Vec<Vec<OpcodeId>> = vec![Vec::new(); entries];
        for id in candidates {
            let opcode = &self.opcodes[id.index()];
            let (mask, value) =
                (opcode.mask >> run.shift & low_bits(run.width), opcode.value >> run.shift);
            let fixed = (value & mask) as usize;
            let free = (!mask & low_bits(run.width)) as usize;
            // For every value that agrees in the fixed bits, enumerates the subsets of `free`.
            let mut subset = 0usize;
            loop {
                buckets[fixed | subset].push(*id);
                subset = subset.wrapping_sub(free) & free;
                if subset == 0 {
                    break;
                }
            }
        }
        let children: Vec<u32> =
            buckets.iter().map(|bucket| self.node(bucket, tested | bits)).collect();
        let first = self.tree.children.len() as u32;
        self.tree.children.extend(children);
        self.tree.nodes.push(Node::Switch { shift: run.shift, width: run.width, first });
        self.tree.nodes.len() as u32 - 1
    }

    fn leaf(&mut self, candidates: &[OpcodeId]) -> u32 {
        if let Some(node) = self.leaves.get(candidates) {
            return *node;
        }
        let first = self.tree.candidates.len() as u32;
        self.tree.candidates.extend_from_slice(candidates);
        self.tree.nodes.push(Node::Leaf { first, count: candidates.len() as u32 });
        let node = self.tree.nodes.len() as u32 - 1;
        self.leaves.insert(candidates.to_vec(), node);
        node
    }

    /// The bits to look at next, if any distinguish candidates.
    fn choose(&self, candidates: &[OpcodeId], tested: u128) -> Option<Run> {
        if candidates.len() < 2 {
            return None;
        }
        let opcodes = || candidates.iter().map(|id| &self.opcodes[id.index()]);
        let common = opcodes().fold(!tested, |bits, opcode| bits & opcode.mask);
        if let Some(run) = self.best_run(candidates, common, MAX_SWITCH_BITS) {
            return Some(run);
        }
        if candidates.len() <= SMALL_LEAF {
            return None;
        }
        // No bit is fixed in all candidates: take the bit that leaves the fewest candidates on its
        // fuller side, and its neighbours that the same candidates fix.
        let sides = |bit: u32| {
            let fixing = opcodes().filter(|opcode| opcode.mask >> bit & 1 == 1);
            let ones = fixing.clone().filter(|opcode| opcode.value >> bit & 1 == 1).count();
            let zeros = fixing.count() - ones;
            (ones > 0 && zeros > 0).then(|| candidates.len() - ones.min(zeros))
        };
        let bits = (0..128).filter(|bit| tested >> bit & 1 == 0);
        let (_, bit) = bits.filter_map(|bit| Some((sides(bit)?, bit))).min()?;
        let of_same =
            |other: u32| opcodes().all(|opcode| opcode.mask >> other & 1 == opcode.mask >> bit & 1);
        let alike = (0..128).filter(|other| tested >> other & 1 == 0 && of_same(*other));
        let alike = alike.fold(0u128, |bits, other| bits | 1 << other);
        self.best_run(candidates, alike, MAX_COPYING_SWITCH_BITS)
    }

    /// The run within `bits` that distinguishes the most values; of equals, the narrower and lower one.
    fn best_run(&self, candidates: &[OpcodeId], bits: u128, widest: u32) -> Option<Run> {
        let fixed = candidates.iter().map(|id| &self.opcodes[id.index()]);
        let ones = fixed.clone().fold(0, |all, opcode| all | opcode.value & opcode.mask);
        let zeros = fixed.fold(0, |all, opcode| all | !opcode.value & opcode.mask);
        let telling = bits & ones & zeros;
        let mut best: Option<(usize, std::cmp::Reverse<u32>, Run)> = None;
        let mut rest = telling;
        while rest != 0 {
            let shift = rest.trailing_zeros();
            rest &= rest - 1;
            let reach = (!(bits >> shift)).trailing_zeros().min(widest);
            let width = 128 - (telling >> shift & low_bits(reach)).leading_zeros();
            let distinct = self.distinct(candidates, Run { shift, width });
            let key = (distinct, std::cmp::Reverse(width));
            if best.is_none_or(|(most, narrowest, _)| key > (most, narrowest)) {
                best = Some((distinct, std::cmp::Reverse(width), Run { shift, width }));
            }
        }
        best.map(|(_, _, run)| run)
    }

    fn distinct(&self, candidates: &[OpcodeId], run: Run) -> usize {
        let mut seen = vec![false; 1 << run.width];
        for id in candidates {
            seen[(self.opcodes[id.index()].value >> run.shift & low_bits(run.width)) as usize] =
                true;
        }
        seen.into_iter().filter(|seen| *seen).count()
    }
}
