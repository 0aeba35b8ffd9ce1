//! `opcode.rs` of a generated crate: the enumerations of opcodes, fields and rules, and the specification's facts about
//! each opcode. Also `generation.rs` and `row.rs`, where opcodes differ by generation, or have several rows.

use isadl_ir::isa::{Generations, Optype, RuleScope, SectionKind};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::docs::doc;
use super::plan::{OpcodePlan, Plan, RowPlan};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let opcodes = opcodes(plan);
    let fields = fields(plan);
    let rules = rules(plan);
    let info = info();
    let generation = (!plan.generations.is_empty()).then(|| {
        quote!(
            use super::Generation;
        )
    });
    let requires = plan.has_extensions().then(|| {
        quote!(
            use super::Requires;
        )
    });
    quote! {
        //! Opcodes, fields and rules.

        use core::fmt;

        use super::tables;
        use super::{FieldList, OperandList, Word};
        #generation
        #requires

        #opcodes
        #fields
        #rules

        #info
    }
}

/// `generation.rs`: the enumeration of generations.
pub(super) fn generation(plan: &Plan<'_>) -> TokenStream {
    let idents: Vec<_> = plan.generations.iter().map(|generation| &generation.ident).collect();
    let names: Vec<&str> = plan.generations.iter().map(|g| g.name.as_str()).collect();
    let docs = names.iter().map(|name| format!(" The generation {name}."));
    quote! {
        //! Generations.

        use core::fmt;
        use core::str::FromStr;

        use super::ParseNameError;

        /// A generation of the instruction set.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Generation { #(#[doc = #docs] #idents,)* }

        impl Generation {
            /// Every generation, in order of declaration.
            pub const ALL: &'static [Generation] = &[#(Generation::#idents),*];

            /// Its name in the specification.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(Generation::#idents => #names,)* }
            }
        }

        impl fmt::Display for Generation {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for Generation {
            type Err = ParseNameError;

            /// Reads a name as `Display` writes it.
            fn from_str(text: &str) -> Result<Generation, ParseNameError> {
                let mut all = Generation::ALL.iter().copied();
                let found = all.find(|generation| generation.name() == text);
                found.ok_or(ParseNameError { type_name: "Generation" })
            }
        }
    }
}

/// The specification's facts about an opcode.
fn info() -> TokenStream {
    quote! {
        /// What the specification says of an opcode.
        #[derive(Debug, Clone, Copy)]
        #[non_exhaustive]
        pub struct OpcodeInfo {
            /// Its name.
            pub name: &'static str,
            /// The mnemonic: the text before the first modifier. Fields in it are shown by name, as in `b.{cond}`.
            pub mnemonic: &'static str,
            /// The operation that it is a form of.
            pub optype: &'static str,
            /// The groups that it belongs to, from the root on.
            pub groups: &'static [&'static str],
            /// The generations that have it in this form; empty if the instruction set does not distinguish
            /// generations.
            pub generations: &'static [&'static str],
            /// The bits that are fixed.
            pub mask: Word,
            /// Their values.
            pub value: Word,
            /// The bits that fields cover. Other bits are ignored, and written as 0.
            pub significant: Word,
            /// Bits in the instruction.
            pub width: u16,
            /// Its fields, by rising lowest bit.
            pub fields: FieldList,
            /// Its operands, in assembly order.
            pub operands: OperandList,
            /// The rules that its words must not break.
            pub rules: &'static [Rule],
            /// The register files that it reads or writes implicitly: they are not in its text.
            pub implicit: OperandList,
            /// The field of its literal, if it is the form with a literal.
            pub literal: Option<Field>,
        }
    }
}

/// The numbers of opcodes, where they do not follow the previous number. The compiler evaluates each by itself, which
/// takes 1.6 ms per opcode where there are thousands.
fn discriminants(plan: &Plan<'_>) -> Vec<Option<TokenStream>> {
    let mut next = 0;
    let discriminant = |opcode: &OpcodePlan| {
        let follows = opcode.number == next;
        next = opcode.number.wrapping_add(1);
        let number = Literal::u16_unsuffixed(opcode.number);
        (!follows).then(|| quote!(= #number))
    };
    plan.opcodes.iter().map(discriminant).collect()
}

fn opcodes(plan: &Plan<'_>) -> TokenStream {
    let idents: Vec<_> = plan.opcodes.iter().map(|opcode| &opcode.ident).collect();
    let numbers = discriminants(plan);
    let info = opcode_info(plan);
    let docs = plan.opcodes.iter().map(|opcode| opcode_doc(plan, opcode));
    let body = if idents.is_empty() {
        quote! {
            /// An opcode; none was selected.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum Opcode {}
        }
    } else {
        quote! {
            /// An opcode: one form of an operation. Its number does not change when opcodes are added.
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            #[repr(u16)]
            #[non_exhaustive]
            pub enum Opcode { #(#docs #idents #numbers,)* }

            // Not derived: a match of all opcodes takes the compiler long.
            impl fmt::Debug for Opcode {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(self.name())
                }
            }
        }
    };
    quote! {
        #body

        impl Opcode {
            /// Every opcode, in order of definition.
            pub const ALL: &'static [Opcode] = &[#(Opcode::#idents),*];

            #info
        }

        impl TryFrom<u16> for Opcode {
            type Error = u16;

            /// The opcode with a number. The error is the number, if no opcode has it.
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

/// Maps an opcode to its rows.
fn opcode_info(plan: &Plan<'_>) -> TokenStream {
    let info = infos(plan);
    quote! {
        #info

        /// Its name in the specification.
        #[must_use]
        pub const fn name(self) -> &'static str {
            self.info().name
        }

        /// The mnemonic: the text before the first modifier. Fields in it are shown by name, as in `b.{cond}`;
        /// [`Inst::mnemonic`](super::Inst::mnemonic) has their values.
        #[must_use]
        pub const fn mnemonic(self) -> &'static str {
            self.info().mnemonic
        }
    }
}

fn infos(plan: &Plan<'_>) -> TokenStream {
    let of_generation = (!plan.generations.is_empty()).then(|| {
        let is_plain = plan.has_literals().then(|| quote!(&&form.literal.is_none()));
        quote! {
            /// Its description in a generation, for the form without a literal. `None` if the generation does not have
            /// it.
            #[must_use]
            pub fn info_in(self, generation: Generation) -> Option<&'static OpcodeInfo> {
                let mut forms = self.forms().iter();
                forms.find(|form| form.generations.contains(&generation.name()) #is_plain)
            }
        }
    });
    let requires = plan.has_extensions().then(|| {
        quote! {
            /// The sets of extensions that have it, as alternatives. If it has several forms, this is about the first.
            #[must_use]
            pub const fn requires(self) -> &'static [Requires] {
                let (first, _) = tables::ROWS_OF[self as usize];
                tables::REQUIRES[first as usize]
            }
        }
    });
    quote! {
        /// Its description in the specification. If it has several forms, this is the first.
        #[inline]
        #[must_use]
        pub const fn info(self) -> &'static OpcodeInfo {
            &self.forms()[0]
        }

        /// The descriptions of its forms: one for each group of generations, and one for each literal.
        #[must_use]
        pub const fn forms(self) -> &'static [OpcodeInfo] {
            let (first, count) = tables::ROWS_OF[self as usize];
            let (_, rest) = tables::INFO.split_at(first as usize);
            rest.split_at(count as usize).0
        }

        #of_generation

        #requires
    }
}

/// Syntax, and bit pattern and generations of each row.
fn opcode_doc(plan: &Plan<'_>, opcode: &OpcodePlan) -> TokenStream {
    let rows = plan.rows_of(opcode);
    let first = plan.definition(&rows[0]);
    let optype = first.optypes.first().map(|id| &plan.isa.optypes()[id.index()]);
    let mut last = syntax(plan, &rows[0]);
    let mut text = format!("{last}\n\n");
    if let Some(summary) = optype.and_then(summary) {
        text += &format!("{summary}\n\n");
    }
    let forms = forms(plan, rows).into_iter().map(|(syntax, pattern, generations)| {
        let mut form = String::new();
        if syntax != last {
            form += &format!("{syntax}\n\n");
            last = syntax;
        }
        form += &format!("`{pattern}`");
        if !plan.isa.generations().is_empty() {
            let names: Vec<&str> = plan.isa.generation_names(generations).collect();
            form += &format!("\n\nGenerations: {}", names.join(", "));
        }
        form
    });
    text += &forms.collect::<Vec<_>>().join("\n\n");
    doc(&text, "")
}

/// The syntax and encodings of an opcode, with the generations that have each.
fn forms(plan: &Plan<'_>, rows: &[RowPlan]) -> Vec<(String, String, Generations)> {
    let mut forms: Vec<(String, String, Generations)> = Vec::new();
    for row in rows {
        let definition = plan.definition(row);
        let syntax = syntax(plan, row);
        let pattern = bit_pattern(definition, definition.width);
        match forms.iter_mut().find(|form| form.0 == syntax && form.1 == pattern) {
            Some(form) => form.2 = form.2.union(definition.generations),
            None => forms.push((syntax, pattern, definition.generations)),
        }
    }
    forms
}

/// The mnemonic and the names of the operands.
fn syntax(plan: &Plan<'_>, row: &RowPlan) -> String {
    let definition = plan.definition(row);
    let isa = plan.isa;
    let operands: Vec<&str> = definition
        .operands
        .iter()
        .map(|operand| match operand.place {
            isadl_ir::isa::OperandLocation::Field(name) => isa.name_of(name),
            isadl_ir::isa::OperandLocation::File(file) => &isa.reg_files()[file.index()].name,
            isadl_ir::isa::OperandLocation::Indirect { base, .. } => isa.name_of(base),
        })
        .collect();
    format!("`{}`: {}", definition.syntax.mnemonic, operands.join(", "))
}

/// The first line of an optype's description.
fn summary(optype: &Optype) -> Option<String> {
    let description =
        optype.prose.iter().find(|section| section.kind == SectionKind::Description)?;
    let ends = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("```");
    let paragraph: Vec<&str> = description.text.lines().take_while(|line| !ends(line)).collect();
    Some(paragraph.join(" "))
}

/// The bits from the highest: `0` and `1` fixed, `.` in a field, `-` free, with spaces between bytes.
fn bit_pattern(opcode: &isadl_ir::isa::Opcode, width: u32) -> String {
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
        /// A field name. The field may be at different bits in different opcodes.
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
    let scope = plan.has_assembler_rules().then(|| scope(plan));
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

        #scope

        impl fmt::Display for Rule {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}: {}", self.kind(), self.message())
            }
        }
    }
}

/// Who refuses a word that breaks a rule.
fn scope(plan: &Plan<'_>) -> TokenStream {
    let scopes = plan.isa.rules().iter().map(|rule| match rule.scope {
        RuleScope::Word => quote!(RuleScope::Word),
        RuleScope::Assembler => quote!(RuleScope::Assembler),
    });
    quote! {
        /// Who refuses a word that breaks a rule.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RuleScope {
            /// Everyone: the word is illegal.
            Word,
            /// Only encoders and assemblers; the word itself is legal and decodes.
            Assembler,
        }

        /// The scope of each rule.
        static SCOPES: &[RuleScope] = &[#(#scopes),*];

        impl Rule {
            /// Who refuses a word that breaks it.
            #[must_use]
            pub const fn scope(self) -> RuleScope {
                SCOPES[self.0 as usize]
            }
        }
    }
}
