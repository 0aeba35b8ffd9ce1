//! Listings: address, bytes, source.

use std::fmt::Write;

use isadl::source::{SourceMap, Span};
use isadl::visible::visible_line;

use crate::object::{Object, ObjectSection};

/// Bytes of a line.
const WIDTH: usize = 8;

/// Limit on the lines of one statement; the rest of its bytes is left out.
const MAX_LINES: usize = 8;

/// Every statement that makes bytes, by sections: its address, its bytes, and its source.
#[must_use]
pub fn listing(object: &Object, sources: &SourceMap) -> String {
    let mut text = String::new();
    for section in &object.sections {
        if section.lines.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "section {}", section.name);
        for (index, (offset, span)) in section.lines.iter().enumerate() {
            let end = section.lines.get(index + 1).map_or(section.size, |next| next.0);
            let again = index.checked_sub(1).is_some_and(|before| section.lines[before].1 == *span);
            let source = if again { "" } else { line_of(sources, *span) };
            statement(&mut text, section, (*offset, end), source);
        }
    }
    text
}

/// The line of a place, without blanks around it.
fn line_of(sources: &SourceMap, span: Span) -> &str {
    let text = sources.file(span.file).text();
    let start = text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    text[start..end].trim()
}

fn statement(text: &mut String, section: &ObjectSection, (start, end): (u64, u64), source: &str) {
    let bytes = section.bytes.get(start as usize..end as usize).unwrap_or_default();
    let mut source = visible_line(source).into_owned();
    let mut at = section.address + start;
    let mut chunks = bytes.chunks(WIDTH);
    for line in 0.. {
        let chunk = chunks.next();
        if line > 0 && chunk.is_none() {
            break;
        }
        let mut hex = String::new();
        for byte in chunk.unwrap_or_default() {
            let _ = write!(hex, "{byte:02x} ");
        }
        if line == MAX_LINES {
            let left = bytes.len() - line * WIDTH;
            let _ = writeln!(text, "{at:8x}  ... {left} more bytes");
            break;
        }
        let own = format!("{at:8x}  {hex:<width$} {source}", width = 3 * WIDTH);
        text.push_str(own.trim_end());
        text.push('\n');
        source.clear();
        at += chunk.map_or(0, <[u8]>::len) as u64;
    }
}
