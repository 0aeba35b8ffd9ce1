//! The tables of reads and writes of instructions.

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use core::fmt;

use super::rows::{Pattern, Span, Width, rows};

/// What an instruction does to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

    /// Whether the previous value is overwritten completely.
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
    /// The number of the flow of each row; the first stands for no row.
    pub of_row: &'a [u32],
    /// Flows; the first reads and writes nothing.
    pub flows: &'a [Flow],
    /// Items, in lists.
    pub items: &'a [Item],
    /// Fields whose values are looked up.
    pub lookups: &'a [Lookup],
    /// The runs of values in these fields.
    pub runs: &'a [Run],
    /// The words whose guard is always true.
    pub guards: &'a [Pattern],
    /// How many earlier items may be the same use as an item, except for [`Item::is_compared`](struct@Item) items; at
    /// most [`MAX_REACH`].
    pub reach: u8,
    /// The maximum number of uses of an instruction.
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

/// The maximum number of items that are remembered to detect equal uses.
pub const MAX_REACH: usize = 4;

/// Kinds of [`Item`](struct@Item)s: the values of a field are one run of consecutive registers.
pub const PLAIN: u8 = 0;
/// Every bit of the field stands for a register.
pub const MASK: u8 = 1;
/// Like [`PLAIN`], but not registers.
pub const OTHER: u8 = 2;
/// The values of the field are looked up.
pub const LOOKED_UP: u8 = 3;
/// A condition: unless it holds, the next [`Item::count`](struct@Item) items are skipped. The number of its expression
/// is in [`Item::uses`](struct@Item).
pub const WHEN: u8 = 4;

/// Kinds of resources: registers.
pub const REGISTERS: u8 = 0;
/// Some register of a file.
pub const UNKNOWN: u8 = 1;
/// A special register.
pub const SPECIAL: u8 = 2;
/// A memory location.
pub const MEMORY: u8 = 3;
/// A memory location that has more bits than a packed use.
pub const WIDE_MEMORY: u8 = 4;

/// Where the number of registers begins in a packed use. Below it is the number of the first register, or the 32-bit
/// value of a memory location.
pub const COUNT: u32 = 16;
/// Where the owner of a resource begins: the number of the register file, the special register or the type of a memory
/// location; 26 bits.
pub const OF: u32 = 32;
/// Where the effect begins.
pub const EFFECT: u32 = 58;
/// Where the kind of the resource begins.
pub const KIND: u32 = 61;

rows! {
    /// What a row reads and writes.
    Flow {
        /// The words whose optional fields have their defaults, if these name nothing and the guard forbids nothing.
        /// For such words only a few items are examined.
        usual: Pattern,
        /// The items that matter in such a word.
        usual_items: Span,
        /// The items; empty if every word is such a word.
        items: Span,
        /// The words that the guard does not forbid for certain, in [`Flows::guards`].
        guards: Span,
    }

    /// Something that an instruction reads or writes.
    Item {
        /// The packed use by the value 0, without and with a guard that may forbid the instruction. The field's value
        /// is added to it. For [`LOOKED_UP`], the number in [`Flows::lookups`] replaces registers.
        uses: [u64; 2],
        /// The bits of the field, as ones.
        mask: u32,
        /// The first value that stands for registers, for a [`PLAIN`] item.
        first: u32,
        /// The number of such values minus 1.
        more: u32,
        /// The register file.
        file: u32,
        /// The number of registers of the data; for a condition, the number of items that need it.
        count: u16,
        /// The effects of the two uses.
        effects: [Effect; 2],
        /// The lowest bit of the field, which does not cross bit 64.
        lsb: u8,
        /// [`PLAIN`], [`MASK`], [`OTHER`], [`LOOKED_UP`] or [`WHEN`].
        kind: u8,
        /// Whether it must be compared with uses that are no longer remembered.
        is_compared: bool,
    }

    /// A field whose values are looked up.
    Lookup {
        /// The lowest bit of the field, or the number of a field in pieces.
        lsb: u16,
        /// Its number of bits.
        width: u8,
        /// The runs of its values, in [`Flows::runs`].
        runs: Span,
        /// Bits of data in the operand, if they depend on other fields. Otherwise [`Run::registers`](struct@Run) counts
        /// registers.
        data: Width,
    }

    /// Values of a field that stand for consecutive resources.
    Run {
        /// The first value.
        value: u64,
        /// The number of values minus 1.
        more: u64,
        /// The kind of the resources.
        kind: u8,
        /// The owner of the resources, as at [`OF`].
        of: u32,
        /// The alignment of register numbers.
        align: u32,
        /// The number of the first register.
        number: u16,
        /// Registers of the file.
        limit: u16,
        /// The number of registers of the data; bits per register, if the width depends on other fields.
        registers: u16,
    }
}
