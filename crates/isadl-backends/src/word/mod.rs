//! Describes one word: its fields with their roles, its reads and writes, the reason why it is illegal, and the nearest
//! opcodes. Also reads words as people write them.

mod object;

use isadl_ir::explain::{DecodedWord, Explanation, Found};
use isadl_ir::isa::{
    Access, Binding, Family, Field, FieldRole, Isa, Numbering, Opcode, OperandLocation, Run,
    low_bits,
};
use isadl_runtime::engine::{Effect, Engine};
use isadl_runtime::hex::write_bytes;
use isadl_semantics::Texts;

use crate::markdown::{self, Entry};

pub use object::{Object, object};

/// A word with its explanation.
#[derive(Debug)]
pub struct Word<'w> {
    /// The engine that explains it, with a set of extensions.
    pub engine: Engine<'w>,
    /// The instruction set of its generation.
    pub isa: &'w Isa,
    /// The meaning of the bits.
    pub explanation: Explanation,
    /// The manual's entry for its opcode.
    pub entry: Option<Entry>,
    /// What a legal instruction does, with its operands filled in, if its opcode has a program.
    pub does: Option<String>,
}

impl<'w> Word<'w> {
    /// Explains a word of an instruction set. `texts` has the texts of its programs.
    pub fn new(
        engine: Engine<'w>,
        isa: &'w Isa,
        family: &Family,
        texts: Option<&Texts>,
        word: u128,
    ) -> Word<'w> {
        let explanation = engine.explain(word);
        let entry = match &explanation.opcode {
            Found::One(known) => markdown::entry(family, &isa.opcode(known.inst.opcode).name),
            Found::Nearest(_) => None,
        };
        let does = match &explanation.opcode {
            Found::One(known) if known.is_legal() => {
                texts.and_then(|texts| texts.filled(isa, known.inst))
            }
            _ => None,
        };
        Word { engine, isa, explanation, entry, does }
    }

    /// Its opcode, if it is an instruction, including illegal instructions.
    pub fn known(&self) -> Option<&DecodedWord> {
        match &self.explanation.opcode {
            Found::One(known) => Some(known),
            Found::Nearest(_) => None,
        }
    }

    /// The word as a number, with the digits of its bytes.
    pub fn number(&self) -> String {
        let length = self.length();
        let word = self.numbering().number(self.explanation.word);
        format!("0x{word:0digits$x}", digits = length * 2)
    }

    /// How its bits are numbered.
    fn numbering(&self) -> Numbering {
        self.isa.word_layout().numbering(self.length() as u32 * 8)
    }

    /// Its length in bytes; without an instruction, the length of the widest instruction.
    fn length(&self) -> usize {
        self.engine.length(self.explanation.word).unwrap_or(self.isa.bytes())
    }

    /// Its bytes in hexadecimal.
    pub fn bytes(&self) -> String {
        write_bytes(&self.isa.word_layout().to_bytes(self.explanation.word)[..self.length()])
    }

    /// The control flow after a legal instruction, if the instruction set describes control flow.
    pub fn flow_control(&self, known: &DecodedWord) -> Option<&'static str> {
        let says = self.isa.opcodes().iter().any(|opcode| !opcode.classes.is_empty());
        (says && known.is_legal()).then(|| self.engine.flow_control(known.inst).name())
    }

    /// The resources that a legal instruction reads or writes, and whether that is certain.
    pub fn uses(&self, known: &DecodedWord, way: Way) -> Vec<(String, bool)> {
        if !known.is_legal() {
            return Vec::new();
        }
        let flow = self.engine.uses(known.inst).filter_map(|found| {
            let (takes, is_certain) = match way {
                Way::Read => (found.effect.reads(), found.effect != Effect::ConditionalRead),
                Way::Write => (found.effect.writes(), found.effect.overwrites()),
            };
            takes.then(|| (self.isa.resource_text(found.resource), is_certain))
        });
        let mut uses: Vec<(String, bool)> = Vec::new();
        for found in flow {
            if !uses.contains(&found) {
                uses.push(found);
            }
        }
        uses
    }
}

/// A direction of data flow.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// A read.
    Read,
    /// A write.
    Write,
}

/// The role of a field in its opcode, in words.
pub fn role(isa: &Isa, opcode: &Opcode, field: &Field) -> String {
    let is_fixed = matches!(field.binding, Binding::Fixed(_));
    let is_written = opcode.syntax.modifiers.iter().any(|modifier| modifier.field == field.name);
    match field.role {
        FieldRole::Modifier if is_fixed && !is_written => "encoding".to_string(),
        FieldRole::Attribute { of } => format!("attribute of {}", isa.name_of(of)),
        FieldRole::Part { of } => format!("part of {}", isa.name_of(of)),
        FieldRole::Modifier => "modifier".to_string(),
        FieldRole::Mnemonic => "part of the mnemonic".to_string(),
        FieldRole::Control => "control".to_string(),
        FieldRole::Operand => {
            let is_this = |place: OperandLocation| match place {
                OperandLocation::Field(name) => name == field.name,
                OperandLocation::Indirect { base, offset, .. } => {
                    base == field.name || offset == Some(field.name)
                }
                OperandLocation::File(_) => false,
            };
            let operands = opcode.operands.iter().chain(&opcode.implicit);
            let found = operands.filter(|operand| is_this(operand.place)).map(|operand| {
                // A register that gives the number of another is read, even if the other is written.
                match operand.place {
                    OperandLocation::Indirect { .. } => Access::Read,
                    _ => operand.access,
                }
            });
            match found.max() {
                Some(Access::Read) => "read",
                Some(Access::Write) => "write",
                Some(Access::ReadWrite) => "read and write",
                None if is_fixed => "encoding",
                Some(Access::None) | None => "operand",
            }
            .to_string()
        }
    }
}

/// The word of a text: a number, or bytes in memory order with spaces or colons between them.
///
/// # Errors
///
/// Why the text is not a word, in a sentence.
pub fn read(engine: &Engine<'_>, text: &str) -> Result<u128, String> {
    let isa = engine.isa();
    let is_separator = |c: char| c == ':' || c.is_whitespace();
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if text.contains(is_separator) || digits.is_none() && isa.bytes() == 1 {
        let text = text.replace(is_separator, " ");
        return engine.read_hex(text.as_bytes()).map_err(|error| error.to_string());
    }
    let Some(digits) = digits else {
        return Err(format!(
            "`{text}` may be a number or bytes: write 0x before a number, spaces or colons \
             between bytes"
        ));
    };
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(format!("`{text}` is not a hexadecimal number"));
    }
    let word = u128::from_str_radix(&digits, 16).ok();
    let fits = word.filter(|word| *word <= low_bits(isa.width()));
    let word = fits.ok_or_else(|| format!("`{text}` does not fit in {} bits", isa.width()))?;
    if isa.word_layout().is_first_high() {
        return Ok(at_the_top(engine, word, digits.len() as u32 * 4));
    }
    check_length(engine, text, word)?;
    Ok(word)
}

/// The word of a number that holds the highest bits of words. If a narrower instruction has equally many digits, this
/// is the word of that instruction.
fn at_the_top(engine: &Engine<'_>, number: u128, width: u32) -> u128 {
    let isa = engine.isa();
    if !isa.opcodes().iter().any(|opcode| opcode.width == width) {
        return number;
    }
    number << isa.word_layout().lowest(width)
}

/// Refuses a number that has bits beyond its instruction.
fn check_length(engine: &Engine<'_>, text: &str, word: u128) -> Result<(), String> {
    let Some(opcode) = engine.find(word).map(|id| engine.isa().opcode(id)) else { return Ok(()) };
    if word <= low_bits(opcode.width) {
        return Ok(());
    }
    let bytes = engine.isa().word_layout().to_bytes(word);
    let needed = opcode.width as usize / 8;
    let count = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    Err(format!(
        "`{text}` is longer than its instruction: `{}` has {needed} bytes, {}; extra bytes: {}",
        opcode.name,
        write_bytes(&bytes[..needed]),
        write_bytes(&bytes[needed..count]),
    ))
}

/// Bits as runs with the numbers of a specification, the most significant first.
pub fn bits(numbering: Numbering, mask: u128) -> String {
    let is_set = |bit: u32| mask >> bit & 1 == 1;
    let mut runs = Vec::new();
    let mut high = None;
    for bit in (0..u128::BITS).rev().filter(|bit| is_set(*bit)) {
        let start = *high.get_or_insert(bit);
        if bit == 0 || !is_set(bit - 1) {
            runs.push(numbering.run(Run { lsb: bit, width: start - bit + 1 }));
            high = None;
        }
    }
    runs.join(", ")
}
