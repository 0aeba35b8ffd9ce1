//! `text.rs` of a generated crate: the engine's printer, with types of the crate.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::names::Scope;
use super::plan::Plan;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let texts = plan.image.texts.view();
    let room = Literal::u32_unsuffixed(texts.room);
    let has_words = texts.is_word_style;
    let text = text();
    let has_sets = !plan.isa.name_sets().is_empty();
    let has_plain = texts.has_aliases || texts.has_shorts;
    let prints: Vec<TokenStream> = [
        (has_sets, quote!(Style)),
        (texts.has_aliases, quote!(alias)),
        (true, quote!(print)),
        (has_plain, quote!(print_plain)),
        (has_sets, quote!(print_with)),
        (plan.isa.has_guarded_texts(), quote!(print_in)),
    ]
    .into_iter()
    .filter_map(|(is_used, name)| is_used.then_some(name))
    .collect();
    let prints = match prints.as_slice() {
        [print] => print.clone(),
        prints => quote!({#(#prints),*}),
    };
    let named = has_sets.then(|| named(plan));
    let formatted = formatted(plan);
    let aliases = texts.has_aliases.then(|| aliases(plan));
    let has_guarded = plan.isa.has_guarded_texts();
    let of_sets = has_guarded.then(of_sets);
    let sets: Vec<TokenStream> = [
        (has_sets && has_guarded, quote!(KnownSet)),
        (texts.has_aliases || has_sets, quote!(UNKNOWN)),
        (has_guarded, quote!(known)),
    ]
    .into_iter()
    .filter_map(|(is_used, name)| is_used.then_some(name))
    .collect();
    let sets = (!sets.is_empty()).then(|| quote!(use super::engine::set::{#(#sets),*};));
    let mnemonic = match texts.has_aliases {
        true => quote!(shown.alias_names().map_or(shown.mnemonic(), |(_, mnemonic)| mnemonic)),
        false => quote!(shown.mnemonic()),
    };
    let shown = match texts.has_shorts {
        true => quote!(self.long().unwrap_or(self)),
        false => quote!(self),
    };
    let long_in = texts.has_guarded_shorts.then(|| {
        quote! {
            /// Its longer encoding, if it is a compressed instruction of implementations with a set of extensions.
            #[must_use]
            pub fn long_in(self, extensions: super::Extensions) -> Option<Inst> {
                self.lengthened(super::engine::set::known(extensions.bits()))
            }
        }
    });
    let long_doc = match texts.has_guarded_shorts {
        true => " Its longer encoding, if it is a short one for every implementation that has it.",
        false => " Its longer encoding, if it is a short one.",
    };
    let long = texts.has_shorts.then(|| {
        quote! {
            impl Inst {
                #[doc = #long_doc]
                #[must_use]
                pub fn long(self) -> Option<Inst> {
                    self.lengthened(super::engine::set::UNKNOWN)
                }

                #long_in

                fn lengthened(self, set: super::engine::set::KnownSet) -> Option<Inst> {
                    let image = &super::image::IMAGE;
                    let (row, word) = super::engine::short::lengthen(image, set, self.row, self.word)?;
                    Some(Inst { word, row })
                }
            }
        }
    });
    let plain = has_plain.then(|| {
        quote! {
            impl Inst {
                /// Its text without aliases, and in its own encoding.
                #[must_use]
                pub fn plain_text(self) -> Text {
                    let mut text = Text { bytes: [0; TEXT_ROOM], len: 0 };
                    // INVARIANT: there is as much room as any text needs.
                    let len = print_plain(Constant, self.row, self.word, &mut text.bytes);
                    text.len = len.unwrap_or_default();
                    text
                }
            }
        }
    });
    quote! {
        //! Text of instructions.

        use core::fmt;

        use super::Inst;
        use super::engine::print::#prints;
        use super::engine::tokens::tokens;
        use super::image::Constant;
        #sets

        pub use super::engine::format::{Case, Commas, Radix, SymbolStyle, TextFormat};
        pub use super::engine::tokens::TokenKind;

        /// The buffer size that the canonical text of an instruction needs, in bytes.
        pub const TEXT_ROOM: usize = #room;

        #text

        impl fmt::Display for Inst {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.text().as_str())
            }
        }

        impl Inst {
            /// Its canonical text. The assembler reads it back as the same word, except for ignored bits, values with
            /// another canonical encoding, and instructions with a shorter encoding. `isadl prove` lists texts that are
            /// not read back.
            #[inline]
            #[must_use]
            pub fn text(self) -> Text {
                let mut text = Text { bytes: [0; TEXT_ROOM], len: 0 };
                // INVARIANT: there is as much room as any text needs.
                text.len = print(Constant, self.row, self.word, &mut text.bytes).unwrap_or_default();
                text
            }

            /// Writes the canonical text into `buffer` from byte `at` on, and returns the position after it. This is
            /// the fast path. `None` if fewer than [`TEXT_ROOM`] bytes are left; bytes after the text may be
            /// overwritten.
            #[inline]
            pub fn append_to(self, buffer: &mut [u8], at: usize) -> Option<usize> {
                let room = buffer.get_mut(at..)?.first_chunk_mut::<TEXT_ROOM>()?;
                Some(at + print(Constant, self.row, self.word, room)?)
            }

            /// Writes the canonical text.
            pub fn write_to(self, out: &mut impl fmt::Write) -> fmt::Result {
                out.write_str(self.text().as_str())
            }

            /// Passes the canonical text in pieces, each with its kind.
            pub fn tokens(self, sink: impl FnMut(TokenKind, &str)) {
                let shown = #shown;
                tokens(self.text().as_str(), #mnemonic, #has_words, sink);
            }
        }

        #long

        #plain

        #named

        #formatted

        #aliases

        #of_sets
    }
}

/// The methods of texts with options that choose the text.
pub(super) fn choices(plan: &Plan<'_>, ty: &TokenStream) -> TokenStream {
    let texts = plan.image.texts.view();
    let plain = (texts.has_aliases || texts.has_shorts).then(|| {
        quote! {
            /// Without aliases, and in the instruction's own encoding.
            #[must_use]
            pub fn plain(self) -> #ty {
                Self { style: Style { is_plain: true, ..self.style }, ..self }
            }
        }
    });
    let names = (!plan.isa.name_sets().is_empty()).then(|| {
        quote! {
            /// By the names of a set.
            #[must_use]
            pub fn names(self, set: super::text::NameSet) -> #ty {
                Self { style: Style { names: set as u32, ..self.style }, ..self }
            }
        }
    });
    let extensions = plan.isa.has_guarded_texts().then(|| {
        quote! {
            /// With the aliases that implementations with these extensions have.
            #[must_use]
            pub fn extensions(self, extensions: super::Extensions) -> #ty {
                Self { set: super::engine::set::known(extensions.bits()), ..self }
            }
        }
    });
    quote!(#plain #names #extensions)
}

/// Texts in another appearance.
fn formatted(plan: &Plan<'_>) -> TokenStream {
    let choices = choices(plan, &quote!(Formatted));
    let style = plan.isa.name_sets().is_empty().then(|| {
        quote!(
            use super::engine::print::Style;
        )
    });
    quote! {
        #style

        impl Inst {
            /// Its text in an appearance: radix, case, blanks. In the default it is the canonical text. The assembler reads
            /// it as the same word where it reads names in any case.
            #[must_use]
            pub fn formatted(self, format: TextFormat) -> Formatted {
                Formatted {
                    inst: self,
                    style: Style::default(),
                    set: super::engine::set::UNKNOWN,
                    format,
                }
            }
        }

        /// The text of an instruction in an appearance.
        #[derive(Debug, Clone, Copy)]
        pub struct Formatted {
            inst: Inst,
            style: Style,
            set: super::engine::set::KnownSet,
            format: TextFormat,
        }

        impl Formatted {
            #choices

            /// Passes it in pieces, each with its kind. A long piece may come in several.
            pub fn tokens(&self, sink: impl FnMut(TokenKind, &str)) {
                let mut bytes = [0; TEXT_ROOM];
                let (own, place) = ((self.inst.row, self.set, self.style), (self.inst.word, None));
                let symbols = |_| None::<(&str, u64)>;
                super::engine::format::format(Constant, own, place, &self.format, &mut bytes, symbols, sink);
            }
        }

        impl fmt::Display for Formatted {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut result = Ok(());
                self.tokens(|_, piece| {
                    if result.is_ok() {
                        result = f.write_str(piece);
                    }
                });
                result
            }
        }
    }
}

/// Items for instruction sets with aliases that depend on extensions.
fn of_sets() -> TokenStream {
    quote! {
        impl Inst {
            /// Its canonical text for implementations with a set of extensions, with their aliases. The text without a
            /// set uses only aliases that every implementation with the instruction has.
            #[must_use]
            pub fn text_in(self, extensions: super::Extensions) -> Text {
                let mut text = Text { bytes: [0; TEXT_ROOM], len: 0 };
                // INVARIANT: there is as much room as any text needs.
                let len = print_in(Constant, known(extensions.bits()), (self.row, self.word), &mut text.bytes);
                text.len = len.unwrap_or_default();
                text
            }
        }
    }
}

/// Items for instruction sets with aliases.
fn aliases(plan: &Plan<'_>) -> TokenStream {
    let texts = plan.image.texts.view();
    let forms = plan.rows.iter().flat_map(|row| &plan.definition(row).aliases);
    let names: Vec<TokenStream> = forms
        .map(|alias| {
            let (name, mnemonic) = (&alias.form.name, &alias.form.syntax.mnemonic);
            quote!((#name, #mnemonic))
        })
        .collect();
    debug_assert_eq!(names.len(), texts.aliases.len(), "one for each row of an alias");
    let found = match plan.has_spelled() {
        true => quote! {
            let (name, mnemonic) = *ALIAS_NAMES.get(at)?;
            let text = super::tables::OPCODE_OF.len() + at;
            Some((name, super::tables::mnemonic(text, self.word).unwrap_or(mnemonic)))
        },
        false => quote!(ALIAS_NAMES.get(at).copied()),
    };
    quote! {
        /// The names and mnemonics of aliases, in the order of their rows.
        static ALIAS_NAMES: &[(&str, &str)] = &[#(#names),*];

        impl Inst {
            /// The name of the alias as which it is printed.
            #[must_use]
            pub fn alias(self) -> Option<&'static str> {
                self.alias_names().map(|(name, _)| name)
            }

            fn alias_names(self) -> Option<(&'static str, &'static str)> {
                let row = alias(&super::image::IMAGE, UNKNOWN, self.row, self.word)?;
                let at = (row.get() as usize).checked_sub(super::image::IMAGE.words.rows.len())?;
                #found
            }
        }
    }
}

/// Items for instruction sets with name sets.
fn named(plan: &Plan<'_>) -> TokenStream {
    let mut scope = Scope::reserving(&["ALL"]);
    let sets: Vec<(Ident, &String)> =
        plan.isa.name_sets().iter().map(|name| (scope.add(name), name)).collect();
    let variants = sets.iter().enumerate().map(|(at, (ident, name))| {
        let doc = format!(" `{name}`");
        let default = (at == 0).then(|| quote!(#[default]));
        quote!(#[doc = #doc] #default #ident)
    });
    let (idents, names): (Vec<&Ident>, Vec<&String>) =
        sets.iter().map(|(ident, name)| (ident, *name)).unzip();
    let texts = plan.image.texts.view();
    let has_guarded = plan.isa.has_guarded_texts();
    let set = has_guarded.then(|| quote!(set: KnownSet,));
    let unknown = has_guarded.then(|| quote!(, set: UNKNOWN));
    let rest = has_guarded.then(|| quote!(, ..self));
    let given = if has_guarded { quote!(options.set) } else { quote!(UNKNOWN) };
    let extensions = has_guarded.then(|| {
        quote! {
            /// With the aliases that implementations with these extensions have.
            #[must_use]
            pub const fn extensions(self, extensions: super::Extensions) -> TextOptions {
                TextOptions { set: known(extensions.bits()), ..self }
            }
        }
    });
    let plain = (texts.has_aliases || texts.has_shorts).then(|| {
        quote! {
            /// Without aliases, and in the instruction's own encoding.
            #[must_use]
            pub const fn plain(self) -> TextOptions {
                TextOptions { style: Style { is_plain: true, ..self.style } #rest }
            }
        }
    });
    quote! {
        /// The set of names for printing. The assembler reads all names.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        pub enum NameSet { #(#variants,)* }

        impl NameSet {
            /// Every set, in order of definition.
            pub const ALL: &'static [NameSet] = &[#(NameSet::#idents),*];

            /// Its name in the specification.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(NameSet::#idents => #names,)* }
            }
        }

        /// Options for printing instructions. The default is the canonical text.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct TextOptions {
            style: Style,
            #set
        }

        impl TextOptions {
            /// The canonical text.
            #[must_use]
            pub const fn new() -> TextOptions {
                TextOptions { style: Style { names: 0, is_plain: false } #unknown }
            }

            /// By the names of a set.
            #[must_use]
            pub const fn names(self, set: NameSet) -> TextOptions {
                TextOptions { style: Style { names: set as u32, ..self.style } #rest }
            }

            #plain

            #extensions
        }

        impl Inst {
            /// Its text with these options. The assembler reads it back as the same word as the canonical text.
            #[must_use]
            pub fn text_with(self, options: TextOptions) -> Text {
                let mut text = Text { bytes: [0; TEXT_ROOM], len: 0 };
                // INVARIANT: there is as much room as any text needs.
                let len = print_with(Constant, (self.row, self.word), (#given, options.style), &mut text.bytes);
                text.len = len.unwrap_or_default();
                text
            }
        }
    }
}

/// The type of texts.
fn text() -> TokenStream {
    quote! {
        /// The canonical text of an instruction.
        #[derive(Clone, Copy)]
        pub struct Text {
            bytes: [u8; TEXT_ROOM],
            len: usize,
        }

        impl Text {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                // Whole blocks of ASCII are checked faster than what is left of one: bytes after the text are of its
                // last chunk, or 0.
                let blocks = self.bytes.get(..self.len.next_multiple_of(16)).unwrap_or_default();
                match core::str::from_utf8(blocks).ok().and_then(|text| text.get(..self.len)) {
                    Some(text) => text,
                    None => core::str::from_utf8(self.as_bytes()).unwrap_or_default(),
                }
            }

            /// The text in UTF-8.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8] {
                self.bytes.get(..self.len).unwrap_or_default()
            }
        }

        impl core::ops::Deref for Text {
            type Target = str;

            fn deref(&self) -> &str {
                self.as_str()
            }
        }

        impl fmt::Display for Text {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl fmt::Debug for Text {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.as_str(), f)
            }
        }
    }
}
