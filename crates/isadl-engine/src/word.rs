//! The type of instruction words.

/// An instruction word; bit 0 is the least significant. In a generated crate it is `u32`, `u64` or
/// `u128`, the narrowest that holds the widest instruction.
pub type Word = u128;
