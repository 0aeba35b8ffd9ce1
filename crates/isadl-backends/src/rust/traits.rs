//! `traits.rs` of a generated crate: implements `isadl-traits` for its instructions, for tools that support any
//! instruction set.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::Plan;
use super::{Emit, Options};

/// The version of `isadl-traits` that generated code implements.
pub(super) const VERSION: &str = "0.1";

pub(super) fn emit(plan: &Plan<'_>, options: &Options) -> TokenStream {
    let parts = options.parts;
    let has = |part: Emit| part == Emit::Yes;
    let traits = [
        (!plan.generations.is_empty()).then(generation),
        Some(instruction(plan)),
        has(parts.decode).then(|| decode(plan)),
        has(parts.encode).then(|| encode(plan, options)),
        has(parts.text).then(text),
        parts.parses().then(|| parse(plan)),
        has(parts.flow).then(|| flow(plan)),
    ];
    let traits = traits.into_iter().flatten();
    quote! {
        //! The traits of `isadl-traits`, for tools that work with any instruction set.

        use super::inst::Inst;

        #(#traits)*
    }
}

/// The type of generations.
fn generation_type(plan: &Plan<'_>) -> TokenStream {
    match plan.generations.is_empty() {
        true => quote!(()),
        false => quote!(super::generation::Generation),
    }
}

/// The parameter for a generation, and the argument for it of the methods of `Inst`.
fn generation_parameter(plan: &Plan<'_>) -> (TokenStream, TokenStream) {
    let (parameter, mut argument) = match plan.generations.is_empty() {
        true => (quote!((): ()), quote!()),
        false => (quote!(generation: super::generation::Generation), quote!(generation,)),
    };
    if plan.has_extensions() {
        argument.extend(quote!(super::extensions::Extensions::DEFAULT,));
    }
    (parameter, argument)
}

fn generation() -> TokenStream {
    quote! {
        impl ::isadl_traits::Generation for super::generation::Generation {
            const ALL: &'static [Self] = Self::ALL;

            fn name(self) -> &'static str {
                Self::name(self)
            }
        }
    }
}

fn instruction(plan: &Plan<'_>) -> TokenStream {
    let generation = generation_type(plan);
    let name = plan.isa.name();
    let min_bytes = Literal::usize_unsuffixed(plan.min_bytes());
    let byte_count = match plan.varies_width() {
        true => quote!(Inst::len(self)),
        false => quote!(super::BYTES),
    };
    let (parameter, is_in) = match plan.generations.is_empty() {
        true => (quote!((): ()), quote!(true)),
        false => (quote!(generation: #generation), quote!(Inst::is_in(self, generation))),
    };
    // A word of 128 bits needs no conversion.
    let word = match plan.word_bits() {
        128 => quote!(Inst::word(self)),
        _ => quote!(u128::from(Inst::word(self))),
    };
    quote! {
        impl ::isadl_traits::Instruction for Inst {
            type Generation = #generation;

            const ISA: &'static str = #name;
            const MIN_BYTES: usize = #min_bytes;
            const MAX_BYTES: usize = super::BYTES;

            fn opcode_name(self) -> &'static str {
                Inst::info(self).name
            }

            fn mnemonic(self) -> &'static str {
                Inst::mnemonic(self)
            }

            fn operation(self) -> &'static str {
                Inst::info(self).optype
            }

            fn groups(self) -> &'static [&'static str] {
                Inst::info(self).groups
            }

            fn byte_count(self) -> usize {
                #byte_count
            }

            fn word(self) -> u128 {
                #word
            }

            fn is_in(self, #parameter) -> bool {
                #is_in
            }
        }
    }
}

fn decode(plan: &Plan<'_>) -> TokenStream {
    let (parameter, argument) = generation_parameter(plan);
    quote! {
        impl ::isadl_traits::Decode for Inst {
            type DecodeError = super::error::DecodeError;

            #[inline]
            fn decode(#parameter, bytes: &[u8]) -> Result<(Inst, usize), Self::DecodeError> {
                Inst::decode(#argument bytes)
            }
        }
    }
}

fn encode(plan: &Plan<'_>, options: &Options) -> TokenStream {
    let bytes = match plan.has_bytes(options.parts) {
        true => quote!(super::bytes::Bytes),
        false => quote!([u8; super::BYTES]),
    };
    quote! {
        impl ::isadl_traits::Encode for Inst {
            type Bytes = #bytes;
            type EncodeError = super::error::EncodeError;

            #[inline]
            fn to_bytes(self) -> Result<Self::Bytes, Self::EncodeError> {
                Inst::to_bytes(self)
            }
        }
    }
}

fn text() -> TokenStream {
    quote! {
        impl ::isadl_traits::Text for Inst {
            const ROOM: usize = super::text::TEXT_ROOM;

            #[inline]
            fn append_to(self, buffer: &mut [u8], at: usize) -> Option<usize> {
                Inst::append_to(self, buffer, at)
            }

            fn tokens(self, mut sink: impl FnMut(::isadl_traits::TokenKind, &str)) {
                use super::text::TokenKind;
                Inst::tokens(self, |kind, piece| {
                    let kind = match kind {
                        TokenKind::Mnemonic => ::isadl_traits::TokenKind::Mnemonic,
                        TokenKind::Modifier => ::isadl_traits::TokenKind::Modifier,
                        TokenKind::Register => ::isadl_traits::TokenKind::Register,
                        TokenKind::Number => ::isadl_traits::TokenKind::Number,
                        TokenKind::Control => ::isadl_traits::TokenKind::Control,
                        TokenKind::Punctuation => ::isadl_traits::TokenKind::Punctuation,
                        TokenKind::Address => ::isadl_traits::TokenKind::Address,
                        TokenKind::Symbol => ::isadl_traits::TokenKind::Symbol,
                    };
                    sink(kind, piece);
                });
            }
        }
    }
}

fn parse(plan: &Plan<'_>) -> TokenStream {
    let (parameter, argument) = generation_parameter(plan);
    let parse = match argument.is_empty() {
        true => quote!(text.parse()),
        false => quote!(Inst::parse(#argument text)),
    };
    quote! {
        impl ::isadl_traits::Parse for Inst {
            type ParseError = super::parse::ParseError;

            fn parse(#parameter, text: &str) -> Result<Inst, Self::ParseError> {
                #parse
            }
        }

        impl ::isadl_traits::ParseError for super::parse::ParseError {
            fn offset(&self) -> usize {
                self.offset
            }
        }
    }
}

fn flow(plan: &Plan<'_>) -> TokenStream {
    let memory = match plan.has_memory() {
        true => quote!(super::flow::Memory),
        false => quote!(core::convert::Infallible),
    };
    let file = match plan.reg_files.is_empty() {
        true => quote!(match file {}),
        false => quote!(::isadl_traits::RegisterFile::new(file as u16, file.name())),
    };
    let variants = [
        plan.has_specials().then(|| {
            quote!(Resource::Special(special) => ::isadl_traits::Resource::Special(special.name()),)
        }),
        plan.has_memory()
            .then(|| quote!(Resource::Memory(place) => ::isadl_traits::Resource::Memory(place),)),
    ];
    let variants = variants.iter().flatten();
    quote! {
        impl ::isadl_traits::Flow for Inst {
            type Memory = #memory;

            fn uses(self) -> impl Iterator<Item = ::isadl_traits::Use<#memory>> + Clone {
                Inst::uses(self).map(shared)
            }

            fn reads(self) -> impl Iterator<Item = ::isadl_traits::Use<#memory>> + Clone {
                Inst::reads(self).map(shared)
            }

            fn writes(self) -> impl Iterator<Item = ::isadl_traits::Use<#memory>> + Clone {
                Inst::writes(self).map(shared)
            }
        }

        /// The register file in the type that all instruction sets share.
        fn shared_file(file: super::types::RegFile) -> ::isadl_traits::RegisterFile {
            #file
        }

        /// A use in the types that all instruction sets share.
        fn shared(found: super::flow::Use) -> ::isadl_traits::Use<#memory> {
            use super::flow::{Effect, Resource};
            let resource = match found.resource {
                Resource::Registers { file, first, count } => {
                    ::isadl_traits::Resource::Registers { file: shared_file(file), first, count }
                }
                Resource::Unknown { file } => {
                    ::isadl_traits::Resource::Unknown { file: shared_file(file) }
                }
                #(#variants)*
            };
            let effect = match found.effect {
                Effect::Read => ::isadl_traits::Effect::Read,
                Effect::ConditionalRead => ::isadl_traits::Effect::ConditionalRead,
                Effect::Write => ::isadl_traits::Effect::Write,
                Effect::ConditionalWrite => ::isadl_traits::Effect::ConditionalWrite,
                Effect::ReadWrite => ::isadl_traits::Effect::ReadWrite,
                Effect::ReadConditionalWrite => ::isadl_traits::Effect::ReadConditionalWrite,
            };
            ::isadl_traits::Use { resource, effect }
        }
    }
}
