//! The tables of flow of control: the classes of instructions, and the addresses in them.

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use core::fmt;

use super::rows::{Span, rows};

/// Where execution goes after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FlowControl {
    /// On to the next instruction.
    Next,
    /// To the target.
    Branch,
    /// To the target or on to the next instruction.
    Conditional,
    /// To the target, which will return to the next instruction.
    Call,
    /// Back to where a call was.
    Return,
    /// To an address that is not in the instruction.
    Indirect,
    /// To an address that is not in the instruction, which will return to the next instruction.
    IndirectCall,
    /// To the environment, which may return to the next instruction or not, as after a breakpoint.
    Trap,
    /// To the environment, which will return to the next instruction.
    SystemCall,
    /// To the environment, which will not return.
    Abort,
}

impl FlowControl {
    /// All of them.
    pub const ALL: [FlowControl; 10] = [
        FlowControl::Next,
        FlowControl::Branch,
        FlowControl::Conditional,
        FlowControl::Call,
        FlowControl::Return,
        FlowControl::Indirect,
        FlowControl::IndirectCall,
        FlowControl::Trap,
        FlowControl::SystemCall,
        FlowControl::Abort,
    ];

    /// Its name in specifications, such as `indirect_call`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FlowControl::Next => "next",
            FlowControl::Branch => "branch",
            FlowControl::Conditional => "conditional",
            FlowControl::Call => "call",
            FlowControl::Return => "return",
            FlowControl::Indirect => "indirect",
            FlowControl::IndirectCall => "indirect_call",
            FlowControl::Trap => "trap",
            FlowControl::SystemCall => "system_call",
            FlowControl::Abort => "abort",
        }
    }

    /// Whether it goes to the environment.
    #[must_use]
    pub const fn is_trap(self) -> bool {
        matches!(self, FlowControl::Trap | FlowControl::SystemCall | FlowControl::Abort)
    }

    /// Whether execution may later go on at the next instruction.
    #[must_use]
    pub const fn may_continue(self) -> bool {
        !matches!(
            self,
            FlowControl::Branch | FlowControl::Return | FlowControl::Indirect | FlowControl::Abort
        )
    }

    /// The class of a number.
    #[inline]
    pub(super) const fn of(number: u8) -> FlowControl {
        match number {
            1 => FlowControl::Branch,
            2 => FlowControl::Conditional,
            3 => FlowControl::Call,
            4 => FlowControl::Return,
            5 => FlowControl::Indirect,
            6 => FlowControl::IndirectCall,
            7 => FlowControl::Trap,
            8 => FlowControl::SystemCall,
            9 => FlowControl::Abort,
            _ => FlowControl::Next,
        }
    }
}

impl fmt::Display for FlowControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Flow of control, addresses in instructions, and relocations. In an instruction set without, all lists are empty.
#[derive(Debug, Clone, Copy)]
pub struct Controls<'a> {
    /// The classes of each row, in [`Controls::classes`]; no entries if no row has any.
    pub classes_of: &'a [Span],
    /// Lists of classes. The first class whose condition holds is the class of an instruction.
    pub classes: &'a [Class],
    /// The addresses of each row, in [`Controls::targets`]; no entries if no row has any.
    pub targets_of: &'a [Span],
    /// Addresses in lists, in the order of text.
    pub targets: &'a [Relative],
    /// The fields of each row that have relocations, in [`Controls::relocated`]; no entries if no row has any.
    pub relocated_of: &'a [Span],
    /// Such fields in lists, in the order of text.
    pub relocated: &'a [Relocated],
    /// Relocations, in lists by types.
    pub relocations: &'a [Relocation],
    /// Their names, one after another.
    pub relocation_names: &'a str,
}

impl Controls<'_> {
    /// No rows at all.
    pub const EMPTY: Controls<'static> = Controls {
        classes_of: &[],
        classes: &[],
        targets_of: &[],
        targets: &[],
        relocated_of: &[],
        relocated: &[],
        relocations: &[],
        relocation_names: "",
    };
}

/// The values of [`Relative::from`](struct@Relative): the address of the first byte of the instruction.
pub const START: u8 = 0;
/// The address of the byte after the instruction.
pub const NEXT: u8 = 1;
/// The address of the first byte that has a bit of the field.
pub const HERE: u8 = 2;

/// The values of [`Relocation::form`](struct@Relocation): not written; it applies to operands that are addresses.
pub const UNNAMED: u8 = 0;
/// Before an address in parentheses: `%hi(address)`.
pub const FUNCTION: u8 = 1;
/// Before an address: `:lo12:address`.
pub const BEFORE: u8 = 2;
/// After an address: `address@ha`.
pub const AFTER: u8 = 3;

rows! {
    /// A class with its condition.
    Class {
        /// The number of the class.
        class: u8,
        /// The condition; 0 if there is none.
        condition: u32,
    }

    /// A field that is a distance.
    Relative {
        /// Its lowest bit, or which field in pieces it is.
        lsb: u16,
        /// Its number of bits.
        width: u8,
        /// Whether its bits are in two's complement.
        is_signed: bool,
        /// The factor of the number.
        scale: i64,
        /// The summand, added after the multiplication.
        bias: i64,
        /// [`START`], [`NEXT`] or [`HERE`].
        from: u8,
        /// The number of the first byte of the instruction that has a bit of the field.
        here: u8,
        /// The first summand of the address that it is relative to.
        before: i64,
        /// The power of 2 to which the sum is then aligned downwards.
        align: u64,
        /// The last summand.
        after: i64,
    }

    /// A field that has relocations.
    Relocated {
        /// Its lowest bit, or which field in pieces it is.
        lsb: u16,
        /// Its number of bits.
        width: u8,
        /// Whether its bits are in two's complement.
        is_signed: bool,
        /// The factor of the number.
        scale: i64,
        /// The summand, added after the multiplication.
        bias: i64,
        /// Its row in [`Words::computed`](super::image::Words); 0 if it is not computed.
        computed: u16,
        /// The byte of the instruction at which object files record its relocations.
        offset: u8,
        /// Its relocations.
        list: Span,
    }

    /// A relocation.
    Relocation {
        /// [`UNNAMED`], [`FUNCTION`], [`BEFORE`] or [`AFTER`].
        form: u8,
        /// Its name in [`Controls::relocation_names`]: the first byte, and how many.
        name: Span,
        /// Its number in object files.
        number: u32,
        /// The expression that is its value; 0 if there is none.
        value: u32,
        /// Whether the value depends on the address of the instruction.
        is_relative: bool,
    }
}
