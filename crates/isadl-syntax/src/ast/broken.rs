//! Text that the parser reported, as far as later stages need to know it. One mistake should cause one finding, so
//! items that a broken text may define are not reported as missing.
//!
//! Invariant: every word is a slice of its source file.

use std::collections::BTreeSet;

use super::word::Ident;

/// The remains of a definition whose header was reported. References to its name refer to
/// something that exists but is unknown.
#[derive(Debug, Clone)]
pub struct BrokenDefinition<'s> {
    /// The name space of its name, if the keyword is known.
    pub space: Option<NameSpace>,
    /// The word at the position of the name, if any.
    pub name: Option<Ident<'s>>,
    /// The words of the header and of everything below it.
    pub words: Words<'s>,
}

/// A name space: kinds of definitions that share names, separate from other name spaces.
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
    /// What surrounds programs.
    Environments,
}

/// Words of reported texts: such a text may define anything that its words name. A dotted name is one word.
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

/// The statements of a definition that were reported: they exist, but their content is unknown.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keywords.is_empty()
    }

    /// Whether a reported text begins with `keyword`.
    pub fn has(&self, keyword: &str) -> bool {
        self.keywords.contains(keyword)
    }

    /// The words of all of them.
    pub fn words(&self) -> &Words<'s> {
        &self.words
    }
}
