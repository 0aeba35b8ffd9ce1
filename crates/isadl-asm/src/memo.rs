//! Lines that were instructions without names, or calls of macros that made such: the same text is the same bytes again.
//!
//! Code repeats itself, and comparing a line is far cheaper than parsing it. A table of fixed size has the last lines.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// Lines that are kept; a power of 2.
const LINES: usize = 1 << 13;

/// Longest line that is kept, in bytes.
const TEXT: usize = 46;

/// Limit on the bytes of a kept instruction.
const BYTES: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The state in which the line was read; lines of other ages are forgotten.
    age: u64,
    length: u8,
    text: [u8; TEXT],
    size: u8,
    bytes: [u8; BYTES],
}

const EMPTY: Slot = Slot { age: 0, length: 0, text: [0; TEXT], size: 0, bytes: [0; BYTES] };

/// The lines that are kept.
#[derive(Debug)]
pub(crate) struct Memo {
    slots: Vec<Slot>,
    hasher: RandomState,
}

impl Memo {
    pub(crate) fn new() -> Memo {
        Memo { slots: vec![EMPTY; LINES], hasher: RandomState::default() }
    }

    /// Whether a line is short enough.
    pub(crate) fn may_keep(line: &str) -> bool {
        line.len() <= TEXT
    }

    fn at(&self, line: &str) -> usize {
        self.hasher.hash_one(line.as_bytes()) as usize % LINES
    }

    /// The bytes of a line of an age, if it is kept.
    #[inline]
    pub(crate) fn find(&self, line: &str, age: u64) -> Option<&[u8]> {
        if !Memo::may_keep(line) {
            return None;
        }
        let slot = &self.slots[self.at(line)];
        let is_found = slot.age == age && slot.text[..slot.length.into()] == *line.as_bytes();
        is_found.then(|| &slot.bytes[..slot.size.into()])
    }

    /// Keeps a line. Ages begin with 1.
    pub(crate) fn keep(&mut self, line: &str, bytes: &[u8], age: u64) {
        if bytes.is_empty() || !Memo::may_keep(line) || bytes.len() > BYTES {
            return;
        }
        let at = self.at(line);
        let slot = &mut self.slots[at];
        (slot.age, slot.length, slot.size) = (age, line.len() as u8, bytes.len() as u8);
        slot.text[..line.len()].copy_from_slice(line.as_bytes());
        slot.bytes[..bytes.len()].copy_from_slice(bytes);
    }
}
