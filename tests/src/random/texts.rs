//! What is true of the texts of a small instruction set, found by printing and assembling every word.

use std::collections::{BTreeMap, BTreeSet};

use isadl::engine::{Engine, Loaded};
use isadl::isa::{Isa, Opcode, OpcodeId};

use crate::oracle::{self, Verdict};

/// What must be reported of texts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TextTruth {
    /// Opcodes that print a text, or fit a line with an alias, that is one of another opcode, too: the earlier one and the later
    /// one.
    pub shared: BTreeSet<(String, String)>,
    /// Lines with aliases that more than one opcode fits, by the opcode that has them.
    pub doubtful: BTreeMap<String, String>,
    /// Opcodes with a text that is refused or read as another instruction, with one.
    pub unread: BTreeMap<String, String>,
}

/// Looks at every word.
pub fn texts(isa: &Isa) -> TextTruth {
    let loaded = Loaded::new(isa.clone());
    let engine = loaded.engine();
    let mut truth = TextTruth::default();
    let mut by_text: BTreeMap<String, BTreeSet<OpcodeId>> = BTreeMap::new();
    for word in 0..1u128 << isa.width() {
        let Verdict::Legal { opcode: id, advice: None } = oracle::decode(isa, word) else {
            continue;
        };
        let opcode = &isa.opcodes()[id.index()];
        if oracle::significant(opcode, word) != word {
            continue;
        }
        let text = oracle::print(isa, opcode, word);
        by_text.entry(text.clone()).or_default().insert(id);
        own(&engine, (id, word), &text, &mut truth);
        for alias in &opcode.syntax.aliases {
            let line = text.replacen(&opcode.syntax.mnemonic, alias, 1);
            doubtful(&engine, (id, alias), line, &mut truth);
        }
    }
    for ids in by_text.values() {
        for first in ids {
            for second in ids.iter().filter(|second| second > &first) {
                if are_alike(isa, *first, *second) {
                    truth.shared.insert((name(isa, *first), name(isa, *second)));
                }
            }
        }
    }
    truth
}

fn name(isa: &Isa, id: OpcodeId) -> String {
    isa.opcodes()[id.index()].name.clone()
}

/// Whether an assembler has no reason to take one of two opcodes: it prefers mnemonics with more dots, narrow words, and
/// forms without a literal.
fn are_alike(isa: &Isa, a: OpcodeId, b: OpcodeId) -> bool {
    let (a, b) = (&isa.opcodes()[a.index()], &isa.opcodes()[b.index()]);
    let dots = |opcode: &Opcode| opcode.syntax.mnemonic.matches('.').count();
    let is_same_length = dots(a) == dots(b);
    a.name != b.name
        && is_same_length
        && a.width == b.width
        && a.literal.is_some() == b.literal.is_some()
}

/// Whether a text is read as the word that it was printed for.
fn own(engine: &Engine<'_>, (id, word): (OpcodeId, u128), text: &str, truth: &mut TextTruth) {
    let isa = engine.isa();
    let fault = match engine.assemble(text) {
        Ok(read) if oracle::is_same(isa, (id, word), (read.opcode, read.word)) => return,
        Err(error) if error.is_ambiguous => return,
        Ok(read) => format!("`{text}` is read as 0x{:x} of {}", read.word, name(isa, read.opcode)),
        Err(error) => format!("`{text}` is refused: {error:?}"),
    };
    truth.unread.entry(name(isa, id)).or_insert(fault);
}

/// Whether a line with an alias fits another opcode, too.
fn doubtful(
    engine: &Engine<'_>,
    (id, alias): (OpcodeId, &str),
    line: String,
    truth: &mut TextTruth,
) {
    let isa = engine.isa();
    // The assembler has no reason to take the other one, as for printed texts.
    let is_alike = |other: OpcodeId| {
        let (own, other) = (&isa.opcodes()[id.index()], &isa.opcodes()[other.index()]);
        let mut mnemonics = other.syntax.mnemonics();
        own.width == other.width
            && own.literal.is_some() == other.literal.is_some()
            && own.name != other.name
            && mnemonics.any(|known| {
                known.matches('.').count() == alias.matches('.').count()
                    && known.split('.').next() == alias.split('.').next()
            })
    };
    let is_doubtful = match engine.assemble(&line) {
        Ok(read) => is_alike(read.opcode),
        Err(error) => error.is_ambiguous,
    };
    if is_doubtful {
        truth.doubtful.entry(name(isa, id)).or_insert(line);
    }
}
