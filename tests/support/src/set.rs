//! An instruction set as tests see it. The oracle decodes, encodes and prints its words; the engine assembles, explains
//! and follows them.

use std::ops::Deref;
use std::sync::OnceLock;

use isadl::engine::{AsmError, DecodeError, EncodeError, Engine, Inst, Tables, TokenKind, Use};
use isadl::isa::{Family, Isa, NameId, OpcodeId, RuleId};

use crate::oracle::{self, Verdict};

/// An instruction set of one generation.
#[derive(Debug)]
pub struct Set {
    isa: Isa,
    /// Made for the first test that needs them.
    tables: OnceLock<Tables>,
}

impl Deref for Set {
    type Target = Isa;

    fn deref(&self) -> &Isa {
        &self.isa
    }
}

impl From<Isa> for Set {
    fn from(isa: Isa) -> Set {
        Set { isa, tables: OnceLock::new() }
    }
}

/// The generations of a family.
#[derive(Debug)]
pub struct Sets {
    family: Family,
    sets: Vec<Set>,
}

impl Deref for Sets {
    type Target = Family;

    fn deref(&self) -> &Family {
        &self.family
    }
}

impl From<Family> for Sets {
    fn from(family: Family) -> Sets {
        let sets = family.isas().iter().cloned().map(Set::from).collect();
        Sets { family, sets }
    }
}

impl Sets {
    /// Each generation.
    pub fn isas(&self) -> &[Set] {
        &self.sets
    }

    /// The generation of a name.
    pub fn generation(&self, name: &str) -> Option<&Set> {
        let found = self.family.generation(name)?;
        let at = self.family.isas().iter().position(|isa| std::ptr::eq(isa, found))?;
        self.sets.get(at)
    }
}

impl Set {
    /// The engine.
    pub fn engine(&self) -> Engine<'_> {
        Engine::new(&self.isa, self.tables.get_or_init(|| Tables::of(&self.isa)))
    }

    /// The opcode whose fixed bits a word has.
    pub fn find(&self, word: u128) -> Option<OpcodeId> {
        oracle::find(self, word)
    }

    /// Decodes a word.
    pub fn decode(&self, word: u128) -> Result<Inst, DecodeError> {
        match oracle::decode(self, word) {
            Verdict::Legal { opcode, .. } => {
                Ok(Inst { opcode, word: oracle::significant(self.opcode(opcode), word) })
            }
            Verdict::Unknown => Err(DecodeError::Unknown),
            Verdict::IllegalValue { opcode, field } => {
                Err(DecodeError::IllegalValue { opcode, field })
            }
            Verdict::Rule { opcode, rule } => Err(DecodeError::Rule { opcode, rule }),
        }
    }

    /// Decodes the instruction at the start of bytes; returns how many it takes, too.
    pub fn decode_bytes(&self, bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
        let word = self.word_layout().word(bytes);
        let needed = self.find(word).map_or(self.shortest(), |_| self.length(word));
        if needed > bytes.len() {
            return Err(DecodeError::Truncated { needed });
        }
        Ok((self.decode(word)?, needed))
    }

    /// The bytes of a word in hexadecimal.
    pub fn write_hex(&self, word: u128) -> String {
        isadl::hex::write_bytes(&self.word_layout().to_bytes(word)[..self.length(word)])
    }

    /// The first rule that forbids an assembler to make an instruction.
    pub fn advice(&self, inst: Inst) -> Option<RuleId> {
        match oracle::decode(self, inst.word) {
            Verdict::Legal { advice, .. } => advice,
            _ => None,
        }
    }

    /// The instruction of values of fields.
    pub fn encode(&self, opcode: OpcodeId, values: &[(NameId, u64)]) -> Result<Inst, EncodeError> {
        oracle::encode(self, opcode, values).map(|word| Inst { opcode, word })
    }

    /// The canonical text of an instruction.
    pub fn text(&self, inst: Inst) -> String {
        oracle::print(self, self.opcode(inst.opcode), inst.word)
    }

    /// The canonical text of an instruction in pieces.
    pub fn tokens(&self, inst: Inst) -> Vec<(TokenKind, String)> {
        let mut found = Vec::new();
        let text = self.text(inst);
        self.engine().tokens(inst, &text, |kind, piece| found.push((kind, piece.to_string())));
        found
    }

    /// The instruction that a line is.
    pub fn assemble(&self, line: &str) -> Result<Inst, AsmError> {
        self.engine().assemble(line)
    }

    /// The reads and writes of an instruction.
    pub fn flow(&self, inst: Inst) -> Vec<Use> {
        self.engine().uses(inst).collect()
    }

    /// The length of the instruction in a word in bytes; without an instruction, the length of the widest instruction.
    pub fn length(&self, word: u128) -> usize {
        self.find(word).map_or(self.bytes(), |opcode| self.opcode(opcode).width as usize / 8)
    }
}
