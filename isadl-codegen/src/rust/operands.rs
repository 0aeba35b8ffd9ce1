//! `operands.rs` of a generated crate: what fields and operands are, and the operands of an
//! instruction with their values.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::docs::doc;
use super::names::Scope;
use super::plan::{PlacePlan, Plan};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let records = records(plan);
    let values = values(plan);
    quote! {
        //! Fields and operands.

        #![allow(non_camel_case_types, clippy::complexity, clippy::style)]

        use core::fmt;
        use core::iter::FusedIterator;

        use super::types::*;
        use super::{Field, Inst, tables};

        #records
        #values
    }
}

/// The types that hardly depend on the instruction set.
fn records(plan: &Plan<'_>) -> TokenStream {
    let implicit = plan.has_implicit().then(|| {
        quote! {
            pub(crate) const fn implicit(inst: Inst) -> Operands {
                Operands { inst, rest: tables::OPERAND_LISTS[inst.info().implicit.0 as usize] }
            }
        }
    });
    let slot_doc =
        doc("Index of the getter of the field, or of the base of an indirect operand.", "");
    quote! {
        /// A field of an opcode.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct FieldInfo {
            /// Its name.
            pub field: Field,
            /// The name of its type in the specification.
            pub type_name: &'static str,
            /// Its lowest bit.
            pub lsb: u8,
            /// Its width in bits.
            pub width: u8,
            /// What it is to the instruction.
            pub role: FieldRole,
            /// Where its value comes from.
            pub binding: Binding,
            /// Ranges of values that its type lacks, both ends included.
            pub(crate) holes: &'static [(u64, u64)],
        }

        impl FieldInfo {
            /// Whether its type has a value of these bits.
            #[must_use]
            pub const fn is_legal(&self, raw: u64) -> bool {
                let mut i = 0;
                while i < self.holes.len() {
                    let (first, last) = self.holes[i];
                    if first <= raw && raw <= last {
                        return false;
                    }
                    i += 1;
                }
                true
            }
        }

        /// What a field is to the instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum FieldRole {
            /// A register, immediate or composite among the operands.
            Operand,
            /// A value written behind the mnemonic.
            Modifier,
            /// A property of an operand.
            Attribute {
                /// The operand.
                of: Field,
            },
            /// Says how to issue the instruction.
            Control,
        }

        /// Where the value of a field comes from.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Binding {
            /// It must be given.
            Required,
            /// These bits, unless others are given.
            Default(u64),
            /// The opcode fixes it; the value is in `OpcodeInfo::value`.
            Fixed,
        }

        /// Whether an operand is read or written.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Access {
            /// Neither: an immediate that only selects.
            None,
            /// It is read.
            Read,
            /// It is written.
            Write,
            /// It is read and written.
            ReadWrite,
        }

        /// An operand of an opcode.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct OperandInfo {
            /// What it is.
            pub place: OperandPlace,
            /// Whether it is read or written.
            pub access: Access,
            /// Bits of data in it.
            pub width: OperandWidth,
            #slot_doc
            pub(crate) slot: u16,
        }

        /// What an operand is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum OperandPlace {
            /// What the field says.
            Field(Field),
            /// A whole register file.
            File(RegFile),
            /// The register of `file` that the register in `base`, plus `offset`, numbers.
            Indirect {
                /// The file of the register meant.
                file: RegFile,
                /// The field of the register that holds the number.
                base: Field,
                /// The field of the immediate that is added.
                offset: Option<Field>,
            },
        }

        /// Bits of data in an operand.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum OperandWidth {
            /// So many.
            Fixed(u16),
            /// It depends on other fields; the number is that of the expression.
            Computed(u16),
        }

        /// A register of a file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Register {
            /// The file.
            pub file: RegFile,
            /// The number in the file.
            pub number: u16,
        }

        impl fmt::Display for Register {
            /// Writes it by its file, `GPR[2]`, as resources are written.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}[{}]", self.file, self.number)
            }
        }

        /// An operand of an instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Operand {
            /// What the specification says of it.
            pub info: &'static OperandInfo,
            /// Its value.
            pub value: OperandValue,
            /// Bits of data in it.
            pub width: u16,
        }

        impl Operand {
            /// Whether it is read or written.
            #[must_use]
            pub const fn access(&self) -> Access {
                self.info.access
            }
        }

        /// The fields of an opcode, by rising lowest bit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct FieldList(pub(crate) u16);

        impl FieldList {
            /// Their number.
            #[must_use]
            pub const fn len(self) -> usize {
                tables::FIELD_LISTS[self.0 as usize].len()
            }

            /// Whether there are none.
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.len() == 0
            }

            /// The field of an index.
            #[must_use]
            pub const fn get(self, index: usize) -> Option<&'static FieldInfo> {
                let list = tables::FIELD_LISTS[self.0 as usize];
                if index < list.len() { Some(&tables::FIELDS[list[index] as usize]) } else { None }
            }

            /// The fields.
            pub fn iter(self) -> impl ExactSizeIterator<Item = &'static FieldInfo> + Clone {
                tables::FIELD_LISTS[self.0 as usize].iter().map(|index| &tables::FIELDS[*index as usize])
            }
        }

        /// The operands of an opcode, in assembly order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct OperandList(pub(crate) u16);

        impl OperandList {
            /// Their number.
            #[must_use]
            pub const fn len(self) -> usize {
                tables::OPERAND_LISTS[self.0 as usize].len()
            }

            /// Whether there are none.
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.len() == 0
            }

            /// The operands.
            pub fn iter(self) -> impl ExactSizeIterator<Item = &'static OperandInfo> + Clone {
                tables::OPERAND_LISTS[self.0 as usize].iter().map(|index| &tables::OPERANDS[*index as usize])
            }
        }

        /// The operands of an instruction in assembly order.
        #[derive(Debug, Clone)]
        pub struct Operands {
            inst: Inst,
            rest: &'static [u16],
        }

        impl Operands {
            pub(crate) const fn new(inst: Inst) -> Operands {
                Operands { inst, rest: tables::OPERAND_LISTS[inst.info().operands.0 as usize] }
            }

            #implicit
        }

        impl Iterator for Operands {
            type Item = Operand;

            fn next(&mut self) -> Option<Operand> {
                let (index, rest) = self.rest.split_first()?;
                self.rest = rest;
                let info = &tables::OPERANDS[usize::from(*index)];
                let width = match info.width {
                    OperandWidth::Fixed(bits) => bits,
                    OperandWidth::Computed(index) => tables::computed_width(index, self.inst.word()),
                };
                Some(Operand { info, value: self.inst.operand_value(info), width })
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.rest.len(), Some(self.rest.len()))
            }
        }

        impl ExactSizeIterator for Operands {}

        impl FusedIterator for Operands {}
    }
}

/// The enumeration of operand values, a variant for each type that an operand has.
fn values(plan: &Plan<'_>) -> TokenStream {
    let mut slots: Vec<usize> = Vec::new();
    let mut bases: Vec<(usize, Option<usize>)> = Vec::new();
    for operand in plan.operand_lists.iter().flatten() {
        match operand.place {
            PlacePlan::Slot(slot) => slots.push(slot),
            PlacePlan::File(_) => {}
            PlacePlan::Indirect { base, offset, .. } => bases.push((base, offset)),
        }
    }
    slots.sort_unstable();
    slots.dedup();
    bases.sort_unstable();
    bases.dedup();
    let mut types: Vec<_> = slots.iter().map(|slot| plan.slots[*slot].ty).collect();
    types.sort_unstable();
    types.dedup();
    let mut scope = Scope::reserving(&["Bits", "File", "Indirect"]);
    let variants: Vec<(isadl::isa::TypeId, Ident)> =
        types.into_iter().map(|ty| (ty, scope.add(&plan.isa.ty(ty).name))).collect();
    let items = variants.iter().map(|(ty, variant)| {
        let doc = format!(" A value of `{}`.", plan.isa.ty(*ty).name);
        let ty = plan.type_ident(*ty);
        quote!(#[doc = #doc] #variant(#ty))
    });
    let arms = slots.iter().map(|slot| {
        let plan_slot = &plan.slots[*slot];
        let variant =
            variants.iter().find(|(ty, _)| *ty == plan_slot.ty).map(|(_, variant)| variant);
        let getter = &plan_slot.getter;
        let slot = Literal::usize_unsuffixed(*slot);
        quote!(#slot => self.#getter().map(OperandValue::#variant))
    });
    let bases = bases.iter().map(|(base, offset)| base_arm(plan, *base, *offset));
    quote! {
        /// The value of an operand, by its type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(clippy::upper_case_acronyms)]
        #[non_exhaustive]
        pub enum OperandValue {
            #(#items,)*
            /// A whole register file.
            File(RegFile),
            /// A register that is numbered by another one.
            Indirect {
                /// The file of the register meant.
                file: RegFile,
                /// The register that holds the number; `None` if a constant does.
                base: Option<Register>,
                /// What is added to the number.
                offset: i64,
            },
        }

        impl Inst {
            fn operand_value(self, info: &OperandInfo) -> OperandValue {
                match info.place {
                    OperandPlace::File(file) => OperandValue::File(file),
                    OperandPlace::Indirect { file, .. } => {
                        let (base, offset) = self.indirect(info.slot);
                        let base = base.map(|(file, number)| Register { file, number });
                        OperandValue::Indirect { file, base, offset }
                    }
                    OperandPlace::Field(_) => self.typed(info.slot),
                }
            }

            /// The register and the offset of an indirect operand.
            fn indirect(self, slot: u16) -> (Option<(RegFile, u16)>, i64) {
                match slot {
                    #(#bases,)*
                    _ => (None, 0),
                }
            }

            /// The value of an operand's field. An opcode has the fields of its operands, and
            /// they hold values of their types.
            fn typed(self, slot: u16) -> OperandValue {
                let value = match slot {
                    #(#arms,)*
                    _ => None,
                };
                // INVARIANT: `Inst` is made with values of their types only.
                match value {
                    Some(value) => value,
                    None => unreachable!(),
                }
            }
        }
    }
}

fn base_arm(plan: &Plan<'_>, base: usize, offset: Option<usize>) -> TokenStream {
    let getter = &plan.slots[base].getter;
    let offset = match offset.map(|offset| &plan.slots[offset].getter) {
        Some(offset) => quote!(self.#offset().map_or(0, |offset| offset.get() as i64)),
        None => quote!(0),
    };
    let slot = Literal::usize_unsuffixed(base);
    quote!(#slot => (self.#getter().and_then(|base| base.register()), #offset))
}
