//! `parse.rs` of a generated crate: the engine's parser, with typed errors.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::control::Has;
use super::plan::Plan;
use super::target::Target;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let kinds = kinds(plan);
    let typed = typed(plan);
    let parse = parse(plan);
    let generation = Target::of(plan).types;
    quote! {
        //! Assembly text to instructions.

        use core::fmt;

        use super::engine::parse;
        use super::engine::parse_error::{self, Reason};
        use super::engine::target::Target;
        use super::image::Constant;
        use super::inst::CASE_NAMES;
        use super::text_tables::TEXTS;
        use super::{Inst, #generation Opcode, Rule};

        /// Why a text is not an instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct ParseError {
            /// Byte of the text.
            pub offset: usize,
            /// What is wrong there.
            pub kind: ParseErrorKind,
            /// The opcode of which the most could be read.
            pub closest: Option<Opcode>,
        }

        #kinds

        impl core::error::Error for ParseError {}

        #typed

        #parse
    }
}

/// The kinds of errors in a text, and their messages.
fn kinds(plan: &Plan<'_>) -> TokenStream {
    let (mut rare, mut rare_texts) = (Vec::new(), Vec::new());
    if !plan.generations.is_empty() {
        rare.push(quote! {
            /// Only other generations have the mnemonic.
            OtherGeneration,
        });
        rare_texts.push(quote! {
            ParseErrorKind::OtherGeneration => f.write_str("only other generations have this mnemonic"),
        });
    }
    if plan.has_extensions() {
        rare.push(quote! {
            /// No opcode of the set of extensions has the mnemonic; `closest` is an opcode that has it.
            NeedsExtension,
        });
        rare_texts.push(quote! {
            ParseErrorKind::NeedsExtension => f.write_str("the extensions lack this mnemonic"),
        });
    }
    if plan.image.texts.view().has_aligned {
        rare.push(quote! {
            /// The number of the first register must be a multiple of this.
            Misaligned(u32),
        });
        rare_texts.push(quote! {
            ParseErrorKind::Misaligned(align) => {
                write!(f, "the first register must be a multiple of {align}")
            }
        });
    }
    if has_scaled(plan) {
        rare.push(quote! {
            /// An integer is between two values.
            NotMultiple,
        });
        rare_texts.push(quote! {
            ParseErrorKind::NotMultiple => f.write_str("integer between two values"),
        });
    }
    if has_computed(plan) {
        rare.push(quote! {
            /// A number is not one of those that can be encoded.
            NotEncoded,
        });
        rare_texts.push(quote! {
            ParseErrorKind::NotEncoded => f.write_str("number that cannot be encoded"),
        });
    }
    if Has::of(plan).targets {
        rare.push(quote! {
            /// An address is out of reach.
            OutOfReach,
        });
        rare_texts.push(quote! {
            ParseErrorKind::OutOfReach => f.write_str("address out of reach"),
        });
    }
    if Has::of(plan).relocations {
        rare.push(quote! {
            /// The value of the relocation is not known: it depends on the address of the instruction, or only linkers
            /// know it.
            Relocation,
        });
        rare_texts.push(quote! {
            ParseErrorKind::Relocation => f.write_str("relocation whose value is not known here"),
        });
    }
    quote! {
        /// What is wrong with a text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ParseErrorKind {
            /// No mnemonic is known that the text begins with.
            UnknownMnemonic,
            /// This text was expected.
            Expected(&'static str),
            /// A value of this type of the specification was expected.
            ExpectedValue(&'static str),
            /// A modifier that the instruction has was expected.
            ExpectedModifier,
            /// This number of registers was expected, to hold the operand's bits.
            ExpectedRegisters(u16),
            #(#rare)*
            /// An integer is out of range.
            OutOfRange,
            /// A number is too large or too small for its format.
            NotRepresentable,
            /// The opcode has other bits there.
            Unfit,
            /// A rule of the specification forbids it.
            Rule(Rule),
            /// With these values the word belongs to this opcode, which has another text.
            SpecialCase(&'static str),
            /// Another opcode fits as well.
            Ambiguous(Opcode),
        }

        impl fmt::Display for ParseError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at byte {}: ", self.offset)?;
                match self.kind {
                    ParseErrorKind::UnknownMnemonic => f.write_str("unknown mnemonic"),
                    ParseErrorKind::Expected(text) => write!(f, "expected {text}"),
                    ParseErrorKind::ExpectedValue(name) => write!(f, "expected a value of {name}"),
                    ParseErrorKind::ExpectedModifier => f.write_str("expected another modifier"),
                    ParseErrorKind::ExpectedRegisters(count) => {
                        write!(f, "expected {count} registers in brackets, first:last")
                    }
                    #(#rare_texts)*
                    ParseErrorKind::OutOfRange => f.write_str("integer out of range"),
                    ParseErrorKind::NotRepresentable => f.write_str("number too large or too small"),
                    ParseErrorKind::Unfit => f.write_str("the opcode cannot have these values"),
                    ParseErrorKind::Rule(rule) => write!(f, "{rule}"),
                    ParseErrorKind::SpecialCase(other) => {
                        write!(f, "with these values this is {other}")
                    }
                    ParseErrorKind::Ambiguous(other) => write!(f, "{other} fits as well"),
                }?;
                match self.closest {
                    Some(opcode) => write!(f, " (closest: {opcode})"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Whether some numbers have a scale or bias.
fn has_scaled(plan: &Plan<'_>) -> bool {
    plan.image.texts.view().notations.iter().any(|notation| notation.is_scaled())
}

/// Whether some numbers are computed.
fn has_computed(plan: &Plan<'_>) -> bool {
    !plan.image.words.view().computed.is_empty()
}

/// The typed error that an error of the engine is.
fn typed(plan: &Plan<'_>) -> TokenStream {
    // INVARIANT: an item that the instruction set lacks is not found.
    let other_generation = match plan.generations.is_empty() {
        true => quote!(ParseErrorKind::UnknownMnemonic),
        false => quote!(ParseErrorKind::OtherGeneration),
    };
    let absent = match plan.has_extensions() {
        true => quote!(ParseErrorKind::NeedsExtension),
        false => quote!(ParseErrorKind::UnknownMnemonic),
    };
    let misaligned = match plan.image.texts.view().has_aligned {
        true => quote!(Reason::Misaligned(align) => ParseErrorKind::Misaligned(align)),
        false => quote!(Reason::Misaligned(_) => ParseErrorKind::OutOfRange),
    };
    let not_multiple = match has_scaled(plan) {
        true => quote!(ParseErrorKind::NotMultiple),
        false => quote!(ParseErrorKind::OutOfRange),
    };
    let not_encoded = match has_computed(plan) {
        true => quote!(ParseErrorKind::NotEncoded),
        false => quote!(ParseErrorKind::OutOfRange),
    };
    // INVARIANT: an item that the instruction set lacks is not read.
    let out_of_reach = match Has::of(plan).targets {
        true => quote!(ParseErrorKind::OutOfReach),
        false => quote!(ParseErrorKind::OutOfRange),
    };
    let relocation = match Has::of(plan).relocations {
        true => quote!(ParseErrorKind::Relocation),
        false => quote!(ParseErrorKind::Unfit),
    };
    quote! {
        #[cold]
        #[inline(never)]
        fn parse_error(error: parse_error::ParseError) -> ParseError {
            let opcode = |row| Inst { word: 0, row }.opcode();
            let kind = match error.reason {
                Reason::UnknownMnemonic => ParseErrorKind::UnknownMnemonic,
                Reason::OtherGeneration => #other_generation,
                Reason::Absent => #absent,
                Reason::Expected(text) => ParseErrorKind::Expected(text),
                Reason::ExpectedName(name) => ParseErrorKind::Expected(TEXTS.name(name)),
                Reason::ExpectedValue(ty) => {
                    ParseErrorKind::ExpectedValue(TEXTS.name(TEXTS.types[ty as usize].name))
                }
                Reason::NotMultiple(_) => #not_multiple,
                Reason::NotEncoded => #not_encoded,
                Reason::OutOfReach(_) => #out_of_reach,
                Reason::NoAddress | Reason::Linker => #relocation,
                Reason::ExpectedInteger(_) => ParseErrorKind::Expected("an integer"),
                Reason::UnknownModifier
                | Reason::RepeatedModifier
                | Reason::MisplacedModifier
                | Reason::MissingModifier(_)
                | Reason::ExpectedSuffix(_) => ParseErrorKind::ExpectedModifier,
                Reason::ExpectedControl => ParseErrorKind::Expected("the name of a control field"),
                Reason::ExpectedRegisters(count) => ParseErrorKind::ExpectedRegisters(count),
                #misaligned,
                Reason::OutOfRange(_) | Reason::TooWide(_) => ParseErrorKind::OutOfRange,
                Reason::NotRepresentable { .. } => ParseErrorKind::NotRepresentable,
                Reason::Unfit
                | Reason::Unwritable
                | Reason::NotAgain
                | Reason::IllegalValue(_) => ParseErrorKind::Unfit,
                Reason::Rule(rule) => ParseErrorKind::Rule(Rule(rule)),
                Reason::SpecialCase(name) => ParseErrorKind::SpecialCase(CASE_NAMES[name as usize]),
                Reason::Ambiguous(row) => ParseErrorKind::Ambiguous(opcode(row)),
            };
            ParseError { offset: error.offset, kind, closest: error.closest.map(opcode) }
        }
    }
}

/// The parser itself.
fn parse(plan: &Plan<'_>) -> TokenStream {
    let lines = plan.image.lines.view();
    let words = Literal::u32_unsuffixed(lines.max_words);
    let pieces = Literal::u32_unsuffixed(lines.max_pieces);
    let target = Target::of(plan);
    let (parameter, generation) = (&target.parameters, &target.engine);
    let from_str = target.is_empty().then(|| {
        quote! {
            impl core::str::FromStr for Inst {
                type Err = ParseError;

                fn from_str(text: &str) -> Result<Inst, ParseError> {
                    Inst::parse(text)
                }
            }
        }
    });
    let rank_doc = match lines.has_ranks {
        true => quote! {
            /// If the text fits several instructions, the shortest is taken, and a form without a literal before a form
            /// with one. Among the rest, the instruction with this printed text is taken.
        },
        false => quote! {
            /// If the text fits several instructions, the instruction with this printed text is taken.
        },
    };
    let has_shorts = plan.image.texts.view().has_shorts;
    let exact = has_shorts.then(|| {
        quote! {
            /// Assembles as [`Inst::parse`] does, but in the encoding that the text names.
            pub fn parse_exact(#parameter text: &str) -> Result<Inst, ParseError> {
                match parse::parse::<_, #words, #pieces>(Constant, #generation, text) {
                    Ok((row, word)) => Ok(Inst { word, row }),
                    Err(error) => Err(parse_error(error)),
                }
            }
        }
    });
    let (shorten, short_doc) = match has_shorts {
        true => (
            quote! {
                let (row, word) =
                    super::engine::short::shorten(&super::image::IMAGE, #generation, row, word);
            },
            quote!(#[doc = " It is given its shortest encoding, if it has several."]),
        ),
        false => (quote!(), quote!()),
    };
    let at = parse_at(plan, &target);
    quote! {
        #from_str

        impl Inst {
            /// Assembles one instruction. A `;` may end it, and a `//` comment may follow.
            #rank_doc
            #short_doc
            pub fn parse(#parameter text: &str) -> Result<Inst, ParseError> {
                match parse::parse::<_, #words, #pieces>(Constant, #generation, text) {
                    Ok((row, word)) => {
                        #shorten
                        Ok(Inst { word, row })
                    }
                    Err(error) => Err(parse_error(error)),
                }
            }

            #exact
        }

        #at
    }
}

/// Assembling where the address of the instruction is known, if that makes a difference.
fn parse_at(plan: &Plan<'_>, target: &Target) -> Option<TokenStream> {
    let said = Has::of(plan);
    let lines = plan.image.lines.view();
    let (words, pieces) = (lines.max_words as usize, lines.max_pieces as usize);
    let (parameter, engine) = (&target.parameters, &target.engine);
    let shorten = plan.image.texts.view().has_shorts.then(|| {
        quote! {
            let (row, word) =
                super::engine::short::shorten(&super::image::IMAGE, #engine, row, word);
        }
    });
    (said.targets || said.relocations).then(|| {
        quote! {
            impl Inst {
                /// Assembles as [`Inst::parse`] does an instruction that will be at an address: distances
                /// are written as the addresses that they name.
                pub fn parse_at(#parameter text: &str, address: u64) -> Result<Inst, ParseError> {
                    use super::engine::parse_line::OperandText;
                    let (mut words, mut pieces) = ([(0, 0); #words], [OperandText::EMPTY; #pieces]);
                    let target = (#engine, address);
                    match parse::parse_at(Constant, target, text, &mut words, &mut pieces) {
                        Ok((row, word)) => {
                            #shorten
                            Ok(Inst { word, row })
                        }
                        Err(error) => Err(parse_error(error)),
                    }
                }
            }
        }
    })
}
