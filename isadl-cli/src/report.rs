//! Output: diagnostics for people and machines, and lines of text.

use std::io::Write;

use isadl::diagnostic::{Code, Diagnostic, Diagnostics, Label, Severity};
use isadl::render::{Colour, Style, render};
use isadl::source::SourceMap;
use isadl::visible::{is_hidden, visible};
use serde::Serialize;

use crate::args::{Format, Input};
use crate::{Failure, Outcome};

/// Prints text on standard output. A reader that goes away early is no error.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Usage(error.to_string()))
        }
        _ => Ok(()),
    }
}

/// Prints a message about the call itself on standard error.
pub(crate) fn complain(message: &str) {
    note(&format!("error: {message}\n"));
}

/// Prints lines about the call itself on standard error.
pub(crate) fn note(text: &str) {
    print_errors(&visible(text));
}

/// Prints text on standard error; there is nobody to tell if that fails.
fn print_errors(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Prints the diagnostics of one instruction set as the user wants them.
pub(crate) fn diagnostics(
    diagnostics: &Diagnostics,
    sources: &SourceMap,
    input: &Input,
) -> Outcome {
    let limit = input.max_errors.unwrap_or(usize::MAX);
    let mut errors = 0;
    let mut hidden = 0;
    let mut text = String::new();
    for diagnostic in diagnostics.iter() {
        if diagnostic.severity == Severity::Error {
            errors += 1;
        }
        if errors > limit {
            hidden += 1;
            continue;
        }
        text += &match input.format {
            Format::Human => render(diagnostic, sources, Style::Full, Colour::Ansi),
            Format::Short => render(diagnostic, sources, Style::Short, Colour::Ansi),
            Format::Json => json(diagnostic, sources)?,
        };
    }
    if input.format == Format::Json {
        return print(&text);
    }
    if hidden > 0 {
        text += &format!("{hidden} more diagnostics are not shown (--max-errors {limit})\n");
    }
    print_errors(&text);
    Ok(())
}

/// A diagnostic in the shape that rustc's `--error-format=json` has.
#[derive(Serialize)]
struct Message<'a> {
    #[serde(rename = "$message_type")]
    message_type: &'static str,
    message: &'a str,
    code: Option<MessageCode>,
    level: &'static str,
    spans: Vec<MessageSpan<'a>>,
    children: Vec<Message<'a>>,
    rendered: Option<String>,
}

#[derive(Serialize)]
struct MessageCode {
    code: &'static str,
    explanation: &'static str,
}

#[derive(Serialize)]
struct MessageSpan<'a> {
    file_name: &'a str,
    byte_start: u32,
    byte_end: u32,
    line_start: usize,
    line_end: usize,
    column_start: usize,
    column_end: usize,
    is_primary: bool,
    label: Option<&'a str>,
}

fn json(diagnostic: &Diagnostic, sources: &SourceMap) -> Result<String, Failure> {
    let mut spans = vec![span(&diagnostic.primary, sources, Rank::Primary)];
    spans.extend(diagnostic.related.iter().map(|label| span(label, sources, Rank::Related)));
    let child = |level, message| Message {
        message_type: "diagnostic",
        message,
        code: None,
        level,
        spans: Vec::new(),
        children: Vec::new(),
        rendered: None,
    };
    let notes = diagnostic.notes.iter().map(|note| child("note", note.as_str()));
    let helps = diagnostic.helps.iter().map(|help| child("help", help.as_str()));
    let message = Message {
        message_type: "diagnostic",
        message: &diagnostic.message,
        code: Some(code(diagnostic.code)),
        level: diagnostic.severity.as_str(),
        spans,
        children: notes.chain(helps).collect(),
        rendered: Some(render(diagnostic, sources, Style::Full, Colour::None)),
    };
    line(&message)
}

/// A value as a line of JSON. Characters that a terminal would act on are escaped.
pub(crate) fn line(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::Usage(error.to_string()))?;
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                line += &format!("\\u{unit:04x}");
            }
        } else {
            line.push(c);
        }
    }
    line.push('\n');
    Ok(line)
}

fn code(code: Code) -> MessageCode {
    MessageCode { code: code.as_str(), explanation: code.page() }
}

/// Whether a span is where the problem is.
#[derive(PartialEq)]
enum Rank {
    Primary,
    Related,
}

fn span<'a>(label: &'a Label, sources: &'a SourceMap, rank: Rank) -> MessageSpan<'a> {
    let (line_start, column_start) = sources.position(label.span.file, label.span.start);
    let (line_end, column_end) = sources.position(label.span.file, label.span.end);
    MessageSpan {
        file_name: sources.file(label.span.file).name(),
        byte_start: label.span.start,
        byte_end: label.span.end,
        line_start,
        line_end,
        column_start,
        column_end,
        is_primary: rank == Rank::Primary,
        label: Some(label.text.as_str()).filter(|text| !text.is_empty()),
    }
}
