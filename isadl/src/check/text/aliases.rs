//! W0917: an alias that is never printed, or stands for no instruction. W0916: an alias whose text is refused, or
//! read as another instruction.
//!
//! Whether there is a word is decided. Texts are tried with a sample of the values of what is written.

use super::Context;
use super::readback::values_of;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::Engine;
use crate::isa::{Alias, Inst, Opcode, OpcodeId, Reading, low_bits};
use crate::model::Layer;
use crate::prove::{Answer, Partial, Prover, Question, set_of};

/// Bits of which all values are tried.
const MAX_OPEN: u32 = 10;

pub(super) fn check(
    context: &Context<'_, '_>,
    engine: &Engine<'_>,
    prover: &Prover<'_>,
    diagnostics: &mut Diagnostics,
) {
    for id in context.isa.opcode_ids() {
        let opcode = context.isa.opcode(id);
        for (at, alias) in opcode.aliases.iter().enumerate() {
            let of = Of { context, engine, prover, id, opcode, at, alias };
            of.finding().into_iter().for_each(|found| diagnostics.push(found));
        }
    }
}

/// An alias of an opcode.
struct Of<'c, 'a> {
    context: &'c Context<'c, 'a>,
    engine: &'c Engine<'c>,
    prover: &'c Prover<'c>,
    id: OpcodeId,
    opcode: &'c Opcode,
    /// Its number among those of the opcode.
    at: usize,
    alias: &'c Alias,
}

impl<'c, 'a> Of<'c, 'a> {
    fn finding(&self) -> Option<Diagnostic> {
        let extensions = self.context.isa.extensions();
        let (set, word) = match self.prover.answer(&self.word()?) {
            Answer::Word(word) => {
                (set_of(word, extensions.all()), word & low_bits(self.opcode.width))
            }
            Answer::None => return Some(self.unreached()),
            Answer::Undecided => return None,
        };
        // The word is one of those, with 0 in all bits that do not matter.
        let engine = self.engine.clone().with_extensions(set);
        self.sample(&engine, word).into_iter().find_map(|inst| self.misread(&engine, inst))
    }

    /// Asks for a word as which the alias is printed; or, if it is only read, one that it means.
    fn word(&self) -> Option<Question<'c>> {
        let mut question = self.meant(self.prover.made(self.opcode, None), self.alias)?;
        let before = self.opcode.aliases[..self.at].iter().filter(|alias| alias.is_printed);
        for alias in before.filter(|_| self.alias.is_printed) {
            // What contradicts fixed bits is no hindrance.
            if let Some(other) = self.meant(self.prover.free(self.opcode), alias) {
                question = question.unlike(other);
            }
        }
        Some(question)
    }

    /// A question about words that an alias means.
    fn meant(&self, question: Question<'c>, alias: &'c Alias) -> Option<Question<'c>> {
        let bits = Partial { known: alias.form.mask, value: alias.form.value };
        let question = question.with(bits)?.with_set(&alias.form.requires);
        Some(match alias.condition {
            Some(condition) => {
                let condition = self.context.isa.expr(condition);
                question.where_condition(self.opcode, condition, true)
            }
            None => question,
        })
    }

    /// Instructions that the alias means, with values that show how what it writes is written: all, if they are few.
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

    /// Whether the alias means an instruction, and is what is printed for it, if it is printed.
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
        let (message, note) = match engine.assemble_exact(&text) {
            Ok(read) if read == inst => return None,
            Ok(read) => {
                let (digits, other) = (isa.bytes() * 2, &isa.opcode(read.opcode).name);
                let note = format!(
                    "it means 0x{:0digits$x}, and is read as 0x{:0digits$x} of `{other}`",
                    inst.word, read.word
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
                "no instruction is meant by it, or one that is defined before it is printed for each of them",
                "put it before the others, widen its conditions, or write `Print<never>;`",
            ),
            false => (
                format!("alias `{name}` does not mean any instruction of `{of}`"),
                "no instruction has the bits that it fixes and meets its conditions",
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
