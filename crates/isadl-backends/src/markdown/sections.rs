//! Sections of prose, and the functions of the pseudo code that the description of all operations defines.
//!
//! A paragraph there that begins with a call in code, as `` `finish(x)` rounds … ``, defines a function.

use isadl_ir::isa::{Isa, Prose, SectionKind};
use isadl_ir::links::Scanner;

/// The text of all sections of a kind.
pub(super) fn section(prose: &[Prose], kind: SectionKind) -> String {
    let texts = prose.iter().filter(|section| section.kind == kind).map(|s| s.text.as_str());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The names of functions that an instruction set defines, in order.
pub(super) fn functions(isas: &[Isa]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in isas.iter().map(common) {
        for name in paragraphs(&text).iter().filter_map(|paragraph| defined(paragraph)) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
    }
    names
}

/// The author's text about all operations.
pub(super) fn common(isa: &Isa) -> String {
    let roots = isa.groups().iter().filter(|group| group.parents.is_empty());
    let texts = roots.map(|group| section(&group.prose, SectionKind::Description));
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A text without its programs: the fences with the tag `isa`.
pub(super) fn without_programs(text: &str) -> String {
    let is_program = |paragraph: &&String| {
        let tag = paragraph.trim_start().trim_start_matches('`').lines().next();
        paragraph.trim_start().starts_with("```") && tag.is_some_and(|tag| tag.trim() == "isa")
    };
    let paragraphs = paragraphs(text);
    let rest = paragraphs.iter().filter(|paragraph| !is_program(paragraph));
    rest.map(String::as_str).collect::<Vec<_>>().join("\n\n")
}

/// The paragraphs of a text; a fence is not cut.
pub(super) fn paragraphs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut scanner = Scanner::default();
    let mut is_open = false;
    for line in text.lines() {
        let is_code = scanner.is_code(line);
        if line.trim().is_empty() && !is_code {
            is_open = false;
            continue;
        }
        match found.last_mut().filter(|_| is_open) {
            Some(paragraph) => *paragraph += &format!("\n{line}"),
            None => found.push(line.to_string()),
        }
        is_open = true;
    }
    found
}

/// The function that a paragraph defines.
pub(super) fn defined(paragraph: &str) -> Option<&str> {
    let (call, _) = paragraph.trim_start().strip_prefix('`')?.split_once('`')?;
    let (name, rest) = call.split_once('(')?;
    (is_name(name) && rest.ends_with(')')).then_some(name)
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.chars().all(is_part) && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The functions that pseudo code calls.
pub(super) fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter_map(|(at, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let name = text[..at].rsplit(|c| !is_part(c)).next()?;
        is_name(name).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::{calls, defined, paragraphs};

    #[test]
    fn functions_are_defined_by_paragraphs_and_called_by_name() {
        let text = "Words.\n\n`f(x, y)` adds\nthem.\n\n```\n`g(x)`\n\n```\n`no` f(x)";
        let found: Vec<Option<&str>> = paragraphs(text)
            .iter()
            .map(|p| defined(p))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|name| name.map(|name| if name == "f" { "f" } else { "?" }))
            .collect();
        assert_eq!(found, [None, Some("f"), None]);
        assert_eq!(calls("a = f(g(1), (2)) + h (3)").collect::<Vec<_>>(), ["f", "g"]);
    }
}
