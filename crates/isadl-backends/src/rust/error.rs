//! `error.rs` of a generated crate: why words are not instructions, and why instructions cannot be
//! built.

use proc_macro2::TokenStream;
use quote::quote;

use super::construct;
use super::plan::Plan;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let has_generations = !plan.generations.is_empty();
    let generation = has_generations.then(|| {
        quote!(
            use super::Generation;
        )
    });
    let (absent, absent_text) = match plan.has_extensions() {
        true => (
            quote! {
                /// The set of extensions does not have the opcode with these fixed bits.
                NeedsExtension {
                    /// The opcode.
                    opcode: Opcode,
                },
            },
            quote! {
                DecodeError::NeedsExtension { opcode } => {
                    write!(f, "the extensions lack {opcode}")
                }
            },
        ),
        false => (quote!(), quote!()),
    };
    let not_in_generation = has_generations.then(|| {
        quote! {
            /// The generation does not have the opcode, or has it with other operands.
            NotInGeneration {
                /// The opcode.
                opcode: Opcode,
                /// The generation.
                generation: Generation,
            },
        }
    });
    let not_in_generation_text = has_generations.then(|| {
        quote! {
            EncodeError::NotInGeneration { opcode, generation } => {
                write!(f, "{generation} has no {opcode} with these operands")
            }
        }
    });
    let not_a_value = plan.has_gaps().then(|| {
        quote! {
            /// An integer that is not a value of a type.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub struct NotAValue {
                /// The smallest integer that its bits hold.
                pub low: i128,
                /// The largest.
                pub high: i128,
                /// The step from each integer to the next; some integers may be reserved.
                pub step: u64,
            }

            impl fmt::Display for NotAValue {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "not a value: these are among {} to {}", self.low, self.high)?;
                    match self.step {
                        1 => Ok(()),
                        step => write!(f, " in steps of {step}"),
                    }
                }
            }

            impl core::error::Error for NotAValue {}
        }
    });
    let integer = plan.has_others().then(|| {
        quote! {
            /// An integer in decimal, hexadecimal or binary.
            pub(crate) fn integer(text: &str) -> Option<i128> {
                let (is_negative, text) = match text.strip_prefix('-') {
                    Some(rest) => (true, rest),
                    None => (false, text),
                };
                let (digits, radix) = match text.split_at_checked(2) {
                    Some(("0x" | "0X", digits)) => (digits, 16),
                    Some(("0b" | "0B", digits)) => (digits, 2),
                    _ => (text, 10),
                };
                let is_number = digits.bytes().all(|b| b.is_ascii_alphanumeric());
                let number = i128::from_str_radix(digits, radix).ok().filter(|_| is_number)?;
                Some(if is_negative { -number } else { number })
            }
        }
    });
    let has_shared = plan.has_shared_bits();
    let shared = has_shared.then(|| {
        quote! {
            /// The field shares bits with a field that was given a different value.
            Shared {
                /// The opcode.
                opcode: Opcode,
                /// The field.
                field: Field,
            },
        }
    });
    let shared_text = has_shared.then(|| {
        quote! {
            EncodeError::Shared { opcode, field } => {
                write!(f, "{opcode}: another field at the bits of {field} has another value")
            }
        }
    });
    let has_conditions = construct::has_conditions(plan);
    let alias = has_conditions.then(|| {
        quote! {
            /// The alias does not stand for the instruction with these values.
            Alias {
                /// The opcode.
                opcode: Opcode,
                /// The name of the alias.
                alias: &'static str,
            },
        }
    });
    let alias_text = has_conditions.then(|| {
        quote! {
            EncodeError::Alias { opcode, alias } => {
                write!(f, "{opcode}: {alias} is not for these values")
            }
        }
    });
    quote! {
        //! Errors: small, `Copy`, without allocation.

        use core::fmt;

        use super::{Field, Opcode, Rule};
        #generation

        /// Why bytes are no instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DecodeError {
            /// There are fewer bytes than an instruction has.
            Truncated {
                /// How many bytes an instruction has.
                needed: usize,
            },
            /// No opcode has these fixed bits.
            Unknown,
            #absent
            /// A field holds a value that its type lacks.
            IllegalValue {
                /// The opcode of the word.
                opcode: Opcode,
                /// The field.
                field: Field,
            },
            /// A rule of the specification forbids the word.
            Rule {
                /// The opcode of the word.
                opcode: Opcode,
                /// The rule.
                rule: Rule,
            },
        }

        impl fmt::Display for DecodeError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    DecodeError::Truncated { needed } => {
                        write!(f, "truncated: an instruction has {needed} bytes")
                    }
                    DecodeError::Unknown => f.write_str("no opcode has these bits"),
                    #absent_text
                    DecodeError::IllegalValue { opcode, field } => {
                        write!(f, "{opcode}: field {field} holds an illegal value")
                    }
                    DecodeError::Rule { opcode, rule } => write!(f, "{opcode}: {rule}"),
                }
            }
        }

        impl core::error::Error for DecodeError {}

        /// Why an instruction cannot be built.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EncodeError {
            /// The opcode does not have this field, or has it with another type.
            NoSuchField {
                /// The opcode.
                opcode: Opcode,
                /// The field.
                field: Field,
            },
            #not_in_generation
            /// The field has no default and was not given.
            Missing {
                /// The opcode.
                opcode: Opcode,
                /// The field.
                field: Field,
            },
            /// The field's value is fixed by the opcode.
            FixedField {
                /// The opcode.
                opcode: Opcode,
                /// The field.
                field: Field,
            },
            /// The field's type lacks the value.
            IllegalValue {
                /// The opcode.
                opcode: Opcode,
                /// The field.
                field: Field,
            },
            #shared
            #alias
            /// A rule of the specification forbids the word.
            Rule {
                /// The opcode.
                opcode: Opcode,
                /// The rule.
                rule: Rule,
            },
            /// With these values the word belongs to a special case of the opcode.
            SpecialCase {
                /// The opcode.
                opcode: Opcode,
                /// The name of the opcode that the word has.
                other: &'static str,
            },
        }

        impl fmt::Display for EncodeError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    EncodeError::NoSuchField { opcode, field } => {
                        write!(f, "{opcode} has no field {field} of this type")
                    }
                    #not_in_generation_text
                    EncodeError::Missing { opcode, field } => write!(f, "{opcode} needs field {field}"),
                    EncodeError::FixedField { opcode, field } => write!(f, "{opcode} fixes field {field}"),
                    EncodeError::IllegalValue { opcode, field } => {
                        write!(f, "{opcode}: illegal value for field {field}")
                    }
                    #shared_text
                    #alias_text
                    EncodeError::Rule { opcode, rule } => write!(f, "{opcode}: {rule}"),
                    EncodeError::SpecialCase { opcode, other } => {
                        write!(f, "{opcode} with these values is {other}")
                    }
                }
            }
        }

        impl core::error::Error for EncodeError {}

        /// An integer that a type cannot hold.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct OutOfRange {
            /// The smallest integer that it holds.
            pub low: i128,
            /// The largest.
            pub high: i128,
        }

        impl fmt::Display for OutOfRange {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "out of range: must be {} to {}", self.low, self.high)
            }
        }

        impl core::error::Error for OutOfRange {}

        #not_a_value

        /// A text that names no value of a type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct ParseNameError {
            /// The type's name in the specification.
            pub type_name: &'static str,
        }

        impl fmt::Display for ParseNameError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "no value of {} has this name", self.type_name)
            }
        }

        impl core::error::Error for ParseNameError {}

        /// A number of a register: digits, without a sign and without zeros before it.
        #[allow(dead_code, reason = "not every instruction set has numbered registers")]
        pub(crate) fn plain_number(text: &str) -> Option<u64> {
            let padded = text.len() > 1 && text.starts_with('0');
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if digits && !padded { text.parse().ok() } else { None }
        }

        #integer
    }
}
