//! Prose as text: the lines of sections, without blank ones around them.

use crate::ast::{Section, SectionKind};

/// The text of a section.
pub(crate) fn text(section: &Section<'_>) -> String {
    let lines: Vec<&str> =
        section.runs.iter().flat_map(|run| run.text.lines()).map(str::trim_end).collect();
    let is_content = |line: &&str| !line.is_empty();
    let first = lines.iter().position(is_content).unwrap_or(lines.len());
    let last = lines.iter().rposition(is_content).map_or(first, |last| last + 1);
    lines[first..last].join("\n")
}

/// The text of the description among `sections`; empty if there is none. A `//` line between
/// definitions is a comment, not prose.
pub(crate) fn description(sections: &[Section<'_>]) -> String {
    let of_kind = |section: &&Section<'_>| section.kind == SectionKind::Description;
    sections.iter().filter(of_kind).map(text).collect::<Vec<_>>().join("\n\n")
}
