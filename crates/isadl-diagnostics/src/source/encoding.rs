//! From bytes to text: UTF-8, or the readable part of another encoding.

use std::char::{REPLACEMENT_CHARACTER, decode_utf16};

/// The text of a file.
pub(super) struct Decoded {
    /// As much of the text as is known; empty if the bytes are not text.
    pub(super) text: String,
    pub(super) fault: Option<Fault>,
}

/// Why bytes are not UTF-8.
pub(super) struct Fault {
    /// The position in the text.
    pub(super) at: usize,
    /// The end of a sentence that begins with the name of the file.
    pub(super) message: &'static str,
    pub(super) label: String,
    pub(super) help: &'static str,
}

/// The help for a text in another encoding.
const SAVE: &str = "save the file as UTF-8";

/// Decodes bytes. UTF-16 is decoded too, so that the only error is that the file is not UTF-8.
pub(super) fn text_of(bytes: Vec<u8>) -> Decoded {
    let utf16 = |text: String, how: &str| Decoded {
        text,
        fault: Some(Fault {
            at: 0,
            message: "is UTF-16, not UTF-8",
            label: how.to_string(),
            help: SAVE,
        }),
    };
    match bytes.as_slice() {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Decoded {
            text: String::new(),
            fault: Some(Fault {
                at: 0,
                message: "is UTF-32, not UTF-8",
                label: "the file begins with the byte order mark of UTF-32".to_string(),
                help: SAVE,
            }),
        },
        [0xff, 0xfe, rest @ ..] => utf16(
            units(rest, u16::from_le_bytes),
            "the file begins with the byte order mark of UTF-16, little-endian",
        ),
        [0xfe, 0xff, rest @ ..] => utf16(
            units(rest, u16::from_be_bytes),
            "the file begins with the byte order mark of UTF-16, big-endian",
        ),
        [1..=255, 0, 1..=255, 0, ..] => utf16(
            units(&bytes, u16::from_le_bytes),
            "every second byte is 0, as in UTF-16, little-endian",
        ),
        [0, 1..=255, 0, 1..=255, ..] => utf16(
            units(&bytes, u16::from_be_bytes),
            "every second byte is 0, as in UTF-16, big-endian",
        ),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: Vec<u8>) -> Decoded {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Decoded { text, fault: None },
        Err(error) => error,
    };
    let at = error.utf8_error().valid_up_to();
    let byte = error.as_bytes()[at];
    let label = format!("byte 0x{byte:02x} at offset {at} does not start a character");
    if error.as_bytes().contains(&0) {
        // Text that is not UTF-16 does not contain such bytes.
        let help = "name a text file";
        let fault = Fault { at: 0, message: "is not a text file", label, help };
        return Decoded { text: String::new(), fault: Some(fault) };
    }
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    Decoded { text, fault: Some(Fault { at, message: "is not UTF-8", label, help: SAVE }) }
}

/// The text of UTF-16 without its byte order mark.
fn units(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    decode_utf16(units).map(|found| found.unwrap_or(REPLACEMENT_CHARACTER)).collect()
}
