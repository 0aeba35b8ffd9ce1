//! The bodies of macros and repetitions: their lines, split once where parameters are substituted.

use std::rc::Rc;

use isadl::source::Span;

use crate::alternate;
use crate::text::{Text, is_name, name};

/// First words of lines that are read even where a condition skips other lines.
const BLOCKS: &[&str] = &[".if", ".el", ".end", ".macro", ".fallback", ".special"];

/// A value of a parameter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Argument {
    pub(crate) text: String,
    /// Where it is in the operands, in bytes.
    pub(crate) place: (usize, usize),
    /// Where it is in a file of the user, if it is written there.
    pub(crate) span: Option<Span>,
}

impl Argument {
    /// A value that is not in the operands of a call.
    pub(crate) fn of(text: String) -> Argument {
        Argument { text, place: (0, 0), span: None }
    }

    /// An argument at a position in the operands, possibly quoted.
    pub(crate) fn at(start: usize, part: &str) -> Argument {
        let is_quoted = part.len() >= 2 && part.starts_with('"') && part.ends_with('"');
        let (from, inner) = if is_quoted { (1, &part[1..part.len() - 1]) } else { (0, part) };
        let place = (start + from, start + from + inner.len());
        Argument { text: inner.to_string(), place, span: None }
    }
}

/// The lines of a block as they are written.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    text: String,
    lines: Vec<(usize, Span)>,
}

impl Lines {
    pub(crate) fn push(&mut self, line: &str, span: Span) {
        self.text.push_str(line);
        self.lines.push((self.text.len(), span));
    }
}

/// A part of a line.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// A text, as a byte range of the body.
    Text(usize, usize),
    /// The value of a parameter.
    Value(usize),
    /// The number of the call.
    Number,
    /// A name that is new in each call, by its place among [`Body::locals`].
    Local(usize),
}

/// What is substituted in a block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Names<'n> {
    pub(crate) parameters: &'n [&'n str],
    /// Whether `\\@` is the number of the call.
    pub(crate) has_number: bool,
    /// Whether parameters need no sign: see [`crate::alternate`].
    pub(crate) is_alternate: bool,
}

#[derive(Debug)]
struct Line {
    /// The end of its parts.
    end: usize,
    span: Span,
    /// Whether it is read where a condition skips lines.
    may_be_block: bool,
}

/// The lines of a block.
#[derive(Debug)]
pub(crate) struct Body {
    text: String,
    parts: Vec<Part>,
    lines: Vec<Line>,
    has_number: bool,
    locals: Vec<String>,
}

impl Body {
    /// The lines with the names that are substituted. Other names after `\\` stay as they are; `\\()` is nothing.
    pub(crate) fn of(lines: &Lines, names: Names<'_>) -> Body {
        let (mut parts, mut made, mut start) = (Vec::new(), Vec::new(), 0);
        let mut locals: Vec<String> = Vec::new();
        for (end, span) in &lines.lines {
            let line = &lines.text[start..*end];
            match alternate::locals_of(line).filter(|_| names.is_alternate) {
                Some(own) => locals.extend(own.map(str::to_string)),
                None => split(line, start, (names, &locals), &mut parts),
            }
            let is_made = line[name(line).len()..].starts_with('\\');
            let is_block = BLOCKS.iter().any(|word| line.starts_with(word));
            let may_be_block = is_made || is_block || line.contains(':');
            made.push(Line { end: parts.len(), span: *span, may_be_block });
            start = *end;
        }
        let has_number = parts.iter().any(|part| matches!(part, Part::Number | Part::Local(_)));
        Body { text: lines.text.clone(), parts, lines: made, has_number, locals }
    }

    /// Whether its lines depend on the number of the call.
    pub(crate) fn has_number(&self) -> bool {
        self.has_number
    }

    /// The index of the next line that is read, starting at `first`.
    pub(crate) fn line_from(&self, first: usize, is_active: bool) -> Option<usize> {
        let rest = self.lines.get(first..)?;
        let at = rest.iter().position(|line| is_active || line.may_be_block)?;
        Some(first + at)
    }

    /// Makes a line with these values, reusing the previous line's buffer.
    pub(crate) fn make(
        &self,
        line: usize,
        (values, number): (&[Argument], u64),
        (text, site): (&mut Rc<Text>, Span),
    ) {
        if Rc::get_mut(text).is_none() {
            *text = Rc::new(Text::made(site));
        }
        let Some(text) = Rc::get_mut(text) else { return };
        let first = line.checked_sub(1).map_or(0, |before| self.lines[before].end);
        text.begin(self.lines[line].span);
        for part in &self.parts[first..self.lines[line].end] {
            match *part {
                Part::Text(start, end) => text.text.push_str(&self.text[start..end]),
                Part::Value(index) => text.put(&values[index].text, values[index].span),
                Part::Number => text.text.push_str(&number.to_string()),
                Part::Local(index) => {
                    text.text.push_str(&format!(".LL{number}_{}", self.locals[index]));
                }
            }
        }
    }
}

/// Splits a line that begins at a byte of its body.
fn split(line: &str, start: usize, names: (Names<'_>, &[String]), parts: &mut Vec<Part>) {
    let (mut from, mut at) = (0, 0);
    while let Some(found) = substituted(line, at, names) {
        if found.start > from {
            parts.push(Part::Text(start + from, start + found.start));
        }
        parts.extend(found.part);
        at = found.end;
        from = at;
    }
    if from < line.len() {
        parts.push(Part::Text(start + from, start + line.len()));
    }
}

/// A part of a line that is replaced.
struct Found {
    start: usize,
    end: usize,
    /// By what, if not by nothing.
    part: Option<Part>,
}

/// The first part from a byte of a line on that is replaced.
fn substituted(line: &str, from: usize, (names, locals): (Names<'_>, &[String])) -> Option<Found> {
    let signed = signed(line, from, names);
    if !names.is_alternate {
        return signed;
    }
    let mut at = from;
    while let Some(word) = alternate::word_from(line, at) {
        if signed.as_ref().is_some_and(|signed| signed.start < word.start) {
            break;
        }
        let text = &line[word.start..word.end];
        let parameter = names.parameters.iter().position(|name| *name == text).map(Part::Value);
        let local = || locals.iter().position(|name| name == text).map(Part::Local);
        if let Some(part) = parameter.or_else(local) {
            return Some(Found { start: word.before, end: word.behind, part: Some(part) });
        }
        at = word.end;
    }
    signed
}

/// The first parameter, number or nothing after `\\` from a byte of a line on.
fn signed(line: &str, from: usize, names: Names<'_>) -> Option<Found> {
    let is_part = |byte: u8| is_name(byte) && byte != b'.' && byte != b'$';
    let mut at = from;
    while let Some(next) = line[at..].find('\\') {
        let start = at + next;
        let rest = &line[start + 1..];
        let length = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        // Names of parameters may contain dots; otherwise a dot ends the name.
        let whole = name(rest).len();
        let is_dotted = whole > length && names.parameters.contains(&&rest[..whole]);
        let length = if is_dotted { whole } else { length };
        let (part, length) = match names.parameters.iter().position(|own| *own == &rest[..length]) {
            _ if rest.starts_with("()") => (None, 2),
            _ if rest.starts_with('@') && names.has_number => (Some(Part::Number), 1),
            Some(index) => (Some(Part::Value(index)), length),
            None => {
                at = start + 1;
                continue;
            }
        };
        return Some(Found { start, end: start + 1 + length, part });
    }
    None
}
