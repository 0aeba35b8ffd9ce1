//! `types.rs` of a generated crate: register files, enumerations and operand types; immediates and
//! composites are in `numbers.rs`.

use isadl_ir::isa::{Entry, Enumerator, Meaning, Type, TypeId, TypeKind};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::coding::coding;
use super::docs::doc;
use super::name_lists::{MAX_CONSTANTS, Names, is_name};
use super::names::{Scope, ident, snake, unsigned};
use super::numbers::{composite, number};
use super::open::{self, Others};
use super::plan::Plan;
use super::registers::{aligned, arms, constant_bits, pattern, register_of};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let reg_files = reg_files(plan);
    let types = plan.types.iter().map(|(id, name)| emit_type(plan, *id, name));
    let variants = (!plan.merged.is_empty()).then(|| {
        quote! {
            use super::Generation;
            use super::variant::{Run, Variant};
        }
    });
    let not_a_value = plan.has_gaps().then(|| quote!(NotAValue,));
    quote! {
        //! The types of fields.

        #![allow(non_camel_case_types, unused_imports, clippy::complexity, clippy::style)]

        use core::fmt;
        use core::str::FromStr;

        use super::error::{#not_a_value OutOfRange, ParseNameError};
        #variants

        #reg_files
        #(#types)*
    }
}

fn reg_files(plan: &Plan<'_>) -> TokenStream {
    let files = plan.isa.reg_files();
    // Files of the same name that differ by generation are a single file, as large as the largest.
    let is_first = |index: usize| {
        let ident = &plan.reg_files[index];
        plan.reg_files.iter().position(|other| other == ident) == Some(index)
    };
    let firsts: Vec<usize> = (0..files.len()).filter(|index| is_first(*index)).collect();
    let idents: Vec<&Ident> = firsts.iter().map(|index| &plan.reg_files[*index]).collect();
    let docs = firsts.iter().map(|index| {
        let file = &files[*index];
        doc(&file.description, &format!("The register file {}.", file.name))
    });
    let names = firsts.iter().map(|index| &files[*index].name);
    let widths = firsts.iter().map(|index| {
        let of_name = files.iter().filter(|file| file.name == files[*index].name);
        of_name.map(|file| file.width as u16).max().unwrap_or(0)
    });
    let counts = firsts.iter().map(|index| {
        let of_name = files.iter().filter(|file| file.name == files[*index].name);
        of_name.map(|file| file.count as u16).max().unwrap_or(0)
    });
    let (width_doc, count_doc) = match firsts.len() < files.len() {
        true => (
            " Bits in one of its registers, in the generation in which they are widest.",
            " Number of its registers, in the generation that has most.",
        ),
        false => (" Bits in one of its registers.", " Number of its registers."),
    };
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

            #[doc = #width_doc]
            #[must_use]
            pub const fn width(self) -> u16 {
                match self { #(RegFile::#idents => #widths,)* }
            }

            #[doc = #count_doc]
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
    let merged = plan.merged.get(&id);
    let ty = merged.map_or(plan.whole_type(id), |merged| &merged.ty);
    let coding = merged.map(|merged| coding(plan, name, merged));
    match &ty.kind {
        TypeKind::BitField(list) => match Others::of(plan, ty) {
            Some(others) => open::enumeration(ty, name, list, &others),
            None => enumeration(ty, name, list, coding),
        },
        TypeKind::Operand(entries) => operand(plan, ty, name, entries, coding),
        TypeKind::Immediate(immediate) => number(plan, ty, name, immediate),
        TypeKind::Composite(parts) => composite(plan, ty, name, parts),
    }
}

/// Whether a value of a type indicates a following literal: such a value is not for open fields.
pub(super) fn has_literal(plan: &Plan<'_>, id: TypeId) -> bool {
    let merged = plan.merged.get(&plan.canonical(id));
    let ty = merged.map_or(plan.isa.ty(id), |merged| &merged.ty);
    match &ty.kind {
        TypeKind::Operand(entries) => entries.iter().any(|e| e.meaning == Meaning::Literal),
        _ => false,
    }
}

/// Whether some values of a type are not for all open fields of the type.
pub(super) fn is_partial(plan: &Plan<'_>, id: TypeId) -> bool {
    plan.merged.contains_key(&plan.canonical(id)) || has_literal(plan, id)
}

/// Names of an enumeration that code calls by their paths, which a variant would hide.
const ENUMERATION_ITEMS: &[&str] = &[
    "VALUES",
    "from_bits",
    "from_code",
    "from_raw",
    "from_bits_in",
    "bits",
    "bits_in",
    "code",
    "name",
    "spelling",
    "width",
];

fn enumeration(
    ty: &Type,
    name: &Ident,
    list: &[Enumerator],
    coding: Option<TokenStream>,
) -> TokenStream {
    let mut scope = Scope::reserving(ENUMERATION_ITEMS);
    if coding.is_some() {
        scope.add("VARIANTS");
    }
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
    for value in list {
        let Some((first, _)) = variants.iter().find(|(_, own)| own.value == value.value) else {
            continue;
        };
        let first = first.clone();
        for other in &value.also {
            let other = scope.add(other);
            aliases.push(quote! {
                /// Another name of the same value.
                pub const #other: #name = #name::#first;
            });
        }
    }
    let repr = unsigned(ty.width);
    let docs = variants.iter().map(|(_, value)| doc(&value.doc, &format!("`{}`", value.name)));
    let idents: Vec<&Ident> = variants.iter().map(|(variant, _)| variant).collect();
    let values: Vec<Literal> =
        variants.iter().map(|(_, value)| Literal::u64_unsuffixed(value.value)).collect();
    let names: Vec<&str> = variants.iter().map(|(_, value)| value.name.as_str()).collect();
    let spellings = variants.iter().map(|(_, value)| value.spelling.as_str());
    let type_doc = type_doc(ty, "enumeration", coding.is_some());
    let bits = bits(
        name,
        &quote!(match raw { #(#values => Some(#name::#idents),)* _ => None }),
        &quote!(self as u64),
        coding,
    );
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

            #bits

            /// Its name in the specification.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(#name::#idents => #names,)* }
            }

            /// Its text after the dot in assembly; empty if it is never written.
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

fn operand(
    plan: &Plan<'_>,
    ty: &Type,
    name: &Ident,
    entries: &[Entry],
    coding: Option<TokenStream>,
) -> TokenStream {
    let repr = unsigned(ty.width);
    let patterns: Vec<TokenStream> = entries.iter().map(pattern).collect();
    let from = if coding.is_some() { ident("from_code") } else { ident("from_bits") };
    let names = Names::of(name, entries, &repr);
    let constants = operand_constants(name, entries, &from, names.is_some());
    let registers = arms(entries, |entry| register_of(plan, entry));
    let constant_bits = arms(entries, constant_bits);
    let has_list = names.is_some();
    let is_listed = |entry: &&Entry| has_list && is_name(entry);
    let others_first = entries.iter().filter(|entry| !is_listed(entry));
    let printers = others_first.map(|entry| {
        let (pattern, printer) = (pattern(entry), printer(entry));
        quote!(#pattern => #printer,)
    });
    let parsers = entries.iter().map(|entry| match is_listed(&entry) {
        true => parser_of_others(entry, &from),
        false => parser(entry, &from),
    });
    let type_doc = type_doc(ty, "operand type", coding.is_some());
    let literal = literal(entries, coding.is_some());
    let number = if coding.is_some() { quote!(self.code()) } else { quote!(self.bits()) };
    let others = Others::of(plan, ty);
    let named = quote!(match raw { #(#patterns)|* => Some(#name(raw as #repr)), _ => None });
    let value = quote!(#name(raw as #repr));
    let from_bits =
        others.as_ref().map_or(named.clone(), |others| others.value_of_bits(&value, &named));
    let bits = bits(name, &from_bits, &quote!(self.0 as u64), coding);
    let is_named = others.is_some().then(|| {
        quote! {
            /// Whether it has a name.
            #[must_use]
            pub const fn is_named(self) -> bool {
                matches!(self.0 as u64, #(#patterns)|*)
            }
        }
    });
    let printer_of_others = others.as_ref().map_or(quote!(write!(f, "{raw}")), Others::printer);
    let printer_of_others = match &names {
        Some(names) => names.printer(&printer_of_others),
        None => printer_of_others,
    };
    let other_values = others.as_ref().map(Others::parser);
    let (list, named_function) = names.map(|names| names.items(name, &from)).unzip();
    let parser_of_names = list.is_some().then(|| {
        quote! {
            if let Some(value) = Self::named(text) {
                return Ok(value);
            }
        }
    });
    let name_text = ty.name.as_str();
    quote! {
        #list

        #type_doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #name(#repr);

        #[allow(non_upper_case_globals)]
        impl #name {
            #constants

            #named_function

            #bits

            #literal

            #is_named

            /// The file and number of its register. `None` for constants and other names.
            #[must_use]
            pub const fn register(self) -> Option<(RegFile, u16)> {
                #registers
            }

            /// The value of every bit, if it is a constant of a register file.
            #[must_use]
            pub const fn constant_bit(self) -> Option<bool> {
                #constant_bits
            }
        }

        impl fmt::Display for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let raw = #number;
                match raw { #(#printers)* _ => #printer_of_others }
            }
        }

        impl FromStr for #name {
            type Err = ParseNameError;

            /// Reads a name as `Display` writes it.
            fn from_str(text: &str) -> Result<#name, ParseNameError> {
                #parser_of_names
                #(#parsers)*
                #other_values
                Err(ParseNameError { type_name: #name_text })
            }
        }
    }
}

/// The prose of a type, and whether it is other bits in other generations.
fn type_doc(ty: &Type, kind: &str, is_merged: bool) -> TokenStream {
    if !is_merged {
        return doc(&ty.description, &format!("The {kind} {}, {} bits.", ty.name, ty.width));
    }
    let about = match ty.description.as_str() {
        "" => format!("The {kind} {}.", ty.name),
        prose => prose.to_string(),
    };
    doc(&format!("{about}\n\nNot every generation has all values, or the same bits for them."), "")
}

/// Values from the bits of fields and back; or from numbers, where bits differ by generation.
fn bits(
    name: &Ident,
    from: &TokenStream,
    number: &TokenStream,
    coding: Option<TokenStream>,
) -> TokenStream {
    let Some(coding) = coding else {
        return quote! {
            /// The value that a field holds, if it is one.
            #[inline]
            #[must_use]
            pub const fn from_bits(raw: u64) -> Option<#name> { #from }

            /// What a field holds for the value.
            #[inline]
            #[must_use]
            pub const fn bits(self) -> u64 { #number }
        };
    };
    quote! {
        /// The value of a number.
        const fn from_code(raw: u64) -> Option<#name> { #from }

        /// The number of the value, in all generations.
        const fn code(self) -> u64 { #number }

        #coding
    }
}

/// Where a value may say that a literal follows.
fn literal(entries: &[Entry], is_merged: bool) -> Option<TokenStream> {
    let entry = entries.iter().find(|entry| entry.meaning == Meaning::Literal)?;
    let value = Literal::u64_unsuffixed(entry.value);
    let open = (!is_merged).then(|| {
        quote! {
            /// The bits of a field for the value, if an open field may hold it.
            #[allow(dead_code)]
            pub(crate) const fn open_bits(self) -> Option<u64> {
                if self.is_literal() { None } else { Some(self.bits()) }
            }
        }
    });
    Some(quote! {
        /// Whether it says that a literal follows. Only the forms with a literal have it.
        #[must_use]
        pub const fn is_literal(self) -> bool {
            self.0 as u64 == #value
        }

        #open
    })
}

/// The constants and functions that make values; of names that are in a list there are no constants.
fn operand_constants(name: &Ident, entries: &[Entry], from: &Ident, has_list: bool) -> TokenStream {
    let mut scope = Scope::reserving(&["from_bits", "bits", "register", "constant_bit", "named"]);
    for taken in ["is_named", "is_literal", "from_bits_in", "bits_in", "VARIANTS"] {
        scope.add(taken);
    }
    let total: u64 = entries.iter().fold(0, |all, entry| all.saturating_add(entry.count));
    let mut items = TokenStream::new();
    for entry in entries {
        let is_named = !matches!(entry.meaning, Meaning::Integers { .. } | Meaning::Float(_));
        let is_listed = has_list && is_name(entry);
        if is_named && !is_listed && (entry.count == 1 || total <= MAX_CONSTANTS) {
            for position in (0..entry.count).filter(|position| is_aligned(entry, *position)) {
                let text = entry.name_at(position);
                let constant = scope.add(&text);
                let value = Literal::u64_unsuffixed(entry.value + position);
                let doc = match &entry.spelling {
                    Some(spelling) => format!(" `{text}`, written `{spelling}`"),
                    None => format!(" `{text}`"),
                };
                items.extend(quote! {
                    #[doc = #doc]
                    pub const #constant: #name = #name(#value);
                });
                for other in &entry.also {
                    let other = other.at(position);
                    let (constant, doc) =
                        (scope.add(&other), format!(" `{other}`, which is `{text}`"));
                    items.extend(quote! {
                        #[doc = #doc]
                        pub const #constant: #name = #name(#value);
                    });
                }
            }
        }
        if let Meaning::Registers { prefix, first, align, .. } = &entry.meaning {
            let run = (prefix.as_str(), *first, *align);
            items.extend(run_function(&mut scope, name, entry, run, from));
        }
    }
    items
}

/// Whether a value of an entry is the value that its name is read as.
fn is_aligned(entry: &Entry, position: u64) -> bool {
    match entry.meaning {
        Meaning::Registers { first, align, .. } => {
            (u64::from(first) + position).is_multiple_of(u64::from(align))
        }
        _ => true,
    }
}

fn run_function(
    scope: &mut Scope,
    name: &Ident,
    entry: &Entry,
    (prefix, first, align): (&str, u32, u32),
    from: &Ident,
) -> TokenStream {
    let function = scope.add(&snake(prefix));
    let last = u64::from(first) + (entry.count - 1);
    let multiple = if align > 1 { format!(", a multiple of {align}") } else { String::new() };
    let doc = format!(" The register `{prefix}`*number*, from {first} to {last}{multiple}.");
    let aligned = (align > 1).then(|| {
        let align = Literal::u32_unsuffixed(align);
        quote!(if number.is_multiple_of(#align))
    });
    let (low, high) = (Literal::u64_unsuffixed(u64::from(first)), Literal::u64_unsuffixed(last));
    let value = Literal::u64_unsuffixed(entry.value);
    quote! {
        #[doc = #doc]
        #[must_use]
        pub const fn #function(number: u16) -> Option<#name> {
            match number {
                #low..=#high #aligned => #name::#from(number as u64 - #low + #value),
                _ => None,
            }
        }
    }
}

fn printer(entry: &Entry) -> TokenStream {
    let value = Literal::u64_unsuffixed(entry.value);
    match &entry.meaning {
        Meaning::Registers { prefix, first, align, .. } => {
            let format = format!("{}{{}}", prefix);
            let first = Literal::u64_unsuffixed(u64::from(*first));
            let number = aligned(quote!(raw - #value + #first), *align);
            quote!(write!(f, #format, #number))
        }
        Meaning::Integers { first, step } => {
            let (first, step) = (Literal::i64_unsuffixed(*first), Literal::i64_unsuffixed(*step));
            quote!(write!(f, "{}", #first + (raw - #value) as i64 * #step))
        }
        _ => {
            let text = entry.text_at(0);
            quote!(f.pad(#text))
        }
    }
}

/// Code that reads the names of an entry, printed names first.
fn parser(entry: &Entry, from: &Ident) -> TokenStream {
    let mut parser = printed_parser(entry, from);
    parser.extend(parser_of_others(entry, from));
    parser
}

/// Code that reads the names of an entry that are not printed.
fn parser_of_others(entry: &Entry, from: &Ident) -> TokenStream {
    let mut parser = TokenStream::new();
    for other in &entry.also {
        let meaning = match (&entry.meaning, other.first) {
            (Meaning::Registers { file, align, .. }, Some(first)) => {
                let (file, prefix, align) = (*file, other.text.clone(), *align);
                Meaning::Registers { file, prefix, first, align }
            }
            _ => Meaning::Special(other.at(0)),
        };
        let other = Entry { meaning, spelling: None, also: Vec::new(), ..entry.clone() };
        parser.extend(printed_parser(&other, from));
    }
    parser
}

fn printed_parser(entry: &Entry, from: &Ident) -> TokenStream {
    let value = Literal::u64_unsuffixed(entry.value);
    let count = Literal::u64_unsuffixed(entry.count);
    let found = quote! {
        .filter(|position| *position < #count).and_then(|position| Self::#from(position + #value))
        {
            return Ok(value);
        }
    };
    match &entry.meaning {
        Meaning::Registers { prefix, first, align, .. } => {
            let first = Literal::u64_unsuffixed(u64::from(*first));
            let aligned = (*align > 1).then(|| {
                let align = Literal::u32_unsuffixed(*align);
                quote!(.filter(|number| number.is_multiple_of(#align)))
            });
            quote! {
                if let Some(value) = text.strip_prefix(#prefix).and_then(super::error::plain_number) #aligned
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
            let name = entry.text_at(0);
            quote! {
                if text == #name {
                    return Self::#from(#value).ok_or(ParseNameError { type_name: #name });
                }
            }
        }
    }
}
