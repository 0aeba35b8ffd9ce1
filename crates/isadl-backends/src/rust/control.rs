//! `control.rs` of a generated crate: where execution goes after an instruction, and the addresses that instructions
//! name. Only instruction sets that describe this have it.

use std::collections::BTreeMap;

use isadl_ir::isa::FlowControl;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::plan::Plan;
use super::{Emit, Parts};

/// The control flow that an instruction set describes.
#[derive(Clone, Copy)]
pub(super) struct Has {
    /// Where execution goes.
    pub(super) classes: bool,
    /// Addresses that instructions name.
    pub(super) targets: bool,
    /// Relocations.
    pub(super) relocations: bool,
}

impl Has {
    pub(super) fn of(plan: &Plan<'_>) -> Has {
        let view = plan.image.control.view();
        Has {
            classes: !view.classes.is_empty(),
            targets: !view.targets.is_empty(),
            relocations: !view.relocations.is_empty(),
        }
    }

    /// Whether the instruction set describes any control flow.
    pub(super) fn any(self) -> bool {
        self.classes || self.targets || self.relocations
    }
}

pub(super) fn emit(plan: &Plan<'_>, parts: Parts) -> TokenStream {
    let Has { classes: has_classes, targets: has_targets, relocations: has_relocations } =
        Has::of(plan);
    let classes = has_classes.then(|| classes(plan));
    let targets = has_targets.then(|| target(has_relocations));
    let relocations = has_relocations.then(relocations);
    let is_printed = has_targets && parts.text == Emit::Yes;
    let texts = is_printed.then(|| text_at(plan));
    quote! {
        //! Flow of control.

        #![allow(unused_imports)]

        use core::fmt;

        use super::engine::control;
        use super::image::IMAGE;
        use super::{Inst, Opcode};

        #classes
        #targets
        #relocations
        #texts
    }
}

/// Where execution goes.
fn classes(plan: &Plan<'_>) -> TokenStream {
    // The class that all rows of an opcode share; `None` if it depends on fields or on the row.
    let mut of_opcode: BTreeMap<&Ident, Option<FlowControl>> = BTreeMap::new();
    for row in &plan.rows {
        let class = match plan.definition(row).classes.as_slice() {
            [] => Some(FlowControl::Next),
            [first, ..] => Some(first.class).filter(|_| first.condition.is_none()),
        };
        let known = of_opcode.entry(&plan.opcode_of(row).ident).or_insert(class);
        *known = known.filter(|known| Some(*known) == class);
    }
    let mut of_class: BTreeMap<Option<FlowControl>, Vec<&Ident>> = BTreeMap::new();
    for (opcode, class) in of_opcode {
        if class != Some(FlowControl::Next) {
            of_class.entry(class).or_default().push(opcode);
        }
    }
    let arms = of_class.iter().map(|(class, opcodes)| {
        let class = class.map(|class| format_ident!("{class:?}"));
        let value = match class {
            Some(class) => quote!(Some(FlowControl::#class)),
            None => quote!(None),
        };
        quote!(#(Opcode::#opcodes)|* => #value,)
    });
    quote! {
        pub use super::engine::control::FlowControl;

        impl Opcode {
            /// The control flow of its instructions; `None` if it depends on their fields.
            #[must_use]
            #[allow(unreachable_patterns)]
            pub const fn flow_control(self) -> Option<FlowControl> {
                match self {
                    #(#arms)*
                    _ => Some(FlowControl::Next),
                }
            }
        }

        impl Inst {
            /// Where execution goes after it.
            #[must_use]
            pub const fn flow_control(self) -> FlowControl {
                control::flow_control(&IMAGE, self.row, self.word)
            }
        }
    }
}

/// Addresses in instructions.
fn target(has_relocations: bool) -> TokenStream {
    let used = (!has_relocations).then(|| {
        quote! {
            use super::engine::relocation;

            pub use super::engine::relocation::RelocateError;
        }
    });
    quote! {
        #used

        impl Inst {
            /// Its first target address in the order of the text, if the instruction is at `address`.
            #[must_use]
            pub const fn target(self, address: u64) -> Option<u64> {
                control::target(&IMAGE, self.row, self.word, address)
            }

            /// The instruction at `address` whose [target](Inst::target) is another one. The rules of the specification
            /// are not checked.
            ///
            /// # Errors
            ///
            /// If it names no address, or cannot hold the distance.
            pub const fn retarget(self, target: u64, address: u64) -> Result<Inst, RelocateError> {
                match relocation::with_target(&IMAGE, (self.row, self.word), 0, (target, address)) {
                    Ok(word) => Ok(Inst { word, row: self.row }),
                    Err(error) => Err(error),
                }
            }
        }
    }
}

/// Relocations.
fn relocations() -> TokenStream {
    quote! {
        use super::engine::relocation;

        pub use super::engine::relocation::RelocateError;

        /// A relocation that an instruction can have.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct Relocation {
            /// Its syntax in operands; empty if it applies to operands that are addresses.
            pub name: &'static str,
            /// Its number in object files.
            pub number: u32,
            /// The offset at which object files record it, in bytes from the start of the instruction.
            pub offset: u64,
        }

        impl Inst {
            /// Its possible relocations, in the order of its operands.
            pub fn relocations(self) -> impl Iterator<Item = Relocation> {
                relocation::relocations(&IMAGE, self.row).map(|(field, one)| Relocation {
                    name: IMAGE.control.relocation_name(one),
                    number: one.number,
                    offset: field.offset as u64,
                })
            }

            /// The instruction with the value of a relocation, as a linker or loader computes it. The relocation is
            /// recorded `offset` bytes from the start of the instruction. `value` is the symbol's address plus the
            /// addend, and `address` is the address of the instruction. The rules of the specification are not checked.
            ///
            /// # Errors
            ///
            /// If it does not have the relocation at this offset, or cannot hold the value.
            pub const fn relocate(
                self,
                number: u32,
                offset: u64,
                value: u64,
                address: u64,
            ) -> Result<Inst, RelocateError> {
                let (inst, place) = ((self.row, self.word), (value, address));
                match relocation::relocate(&IMAGE, inst, (number, offset), place) {
                    Ok(word) => Ok(Inst { word, row: self.row }),
                    Err(error) => Err(error),
                }
            }
        }
    }
}

/// Text with addresses.
fn text_at(plan: &Plan<'_>) -> TokenStream {
    let choices = super::text::choices(plan, &quote!(TextAt<F>));
    quote! {
        use super::engine::print::Style;
        use super::engine::format::{TextFormat, format, write_formatted};
        use super::engine::set::{KnownSet, UNKNOWN};
        use super::engine::tokens::TokenKind;

        impl Inst {
            /// Its text at an address: distances are written as target addresses, in hexadecimal or as `symbols`
            /// returns them: a name, and the offset of the address from it.
            #[must_use]
            pub fn text_at<S: fmt::Display, F: Fn(u64) -> Option<(S, u64)>>(
                self,
                address: u64,
                symbols: F,
            ) -> TextAt<F> {
                let (style, look) = (Style::default(), TextFormat::new());
                TextAt { inst: self, address, style, set: UNKNOWN, look, symbols }
            }
        }

        /// The text of an instruction at an address.
        #[derive(Clone, Copy)]
        pub struct TextAt<F> {
            inst: Inst,
            address: u64,
            style: Style,
            set: KnownSet,
            look: TextFormat,
            symbols: F,
        }

        impl<F> TextAt<F> {
            #choices

            /// In an appearance.
            #[must_use]
            pub fn format(self, format: TextFormat) -> TextAt<F> {
                TextAt { look: format, ..self }
            }
        }

        impl<S: fmt::Display, F: Fn(u64) -> Option<(S, u64)>> TextAt<F> {
            /// Passes it in pieces, each with its kind. A long piece may come in several.
            pub fn tokens(&self, sink: impl FnMut(TokenKind, &str)) {
                let mut bytes = [0; super::text::TEXT_ROOM];
                let own = (self.inst.row, self.set, self.style);
                let place = (self.inst.word, Some(self.address));
                let tables = super::image::Constant;
                format(tables, own, place, &self.look, &mut bytes, &self.symbols, sink);
            }
        }

        impl<S: fmt::Display, F: Fn(u64) -> Option<(S, u64)>> fmt::Display for TextAt<F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut bytes = [0; super::text::TEXT_ROOM];
                let (inst, place) = ((self.inst.row, self.set, self.style), (self.inst.word, self.address));
                let tables = super::image::Constant;
                if !self.look.is_canonical() {
                    let place = (self.inst.word, Some(self.address));
                    return write_formatted(tables, inst, place, &self.look, &mut bytes, &self.symbols, f);
                }
                super::engine::print_at::write_at(tables, inst, place, &mut bytes, &self.symbols, f)
            }
        }

        impl<F> fmt::Debug for TextAt<F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("TextAt").field("inst", &self.inst).field("address", &self.address).finish()
            }
        }
    }
}
