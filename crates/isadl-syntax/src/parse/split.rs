//! Cuts a file into definitions and sections by a scan over its lines; `statements.rs` cuts
//! their lines further.
//!
//! Invariant: the pieces are disjoint, in order, and contain every line that is neither blank nor a comment. One
//! exception: an unclosed code fence loses its opening line.

use super::fences::{FenceEnd, Fences};
use super::{KEYWORDS, first_word};
use crate::ast::{Ident, SectionKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::source::{FileId, Span, content};
use crate::suggest::nearest;

/// A definition as lines: its header and the sections under it.
pub(super) struct Chunk<'s> {
    pub(super) header: Ident<'s>,
    /// The lines before the first section.
    pub(super) body: Vec<Ident<'s>>,
    pub(super) sections: Vec<SectionLines<'s>>,
}

/// A section as lines, without the opening line.
pub(super) struct SectionLines<'s> {
    /// The kind of section; `None` if its name was reported and is not close to a known name.
    pub(super) kind: Option<SectionKind>,
    pub(super) heading: Span,
    pub(super) lines: Vec<Ident<'s>>,
}

/// Splits `text` into definitions.
pub(super) fn definitions<'s>(
    file: FileId,
    text: &'s str,
    diagnostics: &mut Diagnostics,
) -> Vec<Chunk<'s>> {
    let lines: Vec<Ident<'s>> = lines(file, text).collect();
    let mut splitter = Splitter {
        lines: &lines,
        fences: Fences::of(&lines),
        chunks: Vec::new(),
        stray: Stray::None,
        diagnostics,
    };
    let mut next = 0;
    while next < lines.len() {
        next = splitter.line(next);
    }
    splitter.chunks
}

/// The lines of a text, without their line ends and without a byte order mark.
pub(super) fn lines<'s>(file: FileId, text: &'s str) -> impl Iterator<Item = Ident<'s>> {
    let content = content(text);
    let mut start = (text.len() - content.len()) as u32;
    content.split_inclusive('\n').map(move |line| {
        let text = line.trim_end_matches(['\n', '\r']);
        let span = Span { file, start, end: start + text.len() as u32 };
        start += line.len() as u32;
        Ident { text, span }
    })
}

/// The line without white space around it.
pub(super) fn trimmed<'s>(line: Ident<'s>) -> Ident<'s> {
    let before = line.text.len() - line.text.trim_start().len();
    let text = line.text.trim();
    let start = line.span.start + before as u32;
    Ident { text, span: Span { start, end: start + text.len() as u32, ..line.span } }
}

struct Splitter<'s, 'd> {
    lines: &'d [Ident<'s>],
    fences: Fences,
    chunks: Vec<Chunk<'s>>,
    stray: Stray,
    diagnostics: &'d mut Diagnostics,
}

/// The state of text before the first definition: it is a single error, whatever its length.
#[derive(PartialEq)]
enum Stray {
    None,
    Reported,
}

impl<'s> Splitter<'s, '_> {
    /// Processes the line of index `at`; returns the index of the next line to process.
    fn line(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let trim = trimmed(line);
        if opens_definition(line.text) {
            self.open_definition(trim);
        } else if is_section_line(trim.text) {
            self.open_section(trim);
        } else if let Some(end) = self.fences.end(at) {
            return self.fence(at, end);
        } else {
            self.content(line);
        }
        at + 1
    }

    /// Processes a code fence. One that is not closed extends to the next line that begins a section
    /// or definition, or to a line that opens a fence of the same kind.
    fn fence(&mut self, at: usize, end: FenceEnd) -> usize {
        let lines = self.lines;
        let (from, next) = match end {
            FenceEnd::Closed(last) => (at, last + 1),
            FenceEnd::Missing(limit) => {
                let begins = |line: &Ident<'_>| {
                    opens_definition(line.text) || is_section_line(trimmed(*line).text)
                };
                let begin = lines[at + 1..limit].iter().position(begins);
                let next = begin.map_or(limit, |offset| at + 1 + offset);
                self.diagnostics.push(open_fence(&lines[at..next]));
                (at + 1, next)
            }
        };
        lines[from..next].iter().for_each(|line| self.content(*line));
        next
    }

    /// Drops comment lines in the first column right before a definition: they describe that
    /// definition, even if the section before it is prose.
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
        let header = without_comment(header);
        self.chunks.push(Chunk { header, body: Vec::new(), sections: Vec::new() });
    }

    fn open_section(&mut self, line: Ident<'s>) {
        let Some(chunk) = self.chunks.last_mut() else {
            self.stray(line);
            return;
        };
        let known = SectionKind::ALL.map(SectionKind::heading);
        let kind_of = |text: &str| SectionKind::ALL.into_iter().find(|kind| kind.heading() == text);
        let mut kind = kind_of(line.text);
        if kind.is_none() {
            kind = nearest(line.text, known).and_then(|near| kind_of(&near));
            self.diagnostics.push(
                Diagnostic::new(Code::E0104, format!("unknown section `{}`", line.text), line.span)
                    .with_note(format!("the sections are {}", known.join(", ")))
                    .with_suggestion(line.text, known)
                    .certain_if_only(line.text, &known),
            );
        }
        chunk.sections.push(SectionLines { kind, heading: line.span, lines: Vec::new() });
    }

    fn content(&mut self, line: Ident<'s>) {
        match self.chunks.last_mut() {
            Some(Chunk { sections, body, .. }) => match sections.last_mut() {
                Some(section) => section.lines.push(line),
                None => body.push(line),
            },
            None => self.stray(trimmed(line)),
        }
    }

    fn stray(&mut self, line: Ident<'s>) {
        let is_text = !line.text.is_empty() && !line.text.starts_with("//");
        if !is_text || self.stray == Stray::Reported {
            return;
        }
        self.stray = Stray::Reported;
        self.diagnostics.push(
            Diagnostic::new(Code::E0107, "text outside a definition", line.span)
                .with_note(
                    "a file contains definitions; each begins in the first column with `__Def…`",
                )
                .with_change(
                    "put `//` before it if it is a comment",
                    Old::Span(Span { end: line.span.start, ..line.span }),
                    "// ",
                ),
        );
    }
}

/// The error for a fence that opens in the first of these lines and is not closed.
fn open_fence(lines: &[Ident<'_>]) -> Diagnostic {
    let opened = trimmed(lines[0]);
    let is_mark = |c: &char| opened.text.starts_with(*c);
    let marks: String = opened.text.chars().take_while(is_mark).collect();
    let last = lines.iter().rev().map(|line| trimmed(*line)).find(|line| !line.text.is_empty());
    let end = last.map_or(opened.span.end, |line| line.span.end);
    Diagnostic::new(Code::E0106, "code fence is not closed", opened.span)
        .with_label("opened here")
        .with_change(
            "close it with a line of the same number of backticks",
            Old::Span(Span { start: end, end, ..opened.span }),
            format!("\n{marks}"),
        )
}

/// Whether a line begins a definition, perhaps with a misspelt keyword.
fn opens_definition(line: &str) -> bool {
    line.starts_with("__Def") || (line.starts_with("__") && is_misspelt_header(line))
}

fn is_misspelt_header(line: &str) -> bool {
    let word = first_word(line);
    let rest = line[word.len()..].trim_start();
    let behind = rest[first_word(rest).len()..].trim_start();
    !rest.starts_with(behind)
        && behind.starts_with([':', '<'])
        && nearest(word, KEYWORDS.map(|(keyword, _)| keyword)).is_some()
}

/// Whether a line consists of `__Name` only.
fn is_section_line(trimmed: &str) -> bool {
    trimmed.strip_prefix("__").is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// The text before a `//` that is not inside a string, without trailing white space.
pub(super) fn without_comment<'s>(line: Ident<'s>) -> Ident<'s> {
    let comment = |text: &str| text.as_bytes().windows(2).position(|pair| pair == b"//");
    let end = find_outside_strings(line.text, comment).unwrap_or(line.text.len());
    let text = line.text[..end].trim_end();
    Ident { text, span: Span { end: line.span.start + text.len() as u32, ..line.span } }
}

/// The first position outside quoted strings that `find_in` finds. A quote that is not closed
/// before the line ends is a mistake, and does not enclose anything.
pub(super) fn find_outside_strings(
    line: &str,
    find_in: impl Fn(&str) -> Option<usize>,
) -> Option<usize> {
    let find = |from: usize| find_in(&line[from..]).map(|at| from + at);
    let mut from = 0;
    let mut at = find(0)?;
    while let Some(quote) = line[from..at].find('"').map(|quote| from + quote) {
        let Some(length) = line[quote + 1..].find('"') else { return find(quote + 1) };
        from = quote + 1 + length + 1;
        if from > at {
            at = find(from)?;
        }
    }
    Some(at)
}
