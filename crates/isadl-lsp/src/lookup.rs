//! Uses of names: how they are looked up.

use std::ops::Range;

/// How a name is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lookup {
    Type,
    RegFile,
    Layer,
    Condition,
    /// A field of the definition, or else a register file.
    Field,
    /// A field, or a value of the type of the field with this name.
    FieldOrValue(String),
    /// A value of the type with this name.
    ValueOf(String),
    /// A field of the layer with this name.
    FieldOf(String),
    /// A field, or a value of the type of a field of another layer: the names of that layer and field.
    FieldOrValueOf(String, String),
    /// Any field of this name.
    AnyField,
    /// A trap or memory that some program declares.
    Declared,
    /// A register that the machine keeps: a value of some type, or what a program declares.
    Kept,
    /// An excluded form: the position of its pattern, and the entries that it would be made of.
    Excepted {
        pattern: Range<usize>,
        entries: Vec<String>,
    },
    /// In a program: a value or place. If the program binds the name, the definition.
    Value(Option<usize>),
    /// In a program: a value of the type of the field with this name, or any value.
    Compared(String, Option<usize>),
    /// In a program: a value of the type that a part has; the names of the operand and the part.
    ComparedPart(String, String),
    /// In a program: a part of the operand with this name, or of those that a placeholder with this name stands for.
    Part(String),
    /// In a program: a function of a layer.
    Function,
    /// In a program: a trap.
    Trap,
    /// In a program: a register file, or a view.
    FileOrView,
    /// In a program: a declared name that is also the name of a type; the number is the definition's.
    StateOfType(usize),
}

/// A use of a name.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) lookup: Lookup,
    /// The definition in this file that contains it.
    pub(crate) owner: Option<usize>,
    /// The program that it is in, an index among those of the file.
    pub(crate) program: Option<usize>,
}
