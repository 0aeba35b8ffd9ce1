//! Register files and types.

use super::expr::Expr;
use super::layer::Field;
use super::word::{Guard, Ident, Int};
use crate::span::Span;

/// A register file.
#[derive(Debug, Clone)]
pub struct RegFile {
    /// Bits in a register.
    pub width: Int,
    /// Number of registers.
    pub count: Int,
}

/// An enumeration.
#[derive(Debug, Clone)]
pub struct BitFieldType<'s> {
    /// Bits in a field of the type.
    pub width: Int,
    /// Its values in order.
    pub enumerators: Vec<Enumerator<'s>>,
    /// `else OTHER`: the types that values without a name are written as.
    pub others: Vec<Include<'s>>,
}

/// A value of an enumeration.
#[derive(Debug, Clone)]
pub struct Enumerator<'s> {
    /// Its name.
    pub name: Ident<'s>,
    /// Its value, if given.
    pub value: Option<Int>,
    /// How it is written in assembly, if that is not its name.
    pub spelling: Option<Ident<'s>>,
    /// `also a, b`: other words that are read as it.
    pub also: Vec<Ident<'s>>,
    /// The number format that the value selects.
    pub format: Option<NumberFormat>,
    /// The `///` lines before it.
    pub doc: Vec<&'s str>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// A mapping from field values to registers and constants.
#[derive(Debug, Clone)]
pub struct OperandType<'s> {
    /// Bits in a field of the type.
    pub width: Int,
    /// The mapping, in order.
    pub entries: Vec<OperandEntry<'s>>,
    /// `include OTHER`: the types whose entries it includes.
    pub includes: Vec<Include<'s>>,
    /// `else OTHER`: the types that values without a name are written as.
    pub others: Vec<Include<'s>>,
}

/// `include OTHER;` or `else OTHER;`
#[derive(Debug, Clone)]
pub struct Include<'s> {
    /// The other type.
    pub name: Ident<'s>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// One line of an operand type.
#[derive(Debug, Clone)]
pub struct OperandEntry<'s> {
    /// The whole statement.
    pub span: Span,
    /// The meaning of the values.
    pub meaning: OperandMeaning<'s>,
    /// The first field value.
    pub value: Int,
    /// The register file after the colon; for a constant also the word `none`.
    pub file: Option<Ident<'s>>,
    /// How it is written in assembly, if that is not its name.
    pub spelling: Option<Ident<'s>>,
    /// `also a, b[0..3]`: other names, [`OperandMeaning::Named`] or [`OperandMeaning::Run`].
    pub also: Vec<OperandMeaning<'s>>,
    /// `align n`: registers begin at multiples of a number.
    pub align: Option<Int>,
    /// `is a, b`: the register classes of the entry.
    pub classes: Vec<Ident<'s>>,
    /// The generations that have it.
    pub guard: Option<Box<Guard<'s>>>,
}

/// The meaning of an operand entry's values.
#[derive(Debug, Clone)]
pub enum OperandMeaning<'s> {
    /// `R[0..254]`: registers numbered from first to last, both included.
    Run {
        /// The prefix of their names.
        name: Ident<'s>,
        /// First number.
        first: Int,
        /// Last number.
        last: Int,
        /// `step n`: the distance from each number to the next.
        step: Option<Int>,
        /// `[10..17]` after the file: the numbers of the registers, first and last.
        registers: Option<(Int, Int)>,
    },
    /// `RZ = 255 : GPR zero`, `m0 = 124`, `NONE = 0 : none`: a single name.
    Named {
        /// The name.
        name: Ident<'s>,
        /// The word or index after the file's name.
        role: Option<RegisterRole>,
    },
    /// `const 0..64`: integers from first to last, both included, up or down.
    Integers {
        /// First integer.
        first: Int,
        /// Last integer.
        last: Int,
    },
    /// `const 0.5`: a floating-point constant, as written.
    Float(Ident<'s>),
    /// `literal`: the operand is a literal.
    Literal(Ident<'s>),
}

/// The role of a named register.
#[derive(Debug, Clone, Copy)]
pub enum RegisterRole {
    /// Reads as zero; writes are discarded.
    Zero,
    /// Reads as all ones (true); discards writes.
    One,
    /// The absence of a register or constant.
    Nothing,
    /// A register of the file, by number.
    Index(Int),
    /// Registers of the file from the first number to the last.
    Range(Int, Int),
}

/// How the bits of a number are read.
#[derive(Debug, Clone, Copy)]
pub struct NumberFormat {
    /// Its location.
    pub span: Span,
    /// The kind of number in a lane.
    pub number: Number,
    /// Number of lanes, side by side.
    pub lanes: Int,
}

/// A kind of number.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// Unsigned integer.
    Unsigned,
    /// Integer in two's complement.
    Signed,
    /// Sign, exponent and fraction.
    Float {
        /// Bits of the exponent.
        exponent: Int,
        /// Bits of the fraction.
        fraction: Int,
    },
}

/// A number in the instruction word.
#[derive(Debug, Clone)]
pub struct Immediate<'s> {
    /// Bits in a field of the type.
    pub width: Int,
    /// `Number = …`
    pub number: Option<NumberFormat>,
    /// `or …` after it.
    pub either: Option<NumberFormat>,
    /// `Print = …`
    pub print: Option<Ident<'s>>,
    /// `Scale = …`
    pub scale: Option<Int>,
    /// `Bias = …`
    pub bias: Option<Int>,
    /// `Value = …`
    pub value: Option<Box<Expr<'s>>>,
    /// `Canonical = …`
    pub canonical: Option<Ident<'s>>,
    /// `Except = …`
    pub except: Option<Expr<'s>>,
    /// The point that its values are distances from.
    pub relative: Option<Box<Expr<'s>>>,
    /// `Relocation<…>`, each.
    pub relocations: Vec<Relocation<'s>>,
    /// `Digits = …`
    pub digits: Option<Int>,
    /// `Prefix = "…"`
    pub prefix: Option<Ident<'s>>,
}

/// A relocation of values of an immediate.
#[derive(Debug, Clone)]
pub struct Relocation<'s> {
    /// `Relocation`
    pub keyword: Ident<'s>,
    /// How it is written in operands, if it is.
    pub name: Option<Ident<'s>>,
    /// Its number in object files.
    pub number: Int,
    /// The paired relocation at the written address, which determines the value.
    pub of: Option<Ident<'s>>,
    /// The relocated value.
    pub value: Option<Expr<'s>>,
}

/// An operand made of parts.
#[derive(Debug, Clone)]
pub struct Composite<'s> {
    /// Bits in a field of the type.
    pub width: Int,
    /// Its parts; only position, type and name are used.
    pub parts: Vec<Field<'s>>,
    /// `Format = "…"`
    pub format: Option<Ident<'s>>,
}
