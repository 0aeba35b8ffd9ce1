//! The truth about the texts of a small instruction set, found by printing and assembling every word.

use std::collections::{BTreeMap, BTreeSet};

use isadl::engine::{Engine, Loaded};
use isadl::isa::{Field, Inst, Isa, Opcode, OpcodeId};

use crate::oracle::{self, Verdict};

/// The expected findings about texts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TextTruth {
    /// Pairs of opcodes, the earlier one first, that share a printed text or a line with an alias.
    pub shared: BTreeSet<(String, String)>,
    /// Lines with aliases that more than one opcode fits, by the opcode of the alias.
    pub doubtful: BTreeMap<String, String>,
    /// Opcodes with a text that is refused or read as another instruction, with such a text.
    pub unread: BTreeMap<String, String>,
}

/// Looks at every word.
pub fn texts(isa: &Isa) -> TextTruth {
    let loaded = Loaded::new(isa.clone());
    let engine = loaded.engine();
    let mut truth = TextTruth::default();
    let mut by_text: BTreeMap<String, BTreeSet<(OpcodeId, u128)>> = BTreeMap::new();
    for word in 0..1u128 << isa.width() {
        let Verdict::Legal { opcode: id, advice: None } = oracle::decode(isa, word) else {
            continue;
        };
        let opcode = &isa.opcodes()[id.index()];
        if oracle::significant(opcode, word) != word {
            continue;
        }
        let text = oracle::print(isa, opcode, word);
        let values = in_mnemonic(isa, opcode, word);
        by_text.entry(text.clone()).or_default().insert((id, values));
        own(&engine, (id, word), &text, &mut truth);
        let printed = oracle::mnemonic(isa, opcode, word);
        let all = oracle::mnemonics(isa, opcode, word);
        for other in all.iter().filter(|other| **other != printed) {
            let line = text.replacen(&printed, other, 1);
            doubtful(&engine, (id, word), (other, line), &mut truth);
        }
    }
    for ids in by_text.values() {
        for first in ids {
            for second in ids.iter().filter(|second| second > &first) {
                // One opcode has a text twice if values of fields in its mnemonic are written alike, or if each of two
                // operands may be the literal, and the text is not that of a form with fewer.
                let is_taken = first.0 != second.0 && has_fewer(isa, first.0, ids);
                if !is_taken && are_alike(isa, *first, *second) {
                    truth.shared.insert((name(isa, first.0), name(isa, second.0)));
                }
            }
        }
    }
    truth
}

/// Whether another form of an opcode, with fewer literals, is among those with a text.
fn has_fewer(isa: &Isa, id: OpcodeId, ids: &BTreeSet<(OpcodeId, u128)>) -> bool {
    let own = &isa.opcodes()[id.index()];
    ids.iter()
        .map(|(other, _)| &isa.opcodes()[other.index()])
        .any(|other| own.name == other.name && other.literals.len() < own.literals.len())
}

/// The bits of the fields in the mnemonic of an opcode.
fn in_mnemonic(isa: &Isa, opcode: &Opcode, word: u128) -> u128 {
    let is_there = |field: &&Field| {
        let name = format!("{{{}}}", isa.names()[field.name.index()]);
        opcode.syntax.mnemonic.contains(&name)
    };
    let fields = opcode.fields.iter().filter(is_there);
    word & fields.fold(0, |mask, field| mask | field.mask())
}

fn name(isa: &Isa, id: OpcodeId) -> String {
    isa.opcodes()[id.index()].name.clone()
}

/// Whether an assembler has no reason to prefer one of two opcodes, or one of two values of the fields in a mnemonic.
/// It prefers mnemonics with more dots, narrow words, and forms without a literal.
fn are_alike(isa: &Isa, a: (OpcodeId, u128), b: (OpcodeId, u128)) -> bool {
    let dots = |(id, values): (OpcodeId, u128)| {
        let opcode = &isa.opcodes()[id.index()];
        oracle::mnemonic(isa, opcode, values | opcode.value).matches('.').count()
    };
    let is_same_length = dots(a) == dots(b);
    let is_same = a.0 == b.0;
    let (a, b) = (&isa.opcodes()[a.0.index()], &isa.opcodes()[b.0.index()]);
    let is_other = a.name != b.name || a.literals.len() == b.literals.len();
    (is_same || is_other)
        && is_same_length
        && a.width == b.width
        && a.has_literal() == b.has_literal()
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
    (id, word): (OpcodeId, u128),
    (mnemonic, line): (&str, String),
    truth: &mut TextTruth,
) {
    let isa = engine.isa();
    // The assembler has no reason to take the other one, as for printed texts.
    let is_alike = |read: Inst| {
        let (own, other) = (&isa.opcodes()[id.index()], &isa.opcodes()[read.opcode.index()]);
        let is_other = match id == read.opcode {
            true => in_mnemonic(isa, own, word) != in_mnemonic(isa, own, read.word),
            false => own.name != other.name,
        };
        own.width == other.width
            && own.has_literal() == other.has_literal()
            && is_other
            && oracle::mnemonics(isa, other, read.word).iter().any(|known| {
                known.matches('.').count() == mnemonic.matches('.').count()
                    && known.split('.').next() == mnemonic.split('.').next()
            })
    };
    let is_doubtful = match engine.assemble(&line) {
        Ok(read) => is_alike(read),
        Err(error) => error.is_ambiguous,
    };
    if is_doubtful {
        truth.doubtful.entry(name(isa, id)).or_insert(line);
    }
}
