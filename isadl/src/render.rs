//! Diagnostics as text: source excerpts with marks, in colour where wanted.

use codespan_reporting::diagnostic as report;
use codespan_reporting::files::{Error, Files, column_index};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use codespan_reporting::term::{self, Config, DisplayStyle};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{FileId, SourceMap};

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
    let report = report_of(diagnostic);
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
            diagnostic.message
        ),
    }
}

/// Longest source line that is worth an excerpt, in bytes.
const MAX_LINE: usize = 2000;

/// Whether an excerpt would show a line that nobody could read.
fn shows_long_line(diagnostic: &Diagnostic, sources: &SourceMap) -> bool {
    let labels = std::iter::once(&diagnostic.primary).chain(&diagnostic.related);
    labels.map(|label| label.span).any(|span| {
        let line = |byte: u32| {
            let line = sources.line_index(span.file, byte as usize).ok()?;
            sources.line_range(span.file, line).ok()
        };
        [span.start, span.end].into_iter().filter_map(line).any(|line| line.len() > MAX_LINE)
    })
}

fn report_of(diagnostic: &Diagnostic) -> report::Diagnostic<FileId> {
    let severity = match diagnostic.severity {
        Severity::Error => report::Severity::Error,
        Severity::Warning => report::Severity::Warning,
    };
    let primary = &diagnostic.primary;
    let mut labels = vec![
        report::Label::primary(primary.span.file, primary.span.range()).with_message(&primary.text),
    ];
    for label in &diagnostic.related {
        labels.push(
            report::Label::secondary(label.span.file, label.span.range()).with_message(&label.text),
        );
    }
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let helps = diagnostic.helps.iter().map(|help| format!("help: {help}"));
    report::Diagnostic::new(severity)
        .with_code(diagnostic.code.as_str())
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(notes.chain(helps).collect())
}

impl<'a> Files<'a> for SourceMap {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<&'a str, Error> {
        self.get(id).map(|file| file.name()).ok_or(Error::FileMissing)
    }

    fn source(&'a self, id: FileId) -> Result<&'a str, Error> {
        self.get(id).map(|file| file.text()).ok_or(Error::FileMissing)
    }

    fn line_index(&'a self, id: FileId, byte: usize) -> Result<usize, Error> {
        let starts = self.get(id).ok_or(Error::FileMissing)?.line_starts();
        Ok(starts.partition_point(|start| *start as usize <= byte).saturating_sub(1))
    }

    fn line_number(&'a self, id: FileId, line: usize) -> Result<usize, Error> {
        self.get(id).map(|file| file.line_number(line)).ok_or(Error::FileMissing)
    }

    fn column_number(&'a self, id: FileId, line: usize, byte: usize) -> Result<usize, Error> {
        let file = self.get(id).ok_or(Error::FileMissing)?;
        let range = self.line_range(id, line)?;
        Ok(file.margin(line) + column_index(file.text(), range, byte) + 1)
    }

    fn line_range(&'a self, id: FileId, line: usize) -> Result<std::ops::Range<usize>, Error> {
        let file = self.get(id).ok_or(Error::FileMissing)?;
        let starts = file.line_starts();
        let max = starts.len() - 1;
        let start = starts.get(line).copied().ok_or(Error::LineTooLarge { given: line, max })?;
        let end = starts.get(line + 1).map_or(file.text().len(), |end| *end as usize);
        Ok(start as usize..end)
    }
}
