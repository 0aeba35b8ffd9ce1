//! Joins the lines of a section or body into statements.
//!
//! Invariant: a statement is a slice of its file from its first word to the last word before the semicolon; comments
//! inside are kept.

use super::split::{find_outside_strings, trimmed, without_comment};
use crate::ast::Ident;
use crate::source::Span;

/// A statement as text, and how it ended.
pub(super) struct StatementText<'s> {
    /// The text without its semicolon; comments inside are kept.
    pub(super) text: Ident<'s>,
    /// The `///` lines right before it, without the slashes.
    pub(super) doc: Vec<&'s str>,
    pub(super) ended: Ended,
}

/// How a statement ended.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(super) enum Ended {
    /// By its semicolon.
    Semicolon,
    /// By the next statement, a blank line or the end of the section.
    Missing,
}

/// Joins lines into statements and passes each to `take`. `begins` decides whether a line begins a statement even if
/// the previous statement does not end with a semicolon.
pub(super) fn statements<'s>(
    text: &'s str,
    lines: &[Ident<'s>],
    begins: impl Fn(&str) -> bool,
    mut take: impl FnMut(StatementText<'s>),
) {
    let mut doc = Vec::new();
    let mut open: Option<Span> = None;
    let mut close = |open: &mut Option<Span>, doc: &mut Vec<&'s str>, ended: Ended| {
        if let Some(span) = open.take() {
            let text = Ident { text: &text[span.range()], span };
            take(StatementText { text, doc: std::mem::take(doc), ended });
        }
    };
    for line in lines {
        let trim = trimmed(*line);
        if open.is_some() && (trim.text.is_empty() || begins(trim.text)) {
            close(&mut open, &mut doc, Ended::Missing);
        }
        if let Some(line) = trim.text.strip_prefix("///").filter(|_| open.is_none()) {
            doc.push(line);
            continue;
        }
        let mut rest = without_comment(trim);
        while !rest.text.is_empty() {
            let semicolon = find_outside_strings(rest.text, |text| text.find(';'));
            let length = semicolon.unwrap_or(rest.text.len());
            let (piece, after) = rest.text.split_at(length);
            let end = rest.span.start + piece.trim_end().len() as u32;
            if !piece.trim().is_empty() || open.is_some() {
                let start = open.map_or(rest.span.start, |span| span.start);
                open = Some(Span { start, end: end.max(start), ..rest.span });
            }
            if semicolon.is_none() {
                break;
            }
            close(&mut open, &mut doc, Ended::Semicolon);
            let start = rest.span.start + length as u32 + 1;
            rest = trimmed(Ident { text: &after[1..], span: Span { start, ..rest.span } });
        }
    }
    close(&mut open, &mut doc, Ended::Missing);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::split;
    use crate::source::SourceMap;

    fn cut(text: &str) -> Vec<String> {
        let mut map = SourceMap::new();
        let id = map.add("test", text.as_bytes().to_vec());
        let lines: Vec<Ident> = split::lines(id, map.file(id).text()).collect();
        let mut found = Vec::new();
        let begins = |line: &str| line.starts_with("field");
        statements(map.file(id).text(), &lines, begins, |statement| {
            let end = if statement.ended == Ended::Semicolon { ";" } else { "!" };
            found.push(format!("{}{end}", statement.text.text));
        });
        found
    }

    #[test]
    fn statements_end_at_semicolons_outside_strings_and_comments() {
        assert_eq!(cut("a; b ; // c; d\n\"x;y\" z;\n"), ["a;", "b;", "\"x;y\" z;"]);
    }

    #[test]
    fn a_statement_may_span_lines_but_not_a_blank_one() {
        assert_eq!(cut("a\n  b;\nc\n\nd;"), ["a\n  b;", "c!", "d;"]);
    }

    #[test]
    fn a_quote_that_is_not_closed_does_not_hide_the_semicolon() {
        assert_eq!(cut("a \"b; // c\nd \"e;f\" \"g;\n"), ["a \"b;", "d \"e;f\" \"g;"]);
    }

    #[test]
    fn a_missing_semicolon_does_not_swallow_the_next_statement() {
        assert_eq!(cut("field 1\nfield 2;\n"), ["field 1!", "field 2;"]);
    }
}
