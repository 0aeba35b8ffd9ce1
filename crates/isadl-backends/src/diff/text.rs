//! The report for people.

use std::collections::BTreeSet;

use super::kind::Class;
use super::places::SourceLine;
use super::report::{Affected, Finding, Report};

/// The maximum number of opcodes that are named.
const MAX_NAMED: usize = 6;

/// The report, class by class, with a line of totals.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for class in Class::ALL {
        if report.count(class) == 0 {
            continue;
        }
        text += &format!("{}\n", class.as_str());
        let all = report.findings().filter(|(finding, _)| finding.kind.class() == class);
        all.for_each(|(found, affected)| text += &finding(found, affected));
        text.push('\n');
    }
    text + &totals(report)
}

fn finding(finding: &Finding, affected: &Affected) -> String {
    let mut text = format!("  {} {} {}\n", finding.kind, finding.item, finding.kind.title());
    let mut line = |label: &str, said: &Option<String>, place: &Option<SourceLine>| {
        if said.is_none() && place.is_none() {
            return;
        }
        text += &format!("       {label}");
        if let Some(said) = said {
            text += &format!(" {said}");
        }
        if let Some(place) = place {
            text += &format!(" ({}:{})", place.file, place.line);
        }
        text.push('\n');
    };
    line("was", &finding.was, &finding.old);
    line("is ", &finding.is, &finding.new);
    if let Some(witness) = &affected.witness {
        text += &format!("       {witness}\n");
    }
    // The only opcode is usually the item itself.
    let names_itself = finding.item.contains(&format!("opcode `{}`", first(&affected.opcodes)));
    if affected.opcodes.len() > usize::from(names_itself) {
        text += &format!("       in {}\n", list(&affected.opcodes));
    }
    if !affected.generations.is_empty() {
        let names: Vec<&str> = affected.generations.iter().map(String::as_str).collect();
        text += &format!("       generations {}\n", names.join(", "));
    }
    text
}

fn first(names: &BTreeSet<String>) -> &str {
    names.first().map_or("", String::as_str)
}

fn list(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(MAX_NAMED).map(String::as_str).collect();
    match names.len() {
        1 => format!("opcode {}", shown.join(", ")),
        count if count <= MAX_NAMED => format!("{count} opcodes: {}", shown.join(", ")),
        count => format!("{count} opcodes: {}, …", shown.join(", ")),
    }
}

fn totals(report: &Report) -> String {
    if report.is_empty() {
        return "no differences\n".to_string();
    }
    let counts = Class::ALL.iter().map(|class| (report.count(*class), class.as_str()));
    let counts: Vec<String> =
        counts.filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
    let total = report.findings().len();
    let noun = if total == 1 { "difference" } else { "differences" };
    format!("{total} {noun}: {}\n", counts.join(", "))
}
