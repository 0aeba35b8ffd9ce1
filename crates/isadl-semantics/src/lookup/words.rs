//! The words of programs, for colours.

use isadl_diagnostics::diagnostic::Diagnostics;
use isadl_diagnostics::span::Span;

use crate::syntax::{Line, Token, is_keyword, tokens};

/// A word or number, and its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The location.
    pub span: Span,
    /// Its kind.
    pub kind: WordKind,
}

/// The kinds of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// A word that cannot be a name.
    Keyword,
    /// A name, or a word that is a keyword in some places.
    Name,
    /// A number.
    Number,
    /// A text in quotes.
    Text,
}

/// The words of a program, which may have errors.
pub fn words(lines: &[Line<'_>]) -> Vec<Word> {
    let found = tokens(lines, &mut Diagnostics::default()).into_iter();
    let word = |located: crate::syntax::Located<'_>| {
        let kind = match located.token {
            Token::Name(word) if is_keyword(word) => WordKind::Keyword,
            Token::Name(_) => WordKind::Name,
            Token::Int(_) | Token::Real(_) => WordKind::Number,
            Token::Text(_) => WordKind::Text,
            Token::Sign(_) | Token::Newline | Token::End => return None,
        };
        Some(Word { span: located.span, kind })
    };
    found.filter_map(word).collect()
}
