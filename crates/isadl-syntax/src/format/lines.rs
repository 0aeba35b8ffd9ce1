//! Lines and their statements.

use crate::parse::{GrammarSegment, SegmentKind, Token};
use crate::source::SourceFile;

/// A line of a text.
#[derive(Clone, Copy)]
pub(super) struct Line<'s> {
    /// Without its end.
    pub(super) text: &'s str,
    /// The characters that end it; none for a last line without.
    pub(super) ending: &'s str,
    /// Its position in the file, in bytes.
    pub(super) start: u32,
}

/// A line of statements.
pub(super) struct Code {
    /// The kind of piece that its first token begins; `None` if the line continues a statement.
    pub(super) begins: Option<SegmentKind>,
    /// The kind of the line, if it is a single complete statement.
    pub(super) whole: Option<SegmentKind>,
    /// Its text, cut before the tokens that begin columns.
    pub(super) cells: Vec<Cell>,
    /// Whether its last statement goes on.
    pub(super) is_open: bool,
}

/// A part of a line.
#[derive(Default)]
pub(super) struct Cell {
    /// The column that this part begins.
    pub(super) column: Option<u8>,
    /// The text, with single spaces.
    pub(super) text: String,
}

/// The lines of a text that begins at a position of its file.
pub(super) fn text_lines(content: &str, at: u32) -> impl Iterator<Item = Line<'_>> {
    let mut start = at;
    content.split_inclusive('\n').map(move |whole| {
        let text = whole.trim_end_matches(['\n', '\r']);
        let line = Line { text, ending: &whole[text.len()..], start };
        start += whole.len() as u32;
        line
    })
}

/// The statements in each line of a file; `None` for lines without statements, and for lines that mix statements and
/// other text.
pub(super) fn code_lines(file: &SourceFile, pieces: &[GrammarSegment]) -> Vec<Option<Code>> {
    let content = file.content();
    let before = (file.text().len() - content.len()) as u32;
    let mut tokens = tokens(pieces).peekable();
    let mut is_open = None;
    text_lines(content, before)
        .map(|line| {
            let end = line.start + line.text.len() as u32;
            let mut own = Vec::new();
            while let Some(token) = tokens.next_if(|placed| placed.token.span.start < end) {
                own.push(token);
            }
            let is_end = own.is_empty() && is_open.is_some() && line.text.trim() == ";";
            if own.is_empty() && !is_end {
                is_open = is_open.filter(|_| !line.text.trim().is_empty());
                return None;
            }
            let code = code(line, &own, is_open)?;
            is_open = code.is_open.then_some(());
            Some(code)
        })
        .collect()
}

/// A token and its position in a piece.
struct Placed<'p> {
    token: &'p Token,
    /// The kind of piece that contains the token.
    kind: SegmentKind,
    is_first: bool,
}

fn tokens(pieces: &[GrammarSegment]) -> impl Iterator<Item = Placed<'_>> {
    pieces.iter().flat_map(|piece| {
        let (kind, tokens) = match piece {
            GrammarSegment::Tokens { kind, tokens } => (*kind, tokens.as_slice()),
            GrammarSegment::Heading(..) => (SegmentKind::Statement, [].as_slice()),
        };
        let placed = move |(at, token)| Placed { token, kind, is_first: at == 0 };
        tokens.iter().enumerate().map(placed)
    })
}

/// A line with some tokens, if there is nothing else in it but semicolons and a comment.
fn code(line: Line<'_>, tokens: &[Placed<'_>], before: Option<()>) -> Option<Code> {
    let mut made = Code {
        begins: tokens.first().filter(|first| first.is_first).map(|first| first.kind),
        whole: None,
        cells: vec![Cell::default()],
        is_open: before.is_some(),
    };
    let (mut at, mut begun, mut ended) = (0, 0, 0);
    for placed in tokens {
        let place = |at: u32| (at - line.start) as usize;
        let (start, end) = (place(placed.token.span.start), place(placed.token.span.end));
        ended += made.semicolons(line.text.get(at..start)?)?;
        if placed.is_first && placed.kind != SegmentKind::Guard {
            begun += 1;
            made.is_open = placed.kind != SegmentKind::Header || is_forms(line.text);
        }
        made.token(placed, line.text.get(start..end)?);
        at = end;
    }
    let rest = line.text.get(at..)?;
    let (rest, comment) = rest.split_at(rest.find("//").unwrap_or(rest.len()));
    ended += made.semicolons(rest)?;
    if !comment.is_empty() {
        let is_first = made.cells.iter().all(|cell| cell.text.is_empty());
        made.append(comment.trim_end(), !is_first);
    }
    let is_whole = begun == 1 && ended == 1 && made.begins.is_some() && !made.is_open;
    made.whole = made.begins.filter(|_| is_whole);
    Some(made)
}

/// Whether a header ends with a semicolon.
fn is_forms(text: &str) -> bool {
    text.trim_start().starts_with("__DefForms")
}

impl Code {
    /// Adds the semicolons of a text and returns their number; `None` if the text contains anything else.
    fn semicolons(&mut self, text: &str) -> Option<usize> {
        let mut count = 0;
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            if c != ';' {
                return None;
            }
            self.append(";", false);
            self.is_open = false;
            count += 1;
        }
        Some(count)
    }

    fn token(&mut self, placed: &Placed<'_>, text: &str) {
        let is_begun = self.cells.iter().any(|cell| !cell.text.is_empty());
        let column = placed.token.column.filter(|_| is_begun);
        if column.is_some() {
            self.cells.push(Cell { column, text: String::new() });
        }
        let is_spaced = placed.token.is_spaced || placed.is_first;
        self.append(text, is_spaced && is_begun && column.is_none());
    }

    fn append(&mut self, text: &str, is_spaced: bool) {
        // There always is a cell.
        if let Some(cell) = self.cells.last_mut() {
            cell.text += if is_spaced { " " } else { "" };
            cell.text += text;
        }
    }
}
