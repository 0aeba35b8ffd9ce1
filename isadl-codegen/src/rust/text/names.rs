//! Prints the tables that the parser searches by name: mnemonics, spellings of modifiers, first
//! words of operands.
//!
//! Invariant: the generated code finds a name by the same [`Key`] by which it is laid out here.

use std::collections::BTreeMap;

use isadl::isa::TypeKind;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::entries::number;
use super::forms::{Grammar, OPTIONAL};
use super::parser::slice;
use super::values::Values;
use crate::rust::key::Key;
use crate::rust::plan::Plan;
use crate::rust::tables::word;

/// The tables that are searched by name, and the most parts that a line can have.
pub(super) fn names_of(plan: &Plan<'_>, grammar: &Grammar) -> TokenStream {
    let mnemonics = mnemonics(plan, grammar);
    let spellings = spellings(plan, &grammar.values);
    let first_words = first_words(grammar);
    quote! {
        #mnemonics
        #spellings
        #first_words
    }
}

/// Opcodes with the signatures of their operands, by their mnemonics.
type Mnemonics<'n> = BTreeMap<&'n str, Vec<(usize, u64)>>;

fn mnemonics(plan: &Plan<'_>, grammar: &Grammar) -> TokenStream {
    let mut mnemonics = Mnemonics::new();
    for (opcode, form) in plan.opcodes.iter().zip(&grammar.form_of) {
        let definition = plan.opcode(opcode);
        let numbers = mnemonics.entry(&definition.syntax.mnemonic).or_default();
        let signature = grammar.signature(&grammar.forms.list[*form]);
        numbers.push((usize::from(definition.number), signature));
    }
    // What a mnemonic begins with is found too, and tells how many dots may follow.
    let heads: Vec<&str> = mnemonics.keys().filter_map(|name| name.split('.').next()).collect();
    for head in heads {
        mnemonics.entry(head).or_default();
    }
    let most_parts = most_parts(&mnemonics, grammar);
    let mut candidates = Vec::new();
    let mut ranges = Vec::new();
    for (name, numbers) in &mnemonics {
        let [first, count] = [candidates.len(), numbers.len()].map(number);
        let dots = number(most_dots(&mnemonics, name));
        ranges.push((name.to_string(), quote!((#first, #count, #dots))));
        candidates.extend(numbers.iter().map(|(opcode, signature)| {
            let (opcode, signature) = (number(*opcode), word(u128::from(*signature)));
            quote!((#opcode, #signature))
        }));
    }
    let optional = word(u128::from(OPTIONAL));
    let mnemonics = table(&format_ident!("MNEMONICS"), &quote!((u32, u32, u8)), &ranges);
    quote! {
        #most_parts

        /// In a signature: the operand may be missing.
        pub(crate) const OPTIONAL: u64 = #optional;

        /// The signature of an opcode whose operands are not told by what they begin with.
        pub(crate) const UNTOLD: u64 = u64::MAX;

        /// The opcodes of mnemonics with the signatures of their operands.
        pub(crate) static CANDIDATES: &[(u16, u64)] = &[#(#candidates),*];

        /// Mnemonics, and their first words: opcodes in `CANDIDATES`, and the most dots that follow.
        #mnemonics
    }
}

fn most_parts(mnemonics: &Mnemonics<'_>, grammar: &Grammar) -> TokenStream {
    let forms = &grammar.forms.list;
    let dots = mnemonics.keys().map(|name| dots(name)).max().unwrap_or(0);
    let modifiers = forms.iter().map(|form| form.modifiers.1).max().unwrap_or(0);
    let words = number(modifiers + dots + 1);
    let pieces = forms.iter().map(|form| grammar.most_pieces(form)).max();
    let pieces = number(pieces.unwrap_or(0) + 1);
    quote! {
        /// One more than the words behind dots that an instruction can have.
        pub(crate) const MAX_WORDS: usize = #words;

        /// One more than the operands, and the numbers in them, that an instruction can have.
        pub(crate) const MAX_PIECES: usize = #pieces;
    }
}

fn dots(name: &str) -> usize {
    name.matches('.').count()
}

/// Most dots of the mnemonics that are a name, or begin with it and a dot.
fn most_dots(mnemonics: &Mnemonics<'_>, name: &str) -> usize {
    let is_longer = |other: &&&str| {
        other.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    mnemonics.keys().filter(is_longer).map(|name| dots(name)).max().unwrap_or(0)
}

fn spellings(plan: &Plan<'_>, values: &Values) -> TokenStream {
    let mut meanings = Vec::new();
    let mut ranges = Vec::new();
    for (name, list) in meanings_of_spellings(plan, values) {
        ranges.push((name, slice((meanings.len(), list.len()))));
        meanings.extend(list.into_iter().map(|(ty, raw)| {
            let (ty, raw) = (number(ty), Literal::u64_unsuffixed(raw));
            quote!((#ty, #raw))
        }));
    }
    let spellings = table(&format_ident!("SPELLINGS"), &quote!((u32, u32)), &ranges);
    quote! {
        /// Types and values that spellings stand for.
        pub(crate) static MEANINGS: &[(u16, u64)] = &[#(#meanings),*];

        /// Spellings with their meanings in `MEANINGS`.
        #spellings
    }
}

fn first_words(grammar: &Grammar) -> TokenStream {
    let names = grammar.names.iter().enumerate().map(|(index, (name, classes))| {
        let (index, classes) = (number(index), word(u128::from(*classes)));
        (name.clone(), quote!((#index, #classes)))
    });
    let names: Vec<(String, TokenStream)> = names.collect();
    let classes = table(&format_ident!("CLASSES"), &quote!((u16, u64)), &names);
    quote! {
        /// First words of operands, without their numbers: their own numbers, and the classes that
        /// they may begin.
        #classes
    }
}

/// Spellings of modifiers with the types that have them and their values.
fn meanings_of_spellings(plan: &Plan<'_>, values: &Values) -> BTreeMap<String, Vec<(usize, u64)>> {
    let mut spellings: BTreeMap<String, Vec<(usize, u64)>> = BTreeMap::new();
    for (index, id) in values.ids().iter().enumerate() {
        let TypeKind::BitField(list) = &plan.isa.ty(*id).kind else { continue };
        for value in list.iter().filter(|value| !value.spelling.is_empty()) {
            let meanings = spellings.entry(value.spelling.clone()).or_default();
            if meanings.iter().all(|(ty, _)| *ty != index) {
                meanings.push((index, value.value));
            }
        }
    }
    spellings
}

/// A table that is searched by the hash of a name; a name whose slot is taken is in one of the
/// next, and the last slot is free.
fn table(ident: &Ident, ty: &TokenStream, entries: &[(String, TokenStream)]) -> TokenStream {
    const FREE: usize = u16::MAX as usize;
    let bits = (entries.len() * 2).next_power_of_two().trailing_zeros().max(1);
    let shift = 64 - bits;
    let mut slots = vec![FREE; (1 << bits) + entries.len() + 1];
    for (index, (name, _)) in entries.iter().enumerate() {
        let first = (Key::of(name.as_bytes()).hash() >> shift) as usize;
        let free = slots[first..].iter().position(|slot| *slot == FREE).unwrap_or(0);
        slots[first + free] = index;
    }
    let used = slots.iter().rposition(|slot| *slot != FREE).map_or(0, |last| last + 1);
    slots.truncate(used.max(1 << bits) + 1);
    let slots = slots.iter().map(|slot| number(*slot));
    let entries = entries.iter().map(|(name, value)| {
        let key = Key::of(name.as_bytes());
        let length = Literal::u32_unsuffixed(key.length);
        let (first, last) = (word(u128::from(key.first)), word(u128::from(key.last)));
        quote!((#name, Key { length: #length, first: #first, last: #last }, #value))
    });
    let shift = Literal::u32_unsuffixed(shift);
    quote! {
        pub(crate) static #ident: Names<#ty> =
            Names { shift: #shift, slots: &[#(#slots),*], entries: &[#(#entries),*] };
    }
}
