//! Output: diagnostics for people and machines, and lines of text.

use std::io::Write;

use isadl::diagnostic::{Diagnostics, Severity};
use isadl::render::{Colour, Style, render};
use isadl::source::SourceMap;
use isadl::visible::visible;

use crate::args::{Format, Input};
use crate::{Failure, Outcome, github, json, sarif};

/// Prints text on standard output. A reader that closes the pipe early is not an error.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Usage(error.to_string()))
        }
        _ => Ok(()),
    }
}

/// Prints an error message about the invocation on standard error.
pub(crate) fn complain(message: &str) {
    note(&format!("error: {message}\n"));
}

/// Prints lines about the invocation on standard error.
pub(crate) fn note(text: &str) {
    print_errors(&visible(text));
}

/// Prints text on standard error; a failure to do so cannot be reported.
fn print_errors(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Prints the diagnostics of one instruction set in the chosen format.
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
            Format::Json => json::diagnostic(diagnostic, sources)?,
            Format::Github => github::command(diagnostic, sources),
            Format::Sarif => {
                input.collected.borrow_mut().push(sarif::result(diagnostic, sources));
                continue;
            }
        };
    }
    if matches!(input.format, Format::Json | Format::Github) {
        return print(&text);
    }
    if hidden > 0 {
        text += &format!("{hidden} more diagnostics are not shown (--max-errors {limit})\n");
    }
    print_errors(&text);
    Ok(())
}

/// Prints the end of a format's document after a run with any outcome except wrong usage.
pub(crate) fn finish(input: &Input, outcome: Outcome) -> Outcome {
    if input.format == Format::Sarif && !matches!(outcome, Err(Failure::Usage(_))) {
        print(&json::line(&sarif::log(&input.collected.borrow()))?)?;
    }
    outcome
}
