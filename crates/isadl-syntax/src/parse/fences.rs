//! Code fences: where each of them ends.
//!
//! Invariant: finding an end does not scan lines of text, so that a
//! file of unclosed fences is not read again for each of them.

use isadl_base::fences::Mark;

use crate::ast::Ident;

/// The lines of a text that begin with enough backticks, in order.
pub(super) struct Fences {
    marks: Vec<(usize, Mark)>,
    /// The number of lines of the text.
    lines: usize,
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
        let mark = |(line, text): (usize, &Ident<'_>)| Some((line, Mark::of(text.text)?));
        Fences { marks: lines.iter().enumerate().filter_map(mark).collect(), lines: lines.len() }
    }

    /// The end of the fence that opens at the line of index `at`, if any.
    pub(super) fn end(&self, at: usize) -> Option<FenceEnd> {
        let index = self.marks.binary_search_by_key(&at, |(line, _)| *line).ok()?;
        let open = self.marks[index].1.ticks;
        // Text after as many backticks opens a fence of the same kind.
        let ends = |(_, mark): &&(usize, Mark)| mark.closes(open) || mark.ticks == open;
        Some(match self.marks[index + 1..].iter().find(ends) {
            Some((line, mark)) if mark.closes(open) => FenceEnd::Closed(*line),
            Some((line, _)) => FenceEnd::Missing(*line),
            None => FenceEnd::Missing(self.lines),
        })
    }
}
