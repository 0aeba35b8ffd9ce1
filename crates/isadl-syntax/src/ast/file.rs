//! Files and their definitions.

use super::broken::{Broken, BrokenDefinition};
use super::environment::Environment;
use super::layer::Layer;
use super::section::Section;
use super::types::{BitFieldType, Composite, Immediate, OperandType, RegFile};
use super::word::{Condition, Guard, Ident, Int};
use crate::span::{FileId, Span};

/// One source file.
#[derive(Debug, Clone)]
pub struct File<'s> {
    /// Which.
    pub id: FileId,
    /// Its definitions in order.
    pub definitions: Vec<Definition<'s>>,
    /// The definitions that were reported because of their headers, or because they are empty.
    pub broken: Vec<BrokenDefinition<'s>>,
}

/// A definition: header and body.
#[derive(Debug, Clone)]
pub struct Definition<'s> {
    /// The whole header line without comment.
    pub header: Span,
    /// The name defined.
    pub name: Ident<'s>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
    /// The defined item.
    pub kind: DefinitionKind<'s>,
    /// The prose sections, in order.
    pub prose: Vec<Section<'s>>,
    /// The statements that were reported.
    pub broken: Broken<'s>,
}

impl Definition<'_> {
    /// Frees the spare capacity of its lists: a specification has tens
    /// of thousands of them.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.prose.shrink_to_fit();
        if let DefinitionKind::Group(layer)
        | DefinitionKind::Optype(layer)
        | DefinitionKind::Opcode(layer)
        | DefinitionKind::Alias(layer) = &mut self.kind
        {
            layer.matches.shrink_to_fit();
            layer.parents.shrink_to_fit();
            layer.fields.shrink_to_fit();
            layer.reserved.shrink_to_fit();
            layer.fixes.shrink_to_fit();
            layer.unstated.shrink_to_fit();
            layer.operand_info.shrink_to_fit();
            layer.rules.shrink_to_fit();
        }
    }
}

/// The item that a definition defines.
#[derive(Debug, Clone)]
pub enum DefinitionKind<'s> {
    /// `__DefIsa`
    Isa(Isa<'s>),
    /// `__DefRegFile`
    RegFile(RegFile),
    /// `__DefBitFieldType`
    BitFieldType(BitFieldType<'s>),
    /// `__DefOperandType`
    OperandType(OperandType<'s>),
    /// `__DefImmediate`
    Immediate(Immediate<'s>),
    /// `__DefComposite`
    Composite(Composite<'s>),
    /// `__DefGroup`
    Group(Layer<'s>),
    /// `__DefOptype`
    Optype(Layer<'s>),
    /// `__DefOpcode`
    Opcode(Layer<'s>),
    /// `__DefAlias`
    Alias(Layer<'s>),
    /// `__DefEnvironment`
    Environment(Environment<'s>),
}

/// The instruction set.
#[derive(Debug, Clone)]
pub struct Isa<'s> {
    /// Bits in an instruction.
    pub width: Int,
    /// Names of its generations.
    pub generations: Vec<Ident<'s>>,
    /// Names of its extensions.
    pub extensions: Vec<Ident<'s>>,
    /// `Implies<…> = …`
    pub implies: Vec<Implication<'s>>,
    /// `Requires<…> = …`
    pub requires: Vec<Requirement<'s>>,
    /// `Set<…> = …`
    pub sets: Vec<ExtensionSet<'s>>,
    /// `DefaultSet<…>`
    pub default_set: Option<Ident<'s>>,
    /// `NameSets<…>`: labels of the first, second, … name set of values.
    pub name_sets: Vec<Ident<'s>>,
    /// `Modifiers = …`
    pub modifiers: Option<Ident<'s>>,
    /// `ByteOrder = …`
    pub byte_order: Option<Ident<'s>>,
    /// `Unit = …`: how many bits, and whether the first unit is the highest.
    pub unit: Option<(Int, Ident<'s>)>,
    /// `Bits = …`: how bits are numbered.
    pub bits: Option<Ident<'s>>,
    /// `Case = …`: whether assembly lines are read without regard to it.
    pub case: Option<Ident<'s>>,
    /// `Ranges = …`: whether operands of several registers are written as ranges.
    pub ranges: Option<Ident<'s>>,
    /// `Semantics<…>`: whether pseudo code is checked.
    pub semantics: Option<Ident<'s>>,
    /// `Placeholder<…> = …`
    pub placeholders: Vec<Placeholder<'s>>,
    /// `Comment = …`: signs that begin a comment of an assembly line.
    pub comments: Vec<Ident<'s>>,
    /// `Separator = …`: signs that end an instruction.
    pub separators: Vec<Ident<'s>>,
    /// `Padding = …`: the instruction that fills gaps in code.
    pub padding: Option<Ident<'s>>,
    /// `Elf<…> = …`: facts of object files.
    pub elf: Vec<ElfFact<'s>>,
    /// `Elf<…> = "…"`: names of symbols that mark the contents after them.
    pub elf_marks: Vec<ElfMark<'s>>,
    /// `Detour<…> = "…"`: relaxations of branches that do not reach their targets.
    pub detours: Vec<Detour<'s>>,
}

/// The kinds of contents that symbols mark in ELF files.
pub const ELF_MARKS: &[&str] = &["code", "data"];

/// The name of symbols that mark places in ELF files.
#[derive(Debug, Clone, Copy)]
pub struct ElfMark<'s> {
    /// The kind of contents, one of [`ELF_MARKS`].
    pub name: Ident<'s>,
    /// Their name.
    pub text: Ident<'s>,
}

/// A pair of inverse branches and a jump. One branch skips the jump, which reaches farther than the other branch.
#[derive(Debug, Clone, Copy)]
pub struct Detour<'s> {
    /// The opcodes.
    pub opcodes: [Ident<'s>; 2],
    /// The text of the jump.
    pub jump: Ident<'s>,
}

/// The subjects of ELF facts: the number of the machine, bits of addresses, bits of the file's flags, and the numbers
/// of data relocations.
pub const ELF_FACTS: &[&str] = &[
    "machine", "class", "flags", "abs8", "abs16", "abs32", "abs64", "rel16", "rel32", "rel64",
    "add8", "add16", "add32", "add64", "sub8", "sub16", "sub32", "sub64",
];

/// A fact of ELF files.
#[derive(Debug, Clone)]
pub struct ElfFact<'s> {
    /// The whole statement.
    pub span: Span,
    /// The subject, one of [`ELF_FACTS`].
    pub name: Ident<'s>,
    /// The number.
    pub value: Int,
    /// The generations and extensions that the fact applies to.
    pub guard: Option<Box<Guard<'s>>>,
}

/// Extensions that a set with others has too.
#[derive(Debug, Clone)]
pub struct Implication<'s> {
    /// The whole statement.
    pub span: Span,
    /// The condition on the set.
    pub when: Condition<'s>,
    /// The extensions that the set then also has.
    pub added: Vec<Ident<'s>>,
}

/// A constraint on sets with some extensions.
#[derive(Debug, Clone)]
pub struct Requirement<'s> {
    /// The whole statement.
    pub span: Span,
    /// The condition that selects the sets.
    pub when: Condition<'s>,
    /// The condition that these sets must meet.
    pub condition: Condition<'s>,
}

/// A set of extensions with a name.
#[derive(Debug, Clone)]
pub struct ExtensionSet<'s> {
    /// Its name.
    pub name: Ident<'s>,
    /// The extensions and other sets in it.
    pub members: Vec<Ident<'s>>,
}

/// A name in templates, and the operands that it stands for.
#[derive(Debug, Clone)]
pub struct Placeholder<'s> {
    /// The name.
    pub name: Ident<'s>,
    /// The fields of the operands.
    pub fields: Vec<Ident<'s>>,
}
