//! Look-ups that lead from a word to the rows whose fixed bits it may have.
//!
//! A lookup takes the bits that tell most candidates apart. If several candidates remain, another lookup follows by all
//! remaining fixed bits, if these are few. Otherwise the candidates are compared one by one, starting with the most
//! fixed bits. If all fixed bits are few, the first lookup takes them all, and nothing is compared.

use std::collections::{HashMap, HashSet};

use isadl_engine::image::{ALWAYS_TWO, Gather, IS_NODE, Leaf, Node, Pattern};

use super::gather::{self, MAX_BITS};

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

/// The look-ups of all generations.
pub(super) struct Lookups {
    pub(super) roots: Vec<Node>,
    pub(super) table: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
    /// The fixed bits of leaves.
    pub(super) patterns: Vec<Pattern>,
    pub(super) depth: u8,
    pub(super) compares: bool,
    /// Whether some words have the fixed bits of two candidates, neither of which is a special case of the other.
    pub(super) has_overlaps: bool,
    /// Whether look-ups after the first take all bits that are left, where these are few.
    is_exact: bool,
    leaf_numbers: HashMap<(Leaf, Pattern), u32>,
}

impl Lookups {
    /// Creates lookups with initial leaves: a leaf for no word, and a leaf for each row.
    fn new(leaves: Vec<Leaf>, patterns: Vec<Pattern>, is_exact: bool) -> Lookups {
        let numbered = leaves.iter().copied().zip(patterns.iter().copied()).zip(0..);
        Lookups {
            leaf_numbers: numbered.collect(),
            roots: Vec::new(),
            table: Vec::new(),
            nodes: Vec::new(),
            leaves,
            patterns,
            depth: 1,
            compares: false,
            has_overlaps: false,
            is_exact,
        }
    }

    /// Builds the lookups of the candidates of each generation. Prefers lookups without comparisons if they are neither
    /// deeper nor much larger than the alternative.
    pub(super) fn of(
        leaves: &[Leaf],
        patterns: &[Pattern],
        candidates: &[Vec<Candidate>],
        exclusive: &HashSet<[usize; 2]>,
    ) -> Lookups {
        let made = |is_exact: bool| {
            let mut lookups = Lookups::new(leaves.to_vec(), patterns.to_vec(), is_exact);
            candidates.iter().for_each(|candidates| lookups.add(candidates.clone(), exclusive));
            lookups
        };
        let short = made(false);
        if !short.compares {
            return short.evened();
        }
        let exact = made(true);
        let is_better = !exact.compares
            && exact.depth <= short.depth
            && exact.table.len() <= MAX_GROWTH * short.table.len();
        if is_better { exact.evened() } else { short.evened() }
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
        if self.depth != 2 || leads(true) < leads(false) {
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

    /// Adds the lookups of a generation. Of several candidates that share a word, the candidate with the most fixed
    /// bits is tested first: if another candidate is nested in it, the nested candidate takes the word.
    fn add(&mut self, mut candidates: Vec<Candidate>, exclusive: &HashSet<[usize; 2]>) {
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.mask.count_ones()));
        let known = HashMap::new();
        let mut level = Level { lookups: self, all: &candidates, exclusive, known, depth: 1 };
        let every: Vec<u32> = (0..candidates.len() as u32).collect();
        let bits = level.root_bits(&every);
        let root = level.node(&every, 0, bits);
        self.roots.push(root);
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

/// The state while the lookups of one generation are built.
struct Level<'l> {
    lookups: &'l mut Lookups,
    all: &'l [Candidate],
    /// Which presences no set of extensions has together, the smaller number first.
    exclusive: &'l HashSet<[usize; 2]>,
    /// Entries for lists of candidates below tested bits.
    known: HashMap<(Vec<u32>, u128), u32>,
    depth: u8,
}

impl Level<'_> {
    /// The bits of the first look-up.
    fn root_bits(&self, every: &[u32]) -> u128 {
        let fixed = every.iter().fold(0, |bits, index| bits | self.all[*index as usize].mask);
        match gather::gather(fixed) {
            Some(_) => fixed,
            None => self.choose(every, 0, root_bits(every.len())),
        }
    }

    /// The look-up by these bits.
    fn node(&mut self, list: &[u32], tested: u128, bits: u128) -> Node {
        // INVARIANT: only bits that can be gathered are chosen.
        let gather = gather::gather_up_to(bits, bits.count_ones()).unwrap_or(gather::NONE);
        let first = self.lookups.table.len();
        self.lookups.table.resize(first + gather::len(&gather), 0);
        self.fill(list, gather, first, tested);
        Node { gather, first: first as u32 }
    }

    /// Fills in the entries of a look-up.
    fn fill(&mut self, list: &[u32], gather: Gather, first: usize, tested: u128) {
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
            let entry = self.entry(list, tested);
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

    /// The entry for candidates; `tested` holds the bits already tested.
    fn entry(&mut self, mut list: Vec<u32>, tested: u128) -> u32 {
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
        let key = (list, tested);
        if let Some(entry) = self.known.get(&key) {
            return *entry;
        }
        let count = key.0.len();
        // A second look-up is better than a comparison that fails.
        let takes_all = self.lookups.is_exact && count > 0 || self.depth == 1 && count > 1;
        let bits = match count {
            _ if takes_all => self.rest(&key.0, tested, node_bits(count)),
            0..=2 => 0,
            count => self.choose(&key.0, tested, node_bits(count)),
        };
        let entry = match bits {
            0 => self.chain(&key.0, tested),
            bits => {
                self.depth += 1;
                self.lookups.depth = self.lookups.depth.max(self.depth);
                let node = self.node(&key.0, tested, bits);
                self.depth -= 1;
                self.lookups.nodes.push(node);
                IS_NODE | (self.lookups.nodes.len() - 1) as u32
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

    /// The leaf of the first candidate, which leads to the leaves of the others.
    fn chain(&mut self, list: &[u32], tested: u128) -> u32 {
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
            next = self.lookups.leaf(Leaf { next, ..candidate.leaf }, pattern);
        }
        next
    }

    /// Whether no set of extensions has both.
    fn are_exclusive(&self, a: &Candidate, b: &Candidate) -> bool {
        let (a, b) = (a.presence.min(b.presence), a.presence.max(b.presence));
        self.exclusive.contains(&[a, b])
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
            (a.value ^ b.value) & a.mask & b.mask & !tested
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

/// Bits of the first lookup for `count` candidates: a longer table costs less than a second lookup, as long as most of
/// it is in use.
fn root_bits(count: usize) -> u32 {
    (usize::BITS - count.leading_zeros()).clamp(MAX_BITS, MAX_ROOT_BITS)
}

/// Bits of a later lookup for `count` candidates, so that tables are not too sparse.
fn node_bits(count: usize) -> u32 {
    (usize::BITS - count.leading_zeros() + 2).min(MAX_BITS)
}
