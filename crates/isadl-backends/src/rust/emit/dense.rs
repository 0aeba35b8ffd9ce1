//! Tables as Rust source, many rows on a line.
//!
//! The text of a row decides whether its line ends after it; a line also ends where it would become too long. Adding or
//! changing a row therefore moves only the rows of its own line and the next few.

use std::fmt::Debug;
use std::fmt::Write as _;

use super::packed;

/// Longest line, in bytes, unless a single row is longer.
const WIDTH: usize = 110;

/// On average, one row in this many ends its line.
const ROWS_PER_LINE: u64 = 32;

/// Numbers from this on are written in hexadecimal.
const LEAST_HEXADECIMAL: u128 = 0x1_0000;

/// A static array.
pub(in crate::rust) fn table<T: Debug>(doc: &str, name: &str, ty: &str, rows: &[T]) -> String {
    packed::table(doc, name, ty, rows).unwrap_or_else(|| plain(doc, name, ty, rows))
}

/// A static array, row by row.
fn plain<T: Debug>(doc: &str, name: &str, ty: &str, rows: &[T]) -> String {
    let items = rows.iter().map(|row| short(&format!("{row:?}")));
    list(doc, name, ty, rows.len(), items)
}

/// A static array of rows that are Rust source already.
pub(in crate::rust) fn list(
    doc: &str,
    name: &str,
    ty: &str,
    count: usize,
    items: impl Iterator<Item = String>,
) -> String {
    let mut text = format!("/// {doc}\npub(crate) static {name}: [{ty}; {count}] = [\n");
    lines(&mut text, items);
    text + "];\n\n"
}

/// A constant slice: another crate's compiler sees through it, so that a setter on a known opcode folds.
pub(in crate::rust) fn constants(doc: &str, name: &str, ty: &str, items: Vec<String>) -> String {
    let count = items.len();
    let mut text = format!("/// {doc}\npub(crate) const {name}: &[{ty}; {count}] = &[\n");
    lines(&mut text, items.into_iter());
    text + "];\n\n"
}

/// A constant string that is made of pieces.
pub(in crate::rust) fn string<'s>(
    doc: &str,
    name: &str,
    pieces: impl Iterator<Item = &'s str>,
) -> String {
    let mut text = format!("/// {doc}\npub(crate) const {name}: &str = \"");
    // A line must not begin with a blank, which would not count.
    let escaped = |piece: &str| match piece.strip_prefix(' ') {
        Some(rest) => format!("\\x20{}", rest.escape_debug()),
        None => piece.escape_debug().to_string(),
    };
    broken(&mut text, pieces.map(escaped));
    text + "\";\n\n"
}

/// A constant byte string that consists of pieces of the same length.
pub(in crate::rust) fn bytes<const N: usize>(doc: &str, name: &str, pieces: &[[u8; N]]) -> String {
    let text = string_of_bytes(pieces);
    format!("/// {doc}\npub(crate) const {name}: &[u8] = b\"{text}\";\n\n")
}

/// The inside of a string of bytes that is made of pieces.
pub(super) fn string_of_bytes(pieces: &[impl AsRef<[u8]>]) -> String {
    let escaped = |piece: &[u8]| {
        let mut text = String::new();
        for (at, byte) in piece.iter().enumerate() {
            match byte {
                b' ' if at == 0 => text += "\\x20",
                0 => text += "\\0",
                b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
                0x20..=0x7e => text.push(char::from(*byte)),
                _ => text += &format!("\\x{byte:02x}"),
            }
        }
        text
    };
    let mut text = String::new();
    broken(&mut text, pieces.iter().map(|piece| escaped(piece.as_ref())));
    text
}

/// Appends pieces of a string, which goes on after the end of a line.
fn broken(text: &mut String, pieces: impl Iterator<Item = String>) {
    let mut length = WIDTH;
    let mut ends = false;
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        if ends || length + piece.len() > WIDTH {
            *text += "\\\n";
            length = 0;
        }
        *text += &piece;
        length += piece.len();
        ends = hash(&piece).is_multiple_of(ROWS_PER_LINE);
    }
}

/// Appends items, each with a comma.
fn lines(text: &mut String, items: impl Iterator<Item = String>) {
    let mut length = 0;
    let mut ends = false;
    for item in items {
        if length > 0 && (ends || length + item.len() + 1 > WIDTH) {
            text.push('\n');
            length = 0;
        }
        *text += &item;
        text.push(',');
        length += item.len() + 1;
        ends = hash(&item).is_multiple_of(ROWS_PER_LINE);
    }
    if length > 0 {
        text.push('\n');
    }
}

/// FNV-1a: the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The output of `Debug` without blanks, and with large numbers in hexadecimal.
pub(in crate::rust) fn short(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_name = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match rest[..digits].parse::<u128>() {
            Ok(number) if !is_name && number >= LEAST_HEXADECIMAL => {
                // Writing to a string cannot fail.
                let _ = write!(out, "0x{number:x}");
                rest = &rest[digits..];
            }
            Ok(_) => {
                out += &rest[..digits];
                rest = &rest[digits..];
            }
            Err(_) => {
                if c != ' ' {
                    out.push(c);
                }
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_short() {
        assert_eq!(short("Leaf(1, (2, 3), 65536, -70000)"), "Leaf(1,(2,3),0x10000,-0x11170)");
        assert_eq!(short("R70000(9)"), "R70000(9)");
    }

    #[test]
    fn strings_keep_blanks_at_the_start_of_lines() {
        let pieces = [" a".to_string(), "b".repeat(WIDTH), " \"".to_string()];
        let text = string("Some.", "S", pieces.iter().map(String::as_str));
        let expected = format!("= \"\\\n\\x20a\\\n{}\\\n\\x20\\\"\";\n", pieces[1]);
        assert!(text.contains(&expected), "{text}");
        let text = bytes("Some.", "B", &[*b" \0\"\xff"]);
        assert!(text.contains("b\"\\\n\\x20\\0\\\"\\xff\";\n"), "{text}");
    }

    #[test]
    fn a_new_row_moves_few_others() {
        let rows: Vec<u32> = (0..2000).map(|n| n * 7919 % 5000).collect();
        let mut more = rows.clone();
        more.insert(500, 1);
        let [before, after] = [&rows, &more].map(|rows| plain("", "T", "u32", rows));
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.lines().collect(), after.lines().collect());
        let changed = after.iter().filter(|line| !before.contains(line)).count();
        assert!(changed <= 12, "{changed} lines of {}", after.len());
    }
}
