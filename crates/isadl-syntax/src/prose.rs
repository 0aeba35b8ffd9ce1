//! Prose as text: the lines of sections, without leading and trailing blank lines.

use isadl_base::fences::{Fences, Part};

use crate::ast::{Ident, Section, SectionKind};
use crate::source::Span;

/// The text of a section, without the common indentation of its lines.
pub fn text(section: &Section<'_>) -> String {
    let lines: Vec<&str> =
        section.runs.iter().flat_map(|run| run.text.lines()).map(str::trim_end).collect();
    let is_content = |line: &&str| !line.is_empty();
    let first = lines.iter().position(is_content).unwrap_or(lines.len());
    let last = lines.iter().rposition(is_content).map_or(first, |last| last + 1);
    let contents = lines.iter().copied().filter(is_content);
    let indents = contents.map(|line| line.bytes().take_while(|byte| *byte == b' ').count());
    let indent = indents.min().unwrap_or(0);
    let lines = lines[first..last].iter().map(|line| line.get(indent..).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The text of the description among `sections`; empty if there is none. A `//` line between
/// definitions is a comment, not prose.
pub fn description(sections: &[Section<'_>]) -> String {
    let of_kind = |section: &&Section<'_>| section.kind == SectionKind::Description;
    sections.iter().filter(of_kind).map(text).collect::<Vec<_>>().join("\n\n")
}

/// The lines of the programs of a section: those in fences tagged `isa`, and pseudo code in `///=` lines if it is checked.
pub fn programs<'s>(section: &Section<'s>, is_checked: bool) -> Vec<Vec<Ident<'s>>> {
    // The section that `///=` lines become has no heading in the text.
    let is_lines = section.heading.start == section.heading.end;
    let mut found = Vec::new();
    // The number of backticks of the open fence, and its lines if it is a program.
    let mut fence: Option<(usize, Option<Vec<Ident<'s>>>)> = None;
    for run in &section.runs {
        let mut start = run.span.start;
        for whole in run.text.split_inclusive('\n') {
            let line = whole.trim();
            let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
            match &mut fence {
                Some((open, lines)) if ticks >= *open && ticks == line.len() => {
                    found.extend(lines.take());
                    fence = None;
                }
                Some((_, Some(lines))) => {
                    let from = start + (whole.len() - whole.trim_start().len()) as u32;
                    let span = Span { start: from, end: from + line.len() as u32, ..run.span };
                    lines.push(Ident { text: line, span });
                }
                None if ticks >= 3 => {
                    let is_program = line[ticks..].trim() == "isa" || is_lines && is_checked;
                    fence = Some((ticks, is_program.then(Vec::new)));
                }
                _ => {}
            }
            start += whole.len() as u32;
        }
    }
    found
}

/// The lines inside the code fences of a section, except blank lines and comments.
pub fn fenced<'s>(section: &Section<'s>) -> Vec<Ident<'s>> {
    let mut lines = Vec::new();
    let mut fences = Fences::default();
    for run in &section.runs {
        let mut start = run.span.start;
        for whole in run.text.split_inclusive('\n') {
            let line = whole.trim();
            let is_inside = fences.line(line) == Part::Inside;
            if is_inside && !line.is_empty() && !line.starts_with("//") {
                let from = start + (whole.len() - whole.trim_start().len()) as u32;
                let span = Span { start: from, end: from + line.len() as u32, ..run.span };
                lines.push(Ident { text: line, span });
            }
            start += whole.len() as u32;
        }
    }
    lines
}
