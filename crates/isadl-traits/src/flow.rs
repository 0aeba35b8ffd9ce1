//! Reads and writes of instructions, in types that all instruction sets share.

use core::fmt;

/// A register file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterFile {
    number: u16,
    name: &'static str,
}

impl RegisterFile {
    /// The register file of a number and a name, which are its own in the instruction set.
    #[must_use]
    pub const fn new(number: u16, name: &'static str) -> RegisterFile {
        RegisterFile { number, name }
    }

    /// Its number: files are counted from 0.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.number
    }

    /// Its name in the specification.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl fmt::Display for RegisterFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// Something that instructions read and write. `M` is a place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Resource<M> {
    /// Consecutive registers of a file.
    Registers {
        /// The file.
        file: RegisterFile,
        /// Number of the first.
        first: u16,
        /// The number of registers, at least one.
        count: u16,
    },
    /// One register of the file, or some; the instruction does not say which.
    Unknown {
        /// The file.
        file: RegisterFile,
    },
    /// The special register of this name.
    Special(&'static str),
    /// Memory that a composite operand addresses, such as constant memory.
    Memory(M),
}

impl<M> Resource<M> {
    /// The register file of the resource, if any.
    #[must_use]
    pub fn file(&self) -> Option<RegisterFile> {
        match self {
            Resource::Registers { file, .. } | Resource::Unknown { file } => Some(*file),
            Resource::Special(_) | Resource::Memory(_) => None,
        }
    }

    /// The numbers of the registers that the resource certainly includes: the registers of a range, and none for any
    /// other resource.
    pub fn registers(&self) -> impl Iterator<Item = u16> + Clone + use<M> {
        let (first, count) = match self {
            Resource::Registers { first, count, .. } => (*first, *count),
            _ => (0, 0),
        };
        first..first.saturating_add(count)
    }

    /// Whether both resources can overlap. An unknown register can be any register of its file. Memory locations of the
    /// same type always can, because a resource does not include the number of bytes.
    #[must_use]
    pub fn overlaps(&self, other: &Resource<M>) -> bool {
        match (self, other) {
            (Resource::Memory(place), Resource::Memory(other)) => {
                core::mem::discriminant(place) == core::mem::discriminant(other)
            }
            (Resource::Special(name), Resource::Special(other)) => name == other,
            (
                Resource::Registers { file, first, count },
                Resource::Registers { file: other, first: other_first, count: other_count },
            ) => {
                let end = |first: &u16, count: &u16| u32::from(*first) + u32::from(*count);
                file == other
                    && u32::from(*first) < end(other_first, other_count)
                    && u32::from(*other_first) < end(first, count)
            }
            _ => self.file().is_some() && self.file() == other.file(),
        }
    }
}

impl<M: fmt::Display> fmt::Display for Resource<M> {
    /// Writes registers by their file, as `GPR[2:3]`, an unknown register as `some GPR`, and other resources by their
    /// names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Registers { file, first, count: 1 } => write!(f, "{file}[{first}]"),
            Resource::Registers { file, first, count } => {
                write!(f, "{file}[{first}:{}]", u32::from(*first) + u32::from(*count) - 1)
            }
            Resource::Unknown { file } => write!(f, "some {file}"),
            Resource::Special(name) => f.write_str(name),
            Resource::Memory(place) => place.fmt(f),
        }
    }
}

/// The effect of an instruction on a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Reads it.
    Read,
    /// Reads it, unless its guard forbids.
    ConditionalRead,
    /// Writes it.
    Write,
    /// Writes it, unless its guard forbids; or a part of it.
    ConditionalWrite,
    /// Reads and writes it.
    ReadWrite,
    /// Reads it, and writes it unless its guard forbids; or a part of it.
    ReadConditionalWrite,
}

impl Effect {
    /// Whether it may be read.
    #[must_use]
    pub const fn reads(self) -> bool {
        !matches!(self, Effect::Write | Effect::ConditionalWrite)
    }

    /// Whether it may be written.
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Effect::Read | Effect::ConditionalRead)
    }

    /// Whether the effect replaces the previous contents completely.
    #[must_use]
    pub const fn overwrites(self) -> bool {
        matches!(self, Effect::Write | Effect::ReadWrite)
    }

    /// The effect in words, such as `conditional write`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::ConditionalRead => "conditional read",
            Effect::Write => "write",
            Effect::ConditionalWrite => "conditional write",
            Effect::ReadWrite => "read and write",
            Effect::ReadConditionalWrite => "read and conditional write",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The effect of an instruction on one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use<M> {
    /// The resource.
    pub resource: Resource<M>,
    /// The effect.
    pub effect: Effect,
}

impl<M: fmt::Display> fmt::Display for Use<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.effect, self.resource)
    }
}
