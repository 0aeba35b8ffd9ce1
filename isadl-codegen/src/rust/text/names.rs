//! Prints the tables that the parser searches by name: mnemonics, spellings of modifiers, first
//! words of operands.
//!
//! Invariant: the generated code finds a name by the same [`Key`] by which it is laid out here.

use std::collections::{BTreeMap, BTreeSet};

use isadl::isa::TypeKind;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::entries::number;
use super::forms::{Grammar, KIND_BITS, MAX_KINDS, Slices};
use super::parser::slice;
use super::values::Values;
use crate::rust::key::{Key, sequence_hash};
use crate::rust::legacy::word;
use crate::rust::plan::Plan;

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

/// The opcodes of a mnemonic by their numbers, each with the sequences of kinds of its operands,
/// where these tell whether it fits.
type Opcodes = Vec<(usize, Option<Vec<u64>>)>;

type Mnemonics<'n> = BTreeMap<&'n str, Opcodes>;

fn mnemonics(plan: &Plan<'_>, grammar: &Grammar) -> TokenStream {
    let mut mnemonics = Mnemonics::new();
    for (index, form) in grammar.form_of.iter().enumerate() {
        let definition = plan.definition(&plan.rows[index]);
        let sequences = grammar.sequences(&grammar.forms.list[*form]);
        let syntax = &definition.syntax;
        for mnemonic in syntax.mnemonics() {
            let rows = mnemonics.entry(mnemonic).or_default();
            if rows.last().is_none_or(|(last, _)| *last != plan.row_number(index)) {
                rows.push((plan.row_number(index), sequences.clone()));
            }
        }
    }
    if plan.has_ranks() {
        let rows = plan.rows.iter().enumerate();
        let ranks: BTreeMap<usize, u32> =
            rows.map(|(index, row)| (plan.row_number(index), plan.rank(row))).collect();
        for rows in mnemonics.values_mut() {
            rows.sort_by_key(|(row, _)| ranks[row]);
        }
    }
    // What a mnemonic begins with is found too, and tells how many dots may follow.
    let heads: Vec<&str> = mnemonics.keys().filter_map(|name| name.split('.').next()).collect();
    for head in heads {
        mnemonics.entry(head).or_default();
    }
    limit(&mut mnemonics);
    let most_parts = most_parts(&mnemonics, grammar);
    let mut candidates = Slices::default();
    let mut found = Vec::new();
    let mut sequences = Vec::new();
    for (index, (name, opcodes)) in mnemonics.iter().enumerate() {
        let all = slice(candidates.add(opcodes.iter().map(|(number, _)| *number).collect()));
        let untold = slice(candidates.add(fitting(opcodes, None)));
        let (index, dots) = (index as u64, number(most_dots(&mnemonics, name)));
        let told: BTreeSet<u64> =
            opcodes.iter().filter_map(|(_, told)| told.as_ref()).flatten().copied().collect();
        sequences.extend(told.into_iter().map(|sequence| {
            let range = slice(candidates.add(fitting(opcodes, Some(sequence))));
            (index << (MAX_KINDS as u32 * KIND_BITS) | sequence, range)
        }));
        let index = Literal::u64_unsuffixed(index);
        let value = quote!(Mnemonic { index: #index, dots: #dots, all: #all, untold: #untold });
        found.push((name.to_string(), value));
    }
    let candidates = candidates.rows.iter().map(|opcode| number(*opcode));
    let mnemonics = table(&format_ident!("MNEMONICS"), &quote!(Mnemonic), &found);
    let sequences = sequence_table(&sequences);
    quote! {
        #most_parts

        /// Opcodes, by their numbers.
        pub(crate) static CANDIDATES: &[u16] = &[#(#candidates),*];

        /// Mnemonics, and their first words.
        #mnemonics

        #sequences
    }
}

/// Leaves all sequences out if they are more than a table can have.
fn limit(mnemonics: &mut Mnemonics<'_>) {
    let sequences = |opcodes: &Opcodes| {
        opcodes.iter().filter_map(|(_, told)| told.as_ref()).map(Vec::len).sum::<usize>()
    };
    if mnemonics.values().map(sequences).sum::<usize>() >= FREE {
        for (_, told) in mnemonics.values_mut().flatten() {
            *told = None;
        }
    }
}

/// The opcodes of a mnemonic that may fit operands of a sequence of kinds, or of one that no opcode
/// is known to have.
fn fitting(opcodes: &Opcodes, sequence: Option<u64>) -> Vec<usize> {
    let may_fit = |told: &Option<Vec<u64>>| match (told, sequence) {
        (None, _) => true,
        (Some(told), Some(sequence)) => told.contains(&sequence),
        (Some(_), None) => false,
    };
    opcodes.iter().filter(|(_, told)| may_fit(told)).map(|(number, _)| *number).collect()
}

/// Sequences of kinds below their mnemonics, with the opcodes that may fit.
fn sequence_table(entries: &[(u64, TokenStream)]) -> TokenStream {
    let hashes = entries.iter().map(|(key, _)| sequence_hash(*key));
    let (shift, slots) = slots(&hashes.collect::<Vec<u64>>());
    let entries = entries.iter().map(|(key, range)| {
        let key = word(u128::from(*key));
        quote!((#key, #range))
    });
    quote! {
        /// Sequences of the kinds of operands below the index of a mnemonic, and the opcodes in
        /// `CANDIDATES` that may fit.
        pub(crate) static SEQUENCES: Sequences =
            Sequences { shift: #shift, slots: &[#(#slots),*], entries: &[#(#entries),*] };
    }
}

fn most_parts(mnemonics: &Mnemonics<'_>, grammar: &Grammar) -> TokenStream {
    let forms = &grammar.forms.list;
    let dots = mnemonics.keys().map(|name| dots(name)).max().unwrap_or(0);
    let modifiers = forms.iter().map(|form| form.modifiers.1).max().unwrap_or(0);
    let words = number(modifiers + dots + 1);
    let pieces = forms.iter().map(|form| grammar.most_pieces(form)).max();
    let pieces = number(pieces.unwrap_or(0) + 1);
    let (kinds, kind_bits) = (number(MAX_KINDS), Literal::u32_unsuffixed(KIND_BITS));
    quote! {
        /// One more than the words behind dots that an instruction can have.
        pub(crate) const MAX_WORDS: usize = #words;

        /// One more than the operands, and the numbers in them, that an instruction can have.
        pub(crate) const MAX_PIECES: usize = #pieces;

        /// Most operands in a sequence of their kinds.
        pub(crate) const MAX_KINDS: usize = #kinds;

        /// Bits of a kind in a sequence.
        pub(crate) const KIND_BITS: u32 = #kind_bits;

        /// The kind of numbers.
        pub(crate) const NUMBER_KIND: u8 = 1;
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
        let (kind, stem) = (number(grammar.kind(*classes)), number(index));
        let classes = word(u128::from(*classes));
        (name.clone(), quote!(FirstWord { stem: #stem, kind: #kind, classes: #classes }))
    });
    let names: Vec<(String, TokenStream)> = names.collect();
    let classes = table(&format_ident!("FIRST_WORDS"), &quote!(FirstWord), &names);
    quote! {
        /// First words of operands, without the digits that they end in.
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

/// The slot of a hash table that is not in use.
const FREE: usize = u16::MAX as usize;

/// Slots for entries of these hashes, and the shift that makes a slot of a hash. An entry whose
/// slot is taken is in one of the next, and the last slot is free.
fn slots(hashes: &[u64]) -> (Literal, Vec<Literal>) {
    let bits = (hashes.len() * 2).next_power_of_two().trailing_zeros().max(1);
    let shift = 64 - bits;
    let mut slots = vec![FREE; (1 << bits) + hashes.len() + 1];
    for (index, hash) in hashes.iter().enumerate() {
        let first = (hash >> shift) as usize;
        let free = slots[first..].iter().position(|slot| *slot == FREE).unwrap_or(0);
        slots[first + free] = index;
    }
    let used = slots.iter().rposition(|slot| *slot != FREE).map_or(0, |last| last + 1);
    slots.truncate(used.max(1 << bits) + 1);
    (Literal::u32_unsuffixed(shift), slots.into_iter().map(number).collect())
}

/// A table that is searched by name.
fn table(ident: &Ident, ty: &TokenStream, entries: &[(String, TokenStream)]) -> TokenStream {
    let hashes = entries.iter().map(|(name, _)| Key::of(name.as_bytes()).hash());
    let (shift, slots) = slots(&hashes.collect::<Vec<u64>>());
    let entries = entries.iter().map(|(name, value)| {
        let key = Key::of(name.as_bytes());
        let length = Literal::u32_unsuffixed(key.length);
        let (first, last) = (word(u128::from(key.first)), word(u128::from(key.last)));
        quote!((#name, Key { length: #length, first: #first, last: #last }, #value))
    });
    quote! {
        pub(crate) static #ident: Names<#ty> =
            Names { shift: #shift, slots: &[#(#slots),*], entries: &[#(#entries),*] };
    }
}
