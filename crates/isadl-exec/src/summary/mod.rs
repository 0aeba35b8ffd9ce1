//! What an instruction does, as expressions over what it reads: for tools that follow values and addresses through machine code.
//!
//! [`Spec::summary`] follows the program of the instruction with its word; what the word decides is computed, and registers stay names.
//! `docs/rust.md` has an example. Floating-point results and results of functions of the machine are not known.

mod build;
mod inverse;
mod terms;
mod text;

use isadl::isa::{Inst, RegisterNames};

use crate::spec::Spec;
use terms::Terms;
pub use terms::{Location, Source, Term};
pub use text::Shown;

/// What an instruction does.
///
/// Writes and accesses take place unless the instruction stops before them: see [`Summary::stops`].
#[derive(Debug, Clone)]
pub struct Summary {
    terms: Terms,
    writes: Vec<Write>,
    accesses: Vec<Access>,
    stops: Vec<Stop>,
    jumps: Vec<Jump>,
    next: Term,
    following: u64,
    is_complete: bool,
}

/// A location that an instruction changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The location.
    pub location: Location,
    /// What the whole of it is afterwards.
    pub value: Term,
}

/// An access to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The number of the memory, as in [`Spec::memories`].
    pub memory: usize,
    /// The first address, in bytes.
    pub address: Term,
    /// How many bits.
    pub bits: u32,
    /// What is stored; `None` for a load.
    pub stored: Option<Term>,
    /// When it takes place: 1 bit.
    pub condition: Term,
}

/// An instruction that does not end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The name of the trap; `None` if anything may happen.
    pub trap: Option<String>,
    /// When: 1 bit.
    pub condition: Term,
}

/// A change of the address where execution continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jump {
    /// The address.
    pub target: Term,
    /// When it is taken: 1 bit.
    pub condition: Term,
}

impl Spec {
    /// What an instruction at an address does; `None` if its opcode has no program.
    pub fn summary(&self, inst: Inst, address: u64) -> Option<Summary> {
        let (_, code) = self.code(inst)?;
        Some(build::summary(self.isa(), self.extensions(), code, (inst, address), Terms::default()))
    }
}

impl Summary {
    /// What it changes, each location once. A location that keeps its value is absent.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// Its accesses to memory, in the order of its program.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// When it stops instead.
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// Its jumps, in the order of its program; of several that are taken the last one counts.
    pub fn jumps(&self) -> &[Jump] {
        &self.jumps
    }

    /// Where execution continues.
    pub fn next(&self) -> Term {
        self.next
    }

    /// Whether everything is in the lists. They lack what a function of the machine does, loops, lanes that stop taking part, and
    /// registers whose numbers are computed.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether it has no effect but that execution continues behind it.
    pub fn is_nop(&self) -> bool {
        self.only_writes() && self.writes.is_empty()
    }

    /// The two locations, if all that it does is to copy the second into the first.
    pub fn copied(&self) -> Option<(&Location, &Location)> {
        let [write] = self.writes.as_slice() else { return None };
        match self.terms.sum(write.value)? {
            (Some(from), 0) if self.only_writes() => Some((&write.location, from)),
            _ => None,
        }
    }

    /// The constant that is added to a location, such as the stack pointer: 0 if it stays as it is, `None` if it becomes anything else, or
    /// the lists are not complete.
    pub fn added_to(&self, location: &Location) -> Option<i128> {
        if !self.is_complete {
            return None;
        }
        match self.writes.iter().find(|write| write.location == *location) {
            None => Some(0),
            Some(write) => match self.terms.sum(write.value)? {
                (Some(from), added) if from == location => Some(added),
                _ => None,
            },
        }
    }

    /// The value of a term, from the values of what it begins with; `None` if one of those is `None`, or the term is not known. The
    /// function may be asked for values that do not matter.
    pub fn evaluate(
        &self,
        term: Term,
        read: impl FnMut(Source<'_>) -> Option<u128>,
    ) -> Option<u128> {
        self.terms.evaluate(term, read)
    }

    /// The address of an access, by its number, from the values of what it begins with.
    pub fn effective_address(
        &self,
        access: usize,
        read: impl FnMut(Source<'_>) -> Option<u128>,
    ) -> Option<u64> {
        let value = self.evaluate(self.accesses.get(access)?.address, read)?;
        u64::try_from(value).ok()
    }

    /// The value of a term that is a constant.
    pub fn constant(&self, term: Term) -> Option<u128> {
        self.terms.value_of(term)
    }

    /// The number of bits of a term.
    pub fn width(&self, term: Term) -> u32 {
        self.terms.width(term)
    }

    /// A term as text, with names of registers.
    pub fn shown<'s>(&'s self, names: &'s RegisterNames<'s>, term: Term) -> Shown<'s> {
        Shown { summary: self, names, term }
    }

    /// Whether all that it does is to write locations.
    fn only_writes(&self) -> bool {
        let goes_on = self.constant(self.next) == Some(self.following.into());
        self.is_complete && self.accesses.is_empty() && self.stops.is_empty() && goes_on
    }
}
