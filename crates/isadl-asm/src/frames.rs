//! How functions save registers, for unwinding: what `.cfi_…` directives say, before it is written.

use std::collections::HashMap;

use crate::symbols::FragmentOffset;
use crate::text::Loc;
use crate::tree::Expr;

/// What all functions of a machine have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameRules {
    /// Version of the table.
    pub(crate) version: u8,
    /// What distances between instructions are multiples of.
    pub(crate) code: u64,
    /// What offsets of saved registers are multiples of.
    pub(crate) data: i64,
    /// The register of the return address.
    pub(crate) return_register: u64,
    /// The register that is the address of the frame at first, with its offset if the table states it.
    pub(crate) first: (u64, Option<i64>),
}

/// A change of the rules within a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) place: FragmentOffset,
    pub(crate) bytes: Vec<u8>,
    /// Whether several functions may begin with it in common.
    pub(crate) is_rule: bool,
}

/// A pointer with its encoding.
pub(crate) type Encoded = (u8, Expr);

/// A function.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) start: FragmentOffset,
    pub(crate) end: Option<FragmentOffset>,
    /// Whether it begins without the common rule.
    pub(crate) is_simple: bool,
    pub(crate) is_signal: bool,
    /// Other letters of the augmentation.
    pub(crate) letters: String,
    pub(crate) personality: Option<Encoded>,
    pub(crate) lsda: Option<Encoded>,
    pub(crate) return_register: u64,
    pub(crate) steps: Vec<Step>,
    pub(crate) loc: Loc,
    /// The offset of the address of the frame, and the offsets that are remembered.
    pub(crate) offset: i64,
    pub(crate) remembered: Vec<i64>,
}

/// All functions of a file.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pub(crate) rules: Option<FrameRules>,
    /// Numbers of registers in tables for debuggers.
    pub(crate) registers: HashMap<String, u64>,
    pub(crate) all: Vec<Frame>,
    /// Whether a function is open.
    pub(crate) is_open: bool,
    /// The tables that are written, if not the usual one.
    pub(crate) sections: Option<Vec<String>>,
}
