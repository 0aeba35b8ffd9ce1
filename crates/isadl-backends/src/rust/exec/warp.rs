//! The state of writing a program of several lanes.

use std::collections::BTreeSet;

use isadl_semantics::ir::ValueId;

/// The lanes that a loop runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Range {
    /// All of them. Nobody uses the values of lanes that take no part.
    All,
    /// Those that reach the loop.
    Here,
    /// Those that reach the loop and take part. The loop only computes.
    Computing,
    /// Those with a 1 in the variable `rest`.
    Rest,
    /// Those that reach the loop and take part. The loop may access the machine.
    Acting,
}

/// The state that only programs of several lanes have.
#[derive(Debug, Default)]
pub(super) struct Warp {
    /// The loop over lanes around the code.
    pub(super) range: Option<Range>,
    /// Values that are in an array with one element per lane.
    pub(super) saved: BTreeSet<ValueId>,
    /// Expressions that get a name before the loop.
    pub(super) hoisted: Vec<String>,
    /// An expression for the lane whose registers are read, if it is not the loop's.
    pub(super) other: Option<String>,
    /// Each lane computes the number of the register that it reads.
    pub(super) is_computed: bool,
    /// Only some lanes reach this place.
    pub(super) is_divided: bool,
    /// The number of loops around the code that all lanes run together.
    pub(super) loops: usize,
    /// The number of writes so far.
    pub(super) writes: usize,
}
