//! What the code of a program that several lanes do together is about, at a place of it.

use std::collections::BTreeSet;

use isadl_semantics::ir::ValueId;

/// The lanes that do a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Range {
    /// All, whether they take part or not: what is computed for others is not used.
    All,
    /// Those that come here.
    Here,
    /// Those that come here and take part, and that change nothing.
    Computing,
    /// Those whose bits are 1 in `rest`.
    Rest,
    /// Those that come here and take part; each may change what the machine has.
    Acting,
}

/// The state of writing what lanes do.
#[derive(Debug, Default)]
pub(super) struct Warp {
    /// The loop over lanes that the code is in.
    pub(super) range: Option<Range>,
    /// Values of which an array has those of all lanes.
    pub(super) saved: BTreeSet<ValueId>,
    /// Expressions with names in front of the loop.
    pub(super) hoisted: Vec<String>,
    /// The lane whose registers are read, if it is not that of the loop: an expression.
    pub(super) other: Option<String>,
    /// Lanes may read registers of different numbers here.
    pub(super) is_computed: bool,
    /// Only some lanes come here.
    pub(super) is_divided: bool,
    /// How many loops of all lanes the code is in.
    pub(super) loops: usize,
    /// How many writes wait for the end.
    pub(super) writes: usize,
}
