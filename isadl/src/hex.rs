//! Words as hexadecimal bytes in memory order, lowest byte first.

use std::fmt;

use crate::isa::Isa;

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

impl Isa {
    /// The word with the bytes of one instruction. White space may separate digits, and `0x` may
    /// precede the two digits of a byte.
    pub fn read_hex(&self, text: &[u8]) -> Result<u128, HexError> {
        let mut bytes: Vec<u8> = Vec::with_capacity(self.bytes());
        let mut digits = 0;
        let mut at = 0;
        while at < text.len() {
            if text[at].is_ascii_whitespace() {
                at += 1;
                continue;
            }
            let is_first = at == 0 || text[at - 1].is_ascii_whitespace();
            if is_first && text[at] == b'0' && text.get(at + 1).is_some_and(|x| x | 32 == b'x') {
                let column = at + 1;
                at += 2;
                let blank = text[at..].iter().position(u8::is_ascii_whitespace);
                if blank.unwrap_or(text.len() - at) != 2 || digits % 2 != 0 {
                    return Err(HexError::Prefix { column });
                }
                continue;
            }
            let Some(digit) = char::from(text[at]).to_digit(16) else {
                return Err(HexError::NotDigit { column: at + 1, found: text[at] });
            };
            // The upper digit of a byte comes first.
            match bytes.last_mut().filter(|_| digits % 2 == 1) {
                Some(byte) => *byte |= digit as u8,
                None => bytes.push((digit as u8) << 4),
            }
            digits += 1;
            at += 1;
        }
        let mut word = [0; 16];
        let taken = bytes.len().min(word.len());
        word[..taken].copy_from_slice(&bytes[..taken]);
        let word = u128::from_le_bytes(word);
        let needed = self.length_among(word, bytes.len());
        match bytes.len() {
            0 => Err(HexError::Empty),
            _ if digits % 2 != 0 => Err(HexError::OddDigits { digits }),
            found if found < needed => Err(HexError::Truncated { found, needed }),
            found if found > needed => {
                Err(HexError::LeftOver { extra: bytes.split_off(needed), needed })
            }
            _ => Ok(word),
        }
    }

    /// The number of bytes of the instruction, if no more than there are; if the word is not an
    /// instruction, the number of bytes there are, but at most those of the widest instruction.
    fn length_among(&self, word: u128, found: usize) -> usize {
        match self.find(word) {
            Some(_) => self.length(word),
            None => found.clamp(self.shortest(), self.bytes()),
        }
    }

    /// The bytes of a word: two lower-case digits each, separated by spaces.
    pub fn write_hex(&self, word: u128) -> String {
        write_bytes(&word.to_le_bytes()[..self.length(word)])
    }
}

/// Two lower-case digits for each byte, separated by spaces.
pub fn write_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    text
}
