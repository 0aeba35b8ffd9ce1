//! Columns of lines that are alike.

use super::lines::Code;
use crate::parse::SegmentKind;

/// Lines are not aligned in a column that some of them would reach only by more spaces than this.
const MOST_SPACES: usize = 24;

/// Aligns the texts of consecutive lines of one definition, without indentation.
pub(super) fn aligned(lines: &[&Code]) -> Vec<String> {
    let mut made = vec![String::new(); lines.len()];
    let mut next = vec![0; lines.len()];
    let rows: Vec<usize> = (0..lines.len()).filter(|at| is_row(lines[*at])).collect();
    let columns = || rows.iter().flat_map(|at| &lines[*at].cells).filter_map(|cell| cell.column);
    for column in 0..=columns().max().unwrap_or(0) {
        for at in &rows {
            let cells = &lines[*at].cells[next[*at]..];
            let before = cells.iter().take_while(|cell| cell.column.is_none_or(|of| of < column));
            next[*at] += before.clone().count();
            before.for_each(|cell| made[*at] += &cell.text);
        }
        let has_it = |at: &&usize| {
            let cell = lines[**at].cells.get(next[**at]);
            cell.is_some_and(|cell| cell.column == Some(column))
        };
        let those: Vec<usize> = rows.iter().filter(has_it).copied().collect();
        let widths = || those.iter().map(|at| made[*at].chars().count());
        let (least, most) = (widths().min().unwrap_or(0), widths().max().unwrap_or(0));
        for at in those {
            let width = if most - least <= MOST_SPACES { most + 1 } else { 0 };
            if made[at].chars().count() < width {
                made[at] = format!("{:width$}", made[at]);
            } else {
                made[at].push(' ');
            }
        }
    }
    for (at, line) in lines.iter().enumerate() {
        for cell in &line.cells[next[at]..] {
            let is_apart =
                !made[at].is_empty() && cell.column.is_some() && !made[at].ends_with(' ');
            made[at] += if is_apart { " " } else { "" };
            made[at] += &cell.text;
        }
    }
    made
}

/// Whether a line is a single complete statement of an aligned kind.
fn is_row(line: &Code) -> bool {
    matches!(line.whole, Some(SegmentKind::Field | SegmentKind::Entry | SegmentKind::Row))
}
