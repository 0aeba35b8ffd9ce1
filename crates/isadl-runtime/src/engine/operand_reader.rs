//! Reads many texts as one operand: proofs read every text that an operand can have.

use isadl_engine::decode::RowId;
use isadl_engine::parse::read_operand;
use isadl_engine::parse_line::OperandText;

use super::{Engine, TextOf};

/// Stands for any mnemonic before the operand.
const MNEMONIC: &str = "X ";

/// Reads texts as one operand of an opcode or of one of its aliases. Reuses its buffers for the next text.
pub struct OperandReader<'e> {
    engine: &'e Engine<'e>,
    row: RowId,
    /// The number of the operand.
    number: usize,
    words: Vec<(usize, usize)>,
    pieces: Vec<OperandText>,
    line: String,
}

impl<'e> OperandReader<'e> {
    /// Reads the operand with this number among those of an opcode, or of its alias.
    pub fn new(engine: &'e Engine<'e>, text: TextOf, number: usize) -> OperandReader<'e> {
        let (words, pieces) = engine.room();
        let (row, line) = (engine.row_as(text), String::from(MNEMONIC));
        OperandReader { engine, row, number, words, pieces, line }
    }

    /// The word that a text is read as, if it is the operand: `word` has the values of all other fields.
    pub fn read(&mut self, word: u128, text: &str) -> Option<u128> {
        self.line.truncate(MNEMONIC.len());
        self.line.push_str(text);
        let room = (self.words.as_mut_slice(), self.pieces.as_mut_slice());
        let row = (self.engine.target, self.row);
        read_operand(&self.engine.image, row, (self.number, word), &self.line, room)
    }
}
