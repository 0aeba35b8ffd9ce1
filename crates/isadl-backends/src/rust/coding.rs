//! How the values of types that differ by generation lead to fields and back, in `types.rs` of a generated crate.

use isadl_ir::isa::{Meaning, TypeKind};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::merged::{MergedType, Variant};
use super::plan::Plan;

/// How the values of a type that differs by generation lead to fields and back.
pub(super) fn coding(plan: &Plan<'_>, name: &Ident, merged: &MergedType) -> TokenStream {
    let variants = merged.variants.iter().map(|variant| {
        let width = Literal::u32_unsuffixed(variant.width);
        let runs = variant.runs.iter().map(|run| {
            let [raw, code, count] = [run.raw, run.code, run.count].map(Literal::u64_unsuffixed);
            quote!(Run { raw: #raw, code: #code, count: #count })
        });
        quote!(Variant { width: #width, runs: &[#(#runs),*] })
    });
    let arms = merged.variants.iter().enumerate().filter_map(|(index, variant)| {
        let generations = generations_of(plan, variant);
        let index = Literal::usize_unsuffixed(index);
        (!generations.is_empty()).then(|| quote!(#(Generation::#generations)|* => Some(#index)))
    });
    let covered: usize = merged.variants.iter().map(|v| generations_of(plan, v).len()).sum();
    let otherwise = (covered < plan.generations.len()).then(|| quote!(_ => None,));
    let literal = match &merged.ty.kind {
        TypeKind::Operand(entries) => entries.iter().find(|e| e.meaning == Meaning::Literal),
        _ => None,
    };
    let no_literal = literal.map(|_| {
        quote! {
            if self.is_literal() {
                return None;
            }
        }
    });
    quote! {
        const VARIANTS: &'static [Variant] = &[#(#variants),*];

        /// Which of the variants a generation has.
        const fn variant(generation: Generation) -> Option<u16> {
            match generation { #(#arms,)* #otherwise }
        }

        /// The value that a field holds in a generation, if it is one.
        #[must_use]
        pub const fn from_bits_in(generation: Generation, raw: u64) -> Option<#name> {
            match #name::variant(generation) {
                Some(variant) => #name::from_raw(variant, raw),
                None => None,
            }
        }

        /// The bits of a field for the value in a generation, if the generation has the value.
        #[must_use]
        pub const fn bits_in(self, generation: Generation) -> Option<u64> {
            match #name::variant(generation) {
                Some(variant) => #name::VARIANTS[variant as usize].raw(self.code()),
                None => None,
            }
        }

        /// The value that a field of a variant holds.
        pub(crate) const fn from_raw(variant: u16, raw: u64) -> Option<#name> {
            match #name::VARIANTS[variant as usize].code(raw) {
                Some(code) => #name::from_code(code),
                None => None,
            }
        }

        /// The bits of a field of a variant for the value, if an open field may hold it.
        #[allow(dead_code)]
        pub(crate) const fn open_raw(self, variant: u16) -> Option<u64> {
            #no_literal
            #name::VARIANTS[variant as usize].raw(self.code())
        }

        /// Bits in a field of a variant.
        pub(crate) const fn width(variant: u16) -> u32 {
            #name::VARIANTS[variant as usize].width as u32
        }
    }
}

/// The generations of the plan that have a variant.
fn generations_of<'p>(plan: &'p Plan<'_>, variant: &Variant) -> Vec<&'p Ident> {
    let generations = plan.generations.iter();
    let has = generations.filter(|generation| variant.generations.contains(generation.index));
    has.map(|generation| &generation.ident).collect()
}
