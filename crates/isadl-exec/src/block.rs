//! Instructions that are executed one after the other.

use std::cell::Cell;

use crate::node::List;

/// No block.
pub(crate) const NONE: u32 = u32::MAX;

/// Instructions in a row, of which only the last may jump.
pub(crate) struct Block {
    pub(crate) nodes: List,
    /// The addresses of the instructions, and the one behind the last.
    pub(crate) addresses: Box<[u64]>,
    /// The number of instructions.
    pub(crate) count: u64,
    /// Behind the last.
    pub(crate) next: u64,
    /// Where the jump at the end goes.
    pub(crate) target: u64,
    /// The blocks at both, once they are known.
    pub(crate) fell: Cell<u32>,
    pub(crate) taken: Cell<u32>,
}

impl Block {
    pub(crate) fn new(nodes: List, addresses: Vec<u64>, target: Option<u64>) -> Block {
        let next = addresses.last().copied().unwrap_or(0);
        let target = target.unwrap_or(next);
        let (fell, taken) = (Cell::new(NONE), Cell::new(NONE));
        let count = (addresses.len() as u64).saturating_sub(1);
        Block { nodes, addresses: addresses.into(), count, next, target, fell, taken }
    }

    /// The address of the first instruction.
    pub(crate) fn first(&self) -> u64 {
        self.addresses[0]
    }
}
