//! The length of words that are not instructions: some bits of the first unit may determine it for all opcodes.

use std::collections::BTreeSet;

use isadl_engine::decode;

use crate::image::OwnedImage;
use crate::isa::Isa;

use super::Engine;

/// The bits of the first unit that determine the length of an instruction.
#[derive(Debug)]
pub struct Lengths {
    /// A mask, the value of its bits, and the length in bytes of instructions with these bits. Empty if no bits tell
    /// opcodes of different lengths apart.
    rows: Vec<(u128, u128, usize)>,
}

impl Lengths {
    /// Finds the fewest bits that determine the length, so that they also cover words without an opcode.
    pub fn of(isa: &Isa, image: &OwnedImage) -> Lengths {
        let unit = isa.word_layout().word(&vec![0xff; isa.shortest()]);
        let words = image.view().words;
        let rows = words.rows.iter().zip(words.patterns).skip(1);
        let all: BTreeSet<(u128, u128, usize)> = rows
            .map(|(row, own)| (own.mask & unit, own.value & unit, usize::from(row.width) / 8))
            .collect();
        let bits = telling_bits(&all, unit).unwrap_or(0);
        let rows: BTreeSet<(u128, u128, usize)> = all
            .into_iter()
            .map(|(mask, value, length)| (mask & bits, value & bits, length))
            .collect();
        let first = rows.first().map(|row| row.2);
        let is_told = bits != 0 || rows.iter().all(|row| Some(row.2) == first);
        Lengths { rows: rows.into_iter().filter(|_| is_told).collect() }
    }

    /// A mask, the value of its bits, and the length in bytes of instructions with these bits, for each such value. None
    /// if no bits tell opcodes of different lengths apart.
    pub fn rows(&self) -> &[(u128, u128, usize)] {
        &self.rows
    }

    /// Bytes of an instruction that has the bits of a word.
    fn told(&self, word: u128) -> Option<usize> {
        let mut rows = self.rows.iter();
        rows.find(|(mask, value, _)| (word ^ value) & mask == 0).map(|row| row.2)
    }
}

/// Finds a minimal set of bits that differ between any two opcodes of different lengths; `None` if impossible.
fn telling_bits(all: &BTreeSet<(u128, u128, usize)>, unit: u128) -> Option<u128> {
    let mut differences = BTreeSet::new();
    for (mask, value, length) in all {
        let others = all.iter().filter(|other| other.2 > *length);
        differences.extend(others.map(|other| mask & other.0 & (value ^ other.1)));
    }
    if differences.contains(&0) {
        return None;
    }
    let without = |bits: u128, bit: u32| {
        let fewer = bits & !(1 << bit);
        let is_enough = differences.iter().all(|difference| difference & fewer != 0);
        if is_enough { fewer } else { bits }
    };
    let from_high = (0..128).rev().fold(unit, without);
    let from_low = (0..128).fold(unit, without);
    Some(if from_low.count_ones() < from_high.count_ones() { from_low } else { from_high })
}

impl Engine<'_> {
    /// The word at the start of `bytes`, padded with zeros, and the length of its instruction in bytes. Without an
    /// instruction, the length comes from the bits that tell the lengths of all instructions apart; otherwise it is the
    /// shortest length.
    pub fn first_word(&self, bytes: &[u8]) -> (u128, usize) {
        let word = self.isa.word_layout().word(bytes);
        let tables = self.tables;
        let told = || {
            let lengths = tables.lengths.get_or_init(|| Lengths::of(self.isa, &tables.image));
            lengths.told(word).unwrap_or(tables.shortest)
        };
        (word, self.length(word).unwrap_or_else(told))
    }

    /// Bytes in the instruction whose fixed bits a word has.
    pub fn length(&self, word: u128) -> Option<usize> {
        let row = decode::find(&self.image, self.target, word)?;
        Some(usize::from(self.image.words.rows[row.get() as usize].width) / 8)
    }
}
