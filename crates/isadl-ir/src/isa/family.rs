//! All generations of an instruction set; generations that are alike share one [`Isa`].

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Generations, Isa, Merged};

/// An instruction set in all its generations.
#[derive(Debug, Clone)]
pub struct Family {
    isas: Vec<Isa>,
    /// The instruction set that this is a part of.
    whole: Option<Arc<Family>>,
}

impl Family {
    /// A family of `isas`, which describe different generations, each once, in order.
    pub fn new(mut isas: Vec<Isa>) -> Option<Family> {
        let mut known: BTreeMap<String, Generations> = BTreeMap::new();
        for isa in isas.iter().filter(|_| isas.len() > 1) {
            for mnemonic in isa.opcodes.iter().flat_map(|opcode| isa.mnemonics(opcode)) {
                let generations = known.entry(mnemonic.text).or_default();
                *generations = generations.union(isa.describes);
            }
        }
        for isa in &mut isas {
            let is_elsewhere = |set: &Generations| !set.contains(isa.describes.first());
            let elsewhere = known.iter().filter(|(_, set)| is_elsewhere(set));
            isa.elsewhere = elsewhere.map(|(text, set)| (text.clone(), *set)).collect();
        }
        (!isas.is_empty()).then_some(Family { isas, whole: None })
    }

    /// The instruction set of each generation; a single entry if the generations do not differ.
    pub fn isas(&self) -> &[Isa] {
        &self.isas
    }

    /// The instruction set of the first generation.
    pub fn first(&self) -> &Isa {
        &self.isas[0]
    }

    pub(super) fn into_isas(self) -> Vec<Isa> {
        self.isas
    }

    /// Records the instruction set that this is a part of.
    pub(super) fn part_of(mut self, whole: Family) -> Family {
        self.whole = Some(whole.whole.clone().unwrap_or_else(|| Arc::new(whole)));
        self
    }

    /// The instruction set of the first generation.
    pub fn into_first(mut self) -> Isa {
        self.isas.swap_remove(0)
    }

    /// Names of the generations that are declared.
    pub fn generations(&self) -> &[String] {
        self.first().generations()
    }

    /// The instruction set of a generation.
    pub fn generation(&self, name: &str) -> Option<&Isa> {
        let index = self.generations().iter().position(|generation| generation == name)?;
        self.isas.iter().find(|isa| isa.describes.contains(index))
    }

    /// Merges all generations into one instruction set, for backends.
    pub fn merged(&self) -> Merged {
        Merged::of(&self.isas).part_of(self.whole.clone())
    }
}
