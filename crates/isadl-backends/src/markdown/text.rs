//! Small pieces of Markdown: code, escaped text, tables.

pub(super) use crate::wording::code::code;
use crate::wording::code::longest_run;

/// A name: `_` needs an escape only at the ends of a word, where it would be emphasis.
pub(super) fn word(name: &str) -> String {
    let inner = name.trim_matches('_');
    let start = name.len() - name.trim_start_matches('_').len();
    let end = name.len() - start - inner.len();
    format!("{}{inner}{}", "\\_".repeat(start), "\\_".repeat(end))
}

/// A message: plain text, with code between backticks.
pub(super) fn message(text: &str) -> String {
    let text = one_line(text);
    let parts: Vec<&str> = text.split('`').collect();
    let is_balanced =
        parts.len() % 2 == 1 && parts.iter().skip(1).step_by(2).all(|p| !p.is_empty());
    let shown = match is_balanced {
        true => {
            let part = |(index, part): (usize, &&str)| {
                if index % 2 == 1 { code(part) } else { plain(part) }
            };
            parts.iter().enumerate().map(part).collect()
        }
        false => plain(&text),
    };
    if text.ends_with(['.', '!', '?', '。', '！', '？']) { shown } else { shown + "." }
}

/// Escapes text so that it is shown unchanged.
pub(super) fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = characters.next() {
        let is_inner = |c: char| c.is_alphanumeric() || c == '_';
        let is_within = is_inner(before) && characters.peek().is_some_and(|next| is_inner(*next));
        before = c;
        match c {
            '_' if is_within => escaped.push(c),
            '<' => escaped += "&lt;",
            '&' => escaped += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '>' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ if c.is_control() || c.is_whitespace() => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Joins an author's Markdown into one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A fence around lines that may contain fences themselves.
pub(super) fn fence(language: &str, lines: &str) -> String {
    let ticks = "`".repeat(longest_run(lines, '`').max(2) + 1);
    format!("{ticks}{language}\n{}\n{ticks}\n", lines.trim_end_matches('\n'))
}

/// `1 form`, `2 forms`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A table. Every row has as many cells as the header.
pub(super) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<T: AsRef<str>>(head: &[T]) -> Table {
        Table { head: head.iter().map(|cell| cell.as_ref().to_string()).collect(), rows: vec![] }
    }

    pub(super) fn row(&mut self, mut cells: Vec<String>) {
        cells.resize(self.head.len(), String::new());
        self.rows.push(cells);
    }

    /// Whether it is without rows.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table without empty columns; empty if there are no rows.
    pub(super) fn render(self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let is_used = |column: &usize| self.rows.iter().any(|row| !row[*column].is_empty());
        let used: Vec<usize> = (0..self.head.len()).filter(is_used).collect();
        self.lines(&used)
    }

    /// The table with all of its columns, even without rows.
    pub(super) fn render_whole(self) -> String {
        let all: Vec<usize> = (0..self.head.len()).collect();
        self.lines(&all)
    }

    fn lines(&self, columns: &[usize]) -> String {
        let mut text = line(columns.iter().map(|column| self.head[*column].as_str()));
        text += &line(columns.iter().map(|_| ":--"));
        for row in &self.rows {
            text += &line(columns.iter().map(|column| row[*column].as_str()));
        }
        text
    }
}

fn line<'t>(cells: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::from("|");
    for cell in cells {
        text.push(' ');
        text += &escape_cell(cell);
        text += " |";
    }
    text.push('\n');
    text
}

/// Escapes the text of a cell: a bar ends a cell, even in code, and a line end ends a row.
fn escape_cell(cell: &str) -> String {
    let mut escaped = String::with_capacity(cell.len());
    let mut backslashes = 0;
    for c in cell.chars() {
        match c {
            '|' if backslashes % 2 == 0 => escaped += "\\|",
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(c),
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
    }
    // A backslash at the end would escape the bar that closes the cell.
    if backslashes % 2 == 1 {
        escaped.push(' ');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Table, code, fence, plain};

    #[test]
    fn code_holds_anything() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("`a``b"), "``` `a``b ```");
        assert_eq!(fence("asm", "````\n"), "`````asm\n````\n`````\n");
        assert_eq!(plain("<b> *a*|\n"), "&lt;b\\> \\*a\\*\\| ");
    }

    #[test]
    fn cells_stay_in_their_rows() {
        let mut table = Table::new(&["A", "B", "C"]);
        table.row(vec!["`a|b`".to_string(), String::new(), "c\nd\\".to_string()]);
        assert_eq!(table.render(), "| A | C |\n| :-- | :-- |\n| `a\\|b` | c d\\  |\n");
    }
}
