//! Findings about forms of one definition, which share their location in the text.
//!
//! Elsewhere a second finding with the same code and location is a duplicate. For forms, it is a duplicate only if it
//! makes the same claim about the same form. A claim about several forms is reported once, with the names of the other
//! forms in a note.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::ast::File;
use crate::diagnostic::{Diagnostic, Diagnostics, names};
use crate::source::Span;

/// The maximum number of other forms that a note names.
const MAX_NAMED: usize = 8;

/// The places that several definitions share, with the names of these definitions.
pub struct Forms<'s>(HashMap<Span, HashSet<&'s str>>);

impl<'s> Forms<'s> {
    /// The forms in some files.
    pub fn of(files: &[File<'s>]) -> Forms<'s> {
        let mut places: HashMap<Span, HashSet<&'s str>> = HashMap::new();
        for file in files {
            for several in file.definitions.chunk_by(|a, b| a.header == b.header) {
                if let [first, _, ..] = several {
                    for place in [first.header, first.name.span] {
                        let names = several.iter().map(|definition| definition.name.text);
                        places.entry(place).or_default().extend(names);
                    }
                }
            }
        }
        Forms(places)
    }

    /// Sorts findings and drops duplicates.
    pub fn finish(&self, diagnostics: &mut Diagnostics) {
        diagnostics.finish_with(|span| self.0.contains_key(&span));
    }

    /// Joins findings that make the same claim about several forms of one definition.
    pub fn join(&self, diagnostics: &mut Diagnostics) {
        if self.0.is_empty() {
            return;
        }
        let mut kept: Vec<(Diagnostic, Vec<&'s str>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for found in std::mem::take(diagnostics) {
            if let Some(name) = self.subject(&found) {
                match places.entry(without(&found, name)) {
                    Entry::Occupied(first) => {
                        kept[*first.get()].1.push(name);
                        continue;
                    }
                    Entry::Vacant(place) => {
                        place.insert(kept.len());
                    }
                }
            }
            kept.push((found, Vec::new()));
        }
        diagnostics.extend(kept.into_iter().map(|(found, others)| with(found, &others)));
    }

    /// The form that a finding concerns, if it concerns a single form.
    fn subject(&self, found: &Diagnostic) -> Option<&'s str> {
        let forms = self.0.get(&found.primary.span)?;
        let quoted = found.message.split('`').skip(1).step_by(2);
        let mut names = quoted.filter_map(|name| forms.get(name).copied());
        let name = names.next()?;
        names.all(|other| other == name).then_some(name)
    }
}

/// The contents of a finding, without the name of its form.
fn without(found: &Diagnostic, name: &str) -> String {
    let mut found = found.clone();
    let quoted = format!("`{name}`");
    let labels = std::iter::once(&mut found.primary).chain(&mut found.related);
    let texts = labels.map(|label| &mut label.text);
    let texts = texts.chain(found.helps.iter_mut().map(|help| &mut help.text));
    for text in texts.chain(&mut found.notes).chain([&mut found.message]) {
        *text = text.replace(&quoted, "``");
    }
    format!("{found:?}")
}

/// Adds a note that names the other forms to which the finding applies.
fn with(found: Diagnostic, others: &[&str]) -> Diagnostic {
    let named = &others[..others.len().min(MAX_NAMED)];
    let told = match others.len() - named.len() {
        _ if others.is_empty() => return found,
        0 => names(named),
        more => {
            let named: Vec<String> = named.iter().map(|name| format!("`{name}`")).collect();
            format!("{} and {more} more", named.join(", "))
        }
    };
    found.with_note(format!("the same is true of {told}"))
}
