//! The order of bytes in memory, of units in a word, and of bits in words as people write them.
//!
//! A word is as wide as the widest instruction. A narrower instruction occupies the bits that the first bytes of a
//! stream fill: the lowest bits, or the highest bits where the first unit is the highest. Code that compares
//! instructions of several widths therefore compares bits at the same positions. Specifications number the bits of each
//! instruction on their own; only this file converts between the two.

use super::{Bits, Run, low_bits};

/// The order of bytes, units and bits of an instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WordLayout {
    /// Bits in the widest instruction.
    widest: u32,
    /// Bits in a unit.
    unit: u32,
    /// Whether the first byte of a unit is the highest.
    is_big: bool,
    /// Whether the first unit of a word is the highest.
    is_first_high: bool,
    /// Whether bit 0 is the highest of an instruction.
    is_msb0: bool,
}

impl WordLayout {
    /// The order of little-endian words whose bit 0 is the lowest, for instructions of at most `widest` bits.
    pub fn new(widest: u32) -> WordLayout {
        WordLayout { widest, unit: 8, is_big: false, is_first_high: false, is_msb0: false }
    }

    /// Returns the order with the highest byte first.
    pub fn big(self) -> WordLayout {
        WordLayout { is_big: true, is_first_high: true, ..self }
    }

    /// Returns the order with units of `unit` bits, the first unit being the highest or the lowest.
    pub fn units(self, unit: u32, is_first_high: bool) -> WordLayout {
        WordLayout { unit, is_first_high, ..self }
    }

    /// Returns the order with bit 0 as the highest bit of each instruction.
    pub fn msb0(self) -> WordLayout {
        WordLayout { is_msb0: true, ..self }
    }

    /// Whether the first byte of a unit is the highest.
    pub fn is_big(&self) -> bool {
        self.is_big
    }

    /// Bits in a unit.
    pub fn unit(&self) -> u32 {
        self.unit
    }

    /// Whether the first bits of an instruction in memory are its highest. Narrower instructions are in the highest
    /// bits of words then.
    pub fn is_first_high(&self) -> bool {
        self.is_first_high
    }

    /// Whether bit 0 is the highest of an instruction.
    pub fn is_msb0(&self) -> bool {
        self.is_msb0
    }

    /// Whether words are little-endian.
    pub fn is_little_endian(&self) -> bool {
        (0..self.bytes()).all(|at| self.place_of(at) == at)
    }

    /// Bytes in a word.
    fn bytes(&self) -> usize {
        self.widest as usize / 8
    }

    /// Which byte of a word, counted from the lowest, a byte of a stream is. It is also which byte of the stream a
    /// byte of the word is.
    pub fn place_of(&self, at: usize) -> usize {
        let unit = self.unit as usize / 8;
        let (number, within) = (at / unit, at % unit);
        let within = if self.is_big { unit - 1 - within } else { within };
        let number = if self.is_first_high { self.bytes() / unit - 1 - number } else { number };
        number * unit + within
    }

    /// The word that bytes begin with, zeros after them.
    pub fn word(&self, bytes: &[u8]) -> u128 {
        // Most instruction sets; many instructions of a stream are followed by others.
        if let (false, false, Some(all)) =
            (self.is_big, self.is_first_high, bytes.first_chunk::<16>())
        {
            return u128::from_le_bytes(*all) & low_bits(self.widest);
        }
        let found = bytes.iter().take(self.bytes()).enumerate();
        found.fold(0, |word, (at, byte)| word | u128::from(*byte) << (8 * self.place_of(at)))
    }

    /// The bytes of a word, zeros after them.
    pub fn to_bytes(&self, word: u128) -> [u8; 16] {
        let own = word.to_le_bytes();
        let mut bytes = [0; 16];
        let places = bytes.iter_mut().take(self.bytes()).enumerate();
        places.for_each(|(at, byte)| *byte = own[self.place_of(at)]);
        bytes
    }

    /// The first byte of a stream that contains a bit of the mask.
    pub fn first_byte(&self, mask: u128) -> usize {
        let has = |at: &usize| mask >> (8 * self.place_of(*at)) & 0xff != 0;
        (0..self.bytes()).find(has).unwrap_or(0)
    }

    /// The first byte of a stream that bits of the word fill, if they fill whole bytes.
    pub(crate) fn whole_bytes(&self, mask: u128) -> Option<usize> {
        let is_whole = |at: usize| matches!(mask >> (8 * at) & 0xff, 0 | 0xff);
        (0..self.bytes()).all(is_whole).then(|| self.first_byte(mask))
    }

    /// The lowest bit of a word that belongs to an instruction of `width` bits.
    pub fn lowest(&self, width: u32) -> u32 {
        if self.is_first_high { self.widest.saturating_sub(width) } else { 0 }
    }

    /// The bits of a word that belong to an instruction of `width` bits.
    pub fn width_mask(&self, width: u32) -> u128 {
        low_bits(width) << self.lowest(width)
    }

    /// The bit numbering of instructions of `width` bits.
    pub fn numbering(&self, width: u32) -> Numbering {
        Numbering { lowest: self.lowest(width), width, is_msb0: self.is_msb0 }
    }

    /// Formats a word of an instruction with `width` bits as a number. Shows the whole word if bits beyond the
    /// instruction are not 0.
    pub fn shown(&self, width: u32, word: u128) -> String {
        let word = word & low_bits(self.widest);
        let (number, width) = match word & !self.width_mask(width) {
            0 => (self.numbering(width).number(word), width),
            _ => (word, self.widest),
        };
        format!("0x{number:0digits$x}", digits = width.div_ceil(4) as usize)
    }

    /// The bit numbering of a number of `width` bits.
    pub fn numbering_of(&self, width: u32) -> Numbering {
        Numbering { lowest: 0, width, is_msb0: self.is_msb0 }
    }

    /// The bits of a word that a specification gives numbers from `low`, of an opcode with `width` bits.
    /// A form of it with a literal ends at the number `end`; its bits from `width` on are numbered
    /// on their own. The most significant come first.
    pub fn runs(&self, low: u32, count: u32, width: u32, end: u32) -> Vec<Run> {
        let part = |from: u32, to: u32, parts: (u32, u32)| {
            let (from, to) = (low.max(from), (low + count).min(to));
            (from < to).then(|| self.run(from, to, parts))
        };
        let own = part(0, width, (0, width));
        let beyond = part(width, end.max(width), (width, end));
        let runs = [own, beyond].into_iter().flatten();
        if self.is_msb0 { runs.collect() } else { runs.rev().collect() }
    }

    /// Bits with the numbers from `from` to before `to`, within a part of the instruction.
    fn run(&self, from: u32, to: u32, (start, end): (u32, u32)) -> Run {
        let above = if self.is_msb0 { end - to } else { from - start };
        let base = if self.is_first_high { self.widest.saturating_sub(end) } else { start };
        Run { lsb: base + above, width: to - from }
    }
}

/// How the bits of an instruction are numbered for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Numbering {
    lowest: u32,
    width: u32,
    is_msb0: bool,
}

impl Numbering {
    /// The numbers of the first and last bit of a run as it is written, the most significant first.
    pub fn ends(&self, run: Run) -> (u32, u32) {
        let number = |bit: u32| match self.is_msb0 {
            true => (self.lowest + self.width).saturating_sub(bit + 1),
            false => bit.saturating_sub(self.lowest),
        };
        (number(run.high()), number(run.lsb))
    }

    /// Bits with their numbers, the most significant piece first: `31,7,30:25`.
    pub fn bits(&self, bits: &Bits) -> String {
        bits.pieces().map(|run| self.run(run)).collect::<Vec<String>>().join(",")
    }

    /// A run with its numbers.
    pub fn run(&self, run: Run) -> String {
        match self.ends(run) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}:{last}"),
        }
    }

    /// The lowest of the numbers of some bits.
    pub fn low(&self, bits: &Bits) -> u32 {
        let low = |run: Run| {
            let (first, last) = self.ends(run);
            first.min(last)
        };
        bits.pieces().map(low).min().unwrap_or(0)
    }

    /// The highest of the numbers of some bits.
    pub fn high(&self, bits: &Bits) -> u32 {
        let high = |run: Run| {
            let (first, last) = self.ends(run);
            first.max(last)
        };
        bits.pieces().map(high).max().unwrap_or(0)
    }

    /// Bits of a word, as the mask of their numbers.
    pub fn numbers(&self, mask: u128) -> u128 {
        let own = mask >> self.lowest & low_bits(self.width);
        match self.is_msb0 {
            true => own.reverse_bits().checked_shr(128 - self.width).unwrap_or(0),
            false => own,
        }
    }

    /// Bits of a word in words: as ranges, the most significant first.
    pub fn ranges(&self, mask: u128) -> String {
        bit_ranges(self.numbers(mask), self.is_msb0)
    }

    /// Returns the numbering without the bits that precede the instruction in a word.
    pub fn alone(self) -> Numbering {
        Numbering { lowest: 0, ..self }
    }

    /// Bits of a word as bits of the instruction alone, counted from its lowest.
    pub fn relative(&self, bits: &Bits) -> Bits {
        Bits::new(bits.pieces().map(|run| Run { lsb: run.lsb.saturating_sub(self.lowest), ..run }))
    }

    /// The number that an instruction is, of a word.
    pub fn number(&self, word: u128) -> u128 {
        word >> self.lowest & low_bits(self.width)
    }
}

/// Formats a mask as ranges of bit numbers, the most significant bit first. Its number is the highest, or the lowest
/// with `is_msb0`.
pub fn bit_ranges(mut mask: u128, is_msb0: bool) -> String {
    let mut ranges = Vec::new();
    let single = mask.count_ones() == 1;
    while mask != 0 {
        let low = mask.trailing_zeros();
        let width = (!(mask >> low)).trailing_zeros();
        ranges.push(range_text(low.into(), width.into(), is_msb0));
        mask &= !(low_bits(width) << low);
    }
    if !is_msb0 {
        ranges.reverse();
    }
    format!("{} {}", if single { "bit" } else { "bits" }, ranges.join(", "))
}

/// So many bits with numbers from `low` on, the most significant first.
pub fn range_text(low: i128, width: i128, is_msb0: bool) -> String {
    match low + width - 1 {
        high if high == low => low.to_string(),
        high if is_msb0 => format!("{low}:{high}"),
        high => format!("{high}:{low}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes 0, 1, 2, … of a stream, as a number of `width` bits.
    fn number(order: WordLayout, width: u32) -> u128 {
        let bytes: Vec<u8> = (1..=width as u8 / 8).collect();
        let word = order.word(&bytes);
        assert_eq!(order.to_bytes(word)[..bytes.len()], bytes);
        assert_eq!(word & !order.width_mask(width), 0);
        order.numbering(width).number(word)
    }

    #[test]
    fn bytes_of_a_stream_are_numbers_in_each_order() {
        let little = WordLayout::new(48);
        assert_eq!(number(little, 32), 0x0403_0201);
        assert_eq!(number(little.big(), 32), 0x0102_0304);
        assert_eq!(number(little.big(), 48), 0x0102_0304_0506);
        assert_eq!(number(little.units(16, true), 32), 0x0201_0403);
        assert_eq!(number(little.units(16, false), 32), 0x0403_0201);
        assert_eq!(number(little.big().units(16, true), 48), 0x0102_0304_0506);
        assert_eq!(number(little.big().units(16, false), 32), 0x0304_0102);
        assert!(little.units(16, false).is_little_endian());
        assert!(!little.big().is_little_endian());
        assert_eq!(little.units(16, true).first_byte(0xff << 16), 2);
    }

    #[test]
    fn numbers_of_bits_are_places_in_words() {
        let order = WordLayout::new(32).big();
        let own = |order: WordLayout, low, count| order.runs(low, count, 16, 16)[0];
        assert_eq!(own(order, 0, 4), Run { lsb: 16, width: 4 });
        assert_eq!(own(order.msb0(), 0, 4), Run { lsb: 28, width: 4 });
        assert_eq!(own(WordLayout::new(32).msb0(), 0, 4), Run { lsb: 12, width: 4 });
        for order in [order, order.msb0(), WordLayout::new(32).msb0(), WordLayout::new(32)] {
            let numbering = order.numbering(16);
            let ends = numbering.ends(own(order, 3, 5));
            assert_eq!(ends, if order.is_msb0() { (3, 7) } else { (7, 3) });
            assert_eq!(numbering.numbers(own(order, 3, 5).mask()), 0b1_1111 << 3);
            // A literal comes after the instruction.
            let literal = order.runs(16, 16, 16, 32);
            let lsb = if order.is_first_high() { 0 } else { 16 };
            assert_eq!(literal, [Run { lsb, width: 16 }]);
        }
    }
}
