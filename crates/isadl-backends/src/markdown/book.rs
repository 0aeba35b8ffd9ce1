//! The book: the source of all pages.

use std::collections::BTreeMap;

use isadl_ir::isa::{Family, Generations, Isa};
use isadl_runtime::engine::Loaded;
use isadl_semantics::Checked;

use super::pages::{Kind, Pages};
use super::prose::Context;
use super::sources::Sources;
use super::text::word;
use super::variants::{self, Variant};

/// The data that all pages are generated from.
pub(super) struct Book<'b> {
    pub(super) family: &'b Family,
    /// The programs of all generations.
    pub(super) programs: &'b [Checked],
    /// The instruction set of each generation, with its assembler.
    pub(super) loaded: Vec<Loaded>,
    pub(super) pages: Pages,
    pub(super) sources: Sources,
    /// Whether all pages are in a single file, without other files.
    pub(super) is_single: bool,
    /// The summaries of operations, by name.
    pub(super) summaries: BTreeMap<String, String>,
}

impl Book<'_> {
    pub(super) fn isas(&self) -> &[Isa] {
        self.family.isas()
    }

    /// The summary of an operation.
    pub(super) fn summary(&self, name: &str) -> &str {
        self.summaries.get(name).map_or("", String::as_str)
    }

    /// All generations.
    pub(super) fn all(&self) -> Generations {
        let sets = self.isas().iter().map(Isa::describes);
        sets.fold(Generations::default(), Generations::union)
    }

    /// The names of generations; empty for all generations.
    pub(super) fn label(&self, set: Generations) -> String {
        if set == self.all() { String::new() } else { self.names(set) }
    }

    /// A cell of an index: the generations of an item, if there are several generations.
    pub(super) fn generations(&self, set: Generations) -> String {
        if self.isas().len() > 1 { self.names(set) } else { String::new() }
    }

    /// The names of generations; `all` for all of them.
    pub(super) fn names(&self, set: Generations) -> String {
        let first = self.family.first();
        if set == self.all() && self.isas().len() > 1 {
            return "all".to_string();
        }
        first.generation_names(set).map(word).collect::<Vec<_>>().join(", ")
    }

    /// An item in each generation that has it, with equal variants grouped.
    pub(super) fn variants<T: PartialEq>(&self, of: impl Fn(&Isa) -> Option<T>) -> Vec<Variant<T>> {
        let isas = self.isas().iter();
        variants::group(isas.filter_map(|isa| Some((isa.describes(), of(isa)?))))
    }

    /// Whether a group has a page.
    pub(super) fn has_group(&self, name: &str) -> bool {
        self.pages.get(Kind::Group, name).is_some()
    }

    /// The names of the groups that have a page, in order of definition.
    pub(super) fn groups(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for group in self.isas().iter().flat_map(|isa| isa.groups()) {
            if self.has_group(&group.name) && !names.contains(&group.name.as_str()) {
                names.push(&group.name);
            }
        }
        names
    }

    pub(super) fn context<'c>(&'c self, page: &'c str) -> Context<'c> {
        Context { pages: &self.pages, page }
    }

    /// A link to an item, or its name.
    pub(super) fn link(&self, kind: Kind, name: &str, page: &str) -> String {
        self.context(page).to(name, self.pages.get(kind, name))
    }

    /// The sections of a kind as text, one below the other; several sections if generations differ.
    pub(super) fn prose(&self, page: &str, level: usize, variants: &[Variant<String>]) -> String {
        let mut text = String::new();
        for variant in variants.iter().filter(|variant| !variant.is.is_empty()) {
            let label = self.label(variant.generations);
            if !label.is_empty() && variants.len() > 1 {
                text += &format!("*{label}:*\n\n");
            }
            text += &self.context(page).section(&variant.is, level);
            text.push('\n');
        }
        text
    }
}
