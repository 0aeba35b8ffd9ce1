//! Findings without references to their sources.

use std::path::PathBuf;

use isadl::diagnostic::{Diagnostic, Diagnostics, Severity};
use isadl::levels::Levels;
use isadl::render::{Colour, Style, render};
use isadl::source::SourceMap;

/// A finding of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The code, such as `E0401`.
    pub code: &'static str,
    /// Whether it is an error; otherwise it is a warning.
    pub is_error: bool,
    /// What is wrong.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// Why.
    pub notes: Vec<String>,
    /// How to fix it.
    pub helps: Vec<String>,
    /// All of it for people, with an excerpt of the file.
    pub rendered: String,
}

impl Finding {
    fn of(found: &Diagnostic, sources: &SourceMap) -> Finding {
        let span = found.primary.span;
        let (line, column) = sources.position(span.file, span.start);
        Finding {
            code: found.code.as_str(),
            is_error: found.severity == Severity::Error,
            message: found.message.clone(),
            file: sources.file(span.file).name().to_string(),
            line,
            column,
            notes: found.notes.clone(),
            helps: found.helps.iter().map(|help| help.text.clone()).collect(),
            rendered: render(found, sources, Style::Full, Colour::None),
        }
    }

    /// The findings that are errors or warnings.
    pub(crate) fn all(found: &Diagnostics, sources: &SourceMap) -> Vec<Finding> {
        found.iter().map(|one| Finding::of(one, sources)).collect()
    }
}

/// Checks a folder of specification files, or files; the findings in order of their places, with the levels that lints have by default.
///
/// # Errors
///
/// If a file cannot be read.
pub fn check(paths: &[PathBuf]) -> std::io::Result<Vec<Finding>> {
    let sources = SourceMap::read(paths)?;
    let mut compilation = isadl::compile(&sources);
    compilation.diagnostics.apply(&Levels::default());
    Ok(Finding::all(&compilation.diagnostics, &sources))
}
