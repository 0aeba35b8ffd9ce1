//! Code fences in prose.
//!
//! A fence is opened by a line that begins with three backticks or more, and closed by a line of at least as many and
//! nothing else. This is the only definition of fences, for the parser, the formatter of fixes and all renderers.

/// The backticks at the beginning of a line, at least three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// How many there are.
    pub ticks: usize,
    /// Whether nothing follows them.
    pub is_bare: bool,
}

impl Mark {
    /// The mark of a line; blanks around the line do not matter.
    pub fn of(line: &str) -> Option<Mark> {
        let line = line.trim();
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        (ticks >= 3).then_some(Mark { ticks, is_bare: ticks == line.len() })
    }

    /// Whether it closes a fence that so many backticks opened.
    pub fn closes(self, open: usize) -> bool {
        self.is_bare && self.ticks >= open
    }
}

/// What a line is to a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It is outside of fences.
    Outside,
    /// It opens a fence.
    Opening,
    /// It is in a fence.
    Inside,
    /// It closes a fence.
    Closing,
}

/// Reads a text line by line; it remembers whether a fence is open.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fences {
    open: Option<usize>,
}

impl Fences {
    /// What the next line is.
    pub fn line(&mut self, line: &str) -> Part {
        match (self.open, Mark::of(line)) {
            (None, None) => Part::Outside,
            (None, Some(mark)) => {
                self.open = Some(mark.ticks);
                Part::Opening
            }
            (Some(open), Some(mark)) if mark.closes(open) => {
                self.open = None;
                Part::Closing
            }
            (Some(_), _) => Part::Inside,
        }
    }

    /// The number of backticks of the fence that is open after the lines so far.
    pub fn open(&self) -> Option<usize> {
        self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_ends_with_at_least_as_many_backticks_and_nothing_else() {
        let mut fences = Fences::default();
        let lines = ["a", "``", "  ````c `x`", "```", "````` b", "", "````` ", "```"];
        let found = lines.map(|line| fences.line(line));
        let (outside, inside) = (Part::Outside, Part::Inside);
        let expected = [outside, outside, Part::Opening, inside, inside, inside, Part::Closing];
        assert_eq!(found[..7], expected);
        assert_eq!((found[7], fences.open()), (Part::Opening, Some(3)));
    }
}
