//! Links in prose: W0914 (nothing has the name).

use super::Context;
use crate::ast::{Ident, Section};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::links::Scanner;
use crate::source::Span;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let model = context.model;
    let known = context.isa.link_names();
    let mut sorted: Vec<&str> = known.iter().copied().collect();
    sorted.sort_unstable();
    let of_isa = model.isa.iter().flat_map(|isa| isa.prose);
    let of_files = model.reg_files.iter().flat_map(|file| file.prose);
    let of_types = model.types.iter().flat_map(|ty| ty.prose);
    let of_layers = model.layers.iter().flat_map(|layer| layer.prose);
    for section in of_isa.chain(of_files).chain(of_types).chain(of_layers) {
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
    for run in &section.runs {
        let mut start = run.span.start;
        for line in run.text.split_inclusive('\n') {
            names.extend(scanner.line(line).into_iter().map(|link| {
                let from = start + link.range.start as u32 + 2;
                let span = Span { start: from, end: from + link.name.len() as u32, ..run.span };
                Ident { text: link.name, span }
            }));
            start += line.len() as u32;
        }
    }
    names
}
