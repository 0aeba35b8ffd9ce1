//! What was reported by the parser, as far as later stages must know of it: one slip is to give
//! one finding, so what a broken text would have said is not missed.
//!
//! Invariant: every word is a slice of its source file.

use std::collections::BTreeSet;

use crate::ast::Ident;

/// What is left of a definition whose header was reported. References to its name are to
/// something that exists but is not known.
#[derive(Debug, Clone)]
pub struct BrokenDefinition<'s> {
    /// Where its name belongs, if the keyword tells.
    pub space: Option<NameSpace>,
    /// The word where the name belongs, if there is one.
    pub name: Option<Ident<'s>>,
    /// The words of the header and of everything below it.
    pub words: Words<'s>,
}

/// Definitions whose names are apart from those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameSpace {
    /// The instruction set.
    Isa,
    /// Register files.
    RegFiles,
    /// Types of all kinds.
    Types,
    /// Groups, optypes and opcodes.
    Layers,
}

/// Words of texts that were reported: whatever they name may be meant there. A dotted name is
/// one word.
#[derive(Debug, Clone, Default)]
pub struct Words<'s>(BTreeSet<&'s str>);

impl<'s> Words<'s> {
    /// Adds the words of a text.
    pub fn add(&mut self, text: &'s str) {
        let is_sign = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.');
        self.0.extend(text.split(is_sign).map(|word| word.trim_matches('.')));
    }

    /// Whether a word is among them.
    pub fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// All of them, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &'s str> + '_ {
        self.0.iter().copied()
    }
}

/// The statements of a definition that were reported: they exist, but what they say is not
/// known.
#[derive(Debug, Clone, Default)]
pub struct Broken<'s> {
    keywords: BTreeSet<&'s str>,
    words: Words<'s>,
}

impl<'s> Broken<'s> {
    /// Adds a statement by its keyword and text.
    pub fn add(&mut self, keyword: &'s str, text: &'s str) {
        self.keywords.insert(keyword);
        self.words.add(text);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keywords.is_empty()
    }

    /// Whether one begins with `keyword`.
    pub fn has(&self, keyword: &str) -> bool {
        self.keywords.contains(keyword)
    }

    /// The words of all of them.
    pub fn words(&self) -> &Words<'s> {
        &self.words
    }
}
