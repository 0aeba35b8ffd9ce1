//! Assembly by brute force: the inverse of printing.

use std::collections::HashMap;

use isadl::isa::Isa;

use super::{Verdict, decode, print, significant};

/// The words that each canonical text is printed for: all words of a small instruction set.
#[derive(Debug, Default)]
pub struct Readings {
    by_text: HashMap<String, Vec<u128>>,
}

impl Readings {
    /// The words below `end` that are legal, have no bits without meaning, and may be made.
    pub fn below(isa: &Isa, end: u128) -> Readings {
        let mut readings = Readings::default();
        (0..end).for_each(|word| {
            let Verdict::Legal { opcode, advice: None } = decode(isa, word) else { return };
            let opcode = &isa.opcodes()[opcode.index()];
            if significant(opcode, word) == word {
                readings.add(print(isa, opcode, word), word);
            }
        });
        readings
    }

    /// Adds a text of a word.
    pub fn add(&mut self, text: String, word: u128) {
        self.by_text.entry(text).or_default().push(word);
    }

    /// The words that are printed so.
    pub fn of(&self, text: &str) -> &[u128] {
        self.by_text.get(text).map_or(&[], Vec::as_slice)
    }
}
