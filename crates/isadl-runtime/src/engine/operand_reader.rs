//! Reads many texts as one operand or modifier: proofs read every text that it can have.

use isadl_engine::decode::RowId;
use isadl_engine::parse::{read_modifier, read_operand};
use isadl_engine::parse_line::OperandText;

use super::{Engine, TextOf};

/// Stands for any mnemonic before the operand.
const MNEMONIC: &str = "X ";

/// Reads texts as one operand of an opcode or of one of its aliases. Reuses its buffers for the next text.
pub struct OperandReader<'e> {
    engine: &'e Engine<'e>,
    row: RowId,
    /// The number of the operand or modifier.
    number: usize,
    /// Whether it is a modifier that is made of fields.
    is_modifier: bool,
    words: Vec<(usize, usize)>,
    pieces: Vec<OperandText>,
    line: String,
}

impl<'e> OperandReader<'e> {
    /// Reads the operand with this number among those of an opcode, or of its alias.
    pub fn new(engine: &'e Engine<'e>, text: TextOf, number: usize) -> OperandReader<'e> {
        let (words, pieces) = engine.room();
        let (row, line) = (engine.row_as(text), String::from(MNEMONIC));
        OperandReader { engine, row, number, is_modifier: false, words, pieces, line }
    }

    /// Reads the modifier with this number, which is made of fields.
    pub fn of_modifier(engine: &'e Engine<'e>, text: TextOf, number: usize) -> OperandReader<'e> {
        OperandReader { is_modifier: true, ..OperandReader::new(engine, text, number) }
    }

    /// The word that a text is read as, if it is the operand: `word` has the values of all other fields.
    pub fn read(&mut self, word: u128, text: &str) -> Option<u128> {
        self.line.truncate(MNEMONIC.len());
        self.line.push_str(text);
        let room = (self.words.as_mut_slice(), self.pieces.as_mut_slice());
        let row = (self.engine.target, self.row);
        let (image, of) = (&self.engine.image, (self.number, word));
        match self.is_modifier {
            true => read_modifier(image, row, of, &self.line, room),
            false => read_operand(image, row, of, &self.line, room),
        }
    }
}
