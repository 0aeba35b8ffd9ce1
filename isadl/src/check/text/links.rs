//! Links in prose: W0914 (nothing has the name).

use super::{Context, lines, sections};
use crate::ast::{Ident, Section};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::links::Scanner;
use crate::source::Span;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let known = context.isa.link_names();
    let mut sorted: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    sorted.sort_unstable();
    for section in sections(context.model) {
        for link in links(section).into_iter().filter(|link| !known.contains(link.text)) {
            let message = format!("nothing is called `{}`", link.text);
            let found = Diagnostic::new(Code::W0914, message, link.span)
                .with_suggestion(link.text, &sorted);
            diagnostics.push(found);
        }
    }
}

/// The names that the links of a section use.
fn links<'s>(section: &Section<'s>) -> Vec<Ident<'s>> {
    let mut scanner = Scanner::default();
    let mut names = Vec::new();
    for line in lines(section) {
        names.extend(scanner.line(line.text).into_iter().map(|link| {
            let start = line.span.start + link.range.start as u32 + 2;
            let span = Span { start, end: start + link.name.len() as u32, ..line.span };
            Ident { text: link.name, span }
        }));
    }
    names
}
