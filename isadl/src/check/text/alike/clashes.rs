//! W0911: two opcodes with instructions that are written as one text; and instructions whose text the assembler takes for
//! one of another opcode.

use std::collections::{BTreeMap, HashSet};

use super::{Found, Mode, Named, Texts, line, mnemonic};
use crate::check::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Inst, OpcodeId};

/// What was found of texts that opcodes may share.
#[derive(Debug, Default)]
pub(in crate::check::text) struct Clashes {
    /// Opcodes that share a text with another.
    pub(in crate::check::text) opcodes: Vec<OpcodeId>,
    /// Instructions whose text is taken for one of another opcode.
    pub(in crate::check::text) misread: Vec<Inst>,
    /// Pairs for which it was not decided.
    pub(in crate::check::text) open: Vec<[OpcodeId; 2]>,
    /// Pairs that share the first word of a mnemonic.
    pub(in crate::check::text) pairs: u64,
}

/// How an assembler chooses among opcodes that a line fits: by the dots in the mnemonic, the most first, then by width and
/// literal.
type Rank = (std::cmp::Reverse<usize>, u32, bool);

impl Texts<'_> {
    /// Reports opcodes that share a text, each with the first such before it.
    pub(in crate::check::text) fn clashes(
        &mut self,
        context: &Context<'_, '_>,
        diagnostics: &mut Diagnostics,
    ) -> Clashes {
        let isa = self.isa;
        let mut by_word: BTreeMap<&str, Vec<Named>> = BTreeMap::new();
        for id in isa.opcode_ids() {
            for (number, mnemonic) in isa.opcode(id).syntax.mnemonics().enumerate() {
                let word = mnemonic.split('.').next().unwrap_or_default();
                by_word.entry(word).or_default().push((id, number));
            }
        }
        let mut found = Clashes::default();
        let mut told: HashSet<[OpcodeId; 2]> = HashSet::new();
        let mut misread: HashSet<OpcodeId> = HashSet::new();
        for group in by_word.values().filter(|group| group.len() > 1) {
            for (at, later) in group.iter().enumerate() {
                let others = group[..at].iter().filter(|other| other.0 != later.0);
                let mut is_told = false;
                for earlier in others {
                    found.pairs += 1;
                    for pair in [[*earlier, *later], [*later, *earlier]] {
                        if !misread.contains(&pair[0].0)
                            && let Some(inst) = self.misread(pair, &mut found)
                        {
                            misread.insert(pair[0].0);
                            found.misread.push(inst);
                        }
                    }
                    let ids = [earlier.0, later.0];
                    if is_told || told.contains(&ids) {
                        continue;
                    }
                    if let Some((text, named)) = self.shared([*earlier, *later], &mut found) {
                        is_told = true;
                        told.insert(ids);
                        found.opcodes.extend(ids);
                        let mnemonic = mnemonic(self.isa, named);
                        diagnostics.push(finding(context, ids, (&text, mnemonic)));
                    }
                }
            }
        }
        found.open.sort_unstable();
        found.open.dedup();
        found
    }

    fn rank(&self, named: Named) -> Rank {
        let opcode = self.isa.opcode(named.0);
        let dots = mnemonic(self.isa, named).bytes().filter(|byte| *byte == b'.').count();
        (std::cmp::Reverse(dots), opcode.width, opcode.literal.is_some())
    }

    /// A line that two opcodes fit alike, and the opcode and mnemonic that it is written of.
    fn shared(&mut self, pair: [Named; 2], clashes: &mut Clashes) -> Option<(String, Named)> {
        let [a, b] = pair;
        let is_same_name = self.isa.opcode(a.0).name == self.isa.opcode(b.0).name;
        if self.rank(a) != self.rank(b) || is_same_name {
            return None;
        }
        if (a.1, b.1) == (0, 0) {
            return self.printed(pair, clashes);
        }
        // A line with a mnemonic that is not printed means what reads it.
        let sides = [[a, b], [b, a]].into_iter().filter(|pair| pair[0].1 != 0);
        for pair in sides {
            let engine = self.engine;
            let mut text = String::new();
            let mut confirm = |words: [u128; 2]| {
                text = line(engine, pair[0], words[0]);
                match engine.assemble(&text) {
                    Ok(read) => read.opcode != pair[0].0,
                    Err(error) => error.is_ambiguous,
                }
            };
            match self.ask(pair, Mode::Read, &mut confirm) {
                Found::Words(_) => return Some((text, pair[0])),
                Found::Open => clashes.open.push([a.0.min(b.0), a.0.max(b.0)]),
                Found::None => {}
            }
        }
        None
    }

    /// A text that instructions of two opcodes are printed as.
    fn printed(&mut self, pair: [Named; 2], clashes: &mut Clashes) -> Option<(String, Named)> {
        let engine = self.engine;
        let ids = pair.map(|named| named.0);
        let text = |side: usize, words: [u128; 2]| {
            engine.text(Inst { opcode: ids[side], word: words[side] })
        };
        let mut confirm = |words| text(0, words) == text(1, words);
        match self.ask(pair, Mode::Printed, &mut confirm) {
            Found::Words(words) => Some((text(0, words), pair[0])),
            Found::Open => {
                clashes.open.push(ids);
                None
            }
            Found::None => None,
        }
    }

    /// An instruction of the first opcode whose text is taken for one of the second.
    fn misread(&mut self, pair: [Named; 2], clashes: &mut Clashes) -> Option<Inst> {
        let [a, b] = pair;
        // A literal with the bits of a constant is read as the constant: that is what is meant.
        let is_same_name = self.isa.opcode(a.0).name == self.isa.opcode(b.0).name;
        if a.1 != 0 || self.rank(b) >= self.rank(a) || is_same_name {
            return None;
        }
        let engine = self.engine;
        let inst = |word| Inst { opcode: a.0, word };
        let mut confirm = |words: [u128; 2]| {
            let own = inst(words[0]);
            engine.read(&engine.text(own)).is_none_or(|read| read.opcode != own.opcode)
        };
        match self.ask(pair, Mode::Read, &mut confirm) {
            Found::Words(words) => Some(inst(words[0])),
            Found::Open => {
                clashes.open.push([a.0.min(b.0), a.0.max(b.0)]);
                None
            }
            Found::None => None,
        }
    }
}

fn finding(
    context: &Context<'_, '_>,
    [first, second]: [OpcodeId; 2],
    (text, mnemonic): (&str, &str),
) -> Diagnostic {
    let (a, b) = (context.layer(first).name, context.layer(second).name);
    let is_printed = |id| context.isa.opcode(id).syntax.mnemonic == mnemonic;
    let (label, why) = match (is_printed(first), is_printed(second)) {
        (true, true) => (
            "prints the same text as the other",
            "the text cannot be assembled: more than one opcode fits",
        ),
        _ => (
            "may be written like the other",
            "both have the mnemonic or alias: only a line that one of them is printed as can be assembled",
        ),
    };
    let message = format!("`{text}` is an instruction of `{}` and of `{}`", a.text, b.text);
    Diagnostic::new(Code::W0911, message, b.span)
        .with_label(label)
        .with_related(a.span, "the other opcode")
        .with_note(why)
}
