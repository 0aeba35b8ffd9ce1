//! The text of a random instruction set while it is written.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::opcodes::Opcode;
use super::types::Type;
use crate::Random;

/// The specification of a random instruction set.
#[derive(Debug, Clone)]
pub struct Specification {
    /// Its text.
    pub text: String,
    /// The features of the language that it uses.
    pub features: BTreeSet<&'static str>,
    /// Bits in its widest instructions.
    pub width: u32,
}

/// The text written so far.
pub(super) struct Draft {
    pub(super) random: Random,
    pub(super) text: String,
    pub(super) features: BTreeSet<&'static str>,
    pub(super) types: Vec<Type>,
    /// The features of the type that is being written.
    pub(super) of_type: Vec<&'static str>,
    pub(super) is_words: bool,
    /// Bits in the widest instructions.
    pub(super) width: u32,
    /// Whether opcodes share bits and rules contradict each other on purpose, so that most sets are refused.
    pub(super) is_contested: bool,
    /// Those that others may be special cases of.
    pub(super) opcodes: Vec<Opcode>,
    /// How many aliases there are.
    pub(super) count: usize,
}

/// A random specification: most have words of 8 bits, others of 8 and 16.
pub fn specification(seed: u64) -> Specification {
    drafted(seed, false)
}

/// A random specification in which opcodes share bits, and rules overlap, contradict and imply each other. Most of
/// these specifications are refused.
pub fn contested(seed: u64) -> Specification {
    drafted(seed, true)
}

fn drafted(seed: u64, is_contested: bool) -> Specification {
    // Seeds that are close must not give sets that are alike.
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let is_words = random.below(3) == 0;
    let width = if random.below(12) == 0 { 16 } else { 8 };
    let mut draft = Draft {
        random,
        text: String::new(),
        features: BTreeSet::new(),
        types: Vec::new(),
        of_type: Vec::new(),
        is_words,
        width,
        is_contested,
        opcodes: Vec::new(),
        count: 0,
    };
    draft.has(if is_words { "modifiers as words" } else { "modifiers with dots" });
    let _ = writeln!(draft.text, "__DefIsa R<{width}>");
    if is_words {
        draft.text += "    Modifiers = words;\n";
    }
    // Decided without a random number, so that the sets stay the same as before name sets existed.
    let name_sets =
        ["", "", "    NameSets<first, second>;\n", "    NameSets<one, two, three, four>;\n"];
    let name_sets = name_sets[seed as usize % name_sets.len()];
    if !name_sets.is_empty() {
        draft.has("sets of names");
        draft.text += name_sets;
    }
    if seed % 6 == 5 {
        draft.has("no ranges");
        draft.text += "    Ranges = off;\n";
    }
    if seed % 7 == 3 {
        draft.has("any case");
        draft.text += "    Case = insensitive;\n";
    }
    draft.text += "\n";
    draft.types();
    draft.text += "__DefImmediate Code<2>\n    Number = unsigned;\n\n";
    if width == 16 {
        draft.has("several widths");
        draft.text += "__DefImmediate Tail<3>\n    Number = unsigned;\n\n";
    }
    draft.text += "__DefGroup ALL : []\n\n__DefGroup NARROW<8> : [ALL]\n\n";
    draft.text += "__DefGroup SUFFIX : [ALL]\n  __OperandInfo\n    Suffix<\"_s\">;\n\n";
    draft.all_opcodes();
    // Decided without a random number, for the same reason.
    if seed % 5 == 4 {
        draft.has("highest byte and bit first");
        draft.text = super::mirrored(&draft.text);
    }
    Specification { text: draft.text, features: draft.features, width }
}

impl Draft {
    /// Notes that the set has something.
    pub(super) fn has(&mut self, feature: &'static str) {
        self.features.insert(feature);
    }

    /// Whether something is so, once in `of` times.
    pub(super) fn chance(&mut self, of: u64) -> bool {
        self.random.below(of) == 0
    }

    /// One of a list, which is not empty.
    pub(super) fn one<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.random.below(list.len() as u64) as usize]
    }
}
