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
        _ => first_of_each(trees),
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

/// The entry behind the first switch of each generation's tree.
fn first_of_each(trees: &[Placed<'_>]) -> TokenStream {
    let switches = trees.iter().map(|tree| match first_switch(tree) {
        Node::Switch { shift, width, first } => Some((shift, width, first + tree.first_child)),
        Node::Leaf { .. } => None,
    });
    let switches: Option<Vec<(u32, u32, u32)>> = switches.collect();
    let alike = switches.filter(|all| all.iter().all(|s| (s.0, s.1) == (all[0].0, all[0].1)));
    let Some(switches) = alike.filter(|all| !all.is_empty()) else {
        return quote! {
            /// The entry to begin with.
            #[inline]
            pub(crate) const fn first(generation: Generation, _: Word) -> u32 {
                ROOTS[generation as usize]
            }
        };
    };
    let (shift, width) = (switches[0].0, switches[0].1);
    let [shift, width] = [shift, width].map(Literal::u32_unsuffixed);
    let count = Literal::usize_unsuffixed(switches.len());
    let firsts = switches.iter().map(|(_, _, first)| Literal::u32_unsuffixed(*first));
    quote! {
        /// The entry behind the first switch, which is on the same bits in every generation.
        #[inline]
        pub(crate) const fn first(generation: Generation, word: Word) -> u32 {
            const FIRSTS: [u32; #count] = [#(#firsts),*];
            CHILDREN[FIRSTS[generation as usize] as usize + extract(word, #shift, #width) as usize]
        }
    }
}

fn first_switch(placed: &Placed<'_>) -> Node {
    placed.tree.nodes()[placed.tree.root() as usize]
}
