//! The tables of what instructions read and write.

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use core::fmt;

use super::rows::{Pattern, Span, Width, rows};

/// What an instruction does to a resource.
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
    #[inline]
    #[must_use]
    pub const fn reads(self) -> bool {
        !matches!(self, Effect::Write | Effect::ConditionalWrite)
    }

    /// Whether it may be written.
    #[inline]
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Effect::Read | Effect::ConditionalRead)
    }

    /// Whether nothing of what was there before is left.
    #[inline]
    #[must_use]
    pub const fn overwrites(self) -> bool {
        matches!(self, Effect::Write | Effect::ReadWrite)
    }

    /// What it is in words, such as `conditional write`.
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

    /// The effect of a number.
    #[inline(always)]
    pub(super) const fn of(number: u64) -> Effect {
        match number {
            0 => Effect::Read,
            1 => Effect::ConditionalRead,
            2 => Effect::Write,
            3 => Effect::ConditionalWrite,
            4 => Effect::ReadWrite,
            _ => Effect::ReadConditionalWrite,
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

pub use Effect::{ConditionalRead, ConditionalWrite, Read, ReadConditionalWrite, ReadWrite, Write};

/// What instructions read and write.
#[derive(Debug, Clone, Copy)]
pub struct Flows<'a> {
    /// The number of the flow of each row; the first is that of no row.
    pub of_row: &'a [u32],
    /// Flows; the first is that of instructions that read and write nothing.
    pub flows: &'a [Flow],
    /// Items, in lists.
    pub items: &'a [Item],
    /// Fields whose values are looked up.
    pub lookups: &'a [Lookup],
    /// The runs of values in these fields.
    pub runs: &'a [Run],
    /// The words whose guard is always true.
    pub guards: &'a [Pattern],
    /// How many items before one may be the same use, but for those that are
    /// [`Item::is_compared`](struct@Item); at most [`MAX_REACH`].
    pub reach: u8,
    /// Most uses of an instruction.
    pub room: u32,
    /// Whether some item is of the kind [`MASK`].
    pub has_masks: bool,
    /// Whether some item is [`OTHER`], [`LOOKED_UP`] or [`WHEN`].
    pub has_others: bool,
    /// Whether some item is [`WHEN`].
    pub has_conditions: bool,
    /// Whether some item is [`Item::is_compared`](struct@Item).
    pub has_compared: bool,
    /// Whether some resource is of the kind [`UNKNOWN`].
    pub has_unknown: bool,
    /// Whether some resource is of the kind [`SPECIAL`].
    pub has_special: bool,
    /// Whether some resource is of the kind [`MEMORY`].
    pub has_memory: bool,
    /// Whether some resource is of the kind [`WIDE_MEMORY`].
    pub has_wide_memory: bool,
}

impl Flows<'_> {
    /// No rows at all.
    pub const EMPTY: Flows<'static> = Flows {
        of_row: &[],
        flows: &[],
        items: &[],
        lookups: &[],
        runs: &[],
        guards: &[],
        reach: 0,
        room: 0,
        has_masks: false,
        has_others: false,
        has_conditions: false,
        has_compared: false,
        has_unknown: false,
        has_special: false,
        has_memory: false,
        has_wide_memory: false,
    };
}

/// Most items that are remembered to find out that one is the same use.
pub const MAX_REACH: usize = 4;

/// Kinds of [`Item`](struct@Item)s: the values of a field are one run, and each stands for the register, or the
/// registers, after that of the value before it.
pub const PLAIN: u8 = 0;
/// Every bit of the field stands for a register.
pub const MASK: u8 = 1;
/// As [`PLAIN`], but not registers.
pub const OTHER: u8 = 2;
/// The values of the field are looked up.
pub const LOOKED_UP: u8 = 3;
/// A condition: unless it holds, the items after it are left out, as many as [`Item::count`](struct@Item) says. The
/// number of its expression is in [`Item::uses`](struct@Item).
pub const WHEN: u8 = 4;

/// Kinds of resources: registers.
pub const REGISTERS: u8 = 0;
/// Some register of a file.
pub const UNKNOWN: u8 = 1;
/// A special register.
pub const SPECIAL: u8 = 2;
/// A place in memory.
pub const MEMORY: u8 = 3;
/// A place in memory, in more bits than a packed use has room for.
pub const WIDE_MEMORY: u8 = 4;

/// Where the number of registers begins in a packed use. Below it is the number of the first; of a
/// place in memory its value is there, in 32 bits.
pub const COUNT: u32 = 16;
/// Where the number begins of what a resource is of: of the register file, of the special register
/// or of the type of a place in memory; 26 bits.
pub const OF: u32 = 32;
/// Where the effect begins.
pub const EFFECT: u32 = 58;
/// Where the kind of the resource begins.
pub const KIND: u32 = 61;

rows! {
    /// What a row reads and writes.
    Flow {
        /// The words whose optional fields are as they are by default, where these name nothing and
        /// the guard forbids nothing: then only a few items are looked at.
        usual: Pattern,
        /// Those of the items that may be anything in such a word.
        usual_items: Span,
        /// The items; none if every word is usual.
        items: Span,
        /// The words that the guard does not forbid for certain, in [`Flows::guards`].
        guards: Span,
    }

    /// Something that an instruction reads or writes.
    Item {
        /// The use by the value 0, packed: in an instruction that its guard cannot forbid and in
        /// another. A value is added to it. If it is [`LOOKED_UP`], its number in
        /// [`Flows::lookups`] is in the place of registers.
        uses: [u64; 2],
        /// The bits of the field, as ones.
        mask: u32,
        /// The first value that stands for registers, of a [`PLAIN`] item; no value of another.
        first: u32,
        /// How many such values there are besides the first.
        more: u32,
        /// The register file.
        file: u32,
        /// Registers that the data takes; of a condition the items that need it.
        count: u16,
        /// The effects of the two uses.
        effects: [Effect; 2],
        /// The lowest bit of the field, which does not cross bit 64.
        lsb: u8,
        /// [`PLAIN`], [`MASK`], [`OTHER`], [`LOOKED_UP`] or [`WHEN`].
        kind: u8,
        /// Whether it may be the same use as one that is not remembered.
        is_compared: bool,
    }

    /// A field whose values are looked up.
    Lookup {
        /// The lowest bit of the field, or which field in pieces it is.
        lsb: u16,
        /// Its number of bits.
        width: u8,
        /// The runs of its values, in [`Flows::runs`].
        runs: Span,
        /// Bits of data in the operand, where they depend on other fields; registers are counted in
        /// [`Run::registers`](struct@Run) otherwise.
        data: Width,
    }

    /// Values of a field that stand for resources one after another.
    Run {
        /// The first value.
        value: u64,
        /// How many there are besides the first.
        more: u64,
        /// The kind of the resources.
        kind: u8,
        /// What they are of, as at [`OF`].
        of: u32,
        /// What numbers of registers are multiples of.
        align: u32,
        /// The number of the first register.
        number: u16,
        /// Registers of the file.
        limit: u16,
        /// Registers that hold the data; bits in one, where the width depends on other fields.
        registers: u16,
    }
}
