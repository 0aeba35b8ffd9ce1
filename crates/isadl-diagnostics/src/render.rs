//! Diagnostics as text: source excerpts with marks, in colour if requested.

use std::borrow::Cow;

use codespan_reporting::diagnostic as report;
use codespan_reporting::files::{Error, Files, column_index};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use codespan_reporting::term::{self, Config, DisplayStyle};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{FileId, SourceFile, SourceMap};
use crate::visible::{visible, visible_line};

/// How much to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// With source excerpts, notes and helps.
    Full,
    /// One line: place, severity, code, message.
    Short,
}

/// Whether to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// ANSI escape sequences.
    Ansi,
    /// Plain text.
    None,
}

/// One diagnostic as text that ends with a line end.
pub fn render(
    diagnostic: &Diagnostic,
    sources: &SourceMap,
    style: Style,
    colour: Colour,
) -> String {
    let display_style = match style {
        Style::Full if !shows_long_line(diagnostic, sources) => DisplayStyle::Rich,
        _ => DisplayStyle::Short,
    };
    let config = Config { display_style, ..Config::default() };
    let report = report_of(diagnostic, sources);
    let sources = &Visible(sources);
    let mut plain = NoColor::new(Vec::new());
    let mut ansi = Ansi::new(Vec::new());
    // Writing to memory does not fail, and every span lies inside its file.
    let (written, bytes) = match colour {
        Colour::Ansi => {
            (term::emit_to_write_style(&mut ansi, &config, sources, &report), ansi.into_inner())
        }
        Colour::None => {
            (term::emit_to_write_style(&mut plain, &config, sources, &report), plain.into_inner())
        }
    };
    match written {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => format!(
            "{}[{}]: {} ({error})\n",
            diagnostic.severity.as_str(),
            diagnostic.code,
            visible(&diagnostic.message)
        ),
    }
}

/// The longest source line that is shown as an excerpt, in bytes.
const MAX_LINE: usize = 2000;

/// Whether an excerpt would show a line that is too long to read.
fn shows_long_line(diagnostic: &Diagnostic, sources: &SourceMap) -> bool {
    let labels = std::iter::once(&diagnostic.primary).chain(&diagnostic.related);
    labels.map(|label| label.span).any(|span| {
        let Some(file) = sources.get(span.file) else { return false };
        let starts = file.line_starts();
        let length = |byte: u32| {
            let next = starts.partition_point(|start| *start <= byte);
            let end = starts.get(next).map_or(file.text().len(), |end| *end as usize);
            end - starts[next.saturating_sub(1)] as usize
        };
        [span.start, span.end].into_iter().any(|byte| length(byte) > MAX_LINE)
    })
}

fn report_of(diagnostic: &Diagnostic, sources: &SourceMap) -> report::Diagnostic<FileId> {
    let severity = match diagnostic.severity {
        Severity::Error => report::Severity::Error,
        Severity::Warning => report::Severity::Warning,
    };
    let label = |style, label: &Label| {
        let range = label.span.range();
        let place = |at| sources.get(label.span.file).map_or(at, |file| file.shown_place(at));
        report::Label::new(style, label.span.file, place(range.start)..place(range.end))
            .with_message(visible(&label.text))
    };
    let mut labels = vec![label(report::LabelStyle::Primary, &diagnostic.primary)];
    let related = diagnostic.related.iter();
    labels.extend(related.map(|related| label(report::LabelStyle::Secondary, related)));
    let notes = diagnostic.notes.iter().map(|note| format!("note: {}", visible(note)));
    let helps = diagnostic.helps.iter().map(|help| format!("help: {}", visible(&help.text)));
    report::Diagnostic::new(severity)
        .with_code(diagnostic.code.as_str())
        .with_message(visible(&diagnostic.message))
        .with_labels(labels)
        .with_notes(notes.chain(helps).collect())
}

/// Texts as they may be shown; locations refer to the shown texts.
struct Visible<'s>(&'s SourceMap);

impl Visible<'_> {
    fn file(&self, id: FileId) -> Result<&SourceFile, Error> {
        self.0.get(id).ok_or(Error::FileMissing)
    }
}

impl<'a> Files<'a> for Visible<'_> {
    type FileId = FileId;
    type Name = Cow<'a, str>;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<Cow<'a, str>, Error> {
        Ok(visible_line(self.file(id)?.name()))
    }

    fn source(&'a self, id: FileId) -> Result<&'a str, Error> {
        Ok(self.file(id)?.shown_text())
    }

    fn line_index(&'a self, id: FileId, byte: usize) -> Result<usize, Error> {
        let starts = self.file(id)?.shown_line_starts();
        Ok(starts.partition_point(|start| *start as usize <= byte).saturating_sub(1))
    }

    fn line_number(&'a self, id: FileId, line: usize) -> Result<usize, Error> {
        Ok(self.file(id)?.line_number(line))
    }

    fn column_number(&'a self, id: FileId, line: usize, byte: usize) -> Result<usize, Error> {
        let file = self.file(id)?;
        let range = self.line_range(id, line)?;
        // Lines may be very long, with thousands of findings.
        let column = match file.is_ascii() {
            true => byte.clamp(range.start, range.end) - range.start,
            false => column_index(file.shown_text(), range, byte),
        };
        Ok(file.margin(line) + column + 1)
    }

    fn line_range(&'a self, id: FileId, line: usize) -> Result<std::ops::Range<usize>, Error> {
        let file = self.file(id)?;
        let starts = file.shown_line_starts();
        let max = starts.len() - 1;
        let start = starts.get(line).copied().ok_or(Error::LineTooLarge { given: line, max })?;
        let end = starts.get(line + 1).map_or(file.shown_text().len(), |end| *end as usize);
        Ok(start as usize..end)
    }
}
