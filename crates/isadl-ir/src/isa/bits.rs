//! Bits of a word that hold one number: usually adjacent, sometimes in several pieces.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::low_bits;

/// Bits of a word that are next to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Run {
    /// The lowest bit.
    pub lsb: u32,
    /// The number of bits.
    pub width: u32,
}

impl Run {
    /// The highest bit.
    pub fn high(self) -> u32 {
        self.lsb + self.width - 1
    }

    /// The bits.
    pub fn mask(self) -> u128 {
        low_bits(self.width).checked_shl(self.lsb).unwrap_or(0)
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width {
            0 | 1 => write!(f, "{}", self.lsb),
            _ => write!(f, "{}:{}", self.high(), self.lsb),
        }
    }
}

/// The bits of a word that hold a number.
///
/// Invariant: the pieces do not share bits; adjacent pieces are merged into one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bits {
    /// The most significant piece.
    top: Run,
    /// The other pieces, the most significant first. Most numbers have none.
    rest: Option<Box<[Run]>>,
    /// The number of bits.
    width: u32,
    /// The largest number.
    all: u64,
    /// The bits of the word.
    mask: u128,
}

/// Most numbers have a single piece, which is hashed at once.
impl Hash for Bits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.top.lsb) << 32 | u64::from(self.width));
        self.rest().iter().for_each(|piece| piece.hash(state));
    }
}

impl Bits {
    /// Bits next to each other.
    pub fn one(lsb: u32, width: u32) -> Bits {
        let top = Run { lsb, width };
        Bits { top, rest: None, width, all: low_bits(width) as u64, mask: top.mask() }
    }

    /// Pieces, the most significant first.
    pub fn new(pieces: impl IntoIterator<Item = Run>) -> Bits {
        let mut joined: Vec<Run> = Vec::new();
        for piece in pieces.into_iter().filter(|piece| piece.width > 0) {
            match joined.last_mut() {
                Some(above) if piece.lsb + piece.width == above.lsb => {
                    *above = Run { lsb: piece.lsb, width: above.width + piece.width };
                }
                _ => joined.push(piece),
            }
        }
        let width = joined.iter().map(|piece| piece.width).sum();
        let mut joined = joined.into_iter();
        let top = joined.next().unwrap_or(Run { lsb: 0, width: 0 });
        let rest: Box<[Run]> = joined.collect();
        let rest = Some(rest).filter(|rest| !rest.is_empty());
        let bits = Bits { top, rest, width, all: low_bits(width) as u64, mask: 0 };
        let mask = bits.pieces().fold(0, |mask, piece| mask | piece.mask());
        Bits { mask, ..bits }
    }

    /// The pieces after the most significant piece.
    #[inline]
    fn rest(&self) -> &[Run] {
        self.rest.as_deref().unwrap_or_default()
    }

    /// The pieces, the most significant first.
    pub fn pieces(&self) -> impl DoubleEndedIterator<Item = Run> + Clone {
        std::iter::once(self.top).chain(self.rest().iter().copied())
    }

    /// The pieces, the least significant first, each with the place of its lowest bit in the number.
    pub fn places(&self) -> impl Iterator<Item = (u32, Run)> + Clone {
        self.pieces().rev().scan(0, |at, piece| {
            *at += piece.width;
            Some((*at - piece.width, piece))
        })
    }

    /// The bits, if they are next to each other.
    pub fn as_one(&self) -> Option<Run> {
        self.rest.is_none().then_some(self.top)
    }

    /// The number of bits.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The lowest bit of the word among them.
    #[inline]
    pub fn lsb(&self) -> u32 {
        match self.rest {
            None => self.top.lsb,
            Some(_) => self.mask.trailing_zeros(),
        }
    }

    /// All of them.
    #[inline]
    pub fn mask(&self) -> u128 {
        self.mask
    }

    /// The number in a word.
    #[inline]
    pub fn extract(&self, word: u128) -> u64 {
        if self.rest.is_none() {
            return (word >> self.top.lsb) as u64 & self.all;
        }
        let piece = |run: Run| (word >> run.lsb & low_bits(run.width)) as u64;
        self.rest().iter().fold(piece(self.top), |raw, run| raw << run.width | piece(*run))
    }

    /// Places a number into the bits of a word; other bits of the word are 0. Bits of the number beyond the width are
    /// ignored.
    #[inline]
    pub fn place(&self, raw: u64) -> u128 {
        if self.rest.is_none() {
            return u128::from(raw & self.all) << self.top.lsb;
        }
        let piece = |(at, run): (u32, Run)| u128::from(raw >> at) << run.lsb & run.mask();
        self.places().fold(0, |word, place| word | piece(place))
    }

    /// The bit of the word that holds a bit of the number.
    pub fn bit(&self, index: u32) -> u32 {
        let mut places = self.places();
        let place = places.find(|(at, run)| index < at + run.width);
        place.map_or(self.top.lsb, |(at, run)| run.lsb + (index - at))
    }

    /// Bits of the number, as bits of the word.
    pub fn part(&self, lsb: u32, width: u32) -> Bits {
        let piece = |(at, run): (u32, Run)| {
            let (low, high) = (at.max(lsb), (at + run.width).min(lsb + width));
            (low < high).then(|| Run { lsb: run.lsb + (low - at), width: high - low })
        };
        let places: Vec<(u32, Run)> = self.places().collect();
        Bits::new(places.into_iter().rev().filter_map(piece))
    }

    /// The largest number that fits.
    #[inline]
    pub fn all(&self) -> u64 {
        self.all
    }

    /// Converts bits of a number into bits of the word, where `of` holds the number.
    pub fn within(&self, of: &Bits) -> Bits {
        let pieces: Vec<Bits> = self.pieces().map(|run| of.part(run.lsb, run.width)).collect();
        Bits::new(pieces.iter().flat_map(|bits| bits.pieces().collect::<Vec<Run>>()))
    }
}

/// As in a specification, the most significant piece first: `31,7,30:25`.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.top.fmt(f)?;
        self.rest().iter().try_for_each(|piece| write!(f, ",{piece}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch() -> Bits {
        let run = |lsb, width| Run { lsb, width };
        Bits::new([run(31, 1), run(7, 1), run(25, 6), run(8, 4)])
    }

    #[test]
    fn pieces_hold_the_bits_of_a_number_in_order() {
        let bits = branch();
        assert_eq!((bits.width(), bits.lsb(), bits.mask()), (12, 7, 0xfe00_0f80));
        assert_eq!(bits.to_string(), "31,7,30:25,11:8");
        for raw in 0..1 << 12 {
            let word = bits.place(raw);
            assert_eq!(word & !bits.mask(), 0);
            assert_eq!(bits.extract(word | !bits.mask()), raw);
            for index in 0..12 {
                assert_eq!(word >> bits.bit(index) & 1, u128::from(raw >> index & 1));
            }
            for (lsb, width) in [(0, 12), (2, 5), (9, 3), (11, 1), (4, 6)] {
                assert_eq!(bits.part(lsb, width).extract(word), raw >> lsb & ((1 << width) - 1));
            }
        }
    }

    #[test]
    fn neighbours_are_one_piece() {
        let run = |lsb, width| Run { lsb, width };
        assert_eq!(Bits::new([run(20, 12), run(15, 5)]), Bits::one(15, 17));
        assert_eq!(Bits::new([run(15, 5), run(20, 12)]).as_one(), None);
        assert_eq!(branch().part(0, 4).as_one(), Some(run(8, 4)));
        assert_eq!(Bits::new([run(0, 2), run(6, 2)]).within(&branch()), {
            let [low, high] = [branch().part(0, 2), branch().part(6, 2)];
            Bits::new(low.pieces().chain(high.pieces()).collect::<Vec<Run>>())
        });
    }
}
