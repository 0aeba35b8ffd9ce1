//! Objects as files.

mod elf;
mod groups;
mod hex;
mod listing;

pub use elf::elf;
pub use hex::intel_hex;
pub use listing::listing;

use crate::object::{Object, ObjectSection};

/// The memory between the first and the last section as a raw binary, with zeros between sections.
#[must_use]
pub fn raw(object: &Object) -> Vec<u8> {
    let sections = in_memory(object);
    let Some(first) = sections.first().map(|section| section.address) else { return Vec::new() };
    let mut bytes = Vec::new();
    for section in sections {
        bytes.resize((section.address - first) as usize, 0);
        bytes.extend_from_slice(&section.bytes);
    }
    bytes
}

/// The sections that have bytes in memory, by rising addresses.
fn in_memory(object: &Object) -> Vec<&ObjectSection> {
    let has_bytes = |section: &&ObjectSection| section.is_allocated() && !section.bytes.is_empty();
    let mut sections: Vec<&ObjectSection> = object.sections.iter().filter(has_bytes).collect();
    sections.sort_by_key(|section| section.address);
    sections
}
