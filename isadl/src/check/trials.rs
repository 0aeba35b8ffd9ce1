//! W0901: an instruction of a law that does not assemble. Finds the instructions of examples with claims, and of laws.

use std::collections::HashMap;

use super::text::{Examples, refused};
use crate::ast::Ident;
use crate::diagnostic::Diagnostics;
use crate::engine::{AsmError, Engine, TextOptions};
use crate::isa::{ExtensionSet, Inst};
use crate::lower::Lowered;
use crate::prose;
use crate::semantics::trials::Trial;
use crate::source::Span;

/// Gives trials their instructions.
pub(crate) fn trials(
    (lowered, engine): (&Lowered<'_, '_>, &Engine<'_>),
    examples: &Examples,
    trials: &mut [Trial],
    diagnostics: &mut Diagnostics,
) {
    if trials.is_empty() {
        return;
    }
    let mut laws = HashMap::new();
    for law in super::text::sections(lowered.model).flat_map(prose::laws) {
        let lines = law.instructions.iter();
        laws.extend(lines.map(|line| (line.span, *line)));
    }
    let sets = sets(engine);
    for trial in trials {
        let found = match trial.is_law {
            true => law(engine, &sets, &trial.lines, &laws, diagnostics),
            false => trial
                .lines
                .first()
                .and_then(|line| examples.get(line))
                .map(|(inst, set)| (vec![*inst], *set)),
        };
        (trial.instructions, trial.extensions) = found.unwrap_or_default();
    }
}

/// The default set of extensions, and those that have what it lacks.
fn sets(engine: &Engine<'_>) -> Vec<ExtensionSet> {
    let isa = engine.isa();
    let mut sets = vec![engine.extensions()];
    for set in isa.opcodes().iter().map(|opcode| isa.set_with(opcode)) {
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

/// The instructions of a law, and the first set of extensions that has them all.
fn law(
    engine: &Engine<'_>,
    sets: &[ExtensionSet],
    lines: &[Span],
    laws: &HashMap<Span, Ident<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<(Vec<Inst>, ExtensionSet)> {
    let lines: Vec<Ident<'_>> = lines.iter().filter_map(|span| laws.get(span).copied()).collect();
    let with = |set: ExtensionSet| -> Result<Vec<Inst>, (Ident<'_>, AsmError)> {
        let engine = engine.clone().with_extensions(set);
        lines
            .iter()
            .map(|line| {
                engine.assemble_with(line.text, TextOptions::PLAIN).map_err(|error| (*line, error))
            })
            .collect()
    };
    let (first, others) = sets.split_first()?;
    let (line, error) = match with(*first) {
        Ok(found) => return Some((found, *first)),
        Err(error) => error,
    };
    let found = others.iter().find_map(|set| Some((with(*set).ok()?, *set)));
    if found.is_none() {
        diagnostics.push(refused("the instruction of the law", engine.isa(), line, &error));
    }
    found
}
