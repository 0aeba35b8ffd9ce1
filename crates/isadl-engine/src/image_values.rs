//! The tables of what the bits of operands are: registers, numbers, names, parts.
//!
//! Types are numbered as in [`Operand::ty`](struct@super::image::Operand).

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use super::rows::{FieldPiece, Span, Width, rows};

/// What the values of types are.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// The types by their numbers; those that no operand leads to are names without entries.
    pub types: &'a [Type],
    /// Runs of values, in lists by rising value.
    pub entries: &'a [Entry],
    /// Numbers.
    pub numbers: &'a [Number],
    /// Parts, in lists.
    pub parts: &'a [Part],
    /// The pieces of parts.
    pub pieces: &'a [FieldPiece],
    /// Register files, by their numbers in [`Operand::file`](struct@super::image::Operand).
    pub files: &'a [File],
    /// Floating-point constants: their encodings with 16, 32 and 64 bits, one after another.
    pub floats: &'a [u64],
    /// For each row, the number of the name of the field of its literal plus 1, or 0. Empty if there are no literals.
    pub literals: &'a [u16],
    /// The slots of each row, in [`Values::slots`], beginning with row 0.
    pub slots_of: &'a [Span],
    /// What is left of an instruction without its opcode, in lists.
    pub slots: &'a [Slot],
    /// The accesses to memory of each row, in [`Values::accesses`], beginning with row 0.
    pub accesses_of: &'a [Span],
    /// Accesses whose widths are known, in lists.
    pub accesses: &'a [Access],
    /// All names, one after another.
    pub strings: &'a str,
    /// The end of each name in [`Values::strings`], where the next name begins. The first name is empty.
    pub names: &'a [u32],
}

impl<'a> Values<'a> {
    /// No types at all.
    pub const EMPTY: Values<'static> = Values {
        types: &[],
        entries: &[],
        numbers: &[],
        parts: &[],
        pieces: &[],
        files: &[],
        floats: &[],
        literals: &[],
        slots_of: &[],
        slots: &[],
        accesses_of: &[],
        accesses: &[],
        strings: "",
        names: &[0],
    };

    /// The name of a number.
    #[must_use]
    pub fn name(&self, number: u32) -> &'a str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.names[before]);
        self.strings.get(start as usize..self.names[number] as usize).unwrap_or_default()
    }
}

/// Kinds of [`Type`](struct@Type)s: runs of values, each with a meaning.
pub const ENTRIES: u8 = 0;
/// Numbers.
pub const NUMBER: u8 = 1;
/// Parts.
pub const PARTS: u8 = 2;
/// One part with text around it, which stands for the whole.
pub const ONLY_PART: u8 = 3;

/// Kinds of [`Entry`](struct@Entry)s: registers of the file `of` from `first` on.
pub const ENTRY_REGISTERS: u8 = 0;
/// The special register `of`.
pub const ENTRY_SPECIAL: u8 = 1;
/// The name `name` of the file `of`, which reads as zeros.
pub const ENTRY_ZEROS: u8 = 2;
/// The same, but as ones.
pub const ENTRY_ONES: u8 = 3;
/// Nothing but the name `name`.
pub const ENTRY_NAME: u8 = 4;
/// Integers from `first` on.
pub const ENTRY_INTEGERS: u8 = 5;
/// The floating-point constant whose encodings begin at `of` in [`Values::floats`], written as `name`.
pub const ENTRY_FLOAT: u8 = 6;
/// The value of the literal.
pub const ENTRY_LITERAL: u8 = 7;

/// Kinds of [`Number`](struct@Number)s: integers.
pub const INTEGER: u8 = 0;
/// Distances to addresses.
pub const DISTANCE: u8 = 1;
/// Floating-point numbers.
pub const FLOAT: u8 = 2;
/// Several numbers in one field.
pub const PACKED: u8 = 3;

/// Kinds of [`Slot`](struct@Slot)s: the number of a register; a constant has the number after the last register of its file, and one that
/// reads as ones the number after that.
pub const SLOT_REGISTER: u8 = 0;
/// Bits of the word.
pub const SLOT_BITS: u8 = 1;
/// A number.
pub const SLOT_NUMBER: u8 = 2;

rows! {
    /// What the values of a type are.
    Type {
        /// [`ENTRIES`], [`NUMBER`], [`PARTS`] or [`ONLY_PART`].
        kind: u8,
        /// Its entries, its number in [`Values::numbers`], or its parts.
        list: Span,
        /// The type of the values without an entry plus 1; 0 if there are none.
        others: u32,
    }

    /// Consecutive values.
    Entry {
        /// The kind, such as [`ENTRY_REGISTERS`].
        kind: u8,
        /// The first value.
        value: u64,
        /// The number of values minus 1.
        more: u64,
        /// The owner, as the kind says.
        of: u32,
        /// The name, as the kind says.
        name: u32,
        /// The number or integer of the first value.
        first: i64,
        /// The difference between the integers of consecutive values.
        step: i8,
        /// The alignment of register numbers.
        align: u32,
    }

    /// How the bits of a field are a number.
    Number {
        /// [`INTEGER`], [`DISTANCE`], [`FLOAT`] or [`PACKED`].
        kind: u8,
        /// The number of bits.
        width: u8,
        /// Whether integers are in two's complement.
        is_signed: bool,
        /// The factor.
        scale: i64,
        /// The summand, added after the multiplication.
        bias: i64,
        /// The row of computed numbers; 0 if the number is not computed.
        computed: u16,
        /// The bits of the exponent of a floating-point number.
        exponent: u8,
        /// The bits of its fraction.
        fraction: u8,
    }

    /// A part of a type.
    Part {
        /// Its name.
        name: u32,
        /// Its type.
        ty: u32,
        /// The pieces of its bits, in [`Values::pieces`].
        pieces: Span,
    }

    /// A field that is not made of others, or a part of one.
    Slot {
        /// Its name.
        name: u32,
        /// [`SLOT_REGISTER`], [`SLOT_BITS`] or [`SLOT_NUMBER`].
        kind: u8,
        /// Its lowest bit, or the number of a field in pieces.
        lsb: u16,
        /// Its number of bits.
        width: u8,
        /// The number of its type.
        ty: u16,
    }

    /// An access to the memory that a field addresses.
    Access {
        /// The lowest bit of the field, or the number of a field in pieces.
        lsb: u16,
        /// Its number of bits.
        width: u8,
        /// The number of its type.
        ty: u16,
        /// Whether memory is read.
        is_read: bool,
        /// Whether memory is written.
        is_written: bool,
        /// The expression that is not 0 in the words with this access; 0 if all words have it.
        condition: u32,
        /// Bits of data.
        data: Width,
    }

    /// A register file.
    File {
        /// The number in resources: files of the same name share it.
        number: u32,
        /// Bits in a register.
        width: u32,
        /// Registers.
        count: u32,
    }
}
