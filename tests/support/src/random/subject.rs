//! The subject that is compared with the oracle: the engine over an image made at run time. All tests against the
//! oracle call it here.

use isadl::engine::{DecodeError, Engine, FlowControl, Inst, TextOptions};
use isadl::isa::{Isa, OpcodeId};

use crate::oracle::Verdict;

/// The engine of an instruction set.
pub struct Subject<'l> {
    engine: Engine<'l>,
}

impl<'l> Subject<'l> {
    /// Uses an engine over the tables of an instruction set.
    pub fn new(engine: Engine<'l>) -> Subject<'l> {
        Subject { engine }
    }

    /// The instruction set.
    pub fn isa(&self) -> &'l Isa {
        self.engine.isa()
    }

    /// Decodes a word: the verdict, and where it is legal the word without bits that mean nothing.
    pub fn decode(&self, word: u128) -> (Verdict, Option<u128>) {
        match self.engine.decode(word) {
            Ok(inst) => {
                let advice = self.engine.advice(inst);
                (Verdict::Legal { opcode: inst.opcode, advice }, Some(inst.word))
            }
            Err(DecodeError::IllegalValue { opcode, field }) => {
                (Verdict::IllegalValue { opcode, field }, None)
            }
            Err(DecodeError::Rule { opcode, rule }) => (Verdict::Rule { opcode, rule }, None),
            Err(
                DecodeError::Unknown | DecodeError::Absent { .. } | DecodeError::Truncated { .. },
            ) => (Verdict::Unknown, None),
        }
    }

    /// The canonical text of a legal word.
    pub fn text(&self, opcode: OpcodeId, word: u128) -> String {
        self.engine.text(Inst { opcode, word })
    }

    /// The text of a legal word without aliases.
    pub fn plain_text(&self, opcode: OpcodeId, word: u128) -> String {
        self.engine.plain_text(Inst { opcode, word })
    }

    /// The text of a legal word at an address.
    pub fn text_at(&self, opcode: OpcodeId, word: u128, address: u64) -> String {
        self.engine.text_with(Inst { opcode, word }, TextOptions::at(address))
    }

    /// Assembles a line at an address.
    pub fn assemble_from(&self, line: &str, address: u64) -> Result<(OpcodeId, u128), String> {
        let inst = self.engine.assemble_with(line, TextOptions::at(address));
        let inst = inst.map_err(|error| error.to_string())?;
        Ok((inst.opcode, inst.word))
    }

    /// Where execution goes after a legal word.
    pub fn flow_control(&self, opcode: OpcodeId, word: u128) -> FlowControl {
        self.engine.flow_control(Inst { opcode, word })
    }

    /// The text of a legal word, written in a way.
    pub fn text_with(&self, opcode: OpcodeId, word: u128, options: TextOptions) -> String {
        self.engine.text_with(Inst { opcode, word }, options)
    }

    /// The reads and writes of a legal word, in words.
    pub fn uses(&self, opcode: OpcodeId, word: u128) -> Vec<(&'static str, String)> {
        let uses = self.engine.uses(Inst { opcode, word });
        uses.map(|found| (found.effect.name(), self.isa().resource_text(found.resource))).collect()
    }

    /// Assembles a line; the message if it is not an instruction.
    pub fn assemble(&self, line: &str) -> Result<(OpcodeId, u128), String> {
        match (self.engine.read(line), self.engine.assemble(line)) {
            (Some(inst), Ok(other)) if inst == other => Ok((inst.opcode, inst.word)),
            (None, Err(error)) => Err(error.to_string()),
            (found, explained) => Err(format!("read as {found:?}, but explained as {explained:?}")),
        }
    }
}
