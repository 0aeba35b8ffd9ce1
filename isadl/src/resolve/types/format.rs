//! Texts with names in braces: how composites, and operands made of fields, are written.
//!
//! `{name}` is a part, `{name + 1}` the register after it, and `{? … }` an optional part. `{[ | ]{? … }{? … }}` is a
//! list of optional parts with a separator. `{{` and `}}` are braces (the
//! latter not within `{? … }`, where it closes two). Everything else is literal.

use crate::ast::Ident;
use crate::source::Span;

/// A piece of a format, by the names in it.
pub(in crate::resolve) enum Shape<'a> {
    /// Literal text.
    Text(String),
    /// A part.
    Part(Ident<'a>),
    /// The register that follows the register of a part by the given count.
    Next(Ident<'a>, u32),
    /// Pieces that may be left out, and their text.
    Optional(Vec<Shape<'a>>, Span),
    /// Optional pieces with a separator between them.
    List(ListShape<'a>),
}

/// A list of pieces.
pub(in crate::resolve) struct ListShape<'a> {
    /// The text between two pieces that are written.
    pub(in crate::resolve) separator: String,
    /// The pieces, each of them optional.
    pub(in crate::resolve) items: Vec<Shape<'a>>,
    /// The text that is written if no piece is; if it is empty, all pieces are written then.
    pub(in crate::resolve) otherwise: String,
    /// The whole list.
    pub(in crate::resolve) span: Span,
}

/// The problem of a format, and its location.
pub(in crate::resolve) struct Problem {
    pub(in crate::resolve) span: Span,
    pub(in crate::resolve) message: String,
}

/// Limit on nested optional pieces.
const MAX_DEPTH: usize = 8;

/// The pieces of a format.
pub(in crate::resolve) fn shapes<'a>(format: Ident<'a>) -> Result<Vec<Shape<'a>>, Problem> {
    let mut reader = Reader { format, at: 0 };
    let shapes = reader.shapes(0)?;
    match reader.rest().is_empty() {
        true => Ok(shapes),
        false => Err(reader.problem(reader.at, 1, "`}` without `{`")),
    }
}

struct Reader<'a> {
    format: Ident<'a>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.format.text[self.at..]
    }

    fn problem(&self, at: usize, len: usize, message: &str) -> Problem {
        Problem { span: self.place(at, len).span, message: message.to_string() }
    }

    /// A part of the format, from byte `at` on.
    fn place(&self, at: usize, len: usize) -> Ident<'a> {
        let start = self.format.span.start + at as u32;
        let span = Span { start, end: start + len as u32, ..self.format.span };
        Ident { text: &self.format.text[at..at + len], span }
    }

    /// The pieces up to the end, or up to the brace that closes the enclosing part.
    fn shapes(&mut self, depth: usize) -> Result<Vec<Shape<'a>>, Problem> {
        let mut shapes = Vec::new();
        let mut text = String::new();
        while let Some(c) = self.rest().chars().next() {
            let is_double = self.rest()[c.len_utf8()..].starts_with(c);
            match c {
                // Within an optional part, each `}` closes something.
                '{' | '}' if is_double && (c == '{' || depth == 0) => {
                    text.push(c);
                    self.at += 2;
                }
                '}' => break,
                '{' => {
                    add_text(&mut shapes, &mut text);
                    shapes.push(self.braces(depth)?);
                }
                _ => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        add_text(&mut shapes, &mut text);
        Ok(shapes)
    }

    /// Parses the contents of braces.
    fn braces(&mut self, depth: usize) -> Result<Shape<'a>, Problem> {
        let open = self.at;
        if self.rest().starts_with("{?") {
            if depth == MAX_DEPTH {
                return Err(self.problem(open, 2, "optional parts are nested too deeply"));
            }
            self.at += 2;
            let shapes = self.shapes(depth + 1)?;
            if !self.rest().starts_with('}') {
                return Err(self.problem(open, 1, "`{` without `}`"));
            }
            self.at += 1;
            return Ok(Shape::Optional(shapes, self.place(open, self.at - open).span));
        }
        if self.rest().starts_with("{[") {
            return self.list(depth, open);
        }
        let Some(len) = self.rest().find('}') else {
            return Err(self.problem(open, 1, "`{` without `}`"));
        };
        self.at += len + 1;
        let (name, number) = match self.format.text[open + 1..open + len].split_once('+') {
            Some((name, number)) => (name, Some(number)),
            None => (&self.format.text[open + 1..open + len], None),
        };
        let trimmed = name.trim();
        let start = open + 1 + (name.len() - name.trim_start().len());
        let ident = self.place(start, trimmed.len());
        let Some(number) = number else {
            // An empty name is reported with its braces.
            let is_empty = trimmed.is_empty();
            return Ok(Shape::Part(if is_empty { self.place(open, len + 1) } else { ident }));
        };
        let by = number.trim().parse().ok().filter(|by| (1..=31).contains(by));
        match by {
            Some(by) => Ok(Shape::Next(ident, by)),
            None => Err(self.problem(
                open,
                len + 1,
                "only a number from 1 to 31 can be added to a register",
            )),
        }
    }
}

impl<'a> Reader<'a> {
    /// Parses a list: its separator in brackets, its pieces, and the text that is written if none is.
    fn list(&mut self, depth: usize, open: usize) -> Result<Shape<'a>, Problem> {
        if depth == MAX_DEPTH {
            return Err(self.problem(open, 2, "optional parts are nested too deeply"));
        }
        let Some(len) = self.rest().find(']') else {
            return Err(self.problem(open + 1, 1, "`[` without `]`"));
        };
        let separator = self.rest()[2..len].to_string();
        if separator.is_empty()
            || separator.contains(|c: char| c.is_ascii_alphanumeric() || c == '_')
        {
            let message = "a separator consists of signs and spaces";
            return Err(self.problem(open + 1, len, message));
        }
        self.at += len + 1;
        let mut items = self.shapes(depth + 1)?;
        if !self.rest().starts_with('}') {
            return Err(self.problem(open, 1, "`{` without `}`"));
        }
        self.at += 1;
        let otherwise = match items.pop() {
            Some(Shape::Text(text)) => text,
            last => {
                items.extend(last);
                String::new()
            }
        };
        let span = self.place(open, self.at - open).span;
        if items.len() < 2 || !items.iter().all(|item| matches!(item, Shape::Optional(..))) {
            let message =
                "a list consists of two or more pieces `{? … }`, and perhaps a text after them";
            return Err(Problem { span, message: message.to_string() });
        }
        Ok(Shape::List(ListShape { separator, items, otherwise, span }))
    }
}

fn add_text(shapes: &mut Vec<Shape<'_>>, text: &mut String) {
    if !text.is_empty() {
        shapes.push(Shape::Text(std::mem::take(text)));
    }
}
