//! Tables in prose: W0915 (a row has more cells than the head).
//!
//! A table follows Markdown: a line, below it a line of dashes with equally many cells, and rows up to a blank line or
//! the start of another block. Tables in quotations, and tables that begin after a list marker, are ignored.

use super::{Context, lines, sections};
use crate::ast::{Ident, Section};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::links::Scanner;

/// The deepest indentation of a line that is not code.
const DEEPEST: usize = 3;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let rows = sections(context.model).flat_map(long_rows);
    rows.for_each(|row| diagnostics.push(row.diagnostic()));
}

/// A row with more cells than the head of its table.
struct LongRow<'s> {
    line: Ident<'s>,
    head: Ident<'s>,
}

impl LongRow<'_> {
    fn diagnostic(&self) -> Diagnostic {
        let (own, head) = (cells(self.line.text).len(), cells(self.head.text).len());
        let message = format!("this row has {}, but the head of its table {head}", counted(own));
        Diagnostic::new(Code::W0915, message, self.line.span)
            .with_related(self.head.span, "the head")
            .with_note("cells beyond those of the head are not shown")
            .with_help("write `\\|` for a bar that ends no cell, between backticks too")
    }
}

fn counted(cells: usize) -> String {
    if cells == 1 { "1 cell".to_string() } else { format!("{cells} cells") }
}

fn long_rows<'s>(section: &Section<'s>) -> Vec<LongRow<'s>> {
    let mut scanner = Scanner::default();
    let mut found = Vec::new();
    let mut above: Option<Ident<'s>> = None;
    let mut head: Option<Ident<'s>> = None;
    for line in lines(section) {
        if scanner.is_code(line.text) || ends_table(line.text) {
            (above, head) = (None, None);
        } else if let Some(head) = head {
            if cells(line.text).len() > cells(head.text).len() {
                found.push(LongRow { line, head });
            }
        } else {
            head = above.filter(|above| is_head(above.text, line.text));
            above = Some(line);
        }
    }
    found
}

/// Whether a line is the head of a table because of the line below it.
fn is_head(line: &str, below: &str) -> bool {
    let dashes = cells(below);
    let is_dashes = |cell: &&str| {
        cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':') || c.is_whitespace())
    };
    let is_text = |line: &str| line.len() - line.trim_start().len() <= DEEPEST;
    line.contains('|')
        && below.contains('|')
        && dashes.iter().all(is_dashes)
        && dashes.len() == cells(line).len()
        && is_text(line)
        && is_text(below)
}

/// Whether a line is none of a table: it is blank, or begins a heading, a quotation or a list, or
/// divides.
fn ends_table(line: &str) -> bool {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_number = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit());
    let divides = |sign: char| line.chars().all(|c| c == sign || c.is_whitespace());
    line.starts_with('>')
        || first.chars().all(|c| c == '#')
        || matches!(first, "-" | "*" | "+")
        || first.strip_suffix(['.', ')']).is_some_and(is_number)
        || ['-', '*', '_'].into_iter().any(divides)
}

/// The cells of a row. A bar ends a cell even in code, unless a backslash directly precedes it.
fn cells(row: &str) -> Vec<&str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in row.match_indices('|').filter(|(at, _)| !row[..*at].ends_with('\\')) {
        cells.push(&row[start..at]);
        start = at + 1;
    }
    cells.extend((start < row.len()).then(|| &row[start..]));
    cells
}

#[cfg(test)]
mod tests {
    use super::{cells, ends_table, is_head};

    #[test]
    fn bars_end_cells() {
        assert_eq!(cells("| a | `b|c` |"), [" a ", " `b", "c` "]);
        assert_eq!(cells(" a \\| b || 加\\"), ["a \\| b ", "", " 加\\"]);
        assert_eq!(cells("| \\\\| b | c"), [" \\\\| b ", " c"]);
        assert!(cells("|").is_empty());
    }

    #[test]
    fn heads_stand_above_dashes() {
        assert!(is_head("a | b", ":-|-: "));
        assert!(is_head("| a", "|---|"));
        assert!(!is_head("a", "---"));
        assert!(!is_head("a", "|---|"));
        assert!(!is_head("a | b", "|---|"));
        assert!(!is_head("    a | b", "--|--"));
        assert!(!is_head("| a | b |", "|---| b |"));
    }

    #[test]
    fn tables_end_where_something_begins() {
        assert!(["", "# a | b", "> a", "- a", "12. a", "***"].into_iter().all(ends_table));
        assert!(!["| a |", "-a | b", "#a | b", "1 | 2.", "**a** | b"].into_iter().any(ends_table));
    }
}
