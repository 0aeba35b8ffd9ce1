//! The layout of specifications: spaces, indentation and columns of everything that is not prose.
//!
//! Only white space changes. Lines are neither joined nor split, so the author's lines stay lines. Prose and comments
//! are kept letter for letter. Invariant: the result is already formatted, and means the same.

mod columns;
mod lines;

use crate::ast::SectionKind;
use crate::diagnostic::Diagnostics;
use crate::parse::{self, GrammarSegment, SegmentKind};
use crate::source::{FileId, SourceMap};
use columns::aligned;
use lines::{Code, Line, code_lines, text_lines};

/// The columns at which lines begin.
const OF_HEADING: usize = 2;
const OF_STATEMENT: usize = 4;
const OF_REST: usize = 8;

/// A file with the usual layout.
///
/// # Errors
///
/// What the grammar does not know: a file that has errors of syntax is not laid out.
pub fn format(sources: &SourceMap, id: FileId) -> Result<String, Diagnostics> {
    let mut found = Diagnostics::default();
    let pieces = parse::pieces(sources, id, &mut found);
    if found.has_errors() {
        found.finish();
        return Err(found);
    }
    let file = sources.file(id);
    let content = file.content();
    let mark = &file.text()[..file.text().len() - content.len()];
    let mut walk = Walk { region: Region::Outside, is_open: false, made: Vec::new() };
    let code = code_lines(file, &pieces);
    for (at, line) in text_lines(content, mark.len() as u32).enumerate() {
        match &code[at] {
            Some(code) => walk.code(line, code),
            None => walk.other(line, heading_at(&pieces, line)),
        }
    }
    Ok(mark.to_string() + &written(walk.made))
}

/// The section that a line opens.
fn heading_at(pieces: &[GrammarSegment], line: Line<'_>) -> Option<SectionKind> {
    let after = pieces.partition_point(|piece| piece.start() < line.start);
    match pieces.get(after)? {
        GrammarSegment::Heading(span, kind) if span.end <= line.start + line.text.len() as u32 => {
            Some(*kind)
        }
        _ => None,
    }
}

/// Where a line is.
#[derive(Clone, Copy, PartialEq)]
enum Region {
    /// Before the first definition.
    Outside,
    /// Statements, rows and comments.
    Code,
    /// Statements and prose.
    Mixed,
    /// Prose.
    Prose,
}

/// A line that was made.
enum Made<'s> {
    /// Statements, to be aligned with others.
    Code { code: &'s Code, indent: usize, ending: &'s str },
    /// A comment that documents the text after it.
    Doc(String),
    /// Anything else.
    Other(String),
}

/// Goes through the lines of a file.
struct Walk<'s> {
    region: Region,
    /// Whether a statement goes on from the line before.
    is_open: bool,
    made: Vec<Made<'s>>,
}

impl<'s> Walk<'s> {
    fn code(&mut self, line: Line<'s>, code: &'s Code) {
        let indent = match (code.begins, self.is_open) {
            (Some(SegmentKind::Header), _) => {
                self.region = Region::Code;
                0
            }
            (None | Some(SegmentKind::Guard), true) => OF_REST,
            _ => OF_STATEMENT,
        };
        self.is_open = code.is_open;
        self.made.push(Made::Code { code, indent, ending: line.ending });
    }

    fn other(&mut self, line: Line<'s>, heading: Option<SectionKind>) {
        let trim = line.text.trim();
        let text = match heading {
            Some(kind) => {
                (self.is_open, self.region) = (false, region(kind));
                format!("{:OF_HEADING$}{trim}", "")
            }
            None if trim.is_empty() && self.is_layout() => {
                self.is_open = false;
                if self.is_after_blank() {
                    return;
                }
                String::new()
            }
            None if self.is_layout() => {
                let is_first = !line.text.starts_with(char::is_whitespace);
                let indent = match (trim.starts_with("///"), self.is_open) {
                    _ if self.region == Region::Outside => 0,
                    (_, true) => OF_REST,
                    (false, false) if is_first => 0,
                    _ => OF_STATEMENT,
                };
                let text = format!("{:indent$}{trim}{}", "", line.ending);
                let is_doc = trim.starts_with("///") && indent > 0;
                self.made.push(if is_doc { Made::Doc(text) } else { Made::Other(text) });
                return;
            }
            None => line.text.to_string(),
        };
        self.made.push(Made::Other(text + line.ending));
    }

    /// Whether white space has no meaning here.
    fn is_layout(&self) -> bool {
        matches!(self.region, Region::Outside | Region::Code) || self.is_open
    }

    fn is_after_blank(&self) -> bool {
        match self.made.last() {
            Some(Made::Other(text)) => text.trim().is_empty(),
            last => last.is_none(),
        }
    }
}

fn region(kind: SectionKind) -> Region {
    match kind {
        kind if kind.is_statements() => Region::Code,
        SectionKind::OperandInfo => Region::Mixed,
        _ => Region::Prose,
    }
}

/// The text of all lines, in columns where they are alike.
fn written(made: Vec<Made<'_>>) -> String {
    let mut text = String::new();
    let mut rest = made.as_slice();
    while let Some(first) = rest.first() {
        // Each definition has columns of its own.
        let is_in_block = |made: &&Made<'_>| match made {
            Made::Code { code, .. } => code.begins != Some(SegmentKind::Header),
            Made::Doc(_) => true,
            Made::Other(_) => false,
        };
        let length = 1 + rest[1..].iter().take_while(is_in_block).count();
        if let Made::Other(line) = first {
            text += line;
            rest = &rest[1..];
            continue;
        }
        let (block, after) = rest.split_at(length);
        let codes = block.iter().filter_map(|made| match made {
            Made::Code { code, .. } => Some(*code),
            _ => None,
        });
        let mut lines = aligned(&codes.collect::<Vec<_>>()).into_iter();
        for made in block {
            match made {
                Made::Code { indent, ending, .. } => {
                    let line = lines.next().unwrap_or_default();
                    text += &format!("{:indent$}{line}{ending}", "");
                }
                Made::Doc(line) | Made::Other(line) => text += line,
            }
        }
        rest = after;
    }
    let is_ended = text.is_empty() || text.ends_with('\n');
    text + if is_ended { "" } else { "\n" }
}
