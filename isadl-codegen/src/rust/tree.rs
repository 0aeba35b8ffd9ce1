//! The decision tree in `tables.rs` of a generated crate, as numbers.
//!
//! An entry is 0 for no opcode, an opcode number + 1 for a single candidate, or the index of a
//! node, with markers in its highest bits. The children of switches are mostly empty, so they
//! are written as pairs of index and entry, and spread out by the compiler.

use isadl::isa::{OpcodeId, low_bits};
use isadl::tree::Node;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::Plan;

/// Marks an entry that is the index of a node.
const IS_NODE: u32 = 1 << 31;

/// Marks an entry that needs no comparison: the way to it has tested all fixed bits.
const IS_EXACT: u32 = 1 << 30;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let tree = &plan.tree;
    let mut children = vec![0; tree.children().len()];
    entries(plan, tree.root(), 0, &mut children);
    let len = Literal::usize_unsuffixed(children.len());
    let pairs =
        children.iter().enumerate().filter(|(_, entry)| **entry != 0).map(|(index, entry)| {
            let (index, entry) =
                (Literal::usize_unsuffixed(index), Literal::u32_unsuffixed(*entry));
            quote!((#index, #entry))
        });
    let number = |id: &OpcodeId| Literal::u16_unsuffixed(plan.isa.opcode(*id).number);
    let candidates = tree.all_candidates().iter().map(number);
    let nodes = tree.nodes().iter().map(node);
    let root = Literal::u32_unsuffixed(entry(plan, tree.root(), 0));
    let exact = exact(plan);
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

        /// The entry to begin with: 0 for no opcode, a number + 1 for one, or a node.
        pub(crate) const ROOT: u32 = #root;

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

fn node(node: &Node) -> TokenStream {
    match node {
        Node::Leaf { first, count } => {
            let (first, count) = (Literal::u32_unsuffixed(*first), Literal::u32_unsuffixed(*count));
            quote!(Node { shift: LEAF, width: 0, first: #first, count: #count })
        }
        Node::Switch { shift, width, first } => {
            let (shift, width) = (Literal::u32_unsuffixed(*shift), Literal::u32_unsuffixed(*width));
            let first = Literal::u32_unsuffixed(*first);
            quote!(Node { shift: #shift, width: #width, first: #first, count: 0 })
        }
    }
}

/// The short way for words whose opcode the first switch tells: one look-up.
fn exact(plan: &Plan<'_>) -> TokenStream {
    let doc = "The opcode of a word, where the first switch tells it.";
    let Node::Switch { shift, width, first } = plan.tree.nodes()[plan.tree.root() as usize] else {
        return quote! {
            #[doc = #doc]
            #[inline]
            pub(crate) const fn exact(_: Word) -> Option<Opcode> {
                None
            }
        };
    };
    let len = Literal::usize_unsuffixed(1 << width);
    let (shift, width) = (Literal::u32_unsuffixed(shift), Literal::u32_unsuffixed(width));
    let first = Literal::u32_unsuffixed(first);
    quote! {
        #[doc = #doc]
        #[inline]
        pub(crate) const fn exact(word: Word) -> Option<Opcode> {
            EXACT[extract(word, #shift, #width) as usize]
        }

        static EXACT: [Option<Opcode>; #len] = {
            let mut table = [None; #len];
            let mut i = 0;
            while i < #len {
                let entry = CHILDREN[#first + i];
                if entry & IS_EXACT != 0 && entry & IS_NODE == 0 {
                    table[i] = BY_NUMBER[(entry & !IS_EXACT) as usize - 1];
                }
                i += 1;
            }
            table
        };
    }
}

/// Fills in the entries of all children below a node, where `tested` bits are known.
fn entries(plan: &Plan<'_>, node: u32, tested: u128, into: &mut [u32]) {
    let Node::Switch { shift, width, first } = plan.tree.nodes()[node as usize] else { return };
    let tested = tested | low_bits(width) << shift;
    for index in first as usize..first as usize + (1 << width) {
        let child = plan.tree.children()[index];
        into[index] = entry(plan, child, tested);
        entries(plan, child, tested, into);
    }
}

fn entry(plan: &Plan<'_>, node: u32, tested: u128) -> u32 {
    match plan.tree.nodes()[node as usize] {
        Node::Leaf { count: 0, .. } => 0,
        Node::Leaf { first, count: 1 } => {
            let opcode = plan.isa.opcode(plan.tree.all_candidates()[first as usize]);
            let exact = if opcode.mask & !tested == 0 { IS_EXACT } else { 0 };
            (u32::from(opcode.number) + 1) | exact
        }
        _ => node | IS_NODE,
    }
}
