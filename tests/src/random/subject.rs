//! What is held against the oracle: the library's own decoder, printer, assembler and data flow.
//! All tests against the oracle call them here.

use isadl::interpret::{DecodeError, Inst};
use isadl::isa::{Isa, OpcodeId};

use crate::oracle::Verdict;

/// Decodes a word: the verdict, and where it is legal the word without bits that mean nothing.
pub fn decode(isa: &Isa, word: u128) -> (Verdict, Option<u128>) {
    match isa.decode(word) {
        Ok(inst) => {
            let opcode = inst.opcode;
            (Verdict::Legal { opcode, advice: isa.advice(inst) }, Some(inst.word))
        }
        Err(DecodeError::IllegalValue { opcode, field }) => {
            (Verdict::IllegalValue { opcode, field }, None)
        }
        Err(DecodeError::Rule { opcode, rule }) => (Verdict::Rule { opcode, rule }, None),
        Err(DecodeError::Unknown | DecodeError::Truncated { .. }) => (Verdict::Unknown, None),
    }
}

/// The canonical text of a legal word.
pub fn text(isa: &Isa, opcode: OpcodeId, word: u128) -> String {
    isa.text(Inst { opcode, word })
}

/// What a legal word reads and writes, in words.
pub fn uses(isa: &Isa, opcode: OpcodeId, word: u128) -> Vec<(&'static str, String)> {
    let uses = isa.flow(Inst { opcode, word }).into_iter();
    uses.map(|found| (found.effect.as_str(), isa.resource_text(found.resource))).collect()
}

/// Assembles a line; the message if it is not an instruction.
pub fn assemble(isa: &Isa, line: &str) -> Result<(OpcodeId, u128), String> {
    isa.assemble(line).map(|inst| (inst.opcode, inst.word)).map_err(|error| error.to_string())
}
