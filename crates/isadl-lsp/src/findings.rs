//! Findings of the compiler, and their suggestions as changes.

use std::collections::HashMap;
use std::path::PathBuf;

use isadl::diagnostic::{Certainty, Diagnostic, Old, Severity};
use isadl::source::{FileId, SourceMap, Span};
use lsp_types as lsp;
use serde::{Deserialize, Serialize};

use crate::text::{Text, uri};

/// A suggestion, kept with the finding until it is asked for.
#[derive(Serialize, Deserialize)]
pub(crate) struct Suggestion {
    title: String,
    range: lsp::Range,
    new_text: String,
    is_certain: bool,
}

/// The findings of each file. Files without findings have an empty list.
pub(crate) fn by_file<'d>(
    found: impl Iterator<Item = &'d Diagnostic> + Clone,
    sources: &SourceMap,
    paths: &[PathBuf],
) -> HashMap<PathBuf, Vec<lsp::Diagnostic>> {
    let mut files: HashMap<PathBuf, Vec<lsp::Diagnostic>> =
        paths.iter().map(|path| (path.clone(), Vec::new())).collect();
    let ids: Vec<FileId> = sources.ids().collect();
    let texts: HashMap<FileId, Text> = found
        .clone()
        .flat_map(|finding| finding.related.iter().chain([&finding.primary]))
        .map(|label| label.span.file)
        .collect::<std::collections::HashSet<FileId>>()
        .into_iter()
        .map(|id| (id, Text::new(sources.file(id).text().to_string())))
        .collect();
    let path = |span: Span| {
        let at = ids.iter().position(|id| *id == span.file);
        at.and_then(|at| paths.get(at))
    };
    for finding in found {
        let Some(of) = path(finding.primary.span) else { continue };
        let made = made(finding, (sources, &texts), &path);
        files.entry(of.clone()).or_default().push(made);
    }
    files
}

fn made<'p>(
    finding: &Diagnostic,
    (sources, texts): (&SourceMap, &HashMap<FileId, Text>),
    path: &impl Fn(Span) -> Option<&'p PathBuf>,
) -> lsp::Diagnostic {
    // Every file with a finding has a text.
    let range = |span: Span| {
        let range = span.start as usize..span.end as usize;
        texts.get(&span.file).map_or(lsp::Range::default(), |text| text.range(range))
    };
    let mut message = finding.message.clone();
    if !finding.primary.text.is_empty() {
        message += &format!("\n{}", finding.primary.text);
    }
    finding.notes.iter().for_each(|note| message += &format!("\nnote: {note}"));
    finding.helps.iter().for_each(|help| message += &format!("\nhelp: {}", help.text));
    let related = finding.related.iter().filter_map(|label| {
        let location = lsp::Location { uri: uri(path(label.span)?)?, range: range(label.span) };
        Some(lsp::DiagnosticRelatedInformation { location, message: label.text.clone() })
    });
    let suggestions = finding.helps.iter().filter_map(|help| {
        let fix = help.fix.as_ref()?;
        let place = isadl::fix::place(finding, fix, sources)?;
        let old = sources.text(place);
        Some(Suggestion {
            title: match (fix.new.as_str(), &fix.old) {
                ("", Old::Definition(name)) => format!("Remove `{}`", sources.text(*name)),
                ("", _) => format!("Remove `{}`", first_line(old)),
                (new, _) if old.is_empty() => format!("Add `{}`", new.trim()),
                (new, _) => format!("Change to `{new}`"),
            },
            range: range(place),
            new_text: fix.new.clone(),
            is_certain: fix.certainty == Certainty::Certain,
        })
    });
    let suggestions: Vec<Suggestion> = suggestions.collect();
    let code = finding.code;
    lsp::Diagnostic {
        range: range(finding.primary.span),
        severity: Some(match finding.severity {
            Severity::Error => lsp::DiagnosticSeverity::ERROR,
            Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        }),
        code: Some(lsp::NumberOrString::String(code.as_str().to_string())),
        source: Some("isadl".to_string()),
        message,
        related_information: Some(related.collect()),
        data: serde_json::to_value(suggestions).ok(),
        tags: (code.group() == Some(isadl::levels::LintGroup::Unused))
            .then(|| vec![lsp::DiagnosticTag::UNNECESSARY]),
        ..Default::default()
    }
}

/// The first line of the removed text, as a title.
fn first_line(text: &str) -> &str {
    let text = text.trim().trim_matches(',').trim();
    text.lines().next().unwrap_or_default()
}

/// The changes that findings suggest.
#[allow(clippy::mutable_key_type, reason = "the protocol's map of changes has URIs as keys")]
pub(crate) fn actions(uri: &lsp::Uri, found: &[lsp::Diagnostic]) -> Vec<lsp::CodeActionOrCommand> {
    let mut actions = Vec::new();
    for finding in found {
        let Some(data) = finding.data.clone() else { continue };
        let suggestions: Vec<Suggestion> = serde_json::from_value(data).unwrap_or_default();
        for suggestion in suggestions {
            let edit = lsp::TextEdit { range: suggestion.range, new_text: suggestion.new_text };
            let changes = HashMap::from([(uri.clone(), vec![edit])]);
            actions.push(lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
                title: suggestion.title,
                kind: Some(lsp::CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![finding.clone()]),
                edit: Some(lsp::WorkspaceEdit { changes: Some(changes), ..Default::default() }),
                is_preferred: Some(suggestion.is_certain),
                ..Default::default()
            }));
        }
    }
    actions
}
