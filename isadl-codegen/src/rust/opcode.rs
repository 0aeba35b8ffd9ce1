//! `opcode.rs` of a generated crate: the enumerations of opcodes, fields and rules, and what
//! the specification says of each opcode.

use isadl::isa::{Optype, SectionKind};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::docs::doc;
use super::plan::{OpcodePlan, Plan};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let opcodes = opcodes(plan);
    let fields = fields(plan);
    let rules = rules(plan);
    quote! {
        //! Opcodes, fields and rules.

        use core::fmt;

        use super::tables;
        use super::{FieldList, OperandList, Word};

        #opcodes
        #fields
        #rules

        /// What the specification says of an opcode.
        #[derive(Debug, Clone, Copy)]
        #[non_exhaustive]
        pub struct OpcodeInfo {
            /// Its name.
            pub name: &'static str,
            /// What stands before the first modifier in assembly text.
            pub mnemonic: &'static str,
            /// The operation that it is a form of.
            pub optype: &'static str,
            /// The groups that it belongs to, from the root on.
            pub groups: &'static [&'static str],
            /// The generations that have it; none where the instruction set has one only.
            pub generations: &'static [&'static str],
            /// The bits that are fixed.
            pub mask: Word,
            /// Their values.
            pub value: Word,
            /// The bits that a field covers; the others are ignored, and written as 0.
            pub significant: Word,
            /// Bits in the instruction.
            pub width: u16,
            /// Its fields, by rising lowest bit.
            pub fields: FieldList,
            /// Its operands, in assembly order.
            pub operands: OperandList,
            /// The rules that its words must not break.
            pub rules: &'static [Rule],
        }
    }
}

fn opcodes(plan: &Plan<'_>) -> TokenStream {
    let idents: Vec<_> = plan.opcodes.iter().map(|opcode| &opcode.ident).collect();
    let numbers: Vec<Literal> = plan
        .opcodes
        .iter()
        .map(|opcode| Literal::u16_unsuffixed(plan.opcode(opcode).number))
        .collect();
    let docs = plan.opcodes.iter().map(|opcode| opcode_doc(plan, opcode));
    let body = if idents.is_empty() {
        quote! {
            /// An opcode; none was selected.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum Opcode {}
        }
    } else {
        quote! {
            /// An opcode: one form of an operation. Numbers stay when opcodes are added.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            #[repr(u16)]
            #[non_exhaustive]
            pub enum Opcode { #(#docs #idents = #numbers,)* }
        }
    };
    quote! {
        #body

        impl Opcode {
            /// Every opcode, in order of definition.
            pub const ALL: &'static [Opcode] = &[#(Opcode::#idents),*];

            /// What the specification says of it.
            #[inline]
            #[must_use]
            pub const fn info(self) -> &'static OpcodeInfo {
                &tables::INFO[self as usize]
            }

            /// Its name in the specification.
            #[must_use]
            pub const fn name(self) -> &'static str {
                self.info().name
            }

            /// What stands before the first modifier in assembly text.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                self.info().mnemonic
            }
        }

        impl TryFrom<u16> for Opcode {
            type Error = u16;

            /// The opcode of a number; a number without one is the error.
            fn try_from(number: u16) -> Result<Opcode, u16> {
                tables::BY_NUMBER.get(usize::from(number)).copied().flatten().ok_or(number)
            }
        }

        impl fmt::Display for Opcode {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    }
}

/// Syntax, bit pattern and generations of an opcode.
fn opcode_doc(plan: &Plan<'_>, opcode: &OpcodePlan) -> TokenStream {
    let definition = plan.opcode(opcode);
    let isa = plan.isa;
    let operands: Vec<&str> = definition
        .operands
        .iter()
        .map(|operand| match operand.place {
            isadl::isa::Place::Field(name) => isa.name_of(name),
            isadl::isa::Place::File(file) => &isa.reg_files()[file.index()].name,
            isadl::isa::Place::Indirect { base, .. } => isa.name_of(base),
        })
        .collect();
    let optype = definition.optypes.first().map(|id| &isa.optypes()[id.index()]);
    let mnemonic = optype.map_or("", |optype| &optype.mnemonic);
    let mut text = format!("`{mnemonic}`: {}\n\n", operands.join(", "));
    if let Some(summary) = optype.and_then(summary) {
        text += &format!("{summary}\n\n");
    }
    text += &format!("`{}`", bit_pattern(definition, isa.width()));
    if !isa.generations().is_empty() {
        text += &format!("\n\nGenerations: {}", isa.generations().join(", "));
    }
    doc(&text, "")
}

/// The first line of an optype's description.
fn summary(optype: &Optype) -> Option<String> {
    let description =
        optype.prose.iter().find(|section| section.kind == SectionKind::Description)?;
    let paragraph: Vec<&str> =
        description.text.lines().take_while(|line| !line.trim().is_empty()).collect();
    Some(paragraph.join(" "))
}

/// The bits from the highest: `0` and `1` fixed, `.` in a field, `-` free; bytes apart.
fn bit_pattern(opcode: &isadl::isa::Opcode, width: u32) -> String {
    let mut pattern = String::new();
    for bit in (0..width).rev() {
        let at = |mask: u128| mask >> bit & 1 == 1;
        pattern.push(match (at(opcode.mask), at(opcode.value), at(opcode.significant)) {
            (true, true, _) => '1',
            (true, false, _) => '0',
            (false, _, true) => '.',
            (false, _, false) => '-',
        });
        if bit > 0 && bit % 8 == 0 {
            pattern.push(' ');
        }
    }
    pattern
}

fn fields(plan: &Plan<'_>) -> TokenStream {
    let idents: Vec<_> = plan.fields.iter().map(|field| &field.ident).collect();
    let names: Vec<&str> = plan.fields.iter().map(|field| plan.isa.name_of(field.name)).collect();
    let docs = names.iter().map(|name| format!(" The field `{name}`."));
    let name_of = if names.is_empty() {
        quote!(match self {})
    } else {
        quote!(tables::FIELD_NAMES[self as usize])
    };
    quote! {
        /// A field name. Opcodes that have a field of the name may have it at different bits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[non_exhaustive]
        pub enum Field { #(#[doc = #docs] #idents,)* }

        impl Field {
            /// Every field name.
            pub const ALL: &'static [Field] = &[#(Field::#idents),*];

            /// The name in the specification.
            #[must_use]
            pub const fn name(self) -> &'static str {
                #name_of
            }
        }

        impl fmt::Display for Field {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    }
}

fn rules(plan: &Plan<'_>) -> TokenStream {
    let kinds = plan.isa.rules().iter().map(|rule| &rule.kind);
    let messages = plan.isa.rules().iter().map(|rule| &rule.message);
    quote! {
        /// A rule of the specification that a word can break.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Rule(pub(crate) u16);

        /// Kind and message of each rule.
        static RULES: &[(&str, &str)] = &[#((#kinds, #messages)),*];

        impl Rule {
            /// The kind of error.
            #[must_use]
            pub const fn kind(self) -> &'static str {
                RULES[self.0 as usize].0
            }

            /// The message.
            #[must_use]
            pub const fn message(self) -> &'static str {
                RULES[self.0 as usize].1
            }
        }

        impl fmt::Display for Rule {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}: {}", self.kind(), self.message())
            }
        }
    }
}
