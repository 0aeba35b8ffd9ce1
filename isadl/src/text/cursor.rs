//! Reading a part of a line: the cursor, and how reading fails.
//!
//! A cursor never passes the end of its part, and always is on a character's boundary.

/// Why a text is not what was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// Byte of the line up to which it fits.
    pub(super) at: usize,
    pub(super) reason: Reason,
}

/// The reason of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// What would fit there, each.
    Expected(Vec<String>),
    /// What is wrong with what stands there.
    Wrong(String),
    /// What is wrong with the instruction as a whole.
    Whole(String),
}

/// Whether failures say what would fit. They need not while another opcode may fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    None,
    Full,
}

pub(super) fn expected<T>(at: usize, what: impl Into<String>) -> Result<T, Failure> {
    expected_of(at, vec![what.into()])
}

pub(super) fn expected_of<T>(at: usize, what: Vec<String>) -> Result<T, Failure> {
    Err(Failure { at, reason: Reason::Expected(what) })
}

pub(super) fn wrong<T>(at: usize, what: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { at, reason: Reason::Wrong(what.into()) })
}

pub(super) fn reason(expected: &str) -> Reason {
    Reason::Expected(vec![expected.to_string()])
}

/// A part of a line that is being read.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'l> {
    line: &'l str,
    pub(super) at: usize,
    end: usize,
}

impl<'l> Cursor<'l> {
    pub(super) fn new(line: &'l str, start: usize, end: usize) -> Cursor<'l> {
        Cursor { line, at: start, end }
    }

    pub(super) fn rest(&self) -> &'l str {
        &self.line[self.at..self.end]
    }

    pub(super) fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_ascii_start().len();
    }

    /// Takes a text, with space before it.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let start = self.at;
        self.skip_space();
        let found = self.rest().starts_with(text);
        self.at = if found { self.at + text.len() } else { start };
        found
    }

    /// Takes letters, digits and `_`; what `also` holds for goes along.
    fn word(&mut self, also: impl Fn(&str, char) -> bool) -> &'l str {
        self.skip_space();
        let rest = self.rest();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.char_indices().find(|(at, c)| !is_word(*c) && !also(&rest[..*at], *c));
        let word = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        self.at += word.len();
        word
    }

    pub(super) fn identifier(&mut self) -> &'l str {
        self.word(|_, _| false)
    }

    /// Takes a number with its sign and its exponent.
    pub(super) fn number(&mut self) -> &'l str {
        self.skip_space();
        let start = self.at;
        if self.take("-") {
            self.skip_space();
        }
        self.word(|before, c| match c {
            '.' => true,
            '+' | '-' => before.ends_with(['e', 'E']) && !before.starts_with("0x"),
            _ => false,
        });
        self.since(start)
    }

    /// What was taken from a place on.
    pub(super) fn since(&self, start: usize) -> &'l str {
        &self.line[start..self.at]
    }

    pub(super) fn is_done(&mut self) -> bool {
        self.skip_space();
        self.at >= self.end
    }
}
