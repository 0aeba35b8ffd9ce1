//! The tables of what instructions read and write.

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use core::fmt;

use super::image::{Pattern, Span, Width, rows};

/// What instructions read and write.
#[derive(Debug, Clone, Copy)]
pub struct Flows<'a> {
    /// The number of the flow of each row; the first is that of no row.
    pub of_row: &'a [u16],
    /// Flows; the first is that of instructions that read and write nothing.
    pub flows: &'a [Flow],
    /// The numbers of items, in lists.
    pub lists: &'a [u32],
    /// Items.
    pub items: &'a [Item],
    /// Fields whose values are looked up.
    pub lookups: &'a [Lookup],
    /// The runs of values in these fields.
    pub runs: &'a [Run],
    /// The words whose guard is always true.
    pub guards: &'a [Pattern],
    /// How many items before one may be the same use, but for those that are
    /// [`Item::is_compared`]; at most [`MAX_REACH`].
    pub reach: u8,
    /// Most uses of an instruction.
    pub room: u32,
    /// Whether some item is not of the kind [`PLAIN`].
    pub has_masks: bool,
    /// Whether some item is of the kind [`LOOKED_UP`].
    pub has_lookups: bool,
    /// Whether some item is [`Item::is_compared`].
    pub has_compared: bool,
}

impl Flows<'_> {
    /// No rows at all.
    pub const EMPTY: Flows<'static> = Flows {
        of_row: &[],
        flows: &[],
        lists: &[],
        items: &[],
        lookups: &[],
        runs: &[],
        guards: &[],
        reach: 0,
        room: 0,
        has_masks: false,
        has_lookups: false,
        has_compared: false,
    };
}

/// Most items that are remembered to find out that one is the same use.
pub const MAX_REACH: usize = 4;

/// Kinds of [`Item`]s: the values of a field are one run, and each stands for the use after that of
/// the value before it.
pub const PLAIN: u8 = 0;
/// Every bit of the field stands for a register.
pub const MASK: u8 = 1;
/// The values of the field are looked up.
pub const LOOKED_UP: u8 = 2;

/// Kinds of resources, in [`Run::head`] and in packed uses: registers.
pub const REGISTERS: u32 = 0;
/// Some register of a file.
pub const UNKNOWN: u32 = 1;
/// A special register.
pub const SPECIAL: u32 = 2;
/// A place in memory.
pub const MEMORY: u32 = 3;
/// A place in memory, in more bits than a packed use has room for.
pub const WIDE_MEMORY: u32 = 4;

/// Where the effect begins in a packed use; below it is the kind of the resource.
pub const EFFECT: u32 = 3;
/// Where the number begins of what a resource is of: of the register file, of the special register
/// or of the type of a place in memory.
pub const OF: u32 = 16;
/// Where the number of the first register begins, or the value of a place in memory.
pub const VALUE: u32 = 32;
/// Where the number of registers begins.
pub const COUNT: u32 = 48;

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
        /// another. A value is added at [`VALUE`].
        uses: [u64; 2],
        /// The bits of the field, as ones.
        mask: u32,
        /// The first value that stands for a resource; for a [`LOOKED_UP`] field its number in
        /// [`Flows::lookups`].
        first: u32,
        /// How many such values there are besides the first.
        more: u32,
        /// The part of the word where the field is: from bit 0, 32 or 64 on.
        window: u8,
        /// The lowest bit of the field in this part.
        shift: u8,
        /// [`PLAIN`], [`MASK`] or [`LOOKED_UP`].
        kind: u8,
        /// Whether it may be the same use as one that is not remembered.
        is_compared: bool,
    }

    /// A field whose values are looked up.
    Lookup {
        /// The lowest bit of the field.
        lsb: u8,
        /// Its number of bits.
        width: u8,
        /// The runs of its values, in [`Flows::runs`].
        runs: Span,
        /// Bits of data in the operand, where they depend on other fields; registers are counted in
        /// [`Run::registers`] otherwise.
        data: Width,
    }

    /// Values of a field that stand for resources one after another.
    Run {
        /// The first value.
        value: u64,
        /// How many there are besides the first.
        more: u64,
        /// What the resources have in common: their kind, and what they are of.
        head: u32,
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
