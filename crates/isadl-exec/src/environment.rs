//! Registers outside of files that are made of bits of registers of files.

use std::collections::BTreeMap;

use isadl::isa::RegisterPart;

/// What such registers are made of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    parts: BTreeMap<String, Vec<RegisterPart>>,
}

impl Kept {
    /// The bits that a register is made of, the highest first.
    pub(crate) fn parts(&self, name: &str) -> Option<&[RegisterPart]> {
        self.parts.get(name).map(Vec::as_slice)
    }

    pub(crate) fn insert(&mut self, name: &str, parts: Vec<RegisterPart>) {
        self.parts.insert(name.to_string(), parts);
    }
}
