//! What decides results besides operands, and the flags that operations raise.

use core::ops::{BitOr, BitOrAssign};

/// A rounding direction (section 4.3), or rounding to odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// The nearest number; of two, the one whose last bit is 0.
    #[default]
    NearestEven,
    /// The nearest number; of two, the one further from zero.
    NearestAway,
    /// The nearest number that is not further from zero.
    ToZero,
    /// The nearest number that is not less.
    Up,
    /// The nearest number that is not greater.
    Down,
    /// Towards zero; then the last bit becomes 1 if the result is inexact.
    ToOdd,
}

impl Rounding {
    /// All of them, in the order of their numbers.
    pub const ALL: [Rounding; 6] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::ToZero,
        Rounding::Up,
        Rounding::Down,
        Rounding::ToOdd,
    ];
}

/// Which NaN is the result of an operation on NaNs. Operands count in the order of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NanRule {
    /// Always the canonical one.
    #[default]
    Canonical,
    /// The first operand that is a NaN, made quiet.
    First,
    /// The first operand that is a signaling NaN, else the first that is a NaN, made quiet.
    SignalingFirst,
}

/// What becomes of results that would be subnormal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Flush {
    /// They stay.
    #[default]
    Kept,
    /// They become zero, underflow and inexact are raised.
    Inexact,
    /// They become zero, underflow alone is raised.
    UnderflowOnly,
}

/// The integer that a NaN is converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NotANumber {
    /// The largest.
    #[default]
    Largest,
    /// Zero.
    Zero,
    /// The least.
    Least,
}

/// Flags of exceptions (section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(u8);

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// The result is not exact.
    pub const INEXACT: Flags = Flags(1);
    /// The result is tiny and not exact.
    pub const UNDERFLOW: Flags = Flags(2);
    /// The result is too large.
    pub const OVERFLOW: Flags = Flags(4);
    /// A finite number was divided by zero.
    pub const DIVISION: Flags = Flags(8);
    /// The operation has no usable result.
    pub const INVALID: Flags = Flags(16);
    /// A subnormal operand was taken for zero.
    pub const SUBNORMAL: Flags = Flags(32);

    /// How many flags there are.
    pub const COUNT: u32 = 6;

    /// The flags as bits: inexact is bit 0, then underflow, overflow, division, invalid, subnormal.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether one of the given flags is raised.
    pub const fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 != 0
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// What decides results besides the operands. The default is what RISC-V does, rounding to nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Environment {
    /// How results are rounded.
    pub rounding: Rounding,
    /// Whether a result is tiny if it is so before rounding (section 7.5); else it is tiny if it is so after rounding.
    pub is_tiny_before: bool,
    /// Whether subnormal operands of arithmetic are taken for zero.
    pub flushes_operands: bool,
    /// What becomes of subnormal results.
    pub flush: Flush,
    /// Which NaN is the result.
    pub nan: NanRule,
    /// The canonical NaN has the sign bit.
    pub is_canonical_negative: bool,
    /// All bits of the canonical NaN's fraction are ones; else the highest alone.
    pub is_canonical_full: bool,
    /// The product of zero and infinity, plus a quiet NaN, is that NaN without a flag; else it is invalid.
    pub ignores_product: bool,
    /// The integer of a NaN.
    pub nan_integer: NotANumber,
    /// The flags that were raised, with those from before.
    pub flags: Flags,
}

impl Environment {
    #[inline(always)]
    pub(crate) fn raise(&mut self, flags: Flags) {
        self.flags |= flags;
    }
}
