//! Findings as a log in SARIF 2.1.0 (OASIS standard of 2020), which code hosts and editors read.

use isadl::diagnostic::{Diagnostic, Severity};
use isadl::source::{SourceMap, Span};
use serde_json::{Value, json};

use crate::json::applicability;

/// A finding as a result of SARIF.
pub(crate) fn result(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let mut text = diagnostic.message.clone();
    diagnostic.notes.iter().for_each(|note| text += &format!("\nnote: {note}"));
    diagnostic.helps.iter().for_each(|help| text += &format!("\nhelp: {}", help.text));
    let related = diagnostic.related.iter().enumerate().map(|(id, label)| {
        let message = if label.text.is_empty() { "related" } else { &label.text };
        json!({
            "id": id,
            "physicalLocation": place(label.span, sources),
            "message": { "text": message },
        })
    });
    let fixes = diagnostic.helps.iter().filter_map(|help| {
        let fix = help.fix.as_ref()?;
        let span = isadl::fix::place(diagnostic, fix, sources)?;
        let at = place(span, sources);
        let replacement = json!({
            "deletedRegion": at["region"],
            "insertedContent": { "text": fix.new },
        });
        let change =
            json!({ "artifactLocation": at["artifactLocation"], "replacements": [replacement] });
        Some(json!({
            "description": { "text": help.text },
            "artifactChanges": [change],
            "properties": { "applicability": applicability(fix) },
        }))
    });
    json!({
        "ruleId": diagnostic.code.as_str(),
        "level": diagnostic.severity.as_str(),
        "message": { "text": text },
        "locations": [{ "physicalLocation": place(diagnostic.primary.span, sources) }],
        "relatedLocations": related.collect::<Vec<Value>>(),
        "fixes": fixes.collect::<Vec<Value>>(),
    })
}

fn place(span: Span, sources: &SourceMap) -> Value {
    let (line, column) = sources.position(span.file, span.start);
    let (end_line, end_column) = sources.position(span.file, span.end);
    let name = sources.file(span.file).name();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let uri: String = name
        .bytes()
        .map(|byte| match is_plain(byte) {
            true => (byte as char).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect();
    json!({
        "artifactLocation": { "uri": uri },
        "region": {
            "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
        },
    })
}

/// The log of a run: all its results, and the codes that they have.
pub(crate) fn log(results: &[Value]) -> Value {
    let mut codes: Vec<isadl::diagnostic::Code> =
        results.iter().filter_map(|result| result["ruleId"].as_str()?.parse().ok()).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules = codes.iter().map(|code| {
        let level = match code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        json!({
            "id": code.as_str(),
            "shortDescription": { "text": code.title() },
            "help": { "text": code.page(), "markdown": code.page() },
            "defaultConfiguration": { "level": level },
        })
    });
    let driver = json!({
        "name": "isadl",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "informationUri": "https://docs.rs/isadl",
        "rules": rules.collect::<Vec<Value>>(),
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}
