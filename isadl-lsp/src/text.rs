//! Places in texts: bytes here, lines and UTF-16 units in the protocol.

use std::ops::Range;

use lsp_types as lsp;

/// A text, and where its lines start.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: String) -> Text {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Text { text, starts }
    }

    /// The position of a byte.
    pub(crate) fn position(&self, at: usize) -> lsp::Position {
        let at = self.text.floor_char_boundary(at.min(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= at) - 1;
        let character = self.text[self.starts[line]..at].encode_utf16().count();
        lsp::Position { line: line as u32, character: character as u32 }
    }

    pub(crate) fn range(&self, span: Range<usize>) -> lsp::Range {
        lsp::Range { start: self.position(span.start), end: self.position(span.end) }
    }

    /// The byte at a position; the end of the line or text for a position beyond it.
    pub(crate) fn offset(&self, position: lsp::Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let line = self.text[*start..].split(['\n', '\r']).next().unwrap_or_default();
        let mut units = 0;
        for (at, c) in line.char_indices() {
            if units >= position.character as usize {
                return start + at;
            }
            units += c.len_utf16();
        }
        start + line.len()
    }
}

/// A file as a URI.
pub(crate) fn uri(path: &std::path::Path) -> Option<lsp::Uri> {
    let mut text = String::from("file://");
    for byte in path.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                text.push(byte as char);
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text.parse().ok()
}

/// The file that a URI names.
pub(crate) fn path(uri: &lsp::Uri) -> Option<std::path::PathBuf> {
    let text = uri.as_str().strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    Some(String::from_utf8(bytes).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16_units() {
        let text = Text::new("aé\r\n𝄞x\n".to_string());
        for (at, line, character) in [(0, 0, 0), (3, 0, 2), (5, 1, 0), (9, 1, 2), (10, 1, 3)] {
            let place = lsp::Position { line, character };
            assert_eq!(text.position(at), place);
            assert_eq!(text.offset(place), at);
        }
        assert_eq!(text.offset(lsp::Position { line: 0, character: 99 }), 3);
        assert_eq!(text.offset(lsp::Position { line: 9, character: 0 }), text.text.len());
    }

    #[test]
    fn files_are_uris_and_back() {
        let file = std::path::Path::new("/a b/ü%/x.isa");
        let made = uri(file).expect("a URI");
        assert_eq!(made.as_str(), "file:///a%20b/%C3%BC%25/x.isa");
        assert_eq!(path(&made).as_deref(), Some(file));
    }
}
