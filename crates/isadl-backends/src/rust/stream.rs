//! `stream.rs` of a generated crate: consecutive instructions.

use isadl_runtime::engine::Lengths;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::decode::ordered_word;
use super::plan::Plan;
use super::target::Target;

/// The differences for instructions of several widths.
struct Widths {
    doc: &'static str,
    used: TokenStream,
    /// A field that says how to step over words that are not instructions.
    field: TokenStream,
    value: TokenStream,
    methods: TokenStream,
    /// The lengths that the first bits of a word tell.
    table: TokenStream,
    /// How many bytes to step over.
    length: TokenStream,
    /// The most instructions that may be left.
    most: TokenStream,
    exact: TokenStream,
}

impl Widths {
    fn of(plan: &Plan<'_>) -> Widths {
        if plan.varies_width() {
            return Widths {
                doc: " The instructions of a stream of bytes with their offsets. Where there is none, it \
                      steps over as many bytes as the shortest instruction has, or, after \
                      [`by_length`](Stream::by_length), as many as the bits there tell. It ends after the \
                      last byte.",
                used: quote!(
                    use super::MIN_BYTES;
                    use super::engine::decode::find;
                    use super::engine::target::Target;
                    use super::image::IMAGE;
                    use super::Word;
                ),
                field: quote!(is_by_length: bool,),
                value: quote!(is_by_length: false,),
                methods: by_length(plan),
                table: table(plan),
                length: quote!(match &decoded {
                    Ok((_, length)) => *length,
                    Err(_) => self.step(rest),
                }),
                most: quote!(rest.div_ceil(MIN_BYTES)),
                exact: quote!(),
            };
        }
        Widths {
            doc: " The instructions of a stream of bytes with their offsets. It steps over a word that is \
                  not an instruction, and ends after the last byte, or after an error about bytes \
                  that are left over.",
            used: quote!(),
            field: quote!(),
            value: quote!(),
            methods: quote!(),
            table: quote!(),
            length: quote!(rest.len().min(BYTES)),
            most: quote!(rest.div_ceil(BYTES)),
            exact: quote!(
                impl ExactSizeIterator for Stream<'_> {}
            ),
        }
    }
}

/// The lengths that the bits of the first unit tell.
fn table(plan: &Plan<'_>) -> TokenStream {
    let lengths = Lengths::of(plan.isa, &plan.image);
    let rows = lengths.rows().iter().map(|(mask, value, length)| {
        let (mask, value) = (Literal::u128_unsuffixed(*mask), Literal::u128_unsuffixed(*value));
        let length = Literal::usize_unsuffixed(*length);
        quote!((#mask, #value, #length))
    });
    quote! {
        /// A mask, the value of its bits, and the length in bytes of instructions with these bits.
        static LENGTHS: &[(Word, Word, usize)] = &[#(#rows),*];
    }
}

/// Steps by the lengths of words that are not instructions.
fn by_length(plan: &Plan<'_>) -> TokenStream {
    let word = match plan.isa.word_layout().is_little_endian() {
        true => quote!(Word::from_le_bytes(padded)),
        false => ordered_word(plan, &quote!(padded)),
    };
    let target = Target::engine_of_self(plan);
    quote! {
        /// The same stream, which steps over a word that is no instruction by the length that its first bits tell, where
        /// some bits tell instructions of different lengths apart.
        #[must_use]
        pub const fn by_length(self) -> Self {
            Stream { is_by_length: true, ..self }
        }

        /// Bytes to step over where there is no instruction.
        #[cold]
        fn step(&self, rest: &[u8]) -> usize {
            if !self.is_by_length {
                return rest.len().min(MIN_BYTES);
            }
            let mut padded = [0; size_of::<Word>()];
            let count = rest.len().min(BYTES);
            padded[..count].copy_from_slice(&rest[..count]);
            let word = #word;
            let told = || LENGTHS.iter().find(|(mask, value, _)| (word ^ value) & mask == 0);
            let length = match find(&IMAGE, #target, word) {
                Some(row) => Inst { word, row }.len(),
                None => told().map_or(MIN_BYTES, |row| row.2),
            };
            rest.len().min(length)
        }
    }
}

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let Widths { doc, used, field: by, value: by_value, methods, table, length, most, exact } =
        Widths::of(plan);
    let Target { parameters: parameter, arguments: value, own: argument, types, .. } =
        Target::of(plan);
    let field = &parameter;
    let generation = (!types.is_empty()).then(|| {
        quote!(
            use super::{#types};
        )
    });
    quote! {
        //! Instructions one after another in a stream of bytes.

        use core::iter::FusedIterator;

        #generation
        #used
        use super::{BYTES, DecodeError, Inst};

        #table

        #[doc = #doc]
        #[derive(Debug, Clone)]
        pub struct Stream<'a> {
            #field
            bytes: &'a [u8],
            offset: usize,
            base: u64,
            #by
        }

        impl<'a> Stream<'a> {
            /// The instructions of `bytes`; the first byte has the address 0.
            #[must_use]
            pub const fn new(#parameter bytes: &'a [u8]) -> Stream<'a> {
                Stream { #value bytes, offset: 0, base: 0, #by_value }
            }

            /// The same stream, whose first byte has an address.
            #[must_use]
            pub const fn at(self, address: u64) -> Self {
                Stream { base: address, ..self }
            }

            #methods

            /// The offset of the next instruction, in bytes.
            #[must_use]
            pub const fn offset(&self) -> usize {
                self.offset
            }

            /// The address of the next instruction. Addresses have 64 bits and wrap.
            #[must_use]
            pub const fn address(&self) -> u64 {
                self.base.wrapping_add(self.offset as u64)
            }

            /// Goes on at an offset in bytes. Behind the last byte there are no instructions.
            pub const fn seek(&mut self, offset: usize) {
                self.offset = offset;
            }

            /// Goes on at an address. If it is not that of one of the bytes, or that after the last of them, nothing
            /// changes, and the answer is `false`.
            pub const fn seek_address(&mut self, address: u64) -> bool {
                let offset = address.wrapping_sub(self.base);
                let is_inside = offset <= self.bytes.len() as u64;
                if is_inside {
                    self.offset = offset as usize;
                }
                is_inside
            }
        }

        impl Iterator for Stream<'_> {
            type Item = (usize, Result<Inst, DecodeError>);

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let rest = self.bytes.get(self.offset..).filter(|rest| !rest.is_empty())?;
                let at = self.offset;
                let decoded = Inst::decode(#argument rest);
                self.offset += #length;
                Some((at, decoded.map(|(inst, _)| inst)))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                let rest = self.bytes.len().saturating_sub(self.offset);
                (rest.div_ceil(BYTES), Some(#most))
            }
        }

        #exact

        impl FusedIterator for Stream<'_> {}
    }
}
