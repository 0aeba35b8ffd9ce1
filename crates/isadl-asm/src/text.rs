//! Splits source text into statements; the specification defines comments and separators.
//!
//! A text is a file, or the expansion of the body of a macro or repetition. Its locations refer to the file it comes
//! from.

use isadl::source::{FileId, Span};

/// A text and where it is from.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Where its bytes are.
    origin: Origin,
    /// The statement that called for it, in the file of the user.
    pub(crate) site: Option<Span>,
    /// Where a comment begins that is not closed.
    pub(crate) unclosed: Option<usize>,
}

#[derive(Debug)]
enum Origin {
    /// In a file, from a byte on.
    File(FileId, u32),
    /// It was made of this line; these parts of it are written elsewhere.
    Line(Span, Vec<(usize, usize, Span)>),
}

/// A place in a file, and the call that led there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Loc {
    pub(crate) span: Span,
    pub(crate) site: Option<Span>,
}

impl Text {
    /// The text of a file. Comments between `/*` and `*/` become blanks.
    pub(crate) fn of_file(file: FileId, start: u32, text: &str, scanner: &LineScanner) -> Text {
        let (text, unclosed) = match text.contains("/*") {
            true => without_blocks(text, scanner),
            false => (text.to_string(), None),
        };
        Text { text, origin: Origin::File(file, start), site: None, unclosed }
    }

    /// A text that consists of expanded lines, requested at a location.
    pub(crate) fn made(site: Span) -> Text {
        Text {
            text: String::new(),
            origin: Origin::Line(site, Vec::new()),
            site: Some(site),
            unclosed: None,
        }
    }

    /// Begins a line made from the line at a given place.
    pub(crate) fn begin(&mut self, span: Span) {
        self.text.clear();
        if let Origin::Line(line, parts) = &mut self.origin {
            *line = span;
            parts.clear();
        }
    }

    /// Appends text, with its location in the file if it has one.
    pub(crate) fn put(&mut self, text: &str, span: Option<Span>) {
        let start = self.text.len();
        self.text.push_str(text);
        if let (Origin::Line(_, parts), Some(span)) = (&mut self.origin, span) {
            parts.push((start, self.text.len(), span));
        }
    }

    /// Where a part is written as it is, if it is.
    pub(crate) fn written(&self, start: usize, end: usize) -> Option<Span> {
        match &self.origin {
            Origin::File(file, first) => {
                Some(Span { file: *file, start: first + start as u32, end: first + end as u32 })
            }
            Origin::Line(_, parts) => {
                let part =
                    parts.iter().find(|part| part.0 <= start && end <= part.1 && start < end);
                let (from, _, span) = part?;
                let place = |at: usize| span.start + (at - from) as u32;
                Some(Span { file: span.file, start: place(start), end: place(end) })
            }
        }
    }

    /// The location of a part: its position in the file, or the line that it was expanded from.
    #[inline]
    pub(crate) fn loc(&self, start: usize, end: usize) -> Loc {
        match (&self.origin, self.written(start, end)) {
            (Origin::Line(line, _), None) => Loc { span: *line, site: self.site },
            (Origin::File(file, _), None) => {
                Loc { span: Span { file: *file, start: 0, end: 0 }, site: None }
            }
            (_, Some(span)) => Loc { span, site: None },
        }
    }
}

/// The signs that begin comments and end statements.
#[derive(Debug, Clone)]
pub(crate) struct LineScanner {
    comments: Vec<Vec<u8>>,
    separators: Vec<Vec<u8>>,
    /// Bytes with which a sign or quote can begin.
    may_begin: [bool; 256],
}

impl LineScanner {
    pub(crate) fn new(syntax: &isadl::isa::CommentSyntax) -> LineScanner {
        let bytes = |sign: &str| sign.as_bytes().to_vec();
        let comments: Vec<_> = syntax.comments().map(bytes).collect();
        let separators: Vec<_> = syntax.separators().map(bytes).collect();
        let mut may_begin = [false; 256];
        for first in comments.iter().chain(&separators).filter_map(|sign| sign.first()) {
            may_begin[usize::from(*first)] = true;
        }
        for byte in b"\n\"'" {
            may_begin[usize::from(*byte)] = true;
        }
        LineScanner { comments, separators, may_begin }
    }

    /// The end of the statement that begins at `start`, and the beginning of the next statement.
    pub(crate) fn statement(&self, text: &[u8], start: usize) -> (usize, usize) {
        let mut at = start;
        if self.is_line_comment(text, start) {
            at = line_end(text, start);
            return (start, (at + 1).min(text.len()));
        }
        while let Some(byte) = text.get(at) {
            if !self.may_begin[usize::from(*byte)] {
                at += 1;
                continue;
            }
            match byte {
                b'\n' => return (at, at + 1),
                b'"' => {
                    at = string_end(text, at);
                    continue;
                }
                b'\'' => {
                    at = character_end(text, at);
                    continue;
                }
                _ => {}
            }
            let rest = &text[at..];
            if self.comments.iter().any(|sign| rest.starts_with(sign)) {
                let next = rest.iter().position(|byte| *byte == b'\n');
                let next = next.map_or(text.len(), |length| at + length + 1);
                return (at, next);
            }
            if let Some(sign) = self.separators.iter().find(|sign| rest.starts_with(sign)) {
                return (at, at + sign.len());
            }
            at += 1;
        }
        (at, at)
    }

    /// Whether the rest of a line is a comment because the line begins with `#`. Preprocessors and compilers write such
    /// lines: `# 1 "file.c"`, `#APP`.
    fn is_line_comment(&self, text: &[u8], start: usize) -> bool {
        if start > 0 && text[start - 1] != b'\n' {
            return false;
        }
        let rest = text[start..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        rest == Some(&b'#') && self.separators.iter().all(|sign| sign.first() != Some(&b'#'))
    }

    fn begins_comment(&self, rest: &[u8]) -> bool {
        self.comments.iter().any(|sign| rest.starts_with(sign))
    }
}

/// Where the line ends that a byte is in.
fn line_end(text: &[u8], start: usize) -> usize {
    text[start..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |length| start + length)
}

/// The first of 128 characters for private use that stand for bytes which are not UTF-8.
const FIRST_STAND_IN: u32 = 0x10_ff80;

/// Makes the bytes of a source file UTF-8: other bytes, which comments and strings may contain, become characters for
/// private use. Strings have the original bytes again.
#[must_use]
pub fn readable(bytes: Vec<u8>) -> Vec<u8> {
    let is_plain = |text: &str| !text.chars().any(|c| u32::from(c) >= FIRST_STAND_IN);
    if std::str::from_utf8(&bytes).is_ok_and(is_plain) {
        return bytes;
    }
    let mut made = String::with_capacity(bytes.len() + bytes.len() / 2);
    let stand_in = |byte: &u8| char::from_u32(FIRST_STAND_IN + u32::from(*byte & 0x7f));
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match u32::from(c) >= FIRST_STAND_IN {
                true => {
                    made.extend(c.encode_utf8(&mut [0; 4]).as_bytes().iter().filter_map(stand_in))
                }
                false => made.push(c),
            }
        }
        made.extend(chunk.invalid().iter().filter_map(stand_in));
    }
    made.into_bytes()
}

/// The bytes that a text stands for: those of the file that [`readable`] read.
pub(crate) fn original(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(FIRST_STAND_IN) {
            Some(byte) => bytes.push(byte as u8 | 0x80),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// Where a string ends that begins at `start`; at the end of the line if it is not closed.
pub(crate) fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' if text.get(at + 1).is_some_and(|next| *next != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// Where a character ends that begins at `start`: `'a`, `'a'`, `'\n'`.
fn character_end(text: &[u8], start: usize) -> usize {
    let end = match text.get(start + 1) {
        Some(b'\\') => start + 3,
        Some(b'\n') | None => start + 1,
        Some(_) => start + 2,
    };
    let is_closed = text.get(end) == Some(&b'\'');
    (end + usize::from(is_closed)).min(text.len())
}

/// Where a string or a character ends that begins at a byte; `None` if neither does.
pub(crate) fn quoted_end(text: &[u8], start: usize) -> Option<usize> {
    match text.get(start)? {
        b'"' => Some(string_end(text, start)),
        b'\'' => Some(character_end(text, start)),
        _ => None,
    }
}

/// Replaces comments between `/*` and `*/` by blanks, keeping the number of bytes. Also returns the start of a comment
/// without an end.
fn without_blocks(text: &str, scanner: &LineScanner) -> (String, Option<usize>) {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut unclosed) = (0, None);
    while at < bytes.len() {
        if scanner.is_line_comment(&bytes, at) {
            at = (line_end(&bytes, at) + 1).min(bytes.len());
            continue;
        }
        let rest = &bytes[at..];
        if rest.starts_with(b"/*") {
            let length = rest.windows(2).skip(2).position(|two| two == b"*/");
            let end = length.map_or(bytes.len(), |length| at + length + 4);
            unclosed = unclosed.or(length.is_none().then_some(at));
            let comment = bytes[at..end].iter_mut().filter(|byte| **byte != b'\n');
            comment.for_each(|byte| *byte = b' ');
            at = end;
        } else if scanner.begins_comment(rest) {
            let length = rest.iter().position(|byte| *byte == b'\n');
            at = length.map_or(bytes.len(), |length| at + length);
        } else if rest[0] == b'"' {
            at = string_end(&bytes, at);
        } else if rest[0] == b'\'' {
            at = character_end(&bytes, at);
        } else {
            at += 1;
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), unclosed)
}

/// Whether a byte may be in a name.
pub(crate) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$') || byte >= 0x80
}

/// The name that a text begins with; empty if it begins with none. It may begin with a digit.
pub(crate) fn name(text: &str) -> &str {
    let length = text.bytes().position(|byte| !is_name(byte)).unwrap_or(text.len());
    &text[..length]
}

/// The name of a symbol that a text begins with, which may be in quotes, and the bytes that it takes; the name is empty if
/// there is none.
pub(crate) fn symbol_word(text: &str) -> (&str, usize) {
    match text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some((own, _)) if !own.contains('\\') => (own, own.len() + 2),
        _ if text.starts_with('"') => ("", 0),
        _ => (name(text), name(text).len()),
    }
}

/// A text from its first byte that is not a blank, and how many blanks there are.
pub(crate) fn blanks(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The parts of a text between commas, outside of strings, parentheses and brackets, with their places.
pub(crate) fn parts(text: &str) -> Vec<(usize, &str)> {
    parts_outside(text, b"([", b")]")
}

/// The parts of a text between commas, outside of strings and of what some characters open and others close.
pub(crate) fn parts_outside<'t>(
    text: &'t str,
    opening: &[u8],
    closing: &[u8],
) -> Vec<(usize, &'t str)> {
    let bytes = text.as_bytes();
    let (mut parts, mut start, mut at, mut depth) = (Vec::new(), 0, 0, 0u32);
    let mut push = |start: usize, end: usize| {
        let part = &text[start..end];
        let first = blanks(part);
        parts.push((start + first, part.trim()));
    };
    while at < bytes.len() {
        if let Some(end) = quoted_end(bytes, at) {
            at = end;
            continue;
        }
        match bytes[at] {
            byte if opening.contains(&byte) => depth += 1,
            byte if closing.contains(&byte) => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                push(start, at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if !(parts_empty(text) && start == 0) {
        push(start, text.len());
    }
    parts
}

fn parts_empty(text: &str) -> bool {
    text.trim().is_empty()
}
