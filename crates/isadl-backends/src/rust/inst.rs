//! `inst.rs` of a generated crate: the instruction, and its properties beyond its fields.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::Plan;
use super::target::Target;
use super::{Emit, Options, decode, encode, getters};

pub(super) fn emit(plan: &Plan<'_>, options: &Options) -> TokenStream {
    let decode = (options.parts.decode == Emit::Yes).then(|| decode::emit(plan));
    let encode = (options.parts.encode == Emit::Yes).then(|| encode::emit(plan));
    let getters = getters::emit(plan);
    let Target { types, .. } = Target::of(plan);
    let requires = plan.has_extensions().then(|| quote!(Requires,));
    let generation = (!types.is_empty()).then(|| {
        quote!(
            use super::{#types #requires};
        )
    });
    let debug = debug(plan);
    let mnemonic = match plan.has_spelled() {
        true => quote! {
            tables::mnemonic(self.row(), self.word).unwrap_or(self.info().mnemonic)
        },
        false => quote!(self.info().mnemonic),
    };
    let size = Literal::u32_unsuffixed(plan.word_bits() / 8 * 2);
    let rule_doc = match plan.has_assembler_rules() {
        true => {
            " The rule that the word breaks, if any. What decodes breaks no rule but such as only \
             encoder and assembler follow."
        }
        false => " The rule that the word breaks, if any.",
    };
    let more = more(plan);
    let fields = plan.has_pieces().then(|| {
        quote!(
            use super::engine::fields;
        )
    });
    quote! {
        //! The instruction.

        #![allow(dead_code, unused_imports)]

        use core::fmt;

        use super::engine::bits::{extract, insert};
        #fields
        use super::engine::decode;
        use super::engine::encode;
        use super::engine::set::UNKNOWN;
        use super::engine::target::Target;
        use super::image::WORDS_ALONE as IMAGE;
        use super::types::*;
        use super::{BYTES, DecodeError, EncodeError, Field, Opcode, OpcodeInfo, Operands, Rule, Word, tables};
        #generation

        /// An instruction: opcode and word. Every field holds a value of its type. Bits outside fields are 0.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Inst {
            pub(crate) word: Word,
            pub(crate) row: decode::RowId,
        }

        const _: () = assert!(size_of::<Option<Inst>>() == #size);

        impl fmt::Debug for Inst {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                #debug
            }
        }

        impl Inst {
            /// Its opcode.
            #[inline]
            #[must_use]
            pub const fn opcode(self) -> Opcode {
                tables::OPCODE_OF[self.row()]
            }

            /// What the specification says of its opcode.
            #[inline]
            #[must_use]
            pub const fn info(self) -> &'static OpcodeInfo {
                &tables::INFO[self.row()]
            }

            /// Its mnemonic without aliases, with the values of the fields in it. A value with several names is shown
            /// by the first.
            #[must_use]
            pub fn mnemonic(self) -> &'static str {
                #mnemonic
            }

            /// Its word, also where [`Inst::to_word`] refuses it.
            #[inline]
            #[must_use]
            pub const fn word(self) -> Word {
                self.word
            }

            /// Its operands in assembly order.
            #[must_use]
            pub const fn operands(self) -> Operands {
                Operands::new(self)
            }

            #more

            /// The bits of a field, if the opcode has a field with this name.
            #[must_use]
            pub fn get(self, field: Field) -> Option<u64> {
                let field = encode::field(&IMAGE, self.row, field as u16)?;
                Some(encode::raw(&IMAGE, field, self.word))
            }

            #[doc = #rule_doc]
            #[inline]
            #[must_use]
            pub const fn broken_rule(self) -> Option<Rule> {
                match decode::broken_rule(&IMAGE, UNKNOWN, (self.row, self.word), true) {
                    Some(rule) => Some(Rule(rule)),
                    None => None,
                }
            }

            /// The index of tables.
            #[inline]
            pub(crate) const fn row(self) -> usize {
                self.row.get() as usize - 1
            }
        }

        #decode
        #encode
        #getters
    }
}

fn debug(plan: &Plan<'_>) -> TokenStream {
    if plan.varies_width() {
        let word = match plan.isa.word_layout().is_first_high() {
            true => quote!(self.word >> (8 * (super::BYTES - self.len()))),
            false => quote!(self.word),
        };
        return quote! {
            let digits = 2 * self.len();
            write!(f, "{}(0x{:0digits$x})", self.opcode(), #word)
        };
    }
    let digits = plan.isa.bytes() * 2;
    let debug = format!("{{}}(0x{{:0{digits}x}})");
    quote!(write!(f, #debug, self.opcode(), self.word))
}

/// Methods that only some instruction sets have.
fn more(plan: &Plan<'_>) -> TokenStream {
    let implicit = plan.has_implicit().then(|| {
        quote! {
            /// The register files that it reads or writes without showing them in assembly text.
            #[must_use]
            pub const fn implicit(self) -> Operands {
                Operands::implicit(self)
            }
        }
    });
    let width = plan.varies_width().then(|| {
        quote! {
            /// How many bytes it has.
            #[inline]
            #[must_use]
            #[allow(clippy::len_without_is_empty)]
            pub const fn len(self) -> usize {
                tables::LENGTH_OF[self.row()] as usize
            }

            /// How many bits it has.
            #[inline]
            #[must_use]
            pub const fn width(self) -> u32 {
                8 * self.len() as u32
            }
        }
    });
    let generations = (!plan.generations.is_empty()).then(|| {
        quote! {
            /// The generations that have it so.
            pub fn generations(self) -> impl Iterator<Item = Generation> + Clone {
                Generation::ALL.iter().copied().filter(move |generation| self.is_in(*generation))
            }

            /// Whether a generation has it so.
            #[inline]
            #[must_use]
            pub const fn is_in(self, generation: Generation) -> bool {
                tables::GENERATIONS_OF[self.row()] >> generation as u32 & 1 != 0
            }
        }
    });
    let requires = plan.has_extensions().then(|| {
        quote! {
            /// The sets of extensions that have it: any of these.
            #[inline]
            #[must_use]
            pub const fn requires(self) -> &'static [Requires] {
                tables::REQUIRES[self.row()]
            }

            /// Whether its word is this instruction with a set of extensions: the set has the opcode, and no special
            /// case that takes the word.
            #[must_use]
            pub const fn is_with(self, extensions: Extensions) -> bool {
                let set = Some(extensions.bits());
                extensions.meets(self.requires())
                    && encode::special_case(&IMAGE, set, self.row, self.word).is_none()
            }
        }
    });
    quote!(#implicit #width #generations #requires)
}
