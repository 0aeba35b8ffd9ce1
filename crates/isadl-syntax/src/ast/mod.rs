//! The syntax tree: the specification as written, with a span on every node and names as text.
//!
//! The stage between parsing and resolution. Invariant: every node's text is a slice of its source file, with two
//! exceptions: names that `__DefForms` makes, and the fences around comments of a table's rows. Names and values are
//! not checked yet.

mod bits;
mod broken;
mod environment;
mod expr;
mod file;
mod layer;
mod section;
mod types;
mod word;

pub use bits::{Bits, Notation, Range};
pub use broken::{Broken, BrokenDefinition, NameSpace, Words};
pub use environment::{
    Environment, EnvironmentRegister, EnvironmentStatement, EnvironmentStatementKind, RegisterPart,
    RegisterRange,
};
pub use expr::{Expr, ExprKind};
pub use file::{
    Definition, DefinitionKind, Detour, ELF_FACTS, ELF_MARKS, ElfFact, ElfMark, ExtensionSet, File,
    Implication, Isa, Placeholder, Requirement,
};
pub use isadl_base::vocabulary::{BinaryOp, Function, RuleScope, SectionKind, UnaryOp};
pub use layer::{
    Access, Binding, Field, Fix, Fixed, FixedTo, Indirect, Layer, Made, Match, Memory, Numbered,
    OperandRef, OperandStatement, OperandStatementKind, Reserved, ReservedKind, Rule, Treatment,
    Unstated, Value,
};
pub use section::Section;
pub use types::{
    BitFieldType, Composite, Enumerator, Immediate, Include, Number, NumberFormat, OperandEntry,
    OperandMeaning, OperandType, RegFile, RegisterRole, Relocation,
};
pub use word::{Condition, Guard, GuardRange, Ident, Int};
