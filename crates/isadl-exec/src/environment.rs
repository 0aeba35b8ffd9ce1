//! What surrounds a program: what the specification says about the registers that the machine keeps.

use std::collections::BTreeMap;

use isadl::isa::RegFileId;

/// Registers outside of files that are made of registers of files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    parts: BTreeMap<String, Vec<(RegFileId, u32)>>,
}

impl Kept {
    /// The registers that one is made of, the first at the top.
    pub(crate) fn parts(&self, name: &str) -> Option<&[(RegFileId, u32)]> {
        self.parts.get(name).map(Vec::as_slice)
    }

    pub(crate) fn insert(&mut self, name: &str, parts: Vec<(RegFileId, u32)>) {
        self.parts.insert(name.to_string(), parts);
    }
}
