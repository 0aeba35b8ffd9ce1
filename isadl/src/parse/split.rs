//! Cuts a file into definitions, sections, statements and prose by a scan over its lines.
//!
//! Invariant: the pieces are disjoint, in order, and hold every line that is neither blank
//! nor a comment.

use crate::ast::{Ident, SectionKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Span};

/// A definition as lines: its header and the sections under it.
pub(super) struct Chunk<'s> {
    pub(super) header: Ident<'s>,
    /// The lines before the first section, in types and the instruction set's header.
    pub(super) body: Vec<Ident<'s>>,
    pub(super) sections: Vec<SectionLines<'s>>,
}

/// A section as lines, without the one that opens it.
pub(super) struct SectionLines<'s> {
    pub(super) kind: SectionKind,
    pub(super) heading: Span,
    pub(super) lines: Vec<Ident<'s>>,
}

/// Splits `text` into definitions.
pub(super) fn definitions<'s>(
    file: FileId,
    text: &'s str,
    diagnostics: &mut Diagnostics,
) -> Vec<Chunk<'s>> {
    let mut splitter =
        Splitter { file, chunks: Vec::new(), fence: None, skipping: false, diagnostics };
    let lines: Vec<Ident<'s>> = lines(file, text).collect();
    let mut next = 0;
    while next < lines.len() {
        next = splitter.line(&lines, next);
    }
    splitter.close_fence_at_end(&lines);
    splitter.chunks
}

/// The lines of a text, without their line ends.
pub(super) fn lines<'s>(file: FileId, text: &'s str) -> impl Iterator<Item = Ident<'s>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let text = line.trim_end_matches(['\n', '\r']);
        let span = Span { file, start, end: start + text.len() as u32 };
        start += line.len() as u32;
        Ident { text, span }
    })
}

/// `text` without blanks around it.
pub(super) fn trimmed<'s>(line: Ident<'s>) -> Ident<'s> {
    let before = line.text.len() - line.text.trim_start().len();
    let text = line.text.trim();
    let start = line.span.start + before as u32;
    Ident { text, span: Span { start, end: start + text.len() as u32, ..line.span } }
}

struct Splitter<'s, 'd> {
    file: FileId,
    chunks: Vec<Chunk<'s>>,
    fence: Option<Fence>,
    /// Whether an unknown section or a stray text is being passed over.
    skipping: bool,
    diagnostics: &'d mut Diagnostics,
}

/// An open code fence.
struct Fence {
    span: Span,
    backticks: usize,
    /// Index of the line that opens it.
    line: usize,
}

impl<'s> Splitter<'s, '_> {
    /// Takes the line of index `at`; returns the index of the line to take next.
    fn line(&mut self, lines: &[Ident<'s>], at: usize) -> usize {
        let line = lines[at];
        let trim = trimmed(line);
        if let Some(fence) = &self.fence {
            let backticks = backticks(trim.text);
            if backticks >= fence.backticks && trim.text.len() == backticks {
                self.fence = None;
            } else if backticks >= 3 && backticks == fence.backticks {
                return self.recover(lines, at);
            }
            self.content(line);
            return at + 1;
        }
        if line.text.starts_with("__Def") {
            self.open_definition(trim);
        } else if is_section_line(trim.text) {
            self.open_section(trim);
        } else {
            let backticks = backticks(trim.text);
            if backticks >= 3 {
                self.fence = Some(Fence { span: trim.span, backticks, line: at });
            }
            self.content(line);
        }
        at + 1
    }

    /// A fence was not closed before `limit`: reports it, and takes up again at the first line
    /// behind its opening that begins a section or definition.
    fn recover(&mut self, lines: &[Ident<'s>], limit: usize) -> usize {
        let Some(fence) = self.fence.take() else { return limit };
        self.diagnostics.push(
            Diagnostic::new(Code::E0106, "code fence is not closed", fence.span)
                .with_label("opened here")
                .with_help("close it with a line that holds nothing but the same backticks"),
        );
        let begins = |line: &Ident<'s>| {
            line.text.starts_with("__Def") || is_section_line(trimmed(*line).text)
        };
        let resume = lines[fence.line + 1..limit]
            .iter()
            .position(begins)
            .map_or(limit, |i| fence.line + 1 + i);
        self.retract(resume, lines);
        resume
    }

    fn close_fence_at_end(&mut self, lines: &[Ident<'s>]) {
        while self.fence.is_some() {
            let mut next = self.recover(lines, lines.len());
            while next < lines.len() {
                next = self.line(lines, next);
            }
        }
    }

    /// Takes back the lines from index `from` on, which the open fence had swallowed.
    fn retract(&mut self, from: usize, lines: &[Ident<'s>]) {
        let Some(start) = lines.get(from).map(|line| line.span.start) else { return };
        if let Some(chunk) = self.chunks.last_mut() {
            let kept = match chunk.sections.last_mut() {
                Some(section) => &mut section.lines,
                None => &mut chunk.body,
            };
            kept.retain(|line| line.span.start < start);
        }
    }

    /// Comment lines in the first column right before a definition are about that definition,
    /// also when the section before holds prose.
    fn drop_trailing_comments(&mut self) {
        let Some(section) = self.chunks.last_mut().and_then(|chunk| chunk.sections.last_mut())
        else {
            return;
        };
        let is_comment =
            |line: &Ident<'_>| line.text.starts_with("//") || line.text.trim().is_empty();
        while section.lines.last().is_some_and(is_comment) {
            section.lines.pop();
        }
    }

    fn open_definition(&mut self, header: Ident<'s>) {
        self.drop_trailing_comments();
        self.skipping = false;
        let header = without_comment(header);
        self.chunks.push(Chunk { header, body: Vec::new(), sections: Vec::new() });
    }

    fn open_section(&mut self, line: Ident<'s>) {
        self.skipping = false;
        let Some(chunk) = self.chunks.last_mut() else {
            self.stray(line);
            return;
        };
        match SectionKind::ALL.into_iter().find(|kind| kind.heading() == line.text) {
            Some(kind) => {
                chunk.sections.push(SectionLines { kind, heading: line.span, lines: Vec::new() })
            }
            None => {
                self.skipping = true;
                let known = SectionKind::ALL.map(SectionKind::heading);
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::E0104,
                        format!("unknown section `{}`", line.text),
                        line.span,
                    )
                    .with_note(format!("the sections are {}", known.join(", ")))
                    .with_suggestion(line.text, known),
                );
            }
        }
    }

    fn content(&mut self, line: Ident<'s>) {
        if self.skipping {
            return;
        }
        match self.chunks.last_mut() {
            Some(Chunk { sections, body, .. }) => match sections.last_mut() {
                Some(section) => section.lines.push(line),
                None => body.push(line),
            },
            None => self.stray(trimmed(line)),
        }
    }

    /// Text before the first definition: one error, whatever its length.
    fn stray(&mut self, line: Ident<'s>) {
        let text = line.text.trim_start_matches('\u{feff}');
        if text.is_empty() || text.starts_with("//") || self.skipping {
            return;
        }
        self.skipping = true;
        let span = Span { file: self.file, ..line.span };
        self.diagnostics.push(
            Diagnostic::new(Code::E0107, "text outside of a definition", span)
                .with_note(
                    "a file holds definitions; each begins in the first column with `__Def…`",
                )
                .with_help("put `//` before it if it is a comment"),
        );
    }
}

/// Whether a line holds nothing but `__Name`.
fn is_section_line(trimmed: &str) -> bool {
    trimmed.strip_prefix("__").is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

fn backticks(trimmed: &str) -> usize {
    trimmed.bytes().take_while(|b| *b == b'`').count()
}

/// The text before a `//` that is not inside a string, without blanks at its end.
pub(super) fn without_comment<'s>(line: Ident<'s>) -> Ident<'s> {
    let mut in_string = false;
    let bytes = line.text.as_bytes();
    let mut end = bytes.len();
    for i in 0..bytes.len() {
        match bytes[i] {
            b'"' => in_string = !in_string,
            b'/' if !in_string && bytes.get(i + 1) == Some(&b'/') => {
                end = i;
                break;
            }
            _ => {}
        }
    }
    let text = line.text[..end].trim_end();
    Ident { text, span: Span { end: line.span.start + text.len() as u32, ..line.span } }
}

/// A statement as text, and how it ended.
pub(super) struct StatementText<'s> {
    /// The text without its semicolon; comments inside are kept.
    pub(super) text: Ident<'s>,
    /// The `///` lines right before it.
    pub(super) doc: Vec<&'s str>,
    pub(super) ended: Ended,
}

/// How a statement ended.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(super) enum Ended {
    /// By its semicolon.
    Semicolon,
    /// By the next statement, a blank line or the end of the section.
    Missing,
}

/// Joins lines to statements. `begins` tells whether a line begins a statement although the
/// one before lacks its semicolon.
pub(super) fn statements<'s>(
    text: &'s str,
    lines: &[Ident<'s>],
    begins: impl Fn(&str) -> bool,
) -> Vec<StatementText<'s>> {
    let mut out: Vec<StatementText<'s>> = Vec::new();
    let mut doc = Vec::new();
    let mut open: Option<Span> = None;
    let mut close = |open: &mut Option<Span>, doc: &mut Vec<&'s str>, ended: Ended| {
        if let Some(span) = open.take() {
            let text = Ident { text: &text[span.range()], span };
            out.push(StatementText { text, doc: std::mem::take(doc), ended });
        }
    };
    for line in lines {
        let trim = trimmed(*line);
        if open.is_some() && (trim.text.is_empty() || begins(trim.text)) {
            close(&mut open, &mut doc, Ended::Missing);
        }
        if let Some(line) = trim.text.strip_prefix("///").filter(|_| open.is_none()) {
            doc.push(line.trim());
            continue;
        }
        let mut rest = without_comment(trim);
        while !rest.text.is_empty() {
            let (length, semicolon) = statement_end(rest.text);
            let (piece, after) = rest.text.split_at(length);
            let end = rest.span.start + piece.trim_end().len() as u32;
            if !piece.trim().is_empty() || open.is_some() {
                let start = open.map_or(rest.span.start, |span| span.start);
                open = Some(Span { start, end: end.max(start), ..rest.span });
            }
            if !semicolon {
                break;
            }
            close(&mut open, &mut doc, Ended::Semicolon);
            let start = rest.span.start + length as u32 + 1;
            rest = trimmed(Ident { text: &after[1..], span: Span { start, ..rest.span } });
        }
    }
    close(&mut open, &mut doc, Ended::Missing);
    out
}

/// Bytes before the first `;` outside of a string, and whether there is one.
fn statement_end(text: &str) -> (usize, bool) {
    let mut in_string = false;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'"' => in_string = !in_string,
            b';' if !in_string => return (i, true),
            _ => {}
        }
    }
    (text.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    fn split(text: &str) -> Vec<String> {
        let mut map = SourceMap::new();
        let id = map.add("test", text.as_bytes().to_vec());
        let lines: Vec<Ident> = lines(id, map.file(id).text()).collect();
        statements(map.file(id).text(), &lines, |line| line.starts_with("field"))
            .iter()
            .map(|s| {
                format!("{}{}", s.text.text, if s.ended == Ended::Semicolon { ";" } else { "!" })
            })
            .collect()
    }

    #[test]
    fn statements_end_at_semicolons_outside_strings_and_comments() {
        assert_eq!(split("a; b ; // c; d\n\"x;y\" z;\n"), ["a;", "b;", "\"x;y\" z;"]);
    }

    #[test]
    fn a_statement_may_span_lines_but_not_a_blank_one() {
        assert_eq!(split("a\n  b;\nc\n\nd;"), ["a\n  b;", "c!", "d;"]);
    }

    #[test]
    fn a_missing_semicolon_does_not_swallow_the_next_statement() {
        assert_eq!(split("field 1\nfield 2;\n"), ["field 1!", "field 2;"]);
    }
}
