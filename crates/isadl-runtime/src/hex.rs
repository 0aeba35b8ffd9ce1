//! Words as hexadecimal bytes in memory order.

use std::fmt;

/// The reason why a text is not the bytes of one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HexError {
    /// There are no digits.
    Empty,
    /// A character that is not a digit.
    NotDigit {
        /// Its column, from 1, counting bytes.
        column: usize,
        /// The byte there.
        found: u8,
    },
    /// The number of digits is odd.
    OddDigits {
        /// Number of digits.
        digits: usize,
    },
    /// `0x` must be followed by exactly two digits, since a longer number has another byte order.
    Prefix {
        /// The column of `0x`, from 1.
        column: usize,
    },
    /// Too few bytes.
    Truncated {
        /// The number of bytes found.
        found: usize,
        /// The number of bytes of an instruction.
        needed: usize,
    },
    /// There are bytes after the instruction.
    LeftOver {
        /// The extra bytes.
        extra: Vec<u8>,
        /// The number of bytes of an instruction.
        needed: usize,
    },
}

/// The maximum number of extra bytes that are shown.
const SHOWN: usize = 16;

impl fmt::Display for HexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |count: usize| match count {
            1 => "1 byte".to_string(),
            _ => format!("{count} bytes"),
        };
        match self {
            HexError::Empty => f.write_str("no bytes on this line"),
            HexError::NotDigit { column, found: byte @ b'!'..=b'~' } => {
                write!(f, "column {column}: `{}` is not a hexadecimal digit", char::from(*byte))
            }
            HexError::NotDigit { column, found } => {
                write!(f, "column {column}: byte 0x{found:02x} is not a hexadecimal digit")
            }
            HexError::OddDigits { digits } => {
                write!(f, "odd number of digits ({digits}); a byte has two")
            }
            HexError::Prefix { column } => {
                write!(f, "column {column}: `0x` must be followed by the two digits of one byte")
            }
            HexError::Truncated { found, needed } => {
                write!(f, "truncated: {found} of the {needed} bytes of an instruction")
            }
            HexError::LeftOver { extra, needed } => {
                let plural = if extra.len() == 1 { "" } else { "s" };
                write!(f, "{} extra byte{plural} after the {} of ", extra.len(), bytes(*needed))?;
                let (shown, more) = extra.split_at(extra.len().min(SHOWN));
                let more = if more.is_empty() { "" } else { " …" };
                write!(f, "an instruction: {}{more}", write_bytes(shown))
            }
        }
    }
}

impl std::error::Error for HexError {}

/// Reads the word of one instruction from its bytes. White space may separate digits, and `0x` may precede the two
/// digits of a byte. `order` makes a word of bytes; `needed` returns the number of bytes of a word's instruction, given
/// the number of bytes found.
pub(crate) fn read(
    text: &[u8],
    order: impl Fn(&[u8]) -> u128,
    needed: impl Fn(u128, usize) -> usize,
) -> Result<u128, HexError> {
    let mut word = [0u8; 16];
    let plain = read_plain(text, &mut word);
    if plain > 0 {
        let number = order(&word);
        if needed(number, plain) == plain {
            return Ok(number);
        }
    }
    // Other notations leave arbitrary digits.
    word = [0; 16];
    // Bytes beyond the widest word.
    let mut more: Vec<u8> = Vec::new();
    let (mut digits, mut at) = (0, 0);
    while at < text.len() {
        let byte = text[at];
        let Some(digit) = char::from(byte).to_digit(16) else {
            if !byte.is_ascii_whitespace() {
                return Err(HexError::NotDigit { column: at + 1, found: byte });
            }
            at += 1;
            continue;
        };
        let has_prefix = byte == b'0' && text.get(at + 1).is_some_and(|x| x | 32 == b'x');
        if has_prefix && (at == 0 || text[at - 1].is_ascii_whitespace()) {
            let column = at + 1;
            at += 2;
            let blank = text[at..].iter().position(u8::is_ascii_whitespace);
            if blank.unwrap_or(text.len() - at) != 2 || digits % 2 != 0 {
                return Err(HexError::Prefix { column });
            }
            continue;
        }
        // The upper digit of a byte comes first.
        let digit = (digit as u8) << (4 * (1 - digits % 2));
        match word.get_mut(digits / 2) {
            Some(byte) => *byte |= digit,
            None if digits % 2 == 0 => more.push(digit),
            None => more.last_mut().into_iter().for_each(|byte| *byte |= digit),
        }
        digits += 1;
        at += 1;
    }
    let found = digits.div_ceil(2);
    let number = order(&word);
    let needed = needed(number, found);
    match found {
        0 => Err(HexError::Empty),
        _ if digits % 2 != 0 => Err(HexError::OddDigits { digits }),
        _ if found < needed => Err(HexError::Truncated { found, needed }),
        _ if found > needed => {
            let all = word[..found.min(word.len())].iter().chain(&more);
            Err(HexError::LeftOver { extra: all.skip(needed).copied().collect(), needed })
        }
        _ => Ok(number),
    }
}

/// Reads bytes in the usual notation, two digits each, separated by single spaces, and returns their
/// number; 0 for any other notation.
fn read_plain(text: &[u8], word: &mut [u8; 16]) -> usize {
    let count = (text.len() + 1) / 3;
    if count * 3 != text.len() + 1 || count > word.len() {
        return 0;
    }
    let mut wrong = 0;
    for (at, byte) in word.iter_mut().enumerate().take(count) {
        let (high, low) =
            (DIGITS[usize::from(text[3 * at])], DIGITS[usize::from(text[3 * at + 1])]);
        let blank = text.get(3 * at + 2).copied().unwrap_or(b' ');
        wrong |= high | low | (blank ^ b' ');
        *byte = high << 4 | low & 15;
    }
    if wrong & !15 == 0 { count } else { 0 }
}

/// The values of digits; 0x80 for other characters.
static DIGITS: [u8; 256] = {
    let mut digits = [0x80; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(digit) = char::to_digit(byte as u8 as char, 16) {
            digits[byte] = digit as u8;
        }
        byte += 1;
    }
    digits
};

/// Two lower-case digits for each byte, separated by spaces.
pub fn write_bytes(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len() * 3);
    append_bytes(bytes, &mut text);
    // Digits and spaces are ASCII.
    String::from_utf8(text).unwrap_or_default()
}

/// Appends the result of [`write_bytes`].
pub fn append_bytes(bytes: &[u8], text: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 {
            text.push(b' ');
        }
        text.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}
