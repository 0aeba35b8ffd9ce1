//! Registers outside of files that are made of bits of registers of files, or count instructions.

use std::collections::BTreeMap;

use isadl::isa::RegisterPart;

/// What such registers are made of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    parts: BTreeMap<String, Vec<RegisterPart>>,
    counters: BTreeMap<String, u64>,
}

impl Kept {
    /// The bits that a register is made of, the highest first.
    pub(crate) fn parts(&self, name: &str) -> Option<&[RegisterPart]> {
        self.parts.get(name).map(Vec::as_slice)
    }

    /// By how much a register grows with each instruction; 0 for others.
    pub(crate) fn step(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    pub(crate) fn count(&mut self, name: &str, step: u64) {
        self.counters.insert(name.to_string(), step);
    }

    pub(crate) fn insert(&mut self, name: &str, parts: Vec<RegisterPart>) {
        self.parts.insert(name.to_string(), parts);
    }
}
