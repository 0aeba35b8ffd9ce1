//! `traits.rs` of a generated crate: implements `isadl-traits` for its instructions, for tools that support any
//! instruction set.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::control::Has;
use super::plan::Plan;
use super::{Emit, Options};

/// The version of `isadl-traits` that generated code implements.
pub(super) const VERSION: &str = "0.1";

pub(super) fn emit(plan: &Plan<'_>, options: &Options) -> TokenStream {
    let parts = options.parts;
    let has = |part: Emit| part == Emit::Yes;
    let traits = [
        (!plan.generations.is_empty()).then(generation),
        plan.has_extensions().then(extensions),
        Some(instruction(plan)),
        has(parts.decode).then(|| decode(plan)),
        has(parts.encode).then(|| encode(plan, options)),
        has(parts.text).then(text),
        parts.parses().then(|| parse(plan)),
        has(parts.flow).then(|| flow(plan)),
        has(parts.flow).then(operands),
        Some(control(plan)),
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

/// The parameters for a generation and a set of extensions, and the arguments for them of the methods of `Inst`.
fn target_parameters(plan: &Plan<'_>) -> (TokenStream, TokenStream) {
    let (mut parameter, mut argument) = match plan.generations.is_empty() {
        true => (quote!((): ()), quote!()),
        false => (quote!(generation: super::generation::Generation), quote!(generation,)),
    };
    match plan.has_extensions() {
        true => {
            parameter.extend(quote!(, extensions: super::extensions::Extensions));
            argument.extend(quote!(extensions,));
        }
        false => parameter.extend(quote!(, (): ())),
    }
    (parameter, argument)
}

fn extensions() -> TokenStream {
    quote! {
        impl ::isadl_traits::ExtensionSet for super::extensions::Extensions {
            const DEFAULT: Self = Self::DEFAULT;

            fn from_names(names: &str) -> Option<Self> {
                names.parse().ok()
            }
        }
    }
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
    let (extensions, of_set, is_with) = match plan.has_extensions() {
        true => (
            quote!(super::extensions::Extensions),
            quote!(extensions: super::extensions::Extensions),
            quote!(Inst::is_with(self, extensions)),
        ),
        false => (quote!(()), quote!((): ()), quote!(true)),
    };
    // A word of 128 bits needs no conversion.
    let word = match plan.word_bits() {
        128 => quote!(Inst::word(self)),
        _ => quote!(u128::from(Inst::word(self))),
    };
    quote! {
        impl ::isadl_traits::Instruction for Inst {
            type Generation = #generation;
            type Extensions = #extensions;

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

            fn is_with(self, #of_set) -> bool {
                #is_with
            }
        }
    }
}

fn decode(plan: &Plan<'_>) -> TokenStream {
    let (parameter, argument) = target_parameters(plan);
    quote! {
        impl ::isadl_traits::Decode for Inst {
            type DecodeError = super::error::DecodeError;

            #[inline]
            fn decode_with(#parameter, bytes: &[u8]) -> Result<(Inst, usize), Self::DecodeError> {
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
    let (parameter, argument) = target_parameters(plan);
    let parse = match argument.is_empty() {
        true => quote!(text.parse()),
        false => quote!(Inst::parse(#argument text)),
    };
    quote! {
        impl ::isadl_traits::Parse for Inst {
            type ParseError = super::parse::ParseError;

            fn parse_with(#parameter, text: &str) -> Result<Inst, Self::ParseError> {
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

fn operands() -> TokenStream {
    quote! {
        impl ::isadl_traits::Operands for Inst {
            type Parts = SharedParts;

            fn operands(self) -> impl Iterator<Item = ::isadl_traits::Operand<SharedParts>> + Clone {
                Inst::generic_operands(self).map(|operand| {
                    use super::operands::{Access, OperandPlace};
                    let name = match operand.info.place {
                        OperandPlace::Field(field) => field.name(),
                        OperandPlace::File(file) => file.name(),
                        OperandPlace::Indirect { base, .. } => base.name(),
                    };
                    let is_read = matches!(operand.access, Access::Read | Access::ReadWrite);
                    let is_written = matches!(operand.access, Access::Write | Access::ReadWrite);
                    ::isadl_traits::Operand::new(name, operand.width, shared_value(operand.value))
                        .accessed(is_read, is_written)
                })
            }
        }

        /// The parts of an operand, in the types that all instruction sets share.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct SharedParts(super::generic::Parts);

        impl Iterator for SharedParts {
            type Item = (&'static str, ::isadl_traits::Value<SharedParts>);

            fn next(&mut self) -> Option<Self::Item> {
                let (name, value) = self.0.next()?;
                Some((name, shared_value(value)))
            }
        }

        /// A value in the types that all instruction sets share.
        fn shared_value(value: super::generic::Value) -> ::isadl_traits::Value<SharedParts> {
            use super::generic::Value;
            match value {
                Value::Registers { file, first, count } => {
                    ::isadl_traits::Value::Registers { file: shared_file(file), first, count }
                }
                Value::Indirect { file, base, offset } => {
                    let base = base.map(|base| (shared_file(base.file), u32::from(base.number)));
                    ::isadl_traits::Value::Indirect { file: shared_file(file), base, offset }
                }
                Value::Constant { file, name, is_ones } => {
                    ::isadl_traits::Value::Constant { file: shared_file(file), name, is_ones }
                }
                Value::Special(name) => ::isadl_traits::Value::Special(name),
                Value::Integer(value) => ::isadl_traits::Value::Integer(value),
                Value::Distance(value) => ::isadl_traits::Value::Distance(value),
                Value::Float { bits, exponent, fraction } => {
                    ::isadl_traits::Value::Float { bits, exponent, fraction }
                }
                Value::Packed(bits) => ::isadl_traits::Value::Packed(bits),
                Value::Name(name) => ::isadl_traits::Value::Name(name),
                Value::Parts(parts) => ::isadl_traits::Value::Parts(SharedParts(parts)),
                Value::Memory(parts) => ::isadl_traits::Value::Memory(SharedParts(parts)),
            }
        }
    }
}

fn control(plan: &Plan<'_>) -> TokenStream {
    let said = Has::of(plan);
    let class = match said.classes {
        true => quote! {
            use super::control::FlowControl;
            Some(match Inst::flow_control(self) {
                FlowControl::Next => ::isadl_traits::FlowControl::Next,
                FlowControl::Branch => ::isadl_traits::FlowControl::Branch,
                FlowControl::Conditional => ::isadl_traits::FlowControl::Conditional,
                FlowControl::Call => ::isadl_traits::FlowControl::Call,
                FlowControl::Return => ::isadl_traits::FlowControl::Return,
                FlowControl::Indirect => ::isadl_traits::FlowControl::Indirect,
                FlowControl::IndirectCall => ::isadl_traits::FlowControl::IndirectCall,
                FlowControl::Trap => ::isadl_traits::FlowControl::Trap,
                FlowControl::SystemCall => ::isadl_traits::FlowControl::SystemCall,
                FlowControl::Abort => ::isadl_traits::FlowControl::Abort,
            })
        },
        false => quote!(None),
    };
    let (address, target) = match said.targets {
        true => (quote!(address), quote!(Inst::target(self, address))),
        false => (quote!(_address), quote!(None)),
    };
    quote! {
        impl ::isadl_traits::Control for Inst {
            fn flow_control(self) -> Option<::isadl_traits::FlowControl> {
                #class
            }

            fn target(self, #address: u64) -> Option<u64> {
                #target
            }
        }
    }
}
