//! Example lines: W0901 (does not assemble), W0902 (prints as another instruction), W0913 (belongs to another
//! operation).

use std::collections::{HashMap, HashSet};

use super::Context;
use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::{AsmError, Engine, TextOptions};
use crate::isa::{ExtensionSet, Inst, Isa, OpcodeId, OptypeId};
use crate::model::{LayerId, LayerKind};
use crate::prose;
use crate::source::Span;

/// What examples are: the instructions by the lines without their claims.
pub(crate) type Examples = HashMap<Span, (Inst, ExtensionSet)>;

/// `clashing` lists opcodes with reported shared texts. Returns the opcodes whose examples print as other instructions, and all examples.
pub(super) fn check(
    context: &Context<'_, '_>,
    engine: &Engine<'_>,
    clashing: &[OpcodeId],
    diagnostics: &mut Diagnostics,
) -> (Vec<OpcodeId>, Examples) {
    let isa = context.isa;
    let assembler = Assembler { engine, homes: homes(context) };
    let clashing: HashSet<&str> = clashing.iter().map(|id| isa.opcode(*id).name.as_str()).collect();
    // Refused for a reason that was reported at its opcodes.
    let is_known = |error: &AsmError| {
        error.is_ambiguous && error.closest.iter().any(|n| clashing.contains(n.as_str()))
    };
    let padding = context.model.isa.as_ref().and_then(|isa| isa.padding);
    diagnostics.extend(padding.and_then(|padding| padding_fault(engine, padding)));
    let (mut misprinted, mut of_examples) = (Vec::new(), Examples::new());
    for id in context.model.layer_ids() {
        let layer = context.model.layer(id);
        // The examples of an alias belong to its definition.
        if layer.alias_of.is_some() {
            continue;
        }
        let examples = layer.prose.iter().flat_map(prose::examples);
        let examples = examples.map(|line| prose::claimed(line).0);
        for line in examples.filter(|line| !isa.comment_syntax().code(line.text).is_empty()) {
            let found = match assembler.assemble(id, line.text) {
                Ok((inst, set)) => {
                    of_examples.insert(line.span, (inst, set));
                    let found = assembled(context, &assembler, (id, line), inst);
                    let is_misprinted = found.as_ref().is_some_and(|f| f.code == Code::W0902);
                    misprinted.extend(is_misprinted.then_some(inst.opcode));
                    found
                }
                Err(error) if is_known(&error) => None,
                Err(error) => Some(refused("the example", isa, line, &error)),
            };
            found.into_iter().for_each(|found| diagnostics.push(found));
        }
    }
    (misprinted, of_examples)
}

/// Reports an error in the instruction that fills gaps.
fn padding_fault(engine: &Engine<'_>, padding: Ident<'_>) -> Option<Diagnostic> {
    let error = engine.assemble_with(padding.text, TextOptions::PLAIN).err()?;
    let message = format!("the padding `{}` does not assemble", padding.text);
    let diagnostic = Diagnostic::new(Code::W0901, message, padding.span);
    let diagnostic = diagnostic.with_label(error.to_string());
    Some(diagnostic.with_help("write an instruction that does nothing"))
}

struct Assembler<'c> {
    engine: &'c Engine<'c>,
    /// For each layer, the operations that belong to it, or that it belongs to.
    homes: Vec<Vec<OptypeId>>,
}

impl Assembler<'_> {
    /// The instruction of an example, and the extensions that it was found with.
    fn assemble(&self, layer: LayerId, line: &str) -> Result<(Inst, ExtensionSet), AsmError> {
        let isa = self.engine.isa();
        let homes = self.homes[layer.0 as usize].iter();
        let homes = homes.flat_map(|id| isa.optypes()[id.index()].opcodes.iter().copied());
        let found = self.engine.assemble_at(homes.clone(), line);
        // An example may be of extensions that the default set lacks.
        let mut sets: Vec<_> = homes.clone().map(|id| isa.set_with(isa.opcode(id))).collect();
        sets.sort_unstable();
        sets.dedup();
        let own = self.engine.extensions();
        let mut others = sets.into_iter().filter(|set| *set != own).filter_map(|set| {
            let engine = self.engine.clone().with_extensions(set);
            Some((engine.assemble_at(homes.clone(), line).ok()?, set))
        });
        match found {
            Ok(inst) => Ok((inst, own)),
            Err(error) => others.next().ok_or(error),
        }
    }
}

fn homes(context: &Context<'_, '_>) -> Vec<Vec<OptypeId>> {
    let model = context.model;
    let mut homes = vec![Vec::new(); model.layers.len()];
    for (index, layer) in model.operations().enumerate() {
        for ancestor in &layer.chain {
            homes[ancestor.0 as usize].push(OptypeId::new(index));
        }
    }
    for (opcode, lowered) in context.opcodes.iter().zip(context.isa.opcodes()) {
        homes[opcode.layer.0 as usize].clone_from(&lowered.optypes);
    }
    homes
}

/// Reports a line that does not assemble.
pub(crate) fn refused(what: &str, isa: &Isa, line: Ident<'_>, error: &AsmError) -> Diagnostic {
    let message = format!("{what} does not assemble: {}", error.message);
    let found = Diagnostic::new(Code::W0901, message, place(isa, line, error));
    match error.closest_names() {
        Some(names) => found.with_note(format!("closest: {names}")),
        None => found,
    }
}

/// The word or character at the error; the last one if the line is incomplete.
fn place(isa: &Isa, line: Ident<'_>, error: &AsmError) -> Span {
    let (text, code) = (line.text, isa.comment_syntax().code(line.text));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let at = text.char_indices().nth(error.column.saturating_sub(1)).map(|(at, _)| at);
    let at = at.filter(|at| *at < code.len()).or(code.char_indices().last().map(|(at, _)| at));
    let start = at.unwrap_or(0);
    let rest = &text[start..];
    // A dot or `$` belongs to the word after it.
    let prefix = usize::from(rest.starts_with(['.', '$']));
    let length = match rest[prefix..].find(|c| !is_word(c)).unwrap_or(rest.len() - prefix) {
        0 => rest.chars().next().map_or(0, char::len_utf8),
        word => prefix + word,
    };
    let from = line.span.start + start as u32;
    Span { start: from, end: from + length as u32, ..line.span }
}

fn assembled(
    context: &Context<'_, '_>,
    assembler: &Assembler<'_>,
    (id, line): (LayerId, Ident<'_>),
    inst: Inst,
) -> Option<Diagnostic> {
    let (isa, layer) = (context.isa, context.model.layer(id));
    let span = Span {
        end: line.span.start + isa.comment_syntax().code(line.text).len() as u32,
        ..line.span
    };
    let opcode = isa.opcode(inst.opcode);
    let own = context.layer(inst.opcode);
    let is_alias = opcode.aliases.iter().any(|alias| alias.form.name == layer.name.text);
    if !own.chain.contains(&id) && !is_alias {
        let kind = layer.kind.as_str();
        let message = format!(
            "the example is an instruction of `{}`, not of `{}`",
            opcode.name, layer.name.text
        );
        let help = match layer.kind {
            LayerKind::Opcode => "move it to that opcode, or to the optype",
            LayerKind::Group | LayerKind::Optype | LayerKind::Alias => {
                "move it to where that opcode is described"
            }
        };
        let found = Diagnostic::new(Code::W0913, message, span)
            .with_related(layer.name.span, format!("the {kind} that contains it"))
            .with_help(help);
        return Some(found);
    }
    let text = assembler.engine.own_text(inst);
    let why = match assembler.assemble(id, &text) {
        Ok((again, _)) if again == inst => return None,
        Ok((again, _)) => format!("`{text}` assembles to `{}`", assembler.engine.own_text(again)),
        Err(error) if error.is_ambiguous => return None,
        Err(error) => format!("`{text}` does not assemble: {error}"),
    };
    let digits = isa.bytes() * 2;
    let message = format!("the example prints as `{text}`, which is not the same instruction");
    let found = Diagnostic::new(Code::W0902, message, span)
        .with_note(format!("it assembles to 0x{:0digits$x}", isa.number_of(inst)))
        .with_note(why);
    Some(found)
}
