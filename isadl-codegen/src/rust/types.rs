//! `types.rs` of a generated crate: enumerations, registers, immediates, composites, and the
//! register files.

use isadl::isa::{
    Composite, ConstantBits, Entry, Enumerator, Immediate, Meaning, Number, Reading, Type, TypeId,
    TypeKind,
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::docs::doc;
use super::names::{Scope, ident};
use super::plan::Plan;

/// Most registers of a type that get a constant each; beyond, there is only the function.
const MAX_CONSTANTS: u64 = 256;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let reg_files = reg_files(plan);
    let types = plan.types.iter().map(|(id, name)| emit_type(plan, *id, name));
    quote! {
        //! The types of fields.

        #![allow(unused_imports, clippy::complexity, clippy::style)]

        use core::fmt;
        use core::str::FromStr;

        use super::error::{OutOfRange, ParseNameError};

        #reg_files
        #(#types)*
    }
}

fn reg_files(plan: &Plan<'_>) -> TokenStream {
    let files = plan.isa.reg_files();
    if files.is_empty() {
        return quote! {
            /// A register file; this instruction set has none.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum RegFile {}
        };
    }
    let idents = &plan.reg_files;
    let docs = files
        .iter()
        .map(|file| doc(&file.description, &format!("The register file {}.", file.name)));
    let names = files.iter().map(|file| &file.name);
    let widths = files.iter().map(|file| file.width as u16);
    let counts = files.iter().map(|file| file.count as u16);
    quote! {
        /// A register file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[non_exhaustive]
        pub enum RegFile { #(#docs #idents,)* }

        impl RegFile {
            /// Every register file.
            pub const ALL: &'static [RegFile] = &[#(RegFile::#idents),*];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(RegFile::#idents => #names,)* }
            }

            /// Bits in one of its registers.
            #[must_use]
            pub const fn width(self) -> u16 {
                match self { #(RegFile::#idents => #widths,)* }
            }

            /// Number of its registers.
            #[must_use]
            pub const fn count(self) -> u16 {
                match self { #(RegFile::#idents => #counts,)* }
            }
        }

        impl fmt::Display for RegFile {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    }
}

fn emit_type(plan: &Plan<'_>, id: TypeId, name: &Ident) -> TokenStream {
    let ty = plan.isa.ty(id);
    match &ty.kind {
        TypeKind::BitField(list) => enumeration(ty, name, list),
        TypeKind::Operand(entries) => operand(plan, ty, name, entries),
        TypeKind::Immediate(immediate) => number(ty, name, immediate),
        TypeKind::Composite(parts) => composite(plan, ty, name, parts),
    }
}

/// The narrowest unsigned type that holds `width` bits.
fn unsigned(width: u32) -> Ident {
    ident(match width {
        0..=8 => "u8",
        9..=16 => "u16",
        17..=32 => "u32",
        _ => "u64",
    })
}

fn enumeration(ty: &Type, name: &Ident, list: &[Enumerator]) -> TokenStream {
    let mut scope = Scope::reserving(&["VALUES"]);
    let mut variants: Vec<(Ident, &Enumerator)> = Vec::new();
    let mut aliases = Vec::new();
    for value in list {
        let variant = scope.add(&value.name);
        // A value used twice is one variant; the second name is a constant.
        match variants.iter().find(|(_, other)| other.value == value.value) {
            Some((first, _)) => aliases.push(quote! {
                /// Another name of the same value.
                pub const #variant: #name = #name::#first;
            }),
            None => variants.push((variant, value)),
        }
    }
    let repr = unsigned(ty.width);
    let docs = variants.iter().map(|(_, value)| doc(&value.doc, &format!("`{}`", value.name)));
    let idents: Vec<&Ident> = variants.iter().map(|(variant, _)| variant).collect();
    let values: Vec<Literal> =
        variants.iter().map(|(_, value)| Literal::u64_unsuffixed(value.value)).collect();
    let names: Vec<&str> = variants.iter().map(|(_, value)| value.name.as_str()).collect();
    let spellings = variants.iter().map(|(_, value)| value.spelling.as_str());
    let type_doc =
        doc(&ty.description, &format!("The enumeration {}, {} bits.", ty.name, ty.width));
    quote! {
        #type_doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(#repr)]
        pub enum #name { #(#docs #idents = #values,)* }

        #[allow(non_upper_case_globals)]
        impl #name {
            /// Every value, in order of definition.
            pub const VALUES: &'static [#name] = &[#(#name::#idents),*];

            #(#aliases)*

            /// The value that a field holds, if it is one.
            #[inline]
            #[must_use]
            pub const fn from_bits(raw: u64) -> Option<#name> {
                match raw {
                    #(#values => Some(#name::#idents),)*
                    _ => None,
                }
            }

            /// What a field holds for the value.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 {
                self as u64
            }

            /// Its name in the specification.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(#name::#idents => #names,)* }
            }

            /// How it is written behind the dot in assembly; empty if it is never written.
            #[must_use]
            pub const fn spelling(self) -> &'static str {
                match self { #(#name::#idents => #spellings,)* }
            }
        }

        impl fmt::Display for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    }
}

/// Values from `first` on, as a pattern.
fn pattern(entry: &Entry) -> TokenStream {
    let first = Literal::u64_unsuffixed(entry.value);
    if entry.count == 1 {
        return quote!(#first);
    }
    let last = Literal::u64_unsuffixed(entry.value + (entry.count - 1));
    quote!(#first..=#last)
}

fn operand(plan: &Plan<'_>, ty: &Type, name: &Ident, entries: &[Entry]) -> TokenStream {
    let repr = unsigned(ty.width);
    let patterns: Vec<TokenStream> = entries.iter().map(pattern).collect();
    let constants = operand_constants(name, entries);
    let registers = entries.iter().map(|entry| register_of(plan, entry));
    let constant_bits = entries.iter().map(constant_bits);
    let printers = entries.iter().map(printer);
    let parsers = entries.iter().map(parser);
    let type_doc =
        doc(&ty.description, &format!("The operand type {}, {} bits.", ty.name, ty.width));
    let name_text = ty.name.as_str();
    quote! {
        #type_doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #name(#repr);

        #[allow(non_upper_case_globals)]
        impl #name {
            #constants

            /// The value that a field holds, if it is one.
            #[inline]
            #[must_use]
            pub const fn from_bits(raw: u64) -> Option<#name> {
                match raw {
                    #(#patterns)|* => Some(#name(raw as #repr)),
                    _ => None,
                }
            }

            /// What a field holds for the value.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 {
                self.0 as u64
            }

            /// The register that it names: its file and number. `None` for constants and for
            /// names that are no register.
            #[must_use]
            pub const fn register(self) -> Option<(RegFile, u16)> {
                match self.0 as u64 { #(#patterns => #registers,)* _ => None }
            }

            /// What every bit reads as, if it is a constant of a register file.
            #[must_use]
            pub const fn constant_bit(self) -> Option<bool> {
                match self.0 as u64 { #(#patterns => #constant_bits,)* _ => None }
            }
        }

        impl fmt::Display for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let raw = self.bits();
                match raw { #(#patterns => #printers,)* _ => write!(f, "{raw}") }
            }
        }

        impl FromStr for #name {
            type Err = ParseNameError;

            /// Reads a name as `Display` writes it.
            fn from_str(text: &str) -> Result<#name, ParseNameError> {
                #(#parsers)*
                Err(ParseNameError { type_name: #name_text })
            }
        }
    }
}

fn operand_constants(name: &Ident, entries: &[Entry]) -> TokenStream {
    let mut scope = Scope::reserving(&["from_bits", "bits", "register", "constant_bit"]);
    let total: u64 = entries.iter().fold(0, |all, entry| all.saturating_add(entry.count));
    let mut items = TokenStream::new();
    for entry in entries {
        let is_named = !matches!(entry.meaning, Meaning::Integers { .. } | Meaning::Float(_));
        if is_named && (entry.count == 1 || total <= MAX_CONSTANTS) {
            for position in 0..entry.count {
                let text = entry.name_at(position);
                let constant = scope.add(&text);
                let value = Literal::u64_unsuffixed(entry.value + position);
                let doc = format!(" `{text}`");
                items.extend(quote! {
                    #[doc = #doc]
                    pub const #constant: #name = #name(#value);
                });
            }
        }
        if let Meaning::Registers { prefix, first, .. } = &entry.meaning {
            items.extend(run_function(&mut scope, name, entry, prefix, *first));
        }
    }
    items
}

fn run_function(
    scope: &mut Scope,
    name: &Ident,
    entry: &Entry,
    prefix: &str,
    first: u32,
) -> TokenStream {
    let function = scope.add(&prefix.to_lowercase());
    let last = u64::from(first) + (entry.count - 1);
    let doc = format!(" The register `{prefix}`*number*, from {first} to {last}.");
    let (low, high) = (Literal::u64_unsuffixed(u64::from(first)), Literal::u64_unsuffixed(last));
    let value = Literal::u64_unsuffixed(entry.value);
    quote! {
        #[doc = #doc]
        #[must_use]
        pub const fn #function(number: u16) -> Option<#name> {
            match number {
                #low..=#high => #name::from_bits(number as u64 - #low + #value),
                _ => None,
            }
        }
    }
}

fn register_of(plan: &Plan<'_>, entry: &Entry) -> TokenStream {
    match &entry.meaning {
        Meaning::Registers { file, first, .. } => {
            let file = &plan.reg_files[file.index()];
            let (value, first) =
                (Literal::u64_unsuffixed(entry.value), Literal::u64_unsuffixed(u64::from(*first)));
            quote!(Some((RegFile::#file, (self.0 as u64 - #value + #first) as u16)))
        }
        Meaning::Register { file, number, .. } => {
            let file = &plan.reg_files[file.index()];
            let number = Literal::u32_unsuffixed(*number);
            quote!(Some((RegFile::#file, #number)))
        }
        _ => quote!(None),
    }
}

fn constant_bits(entry: &Entry) -> TokenStream {
    match entry.meaning {
        Meaning::Constant { bits: ConstantBits::Zero, .. } => quote!(Some(false)),
        Meaning::Constant { bits: ConstantBits::One, .. } => quote!(Some(true)),
        _ => quote!(None),
    }
}

fn printer(entry: &Entry) -> TokenStream {
    let value = Literal::u64_unsuffixed(entry.value);
    match &entry.meaning {
        Meaning::Registers { prefix, first, .. } => {
            let format = format!("{}{{}}", prefix);
            let first = Literal::u64_unsuffixed(u64::from(*first));
            quote!(write!(f, #format, raw - #value + #first))
        }
        Meaning::Integers { first, step } => {
            let (first, step) = (Literal::i64_unsuffixed(*first), Literal::i64_unsuffixed(*step));
            quote!(write!(f, "{}", #first + (raw - #value) as i64 * #step))
        }
        _ => {
            let text = entry.name_at(0);
            quote!(f.pad(#text))
        }
    }
}

fn parser(entry: &Entry) -> TokenStream {
    let value = Literal::u64_unsuffixed(entry.value);
    let count = Literal::u64_unsuffixed(entry.count);
    let found = quote! {
        .filter(|position| *position < #count).and_then(|position| Self::from_bits(position + #value))
        {
            return Ok(value);
        }
    };
    match &entry.meaning {
        Meaning::Registers { prefix, first, .. } => {
            let first = Literal::u64_unsuffixed(u64::from(*first));
            quote! {
                if let Some(value) = text.strip_prefix(#prefix).and_then(super::error::plain_number)
                    .and_then(|number| number.checked_sub(#first)) #found
            }
        }
        Meaning::Integers { first, step } => {
            let (first, step) = (Literal::i64_unsuffixed(*first), Literal::i64_unsuffixed(*step));
            quote! {
                if let Some(value) = text.parse::<i64>().ok()
                    .and_then(|number| u64::try_from(number.checked_sub(#first)?.checked_mul(#step)?).ok()) #found
            }
        }
        _ => {
            let name = entry.name_at(0);
            quote! {
                if text == #name {
                    return Self::from_bits(#value).ok_or(ParseNameError { type_name: #name });
                }
            }
        }
    }
}

fn number(ty: &Type, name: &Ident, immediate: &Immediate) -> TokenStream {
    let raw = unsigned(ty.width);
    let width = ty.width;
    let is_float =
        matches!(immediate.number.number, Number::Float { .. }) || immediate.number.lanes > 1;
    let what = if is_float { "bits of a number" } else { "integer" };
    let type_doc =
        doc(&ty.description, &format!("The immediate {}: {what}, {width} bits.", ty.name));
    let value = if is_float { TokenStream::new() } else { integer_value(ty, name) };
    let from_bits = from_bits(name, width);
    quote! {
        #type_doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #name(#raw);

        impl #name {
            /// Its width in bits.
            pub const WIDTH: u32 = #width;

            #value

            #from_bits

            /// What a field holds for the value.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 {
                self.0 as u64
            }
        }

        impl fmt::LowerHex for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::LowerHex::fmt(&self.0, f)
            }
        }
    }
}

/// Construction from the bits of a field, all of which have a meaning.
fn from_bits(name: &Ident, width: u32) -> TokenStream {
    let raw = unsigned(width);
    let body = if width == 64 {
        quote!(Some(#name(raw as #raw)))
    } else {
        let all = Literal::u64_unsuffixed((1 << width) - 1);
        quote!(if raw <= #all { Some(#name(raw as #raw)) } else { None })
    };
    quote! {
        /// The value that a field holds, if it has no more bits than the field.
        #[inline]
        #[must_use]
        pub const fn from_bits(raw: u64) -> Option<#name> { #body }
    }
}

/// Construction from and reading as an integer.
fn integer_value(ty: &Type, name: &Ident) -> TokenStream {
    let width = ty.width;
    let raw = unsigned(width);
    let (low, high): (i128, i128) = match ty.reading() {
        Reading::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        Reading::Unsigned => (0, (1 << width) - 1),
    };
    let doc = format!(" The integer `value`, from {low} to {high}.");
    let (low, high) = (Literal::i128_unsuffixed(low), Literal::i128_unsuffixed(high));
    let integer = if ty.reading() == Reading::Signed { quote!(i64) } else { quote!(u64) };
    let read = match ty.reading() {
        Reading::Signed => quote!(super::support::sign_extend(self.0 as u64, #width)),
        Reading::Unsigned => quote!(self.0 as u64),
    };
    quote! {
        #[doc = #doc]
        #[inline]
        pub const fn new(value: i128) -> Result<#name, OutOfRange> {
            let (low, high): (i128, i128) = (#low, #high);
            if value < low || value > high {
                return Err(OutOfRange { low, high });
            }
            Ok(#name((value as u64 & super::support::low_bits(#width)) as #raw))
        }

        /// The integer.
        #[inline]
        #[must_use]
        pub const fn get(self) -> #integer {
            #read
        }
    }
}

fn composite(plan: &Plan<'_>, ty: &Type, name: &Ident, composite: &Composite) -> TokenStream {
    let raw = unsigned(ty.width);
    let mut scope = Scope::reserving(&["new", "from_bits", "bits"]);
    let parts: Vec<Ident> = composite.parts.iter().map(|part| scope.add(&part.name)).collect();
    let types: Vec<Ident> = composite.parts.iter().map(|part| plan.type_ident(part.ty)).collect();
    let shifts: Vec<Literal> =
        composite.parts.iter().map(|part| Literal::u32_unsuffixed(part.lsb)).collect();
    let widths =
        composite.parts.iter().map(|part| Literal::u32_unsuffixed(plan.isa.ty(part.ty).width));
    let docs = composite.parts.iter().map(|part| format!(" Its part `{}`.", part.name));
    let from_bits = from_bits(name, ty.width);
    let type_doc = doc(&ty.description, &format!("The composite {}, {} bits.", ty.name, ty.width));
    let getters = parts.iter().zip(&types).zip(&shifts).zip(widths).zip(docs).map(
        |((((part, ty), shift), width), doc)| {
            quote! {
                #[doc = #doc]
                #[inline]
                #[must_use]
                pub const fn #part(self) -> #ty {
                    match #ty::from_bits(self.0 as u64 >> #shift & super::support::low_bits(#width)) {
                        Some(part) => part,
                        // INVARIANT: a part has a meaning for every value of its bits (E0310).
                        None => unreachable!(),
                    }
                }
            }
        },
    );
    quote! {
        #type_doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #name(#raw);

        impl #name {
            /// Puts the parts together.
            #[inline]
            #[must_use]
            pub const fn new(#(#parts: #types),*) -> #name {
                #name((0 #(| #parts.bits() << #shifts)*) as #raw)
            }

            #(#getters)*

            #from_bits

            /// What a field holds for the value.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 {
                self.0 as u64
            }
        }
    }
}
