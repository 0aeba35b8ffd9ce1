//! `extensions.rs` of a generated crate: sets of extensions, and the extensions that opcodes need.

use isadl_ir::isa::{ExtensionCondition, Term};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::{Scope, snake};
use super::plan::Plan;

/// The type of sets, and the constants about extensions.
pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let known = plan.isa.extensions();
    let bits = |set: u64| Literal::u64_unsuffixed(set);
    let mut scope = Scope::reserving(&["NONE", "DEFAULT", "ALL"]);
    let mut constant = |name: &str| scope.add(&snake(name).to_uppercase());
    let extensions = known.names.iter().enumerate().map(|(bit, name)| {
        let (doc, ident) =
            (format!(" The extension {name}, with what it implies."), constant(name));
        let bits = bits(known.closed(1 << bit));
        quote!(#[doc = #doc] pub const #ident: Extensions = Extensions(#bits);)
    });
    let mut constants: Vec<TokenStream> = extensions.collect();
    constants.extend(known.sets.iter().map(|(name, set)| {
        let (doc, ident) = (format!(" The set {name}, with what it implies."), constant(name));
        let bits = bits(known.closed(*set));
        quote!(#[doc = #doc] pub const #ident: Extensions = Extensions(#bits);)
    }));
    let default = bits(known.default);
    let count = known.names.len();
    let names = known.names.iter().enumerate().map(|(bit, name)| {
        let bits = bits(1 << bit);
        quote!((#name, Extensions(#bits)))
    });
    let sets = known.sets.iter().map(|(name, set)| {
        let bits = bits(*set);
        quote!((#name, Extensions(#bits)))
    });
    let implied = known.implied.iter().map(|row| {
        let (needed, added) = (bits(row.needed), bits(row.added));
        quote!((Extensions(#needed), Extensions(#added)))
    });
    let required = known.required.iter().map(|row| {
        let (when, then) = (terms(&row.when), terms(&row.then));
        quote!((#when, #then))
    });
    quote! {
        //! Extensions.

        use core::fmt;
        use core::ops::BitOr;
        use core::str::FromStr;

        use super::ParseNameError;

        /// A set of extensions. Decoding and assembling depend on the extensions of an implementation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Extensions(u64);

        /// Sets that have some extensions and lack others.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct Requires {
            /// The extensions that they have.
            pub needed: Extensions,
            /// The extensions that they lack.
            pub excluded: Extensions,
        }

        /// Every extension, in order of declaration.
        const NAMES: &[(&str, Extensions)] = &[#(#names),*];

        /// The sets with names.
        const SETS: &[(&str, Extensions)] = &[#(#sets),*];

        /// What a set with some extensions has too.
        const IMPLIED: &[(Extensions, Extensions)] = &[#(#implied),*];

        /// What sets must be like.
        const REQUIRED: &[(&[Requires], &[Requires])] = &[#(#required),*];

        impl Extensions {
            /// No extension.
            pub const NONE: Extensions = Extensions(0);

            /// The default set.
            pub const DEFAULT: Extensions = Extensions(#default);

            /// How many extensions there are.
            pub const COUNT: usize = #count;

            #(#constants)*

            /// One bit for each extension, in order of declaration.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 {
                self.0
            }

            /// The union with another set, with all implied extensions.
            #[inline]
            #[must_use]
            pub const fn with(self, others: Extensions) -> Extensions {
                Extensions(self.0 | others.0).closed()
            }

            /// The set without others.
            #[inline]
            #[must_use]
            pub const fn without(self, others: Extensions) -> Extensions {
                Extensions(self.0 & !others.0)
            }

            /// Whether all of others are in it.
            #[inline]
            #[must_use]
            pub const fn contains(self, others: Extensions) -> bool {
                self.0 & others.0 == others.0
            }

            /// The set with all that it implies.
            #[must_use]
            pub const fn closed(self) -> Extensions {
                let mut set = self;
                loop {
                    let before = set;
                    let mut at = 0;
                    while at < IMPLIED.len() {
                        if set.contains(IMPLIED[at].0) {
                            set = Extensions(set.0 | IMPLIED[at].1.0);
                        }
                        at += 1;
                    }
                    if set.0 == before.0 {
                        return set;
                    }
                }
            }

            /// Whether this set of extensions is allowed.
            #[must_use]
            pub const fn is_allowed(self) -> bool {
                if self.closed().0 != self.0 {
                    return false;
                }
                let mut at = 0;
                while at < REQUIRED.len() {
                    if self.meets(REQUIRED[at].0) && !self.meets(REQUIRED[at].1) {
                        return false;
                    }
                    at += 1;
                }
                true
            }

            /// Whether it is one of the sets of a list.
            #[must_use]
            pub const fn meets(self, any: &[Requires]) -> bool {
                let mut at = 0;
                while at < any.len() {
                    if self.contains(any[at].needed) && self.0 & any[at].excluded.0 == 0 {
                        return true;
                    }
                    at += 1;
                }
                false
            }

            /// The names of its extensions, in order of declaration.
            pub fn names(self) -> impl Iterator<Item = &'static str> + Clone {
                let all = NAMES.iter().filter(move |(_, one)| self.contains(*one));
                all.map(|(name, _)| *name)
            }
        }

        impl Default for Extensions {
            fn default() -> Extensions {
                Extensions::DEFAULT
            }
        }

        impl BitOr for Extensions {
            type Output = Extensions;

            fn bitor(self, others: Extensions) -> Extensions {
                self.with(others)
            }
        }

        impl fmt::Display for Extensions {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                for (at, name) in self.names().enumerate() {
                    f.write_str(if at == 0 { "" } else { "," })?;
                    f.write_str(name)?;
                }
                Ok(())
            }
        }

        impl FromStr for Extensions {
            type Err = ParseNameError;

            /// Parses names of extensions and sets, separated by commas, and adds implied extensions.
            fn from_str(text: &str) -> Result<Extensions, ParseNameError> {
                let mut set = Extensions::NONE;
                for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                    let found = NAMES.iter().chain(SETS).find(|(known, _)| *known == name);
                    let (_, found) = found.ok_or(ParseNameError { type_name: "Extensions" })?;
                    set = set.with(*found);
                }
                Ok(set)
            }
        }

        impl Requires {
            /// Sets with and without some extensions, one bit each.
            pub(crate) const fn new(needed: u64, excluded: u64) -> Requires {
                Requires { needed: Extensions(needed), excluded: Extensions(excluded) }
            }
        }
    }
}

/// The terms of a condition.
fn terms(presence: &ExtensionCondition) -> TokenStream {
    let terms = presence.terms().iter().map(|Term { needed, excluded }| {
        let (needed, excluded) =
            (Literal::u64_unsuffixed(*needed), Literal::u64_unsuffixed(*excluded));
        quote!(Requires::new(#needed, #excluded))
    });
    quote!(&[#(#terms),*])
}

/// The extensions that each row needs, for the tables.
pub(super) fn of_rows(plan: &Plan<'_>) -> Vec<String> {
    let rows = plan.rows.iter().map(|row| &plan.definition(row).requires);
    rows.map(|presence| {
        let terms = presence.terms().iter();
        let terms = terms.map(|term| format!("requires({},{})", term.needed, term.excluded));
        format!("&[{}]", terms.collect::<Vec<_>>().join(","))
    })
    .collect()
}
