//! The parts of a line: guard, mnemonic, dotted words, pieces for operands, control fields.
//!
//! The line is split once, whatever opcodes are tried; every part lies in the line.

use super::cursor::{Cursor, Failure, expected};
use crate::isa::ModifierStyle;

/// A word of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'l> {
    pub(super) text: &'l str,
    pub(super) at: usize,
}

/// The parts of a line, as bytes of it.
#[derive(Debug)]
pub(super) struct Parts<'l> {
    pub(super) line: &'l str,
    /// The text behind `@`, and where the `@` is.
    pub(super) guard: Option<(usize, (usize, usize))>,
    pub(super) mnemonic: Word<'l>,
    /// The words behind dots, which begin at their dots.
    pub(super) dotted: Vec<Word<'l>>,
    pub(super) dots_end: usize,
    /// The words behind the operands, where modifiers are written so.
    pub(super) words: Vec<Word<'l>>,
    pub(super) operands: Vec<(usize, usize)>,
    /// From the first `$` on.
    pub(super) controls: (usize, usize),
    /// Where a space is missing behind the mnemonic.
    pub(super) glued: Option<usize>,
    /// Where the instruction ends.
    pub(super) end: usize,
}

impl<'l> Parts<'l> {
    pub(super) fn split(line: &'l str, style: ModifierStyle) -> Result<Parts<'l>, Failure> {
        let code = line.find("//").map_or(line, |comment| &line[..comment]);
        let end = match code.find(';') {
            Some(end) if code[end + 1..].trim_ascii().is_empty() => end,
            Some(end) => {
                let rest = &code[end + 1..];
                let at = end + 1 + (rest.len() - rest.trim_ascii_start().len());
                return expected(at, "the end of the line");
            }
            None => code.len(),
        };
        let end = line[..end].trim_ascii_end().len();
        let mut cursor = Cursor::new(line, 0, end);
        let guard = guard_of(&mut cursor);
        cursor.skip_space();
        let at = cursor.at;
        let mnemonic = Word { text: cursor.identifier(), at };
        let mut dotted = Vec::new();
        while cursor.rest().starts_with('.') {
            let at = cursor.at;
            cursor.at += 1;
            if cursor.rest().starts_with(|c: char| c.is_ascii_whitespace()) {
                return expected(cursor.at, "a modifier");
            }
            dotted.push(Word { text: cursor.identifier(), at });
        }
        let dots_end = cursor.at;
        let is_glued = !cursor.rest().starts_with(['$', ' ', '\t']) && !cursor.is_done();
        let glued = is_glued.then_some(dots_end);
        let controls = line[dots_end..end].find('$').map_or(end, |offset| dots_end + offset);
        let mut operands = match glued {
            Some(_) => Vec::new(),
            None => pieces(line, dots_end, controls)?,
        };
        let words = match style {
            ModifierStyle::Dots => Vec::new(),
            ModifierStyle::Words => words_behind(line, &mut operands),
        };
        Ok(Parts {
            line,
            guard,
            mnemonic,
            dotted,
            dots_end,
            words,
            operands,
            controls: (controls, end),
            glued,
            end,
        })
    }

    /// How many of the dotted words belong to a mnemonic; `None` if the line has another.
    pub(super) fn dots_of(&self, mnemonic: &str) -> Option<usize> {
        let mut words = mnemonic.split('.');
        if words.next() != Some(self.mnemonic.text) {
            return None;
        }
        let words: Vec<&str> = words.collect();
        let matches = self.dotted.iter().zip(&words).filter(|(a, b)| a.text == **b).count();
        (matches == words.len()).then_some(words.len())
    }
}

/// `@` and a word with marks.
fn guard_of(cursor: &mut Cursor<'_>) -> Option<(usize, (usize, usize))> {
    cursor.skip_space();
    let at = cursor.at;
    if !cursor.take("@") {
        return None;
    }
    let start = cursor.at;
    let is_mark = |c: &char| c.is_ascii_whitespace() || "!-~|".contains(*c);
    while let Some(c) = cursor.rest().chars().next().filter(is_mark) {
        cursor.at += c.len_utf8();
    }
    cursor.identifier();
    Some((at, (start, cursor.at)))
}

/// Cuts the words off that follow the last operand.
fn words_behind<'l>(line: &'l str, operands: &mut [(usize, usize)]) -> Vec<Word<'l>> {
    let Some((start, end)) = operands.last_mut() else { return Vec::new() };
    let text = &line[*start..*end];
    let Some(cut) = end_of_operand(text) else { return Vec::new() };
    let rest = &text[cut..];
    *end = *start + cut;
    let words = rest.split_ascii_whitespace();
    words.map(|text| Word { text, at: text.as_ptr() as usize - line.as_ptr() as usize }).collect()
}

/// Where a blank behind an operand is followed by a word: outside of brackets, and not behind a
/// mark, which may have blanks behind it.
fn end_of_operand(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let before = text[..at].trim_ascii_end();
        let is_word = text[at..].trim_ascii_start().starts_with(|c: char| c.is_ascii_alphabetic());
        let is_open = before.trim_start_matches(['-', '!', '~', '|', ' ']).is_empty();
        if c.is_ascii_whitespace() && depth == 0 && is_word && !is_open {
            return Some(before.len());
        }
    }
    None
}

/// Splits at the commas outside of brackets.
fn pieces(line: &str, start: usize, end: usize) -> Result<Vec<(usize, usize)>, Failure> {
    let text = &line[start..end];
    if text.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let mut depth = 0u32;
    let mut pieces = Vec::new();
    let mut from = 0;
    let commas = text.char_indices().filter(|(_, c)| {
        depth = match c {
            '[' | '(' | '{' => depth + 1,
            ']' | ')' | '}' => depth.saturating_sub(1),
            _ => depth,
        };
        *c == ',' && depth == 0
    });
    let ends: Vec<usize> = commas.map(|(at, _)| at).chain([text.len()]).collect();
    for to in ends {
        let piece = &text[from..to];
        let low = start + from + (piece.len() - piece.trim_ascii_start().len());
        if piece.trim_ascii().is_empty() {
            return expected(start + to, "an operand");
        }
        pieces.push((low, low + piece.trim_ascii().len()));
        from = to + 1;
    }
    Ok(pieces)
}
