//! `serialize.rs` of a generated crate: instructions, and names of opcodes and so on, as serde stores them.

use proc_macro2::TokenStream;
use quote::quote;

use super::plan::Plan;

/// The version of serde that generated code implements.
pub(super) const VERSION: &str = "1";

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let has_generations = !plan.generations.is_empty();
    let generation = has_generations.then(generation);
    let extensions = plan.has_extensions().then(extensions);
    let inst = inst(has_generations);
    quote! {
        //! Instructions, opcodes and so on, as serde stores them.

        use core::fmt;

        use ::serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
        use ::serde::ser::{Serialize, Serializer};

        use super::engine::decode::RowId;
        use super::engine::encode;
        use super::engine::rows::slice;
        use super::image::WORDS_ALONE as IMAGE;
        use super::{Field, Inst, Opcode, Word, image, tables};

        /// Reads a value from its text.
        struct Read<T> {
            expected: &'static str,
            value_of: fn(&str) -> Option<T>,
        }

        impl<T> Visitor<'_> for Read<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.expected)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
                (self.value_of)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        /// In formats for people its name, in others its number.
        impl Serialize for Opcode {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match serializer.is_human_readable() {
                    true => serializer.serialize_str(self.name()),
                    false => serializer.serialize_u16(*self as u16),
                }
            }
        }

        impl<'de> Deserialize<'de> for Opcode {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Opcode, D::Error> {
                if deserializer.is_human_readable() {
                    let value_of = |text: &str| Opcode::ALL.iter().copied().find(|one| one.name() == text);
                    return deserializer.deserialize_str(Read { expected: "the name of an opcode", value_of });
                }
                let number = u16::deserialize(deserializer)?;
                let refused = Unexpected::Unsigned(u64::from(number));
                Opcode::try_from(number).map_err(|_| D::Error::invalid_value(refused, &"the number of an opcode"))
            }
        }

        /// Its name.
        impl Serialize for Field {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for Field {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Field, D::Error> {
                let value_of = |text: &str| Field::ALL.iter().copied().find(|one| one.name() == text);
                deserializer.deserialize_str(Read { expected: "the name of a field", value_of })
            }
        }

        #generation
        #extensions
        #inst
    }
}

fn generation() -> TokenStream {
    quote! {
        use super::Generation;

        /// Its name.
        impl Serialize for Generation {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for Generation {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Generation, D::Error> {
                let value_of = |text: &str| text.parse().ok();
                deserializer.deserialize_str(Read { expected: "the name of a generation", value_of })
            }
        }
    }
}

fn extensions() -> TokenStream {
    quote! {
        use super::Extensions;

        /// Its names, separated by commas.
        impl Serialize for Extensions {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for Extensions {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Extensions, D::Error> {
                let value_of = |text: &str| text.parse().ok();
                deserializer.deserialize_str(Read { expected: "names of extensions", value_of })
            }
        }
    }
}

/// Instructions: opcode and word, and a generation, since an opcode may have a word twice, in different generations.
fn inst(has_generations: bool) -> TokenStream {
    let field = has_generations.then(|| {
        quote! {
            /// The first generation that has it so.
            generation: Generation,
        }
    });
    let of_inst = has_generations.then(|| {
        quote! {
            // INVARIANT: a generation at least has it.
            generation: self.generations().next().unwrap_or(Generation::ALL[0]),
        }
    });
    let is_in = has_generations.then(|| {
        quote! {
            .filter(|index| tables::GENERATIONS_OF[*index as usize] >> self.generation as u32 & 1 != 0)
        }
    });
    quote! {
        /// A word: in formats for people hexadecimal.
        struct Hexadecimal(Word);

        impl Serialize for Hexadecimal {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match serializer.is_human_readable() {
                    true => serializer.collect_str(&format_args!("{:#x}", self.0)),
                    false => self.0.serialize(serializer),
                }
            }
        }

        impl<'de> Deserialize<'de> for Hexadecimal {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hexadecimal, D::Error> {
                if !deserializer.is_human_readable() {
                    return Word::deserialize(deserializer).map(Hexadecimal);
                }
                let value_of = |text: &str| {
                    let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'))?;
                    Word::from_str_radix(digits, 16).ok().map(Hexadecimal)
                };
                deserializer.deserialize_str(Read { expected: "a word such as 0x1f", value_of })
            }
        }

        /// An instruction as it is stored.
        #[derive(::serde::Serialize, ::serde::Deserialize)]
        #[serde(crate = "::serde", rename = "Inst", deny_unknown_fields)]
        struct Stored {
            #field
            opcode: Opcode,
            word: Hexadecimal,
        }

        impl Stored {
            /// The instruction, if the opcode has the word.
            fn inst(&self) -> Option<Inst> {
                let (first, count) = tables::ROWS_OF[self.opcode as usize];
                let word = self.word.0;
                let rows = (first..first + count)#is_in.map(|index| image::row(index + 1));
                let mut rows = rows.filter(|row| is_of(*row, word));
                // A form with a literal is a special case of the form without.
                let is_special = |row: &RowId| encode::special_case(&IMAGE, None, *row, word).is_some();
                let row = rows.clone().find(|row| !is_special(row)).or_else(|| rows.next())?;
                Some(Inst { word, row })
            }
        }

        /// Whether a row has a word: its fixed bits, and fields with values of their types.
        fn is_of(row: RowId, word: Word) -> bool {
            let fields = slice(IMAGE.words.fields, IMAGE.words.rows[row.get() as usize].fields);
            let values = fields.iter().map(|field| (field.name, encode::raw(&IMAGE, field, word)));
            encode::from_values(&IMAGE, row, values) == Ok(word)
        }

        /// Its opcode and word.
        impl Serialize for Inst {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let stored = Stored { #of_inst opcode: self.opcode(), word: Hexadecimal(self.word()) };
                stored.serialize(serializer)
            }
        }

        /// Refuses a word that the opcode does not have. As where fields are set, rules of the specification are checked
        /// when it is encoded.
        impl<'de> Deserialize<'de> for Inst {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Inst, D::Error> {
                let stored = Stored::deserialize(deserializer)?;
                stored.inst().ok_or_else(|| {
                    D::Error::custom(format_args!("{:#x} is not a word of {}", stored.word.0, stored.opcode))
                })
            }
        }
    }
}
