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

/// A code fence of a section.
#[derive(Debug, Default)]
pub struct Fence<'s> {
    /// What follows the backticks that open it.
    pub tag: &'s str,
    /// Its lines, except blank lines and comments.
    pub lines: Vec<Ident<'s>>,
}

/// The code fences of a section.
pub fn fences<'s>(section: &Section<'s>) -> Vec<Fence<'s>> {
    let mut found: Vec<Fence<'s>> = Vec::new();
    let mut fences = Fences::default();
    for run in &section.runs {
        let mut start = run.span.start;
        for whole in run.text.split_inclusive('\n') {
            let line = whole.trim();
            match fences.line(line) {
                Part::Opening => {
                    let tag = line.trim_start_matches('`').trim();
                    found.push(Fence { tag, ..Fence::default() });
                }
                Part::Inside if !line.is_empty() && !line.starts_with("//") => {
                    let from = start + (whole.len() - whole.trim_start().len()) as u32;
                    let span = Span { start: from, end: from + line.len() as u32, ..run.span };
                    let lines = found.last_mut().map(|fence| &mut fence.lines);
                    lines.into_iter().for_each(|lines| lines.push(Ident { text: line, span }));
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
    fences(section).into_iter().flat_map(|fence| fence.lines).collect()
}

/// The lines of the programs of a section: those in fences tagged `isa`, and pseudo code in `///=` lines if it is
/// checked.
pub fn programs<'s>(section: &Section<'s>, is_checked: bool) -> Vec<Vec<Ident<'s>>> {
    let is_lines = is_lines(section) && is_checked;
    let is_program = |fence: &Fence<'s>| fence.tag == "isa" || is_lines;
    fences(section).into_iter().filter(is_program).map(|fence| fence.lines).collect()
}

/// Whether a section is pseudo code in `///=` lines. The section that these become has no heading in the text.
pub fn is_lines(section: &Section<'_>) -> bool {
    section.kind == SectionKind::Semantics && section.heading.start == section.heading.end
}
