//! The names in statements of environments.

use super::{Collector, Space, Word};
use crate::lookup::Lookup;

impl<'t> Collector<'t> {
    /// Whether the current definition is an environment.
    pub(super) fn is_in_environment(&self) -> bool {
        self.current.is_some_and(|at| self.made.defs[at].space == Space::Environment)
    }

    /// Reads a statement of an environment after its first word.
    pub(super) fn environment(&mut self, keyword: &str, words: &[Word<'t>]) {
        let names = |words: &[Word<'t>]| -> Vec<Word<'t>> {
            words.iter().copied().filter(Word::is_name).collect()
        };
        match keyword {
            "Trap" | "Code" => {
                names(words).into_iter().for_each(|word| self.using(word, Lookup::Declared));
            }
            "Register" | "Initial" | "Counter" => {
                let value = words.iter().position(|word| word.text == "=").unwrap_or(words.len());
                let (kept, parts) = words.split_at(value);
                names(kept).into_iter().for_each(|word| self.using(word, Lookup::Kept));
                names(parts).into_iter().for_each(|word| self.using(word, Lookup::RegFile));
            }
            "Number" | "Arguments" | "Result" | "Stack" => {
                names(words).into_iter().for_each(|word| self.using(word, Lookup::RegFile));
            }
            "Call" => {
                let Some(name) = names(words).first().copied() else { return };
                let whole = name.start..words[words.len() - 1].span().end;
                self.define(Space::Field, name, ("call", whole), words);
            }
            _ => {}
        }
    }
}
