//! `__DefForms`: an opcode for each combination of optypes and groups; `Forms` in a table of operations: the same, of
//! which the first list is the rows.
//!
//! The names of the opcodes are in no text, so they are made before parsing and kept by the source
//! map. Codes: E0108, E0112, W0212 (no forms).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::build::Parts;
use super::guard::Guarded;
use super::messages::report_missing_semicolon;
use super::split::{self, Chunk};
use super::statements::{StatementText, statements};
use super::table::{begins_row, first_name, is_forms};
use super::{Context, Keyword, Rule, broken_definition, of_header, refuse_sections};
use crate::ast::{Broken, Definition, DefinitionKind, File, Ident, Layer};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::source::{SourceMap, Span};

/// The maximum number of opcodes from all definitions of forms together, limited by the range of opcode numbers.
pub(super) const MAX_FORMS: usize = 1 << 16;

/// A definition of forms, or a statement in a table.
pub(super) struct Forms<'s> {
    span: Span,
    pattern: Ident<'s>,
    lists: Vec<Vec<Ident<'s>>>,
    except: Vec<Ident<'s>>,
    guard: Guarded<'s>,
}

/// The names of all opcodes that the definitions of forms make.
pub(super) fn names(sources: &SourceMap) -> HashSet<String> {
    let (none, mut unused) = (HashSet::new(), Diagnostics::default());
    let mut names = HashSet::new();
    let mut left = MAX_FORMS;
    for id in sources.specification() {
        let text = sources.file(id).text();
        if !text.contains("Forms") {
            continue;
        }
        let (none_left, memo) = Default::default();
        let context = Context { file: id, text, made: &none, left: none_left, memo, pieces: None };
        for chunk in split::definitions(id, text, &mut unused) {
            let read = match super::keyword(chunk.header, &mut unused) {
                Some(Keyword::Forms) => {
                    context.read_forms(&chunk, &mut unused).into_iter().collect()
                }
                Some(Keyword::Optypes) => context.forms_of_table(&chunk),
                _ => Vec::new(),
            };
            for forms in &read {
                if forms.count() > left {
                    continue;
                }
                left -= forms.count();
                names.extend(forms.made().map(|(name, _)| name));
            }
        }
    }
    names
}

impl<'s> Context<'s> {
    /// Adds the opcodes of a definition of forms to their file.
    pub(super) fn forms(
        &self,
        chunk: &Chunk<'s>,
        file: &mut File<'s>,
        diagnostics: &mut Diagnostics,
    ) {
        let note = "a definition of forms has no sections; define an opcode with its own sections by `__DefOpcode`";
        refuse_sections(chunk, note, diagnostics);
        let Some(forms) = self.read_forms(chunk, diagnostics) else {
            file.broken.push(broken_definition(Some(Keyword::Forms), chunk));
            return;
        };
        if !self.add_forms(&forms, file, diagnostics) {
            // Findings about parents without opcodes would be a consequence.
            file.broken.push(broken_definition(Some(Keyword::Forms), chunk));
        }
    }

    /// Adds the opcodes of forms to their file; returns whether there are any.
    pub(super) fn add_forms(
        &self,
        forms: &Forms<'s>,
        file: &mut File<'s>,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        if forms.count() > self.left.get() {
            let message = format!("more than {MAX_FORMS} forms in all");
            let found = Diagnostic::new(Code::E0108, message, forms.span)
                .with_note("each is an opcode, and an opcode has a number up to 65535");
            diagnostics.push(found);
            return false;
        }
        self.left.set(self.left.get() - forms.count());
        let except: HashSet<&str> = forms.except.iter().map(|name| name.text).collect();
        if except.len() == forms.count() {
            let message = "`except` leaves out all of these forms";
            let found = Diagnostic::new(Code::W0212, message, forms.pattern.span)
                .with_note("it does not define any instruction")
                .with_help("remove names after `except`, or the definition");
            diagnostics.push(found);
            return false;
        }
        for (name, parents) in forms.made().filter(|(name, _)| !except.contains(name.as_str())) {
            // The names are made if the keyword is spelt right; if not, that was reported.
            let Some(text) = self.made.get(&name) else { return false };
            let name = Ident { text, span: forms.pattern.span };
            let layer = Layer { parents, ..Layer::default() };
            file.definitions.push(Definition {
                header: forms.span,
                name,
                guard: forms.guard.clone(),
                kind: DefinitionKind::Opcode(layer),
                prose: Vec::new(),
                broken: Broken::default(),
            });
        }
        true
    }

    /// The forms of a table of operations, as far as they can be read.
    fn forms_of_table(&self, chunk: &Chunk<'s>) -> Vec<Forms<'s>> {
        let (mut rows, mut forms) = (Vec::new(), Vec::new());
        statements(self.text, &chunk.body, begins_row, |statement| {
            match is_forms(statement.text.text) {
                true => forms.extend(self.row_forms(statement.text, &rows).ok()),
                false => rows.push(first_name(statement.text)),
            }
        });
        forms
    }

    /// Reads a statement after rows with these names.
    pub(super) fn row_forms(
        &self,
        text: Ident<'s>,
        rows: &[Ident<'s>],
    ) -> Result<Forms<'s>, Diagnostic> {
        let mut forms = self.build_forms(Rule::row_forms, text)?;
        if rows.is_empty() {
            return Err(Diagnostic::new(Code::E0108, "no rows are above these forms", text.span)
                .with_help("write the statement after the rows that it is about"));
        }
        // A name that occurs twice is reported as such.
        let mut seen = HashSet::new();
        let rows = rows.iter().copied().filter(|row| seen.insert(row.text));
        forms.lists.insert(0, rows.collect());
        forms.checked()
    }

    /// Reads a definition of forms; `None` if it was reported.
    fn read_forms(&self, chunk: &Chunk<'s>, diagnostics: &mut Diagnostics) -> Option<Forms<'s>> {
        let lines: Vec<Ident<'s>> =
            [chunk.header].into_iter().chain(chunk.body.iter().copied()).collect();
        let mut found: Vec<StatementText<'s>> = Vec::new();
        statements(self.text, &lines, |_| false, |statement| found.push(statement));
        let mut found = found.into_iter();
        let first = found.next()?;
        for more in found {
            let message = "unknown statement in this definition";
            let found = Diagnostic::new(Code::E0105, message, more.text.span)
                .with_note("a definition of forms is one statement");
            diagnostics.push(found);
        }
        match self.build_forms(Rule::forms_header, first.text).and_then(|forms| forms.checked()) {
            Ok(forms) => {
                report_missing_semicolon(&first, diagnostics);
                Some(forms)
            }
            Err(error) => {
                diagnostics.push(of_header(error));
                None
            }
        }
    }

    fn build_forms(&self, rule: Rule, text: Ident<'s>) -> Result<Forms<'s>, Diagnostic> {
        let span = text.span;
        let (text, guard) = self.guarded(text)?;
        let mut parts = Parts::of(self, self.run(rule, text)?);
        parts.take_one()?;
        let pattern = parts.ident()?;
        let mut forms = Forms { span, pattern, lists: Vec::new(), except: Vec::new(), guard };
        for pair in parts {
            match pair.as_rule() {
                Rule::form_list => {
                    let names = Parts::of(self, pair).map(|pair| self.ident(&pair));
                    forms.lists.push(names.collect());
                }
                Rule::ident => forms.except.push(self.ident(&pair)),
                _ => {}
            }
        }
        Ok(forms)
    }
}

impl<'s> Forms<'s> {
    /// The number of combinations.
    fn count(&self) -> usize {
        self.lists.iter().fold(1, |count: usize, list| count.saturating_mul(list.len()))
    }

    /// The name and the parents of each combination; the last list changes fastest.
    fn made(&self) -> impl Iterator<Item = (String, Vec<Ident<'s>>)> + '_ {
        (0..self.count()).map(|index| {
            let mut rest = index;
            let mut parents: Vec<Ident<'s>> = Vec::new();
            for list in self.lists.iter().rev() {
                parents.push(list[rest % list.len()]);
                rest /= list.len();
            }
            parents.reverse();
            (self.name(&parents), parents)
        })
    }

    fn name(&self, parents: &[Ident<'s>]) -> String {
        let mut name = String::new();
        let mut rest = self.pattern.text;
        while let Some((place, index)) = slot(rest) {
            name += &rest[..place.start];
            name += index.and_then(|index| parents.get(index)).map_or("", |parent| parent.text);
            rest = &rest[place.end..];
        }
        name + rest
    }

    /// The definition, if each opcode has a name of its own and the exceptions are among them.
    fn checked(self) -> Result<Forms<'s>, Diagnostic> {
        let mut shown = vec![false; self.lists.len()];
        let mut rest = self.pattern.text;
        while let Some((place, index)) = slot(rest) {
            match index.and_then(|index| shown.get_mut(index)) {
                Some(shown) => *shown = true,
                None => {
                    let slot = &rest[place];
                    let message = format!("`{slot}` in the name does not refer to a list");
                    let count = self.lists.len();
                    return Err(Diagnostic::new(Code::E0108, message, self.pattern.span)
                        .with_note(format!("there are {count} lists, and `{{0}}` is the first")));
                }
            }
            rest = &rest[place.end..];
        }
        for (index, list) in self.lists.iter().enumerate().filter(|(_, list)| list.len() > 1) {
            if !shown[index] {
                let message = "several forms would have the same name";
                return Err(Diagnostic::new(Code::E0108, message, self.pattern.span)
                    .with_related(list[1].span, "this list has several entries")
                    .with_change(
                        format!("write `{{{index}}}` in the name"),
                        Old::Span(Span { start: self.pattern.span.end, ..self.pattern.span }),
                        format!("_{{{index}}}"),
                    ));
            }
            let mut seen: HashMap<&str, Span> = HashMap::new();
            for entry in list {
                if let Some(first) = seen.insert(entry.text, entry.span) {
                    let message = format!("`{}` occurs twice in this list", entry.text);
                    return Err(Diagnostic::new(Code::E0108, message, entry.span)
                        .with_related(first, "the first is here")
                        .with_removal("remove one of the two", Old::Entry(entry.span)));
                }
            }
        }
        self.check_except()
    }

    fn check_except(self) -> Result<Forms<'s>, Diagnostic> {
        if self.except.is_empty() || self.count() > MAX_FORMS {
            return Ok(self);
        }
        let names: HashSet<String> = self.made().map(|(name, _)| name).collect();
        match self.except.iter().find(|except| !names.contains(except.text)) {
            None => Ok(self),
            Some(except) => {
                let message = format!("`{}` is not one of these forms", except.text);
                let mut known: Vec<&String> = names.iter().collect();
                known.sort_unstable();
                Err(Diagnostic::new(Code::E0108, message, except.span)
                    .with_suggestion(except.text, known))
            }
        }
    }
}

/// The first `{number}` in a pattern: its place, and the number.
fn slot(pattern: &str) -> Option<(Range<usize>, Option<usize>)> {
    let start = pattern.find('{')?;
    let end = start + pattern[start..].find('}')?;
    Some((start..end + 1, pattern[start + 1..end].parse().ok()))
}
