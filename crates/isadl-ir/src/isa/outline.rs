//! Where the items of a specification are written: for links to its files, and for the places of differences.
//!
//! All generations share one outline, which holds every definition, whichever generations have it.

use isadl_base::span::Span;

use super::SectionKind;

/// The definitions of a specification, in order. Its spans belong to the source map that was compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outline {
    /// The definitions.
    pub definitions: Vec<Definition>,
    /// The lines that pin numbers of opcodes, by names of opcodes.
    pub numbers: Vec<(String, Span)>,
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Definition {
    /// What it defines.
    pub kind: DefinitionKind,
    /// Its name.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// What it contains, in order of kinds.
    pub items: Vec<Item>,
}

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DefinitionKind {
    /// The instruction set.
    Isa,
    /// A register file.
    RegFile,
    /// A type of any kind.
    Type,
    /// A group.
    Group,
    /// An optype.
    Optype,
    /// An opcode.
    Opcode,
    /// An alias.
    Alias,
    /// What programs run in.
    Environment,
}

/// A statement or value of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// A number that tells items apart that replace each other in different generations.
    pub number: Option<i128>,
    /// Where it is.
    pub span: Span,
}

/// What a statement or value of a definition is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ItemKind {
    /// A field of a layer, its fixed value, or a part of a composite; with its name.
    Field(String),
    /// A value of a type; with its name, or the prefix of its registers.
    Value(String),
    /// A rule of a layer.
    Rule(Rule),
    /// A statement of a layer on operands.
    Statement(About),
    /// A section of prose.
    Section(SectionKind),
}

/// A rule as written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rule {
    /// The kind of error.
    pub kind: String,
    /// The message.
    pub message: String,
    /// The text from the sign before the condition to its end.
    pub condition: Span,
}

/// The subject of a statement on operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum About {
    /// The text before the operands.
    Mnemonic,
    /// Which operands there are, and how they are written.
    Operands,
    /// The order of modifiers.
    Modifiers,
    /// Reads and writes.
    Flow,
}
