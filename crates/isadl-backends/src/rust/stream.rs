//! `stream.rs` of a generated crate: consecutive instructions.

use proc_macro2::TokenStream;
use quote::quote;

use super::plan::Plan;
use super::target::Target;

/// The differences for instructions of several widths.
struct Widths {
    doc: &'static str,
    used: TokenStream,
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
                      steps over as many bytes as the shortest instruction has. It ends after the \
                      last byte.",
                used: quote!(
                    use super::MIN_BYTES;
                ),
                length: quote!(
                    decoded.as_ref().map_or(rest.len().min(MIN_BYTES), |&(_, length)| length)
                ),
                most: quote!(rest.div_ceil(MIN_BYTES)),
                exact: quote!(),
            };
        }
        Widths {
            doc: " The instructions of a stream of bytes with their offsets. It steps over a word that is \
                  not an instruction, and ends after the last byte, or after an error about bytes \
                  that are left over.",
            used: quote!(),
            length: quote!(rest.len().min(BYTES)),
            most: quote!(rest.div_ceil(BYTES)),
            exact: quote!(
                impl ExactSizeIterator for Stream<'_> {}
            ),
        }
    }
}

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let Widths { doc, used, length, most, exact } = Widths::of(plan);
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

        #[doc = #doc]
        #[derive(Debug, Clone)]
        pub struct Stream<'a> {
            #field
            bytes: &'a [u8],
            offset: usize,
        }

        impl<'a> Stream<'a> {
            /// The instructions of `bytes`.
            #[must_use]
            pub const fn new(#parameter bytes: &'a [u8]) -> Stream<'a> {
                Stream { #value bytes, offset: 0 }
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
