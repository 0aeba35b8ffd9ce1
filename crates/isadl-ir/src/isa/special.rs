//! Special cases: opcodes that match some of the words of a more general opcode.
//!
//! Invariant: in an instruction set without errors, two opcodes that share a word are nested. The opcodes that are more
//! general than a given opcode therefore form a chain.

use std::collections::HashMap;

use super::{ExtensionCondition, Opcode, OpcodeId};

/// An opcode that fixes all bits that a more general opcode fixes, with the same values, and more. It matches every
/// word that has its fixed bits.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpecialCase {
    /// Its name.
    pub name: String,
    /// The fixed bits; a wider opcode also fixes bits beyond the general opcode.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// The width of its instructions in bits.
    pub width: u32,
    /// The sets of extensions that have it.
    pub requires: ExtensionCondition,
    /// Whether it is in the instruction set, not left out by a selection.
    pub is_present: bool,
}

impl SpecialCase {
    /// Whether it matches a word.
    pub fn takes(&self, word: u128) -> bool {
        word & self.mask == self.value
    }

    /// Whether an instruction with the bits `width_mask` belongs to the special case, or is the start of its word.
    pub fn begins_with(&self, word: u128, width_mask: u128) -> bool {
        (word ^ self.value) & self.mask & width_mask == 0
    }
}

/// The special cases of each opcode. Special cases that need no bits beyond the opcode come first, then those with the
/// most fixed bits; ties keep their order.
fn special_cases(opcodes: &[Opcode]) -> Vec<Vec<OpcodeId>> {
    let mut by_bits: HashMap<(u128, u128), Vec<usize>> = HashMap::new();
    for (index, opcode) in opcodes.iter().enumerate() {
        by_bits.entry((opcode.mask, opcode.value)).or_default().push(index);
    }
    // An opcode without fixed bits is a separate error.
    let mut masks: Vec<u128> = by_bits.keys().map(|(mask, _)| *mask).filter(|m| *m != 0).collect();
    masks.sort_unstable();
    masks.dedup();
    let mut cases: Vec<Vec<OpcodeId>> = vec![Vec::new(); opcodes.len()];
    // An opcode with `Match` does not take all words with its bits.
    for (index, opcode) in opcodes.iter().enumerate().filter(|(_, opcode)| !opcode.has_match) {
        for mask in masks.iter().filter(|mask| is_within(**mask, opcode.mask)) {
            let general = by_bits.get(&(*mask, opcode.value & mask));
            for general in general.into_iter().flatten() {
                cases[*general].push(OpcodeId(index as u32));
            }
        }
    }
    for (list, general) in cases.iter_mut().zip(opcodes) {
        list.sort_by_key(|id| {
            let mask = opcodes[id.index()].mask;
            let needs_more = mask & !general.width_mask != 0;
            (needs_more, std::cmp::Reverse(mask.count_ones()), *id)
        });
    }
    cases
}

/// Whether `special` is a special case of `general`, given that they share a word.
pub fn is_special_case(special: &Opcode, general: &Opcode) -> bool {
    !special.has_match && fixes_more(special, general)
}

/// Whether `special` fixes all bits that `general` fixes, and more, given that they share a word.
pub fn fixes_more(special: &Opcode, general: &Opcode) -> bool {
    is_within(general.mask, special.mask)
}

fn is_within(mask: u128, other: u128) -> bool {
    mask & other == mask && mask != other
}

/// Fills in the special cases of all opcodes.
pub fn fill_in(opcodes: &mut [Opcode]) {
    let cases = special_cases(opcodes);
    let case = |id: &OpcodeId| {
        let opcode = &opcodes[id.index()];
        SpecialCase {
            name: opcode.name.clone(),
            mask: opcode.mask,
            value: opcode.value,
            width: opcode.width,
            requires: opcode.requires.clone(),
            is_present: true,
        }
    };
    let lists: Vec<Vec<SpecialCase>> =
        cases.iter().map(|list| list.iter().map(case).collect()).collect();
    opcodes.iter_mut().zip(lists).for_each(|(opcode, list)| opcode.special_cases = list);
}
