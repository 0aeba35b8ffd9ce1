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
    /// Its lines, except blank lines and comments. In a law, claims are no comments.
    pub lines: Vec<Ident<'s>>,
    /// The line that opens it.
    pub opening: Option<Span>,
}

/// What begins the claims of an example or a law: `ADD R0, R1 //= R1 = 2: R0 = 2`.
pub const CLAIM: &str = "//=";

/// The tag of fences with laws.
pub const LAW: &str = "law";

/// A law: instructions, and what they claim.
#[derive(Debug)]
pub struct Law<'s> {
    /// The line that opens the fence.
    pub opening: Span,
    /// The lines with instructions.
    pub instructions: Vec<Ident<'s>>,
    /// The claims, without [`CLAIM`].
    pub claims: Vec<Ident<'s>>,
}

/// A line of assembly text without its claims, and the claims behind [`CLAIM`].
pub fn claimed<'s>(line: Ident<'s>) -> (Ident<'s>, Option<Ident<'s>>) {
    let Some(at) = line.text.find(CLAIM) else { return (line, None) };
    let piece = |from: usize, to: usize| {
        let whole = &line.text[from..to];
        let text = whole.trim();
        let start = from + (whole.len() - whole.trim_start().len());
        let start = line.span.start + start as u32;
        Ident { text, span: Span { start, end: start + text.len() as u32, ..line.span } }
    };
    (piece(0, at), Some(piece(at + CLAIM.len(), line.text.len())))
}

/// The lines with examples of a section.
pub fn examples<'s>(section: &Section<'s>) -> Vec<Ident<'s>> {
    if section.kind == SectionKind::Examples { fenced(section) } else { Vec::new() }
}

/// The laws of a section.
pub fn laws<'s>(section: &Section<'s>) -> Vec<Law<'s>> {
    let fences = fences(section).into_iter().filter(|fence| fence.tag == LAW);
    let laws = fences.filter_map(|fence| {
        let mut law = Law { opening: fence.opening?, instructions: Vec::new(), claims: Vec::new() };
        for line in fence.lines {
            let (instruction, claims) = claimed(line);
            law.instructions.extend((!instruction.text.is_empty()).then_some(instruction));
            law.claims.extend(claims);
        }
        Some(law)
    });
    laws.collect()
}

/// The code fences of a section.
pub fn fences<'s>(section: &Section<'s>) -> Vec<Fence<'s>> {
    let mut found: Vec<Fence<'s>> = Vec::new();
    let mut fences = Fences::default();
    for run in &section.runs {
        let mut start = run.span.start;
        for whole in run.text.split_inclusive('\n') {
            let line = whole.trim();
            let span = |whole: &str, line: &str| {
                let from = start + (whole.len() - whole.trim_start().len()) as u32;
                Span { start: from, end: from + line.len() as u32, ..run.span }
            };
            match fences.line(line) {
                Part::Opening => {
                    let tag = line.trim_start_matches('`').trim();
                    let opening = Some(span(whole, line));
                    found.push(Fence { tag, opening, ..Fence::default() });
                }
                Part::Inside => {
                    let is_law = found.last().is_some_and(|fence| fence.tag == LAW);
                    let is_comment = line.starts_with("//") && !(is_law && line.starts_with(CLAIM));
                    if !line.is_empty() && !is_comment {
                        let line = Ident { text: line, span: span(whole, line) };
                        found.last_mut().into_iter().for_each(|fence| fence.lines.push(line));
                    }
                }
                _ => {}
            }
            start += whole.len() as u32;
        }
    }
    found
}

/// The lines inside the code fences of a section, except laws, blank lines and comments.
pub fn fenced<'s>(section: &Section<'s>) -> Vec<Ident<'s>> {
    let fences = fences(section).into_iter().filter(|fence| fence.tag != LAW);
    fences.flat_map(|fence| fence.lines).collect()
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
