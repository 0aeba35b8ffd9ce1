//! The comment and separator signs of assembly lines.

/// The signs that an instruction set has instead of `//` and `;`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CommentSyntax {
    comments: Vec<String>,
    separators: Vec<String>,
}

impl CommentSyntax {
    /// Makes signs from the given lists; lists equal to the usual signs are not stored.
    pub fn new(comments: Vec<String>, separators: Vec<String>) -> CommentSyntax {
        let (usual, given) = (CommentSyntax::default(), CommentSyntax { comments, separators });
        let is_usual =
            given.comments().eq(usual.comments()) && given.separators().eq(usual.separators());
        if is_usual { usual } else { given }
    }

    /// The signs that begin a comment.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        or_usual(&self.comments, "//")
    }

    /// The signs that end an instruction.
    pub fn separators(&self) -> impl Iterator<Item = &str> {
        or_usual(&self.separators, ";")
    }

    /// A line without its comment.
    pub fn without_comment<'l>(&self, line: &'l str) -> &'l str {
        let end = self.comments().filter_map(|sign| line.find(sign)).min();
        &line[..end.unwrap_or(line.len())]
    }

    /// A line without its comment and without anything after a separator.
    pub fn code<'l>(&self, line: &'l str) -> &'l str {
        let code = self.without_comment(line).trim_end();
        let end = self.separators().filter_map(|sign| code.find(sign)).min();
        code[..end.unwrap_or(code.len())].trim_end()
    }

    /// The signs that begin a comment, one per line; empty if all are the usual signs.
    pub fn own_comments(&self) -> String {
        self.own(self.comments())
    }

    /// The signs that end an instruction, one per line; empty if all are the usual signs.
    pub fn own_separators(&self) -> String {
        self.own(self.separators())
    }

    fn own<'s>(&'s self, signs: impl Iterator<Item = &'s str>) -> String {
        match *self == CommentSyntax::default() {
            true => String::new(),
            false => signs.collect::<Vec<_>>().join("\n"),
        }
    }
}

fn or_usual<'s>(given: &'s [String], usual: &'s str) -> impl Iterator<Item = &'s str> {
    let usual = Some(usual).filter(|_| given.is_empty());
    given.iter().map(String::as_str).chain(usual)
}
