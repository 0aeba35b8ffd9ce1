//! Decoding in `inst.rs` of a generated crate: the engine's decoder, with typed errors.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::Plan;
use super::target::Target;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let Target { parameters: parameter, arguments: argument, engine: index, .. } = Target::of(plan);
    let absent = match plan.has_extensions() {
        true => quote! {
            decode::Refusal::Absent(row) => {
                DecodeError::NeedsExtension { opcode: Inst { word, row }.opcode() }
            }
        },
        // INVARIANT: without extensions no opcode is absent.
        false => quote!(decode::Refusal::Absent(_) => DecodeError::Unknown,),
    };
    let decode_bytes = match plan.varies_width() {
        true => decode_some_bytes(plan, &parameter, &argument, &index),
        false => decode_bytes(plan, &parameter, &argument),
    };
    let word_doc = match plan.varies_width() {
        true => {
            " Decodes a word, which begins at its lowest bit. Bits that no field covers are ignored."
        }
        false => " Decodes a word. Bits that no field covers are ignored.",
    };
    quote! {
        impl Inst {
            #decode_bytes

            #[doc = #word_doc]
            #[inline]
            pub const fn decode_word(#parameter word: Word) -> Result<Inst, DecodeError> {
                match decode::decode(&IMAGE, #index, word) {
                    Some((row, word)) => Ok(Inst { word, row }),
                    None => Err(refusal(#argument word)),
                }
            }

            /// The instructions of a stream of bytes with their offsets.
            #[must_use]
            pub const fn stream(#parameter bytes: &[u8]) -> super::stream::Stream<'_> {
                super::stream::Stream::new(#argument bytes)
            }
        }

        /// Why a word is not an instruction.
        #[cold]
        #[inline(never)]
        const fn refusal(#parameter word: Word) -> DecodeError {
            match decode::refusal(&IMAGE, #index, word) {
                decode::Refusal::Unknown => DecodeError::Unknown,
                #absent
                decode::Refusal::Field(row, at) => {
                    let opcode = Inst { word, row }.opcode();
                    // Not from `Inst::info`, which has names.
                    match decode::field_name(&IMAGE, row, at) {
                        Some(name) => {
                            DecodeError::IllegalValue { opcode, field: Field::ALL[name as usize] }
                        }
                        None => DecodeError::Unknown,
                    }
                }
                decode::Refusal::Rule(row, rule) => {
                    DecodeError::Rule { opcode: Inst { word, row }.opcode(), rule: Rule(rule) }
                }
            }
        }
    }
}

/// Reads `word` from `bytes`, whose length is the length of the longest instruction.
fn read_word(plan: &Plan<'_>) -> TokenStream {
    if !plan.isa.word_layout().is_little_endian() {
        ordered_word(plan, &quote!(bytes))
    } else if plan.isa.bytes() * 8 == plan.word_bits() as usize {
        quote!(Word::from_le_bytes(*bytes))
    } else {
        quote! {{
            let mut padded = [0; size_of::<Word>()];
            padded[..BYTES].copy_from_slice(bytes);
            Word::from_le_bytes(padded)
        }}
    }
}

/// The word of an array of bytes that are not in the order of a little-endian word.
pub(super) fn ordered_word(plan: &Plan<'_>, bytes: &TokenStream) -> TokenStream {
    let (order, count) = (plan.isa.word_layout(), plan.isa.bytes());
    let places = (0..plan.word_bits() as usize / 8).map(|at| match at < count {
        true => {
            let at = Literal::usize_unsuffixed(order.place_of(at));
            quote!(#bytes[#at])
        }
        false => quote!(0),
    });
    quote!(Word::from_le_bytes([#(#places),*]))
}

/// The doc comment of `decode`.
fn decode_doc(plan: &Plan<'_>) -> String {
    format!(
        " Decodes the instruction at the start of `bytes`, {}; returns it with the number of bytes that it takes.",
        byte_order(plan)
    )
}

/// How bytes are ordered, in words.
pub(super) fn byte_order(plan: &Plan<'_>) -> &'static str {
    let (order, last) = (plan.isa.word_layout(), plan.isa.bytes() - 1);
    match order.is_little_endian() {
        true => "little-endian",
        false if (0..=last).all(|at| order.place_of(at) == last - at) => "big-endian",
        false => "in the order of memory",
    }
}

/// Decoding of bytes where all instructions are equally long.
fn decode_bytes(plan: &Plan<'_>, parameter: &TokenStream, argument: &TokenStream) -> TokenStream {
    let read = read_word(plan);
    let doc = decode_doc(plan);
    quote! {
        #[doc = #doc]
        #[inline]
        pub fn decode(#parameter bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
            let Some(bytes) = bytes.first_chunk::<{ BYTES }>() else {
                return Err(DecodeError::Truncated { needed: BYTES });
            };
            match Inst::decode_word(#argument #read) {
                Ok(inst) => Ok((inst, BYTES)),
                Err(error) => Err(error),
            }
        }
    }
}

/// Decoding of bytes where the instruction determines their number.
fn decode_some_bytes(
    plan: &Plan<'_>,
    parameter: &TokenStream,
    argument: &TokenStream,
    index: &TokenStream,
) -> TokenStream {
    let read = read_word(plan);
    let read_padded = match plan.isa.word_layout().is_little_endian() {
        true => quote!(Word::from_le_bytes(padded)),
        false => ordered_word(plan, &quote!(padded)),
    };
    let doc = decode_doc(plan);
    quote! {
        #[doc = #doc]
        #[inline]
        pub fn decode(#parameter bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
            let Some(first) = bytes.first_chunk::<{ BYTES }>() else {
                return Inst::decode_some(#argument bytes);
            };
            let bytes = first;
            match Inst::decode_word(#argument #read) {
                Ok(inst) => Ok((inst, inst.len())),
                Err(error) => Err(error),
            }
        }

        /// Decodes bytes that are fewer than the longest instruction has.
        #[cold]
        fn decode_some(#parameter bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
            let mut padded = [0; size_of::<Word>()];
            padded[..bytes.len()].copy_from_slice(bytes);
            let word = #read_padded;
            let needed = match decode::find(&IMAGE, #index, word) {
                Some(row) => Inst { word, row }.len(),
                None => super::MIN_BYTES,
            };
            if bytes.len() < needed {
                return Err(DecodeError::Truncated { needed });
            }
            match Inst::decode_word(#argument word) {
                Ok(inst) => Ok((inst, needed)),
                Err(error) => Err(error),
            }
        }
    }
}
