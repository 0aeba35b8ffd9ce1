//! Checks on text: compares templates and examples with the statements, and finds opcodes whose texts cannot be told
//! apart.
//!
//! All are warnings: text that is wrong misleads readers, but no word is encoded wrongly by it.

mod aliases;
mod alike;
mod controls;
mod examples;
mod links;
mod open;
mod optional;
mod places;
mod readback;
mod relaxations;
mod semantics;
mod shorts;
mod shown;
mod tables;
mod template_forms;
mod templates;
mod unseen;
mod values;

use super::Context;
use crate::ast::{Ident, Section};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Label};
use crate::engine::{Engine, Tables};
use crate::isa::{Field, Isa, TypeKind};
use crate::lower::Lowered;
use crate::model::Model;
use crate::parallel;
use crate::prove::{Effort, Proof, Prover};
use crate::source::Span;
use alike::{AliasForms, Texts};
pub(crate) use examples::{Examples, refused};
use templates::Templates;

/// Limit on the locations that a finding lists besides the first.
const LISTED_PLACES: usize = 8;

/// Runs all checks on text and adds the results to the proof. Returns the instructions of examples.
pub(crate) fn text(
    lowered: &Lowered<'_, '_>,
    tables: &Tables,
    effort: Effort,
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) -> Examples {
    let context = Context::new(lowered);
    let (isa, model) = (context.isa, context.model);
    for (layer, optype) in model.operations().zip(isa.optypes()) {
        let mut findings = Findings::default();
        let templates = Templates::read(&context, layer, optype, &mut findings);
        if !templates.opcodes.is_empty() {
            shown::check(&context, &templates, &mut findings);
            values::check(&context, &templates, &mut findings);
            places::check(&context, &templates, &mut findings);
            optional::check(&context, &templates, &mut findings);
            controls::check(&context, &templates, &mut findings);
            template_forms::check(&context, &templates, &mut findings);
        }
        findings.list.into_iter().for_each(|(_, diagnostic)| diagnostics.push(diagnostic));
    }
    let engine = Engine::new(isa, tables);
    let prover = Prover::new(isa, effort);
    let forms = AliasForms::new(isa);
    let mut texts = Texts::new(&engine, &prover, &forms);
    let find_unseen = || {
        let prover = Prover::new(isa, effort);
        let mut found = Diagnostics::default();
        unseen::check(&context, &engine, &prover, &mut found);
        (found, prover.questions(), prover.spent())
    };
    let others = || {
        let clashes = texts.clashes(&context, diagnostics);
        shorts::check(&context, &engine, diagnostics);
        relaxations::check(&context, &engine, diagnostics);
        let of_aliases = aliases::check(&context, &engine, (&prover, &mut texts), diagnostics);
        semantics::check(&context, diagnostics);
        let (misprinted, of_examples) =
            examples::check(&context, &engine, &clashes.opcodes, diagnostics);
        links::check(&context, diagnostics);
        tables::check(&context, diagnostics);
        (clashes, of_aliases, misprinted, of_examples)
    };
    let (unseen, (clashes, of_aliases, misprinted, of_examples)) =
        parallel::beside(isa.opcodes().len(), find_unseen, others);
    let (found, questions, operators) = unseen;
    diagnostics.extend(found);
    proof.questions += questions;
    proof.operators += operators;
    // Findings of `unseen` are not searched for again.
    let open = readback::check(&context, &engine, (&mut texts, &clashes, &misprinted), diagnostics);
    let aliases_open = of_aliases.len();
    open::check(&context, &prover, (&clashes.open, &open, of_aliases), diagnostics);
    proof.text_pairs = clashes.pairs;
    proof.texts_shared = clashes.opcodes.len() as u64 / 2;
    let is_unresolved = |found: &&Diagnostic| matches!(found.code, Code::W0912 | Code::W0916);
    proof.texts_lost = diagnostics.iter().filter(is_unresolved).count() as u64;
    proof.texts_open = (clashes.open.len() + open.len() + aliases_open) as u64;
    proof.questions += prover.questions();
    proof.operators += prover.spent();
    of_examples
}

/// The findings of one operation, one for each subject: a fault with several locations is reported once.
#[derive(Default)]
struct Findings {
    list: Vec<(String, Diagnostic)>,
}

impl Findings {
    fn add(&mut self, subject: impl Into<String>, diagnostic: Diagnostic) {
        let subject = subject.into();
        if !self.repeats(&subject, diagnostic.code, diagnostic.primary.span) {
            self.list.push((subject, diagnostic));
        }
    }

    /// Whether the subject already has such a finding. If so, the location is added to it.
    fn repeats(&mut self, subject: &str, code: Code, span: Span) -> bool {
        let same =
            |(other, first): &&mut (String, Diagnostic)| first.code == code && other == subject;
        let Some((_, first)) = self.list.iter_mut().find(same) else { return false };
        if first.related.len() < LISTED_PLACES {
            first.related.push(Label { span, text: "and here".to_string() });
        }
        true
    }
}

/// All prose.
pub(super) fn sections<'m, 'a>(model: &'m Model<'a>) -> impl Iterator<Item = &'m Section<'a>> {
    general(model).chain(model.layers.iter().map(|layer| layer.prose)).flatten()
}

/// The prose of the instruction set, its register files and types.
pub(super) fn general<'m, 'a>(model: &'m Model<'a>) -> impl Iterator<Item = &'m [Section<'a>]> {
    let of_isa = model.isa.iter().map(|isa| isa.prose);
    let of_files = model.reg_files.iter().map(|file| file.prose);
    of_isa.chain(of_files).chain(model.types.iter().map(|ty| ty.prose))
}

/// The lines of a section, without their ends.
fn lines<'s>(section: &Section<'s>) -> impl Iterator<Item = Ident<'s>> {
    section.runs.iter().flat_map(|run| {
        let mut start = run.span.start;
        run.text.split_inclusive('\n').map(move |whole| {
            let text = whole.trim_end();
            let span = Span { start, end: start + text.len() as u32, ..run.span };
            start += whole.len() as u32;
            Ident { text, span }
        })
    })
}

/// The part of a dotted field name after the dot.
fn attribute_name<'i>(isa: &'i Isa, field: &Field) -> Option<&'i str> {
    isa.name_of(field.name).split_once('.').map(|(_, attribute)| attribute)
}

/// The written values of a bit-field type.
fn spellings(isa: &Isa, field: &Field) -> Vec<String> {
    let TypeKind::BitField(values) = &isa.ty(field.ty).kind else { return Vec::new() };
    let written = values.iter().filter(|value| !value.spelling.is_empty());
    written.map(|value| format!(".{}", value.spelling)).collect()
}
