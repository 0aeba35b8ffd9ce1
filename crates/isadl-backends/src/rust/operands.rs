//! `operands.rs` of a generated crate: descriptions of fields and operands, and the operands of an instruction with
//! their values.

use std::collections::BTreeMap;

use isadl_engine::image::{INDIRECT, OF_FILE};
use isadl_ir::isa::{Reading, TypeId, TypeKind};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::field_info;
use super::names::{Scope, type_name};
use super::plan::Plan;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let fields = field_info::items(plan);
    let operands = operands(plan);
    let values = values(plan);
    let engine_fields = plan.has_pieces().then(|| quote!(fields,));
    quote! {
        //! Fields and operands.

        #![allow(non_camel_case_types, unused_imports, clippy::complexity, clippy::style)]

        use core::fmt;
        use core::iter::FusedIterator;

        use super::engine::{bits, encode, expr, #engine_fields image as rows};
        use super::image::{self, WORDS_ALONE as IMAGE};
        use super::types::*;
        use super::{Field, Inst, Word, tables};

        #fields
        #operands
        #values
    }
}

/// The specification's facts about operands, and the operands of an instruction.
fn operands(plan: &Plan<'_>) -> TokenStream {
    let implicit = plan.has_implicit().then(|| {
        quote! {
            pub(crate) const fn implicit(inst: Inst) -> Operands {
                Operands { inst, rest: rows::slice(&image::OPERANDS, image::ROWS[inst.row.get() as usize].implicit) }
            }
        }
    });
    let has_computed = plan.image.words.operands().iter().any(|operand| operand.data.expr != 0);
    let width = match has_computed {
        true => quote!(expr::data_bits(&IMAGE, row.data, self.inst.word())),
        false => quote!(row.data.bits),
    };
    quote! {
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

        impl Access {
            const fn of(row: &rows::Operand) -> Access {
                match row.access {
                    0 => Access::None,
                    1 => Access::Read,
                    2 => Access::Write,
                    _ => Access::ReadWrite,
                }
            }
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
        }

        impl OperandInfo {
            pub(crate) const fn of(row: &rows::Operand) -> OperandInfo {
                let place = match row.place {
                    rows::OF_FIELD | rows::OF_MEMORY => OperandPlace::Field(Field::ALL[row.field as usize]),
                    rows::OF_FILE => OperandPlace::File(tables::FILES[row.file as usize]),
                    _ => OperandPlace::Indirect {
                        file: tables::FILES[row.file as usize],
                        base: Field::ALL[row.field as usize],
                        offset: match row.offset {
                            0 => None,
                            offset => Some(Field::ALL[offset as usize - 1]),
                        },
                    },
                };
                let width = match row.data.expr {
                    0 => OperandWidth::Fixed(row.data.bits),
                    _ => OperandWidth::Computed,
                };
                OperandInfo { place, access: Access::of(row), width }
            }
        }

        /// What an operand is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum OperandPlace {
            /// What the field says.
            Field(Field),
            /// A whole register file.
            File(RegFile),
            /// The register of `file` whose number is the register in `base` plus `offset`.
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
            /// The width depends on other fields; [`Operand::width`] is the width in an instruction.
            Computed,
        }

        /// The operands of an opcode, in assembly order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct OperandList(pub(crate) rows::Span);

        impl OperandList {
            /// Their number.
            #[must_use]
            pub const fn len(self) -> usize {
                self.0.1 as usize
            }

            /// Whether there are none.
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.len() == 0
            }

            /// The operands.
            pub fn iter(self) -> impl ExactSizeIterator<Item = OperandInfo> + Clone {
                rows::slice(&image::OPERANDS, self.0).iter().map(OperandInfo::of)
            }
        }

        /// An operand of an instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Operand {
            /// Its value.
            pub value: OperandValue,
            /// Bits of data in it.
            pub width: u16,
            row: &'static rows::Operand,
        }

        impl Operand {
            /// What the specification says of it.
            #[must_use]
            pub const fn info(&self) -> OperandInfo {
                OperandInfo::of(self.row)
            }

            /// Whether it is read or written.
            #[must_use]
            pub const fn access(&self) -> Access {
                Access::of(self.row)
            }
        }

        /// The operands of an instruction in assembly order.
        #[derive(Debug, Clone)]
        pub struct Operands {
            inst: Inst,
            rest: &'static [rows::Operand],
        }

        impl Operands {
            pub(crate) const fn new(inst: Inst) -> Operands {
                Operands { inst, rest: rows::slice(&image::OPERANDS, image::ROWS[inst.row.get() as usize].operands) }
            }

            #implicit
        }

        impl Iterator for Operands {
            type Item = Operand;

            #[inline(always)]
            fn next(&mut self) -> Option<Operand> {
                let (row, rest) = self.rest.split_first()?;
                self.rest = rest;
                let width = #width;
                Some(Operand { value: self.inst.operand_value(row), width, row })
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
    let types = operand_types(plan);
    let mut scope = Scope::reserving(&["Bits", "File", "Indirect"]);
    let mut variants: Vec<(TypeId, Ident)> = Vec::new();
    for ty in types.iter().map(|ty| plan.canonical(*ty)) {
        if variants.iter().all(|(known, _)| *known != ty) {
            variants.push((ty, scope.add(&type_name(&plan.isa.ty(ty).name))));
        }
    }
    let items = variants.iter().map(|(ty, variant)| {
        let doc = format!(" A value of `{}`.", plan.isa.ty(*ty).name);
        let ty = plan.type_ident(*ty);
        quote!(#[doc = #doc] #variant(#ty))
    });
    let arms = types.iter().map(|ty| {
        let canonical = plan.canonical(*ty);
        let of_type = variants.iter().find(|(known, _)| *known == canonical);
        let variant = of_type.map(|(_, variant)| variant);
        let (number, name) = (Literal::usize_unsuffixed(ty.index()), plan.type_ident(*ty));
        // Fields have the width of their type. A constant shows that all its values are legal.
        let width = Literal::u32_unsuffixed(plan.isa.ty(*ty).width);
        let raw = match plan.has_pieces() {
            true => quote!(fields::get(&IMAGE, self.word(), lsb, #width)),
            false => quote!(bits::extract(self.word(), lsb, #width)),
        };
        let value = match plan.variant(*ty) {
            Some(of_merged) => {
                let of_merged = Literal::usize_unsuffixed(of_merged);
                quote!(#name::from_raw(#of_merged, #raw))
            }
            None => quote!(#name::from_bits(#raw)),
        };
        quote! {
            #number => match #value {
                Some(value) => Some(OperandValue::#variant(value)),
                None => None,
            }
        }
    });
    let place = if plan.has_pieces() { quote!(row.lsb) } else { quote!(row.lsb as u32) };
    // Without a type of operands, there is no value to read.
    let lsb = (!types.is_empty()).then(|| quote!(let lsb = #place;));
    let registers = registers(plan, &variants);
    let elsewhere = elsewhere(plan);
    quote! {
        /// A register of a file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Register {
            /// The file.
            pub file: RegFile,
            /// The number in the file.
            pub number: u16,
        }

        impl fmt::Display for Register {
            /// Writes it as its file and number: `GPR[2]`.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}[{}]", self.file, self.number)
            }
        }

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
                /// The register that holds the number; `None` if the number is a constant.
                base: Option<Register>,
                /// What is added to the number.
                offset: i64,
            },
        }

        impl OperandValue {
            #registers
        }

        impl Inst {
            #elsewhere

            /// The value of an operand's field.
            #[inline(always)]
            fn typed(self, row: &rows::Operand) -> OperandValue {
                #lsb
                let value: Option<OperandValue> = match row.ty {
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

/// The value of an operand, which usually is the value of its field.
fn elsewhere(plan: &Plan<'_>) -> TokenStream {
    let has = |place: u8| plan.image.words.operands().iter().any(|operand| operand.place == place);
    if !has(OF_FILE) && !has(INDIRECT) {
        return quote! {
            #[inline(always)]
            fn operand_value(self, row: &'static rows::Operand) -> OperandValue {
                self.typed(row)
            }
        };
    }
    let signed = signed_types(plan);
    let offset = match signed.is_empty() {
        true => quote!(raw as i64),
        false => quote! {
            match field.ty {
                #(#signed,)*
                _ => raw as i64,
            }
        },
    };
    quote! {
        #[inline(always)]
        fn operand_value(self, row: &'static rows::Operand) -> OperandValue {
            match row.place {
                rows::OF_FIELD | rows::OF_MEMORY => self.typed(row),
                _ => self.elsewhere(row),
            }
        }

        /// The value of an operand that is not a field.
        #[inline(never)]
        fn elsewhere(self, row: &'static rows::Operand) -> OperandValue {
            match row.place {
                rows::OF_FILE => OperandValue::File(tables::FILES[row.file as usize]),
                _ => OperandValue::Indirect {
                    file: tables::FILES[row.file as usize],
                    base: self.typed(row).register(),
                    offset: self.offset(row),
                },
            }
        }

        /// What is added to the number of an indirect register.
        fn offset(self, row: &rows::Operand) -> i64 {
            let Some(name) = row.offset.checked_sub(1) else { return 0 };
            let Some(field) = encode::field(&IMAGE, self.row, name) else { return 0 };
            let raw = encode::raw(&IMAGE, field, self.word());
            #offset
        }
    }
}

/// The types of operands, and of the bases of indirect operands.
fn operand_types(plan: &Plan<'_>) -> Vec<TypeId> {
    let operands = plan.image.words.operands().iter().filter(|operand| operand.place != OF_FILE);
    let mut types: Vec<u16> = operands.map(|operand| operand.ty).collect();
    types.sort_unstable();
    types.dedup();
    let ids = plan.isa.type_ids().collect::<Vec<_>>();
    types.into_iter().map(|ty| ids[usize::from(ty)]).collect()
}

/// The method that gives the register of a value.
fn registers(plan: &Plan<'_>, variants: &[(TypeId, Ident)]) -> TokenStream {
    let is_register = |ty: &TypeId| matches!(plan.isa.ty(*ty).kind, TypeKind::Operand(_));
    let registers: Vec<&Ident> =
        variants.iter().filter(|(ty, _)| is_register(ty)).map(|(_, variant)| variant).collect();
    let found = (!registers.is_empty()).then(|| {
        quote! {
            let found = match self {
                #(OperandValue::#registers(value) => value.register(),)*
                _ => None,
            };
        }
    });
    let body = match registers.is_empty() {
        true => quote!(None),
        false => quote! {
            #found
            match found {
                Some((file, number)) => Some(Register { file, number }),
                None => None,
            }
        },
    };
    quote! {
        /// Its register, or the first of several. `None` for constants, numbers, whole files and indirect registers.
        #[must_use]
        pub const fn register(self) -> Option<Register> {
            #body
        }
    }
}

/// Match arms that read an offset from its bits, by the numbers of types. Only signed types, and types with a
/// scale other than 1, need one.
fn signed_types(plan: &Plan<'_>) -> Vec<TokenStream> {
    let mut scales: BTreeMap<(bool, i64), Vec<Literal>> = BTreeMap::new();
    for id in plan.isa.type_ids() {
        let ty = plan.isa.ty(id);
        let scale = match &ty.kind {
            TypeKind::Immediate(immediate) => immediate.scale,
            _ => 1,
        };
        let is_signed = ty.reading() == Reading::Signed;
        if is_signed || scale != 1 {
            let number = Literal::usize_unsuffixed(id.index());
            scales.entry((is_signed, scale)).or_default().push(number);
        }
    }
    let arm = |((is_signed, scale), types): ((bool, i64), Vec<Literal>)| {
        let number = match is_signed {
            true => quote!(bits::sign_extend(raw, field.width as u32)),
            false => quote!(raw as i64),
        };
        let times = (scale != 1).then(|| {
            let scale = Literal::i64_unsuffixed(scale);
            quote!(* #scale)
        });
        quote!(#(#types)|* => #number #times)
    };
    scales.into_iter().map(arm).collect()
}
