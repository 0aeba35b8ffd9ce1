//! The definitions of the generated tables' rows, as `values.rs` and `forms.rs` have them here.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::values::BITS;
use crate::rust::plan::Plan;

/// The shapes of the data that says how values are written.
pub(super) fn value_shapes(plan: &Plan<'_>) -> TokenStream {
    let align = plan.has_aligned().then(|| {
        quote! {
            /// What numbers of registers are multiples of.
            pub(crate) align: u8,
        }
    });
    let bits = plan.has_bits().then(|| {
        let bits = Literal::u8_unsuffixed(BITS);
        quote! {
            /// The `letter` of numbers that are written by their bits.
            pub(crate) const BITS: u8 = #bits;
        }
    });
    quote! {
        /// How the values of a type are written.
        pub(crate) struct Type {
            pub(crate) name: &'static str,
            pub(crate) kind: u8,
            pub(crate) first: u32,
            pub(crate) count: u32,
            pub(crate) width: u8,
        }

        pub(crate) const TYPE_NAMES: u8 = 0;
        pub(crate) const TYPE_NUMBER: u8 = 1;
        pub(crate) const TYPE_COMPOSITE: u8 = 2;

        /// A run of values with names.
        pub(crate) struct Entry {
            pub(crate) kind: u8,
            pub(crate) text: &'static str,
            pub(crate) value: u64,
            pub(crate) count: u64,
            pub(crate) first: i64,
            pub(crate) step: i8,
            pub(crate) register: u16,
            #align
            /// The number of the word that it begins with, without digits, and whether that is all
            /// of it.
            pub(crate) stem: u16,
            pub(crate) is_stem: bool,
        }

        pub(crate) const ENTRY_RUN: u8 = 0;
        pub(crate) const ENTRY_NAME: u8 = 1;
        pub(crate) const ENTRY_INTEGERS: u8 = 2;
        pub(crate) const ENTRY_FLOAT: u8 = 3;

        /// A piece of a composite: a text, or a part where there is none.
        pub(crate) struct Piece {
            pub(crate) text: &'static str,
            pub(crate) ty: u16,
            pub(crate) lsb: u8,
        }

        /// How numbers are written.
        pub(crate) struct Format {
            pub(crate) kind: u8,
            pub(crate) lanes: u8,
            pub(crate) lane_bits: u8,
            pub(crate) exponent: u8,
            pub(crate) fraction: u8,
            pub(crate) letter: u8,
        }

        #bits

        pub(crate) const NUMBER_UNSIGNED: u8 = 0;
        pub(crate) const NUMBER_SIGNED: u8 = 1;
        pub(crate) const NUMBER_FLOAT: u8 = 2;
    }
}

/// The shapes of the data of the parser.
pub(super) fn form_shapes(plan: &Plan<'_>) -> TokenStream {
    let call = plan.has_rare_text().then(|| {
        quote! {
            /// The word that it is directly before a constant; empty if there is none.
            pub(crate) call: &'static str,
        }
    });
    let literal = plan.has_rare_text().then(|| {
        quote! {
            /// The type of the literals that its numbers are read as.
            pub(crate) literal: u16,
            /// In `LITERAL_CONSTANTS`, those with the bits of such literals.
            pub(crate) constants: (u32, u32),
        }
    });
    let shared = plan.has_shared_bits().then(|| {
        quote! {
            /// The bits that an operand before it has too.
            pub(crate) shared: Word,
        }
    });
    quote! {
        /// A modifier, or an attribute behind an operand.
        pub(crate) struct Modifier {
            pub(crate) lsb: u8,
            pub(crate) width: u8,
            pub(crate) ty: u16,
            pub(crate) rank: u8,
            pub(crate) is_required: bool,
        }

        /// A mark of an operand, and the modifier that turns it into `~`.
        pub(crate) struct Mark {
            pub(crate) lsb: u8,
            pub(crate) symbol: u8,
            pub(crate) ext_lsb: u8,
            pub(crate) ext_width: u8,
            pub(crate) extended: u64,
            #call
        }

        /// An operand.
        pub(crate) struct OperandForm {
            pub(crate) place: u8,
            pub(crate) text: &'static str,
            pub(crate) ty: u16,
            pub(crate) lsb: u8,
            pub(crate) width: u8,
            pub(crate) offset: (u16, u8, u8),
            pub(crate) is_optional: bool,
            /// Whether one word or number can be all of it.
            pub(crate) is_plain: bool,
            /// In `ENTRIES`, its first registers, if it is in one of them whatever the modifiers are.
            pub(crate) run: u16,
            pub(crate) class: u8,
            /// The bits of its marks.
            pub(crate) mark_bits: Word,
            pub(crate) marks: (u16, u8),
            pub(crate) suffixes: (u16, u8),
            pub(crate) selector: (u8, u8, u32),
            pub(crate) data_width: OperandWidth,
            #literal
            #shared
        }

        pub(crate) const PLACE_FIELD: u8 = 0;
        pub(crate) const PLACE_FILE: u8 = 1;
        pub(crate) const PLACE_INDIRECT: u8 = 2;

        /// A control field.
        pub(crate) struct Control {
            pub(crate) name: &'static str,
            pub(crate) ty: u16,
            pub(crate) lsb: u8,
            pub(crate) width: u8,
        }

        /// What opcodes that are written alike share.
        pub(crate) struct Form {
            pub(crate) guard: u16,
            pub(crate) modifiers: (u16, u8),
            pub(crate) required: u128,
            pub(crate) operands: (u16, u8),
            pub(crate) controls: (u16, u8),
            pub(crate) is_simple: bool,
            pub(crate) is_unwritable: bool,
        }

        /// The place of [`Form::guard`] where there is none.
        pub(crate) const NO_GUARD: u16 = u16::MAX;

        /// A mnemonic, or the first word of one: the most dots that follow, all its opcodes, and those
        /// of whose operands the kinds do not tell whether they fit.
        pub(crate) struct Mnemonic {
            pub(crate) index: u64,
            pub(crate) dots: u8,
            pub(crate) all: (u32, u32),
            pub(crate) untold: (u32, u32),
        }

        /// The first word of an operand without digits: its number, the kind of texts that it
        /// belongs to, and the classes of operands that it may begin.
        #[derive(Clone, Copy)]
        pub(crate) struct FirstWord {
            pub(crate) stem: u16,
            pub(crate) kind: u8,
            pub(crate) classes: u64,
        }

        /// Sequences and the opcodes that may fit, found by their hashes.
        pub(crate) struct Sequences {
            pub(crate) shift: u32,
            pub(crate) slots: &'static [u16],
            pub(crate) entries: &'static [(u64, (u32, u32))],
        }

        /// Names and what they stand for, found by their hashes.
        pub(crate) struct Names<T: 'static> {
            pub(crate) shift: u32,
            pub(crate) slots: &'static [u16],
            pub(crate) entries: &'static [(&'static str, Key, T)],
        }

        const fn slice<T>(all: &'static [T], (first, count): (u16, u8)) -> &'static [T] {
            let (_, rest) = all.split_at(first as usize);
            rest.split_at(count as usize).0
        }

        impl Form {
            pub(crate) fn modifiers(&self) -> &'static [Modifier] {
                slice(MODIFIERS, self.modifiers)
            }

            /// Indexes of `OPERANDS`.
            pub(crate) fn operands(&self) -> &'static [u16] {
                slice(OPERAND_LISTS, self.operands)
            }

            pub(crate) fn controls(&self) -> &'static [Control] {
                slice(CONTROLS, self.controls)
            }
        }

        impl OperandForm {
            pub(crate) fn marks(&self) -> &'static [Mark] {
                slice(MARKS, self.marks)
            }

            pub(crate) fn suffixes(&self) -> &'static [Modifier] {
                slice(MODIFIERS, self.suffixes)
            }
        }
    }
}
