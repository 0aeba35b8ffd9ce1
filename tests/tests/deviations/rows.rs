//! The table of the README.

use super::Difference;

/// A row of the table `Deviations in the model`.
pub(super) struct Row {
    pub(super) names: Vec<String>,
    pub(super) aspect: String,
    pub(super) source: String,
    pub(super) ours: String,
}

impl Row {
    pub(super) fn accepts(&self, found: &Difference) -> bool {
        self.names.contains(&found.name)
            && self.aspect == found.aspect
            && squeeze(&self.source) == squeeze(&found.source)
            && squeeze(&self.ours) == squeeze(&found.ours)
    }
}

/// A text without backticks, and without white space outside of quotes.
pub(super) fn squeeze(text: &str) -> String {
    let mut quoted = false;
    let keep = |c: &char| {
        quoted ^= *c == '"';
        *c != '`' && (quoted || !c.is_whitespace())
    };
    text.chars().filter(keep).collect()
}

/// The rows in a text.
pub(super) fn rows(readme: &str) -> Vec<Row> {
    let table = readme.lines().skip_while(|line| *line != "## Deviations in the model").skip(1);
    let lines =
        table.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with('|'));
    lines.skip(2).map(row).collect()
}

fn row(line: &str) -> Row {
    // A bar inside of a cell is written `\|`.
    let line = line.replace(r"\|", "\u{1}");
    let cells: Vec<String> =
        line.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect();
    let [_, names, aspect, source, ours, reason, _] = cells.as_slice() else {
        panic!("a row has five cells: {line}");
    };
    assert!(!reason.is_empty(), "a row needs a reason: {line}");
    let names = names.split(',').map(|name| name.trim().trim_matches('`').to_string()).collect();
    Row { names, aspect: aspect.clone(), source: source.clone(), ours: ours.clone() }
}
