//! Findings as commands of GitHub's workflows.

use isadl::diagnostic::Diagnostic;
use isadl::source::SourceMap;
use isadl::visible::{visible, visible_line};

/// A finding as a command of GitHub's workflows (GitHub Docs, "Workflow commands", "Setting an error message").
pub(crate) fn command(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let span = diagnostic.primary.span;
    let (line, column) = sources.position(span.file, span.start);
    let (end_line, end_column) = sources.position(span.file, span.end);
    let mut text = diagnostic.message.clone();
    let label = Some(&diagnostic.primary.text).filter(|text| !text.is_empty());
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let helps = diagnostic.helps.iter().map(|help| format!("help: {}", help.text));
    for more in label.cloned().into_iter().chain(notes).chain(helps) {
        text += &format!("\n{more}");
    }
    // Columns only apply to a range within one line.
    let columns = match line == end_line {
        true => format!(",col={column},endColumn={end_column}"),
        false => String::new(),
    };
    format!(
        "::{} file={},line={line},endLine={end_line}{columns},title={}::{}\n",
        diagnostic.severity.as_str(),
        property(&visible_line(sources.file(span.file).name())),
        diagnostic.code,
        data(&visible(&text)),
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
