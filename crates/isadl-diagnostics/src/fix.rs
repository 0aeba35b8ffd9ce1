//! Locations that suggestions change, and the texts after applying the certain suggestions.

use std::ops::Range;

use isadl_base::fences::Fences;

use crate::diagnostic::{Certainty, Diagnostic, Diagnostics, Fix, Old};
use crate::source::{FileId, SourceMap, Span};

/// A file after suggestions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The file.
    pub file: FileId,
    /// Its text.
    pub text: String,
    /// How many suggestions were followed.
    pub count: usize,
}

/// Applies the certain suggestions of findings and returns the changed files, in order. If several suggestions concern
/// the same text, only the first is applied; the others may be made again for the new text.
pub fn fixed(sources: &SourceMap, found: &Diagnostics) -> Vec<Fixed> {
    let mut changes: Vec<(Span, &str)> = Vec::new();
    for finding in found.iter() {
        let fixes = finding.helps.iter().filter_map(|help| help.fix.as_ref());
        for fix in fixes.filter(|fix| fix.certainty == Certainty::Certain) {
            changes.extend(place(finding, fix, sources).map(|span| (span, fix.new.as_str())));
        }
    }
    changes.sort();
    changes.dedup();
    let mut files: Vec<Fixed> = Vec::new();
    // The end of the last change, and the distance by which later text has moved.
    let (mut end, mut moved) = (0, 0);
    for (span, new) in changes {
        let is_other = files.last().is_none_or(|file| file.file != span.file);
        if is_other {
            let text = sources.file(span.file).text().to_string();
            files.push(Fixed { file: span.file, text, count: 0 });
            (end, moved) = (0, 0);
        }
        let Some(file) = files.last_mut().filter(|_| is_other || span.start >= end) else {
            continue;
        };
        let range = span.range();
        let place = |at: usize| (at as i64 + moved) as usize;
        file.text.replace_range(place(range.start)..place(range.end), new);
        file.count += 1;
        moved += new.len() as i64 - range.len() as i64;
        end = span.end.max(span.start + 1);
    }
    files
}

/// The span that a fix replaces; `None` if it is not certain, or if the result would not be a text of the language.
pub fn place(finding: &Diagnostic, fix: &Fix, sources: &SourceMap) -> Option<Span> {
    let inside = |span: Span| {
        let text = sources.file(span.file).text();
        text.get(span.range()).map(|_| (text, span.range()))
    };
    let (file, found) = match &fix.old {
        Old::Text(old) => {
            let span = finding.primary.span;
            let start = span.start as usize;
            let found = only_word(sources.text(span), old)?;
            (span.file, start + found.start..start + found.end)
        }
        Old::Span(span) => (span.file, inside(*span)?.1),
        Old::Statement(span) => {
            (span.file, inside(*span).and_then(|(text, at)| statement(text, at))?)
        }
        Old::Line(span) => (span.file, inside(*span).map(|(text, at)| with_lines(text, at))?),
        Old::Entry(span) => (span.file, inside(*span).and_then(|(text, at)| entry(text, at))?),
        Old::Definition(span) => {
            (span.file, inside(*span).and_then(|(text, at)| definition(text, at))?)
        }
        Old::Section(span, heading) => {
            let at = inside(*span).and_then(|(text, at)| section(text, at, heading))?;
            (span.file, at..at)
        }
    };
    Some(Span { file, start: found.start as u32, end: found.end as u32 })
}

/// The position of a word in a text, if it occurs exactly once.
fn only_word(text: &str, word: &str) -> Option<Range<usize>> {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let is_whole = |at: usize| {
        let end = at + word.len();
        !(is_word(text[..at].chars().next_back()) && is_word(word.chars().next())
            || is_word(text[end..].chars().next()) && is_word(word.chars().next_back()))
    };
    let mut found = text.match_indices(word).map(|(at, _)| at).filter(|at| is_whole(*at));
    let start = found.next()?;
    found.next().is_none().then_some(start..start + word.len())
}

/// Statements that end farther from the beginnings of their lines, in bytes, are not looked for.
const MAX_STATEMENT: usize = 1 << 16;

/// The statement around a place, which begins on the same line as the statement.
fn statement(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let line = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    if place.end - line > MAX_STATEMENT {
        return None;
    }
    let mut start = line;
    let (mut is_quoted, mut is_comment) = (false, false);
    for (at, c) in text[line..].char_indices().map(|(at, c)| (line + at, c)) {
        is_comment |= !is_quoted && text[at..].starts_with("//");
        match c {
            '\n' if text[at + 1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') => {
                return None;
            }
            '\n' => is_comment = false,
            _ if is_comment && at <= place.start => return None,
            _ if is_comment => {}
            '"' => is_quoted = !is_quoted,
            ';' if is_quoted => {}
            ';' if at < place.start => start = at + 1,
            ';' if at + 1 >= place.end => {
                start += text[start..].find(|c: char| !c.is_whitespace())?;
                return Some(with_lines(text, start..at + 1));
            }
            _ => {}
        }
    }
    None
}

/// Extends a place by the blanks before it if they would end a line. Includes its lines if nothing else is on them.
fn with_lines(text: &str, place: Range<usize>) -> Range<usize> {
    let before = text[..place.start].trim_end_matches([' ', '\t']).len();
    let rest = &text[place.end..];
    let after = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    let is_first = before == 0 || text[..before].ends_with('\n');
    match text[place.end + after..].chars().next() {
        Some('\n') if is_first => before..place.end + after + 1,
        None | Some('\n') => before..place.end,
        _ => place.start..place.end + after,
    }
}

/// The span of a list entry with one of its commas. If it is the only entry, the span is its statement. The place must
/// be the whole entry.
fn entry(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let before = text[..place.start].trim_end();
    let after = text[place.end..].trim_start();
    let next = text.len() - after.len();
    let is_end = after.starts_with(['>', ']', ';', '@']);
    if before.ends_with([',', '<', '[', '=']) && after.starts_with(',') {
        let rest = text[next + 1..].trim_start();
        Some(place.start..text.len() - rest.len())
    } else if before.ends_with(',') && is_end {
        Some(before.len() - 1..place.end)
    } else if before.ends_with('<') && after.starts_with('>') {
        statement(text, place)
    } else {
        None
    }
}

/// The lines of a definition with the text before it, up to the next definition or the text before that.
fn definition(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let start = text[..name.start].rfind('\n').map_or(0, |at| at + 1);
    text[start..].starts_with("__Def").then_some(())?;
    let mut end = start;
    let mut last = start;
    let mut fences = Fences::default();
    for line in text[start..].split_inclusive('\n') {
        if end > start && fences.open().is_none() && line.starts_with("__Def") {
            break;
        }
        end += line.len();
        fences.line(line);
        let is_said = fences.open().is_none() && (line.trim().is_empty() || line.starts_with("//"));
        last = if is_said { last } else { end };
    }
    // Blank lines after it go with it, comments do not.
    let blank = text[last..end].split_inclusive('\n').take_while(|line| line.trim().is_empty());
    let end = last + blank.map(str::len).sum::<usize>();
    Some(comments_before(text, start)..end)
}

/// The end of the first line of a section of a definition.
fn section(text: &str, name: Range<usize>, heading: &str) -> Option<usize> {
    let start = name.end;
    let definition = definition(text, name)?;
    let mut end = start;
    for line in text[start..definition.end].split_inclusive('\n') {
        if line.trim() == heading {
            return Some(end + line.trim_end().len());
        }
        end += line.len();
    }
    None
}

/// Where the comment lines begin that are right before a place.
fn comments_before(text: &str, start: usize) -> usize {
    let comments =
        text[..start].split_inclusive('\n').rev().take_while(|line| line.starts_with("//"));
    start - comments.map(str::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Removes the range that a function finds at the first occurrence of a word.
    fn without(
        text: &str,
        word: &str,
        find: fn(&str, Range<usize>) -> Option<Range<usize>>,
    ) -> String {
        let start = text.find(word).expect("the word is there");
        let mut left = text.to_string();
        match find(text, start..start + word.len()) {
            Some(place) => left.replace_range(place, ""),
            None => left = "refused".to_string(),
        }
        left
    }

    #[test]
    fn statements_go_with_their_semicolon_and_their_lines() {
        let of = |text, word| without(text, word, statement);
        assert_eq!(of("  A\n    b = 1;\n    c;\n", "b"), "  A\n    c;\n");
        assert_eq!(of("    a; b = 1; c;\n", "b"), "    a; c;\n");
        assert_eq!(of("    a; b = 1; // why\n", "b"), "    a; // why\n");
        assert_eq!(of("    a = \"x;y\"; b<\"p;q\"> = 1; c;\n", "b"), "    a = \"x;y\"; c;\n");
        assert_eq!(of("    b\n        = 1;\n    c;\n", "b"), "    c;\n");
        assert_eq!(of("    a; // b = 1;\n", "b"), "refused");
        assert_eq!(of("    b\n\n    c;\n", "b"), "refused");
        assert_eq!(of("    b", "b"), "refused");
    }

    #[test]
    fn entries_go_with_a_comma() {
        let of = |text, word| without(text, word, entry);
        assert_eq!(of("    In<a, b, c>;\n", "b"), "    In<a, c>;\n");
        assert_eq!(of("    In<a, b, c>;\n", "c"), "    In<a, b>;\n");
        assert_eq!(of("    N = a, b;\n", "a"), "    N = b;\n");
        assert_eq!(of("    In<a>; Out<c>;\n", "a"), "    Out<c>;\n");
        assert_eq!(of("    All<out a : 32, b>;\n", "a :"), "refused");
        assert_eq!(of(": [A]\n", "A"), "refused");
    }

    #[test]
    fn definitions_go_with_what_is_said_before_them() {
        let text = "__DefGroup A\n\n// About B.\n__DefGroup B : [A]\n  __Description\n```\n__DefGroup X\n```\n\n// About C.\n__DefGroup C\n";
        let left = without(text, "B :", definition);
        assert_eq!(left, "__DefGroup A\n\n// About C.\n__DefGroup C\n");
        assert_eq!(
            without(text, "C\n", definition),
            text.replace("// About C.\n__DefGroup C\n", "")
        );
        assert_eq!(without("    ROW : [A]\n", "ROW", definition), "refused");
        let at = |heading| section(text, 40..41, heading).map(|at| &text[..at]);
        assert!(at("  __Description").is_none());
        assert!(at("__Description").is_some_and(|before| before.ends_with("[A]\n  __Description")));
        assert_eq!(at("__Encoding"), None);
    }
}
