//! A specification inside a Rust file: its text, and the tokens at its locations.
//!
//! Invariant: if the Rust file can be read, every location in the text is reported as its location in the file. The
//! common indentation of the lines is removed, because definitions begin in the first column.

use isadl::source::Excerpt;
use proc_macro::{Group, Literal, Span, TokenStream, TokenTree};

/// A specification inside a Rust file.
pub(crate) struct Inline {
    /// The location of the whole specification.
    pub(crate) span: Span,
    pub(crate) source: Excerpted,
    /// Lines and columns where tokens begin, ascending; none for a specification in a string.
    tokens: Vec<(LineColumn, Span)>,
}

/// A line and a column in characters, both from 1.
type LineColumn = (usize, usize);

/// A text and its position in the Rust file.
#[derive(Clone)]
pub(crate) struct Excerpted {
    /// The name of the file.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) excerpt: Excerpt,
}

impl Inline {
    /// The token at a location, or the whole specification.
    pub(crate) fn span_at(&self, place: LineColumn) -> Span {
        let behind = self.tokens.partition_point(|(start, _)| *start <= place);
        behind.checked_sub(1).map_or(self.span, |index| self.tokens[index].1)
    }
}

impl Excerpted {
    /// A text that begins at a position of a file.
    fn new(name: String, (line, column): LineColumn, text: &str) -> Excerpted {
        let indent = |line: &str| line.bytes().take_while(|byte| *byte == b' ').count();
        let lines: Vec<&str> = text.split('\n').collect();
        let with_content = lines[1..].iter().filter(|line| !line.trim().is_empty());
        let common = with_content.map(|line| indent(line)).min().unwrap_or(0);
        // Text on the line of the opening mark does not have its own indentation.
        let cut = lines.iter().enumerate().map(|(index, line)| match index {
            0 => indent(line),
            _ => indent(line).min(common),
        });
        let cut: Vec<usize> = cut.collect();
        let kept: Vec<&str> = lines.iter().zip(&cut).map(|(line, cut)| &line[*cut..]).collect();
        let mut margins = cut;
        margins[0] += column - 1;
        Excerpted { name, text: kept.join("\n"), excerpt: Excerpt { line, margins } }
    }

    /// A text whose position is unknown.
    fn unnamed(text: &str) -> Excerpted {
        Excerpted::new("<specification>".to_string(), (1, 1), text)
    }
}

/// A specification in a string with this value.
pub(crate) fn of_literal(literal: &Literal, value: &str) -> Inline {
    let span = literal.span();
    let written = literal.to_string();
    // With escapes, positions in the value differ from positions in the file.
    let source = written.find(value).map_or(Excerpted::unnamed(value), |marks| {
        let start = span.start();
        Excerpted::new(span.file(), (start.line(), start.column() + marks), value)
    });
    Inline { span, source, tokens: Vec::new() }
}

/// A specification as the tokens in braces.
pub(crate) fn of_tokens(group: &Group) -> Inline {
    let (open, close) = (group.span_open().end(), group.span_close().start());
    let (start, end) = ((open.line(), open.column()), (close.line(), close.column()));
    let mut tokens = Vec::new();
    let found = open.local_file().and_then(|path| std::fs::read_to_string(path).ok());
    let source = match found.as_deref().and_then(|file| between(file, start, end)) {
        Some(text) => {
            places(group.stream(), &mut tokens);
            Excerpted::new(open.file(), start, text)
        }
        None => Excerpted::unnamed(&group.stream().to_string()),
    };
    Inline { span: group.span(), source, tokens }
}

/// The text between two positions of a file, unless there are no braces around it: an example in a document has positions in
/// a file of its own, and the name of another.
fn between(file: &str, start: LineColumn, end: LineColumn) -> Option<&str> {
    let byte = |(line, column): LineColumn| {
        let before: usize =
            file.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let mut characters = file[before..].char_indices();
        let at = characters.nth(column.checked_sub(1)?).map(|(at, _)| before + at);
        Some(at.unwrap_or(file.len()))
    };
    let (start, end) = (byte(start)?, byte(end)?);
    let is_it = file.get(..start)?.ends_with('{') && file.get(end..)?.starts_with('}');
    file.get(start..end).filter(|_| is_it)
}

/// The positions of tokens, including tokens within groups.
fn places(stream: TokenStream, tokens: &mut Vec<(LineColumn, Span)>) {
    for token in stream {
        let mut add = |span: Span| {
            let start = span.start();
            tokens.push(((start.line(), start.column()), span));
        };
        match token {
            TokenTree::Group(group) => {
                add(group.span_open());
                places(group.stream(), tokens);
            }
            token => add(token.span()),
        }
    }
}

/// The value of a string literal as it is written; `None` for any other literal.
pub(crate) fn string(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let hashes = raw.bytes().take_while(|byte| *byte == b'#').count();
        let inside = raw.get(hashes + 1..raw.len().checked_sub(hashes + 1)?)?;
        return raw[hashes..].starts_with('"').then(|| inside.to_string());
    }
    let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
    unescaped(inside)
}

/// A text with its escapes replaced.
fn unescaped(text: &str) -> Option<String> {
    let mut value = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match rest.next()? {
            'n' => value.push('\n'),
            'r' => value.push('\r'),
            't' => value.push('\t'),
            '0' => value.push('\0'),
            'x' => {
                let digits: String = rest.by_ref().take(2).collect();
                value.push(char::from(u8::from_str_radix(&digits, 16).ok()?));
            }
            'u' => {
                let digits: String =
                    rest.by_ref().skip(1).take_while(|c| *c != '}').filter(|c| *c != '_').collect();
                value.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
            }
            // A continued line begins with its first non-blank character.
            '\n' => {
                let behind = rest.as_str().trim_start_matches([' ', '\t', '\n', '\r']);
                rest = behind.chars();
            }
            other => value.push(other),
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::{Excerpted, between, string};

    #[test]
    fn a_text_keeps_its_places() {
        let file = "fn f() {\n    isa!({ a\n      b\n\n        c é\n    });\n}\n";
        let text = between(file, (2, 11), (6, 5)).expect("the places are in the file");
        assert_eq!(text, " a\n      b\n\n        c é\n    ");
        let found = Excerpted::new("f.rs".to_string(), (2, 11), text);
        assert_eq!(found.text, "a\nb\n\n  c é\n");
        assert_eq!(found.excerpt.margins, [11, 6, 0, 6, 4]);
        let mut sources = isadl::source::SourceMap::new();
        let id = sources.add_excerpt(found.name, found.text.clone(), found.excerpt);
        let place =
            |text: &str| sources.position(id, found.text.find(text).expect("it is there") as u32);
        assert_eq!(
            [place("a"), place("b"), place("c"), place("é")],
            [(2, 12), (3, 7), (5, 9), (5, 11)]
        );
    }

    #[test]
    fn strings_have_their_values() {
        let value = |literal: &str| string(literal).unwrap_or_else(|| panic!("{literal}"));
        assert_eq!(value(r#""a\n\t\\\"\x41\u{1F600}""#), "a\n\t\\\"A\u{1F600}");
        assert_eq!(value("\"a\\\n   b\""), "ab");
        assert_eq!(value("r\"a\\n\""), "a\\n");
        assert_eq!(value("r##\"a\"#b\"##"), "a\"#b");
        assert_eq!(value("\"\""), "");
        for other in ["1", "'a'", "b\"a\"", "1.5", "c\"a\""] {
            assert_eq!(string(other), None, "{other}");
        }
    }
}
