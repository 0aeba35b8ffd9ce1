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
        let ends = text.match_indices('\n');
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

    /// The text of some bytes; nothing if they are not in it.
    pub(crate) fn get(&self, span: Range<usize>) -> &str {
        self.text.get(span).unwrap_or_default()
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
    written(path.to_str()?, cfg!(windows)).parse().ok()
}

/// A path as the text of a URI. On Windows it has a drive, before which URIs have a slash.
fn written(path: &str, has_drives: bool) -> String {
    let mut text = String::from("file://");
    let path = if has_drives { path.replace('\\', "/") } else { path.to_string() };
    if has_drives && !path.starts_with('/') {
        text.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                text.push(byte as char);
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

/// The file that a URI names.
pub(crate) fn path(uri: &lsp::Uri) -> Option<std::path::PathBuf> {
    Some(read(uri.as_str(), cfg!(windows))?.into())
}

fn read(uri: &str, has_drives: bool) -> Option<String> {
    let text = uri.strip_prefix("file://")?;
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
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/folder`, but not the name of another machine.
    let is_drive = has_drives && path.starts_with('/') && path.as_bytes().get(2) == Some(&b':');
    Some(if is_drive { path[1..].replace('/', "\\") } else { path })
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
        let drive = written("C:\\a b\\x.isa", true);
        assert_eq!(drive, "file:///C%3A/a%20b/x.isa");
        // Editors write the colon as it is, or not.
        for uri in [drive.as_str(), "file:///C:/a%20b/x.isa"] {
            assert_eq!(read(uri, true).as_deref(), Some("C:\\a b\\x.isa"));
        }
        assert_eq!(read("file:///C:/x", false).as_deref(), Some("/C:/x"));
        assert_eq!(read("https://x", true), None);
    }
}
