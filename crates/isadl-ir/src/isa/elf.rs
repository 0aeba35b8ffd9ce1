//! Properties of an instruction set's object files.

use super::{ExtensionCondition, ExtensionSet};

/// ELF file facts, the instruction that fills gaps in code, and relaxations of out-of-range branches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Elf {
    /// The facts, by their names.
    pub facts: Vec<ElfFact>,
    /// The text of the instruction that fills gaps in code.
    pub padding: Option<String>,
    /// The names of symbols that mark where code begins and where data begins.
    pub marks: Option<[String; 2]>,
    /// Relaxations of branches that do not reach their targets.
    pub relaxations: Vec<Relaxation>,
}

/// A pair of inverse branches and the jump that replaces them when the target is out of range.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Relaxation {
    /// The names of the opcodes.
    pub opcodes: [String; 2],
    /// The text of the jump.
    pub jump: String,
}

/// A fact of ELF files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ElfFact {
    /// The subject of the fact: `machine`, `class`, `flags`, or a data relocation such as `abs32`.
    pub name: String,
    /// The number.
    pub value: u64,
    /// The extension sets to which the fact applies.
    pub requires: ExtensionCondition,
}

impl Elf {
    fn fact(&self, name: &str) -> Option<u64> {
        self.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value)
    }

    /// The number of the machine.
    pub fn machine(&self) -> Option<u16> {
        self.fact("machine").and_then(|number| u16::try_from(number).ok())
    }

    /// Bits of addresses: 32 or 64.
    pub fn class(&self) -> u32 {
        if self.fact("class") == Some(32) { 32 } else { 64 }
    }

    /// The flags of files for implementations with a set of extensions.
    pub fn flags(&self, set: ExtensionSet) -> u32 {
        let own = self.facts.iter().filter(|fact| fact.name == "flags" && fact.requires.holds(set));
        own.fold(0, |flags, fact| flags | fact.value as u32)
    }

    /// The number of the relocation of data, such as `abs32`.
    pub fn relocation(&self, name: &str) -> Option<u32> {
        self.fact(name).and_then(|number| u32::try_from(number).ok())
    }
}
