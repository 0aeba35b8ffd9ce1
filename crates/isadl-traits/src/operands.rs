//! Operands of instructions, in types that all instruction sets share.

use core::fmt;

use crate::RegisterFile;

/// An operand of an instruction. `P` iterates over the parts of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Operand<P> {
    /// The name of its field; of a whole register file, the name of the file.
    pub name: &'static str,
    /// Whether the instruction reads it.
    pub is_read: bool,
    /// Whether the instruction writes it.
    pub is_written: bool,
    /// Bits of data in it; of memory, the most that are accessed. 0 if the specification does not say it.
    pub width: u16,
    /// Its value.
    pub value: Value<P>,
}

impl<P> Operand<P> {
    /// An operand that is neither read nor written.
    #[must_use]
    pub const fn new(name: &'static str, width: u16, value: Value<P>) -> Operand<P> {
        Operand { name, is_read: false, is_written: false, width, value }
    }

    /// The same operand with other accesses.
    #[must_use]
    pub fn accessed(self, is_read: bool, is_written: bool) -> Operand<P> {
        Operand { is_read, is_written, ..self }
    }
}

/// The value of an operand or of a part.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value<P> {
    /// Consecutive registers of a file.
    Registers {
        /// The file.
        file: RegisterFile,
        /// The number of the first.
        first: u32,
        /// How many, at least one.
        count: u32,
    },
    /// A register of a file whose number is in another register.
    Indirect {
        /// The file.
        file: RegisterFile,
        /// The file and number of the register with the number; `None` if the number is a constant.
        base: Option<(RegisterFile, u32)>,
        /// The number added to it.
        offset: i128,
    },
    /// A name among registers that reads as zeros or ones, and discards what is written.
    Constant {
        /// The file that it belongs to.
        file: RegisterFile,
        /// The name.
        name: &'static str,
        /// Whether it reads as ones.
        is_ones: bool,
    },
    /// A register outside of files, by its name.
    Special(&'static str),
    /// An integer, scaled and computed as it is written.
    Integer(i128),
    /// The distance to an address.
    Distance(i128),
    /// A floating-point number.
    Float {
        /// Its encoding.
        bits: u64,
        /// Bits of the exponent.
        exponent: u8,
        /// Bits of the fraction.
        fraction: u8,
    },
    /// Several numbers in one field: its bits.
    Packed(u64),
    /// A value that has a name, such as a condition or a kind of shift; empty if it is not written.
    Name(&'static str),
    /// Several parts with their names.
    Parts(P),
    /// Memory that is accessed, by the parts of its address.
    Memory(P),
}

impl<P: Iterator<Item = (&'static str, Value<P>)> + Clone> fmt::Display for Value<P> {
    /// Writes it alike for all instruction sets: `GPR[2:3]`, `-8`, `[base=GPR[2], offset=8]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Registers { file, first, count: 1 } => write!(f, "{file}[{first}]"),
            Value::Registers { file, first, count } => {
                write!(f, "{file}[{first}:{}]", first + (count - 1))
            }
            Value::Indirect { file, base: Some((own, number)), offset: 0 } => {
                write!(f, "{file}[{own}[{number}]]")
            }
            Value::Indirect { file, base: Some((own, number)), offset } => {
                write!(f, "{file}[{own}[{number}]{offset:+}]")
            }
            Value::Indirect { file, base: None, offset } => write!(f, "{file}[{offset}]"),
            Value::Constant { name, .. } | Value::Special(name) | Value::Name(name) => {
                f.write_str(name)
            }
            Value::Integer(value) => write!(f, "{value}"),
            Value::Distance(value) => write!(f, "{value:+}"),
            Value::Float { bits, exponent, fraction } => {
                write!(f, "float<{exponent}, {fraction}>({bits:#x})")
            }
            Value::Packed(bits) => write!(f, "{bits:#x}"),
            Value::Parts(parts) => write_parts(f, parts.clone(), ['(', ')']),
            Value::Memory(parts) => write_parts(f, parts.clone(), ['[', ']']),
        }
    }
}

fn write_parts<P: Iterator<Item = (&'static str, Value<P>)> + Clone>(
    f: &mut fmt::Formatter<'_>,
    parts: P,
    [open, close]: [char; 2],
) -> fmt::Result {
    write!(f, "{open}")?;
    for (at, (name, value)) in parts.enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        write!(f, "{comma}{name}={value}")?;
    }
    write!(f, "{close}")
}
