//! Machine-readable output: one JSON object per line.

use isadl::Compilation;
use isadl::diagnostic::{Certainty, Diagnostic, Fix, Label, Severity};
use isadl::render::{Colour, Style, render};
use isadl::source::{SourceMap, Span};
use isadl::visible::is_hidden;
use serde::Serialize;

use crate::Failure;
use crate::laws::Tried;

/// A diagnostic in the format of rustc's `--error-format=json`.
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
    /// Numbers of a check; only in the message at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<MessageCounts>,
}

/// The numbers in the summary of a check.
#[derive(Serialize)]
struct MessageCounts {
    files: usize,
    types: usize,
    groups: usize,
    optypes: usize,
    opcodes: usize,
    programs: usize,
    /// Examples with claims that were tried, and laws.
    examples: usize,
    laws: usize,
    errors: usize,
    warnings: usize,
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
    text: Vec<MessageLine<'a>>,
    label: Option<&'a str>,
    suggested_replacement: Option<&'a str>,
    suggestion_applicability: Option<&'static str>,
    /// Always empty, since nothing is expanded from a macro.
    expansion: Option<()>,
}

/// A line of the source, and the highlighted columns, from 1.
#[derive(Serialize)]
struct MessageLine<'a> {
    text: &'a str,
    highlight_start: usize,
    highlight_end: usize,
}

/// A diagnostic as a line of JSON.
pub(crate) fn diagnostic(diagnostic: &Diagnostic, sources: &SourceMap) -> Result<String, Failure> {
    let mut spans = vec![span(&diagnostic.primary, sources, Rank::Primary)];
    spans.extend(diagnostic.related.iter().map(|label| span(label, sources, Rank::Related)));
    let child = |level, message, spans| Message {
        message_type: "diagnostic",
        message,
        code: None,
        level,
        spans,
        children: Vec::new(),
        rendered: None,
        counts: None,
    };
    let notes = diagnostic.notes.iter().map(|note| child("note", note.as_str(), Vec::new()));
    let helps = diagnostic.helps.iter().map(|help| {
        let fix = help.fix.iter().filter_map(|fix| replacement(diagnostic, fix, sources));
        child("help", help.text.as_str(), fix.collect())
    });
    let code = diagnostic.code;
    line(&Message {
        message_type: "diagnostic",
        message: &diagnostic.message,
        code: Some(MessageCode { code: code.as_str(), explanation: code.page() }),
        level: diagnostic.severity.as_str(),
        spans,
        children: notes.chain(helps).collect(),
        rendered: Some(render(diagnostic, sources, Style::Full, Colour::None)),
        counts: None,
    })
}

/// The summary of a check as a line of JSON: a note, like the messages with which rustc ends.
pub(crate) fn summary(
    text: &str,
    compilation: &Compilation,
    tried: Tried,
) -> Result<String, Failure> {
    let (counts, found) = (compilation.counts, &compilation.diagnostics);
    line(&Message {
        message_type: "diagnostic",
        message: text.trim_end(),
        code: None,
        level: "note",
        spans: Vec::new(),
        children: Vec::new(),
        rendered: Some(text.to_string()),
        counts: Some(MessageCounts {
            files: counts.files,
            types: counts.types,
            groups: counts.groups,
            optypes: counts.optypes,
            opcodes: counts.opcodes,
            programs: counts.programs,
            examples: tried.examples,
            laws: tried.laws,
            errors: found.count(Severity::Error),
            warnings: found.count(Severity::Warning),
        }),
    })
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

/// Whether a span is the location of the problem.
#[derive(PartialEq)]
enum Rank {
    Primary,
    Related,
}

fn span<'a>(label: &'a Label, sources: &'a SourceMap, rank: Rank) -> MessageSpan<'a> {
    MessageSpan {
        is_primary: rank == Rank::Primary,
        label: Some(label.text.as_str()).filter(|text| !text.is_empty()),
        ..place(label.span, sources)
    }
}

/// Whether a tool may follow a suggestion without asking, in the words of rustc.
pub(crate) fn applicability(fix: &Fix) -> &'static str {
    match fix.certainty {
        Certainty::Certain => "MachineApplicable",
        Certainty::Guess => "MaybeIncorrect",
    }
}

/// The location and the text of a fix, if it is a single replacement.
fn replacement<'a>(
    diagnostic: &Diagnostic,
    fix: &'a Fix,
    sources: &'a SourceMap,
) -> Option<MessageSpan<'a>> {
    Some(MessageSpan {
        suggested_replacement: Some(&fix.new),
        suggestion_applicability: Some(applicability(fix)),
        ..place(isadl::fix::place(diagnostic, fix, sources)?, sources)
    })
}

fn place<'a>(span: Span, sources: &'a SourceMap) -> MessageSpan<'a> {
    let (line_start, column_start) = sources.position(span.file, span.start);
    let (line_end, column_end) = sources.position(span.file, span.end);
    MessageSpan {
        file_name: sources.file(span.file).name(),
        byte_start: span.start,
        byte_end: span.end,
        line_start,
        line_end,
        column_start,
        column_end,
        is_primary: true,
        text: lines(span, sources),
        label: None,
        suggested_replacement: None,
        suggestion_applicability: None,
        expansion: None,
    }
}

/// The lines of a span.
fn lines(span: Span, sources: &SourceMap) -> Vec<MessageLine<'_>> {
    let file = sources.file(span.file);
    let starts = file.line_starts();
    let line_of = |at: u32| starts.partition_point(|start| *start <= at).saturating_sub(1);
    let all = line_of(span.start)..=line_of(span.end);
    let line = |index: usize| {
        let start = starts[index] as usize;
        let end = starts.get(index + 1).map_or(file.text().len(), |next| *next as usize);
        let text = file.text()[start..end].trim_end_matches(['\n', '\r']);
        let column = |at: u32| {
            let at = (at as usize).clamp(start, start + text.len());
            file.text()[start..at].chars().count() + 1
        };
        MessageLine { text, highlight_start: column(span.start), highlight_end: column(span.end) }
    };
    all.map(line).collect()
}
