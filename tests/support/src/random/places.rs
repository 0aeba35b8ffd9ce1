//! Where the bits of a definition's fields are: fields are chosen side by side, and then moved, so that some
//! are in pieces.

use crate::Random;

/// The position of each bit that fields were chosen for, by its number.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Bits beyond these stay.
    bits: Vec<u32>,
    /// Whether fields in one piece are in square brackets too.
    is_square: bool,
}

impl Places {
    /// Moves the bits from one on up to another.
    pub(super) fn of(random: &mut Random, (first, end): (u32, u32)) -> Places {
        let mut bits: Vec<u32> = (0..end).collect();
        let moved = &mut bits[first as usize..];
        let count = moved.len() as u64;
        match random.below(4) {
            0 if count > 1 => {
                for last in (1..moved.len()).rev() {
                    moved.swap(last, random.below(last as u64 + 1) as usize);
                }
            }
            1 if count > 1 => moved.rotate_left(random.below(count) as usize),
            _ => {}
        }
        Places { bits, is_square: random.below(2) == 0 }
    }

    /// Whether no field is in pieces.
    pub(super) fn is_plain(&self) -> bool {
        self.bits.windows(2).all(|pair| pair[0] + 1 == pair[1])
    }

    /// The bits of a field, as they are written.
    pub(super) fn text(&self, lsb: u32, width: u32) -> String {
        let place = |bit: u32| self.bits.get(bit as usize).copied().unwrap_or(bit);
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for bit in (lsb..lsb + width).rev().map(place) {
            match ranges.last_mut() {
                Some((_, low)) if *low == bit + 1 => *low = bit,
                _ => ranges.push((bit, bit)),
            }
        }
        if let ([(high, low)], false) = (ranges.as_slice(), self.is_square) {
            return format!("<{low}, {}>", high - low + 1);
        }
        let range = |(high, low): &(u32, u32)| match high == low {
            true => high.to_string(),
            false => format!("{high}:{low}"),
        };
        format!("[{}]", ranges.iter().map(range).collect::<Vec<_>>().join(", "))
    }

    /// A statement that begins with a keyword and `<lsb, width>`, with its bits where they are.
    pub(super) fn statement(&self, statement: &str) -> String {
        let numbers = statement.split_once('<').and_then(|(keyword, rest)| {
            let (numbers, rest) = rest.split_once('>')?;
            let (lsb, width) = numbers.split_once(", ")?;
            Some((keyword, lsb.parse().ok()?, width.parse().ok()?, rest))
        });
        match numbers {
            Some((keyword, lsb, width, rest)) => {
                format!("{keyword}{}{rest}", self.text(lsb, width))
            }
            None => statement.to_string(),
        }
    }
}
