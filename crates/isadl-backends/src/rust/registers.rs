//! The meaning of operand type values: registers, or constants of a register file.

use isadl_ir::isa::{ConstantBits, Entry, Meaning};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::Plan;

/// Values from `first` on, as a pattern.
pub(super) fn pattern(entry: &Entry) -> TokenStream {
    let first = Literal::u64_unsuffixed(entry.value);
    if entry.count == 1 {
        return quote!(#first);
    }
    let last = Literal::u64_unsuffixed(entry.value + (entry.count - 1));
    quote!(#first..=#last)
}

/// A match over values, with arms for the entries that `of` maps to code.
pub(super) fn arms(entries: &[Entry], of: impl Fn(&Entry) -> Option<TokenStream>) -> TokenStream {
    let arms = entries.iter().filter_map(|entry| {
        let (pattern, value) = (pattern(entry), of(entry)?);
        Some(quote!(#pattern => Some(#value),))
    });
    let arms: Vec<TokenStream> = arms.collect();
    match arms.is_empty() {
        true => quote!(None),
        false => quote!(match self.0 as u64 { #(#arms)* _ => None }),
    }
}

/// The register of a value, if the value is a register.
pub(super) fn register_of(plan: &Plan<'_>, entry: &Entry) -> Option<TokenStream> {
    Some(match &entry.meaning {
        Meaning::Registers { file, first, align, .. } => {
            let file = &plan.reg_files[file.index()];
            let (value, first) =
                (Literal::u64_unsuffixed(entry.value), Literal::u64_unsuffixed(u64::from(*first)));
            let number = aligned(quote!(self.0 as u64 - #value + #first), *align);
            quote!((RegFile::#file, (#number) as u16))
        }
        Meaning::Register { file, number, .. } => {
            let file = &plan.reg_files[file.index()];
            let number = Literal::u32_unsuffixed(*number);
            quote!((RegFile::#file, #number))
        }
        _ => return None,
    })
}

/// The multiple of `align` below a number.
pub(super) fn aligned(number: TokenStream, align: u32) -> TokenStream {
    if align <= 1 {
        return number;
    }
    let align = Literal::u32_unsuffixed(align);
    quote!((#number) / #align * #align)
}

/// The bit that every bit of a constant reads as.
pub(super) fn constant_bits(entry: &Entry) -> Option<TokenStream> {
    match entry.meaning {
        Meaning::Constant { bits: ConstantBits::Zero, .. } => Some(quote!(false)),
        Meaning::Constant { bits: ConstantBits::One, .. } => Some(quote!(true)),
        _ => None,
    }
}
