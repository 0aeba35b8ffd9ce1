//! The decision tree in `tables.rs` of a generated crate, as numbers.
//!
//! An entry is 0 for no opcode, the number of a row + 1 for a single candidate, or the index of a
//! node, with markers in its highest bits. The children of switches are mostly empty, so they
//! are written as pairs of index and entry, and spread out by the compiler.

use std::collections::BTreeMap;

use isadl::isa::{OpcodeId, low_bits};
use isadl::tree::{Node, Tree};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::Plan;

/// Marks an entry that is the index of a node.
const IS_NODE: u32 = 1 << 31;

/// Marks an entry that needs no comparison: the way to it has tested all fixed bits.
const IS_EXACT: u32 = 1 << 30;

/// A tree among those whose tables stand one behind another.
struct Placed<'p> {
    plan: &'p Plan<'p>,
    rows: &'p BTreeMap<OpcodeId, usize>,
    tree: &'p Tree,
    first_node: u32,
    first_child: u32,
    first_candidate: u32,
}

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let rows = plan.rows.iter().enumerate();
    let rows = rows.map(|(index, row)| (row.id, plan.row_number(index))).collect();
    let trees = placed(plan, &rows);
    let children: Vec<u32> = trees.iter().flat_map(Placed::children).collect();
    let len = Literal::usize_unsuffixed(children.len());
    let pairs =
        children.iter().enumerate().filter(|(_, entry)| **entry != 0).map(|(index, entry)| {
            let (index, entry) =
                (Literal::usize_unsuffixed(index), Literal::u32_unsuffixed(*entry));
            quote!((#index, #entry))
        });
    let candidates = trees.iter().flat_map(|placed| placed.tree.all_candidates());
    let candidates = candidates.map(|id| Literal::usize_unsuffixed(rows[id]));
    let nodes = trees.iter().flat_map(|placed| placed.tree.nodes().iter().map(|n| placed.node(n)));
    let roots = trees.iter().map(|placed| Literal::u32_unsuffixed(placed.root()));
    let roots = match plan.generations.is_empty() {
        true => quote! {
            /// The entry to begin with: 0 for no opcode, a number + 1 for one, or a node.
            pub(crate) const ROOT: u32 = #(#roots)*;
        },
        false => {
            let count = Literal::usize_unsuffixed(trees.len());
            quote! {
                /// The entries to begin with in each generation: 0 for no opcode, the number of a
                /// row + 1 for one, or a node.
                pub(crate) const ROOTS: &[u32; #count] = &[#(#roots),*];
            }
        }
    };
    let exact = exact(plan, &trees);
    quote! {
        /// A node of the decision tree: a leaf, or a switch on `width` bits from `shift` on.
        pub(crate) struct Node {
            pub(crate) shift: u8,
            pub(crate) width: u8,
            pub(crate) first: u32,
            pub(crate) count: u32,
        }

        /// The `shift` of a leaf.
        pub(crate) const LEAF: u8 = u8::MAX;

        /// Marks an entry that is the index of a node.
        pub(crate) const IS_NODE: u32 = #IS_NODE;

        /// Marks an entry that needs no comparison: the way to it has tested all fixed bits.
        pub(crate) const IS_EXACT: u32 = #IS_EXACT;

        #roots

        pub(crate) static NODES: &[Node] = &[#(#nodes),*];

        /// The entries of all switches.
        pub(crate) static CHILDREN: [u32; #len] = spread(&[#(#pairs),*]);

        const fn spread<const N: usize>(pairs: &[(usize, u32)]) -> [u32; N] {
            let mut table = [0; N];
            let mut i = 0;
            while i < pairs.len() {
                table[pairs[i].0] = pairs[i].1;
                i += 1;
            }
            table
        }

        #exact

        /// Opcode numbers of leaves, most fixed bits first.
        pub(crate) static CANDIDATES: &[u16] = &[#(#candidates),*];
    }
}

/// The trees of a plan, with the places of their tables.
fn placed<'p>(plan: &'p Plan<'_>, rows: &'p BTreeMap<OpcodeId, usize>) -> Vec<Placed<'p>> {
    let (mut first_node, mut first_child, mut first_candidate) = (0, 0, 0);
    let mut trees = Vec::new();
    for tree in &plan.trees {
        trees.push(Placed { plan, rows, tree, first_node, first_child, first_candidate });
        first_node += tree.nodes().len() as u32;
        first_child += tree.children().len() as u32;
        first_candidate += tree.all_candidates().len() as u32;
    }
    trees
}

impl Placed<'_> {
    fn root(&self) -> u32 {
        self.entry(self.tree.root(), 0)
    }

    fn node(&self, node: &Node) -> TokenStream {
        match node {
            Node::Leaf { first, count } => {
                let first = Literal::u32_unsuffixed(first + self.first_candidate);
                let count = Literal::u32_unsuffixed(*count);
                quote!(Node { shift: LEAF, width: 0, first: #first, count: #count })
            }
            Node::Switch { shift, width, first } => {
                let (shift, width) =
                    (Literal::u32_unsuffixed(*shift), Literal::u32_unsuffixed(*width));
                let first = Literal::u32_unsuffixed(first + self.first_child);
                quote!(Node { shift: #shift, width: #width, first: #first, count: 0 })
            }
        }
    }

    fn children(&self) -> Vec<u32> {
        let mut children = vec![0; self.tree.children().len()];
        self.entries(self.tree.root(), 0, &mut children);
        children
    }

    /// Fills in the entries of all children below a node, where `tested` bits are known.
    fn entries(&self, node: u32, tested: u128, into: &mut [u32]) {
        let Node::Switch { shift, width, first } = self.tree.nodes()[node as usize] else { return };
        let tested = tested | low_bits(width) << shift;
        for index in first as usize..first as usize + (1 << width) {
            let child = self.tree.children()[index];
            into[index] = self.entry(child, tested);
            self.entries(child, tested, into);
        }
    }

    /// The rows that a comparison with the first tells, where `tested` bits are known; `None` for
    /// a leaf that needs more, or for a switch.
    fn rows_of_leaf(&self, node: u32, tested: u128) -> Option<(usize, usize)> {
        let Node::Leaf { first, count } = self.tree.nodes()[node as usize] else { return None };
        let candidates = &self.tree.all_candidates()[first as usize..][..count as usize];
        let number = |id: &OpcodeId| self.rows[id] + 1;
        let is_exact = |id: &OpcodeId| self.plan.isa.opcode(*id).mask & !tested == 0;
        match candidates {
            [alone] => Some((number(alone), 0)),
            [first, other] if is_exact(other) => Some((number(first), number(other))),
            _ => None,
        }
    }

    fn entry(&self, node: u32, tested: u128) -> u32 {
        match self.tree.nodes()[node as usize] {
            Node::Leaf { count: 0, .. } => 0,
            Node::Leaf { first, count: 1 } => {
                let id = self.tree.all_candidates()[first as usize];
                let is_exact = self.plan.isa.opcode(id).mask & !tested == 0;
                (self.rows[&id] as u32 + 1) | if is_exact { IS_EXACT } else { 0 }
            }
            _ => (node + self.first_node) | IS_NODE,
        }
    }
}

/// What the short way does.
const EXACT_DOC: &str = "The opcode of a word, where the first switch tells it.";

/// The short way for words whose row the first switch tells: one look-up.
fn exact(plan: &Plan<'_>, trees: &[Placed<'_>]) -> TokenStream {
    match (trees, plan.generations.is_empty()) {
        ([alone], true) => exact_of_one(plan, alone),
        _ => Quick::of(trees).emit(plan),
    }
}

fn exact_of_one(plan: &Plan<'_>, tree: &Placed<'_>) -> TokenStream {
    let (row, by_row) = (plan.row_type(), plan.by_row());
    let Node::Switch { shift, width, first } = first_switch(tree) else {
        return quote! {
            #[doc = #EXACT_DOC]
            #[inline]
            pub(crate) const fn exact(_: Word) -> Option<#row> {
                None
            }
        };
    };
    let len = Literal::usize_unsuffixed(1 << width);
    let [shift, width, first] = [shift, width, first].map(Literal::u32_unsuffixed);
    quote! {
        #[doc = #EXACT_DOC]
        #[inline]
        pub(crate) const fn exact(word: Word) -> Option<#row> {
            EXACT[extract(word, #shift, #width) as usize]
        }

        static EXACT: [Option<#row>; #len] = {
            let mut table = [None; #len];
            let mut i = 0;
            while i < #len {
                let entry = CHILDREN[#first + i];
                if entry & IS_EXACT != 0 && entry & IS_NODE == 0 {
                    table[i] = #by_row[(entry & !IS_EXACT) as usize - 1];
                }
                i += 1;
            }
            table
        };
    }
}

/// The short way of generations: two switches and one comparison, without a branch. Words that
/// need more are told by the tree.
#[derive(Default)]
struct Quick {
    /// The first switch of each generation.
    roots: Vec<QuickSwitch>,
    /// The second ones, one for each value of a first.
    switches: Vec<QuickSwitch>,
    /// Numbers of two rows + 1: of the one to compare with, and of the other.
    entries: Vec<(usize, usize)>,
}

/// Where the entries of a switch begin, and its bits: the lowest and their number.
type QuickSwitch = (usize, u32, u32);

impl Quick {
    fn of(trees: &[Placed<'_>]) -> Quick {
        // The first entry is that of no row, which many share.
        let mut quick = Quick { entries: vec![(0, 0)], ..Quick::default() };
        for tree in trees {
            let root = Switch::of(tree.tree, tree.tree.root());
            quick.roots.push((quick.switches.len(), root.shift, root.width));
            for child in &root.children {
                let switch = Switch::of(tree.tree, *child);
                let entries = switch.children.iter().map(|child| {
                    let tested = switch.mask() | root.mask();
                    tree.rows_of_leaf(*child, tested).unwrap_or((0, 0))
                });
                let entries: Vec<(usize, usize)> = entries.collect();
                let first = quick.place(entries);
                quick.switches.push((first, switch.shift, switch.width));
            }
        }
        quick
    }

    /// The index of the first of these entries.
    fn place(&mut self, entries: Vec<(usize, usize)>) -> usize {
        if let [(0, 0)] = entries.as_slice() {
            return 0;
        }
        let first = self.entries.len();
        self.entries.extend(entries);
        first
    }

    fn emit(&self, plan: &Plan<'_>) -> TokenStream {
        let (row, by_row) = (plan.row_type(), plan.by_row());
        let number = Literal::usize_unsuffixed;
        let switch = |(first, shift, width): &QuickSwitch| {
            let [shift, width] = [*shift, *width].map(Literal::u32_unsuffixed);
            let first = number(*first);
            quote!((#first, #shift, #width))
        };
        let (roots, root_count) = (self.roots.iter().map(switch), number(self.roots.len()));
        let (switches, switch_count) =
            (self.switches.iter().map(switch), number(self.switches.len()));
        let entries = self.entries.iter().enumerate().filter(|(_, rows)| **rows != (0, 0));
        let entries = entries.map(|(index, (first, other))| {
            let [index, first, other] = [index, *first, *other].map(number);
            quote!((#index, #first, #other))
        });
        let entry_count = number(self.entries.len());
        quote! {
            /// A switch of the short way: the index of its first entry, and its bits.
            #[derive(Clone, Copy)]
            struct QuickSwitch {
                first: u32,
                mask: u32,
                shift: u8,
            }

            impl QuickSwitch {
                /// The index of the entry that a word has.
                #[inline]
                const fn entry(&self, word: Word) -> usize {
                    self.first as usize + ((word >> self.shift) as usize & self.mask as usize)
                }
            }

            /// An entry of the short way: a word with these bits is of the first row, any other of
            /// the second.
            #[derive(Clone, Copy)]
            struct QuickEntry {
                mask: Word,
                value: Word,
                rows: [Option<#row>; 2],
            }

            /// The row of a word, if two switches and one comparison tell it.
            #[inline]
            pub(crate) const fn quick(generation: Generation, word: Word) -> Option<#row> {
                let switch = QUICK_ROOTS[generation as usize].entry(word);
                let entry = &QUICK_ENTRIES[QUICK_SWITCHES[switch].entry(word)];
                entry.rows[(word & entry.mask != entry.value) as usize]
            }

            static QUICK_ROOTS: [QuickSwitch; #root_count] = quick_switches(&[#(#roots),*]);

            static QUICK_SWITCHES: [QuickSwitch; #switch_count] =
                quick_switches(&[#(#switches),*]);

            const fn quick_switches<const N: usize>(
                packed: &[(u32, u8, u8); N],
            ) -> [QuickSwitch; N] {
                let mut switches = [QuickSwitch { first: 0, mask: 0, shift: 0 }; N];
                let mut i = 0;
                while i < N {
                    let (first, shift, width) = packed[i];
                    switches[i] = QuickSwitch { first, mask: (1 << width) - 1, shift };
                    i += 1;
                }
                switches
            }

            /// The entries, from the numbers of their rows + 1.
            static QUICK_ENTRIES: [QuickEntry; #entry_count] = {
                const ROWS: &[(usize, usize, usize)] = &[#(#entries),*];
                let none = QuickEntry { mask: 0, value: 0, rows: [None; 2] };
                let mut entries = [none; #entry_count];
                let mut i = 0;
                while i < ROWS.len() {
                    let (index, first, other) = ROWS[i];
                    let entry = &mut entries[index];
                    entry.mask = RECORDS[first - 1].mask;
                    entry.value = RECORDS[first - 1].value;
                    entry.rows[0] = #by_row[first - 1];
                    if other != 0 {
                        entry.rows[1] = #by_row[other - 1];
                    }
                    i += 1;
                }
                entries
            };
        }
    }
}

/// A switch of a tree, or a leaf as one without bits.
struct Switch {
    shift: u32,
    width: u32,
    children: Vec<u32>,
}

impl Switch {
    fn of(tree: &Tree, node: u32) -> Switch {
        match tree.nodes()[node as usize] {
            Node::Leaf { .. } => Switch { shift: 0, width: 0, children: vec![node] },
            Node::Switch { shift, width, first } => {
                let children = &tree.children()[first as usize..][..1 << width];
                Switch { shift, width, children: children.to_vec() }
            }
        }
    }

    fn mask(&self) -> u128 {
        low_bits(self.width) << self.shift
    }
}

fn first_switch(placed: &Placed<'_>) -> Node {
    placed.tree.nodes()[placed.tree.root() as usize]
}
