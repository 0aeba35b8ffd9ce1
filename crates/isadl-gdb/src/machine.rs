//! What a debugger does with a machine.

use std::collections::BTreeSet;

/// A machine with one thread of execution that a debugger can stop, look into and change.
///
/// The server calls it only between instructions.
pub trait Machine {
    /// The bytes of a register, the least significant first. Registers are numbered in the order of the
    /// [`Description`](crate::Description).
    fn read_register(&mut self, number: usize) -> Vec<u8>;

    /// Changes a register. There are as many bytes as its description says, the least significant first.
    fn write_register(&mut self, number: usize, bytes: &[u8]);

    /// The address of the next instruction.
    fn pc(&mut self) -> u64;

    /// Reads memory until `bytes` is full or an address cannot be read, and says how many bytes it read. The range
    /// does not wrap around.
    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> usize;

    /// Writes memory. It is `false` if some address cannot be written; it is best if nothing is written then. The range
    /// does not wrap around.
    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> bool;

    /// Executes one instruction. [`Event::Fuel`] says that nothing else happened.
    fn step(&mut self) -> Event;

    /// Executes until something happens, but at most `count` instructions; [`Event::Fuel`] if nothing did.
    ///
    /// It stops before each instruction at a breakpoint, also if that would be the first one: a debugger removes a
    /// breakpoint for as long as it wants to pass it. It stops after an instruction that touches what is watched.
    fn run(&mut self, stops: &Stops, count: u64) -> Event;
}

/// Where a machine that runs is to stop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stops {
    /// Addresses of instructions.
    pub breakpoints: BTreeSet<u64>,
    /// Watched ranges of memory; they may overlap.
    pub watched: Vec<Watch>,
}

/// A watched range of memory. It is not empty, and does not wrap around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watch {
    /// The first byte.
    pub address: u64,
    /// Bytes.
    pub length: u64,
    /// What the machine stops at.
    pub kind: WatchKind,
}

impl Watch {
    /// The first byte of an access that is watched, if there is one.
    pub fn touched(&self, address: u64, length: u64, writes: bool) -> Option<u64> {
        let kind = match self.kind {
            WatchKind::Read => !writes,
            WatchKind::Write => writes,
            WatchKind::Access => true,
        };
        let first = address.max(self.address);
        let inside = |start: u64, length: u64| first >= start && first - start < length;
        (kind && inside(address, length) && inside(self.address, self.length)).then_some(first)
    }
}

/// Which accesses are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes.
    Access,
}

/// Why a machine stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It executed as many instructions as it was allowed to.
    Fuel,
    /// The next instruction is at a breakpoint.
    Breakpoint,
    /// The last instruction touched what is watched.
    Watch {
        /// An address in the watched range, as debuggers find the watchpoint by it.
        address: u64,
        /// The kind of the watchpoint.
        kind: WatchKind,
        /// The address of the instruction that touched it.
        from: u64,
    },
    /// The program got a signal, by gdb's number: 4 for an illegal instruction, 5 for a trap, 11 for a wrong address.
    Signal(u8),
    /// The program ended with this status.
    Exited(u8),
}
