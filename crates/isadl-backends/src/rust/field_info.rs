//! The fields of opcodes in `operands.rs` of a generated crate.

use proc_macro2::TokenStream;
use quote::quote;

use super::plan::Plan;

pub(super) fn items(plan: &Plan<'_>) -> TokenStream {
    let (lowest, raw) = match plan.has_pieces() {
        true => (
            quote!(fields::lowest(&IMAGE, row.lsb)),
            quote!(fields::get(&IMAGE, word, self.place, self.width)),
        ),
        false => {
            (quote!(row.lsb as u8), quote!(bits::extract(word, self.lsb as u32, self.width as u32)))
        }
    };
    let [field, value] = match plan.has_pieces() {
        true => [quote!(place: u16,), quote!(place: row.lsb,)],
        false => [TokenStream::new(), TokenStream::new()],
    };
    quote! {
        /// A field of an opcode.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct FieldInfo {
            /// Its name.
            pub field: Field,
            /// The name of its type in the specification.
            pub type_name: &'static str,
            /// Its lowest bit in the word.
            pub lsb: u8,
            /// Its width in bits.
            pub width: u8,
            /// What it is to the instruction.
            pub role: FieldRole,
            /// Where its value comes from.
            pub binding: Binding,
            reserved_values: rows::Span,
            #field
        }

        impl FieldInfo {
            const fn of(row: &rows::Field) -> FieldInfo {
                let role = match row.role {
                    rows::OPERAND => FieldRole::Operand,
                    rows::MODIFIER => FieldRole::Modifier,
                    rows::MNEMONIC => FieldRole::Mnemonic,
                    rows::CONTROL => FieldRole::Control,
                    rows::PART => FieldRole::Part { of: Field::ALL[row.of as usize] },
                    _ => FieldRole::Attribute { of: Field::ALL[row.of as usize] },
                };
                let binding = match row.binding {
                    rows::REQUIRED => Binding::Required,
                    rows::DEFAULT => Binding::Default(row.default),
                    _ => Binding::Fixed,
                };
                FieldInfo {
                    field: Field::ALL[row.name as usize],
                    type_name: tables::TYPE_NAMES[row.ty as usize],
                    lsb: #lowest,
                    width: row.width,
                    role,
                    binding,
                    reserved_values: row.reserved_values,
                    #value
                }
            }

            /// The bits of the field in a word.
            #[must_use]
            pub const fn extract(&self, word: Word) -> u64 {
                #raw
            }

            /// Whether its type has a value of these bits.
            #[must_use]
            pub const fn is_legal(&self, raw: u64) -> bool {
                let reserved_values = rows::slice(&image::RESERVED_VALUES, self.reserved_values);
                let mut at = 0;
                while at < reserved_values.len() {
                    let (first, last) = reserved_values[at];
                    if first <= raw && raw <= last {
                        return false;
                    }
                    at += 1;
                }
                true
            }
        }

        /// What a field is to the instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum FieldRole {
            /// A register, immediate or composite among the operands.
            Operand,
            /// A value that is written after the mnemonic.
            Modifier,
            /// A value that is written in the mnemonic.
            Mnemonic,
            /// A property of an operand.
            Attribute {
                /// The operand.
                of: Field,
            },
            /// Says how to issue the instruction.
            Control,
            /// What an operand made of fields is made of.
            Part {
                /// The operand.
                of: Field,
            },
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

        /// The fields of an opcode, by rising lowest bit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct FieldList(pub(crate) rows::Span);

        impl FieldList {
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

            /// The field of an index.
            #[must_use]
            pub const fn get(self, index: usize) -> Option<FieldInfo> {
                let list = rows::slice(&image::FIELDS, self.0);
                if index < list.len() { Some(FieldInfo::of(&list[index])) } else { None }
            }

            /// The fields.
            pub fn iter(self) -> impl ExactSizeIterator<Item = FieldInfo> + Clone {
                rows::slice(&image::FIELDS, self.0).iter().map(FieldInfo::of)
            }
        }
    }
}
