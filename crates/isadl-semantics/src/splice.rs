//! Puts texts of programs into one another: wrappers around a text, brackets where they are needed, the usual layout.

use std::ops::Range;

use isadl_diagnostics::diagnostic::Diagnostics;
use isadl_diagnostics::span::{FileId, Span};

use crate::syntax::{LaidLine, Line, Token, layout, tokens};

/// Columns per level.
const INDENT: usize = 4;

/// The lines of a text; locations are bytes of the text.
pub(crate) fn lines_of(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let line = |line| {
        let start = at;
        at += str::len(line) as u32 + 1;
        let span = Span { file: FileId::new(0), start, end: start + str::len(line) as u32 };
        Line { text: line, span }
    };
    text.split('\n').map(line).collect()
}

/// The bytes of a text that a location means.
pub(crate) fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// A text in the usual layout; as it is if it is not a program.
pub(crate) fn laid_out(text: &str) -> String {
    let Some(lines) = layout(&lines_of(text)) else { return text.to_string() };
    let line = |line: &LaidLine| format!("{}{}", " ".repeat(line.indent * INDENT), line.text);
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The text of a wrapper with another text in the place of `body`.
pub(crate) fn unfolded(wrapper: &str, inner: &str) -> String {
    let tokens = tokens(&lines_of(wrapper), &mut Diagnostics::default());
    let mut made = wrapper.to_string();
    for at in (0..tokens.len()).rev() {
        if tokens[at].token != Token::Name("body") {
            continue;
        }
        let sign = |token: Option<Token<'_>>| match token {
            Some(Token::Sign(sign)) => Some(sign),
            _ => None,
        };
        let before = at.checked_sub(1).map(|at| tokens[at].token);
        let after = tokens.get(at + 1).map(|located| located.token);
        let is_open = matches!(before, None | Some(Token::Newline | Token::Name("return")))
            || matches!(sign(before), Some("=" | "(" | "," | "{" | ";"));
        let is_closed = matches!(after, None | Some(Token::Newline | Token::End))
            || matches!(sign(after), Some(")" | "," | "}" | ";"));
        let mut place = range(tokens[at].span);
        let text = match (is_open && is_closed) || is_one(inner) {
            // Several statements in a block on one line get lines of their own.
            true if inner.contains('\n') && sign(before) == Some("{") => {
                place.start = range(tokens[at - 1].span).end;
                let is_end = sign(after) == Some("}");
                place.end = if is_end { range(tokens[at + 1].span).start } else { place.end };
                format!("\n{inner}{}", if is_end { "\n" } else { "" })
            }
            true => inner.to_string(),
            false => format!("({inner})"),
        };
        made.replace_range(place, &text);
    }
    made
}

/// Whether a text is one thing beside any operator: a name, a number, a call, a slice, or anything in brackets.
pub(crate) fn is_one(text: &str) -> bool {
    let tokens = tokens(&lines_of(text), &mut Diagnostics::default());
    let mut depth = 0usize;
    for (at, located) in tokens.iter().enumerate() {
        match located.token {
            // A bracket follows what it belongs to.
            Token::Sign("(" | "[" | "{") => depth += 1,
            Token::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
            Token::End => {}
            Token::Name("match" | "not") if depth == 0 => return false,
            Token::Sign(".") => {}
            Token::Sign(_) | Token::Newline if depth == 0 => return false,
            Token::Name(_) | Token::Int(_) | Token::Real(_) | Token::Text(_)
                if depth == 0 && at > 0 && tokens[at - 1].token != Token::Sign(".") =>
            {
                return false;
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{is_one, laid_out, unfolded};

    #[test]
    fn what_is_not_a_program_stays_as_it_is() {
        assert_eq!(laid_out("if a {\nx=f(b,\nc)\n}"), "if a {\n    x = f(b,\n        c)\n}");
        assert_eq!(laid_out("if a {\nx=f(b,"), "if a {\nx=f(b,");
    }

    #[test]
    fn a_text_takes_the_place_of_body() {
        assert_eq!(unfolded("x = body", "a + b"), "x = a + b");
        assert_eq!(unfolded("x = body * 2", "a + b"), "x = (a + b) * 2");
        assert_eq!(unfolded("x = body * 2", "f(a + b)[3:0]"), "x = f(a + b)[3:0] * 2");
        assert_eq!(unfolded("x = f(body, 1)", "a + b"), "x = f(a + b, 1)");
        assert_eq!(unfolded("atomic { body }", "x = 1"), "atomic { x = 1 }");
        assert_eq!(unfolded("atomic { body }", "x = 1\ny = 2"), "atomic {\nx = 1\ny = 2\n}");
        assert_eq!(unfolded("body\ny = 2", "x = 1\nz = 3"), "x = 1\nz = 3\ny = 2");
    }

    #[test]
    fn one_thing_needs_no_brackets() {
        for text in
            ["a", "12", "f(a, b + c)", "{a, b}", "a[3:0]", "memory[a][7:0]", "(a + b)", "a.b"]
        {
            assert!(is_one(text), "{text}");
        }
        for text in ["-a", "a + b", "not a", "a ? b : c", "x = a", "match a { A: b }", "a\nb"] {
            assert!(!is_one(text), "{text}");
        }
    }
}
