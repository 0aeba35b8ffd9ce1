//! Names of operand types that have very many, such as system registers: a list, and not a constant and a branch for
//! each, which compilers would take long to read.

use isadl_ir::isa::{Entry, Meaning};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::names::{ident, snake};

/// Limit on registers or other names of a type that get a constant each. Types with more names only have a function.
pub(super) const MAX_CONSTANTS: u64 = 256;

/// Whether an entry is a single value with one printed name.
pub(super) fn is_name(entry: &Entry) -> bool {
    let has_number = matches!(
        entry.meaning,
        Meaning::Registers { .. } | Meaning::Integers { .. } | Meaning::Float(_)
    );
    entry.count == 1 && !has_number
}

/// The names of a type as a list.
pub(super) struct Names {
    /// The name of the list.
    list: Ident,
    repr: Ident,
    /// By rising values.
    names: Vec<(u64, String)>,
}

impl Names {
    /// The names of a type, if there are enough of them for a list.
    pub(super) fn of(ty: &Ident, entries: &[Entry], repr: &Ident) -> Option<Names> {
        let named = entries.iter().filter(|entry| is_name(entry));
        let mut names: Vec<(u64, String)> =
            named.map(|entry| (entry.value, entry.text_at(0).to_string())).collect();
        if names.len() as u64 <= MAX_CONSTANTS {
            return None;
        }
        names.sort();
        let list = ident(&format!("{}_NAMES", snake(&ty.to_string()).to_uppercase()));
        Some(Names { list, repr: repr.clone(), names })
    }

    /// Code that prints a value which no earlier code printed: as its name, or like other values.
    pub(super) fn printer(&self, others: &TokenStream) -> TokenStream {
        let Names { list, repr, .. } = self;
        quote! {
            match #list.binary_search_by_key(&(raw as #repr), |(value, _)| *value) {
                Ok(at) => f.pad(#list[at].1),
                Err(_) => #others,
            }
        }
    }

    /// The list, and the function that finds a value by its name.
    pub(super) fn items(self, ty: &Ident, from: &Ident) -> (TokenStream, TokenStream) {
        let Names { list, repr, names } = self;
        let count = names.len();
        let rows = names.iter().map(|(value, name)| {
            let value = Literal::u64_unsuffixed(*value);
            quote!((#value, #name))
        });
        let list_item = quote! {
            static #list: [(#repr, &str); #count] = [#(#rows),*];
        };
        let function = quote! {
            /// The value of a name as `Display` writes it.
            #[must_use]
            pub const fn named(name: &str) -> Option<#ty> {
                let (name, mut at) = (name.as_bytes(), 0);
                while at < #list.len() {
                    let (own, mut same) = (#list[at].1.as_bytes(), 0);
                    while same < own.len() && same < name.len() && own[same] == name[same] {
                        same += 1;
                    }
                    if same == own.len() && same == name.len() {
                        return #ty::#from(#list[at].0 as u64);
                    }
                    at += 1;
                }
                None
            }
        };
        (list_item, function)
    }
}
