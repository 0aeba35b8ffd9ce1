//! `.altmacro`: names of parameters stand for their values without a sign before them, `&` joins them with what is beside, names after `LOCAL` are
//! new in each call, `<text>` is one argument, and `%expression` is its value.

use crate::text::{blanks, quoted_end};

/// The names that a line declares, if it is `LOCAL a, b`.
pub(crate) fn locals_of(line: &str) -> Option<impl Iterator<Item = &str>> {
    let line = line.trim_start();
    let (word, names) = line.split_at_checked("LOCAL".len())?;
    let is_local = word.eq_ignore_ascii_case("LOCAL") && names.starts_with([' ', '\t']);
    is_local.then(|| names.split(',').map(str::trim).filter(|own| !own.is_empty()))
}

/// The arguments of a call with their places: commas separate them, outside of parentheses and of `<text>`.
pub(crate) fn arguments_of(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut at) = (Vec::new(), blanks(text));
    while at < text.len() {
        let length = match text[at..].starts_with('<') {
            true => bracketed(&text[at..]),
            false => plain(&text[at..]),
        };
        found.push((at, text[at..at + length].trim_end()));
        at += length;
        at += blanks(&text[at..]);
        if text[at..].starts_with(',') {
            at += 1;
            at += blanks(&text[at..]);
            if at == text.len() {
                found.push((at, ""));
            }
        }
    }
    found
}

/// The bytes up to the bracket that closes the first one; all if none does.
fn bracketed(text: &str) -> usize {
    let (mut depth, mut bytes) = (0u32, text.bytes().enumerate());
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'!' => drop(bytes.next()),
            b'<' => depth += 1,
            b'>' if depth == 1 => return at + 1,
            b'>' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The bytes up to a comma outside of parentheses and strings.
fn plain(text: &str) -> usize {
    let (bytes, mut at, mut depth) = (text.as_bytes(), 0, 0u32);
    while at < bytes.len() {
        if let Some(end) = quoted_end(bytes, at) {
            at = end;
            continue;
        }
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// What is between brackets, where `!` takes the next character as it is; `None` for another argument.
pub(crate) fn unbracketed(part: &str) -> Option<String> {
    let inner = part.strip_prefix('<')?.strip_suffix('>')?;
    let (mut text, mut chars) = (String::new(), inner.chars());
    while let Some(one) = chars.next() {
        text.push(if one == '!' { chars.next().unwrap_or(one) } else { one });
    }
    Some(text)
}

/// A name in a line that may be that of a parameter.
pub(crate) struct Word {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where the text before it ends, and where the text behind it begins: `&` beside it is left out.
    pub(crate) before: usize,
    pub(crate) behind: usize,
}

/// The next name at or behind a byte of a line; also in strings.
pub(crate) fn word_from(line: &str, from: usize) -> Option<Word> {
    let bytes = line.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut at = from;
    while at < bytes.len() {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        let before = at.checked_sub(1).map(|before| bytes[before]);
        // A part of a longer name, such as that of a directive, or a number.
        let is_inside = matches!(before, Some(b'.' | b'$' | b'\\')) || bytes[at].is_ascii_digit();
        if !is_inside {
            let (start, end) = (at, at + length);
            let before = start - usize::from(before == Some(b'&'));
            let behind = end + usize::from(bytes.get(end) == Some(&b'&'));
            return Some(Word { start, end, before, behind });
        }
        at += length;
    }
    None
}
