//! Look-ups that lead from a word to the rows whose fixed bits it may have.
//!
//! A lookup takes the bits that tell most candidates apart. If several candidates remain, another lookup follows by all
//! remaining fixed bits, if these are few. Otherwise the candidates are compared one by one, starting with the most
//! fixed bits. If all fixed bits are few, the first lookup takes them all, and nothing is compared.

use std::collections::{HashMap, HashSet};

use isadl_engine::image::{ALWAYS_TWO, Gather, IS_NODE, Leaf, Node, Pattern};

use super::conditions::Conditions;
use super::gather::{self, MAX_BITS};
use crate::isa::low_bits;

/// What is known of candidates beside themselves.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    /// Which presences no set of extensions has together, the smaller number first.
    pub(super) exclusive: &'k HashSet<[usize; 2]>,
    /// The conditions of leaves.
    pub(super) conditions: &'k Conditions,
}

/// Fixed bits, and the leaf of words that have them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) mask: u128,
    pub(super) value: u128,
    /// Whether it takes only some of the words with its bits, and so is not a special case of others.
    pub(super) has_match: bool,
    /// The sets of extensions that have it, among all such; 0 for every set.
    pub(super) presence: usize,
    /// The action for its words; `next` is not used.
    pub(super) leaf: Leaf,
}

impl Candidate {
    /// Whether `special` is a special case of this candidate.
    fn is_general(&self, special: &Candidate) -> bool {
        !special.has_match
            && self.mask & special.mask == self.mask
            && self.mask != special.mask
            && (self.value ^ special.value) & self.mask == 0
    }

    /// Whether they share words and neither is a special case of the other.
    fn overlaps(&self, other: &Candidate) -> bool {
        (self.value ^ other.value) & self.mask & other.mask == 0
            && !self.is_general(other)
            && !other.is_general(self)
    }
}

/// Limit on the bits of the first lookup.
const MAX_ROOT_BITS: u32 = 16;

/// Limit on the pairs of candidates that the choice of bits considers.
const MAX_PAIRS: usize = 100_000;

/// How many times as long tables may be so that nothing need be compared.
const MAX_GROWTH: usize = 2;

/// The same, so that two look-ups, or three, lead to every word's opcode and few words are compared twice.
const MAX_GROWTH_OF_MORE: usize = 3;

/// Limit on the lowest bits that choose a first look-up.
const MAX_SPLIT_BITS: u32 = 3;

/// Limit on the bits that a second look-up takes so that no third one is needed.
const MAX_REST_BITS: u32 = 10;

/// The same, with bits that decide only whether a word is legal.
const MAX_CONDITIONAL_BITS: u32 = 6;

/// How look-ups are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As few bits as tell candidates apart.
    Short,
    /// Look-ups after the first take all bits that are left, where these are few.
    Exact,
    /// The same of the second look-up, which is the last. The lowest bits, of which these are ones, choose the first.
    Two(u32),
    /// The same of the third look-up, where two would take too long tables: the second takes as few bits as tell candidates
    /// apart.
    Three,
}

/// How much time is spent on the choice of look-ups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Choice {
    /// The one with the fastest decoder.
    Best,
    /// The first one that is made.
    First,
}

/// The look-ups of all generations.
pub(super) struct Lookups {
    pub(super) roots: Vec<Node>,
    /// The lowest bits of words, which choose among the first look-ups of a generation.
    pub(super) split: u32,
    pub(super) table: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
    /// The fixed bits of leaves.
    pub(super) patterns: Vec<Pattern>,
    pub(super) depth: u8,
    pub(super) compares: bool,
    /// Whether some words have the fixed bits of two candidates, neither of which is a special case of the other.
    pub(super) has_overlaps: bool,
    style: Style,
    leaf_numbers: HashMap<(Leaf, Pattern), u32>,
    node_numbers: HashMap<Node, u32>,
    /// Where the entries of nodes are that lead to leaves only.
    known_nodes: HashMap<(Gather, Vec<u32>), u32>,
}

impl Lookups {
    /// Creates lookups with initial leaves: a leaf for no word, and a leaf for each row.
    fn new(leaves: Vec<Leaf>, patterns: Vec<Pattern>, style: Style) -> Lookups {
        let numbered = leaves.iter().copied().zip(patterns.iter().copied()).zip(0..);
        Lookups {
            leaf_numbers: numbered.collect(),
            node_numbers: HashMap::new(),
            known_nodes: HashMap::new(),
            roots: Vec::new(),
            split: if let Style::Two(split) = style { split } else { 0 },
            table: Vec::new(),
            nodes: Vec::new(),
            leaves,
            patterns,
            depth: 1,
            compares: false,
            has_overlaps: false,
            style,
        }
    }

    /// Builds the lookups of the candidates of each generation. Prefers lookups without comparisons if they are neither
    /// deeper nor much larger than the alternative. Where there would be three, two and three are tried that take more bits, and
    /// the ones after which the fewest words are compared twice are chosen.
    pub(super) fn of(
        (leaves, patterns): (&[Leaf], &[Pattern]),
        candidates: &[Vec<Candidate>],
        known: Known<'_>,
        choice: Choice,
    ) -> Lookups {
        let made = |style: Style| {
            let mut lookups = Lookups::new(leaves.to_vec(), patterns.to_vec(), style);
            candidates.iter().for_each(|candidates| lookups.add(candidates, known));
            lookups
        };
        let short = made(Style::Short);
        if choice == Choice::First {
            return short;
        }
        if !short.compares {
            return short.evened();
        }
        let most = MAX_GROWTH * short.table.len();
        let exact = made(Style::Exact);
        if !exact.compares && exact.depth <= short.depth && exact.table.len() <= most {
            return exact.evened();
        }
        if short.depth <= 2 {
            return short.evened();
        }
        let (short, mut best) = (short.table.len(), short.evened());
        let mut splits = vec![0, split(candidates)];
        splits.dedup();
        let styles = splits.into_iter().map(Style::Two).chain([Style::Three]);
        for style in styles {
            let other = made(style).evened();
            if other.table.len() <= MAX_GROWTH_OF_MORE * short && other.cost() < best.cost() {
                best = other;
            }
        }
        best
    }

    /// What decoding takes: more than two look-ups, or a varying number of them, are worse than comparisons, of which as
    /// few words as possible need several. The length of tables decides last.
    fn cost(&self) -> (bool, u64, usize) {
        let depth = self.depth != ALWAYS_TWO && self.depth != 1;
        let per_root = self.roots.iter().map(|root| self.retries(root, self.split.into()));
        (depth, per_root.sum(), self.table.len())
    }

    /// How many of 2^40 words lead to a leaf with conditions, or to one with a successor and do not have its fixed bits.
    fn retries(&self, node: &Node, tested: u128) -> u64 {
        let tested = tested | gather::bits(&node.gather);
        let of_leaf = |leaf: usize| match self.leaves[leaf] {
            Leaf { conditions: 1.., .. } => 1 << 40,
            Leaf { next: 0, .. } => 0,
            _ => {
                (1 << 40) - (1 << (40 - (self.patterns[leaf].mask & !tested).count_ones().min(40)))
            }
        };
        let first = node.first as usize;
        let entries = &self.table[first..first + gather::len(&node.gather)];
        let retries = entries.iter().map(|entry| match entry & IS_NODE {
            0 => of_leaf(*entry as usize),
            _ => self.retries(&self.nodes[(entry ^ IS_NODE) as usize], tested),
        });
        retries.sum::<u64>() / entries.len() as u64
    }

    /// Adds a second lookup of no bits where the first lookup leads to a leaf.
    ///
    /// This applies if there are at most two lookups and the first mostly leads to another. An unconditional second
    /// lookup is faster than an unpredictable branch.
    fn evened(mut self) -> Lookups {
        let slots =
            |root: &Node| root.first as usize..root.first as usize + gather::len(&root.gather);
        let slots: Vec<usize> = self.roots.iter().flat_map(slots).collect();
        let leads = |to_node: bool| {
            let entries = slots.iter().map(|slot| self.table[*slot]).filter(|entry| *entry != 0);
            entries.filter(|entry| (entry & IS_NODE != 0) == to_node).count()
        };
        let is_mostly_one = self.split == 0 && leads(true) < leads(false);
        if self.depth != 2 || is_mostly_one {
            return self;
        }
        let mut known = HashMap::new();
        for slot in slots {
            let leaf = self.table[slot];
            if leaf & IS_NODE == 0 {
                self.table[slot] = *known.entry(leaf).or_insert_with(|| {
                    self.nodes.push(Node { gather: gather::NONE, first: self.table.len() as u32 });
                    self.table.push(leaf);
                    IS_NODE | (self.nodes.len() - 1) as u32
                });
            }
        }
        self.depth = ALWAYS_TWO;
        self
    }

    /// Adds the lookups of a generation, one for each value of the lowest bits that are split by.
    fn add(&mut self, candidates: &[Candidate], known: Known<'_>) {
        for low in 0..=self.split {
            let is_own = |candidate: &&Candidate| candidate.value as u32 & self.split == low;
            let own: Vec<Candidate> = candidates.iter().filter(is_own).copied().collect();
            self.add_root(own, known);
        }
    }

    /// Adds the first look-up of some candidates, and all that follow. Of several candidates that share a word, the
    /// candidate with the most fixed bits is tested first: if another candidate is nested in it, the nested candidate
    /// takes the word.
    fn add_root(&mut self, mut candidates: Vec<Candidate>, of: Known<'_>) {
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.mask.count_ones()));
        let known = HashMap::new();
        let mut level = Level { lookups: self, all: &candidates, of, known, depth: 1 };
        let every: Vec<u32> = (0..candidates.len() as u32).collect();
        let tested = u128::from(level.lookups.split);
        let low = level.all.first().map_or(0, |first| first.value & tested);
        let bits = level.root_bits(&every, tested);
        let root = level.node(&every, (tested, low), bits);
        self.roots.push(root);
    }

    /// The number of a node.
    fn node(&mut self, node: Node) -> u32 {
        let next = self.nodes.len() as u32;
        *self.node_numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            next
        })
    }

    /// The number of a leaf.
    fn leaf(&mut self, leaf: Leaf, pattern: Pattern) -> u32 {
        let next = self.leaves.len() as u32;
        *self.leaf_numbers.entry((leaf, pattern)).or_insert_with(|| {
            self.leaves.push(leaf);
            self.patterns.push(pattern);
            next
        })
    }
}

/// Tested bits, and their values.
type Tested = (u128, u128);

/// The state while the lookups of one generation are built.
struct Level<'l> {
    lookups: &'l mut Lookups,
    all: &'l [Candidate],
    of: Known<'l>,
    /// Entries for lists of candidates below tested bits, some of which matter by their values.
    known: HashMap<(Vec<u32>, u128, u128), u32>,
    depth: u8,
}

impl Level<'_> {
    /// The bits of the first look-up.
    fn root_bits(&self, every: &[u32], tested: u128) -> u128 {
        let fixed = every.iter().fold(0, |bits, index| bits | self.all[*index as usize].mask);
        match gather::gather(fixed & !tested) {
            Some(_) => fixed & !tested,
            // Each of several first look-ups has few candidates, and what it leaves is all for the second.
            None if self.lookups.split != 0 => {
                let most = root_bits(every.len()).min(node_bits(every.len()) + 1);
                self.choose(every, tested, most)
            }
            None => self.choose(every, tested, root_bits(every.len())),
        }
    }

    /// The look-up by these bits.
    fn node(&mut self, list: &[u32], tested: Tested, bits: u128) -> Node {
        // INVARIANT: only bits that can be gathered are chosen.
        let gather = gather::gather_up_to(bits, bits.count_ones()).unwrap_or(gather::NONE);
        let first = self.lookups.table.len();
        self.lookups.table.resize(first + gather::len(&gather), 0);
        self.fill(list, gather, first, tested);
        // Nodes with the same entries are one. Entries of further look-ups may have been added after these.
        let lookups = &mut *self.lookups;
        if lookups.table.len() == first + gather::len(&gather) {
            let entries = lookups.table[first..].to_vec();
            let known = *lookups.known_nodes.entry((gather, entries)).or_insert(first as u32);
            if known as usize != first {
                lookups.table.truncate(first);
            }
            return Node { gather, first: known };
        }
        Node { gather, first: first as u32 }
    }

    /// Fills in the entries of a look-up.
    fn fill(&mut self, list: &[u32], gather: Gather, first: usize, (tested, value): Tested) {
        let bits = gather::bits(&gather);
        let mut parts: Vec<(u128, Vec<u32>)> = vec![(0, list.to_vec())];
        let mut rest = bits;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            parts = parts.into_iter().flat_map(|part| self.halves(part, bit)).collect();
        }
        let tested = tested | bits;
        for (word, list) in parts.into_iter().filter(|(_, list)| !list.is_empty()) {
            let entry = self.entry(list, (tested, value | word));
            self.lookups.table[first + gather.index(word)] = entry;
        }
    }

    /// The candidates of words without a bit, and the candidates of words with it.
    fn halves(&self, (word, list): (u128, Vec<u32>), bit: u128) -> [(u128, Vec<u32>); 2] {
        let having = |wanted: u128| {
            let fits = |index: &&u32| {
                let candidate = &self.all[**index as usize];
                (candidate.value ^ wanted) & candidate.mask & bit == 0
            };
            list.iter().filter(fits).copied().collect()
        };
        [(word, having(0)), (word | bit, having(bit))]
    }

    /// The entry for candidates.
    fn entry(&mut self, mut list: Vec<u32>, (tested, value): Tested) -> u32 {
        // If an extension set lacks a candidate, the more general candidates take its words.
        let is_sure = |index: &u32| {
            let candidate = &self.all[*index as usize];
            candidate.mask & !tested == 0 && candidate.presence == 0
        };
        if let Some(sure) = list.iter().position(is_sure) {
            let special = self.all[list[sure] as usize];
            let mut at = 0;
            list.retain(|index| {
                at += 1;
                at <= sure + 1 || !self.all[*index as usize].is_general(&special)
            });
        }
        let decisive = list.iter().fold(0, |bits, index| bits | self.conditional_bits(*index));
        let key = (list, tested, value & tested & decisive);
        if let Some(entry) = self.known.get(&key) {
            return *entry;
        }
        let count = key.0.len();
        let bits = match self.lookups.style {
            Style::Two(_) if self.depth == 1 => self.last(&key.0, tested),
            Style::Two(_) => 0,
            Style::Three if self.depth == 1 && count > 2 => {
                match self.choose(&key.0, tested, node_bits(count)) {
                    0 => self.last(&key.0, tested),
                    bits => bits,
                }
            }
            Style::Three if self.depth < 3 => self.last(&key.0, tested),
            Style::Three => 0,
            // A second look-up is better than a comparison that fails.
            style if style == Style::Exact && count > 0 || self.depth == 1 && count > 1 => {
                self.rest(&key.0, tested, node_bits(count))
            }
            _ if count <= 2 => 0,
            _ => self.choose(&key.0, tested, node_bits(count)),
        };
        let entry = match bits {
            0 => self.chain(&key.0, (tested, value)),
            bits => {
                self.depth += 1;
                self.lookups.depth = self.lookups.depth.max(self.depth);
                let node = self.node(&key.0, (tested, value), bits);
                self.depth -= 1;
                IS_NODE | self.lookups.node(node)
            }
        };
        self.known.insert(key, entry);
        entry
    }

    /// All remaining fixed bits, if they are at most `most`; otherwise up to `most` bits that distinguish candidates.
    fn rest(&self, list: &[u32], tested: u128, most: u32) -> u128 {
        let fixed = list.iter().fold(0, |bits, index| bits | self.all[*index as usize].mask);
        let rest = fixed & !tested;
        match gather::gather_up_to(rest, most) {
            Some(_) => rest,
            None => self.choose(list, tested, most),
        }
    }

    /// The bits of the last look-up: all that are left, and those that conditions depend on, or those that distinguish
    /// candidates.
    fn last(&self, list: &[u32], tested: u128) -> u128 {
        let conditional = list.iter().fold(0, |bits, index| bits | self.conditional_bits(*index));
        let fixed = match list.len() {
            0..=1 => 0,
            _ => list.iter().fold(0, |bits, index| bits | self.all[*index as usize].mask),
        };
        let rest = (fixed | conditional) & !tested;
        match gather::gather_up_to(rest, MAX_CONDITIONAL_BITS) {
            Some(_) => rest,
            None if fixed == 0 => 0,
            None => self.rest(list, tested, MAX_REST_BITS),
        }
    }

    /// The bits that decide whether a word of a candidate is legal, if a look-up can take them; 0 if none do.
    fn conditional_bits(&self, index: u32) -> u128 {
        let of_list = |first| self.of.conditions.bits(first).filter(|_| self.takes_conditions());
        of_list(self.all[index as usize].leaf.conditions).unwrap_or_default()
    }

    /// Whether look-ups decide on conditions.
    fn takes_conditions(&self) -> bool {
        matches!(self.lookups.style, Style::Two(_) | Style::Three)
    }

    /// The leaf of a candidate, without conditions if no word with some values of tested bits meets them.
    fn own_leaf(&self, candidate: &Candidate, (tested, value): Tested) -> Leaf {
        let known = tested | candidate.mask;
        let value = value & tested & !candidate.mask | candidate.value;
        let of = self.of.conditions;
        match self.takes_conditions() && of.are_never(candidate.leaf.conditions, known, value) {
            true => Leaf { conditions: 0, ..candidate.leaf },
            false => candidate.leaf,
        }
    }

    /// The leaf of the first candidate, which leads to the leaves of the others.
    fn chain(&mut self, list: &[u32], (tested, value): Tested) -> u32 {
        let mut next = 0;
        let overlaps = || {
            let candidate = |index: &u32| &self.all[*index as usize];
            let mut rest = list.iter().map(candidate);
            std::iter::from_fn(|| Some((rest.next()?, rest.clone()))).any(|(first, mut rest)| {
                rest.any(|other| first.overlaps(other) && !self.are_exclusive(first, other))
            })
        };
        self.lookups.has_overlaps |= !self.lookups.has_overlaps && overlaps();
        for index in list.iter().rev() {
            let candidate = &self.all[*index as usize];
            self.lookups.compares |= candidate.mask & !tested != 0 || candidate.presence != 0;
            let pattern = Pattern(candidate.mask, candidate.value);
            let leaf = self.own_leaf(candidate, (tested, value));
            next = self.lookups.leaf(Leaf { next, ..leaf }, pattern);
        }
        next
    }

    /// Whether no set of extensions has both.
    fn are_exclusive(&self, a: &Candidate, b: &Candidate) -> bool {
        let (a, b) = (a.presence.min(b.presence), a.presence.max(b.presence));
        self.of.exclusive.contains(&[a, b])
    }

    /// Chooses at most `most` bits that tell candidates apart. Each bit tells the most remaining pairs apart.
    fn choose(&self, list: &[u32], tested: u128, most: u32) -> u128 {
        let mut pairs = self.pairs(list, tested);
        let mut chosen = 0u128;
        while !pairs.is_empty() && chosen.count_ones() < most {
            let mut counts = [0u32; 128];
            for pair in &pairs {
                let mut bits = *pair;
                while bits != 0 {
                    counts[bits.trailing_zeros() as usize] += 1;
                    bits &= bits - 1;
                }
            }
            // Ties prefer a bit beside a chosen bit, then the lowest bit: adjacent bits can be gathered together with
            // more other bits. If only some of the pairs are counted, nearly equal counts are ties.
            let of_all = list.len() * list.len().saturating_sub(1) / 2 <= MAX_PAIRS;
            let rank = |bit: &u32| {
                let one = 1u128 << bit;
                let is_beside = chosen & (one << 1 | one >> 1) != 0;
                let count = counts[*bit as usize] as usize;
                let count =
                    if of_all { count } else { (count * 16 + pairs.len() / 2) / pairs.len() };
                (count, is_beside, std::cmp::Reverse(*bit))
            };
            let mut open: Vec<u32> = (0..128).filter(|bit| counts[*bit as usize] > 0).collect();
            open.sort_by_key(|bit| std::cmp::Reverse(rank(bit)));
            let mut fitting = open.into_iter().map(|bit| chosen | 1 << bit);
            let Some(bits) = fitting.find(|bits| gather::gather_up_to(*bits, most).is_some())
            else {
                break;
            };
            chosen = bits;
            pairs.retain(|pair| pair & chosen == 0);
        }
        chosen
    }

    /// The bits that distinguish the opcodes of each pair: for all pairs, or for a sample if there are too many.
    fn pairs(&self, list: &[u32], tested: u128) -> Vec<u128> {
        let count = list.len();
        let bits = |(a, b): (usize, usize)| {
            let (a, b) = (&self.all[list[a] as usize], &self.all[list[b] as usize]);
            match (a.value ^ b.value) & a.mask & b.mask & !tested {
                // What only one of them fixes tells most words apart.
                0 if self.lookups.split != 0 && (a.value ^ b.value) & a.mask & b.mask == 0 => {
                    (a.mask ^ b.mask) & !tested
                }
                bits => bits,
            }
        };
        if count * count.saturating_sub(1) / 2 <= MAX_PAIRS {
            let pairs = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
            return pairs.map(bits).filter(|bits| *bits != 0).collect();
        }
        // Pairs at regular distances would share the important bits: where opcodes are numbered, bit 0 distinguishes
        // all pairs at odd distances.
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (((random >> 32) * count as u64) >> 32) as usize
        };
        let pairs = std::iter::repeat_with(|| (next(), next())).take(MAX_PAIRS);
        pairs.map(bits).filter(|bits| *bits != 0).collect()
    }
}

/// The lowest bits that all candidates fix, as ones.
fn split(candidates: &[Vec<Candidate>]) -> u32 {
    let fixed =
        candidates.iter().flatten().fold(u128::MAX, |bits, candidate| bits & candidate.mask);
    low_bits(fixed.trailing_ones().min(MAX_SPLIT_BITS)) as u32
}

/// Bits of the first lookup for `count` candidates: a longer table costs less than a second lookup, as long as most of
/// it is in use.
fn root_bits(count: usize) -> u32 {
    (usize::BITS - count.leading_zeros()).clamp(MAX_BITS, MAX_ROOT_BITS)
}

/// Bits of a later lookup for `count` candidates, so that tables are not too sparse.
fn node_bits(count: usize) -> u32 {
    (usize::BITS - count.leading_zeros() + 2).min(MAX_BITS)
}
