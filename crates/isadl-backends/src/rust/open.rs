//! Types with values that have no name, whose syntax `else` gives, in `types.rs` of a generated crate.

use isadl_ir::isa::{Enumerator, Immediate, Number, Print, Type, TypeKind};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::docs::doc;
use super::names::{Scope, unsigned};
use super::numbers::integer_format;
use super::plan::Plan;

/// How the values of a type are written that have no name.
pub(super) struct Others<'p> {
    /// The type that they are written as.
    ident: Ident,
    /// The type of values without a name, if its values are integers.
    integer: Option<&'p Immediate>,
}

impl<'p> Others<'p> {
    /// The meaning of a type's values without a name; `None` if they are illegal.
    pub(super) fn of(plan: &'p Plan<'_>, ty: &Type) -> Option<Others<'p>> {
        let other = ty.otherwise.as_ref()?.ty;
        let integer = match &plan.isa.ty(other).kind {
            TypeKind::Immediate(immediate)
                if !matches!(immediate.number.number, Number::Float { .. }) =>
            {
                Some(immediate)
            }
            _ => None,
        };
        Some(Others { ident: plan.type_ident(other), integer })
    }

    /// The value of `raw`; `named` is the result for values with a name.
    pub(super) fn value_of_bits(&self, value: &TokenStream, named: &TokenStream) -> TokenStream {
        let other = &self.ident;
        quote!(match #other::from_bits(raw) { Some(_) => Some(#value), None => #named })
    }

    /// Writes the value whose bits are `raw`.
    pub(super) fn printer(&self) -> TokenStream {
        let other = &self.ident;
        let Some(integer) = self.integer.filter(|integer| integer.print != Print::Bits) else {
            return quote!(write!(f, "{raw:#x}"));
        };
        let prefix = integer.prefix.replace('{', "{{").replace('}', "}}");
        let format = integer_format(integer.print, integer.digits);
        let format = format!("{prefix}{{sign}}{format}");
        quote! {{
            let value = #other::from_bits(raw).map_or(0, |value| value.get() as i128);
            let sign = if value < 0 { "-" } else { "" };
            write!(f, #format, value.unsigned_abs())
        }}
    }

    /// Reads `text` as a value that need not have a name.
    pub(super) fn parser(&self) -> TokenStream {
        let other = &self.ident;
        let prefix = self.integer.map_or("", |integer| integer.prefix.as_str());
        let digits = match prefix {
            "" => quote!(text),
            prefix => quote!(text.strip_prefix(#prefix).unwrap_or(text)),
        };
        let value = match self.integer.filter(|integer| integer.print != Print::Bits) {
            Some(_) => quote!(#other::new(number).ok().map(#other::bits)),
            None => quote!(u64::try_from(number).ok()),
        };
        quote! {
            let number = super::error::integer(#digits);
            if let Some(value) =
                number.and_then(|number| #value).and_then(Self::from_bits)
            {
                return Ok(value);
            }
        }
    }
}

/// An enumeration that has other values too.
pub(super) fn enumeration(
    ty: &Type,
    name: &Ident,
    list: &[Enumerator],
    others: &Others<'_>,
) -> TokenStream {
    let mut scope =
        Scope::reserving(&["VALUES", "from_bits", "bits", "name", "spelling", "is_named"]);
    let mut values: Vec<(Ident, &Enumerator)> = Vec::new();
    let mut items = TokenStream::new();
    for value in list {
        let ident = scope.add(&value.name);
        let number = Literal::u64_unsuffixed(value.value);
        let doc = doc(&value.doc, &format!("`{}`", value.name));
        items.extend(quote! {
            #doc
            pub const #ident: #name = #name(#number);
        });
        for other in &value.also {
            let other = scope.add(other);
            items.extend(quote! {
                /// Another name of the same value.
                pub const #other: #name = #name(#number);
            });
        }
        if !values.iter().any(|(_, known)| known.value == value.value) {
            values.push((ident, value));
        }
    }
    let repr = unsigned(ty.width);
    let idents: Vec<&Ident> = values.iter().map(|(ident, _)| ident).collect();
    let numbers: Vec<Literal> =
        values.iter().map(|(_, value)| Literal::u64_unsuffixed(value.value)).collect();
    let names = values.iter().map(|(_, value)| value.name.as_str());
    let spellings = values.iter().map(|(_, value)| value.spelling.as_str());
    let type_doc =
        doc(&ty.description, &format!("The enumeration {}, {} bits.", ty.name, ty.width));
    let named = quote!(match raw { #(#numbers)|* => Some(#name(raw as #repr)), _ => None });
    let from_bits = others.value_of_bits(&quote!(#name(raw as #repr)), &named);
    let printer = others.printer();
    quote! {
        #type_doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct #name(#repr);

        #[allow(non_upper_case_globals)]
        impl #name {
            #items

            /// Every value with a name, in order of definition.
            pub const VALUES: &'static [#name] = &[#(#name::#idents),*];

            /// The value that a field holds, if it is one.
            #[inline]
            #[must_use]
            pub const fn from_bits(raw: u64) -> Option<#name> { #from_bits }

            /// What a field holds for the value.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 { self.0 as u64 }

            /// Whether it has a name.
            #[must_use]
            pub const fn is_named(self) -> bool {
                matches!(self.0 as u64, #(#numbers)|*)
            }

            /// Its name in the specification; empty if it has none.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self.0 as u64 { #(#numbers => #names,)* _ => "" }
            }

            /// Its name in assembly; empty if it has no name, or is never written.
            #[must_use]
            pub const fn spelling(self) -> &'static str {
                match self.0 as u64 { #(#numbers => #spellings,)* _ => "" }
            }
        }

        impl fmt::Display for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.is_named() {
                    return f.pad(self.spelling());
                }
                let raw = self.bits();
                #printer
            }
        }
    }
}
