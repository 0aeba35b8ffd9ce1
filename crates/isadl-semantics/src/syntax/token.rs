//! Tokens of programs, and where statements end.
//!
//! A program is given as lines. The end of a line ends a statement, unless a bracket is open, the line ends with an operator, or the
//! next line begins with one. Invariant: the last token is [`Token::End`].

use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl_diagnostics::span::Span;

/// A line of a program: its text without the line break, and its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'s> {
    /// The text.
    pub text: &'s str,
    /// Its location.
    pub span: Span,
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'s> {
    /// A name or keyword.
    Name(&'s str),
    /// An integer.
    Int(u128),
    /// A number with a point, as written.
    Real(&'s str),
    /// A text in quotes, without them.
    Text(&'s str),
    /// An operator, bracket or separator.
    Sign(&'static str),
    /// The end of a line that ends a statement.
    Newline,
    /// The end of the program.
    End,
}

impl Token<'_> {
    /// The token in a message.
    pub(crate) fn describe(self) -> String {
        match self {
            Token::Name(text) | Token::Real(text) => format!("`{text}`"),
            Token::Int(value) => format!("`{value}`"),
            Token::Text(text) => format!("`\"{text}\"`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Newline => "the end of the line".to_string(),
            Token::End => "the end of the program".to_string(),
        }
    }
}

/// A token and its location.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located<'s> {
    pub(crate) token: Token<'s>,
    pub(crate) span: Span,
}

/// Signs, the longest first.
const SIGNS: [&str; 35] = [
    "<<", ">>", "==", "!=", "<=", ">=", "..", "+:", "@[", "+", "-", "*", "/", "%", "&", "|", "^",
    "~", "<", ">", "=", "?", ":", ";", ",", "(", ")", "[", "]", "{", "}", "@", ".", "!", "\\",
];

/// Operators that continue a statement if they begin a line; most also continue it if they end a line.
const INFIX: [&str; 20] = [
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "?",
    "+:", "..", ":",
];

/// Whether a token at the end of a line shows that the statement goes on.
fn goes_on_after(token: Token<'_>) -> bool {
    match token {
        // A colon also ends the patterns of an arm, whose value may be on the next line.
        Token::Sign(sign) => INFIX.contains(&sign) || matches!(sign, "," | "=" | "~" | "(" | "["),
        Token::Name(word) => matches!(word, "and" | "or" | "not" | "in"),
        _ => false,
    }
}

/// Whether a token at the beginning of a line shows that the statement before it goes on.
fn goes_on_before(token: Token<'_>) -> bool {
    match token {
        Token::Sign(sign) => INFIX.contains(&sign),
        Token::Name(word) => matches!(word, "and" | "or"),
        _ => false,
    }
}

/// The tokens of some lines. Characters that begin no token are reported once each line.
pub(crate) fn tokens<'s>(lines: &[Line<'s>], diagnostics: &mut Diagnostics) -> Vec<Located<'s>> {
    let mut found: Vec<Located<'s>> = Vec::new();
    // The open brackets.
    let mut open: Vec<&'static str> = Vec::new();
    for line in lines {
        let mut own = of_line(*line, diagnostics).into_iter().peekable();
        let Some(first) = own.peek() else { continue };
        let is_inside = matches!(open.last(), Some(&("(" | "[")));
        let goes_on_after = match found.as_slice() {
            [] => true,
            // The name of a mark is no operator: `pp.not`.
            [.., Located { token: Token::Sign("."), .. }, _] => false,
            [.., last] => goes_on_after(last.token),
        };
        let goes_on = goes_on_after || goes_on_before(first.token);
        if !is_inside && !goes_on {
            let span = Span { end: first.span.start, ..first.span };
            found.push(Located { token: Token::Newline, span });
        }
        for located in own {
            match located.token {
                Token::Sign(sign @ ("(" | "[" | "{" | "@[")) => {
                    open.push(if sign == "@[" { "[" } else { sign })
                }
                Token::Sign(")" | "]" | "}") => {
                    open.pop();
                }
                _ => {}
            }
            found.push(located);
        }
    }
    let end = match (found.last(), lines.first()) {
        (Some(last), _) => Span { start: last.span.end, ..last.span },
        (None, Some(line)) => line.span,
        // Without lines there is nothing to report, and no location is used.
        (None, None) => return Vec::new(),
    };
    found.push(Located { token: Token::End, span: end });
    found
}

fn of_line<'s>(line: Line<'s>, diagnostics: &mut Diagnostics) -> Vec<Located<'s>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut is_reported = false;
    while let Some(next) = line.text[at..].chars().next() {
        let rest = &line.text[at..];
        if rest.starts_with("//") {
            break;
        }
        if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        }
        let span = |length: usize| {
            let start = line.span.start + at as u32;
            Span { start, end: start + length as u32, ..line.span }
        };
        match token(rest) {
            Ok((token, length)) => {
                found.push(Located { token, span: span(length) });
                at += length;
            }
            Err((message, length)) => {
                if !std::mem::replace(&mut is_reported, true) {
                    diagnostics.push(Diagnostic::new(Code::E1201, message, span(length)));
                }
                at += length;
            }
        }
    }
    found
}

/// The length of the exponent that a text begins with: `e10`, `e-3`.
fn exponent(rest: &str) -> usize {
    let Some(number) = rest.strip_prefix(['e', 'E']) else { return 0 };
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    match digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()) {
        0 => 0,
        count => rest.len() - digits.len() + count,
    }
}

/// The token that a text begins with, and its length in bytes.
fn token(rest: &str) -> Result<(Token<'_>, usize), (String, usize)> {
    let first = rest.chars().next().unwrap_or(' ');
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if first.is_ascii_digit() {
        let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let fraction = rest[length..]
            .strip_prefix('.')
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if let Some(fraction) = fraction {
            let digits = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            let length = length + 1 + digits + exponent(&fraction[digits..]);
            return Ok((Token::Real(&rest[..length]), length));
        }
        let text = &rest[..length];
        let value = match text.get(..2) {
            Some("0x") => u128::from_str_radix(&text[2..], 16),
            Some("0b") => u128::from_str_radix(&text[2..], 2),
            _ => text.parse(),
        };
        return match value {
            Ok(value) => Ok((Token::Int(value), length)),
            Err(_) => Err((format!("`{text}` is not a number of up to 128 bits"), length)),
        };
    }
    if is_word(first) {
        let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        return Ok((Token::Name(&rest[..length]), length));
    }
    if first == '"' {
        return match rest[1..].find('"') {
            Some(length) => Ok((Token::Text(&rest[1..=length]), length + 2)),
            None => Err(("the text does not end on its line".to_string(), rest.len())),
        };
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => Err((format!("`{first}` does not begin anything in a program"), first.len_utf8())),
    }
}
