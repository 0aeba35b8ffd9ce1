//! What instructions change besides the slots, and why they do not end.

use std::collections::BTreeSet;

use crate::memory::{Fault, Memory};
use crate::slots::Slot;

/// Functions that the machine provides: `extern fn` in a specification.
pub trait Functions {
    /// The result of a function with a number of bits, 0 if none is wanted, in pieces of 64 bits, the lowest first. `None` if there is no such
    /// function.
    fn call(
        &mut self,
        name: &str,
        arguments: &[Vec<u64>],
        bits: u32,
        machine: &mut dyn Surroundings,
    ) -> Option<Vec<u64>>;
}

/// What a function of the machine may use.
pub trait Surroundings {
    /// A memory.
    fn memory(&mut self, number: usize) -> Option<&mut Memory>;
}

/// Everything but the slots.
pub(crate) struct Core {
    pub(crate) memory: Memory,
    pub(crate) others: Vec<Memory>,
    /// The number of the memory that has the instructions.
    pub(crate) code: usize,
    /// Where execution goes on.
    pub(crate) pc: u64,
    /// Whether what was executed has changed translated instructions, or there are too many.
    pub(crate) is_stale: bool,
    /// The instructions that ended, without those of the block that is executed.
    pub(crate) count: u64,
    /// Why it stopped, and the number of the instruction in its block.
    pub(crate) halted: Option<(Halt, Slot)>,
    /// The memory and address that a load has reserved.
    pub(crate) reserved: Option<(usize, u64)>,
    /// The branches of programs that were taken.
    pub(crate) taken: BTreeSet<Taken>,
    pub(crate) functions: Option<Box<dyn Functions>>,
    /// The accesses to memory that are noted.
    pub(crate) accesses: Option<Vec<Accessed>>,
    /// Turns of loops inside of instructions that are left.
    pub(crate) turns: u64,
    /// How many an instruction has.
    pub(crate) most_turns: u64,
    /// How many lanes there are, and which of them come to what is executed, as bits.
    pub(crate) lane_count: usize,
    pub(crate) lanes: u64,
}

/// The most turns of loops inside of an instruction.
pub(crate) const TURNS: u64 = 1 << 24;

/// Why execution ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The number of instructions was reached.
    Fuel,
    /// The instruction at [`crate::Machine::pc`] did not end.
    Halt {
        /// Why.
        halt: Halt,
        /// The address behind it.
        next: u64,
    },
}

/// Why an instruction did not end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// An access to memory that is not allowed.
    Fault {
        /// The number of the memory.
        memory: usize,
        /// Where, and what was tried.
        fault: Fault,
    },
    /// A trap of the program.
    Trap {
        /// Its name.
        name: String,
        /// The values that it reports, in pieces of 64 bits.
        arguments: Vec<Vec<u64>>,
    },
    /// Anything may happen.
    Unpredictable,
    /// It cannot be executed.
    Refused(Refusal),
    /// The machine has no such function.
    NoFunction(String),
    /// There is no such memory.
    NoMemory,
    /// A loop inside of the instruction takes too many turns.
    TooLong,
    /// Execution was to end here: see [`crate::Machine::set_ends`].
    End,
}

impl Core {
    pub(crate) fn memory_of(&self, number: usize) -> Option<&Memory> {
        match number {
            0 => Some(&self.memory),
            _ => self.others.get(number - 1),
        }
    }

    pub(crate) fn memory_of_mut(&mut self, number: usize) -> Option<&mut Memory> {
        match number {
            0 => Some(&mut self.memory),
            _ => self.others.get_mut(number - 1),
        }
    }

    /// Whether translated instructions may have changed.
    pub(crate) fn is_rewritten(&self) -> bool {
        self.memory_of(self.code).is_some_and(Memory::is_rewritten)
    }

    /// Calls a function of the machine.
    pub(crate) fn call(
        &mut self,
        name: &str,
        arguments: &[Vec<u64>],
        bits: u32,
    ) -> Option<Vec<u64>> {
        let mut functions = self.functions.take()?;
        let found = functions.call(name, arguments, bits, self);
        self.functions = Some(functions);
        found
    }

    /// Whether a loop may take another turn.
    pub(crate) fn turn(&mut self) -> bool {
        self.turns = self.turns.saturating_sub(1);
        self.turns > 0
    }
}

impl Surroundings for Core {
    fn memory(&mut self, number: usize) -> Option<&mut Memory> {
        self.memory_of_mut(number)
    }
}

/// An access to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accessed {
    /// The number of the memory.
    pub memory: usize,
    /// The first address.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Whether it is a store.
    pub is_store: bool,
}

/// A branch of a program that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taken {
    /// The number of the opcode.
    pub opcode: u32,
    /// The number of the program among those of the opcode.
    pub instance: u32,
    /// The number of the branch in the program, as in [`crate::Branch`].
    pub number: u32,
}

/// Why a word cannot be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is no instruction.
    Illegal,
    /// The opcode of this name has no program.
    NoProgram(String),
    /// The program of the opcode needs something that this executor does not have.
    Unsupported(String, String),
}
