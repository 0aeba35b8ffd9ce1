//! `generic.rs` of a generated crate: operands in one list of kinds for every instruction set, which the engine finds.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::flow::{memory_types, memory_variants};
use super::plan::Plan;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let (value, display) = (value(), display());
    let (iterator, known) = (operands(), known(plan));
    let parts = parts();
    let (memory_width, lowered) = (memory_width(plan), lowered());
    quote! {
        //! Operands as values, in one list of kinds for every instruction set.
        //!
        //! [`Inst::operands`] yields operands of the types of this instruction set; [`Inst::generic_operands`] yields the same
        //! operands in the same order for code that treats all of them alike.

        #![allow(dead_code, unused_imports, unused_variables, clippy::complexity, clippy::style)]
        #![allow(unreachable_code, reason = "there may be no register file")]

        use core::fmt;
        use core::iter::FusedIterator;

        use super::engine::{expr, image as rows, image_values, lowered, values as engine};
        use super::image::IMAGE;
        use super::operands::OperandInfo;
        use super::{Access, Inst, Opcode, RegFile, Register};

        #value
        #display
        #parts
        #iterator
        #known
        #memory_width
        #lowered
    }
}

fn value() -> TokenStream {
    quote! {
        /// The value of an operand or of a part.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[non_exhaustive]
        pub enum Value {
            /// Consecutive registers of a file.
            Registers {
                /// The file.
                file: RegFile,
                /// The number of the first.
                first: u32,
                /// How many, at least one.
                count: u32,
            },
            /// A register of a file whose number is in another register.
            Indirect {
                /// The file.
                file: RegFile,
                /// The register with the number; `None` if the number is a constant.
                base: Option<Register>,
                /// The number added to it.
                offset: i128,
            },
            /// A name among registers that reads as zeros or ones, and discards what is written.
            Constant {
                /// The file that it belongs to.
                file: RegFile,
                /// The name.
                name: &'static str,
                /// Whether it reads as ones.
                is_ones: bool,
            },
            /// A register outside of files, by its name.
            Special(&'static str),
            /// An integer, scaled and computed as it is written.
            Integer(i128),
            /// The distance to an address.
            Distance(i128),
            /// A floating-point number.
            Float {
                /// Its encoding.
                bits: u64,
                /// Bits of the exponent.
                exponent: u8,
                /// Bits of the fraction.
                fraction: u8,
            },
            /// Several numbers in one field: its bits.
            Packed(u64),
            /// A value that has a name, such as a condition or a kind of shift; empty if it is not written.
            Name(&'static str),
            /// Several parts.
            Parts(Parts),
            /// Memory that is accessed, by the parts of its address.
            Memory(Parts),
        }

        impl Value {
            /// Its register, or the first of several.
            #[must_use]
            pub fn register(self) -> Option<Register> {
                match self {
                    // The files of instruction sets have at most 65,535 registers.
                    Value::Registers { file, first, .. } => Some(Register { file, number: first as u16 }),
                    _ => None,
                }
            }

            /// Its integer or distance.
            #[must_use]
            pub fn integer(self) -> Option<i128> {
                match self {
                    Value::Integer(value) | Value::Distance(value) => Some(value),
                    _ => None,
                }
            }
        }
    }
}

fn display() -> TokenStream {
    quote! {
        impl fmt::Display for Value {
            /// Writes it alike for all instruction sets: `GPR[2:3]`, `-8`, `[base=GPR[2], offset=8]`.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    Value::Registers { file, first, count: 1 } => write!(f, "{file}[{first}]"),
                    Value::Registers { file, first, count } => {
                        write!(f, "{file}[{first}:{}]", first + (count - 1))
                    }
                    Value::Indirect { file, base: Some(base), offset: 0 } => write!(f, "{file}[{base}]"),
                    Value::Indirect { file, base: Some(base), offset } => write!(f, "{file}[{base}{offset:+}]"),
                    Value::Indirect { file, base: None, offset } => write!(f, "{file}[{offset}]"),
                    Value::Constant { name, .. } | Value::Special(name) | Value::Name(name) => f.write_str(name),
                    Value::Integer(value) => value.fmt(f),
                    Value::Distance(value) => write!(f, "{value:+}"),
                    Value::Float { bits, exponent, fraction } => write!(f, "float<{exponent}, {fraction}>({bits:#x})"),
                    Value::Packed(bits) => write!(f, "{bits:#x}"),
                    Value::Parts(parts) => write!(f, "({parts})"),
                    Value::Memory(parts) => write!(f, "[{parts}]"),
                }
            }
        }

        impl fmt::Display for Parts {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                for (at, (name, value)) in self.enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}{name}={value}")?;
                }
                Ok(())
            }
        }
    }
}

/// The parts of a value.
fn parts() -> TokenStream {
    quote! {
        /// The parts of an operand with their names, in the order of their definition.
        #[derive(Debug, Clone, Copy)]
        pub struct Parts(engine::Parts<'static, 'static>);

        impl Parts {
            /// The first register among them: of an address, usually its base.
            #[must_use]
            pub fn base(self) -> Option<Register> {
                self.registers().next()
            }

            /// The second register among them: of an address, usually its index.
            #[must_use]
            pub fn index(self) -> Option<Register> {
                self.registers().nth(1)
            }

            /// The first integer or distance among them: of an address, usually its displacement.
            #[must_use]
            pub fn displacement(mut self) -> Option<i128> {
                self.find_map(|(_, value)| value.integer())
            }

            /// The part of a name.
            #[must_use]
            pub fn named(mut self, name: &str) -> Option<Value> {
                self.find_map(|(own, value)| (own == name).then_some(value))
            }

            fn registers(self) -> impl Iterator<Item = Register> {
                self.filter_map(|(_, value)| value.register())
            }
        }

        impl PartialEq for Parts {
            fn eq(&self, other: &Parts) -> bool {
                Iterator::eq(*self, *other)
            }
        }

        impl Iterator for Parts {
            type Item = (&'static str, Value);

            fn next(&mut self) -> Option<(&'static str, Value)> {
                let (name, value) = self.0.next()?;
                Some((name, known(value)))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl ExactSizeIterator for Parts {}

        impl FusedIterator for Parts {}
    }
}

/// The operands of an instruction.
fn operands() -> TokenStream {
    quote! {
        /// An operand of an instruction.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[non_exhaustive]
        pub struct Operand {
            /// What the specification says of it.
            pub info: OperandInfo,
            /// Whether it is read or written.
            pub access: Access,
            /// Bits of data in it; of memory, the most that are accessed. 0 if the specification does not say it.
            pub width: u16,
            /// Its value.
            pub value: Value,
        }

        impl fmt::Display for Operand {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.value.fmt(f)
            }
        }

        /// The operands of an instruction in assembly order.
        #[derive(Debug, Clone)]
        pub struct Operands {
            inst: Inst,
            rest: &'static [rows::Operand],
        }

        impl Iterator for Operands {
            type Item = Operand;

            fn next(&mut self) -> Option<Operand> {
                let (row, rest) = self.rest.split_first()?;
                self.rest = rest;
                let (of, word) = (self.inst.row, self.inst.word);
                let info = OperandInfo::of(row);
                let width = expr::data_bits(&IMAGE, row.data, word);
                let value = known(engine::value(&IMAGE, of, word, row));
                Some(Operand { access: info.access, info, width, value })
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.rest.len(), Some(self.rest.len()))
            }
        }

        impl ExactSizeIterator for Operands {}

        impl FusedIterator for Operands {}

        impl Inst {
            /// Its operands in one list of kinds for every instruction set, in assembly order.
            #[must_use]
            pub fn generic_operands(self) -> Operands {
                Operands { inst: self, rest: engine::operands(&IMAGE, self.row) }
            }
        }
    }
}

/// From the engine's numbers to types.
fn known(plan: &Plan<'_>) -> TokenStream {
    let special = match plan.has_specials() {
        true => quote! {
            engine::Value::Special(number) => {
                // INVARIANT: the image numbers only special registers that there are.
                Value::Special(super::flow::Special::ALL[number as usize].name())
            }
        },
        false => quote!(engine::Value::Special(_) => unreachable!(),),
    };
    quote! {
        /// A value of the engine in the types of this crate.
        fn known(value: engine::Value<'static, 'static>) -> Value {
            use super::flow::file as named;
            match value {
                engine::Value::Registers { file, first, count } => {
                    Value::Registers { file: named(file), first, count }
                }
                engine::Value::Indirect { file, base, offset } => {
                    Value::Indirect { file: named(file), base: known(base.value()).register(), offset }
                }
                engine::Value::Constant { file, name, is_ones } => {
                    Value::Constant { file: named(file), name, is_ones }
                }
                #special
                engine::Value::Integer(value) => Value::Integer(value),
                engine::Value::Distance(value) => Value::Distance(value),
                engine::Value::Float { bits, exponent, fraction } => Value::Float { bits, exponent, fraction },
                engine::Value::Packed(bits) => Value::Packed(bits),
                engine::Value::Name(name) => Value::Name(name),
                engine::Value::Parts(parts) => Value::Parts(Parts(parts)),
                engine::Value::Memory(parts) => Value::Memory(Parts(parts)),
            }
        }
    }
}

/// The method that gives the size of an access.
fn memory_width(plan: &Plan<'_>) -> TokenStream {
    let body = match plan.has_memory() {
        true => {
            let types = memory_types(plan);
            let arms =
                memory_variants(plan, &types).into_iter().map(|(ty, variant): (_, Ident)| {
                    let numbered = plan.image.flows.memory_types.iter();
                    let own = numbered.filter(|other| plan.canonical(**other) == ty);
                    let own = own.map(|ty| Literal::u16_unsuffixed(ty.index() as u16));
                    quote!(super::flow::Memory::#variant(place) => (&[#(#own),*], place.bits()),)
                });
            quote! {
                let super::flow::Resource::Memory(place) = used.resource else { return None };
                let (types, raw): (&[u16], u64) = match place { #(#arms)* };
                let width = engine::memory_width(&IMAGE, self.row, self.word, (types, raw), used.effect);
                if width > 0 { Some(width) } else { None }
            }
        }
        false => quote!(None),
    };
    quote! {
        impl Inst {
            /// The number of accessed bits, for one of its uses of memory. `None` for other uses, and if the specification does
            /// not say it.
            #[must_use]
            pub fn memory_width(self, used: &super::flow::Use) -> Option<u16> {
                #body
            }
        }
    }
}

/// Instructions in 16 bytes.
fn lowered() -> TokenStream {
    quote! {
        /// An instruction in 16 bytes, for interpreters and translators: its opcode, small numbers and an immediate.
        ///
        /// Each field of an operand gives a number, in assembly order; the other fields follow. [`Lowered::fields`] names them.
        ///
        /// - A register gives its number. A register that always reads as zeros gives the number after the last register
        ///   of its file; one that reads as ones gives the next number.
        /// - A number gives itself. The first one is the immediate; any other must be at most 255.
        /// - Any other value gives its bits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(C)]
        pub struct Lowered {
            /// The opcode.
            pub opcode: Opcode,
            /// The small numbers; 0 where there is none.
            pub slots: [u8; lowered::SLOTS],
            /// The first number, such as a constant or a distance; 0 if there is none.
            pub immediate: i64,
        }

        impl Lowered {
            /// The fields of an instruction, in the order of the slots, the immediate among them: their names, and whether each
            /// is the immediate.
            pub fn fields(inst: Inst) -> impl Iterator<Item = (&'static str, bool)> + Clone {
                let slots = lowered::slots(&IMAGE, inst.row);
                let immediate = lowered::immediate(slots);
                let named = slots.iter().enumerate();
                named.map(move |(at, slot)| (IMAGE.values.name(slot.name), Some(at) == immediate))
            }
        }

        impl Inst {
            /// The instruction in 16 bytes; `None` if it has more fields, or larger numbers.
            #[must_use]
            pub fn lowered(self) -> Option<Lowered> {
                let lowered::Lowered { slots, immediate } = lowered::lowered(&IMAGE, self.row, self.word)?;
                Some(Lowered { opcode: self.opcode(), slots, immediate })
            }
        }
    }
}
