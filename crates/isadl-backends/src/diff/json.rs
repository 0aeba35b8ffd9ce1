//! The report for machines.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::kind::Class;
use super::places::SourceLine;
use super::report::Report;

/// The schema of the report, JSON Schema 2020-12.
pub const SCHEMA: &str = include_str!("diff.schema.json");

#[derive(Serialize)]
struct Document<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    counts: BTreeMap<&'static str, usize>,
    differences: Vec<Difference<'r>>,
}

#[derive(Serialize)]
struct Difference<'r> {
    code: &'static str,
    class: &'static str,
    title: &'static str,
    item: &'r str,
    old: Version<'r>,
    new: Version<'r>,
    opcodes: &'r BTreeSet<String>,
    generations: &'r BTreeSet<String>,
    witness: Option<&'r str>,
}

/// The text of one version, and its location.
#[derive(Serialize)]
struct Version<'r> {
    text: Option<&'r str>,
    place: Option<&'r SourceLine>,
}

/// Formats the report as a single JSON object.
pub fn json(report: &Report) -> String {
    let document = Document {
        schema: "diff.schema.json",
        counts: Class::ALL.iter().map(|class| (class.as_str(), report.count(*class))).collect(),
        differences: report
            .findings()
            .map(|(finding, affected)| Difference {
                code: finding.kind.code(),
                class: finding.kind.class().as_str(),
                title: finding.kind.title(),
                item: &finding.item,
                old: Version { text: finding.was.as_deref(), place: finding.old.as_ref() },
                new: Version { text: finding.is.as_deref(), place: finding.new.as_ref() },
                opcodes: &affected.opcodes,
                generations: &affected.generations,
                witness: affected.witness.as_deref(),
            })
            .collect(),
    };
    // Strings and numbers always serialize.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}
