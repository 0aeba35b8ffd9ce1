//! Makes source text safe for a terminal: replaces characters that a terminal acts on, or that change the order of
//! other characters, by visible characters.
//!
//! Invariant: each character is replaced by one character, so columns do not change.

use std::borrow::Cow;
use std::char::REPLACEMENT_CHARACTER;

/// A text with all of its characters visible. Line ends and tabs are kept; a carriage return is
/// kept only before a line feed.
pub fn visible(text: &str) -> Cow<'_, str> {
    match Shown::of(text) {
        Some(shown) => Cow::Owned(shown.text),
        None => Cow::Borrowed(text),
    }
}

/// A text with all of its characters visible, for one line.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        shown if shown.contains(['\n', '\r', '\t']) => {
            let picture = |c| if c < ' ' { picture(c) } else { c };
            Cow::Owned(shown.chars().map(picture).collect())
        }
        shown => shown,
    }
}

/// A text some of whose characters were replaced.
#[derive(Debug)]
pub(crate) struct Shown {
    text: String,
    line_starts: Vec<u32>,
    /// The ends of replaced characters, in the original text and in the shown text.
    ends: Vec<(usize, usize)>,
}

impl Shown {
    /// The text with its characters replaced; `None` if there is nothing to replace.
    pub(crate) fn of(text: &str) -> Option<Shown> {
        if text.bytes().all(|byte| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t'))
        {
            return None;
        }
        let (mut shown, mut ends) = (String::with_capacity(text.len()), Vec::new());
        let mut rest = text.char_indices().peekable();
        while let Some((at, c)) = rest.next() {
            let is_kept = match c {
                '\n' | '\t' => true,
                '\r' => rest.peek().is_some_and(|(_, next)| *next == '\n'),
                // A byte order mark.
                '\u{feff}' => at == 0,
                _ => !is_hidden(c),
            };
            if is_kept {
                shown.push(c);
            } else {
                shown.push(picture(c));
                ends.push((at + c.len_utf8(), shown.len()));
            }
        }
        if ends.is_empty() {
            return None;
        }
        let line_starts = line_starts(&shown);
        Some(Shown { text: shown, line_starts, ends })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn line_starts(&self) -> &[u32] {
        &self.line_starts
    }

    /// The position in this text of a position in the original.
    pub(crate) fn place(&self, at: usize) -> usize {
        let before = self.ends.partition_point(|(original, _)| *original <= at);
        let last = before.checked_sub(1).map_or((0, 0), |last| self.ends[last]);
        last.1 + (at - last.0)
    }
}

/// The byte offsets where lines start; the first offset is after a byte order mark.
pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let ends = text.match_indices('\n');
    std::iter::once(first as u32).chain(ends.map(|(at, _)| at as u32 + 1)).collect()
}

/// Whether a terminal may act on a character instead of showing it, or show others elsewhere.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Bidirectional marks, and characters without width.
            '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2060}'..='\u{206f}'
            | '\u{202a}'..='\u{202e}' | '\u{feff}'
            // Line and paragraph separators.
            | '\u{2028}'..='\u{2029}'
            // Interlinear annotations and tags.
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The visible replacement for a hidden character.
fn picture(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown_and_places_kept() {
        assert_eq!(visible("a\tb\r\nc é 漢"), "a\tb\r\nc é 漢");
        assert_eq!(visible("\x1b[31m\0\x07\rx\x7f\u{9b}"), "␛[31m␀␇␍x␡\u{fffd}");
        assert_eq!(visible_line("a\tb\nc\x1b"), "a␉b␊c␛");
        let text = "\u{feff}a\x1bb\u{202e}c\u{e0041}d\ne\x07f";
        let shown = Shown::of(text).expect("there is something to replace");
        assert_eq!(shown.text(), "\u{feff}a␛b\u{fffd}c\u{fffd}d\ne␇f");
        for letter in ['a', 'b', 'c', 'd', 'e', 'f'] {
            let (original, here) = (text.find(letter), shown.text().find(letter));
            assert_eq!(original.map(|at| shown.place(at)), here, "{letter}");
        }
        assert_eq!(shown.line_starts(), line_starts(shown.text()));
        assert_eq!(visible(shown.text()), shown.text(), "nothing is left to replace");
    }
}
