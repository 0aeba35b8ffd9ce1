//! Bits of the word, as statements of `__Encoding` write them.

use super::word::Int;
use crate::span::Span;

/// The bits that a statement is about: `<lsb, width>`, or ranges in square brackets.
#[derive(Debug, Clone)]
pub struct Bits {
    /// The text between the brackets.
    pub span: Span,
    /// The numbers.
    pub notation: Notation,
}

/// How bits are written.
#[derive(Debug, Clone)]
pub enum Notation {
    /// `<lsb, width>`: the bit with the lowest number and the number of bits.
    Angle {
        /// First bit.
        lsb: Int,
        /// Number of bits.
        width: Int,
    },
    /// `[31, 7, 30:25]`: the ends of each piece, the most significant piece first. None shares bits with another.
    Square(Vec<Range>),
}

/// `high:low`, or a single bit, in square brackets.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// The range as written.
    pub span: Span,
    /// The bit with the higher number.
    pub high: Int,
    /// The bit with the lower number.
    pub low: Int,
    /// Whether the lower number is written first.
    pub is_rising: bool,
}

impl Bits {
    /// The lowest bit and the number of bits of each piece, the most significant piece first.
    pub fn pieces(&self) -> impl Iterator<Item = (i128, i128)> {
        let (angle, ranges) = match &self.notation {
            Notation::Angle { lsb, width } => (Some((lsb.value, width.value)), &[][..]),
            Notation::Square(ranges) => (None, &ranges[..]),
        };
        let piece = |range: &Range| (range.low.value, range.high.value - range.low.value + 1);
        angle.into_iter().chain(ranges.iter().map(piece))
    }

    /// The number of bits.
    pub fn width(&self) -> i128 {
        match &self.notation {
            Notation::Angle { width, .. } => width.value,
            Notation::Square(_) => self.pieces().map(|(_, width)| width).sum(),
        }
    }

    /// The lowest bit.
    pub fn low(&self) -> i128 {
        self.pieces().map(|(low, _)| low).min().unwrap_or(0)
    }

    /// The bit after the highest bit.
    pub fn end(&self) -> i128 {
        match &self.notation {
            Notation::Angle { lsb, width } => lsb.value + width.value,
            Notation::Square(_) => self.pieces().map(|(low, width)| low + width).max().unwrap_or(0),
        }
    }
}

impl std::fmt::Display for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.notation {
            Notation::Angle { lsb, width } => write!(f, "<{}, {}>", lsb.value, width.value),
            Notation::Square(ranges) => {
                f.write_str("[")?;
                for (at, range) in ranges.iter().enumerate() {
                    let separator = if at == 0 { "" } else { ", " };
                    let (first, last) = match range.is_rising {
                        true => (range.low, range.high),
                        false => (range.high, range.low),
                    };
                    write!(f, "{separator}{}", first.value)?;
                    if first.value != last.value {
                        write!(f, ":{}", last.value)?;
                    }
                }
                f.write_str("]")
            }
        }
    }
}
