//! Code fences: where each of them ends.
//!
//! A fence is opened by a line that starts with three backticks or more, and closed by a line that
//! consists of at least as many. Invariant: finding an end does not scan lines of text, so that a
//! file of unclosed fences is not read again for each of them.

use super::split::trimmed;
use crate::ast::Ident;

/// The lines of a text that begin with enough backticks, in order.
pub(super) struct Fences {
    marks: Vec<Mark>,
    /// The number of lines of the text.
    lines: usize,
}

/// A line that begins with backticks.
struct Mark {
    line: usize,
    ticks: usize,
    text: Text,
}

/// Whether a line has text after its backticks.
#[derive(PartialEq)]
enum Text {
    None,
    Some,
}

/// How a fence ends.
pub(super) enum FenceEnd {
    /// By the line of this index.
    Closed(usize),
    /// The fence does not end before the line of this index. That line opens a fence of the same kind, or is past the
    /// last line.
    Missing(usize),
}

impl Fences {
    pub(super) fn of(lines: &[Ident<'_>]) -> Fences {
        let mark = |(line, text): (usize, &Ident<'_>)| {
            let trim = trimmed(*text).text;
            let ticks = trim.bytes().take_while(|b| *b == b'`').count();
            let text = if trim.len() == ticks { Text::None } else { Text::Some };
            (ticks >= 3).then_some(Mark { line, ticks, text })
        };
        Fences { marks: lines.iter().enumerate().filter_map(mark).collect(), lines: lines.len() }
    }

    /// The end of the fence that opens at the line of index `at`, if any.
    pub(super) fn end(&self, at: usize) -> Option<FenceEnd> {
        let index = self.marks.binary_search_by_key(&at, |mark| mark.line).ok()?;
        let ticks = self.marks[index].ticks;
        let ends = |mark: &&Mark| match mark.text {
            Text::None => mark.ticks >= ticks,
            Text::Some => mark.ticks == ticks,
        };
        Some(match self.marks[index + 1..].iter().find(ends) {
            Some(Mark { line, text: Text::None, .. }) => FenceEnd::Closed(*line),
            Some(mark) => FenceEnd::Missing(mark.line),
            None => FenceEnd::Missing(self.lines),
        })
    }
}
