//! W0917: an alias that is never printed, or stands for no instruction. W0916: an alias whose text is refused, or
//! read as another instruction.
//!
//! Both are decided (`alike/aliases.rs`), for all words and sets of extensions. A sample of the words is all that is known where
//! the search does not decide it.

use super::Context;
use super::alike::Texts;
use super::readback::{alike, values_of};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::{Engine, TextOptions};
use crate::isa::{Alias, Field, Inst, Isa, Opcode, OpcodeId, Reading};
use crate::model::Layer;
use crate::prove::{Answer, Prover, set_of};

/// Limit on the bits whose values are all tried.
const MAX_OPEN: u32 = 10;

/// Returns findings for undecided aliases.
pub(super) fn check(
    context: &Context<'_, '_>,
    engine: &Engine<'_>,
    (prover, texts): (&Prover<'_>, &mut Texts<'_>),
    diagnostics: &mut Diagnostics,
) -> Vec<Diagnostic> {
    let mut open = Vec::new();
    for id in context.isa.opcode_ids() {
        let opcode = context.isa.opcode(id);
        for (at, alias) in opcode.aliases.iter().enumerate() {
            let of = Of { context, engine, prover, id, opcode, at, alias };
            let mut is_open = false;
            let found = of.finding(texts, &mut is_open);
            found.into_iter().for_each(|found| diagnostics.push(found));
            open.extend(is_open.then(|| of.undecided()));
        }
    }
    open
}

/// An alias of an opcode.
struct Of<'c, 'a> {
    context: &'c Context<'c, 'a>,
    engine: &'c Engine<'c>,
    prover: &'c Prover<'c>,
    id: OpcodeId,
    opcode: &'c Opcode,
    /// Its index among the aliases of the opcode.
    at: usize,
    alias: &'c Alias,
}

impl<'c, 'a> Of<'c, 'a> {
    fn finding(&self, texts: &mut Texts<'_>, is_open: &mut bool) -> Option<Diagnostic> {
        let found = match self.prover.answer(&texts.alias_words((self.id, self.at))?) {
            Answer::Word(found) => found,
            Answer::None => return Some(self.unreached()),
            Answer::Undecided => {
                *is_open = true;
                return None;
            }
        };
        let mut finding = None;
        let mut fails = |found| {
            let (engine, word) = self.engine_of(found);
            let inst = Inst { opcode: self.id, word: self.opcode.canonical(word) };
            finding = self.is_meant(&engine, inst).then(|| self.misread(&engine, inst)).flatten();
            finding.is_some()
        };
        let is_written = !self.alias.form.is_unwritable();
        if is_written && texts.is_faithful_alias((self.id, self.at), &mut fails) {
            return None;
        }
        // The word is one of these, with 0 in all irrelevant bits.
        let (engine, word) = self.engine_of(found);
        let first = Inst { opcode: self.id, word: self.opcode.canonical(word) };
        // A sample shows simpler texts than the search, and is all that is known where the search does not decide. With
        // thousands of texts under one mnemonic, assembling a text takes long.
        if finding.is_none() || !engine.is_crowded(&engine.text_as(first, self.at)) {
            let sample = self.sample(&engine, word);
            finding = sample.into_iter().find_map(|i| self.misread(&engine, i)).or(finding);
        }
        *is_open = finding.is_none();
        finding
    }

    /// The engine for the extensions in the prover's result, and the word of the result.
    fn engine_of(&self, found: u128) -> (Engine<'c>, u128) {
        let set = set_of(found, self.context.isa.extensions().all());
        (self.engine.clone().with_extensions(set), found & self.opcode.width_mask)
    }

    fn undecided(&self) -> Diagnostic {
        let (name, of) = (&self.alias.form.name, &self.opcode.name);
        let message =
            format!("not proven: every text of alias `{name}` of `{of}` can be read back");
        Diagnostic::new(Code::W0708, message, self.layer().name.span)
    }

    /// Instructions that the alias means, with values that exercise the syntax of its operands. Includes all
    /// instructions if they are few.
    fn sample(&self, engine: &Engine<'_>, word: u128) -> Vec<Inst> {
        let form = &self.alias.form;
        let written = form.encoded().filter(|field| field.mask() & !form.mask != 0);
        let open = written.clone().fold(0, |bits, field| bits | field.mask()) & !form.mask;
        let mut words = vec![word];
        if open.count_ones() <= MAX_OPEN {
            let mut bits = open;
            while bits != 0 {
                words.push(word & !open | bits);
                bits = (bits - 1) & open;
            }
            words.push(word & !open);
        } else {
            for field in written {
                let values = values_of(self.context.isa, self.context.isa.ty(field.ty));
                words.extend(values.into_iter().map(|raw| field.insert(word, raw)));
            }
        }
        let insts = words.into_iter().map(|word| {
            let copied = self.alias.equal.iter().fold(word, |word, (to, is)| {
                let Some(to) = form.field(*to) else { return word };
                let value = |name, reading: Reading| {
                    let field = form.field(name);
                    field.map_or(0, |field| reading.integer(field.extract(word), field.width()))
                };
                to.insert(word, self.context.isa.expr(*is).eval(&value) as u64)
            });
            Inst { opcode: self.id, word: self.opcode.canonical(copied) }
        });
        insts.filter(|inst| self.is_meant(engine, *inst)).collect()
    }

    /// Whether the alias means an instruction and, if the alias is printed, is printed for it.
    fn is_meant(&self, engine: &Engine<'_>, inst: Inst) -> bool {
        let isa = self.context.isa;
        let is_made = engine.decode(inst.word) == Ok(inst) && engine.advice(inst).is_none();
        let value = |name, reading| isa.value(inst, name, reading).unwrap_or(0);
        let holds = self.alias.condition.is_none_or(|id| isa.expr(id).eval(&value) != 0);
        let is_first = !self.alias.is_printed || engine.alias(inst) == Some(self.at);
        is_made && holds && is_first
    }

    /// The finding of an instruction whose text is not read back.
    fn misread(&self, engine: &Engine<'_>, inst: Inst) -> Option<Diagnostic> {
        let isa = self.context.isa;
        let text = engine.text_as(inst, self.at);
        let (message, note) = match engine.assemble_with(&text, TextOptions::PLAIN) {
            Ok(read) if are_same(isa, inst, read) => return None,
            Ok(read) => {
                let (digits, other) = (isa.bytes() * 2, &isa.opcode(read.opcode).name);
                let note = format!(
                    "it stands for 0x{:0digits$x}, but is read as 0x{:0digits$x} of `{other}`",
                    isa.number_of(inst),
                    isa.number_of(read)
                );
                (format!("`{text}` is read as another instruction"), note)
            }
            Err(error) => {
                let note = format!("column {}: {}", error.column, error.message);
                (format!("the assembler refuses `{text}`"), note)
            }
        };
        let name = &self.alias.form.name;
        let what = format!("it is the text of alias `{name}` of `{}`", self.opcode.name);
        let help = "give the alias another mnemonic, or write its operands in another way";
        let found = Diagnostic::new(Code::W0916, message, self.layer().name.span);
        Some(found.with_note(what).with_note(note).with_help(help))
    }

    fn unreached(&self) -> Diagnostic {
        let (name, of) = (&self.alias.form.name, &self.opcode.name);
        let layer = self.layer();
        let (message, note, help) = match self.alias.is_printed {
            true => (
                format!("alias `{name}` of `{of}` is never printed"),
                "it matches no instruction, or an earlier alias is printed for every instruction that it matches",
                "put it before the others, widen its conditions, or write `Print<never>;`",
            ),
            false => (
                format!("alias `{name}` does not match any instruction of `{of}`"),
                "no instruction has the bits that the alias fixes and satisfies its conditions",
                "correct what it fixes, or remove it",
            ),
        };
        Diagnostic::new(Code::W0917, message, layer.name.span).with_note(note).with_help(help)
    }

    fn layer(&self) -> &'c Layer<'a> {
        let of = self.context.opcodes[self.id.index()].layer;
        let name = &self.alias.form.name;
        let is_it = |layer: &&Layer<'a>| layer.alias_of == Some(of) && layer.name.text == name;
        let layers = &self.context.model.layers;
        layers.iter().find(is_it).unwrap_or_else(|| self.context.layer(self.id))
    }
}

/// Whether two instructions are the same, or differ only in numbers that mean the same register.
fn are_same(isa: &Isa, a: Inst, b: Inst) -> bool {
    let mut fields = isa.opcode(a.opcode).fields.iter();
    let is_alike = |of: &Field| alike(isa, of.ty, of.extract(a.word), of.extract(b.word));
    a == b || a.opcode == b.opcode && fields.all(is_alike)
}
