//! Messages over standard input and output. A malformed message from an editor is answered by an error and ends
//! nothing.

use std::io::{self, BufRead, Read, Write};

use lsp_server::Message;

/// Limit on the bytes of a message.
const MOST_BYTES: u64 = 256 << 20;

/// Limit on the bytes of a header line.
const LINE_BYTES: u64 = 4096;

/// The error code for input that is not JSON.
const PARSE_ERROR: i32 = -32700;

/// The code of errors for JSON that is not a message.
const INVALID_REQUEST: i32 = -32600;

/// Passes on messages from the editor, until it ends the session, closes the input, or no receiver is left.
pub(crate) fn read(mut pass_on: impl FnMut(Message) -> bool) -> io::Result<()> {
    let mut input = io::stdin().lock();
    while let Some(length) = header(&mut input)? {
        let Some(length) = length else {
            complain(INVALID_REQUEST, "a message has a `Content-Length`")?;
            continue;
        };
        if length > MOST_BYTES {
            complain(INVALID_REQUEST, "the message is too large")?;
            io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
            continue;
        }
        let mut bytes = Vec::new();
        if input.by_ref().take(length).read_to_end(&mut bytes)? < length as usize {
            return Ok(());
        }
        match message(&bytes) {
            Ok(message) => {
                let is_exit =
                    matches!(&message, Message::Notification(note) if note.method == "exit");
                if !pass_on(message) || is_exit {
                    return Ok(());
                }
            }
            Err((code, why)) => complain(code, &why)?,
        }
    }
    Ok(())
}

/// Writes a message to the editor.
pub(crate) fn write(message: Message) -> io::Result<()> {
    message.write(&mut io::stdout().lock())
}

/// Answers a message without a number to which an answer could refer.
fn complain(code: i32, why: &str) -> io::Result<()> {
    let error = serde_json::json!({ "code": code, "message": why });
    let text = serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
    let mut output = io::stdout().lock();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// The length in the header of a message, if given; `None` at the end of the input.
fn header(input: &mut impl BufRead) -> io::Result<Option<Option<u64>>> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if text.is_empty() {
            // Empty lines between messages mean nothing.
            if is_first {
                continue;
            }
            return Ok(Some(length));
        }
        is_first = false;
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            // A number that is too large is a length, too.
            let digits = value.trim();
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            length = is_number.then(|| digits.parse().unwrap_or(u64::MAX));
        }
    }
}

/// The message in some bytes, or why there is none.
fn message(bytes: &[u8]) -> Result<Message, (i32, String)> {
    let text = String::from_utf8_lossy(bytes);
    let value: serde_json::Value = serde_json::from_str(&text)
        .or_else(|_| serde_json::from_str(&without_lone_surrogates(&text)))
        .map_err(|error| (PARSE_ERROR, error.to_string()))?;
    serde_json::from_value(value).map_err(|error| (INVALID_REQUEST, error.to_string()))
}

/// Text as JSON, with the replacement character for each half of a pair of UTF-16 that is alone. Editors in
/// JavaScript can have such halves; no string in Rust can. Positions stay as they are.
fn without_lone_surrogates(text: &str) -> String {
    let half = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = text[at..].find('\\').map(|step| at + step) {
        made += &text[at..found];
        let is_high = |half| (0xd800..0xdc00).contains(&half);
        let is_low = |half| (0xdc00..0xe000).contains(&half);
        let (taken, replaced) = match (half(found), half(found + 6)) {
            (Some(high), Some(low)) if is_high(high) && is_low(low) => (12, None),
            (Some(one), _) if is_high(one) || is_low(one) => (6, Some("\\ufffd")),
            (Some(_), _) => (6, None),
            // A backslash and the character after it, which may be another backslash.
            (None, _) => (1 + text[found + 1..].chars().next().map_or(0, char::len_utf8), None),
        };
        made += replaced.unwrap_or(&text[found..found + taken]);
        at = found + taken;
    }
    made + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_replaced_and_pairs_stay() {
        for (text, expected) in [
            (r#""a""#, r#""a""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ude00\ud83d\n""#, r#""\ufffd\ufffd\n""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d\u0041é\"\\""#, r#""\ufffd\u0041é\"\\""#),
        ] {
            assert_eq!(without_lone_surrogates(text), expected);
        }
    }
}
