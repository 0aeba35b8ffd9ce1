//! Merges the findings of all generations into findings of the specification.

use std::collections::HashSet;

use super::{Position, Selection, definitions, guards, place};
use crate::ast::{File, Guard};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::extensions::Names;
use crate::source::Span;

/// Merges the findings of all generations into one list. An error in any generation is kept; a warning is kept only if
/// every generation containing the item reports it.
pub(crate) fn join(
    files: &[File<'_>],
    mut found: Vec<(&Selection<'_, '_>, Diagnostics)>,
) -> Diagnostics {
    if found.len() == 1 {
        return found.pop().map(|(_, diagnostics)| diagnostics).unwrap_or_default();
    }
    let mut joined = Diagnostics::default();
    let names = Names::of(files).generations;
    let mut starts: Vec<Position> = definitions(files).map(place).collect();
    starts.sort_unstable();
    let key = |d: &Diagnostic| (d.code, d.primary.span, d.message.clone());
    let sets: Vec<HashSet<_>> =
        found.iter().map(|(_, diagnostics)| diagnostics.iter().map(key).collect()).collect();
    let mut told = HashSet::new();
    // Items that are used only by an opcode without generations seem unused.
    let lacks_opcodes = sets.iter().flatten().any(|(code, ..)| *code == Code::E1003);
    let is_echo = |code: Code| {
        lacks_opcodes && matches!(code, Code::W0211 | Code::W0212 | Code::W0213 | Code::W0214)
    };
    let all = found.iter().flat_map(|(_, diagnostics)| diagnostics.iter());
    for diagnostic in all.filter(|diagnostic| !is_echo(diagnostic.code)) {
        let key = key(diagnostic);
        let gives: Vec<bool> = sets.iter().map(|set| set.contains(&key)).collect();
        let has = |selection: &Selection<'_, '_>| selection.has(diagnostic.primary.span, &starts);
        let silent = found.iter().zip(&gives).any(|((s, _), gives)| !gives && has(s));
        if !told.insert(key) || silent && diagnostic.severity != Severity::Error {
            continue;
        }
        let in_some: Vec<&str> =
            names.iter().zip(&gives).filter(|(_, g)| **g).map(|(n, _)| n.text).collect();
        joined.push(match silent {
            true => diagnostic.clone().with_note(format!("in {}", in_some.join(", "))),
            false => diagnostic.clone(),
        });
    }
    joined
}

/// Drops findings about two items if the guard of one names an unknown generation: until the guard is corrected, it is
/// unknown whether the items share a generation.
pub(crate) fn drop_open(files: &[File<'_>], diagnostics: &mut Diagnostics) {
    if diagnostics.iter().all(|found| found.related.is_empty()) {
        return;
    }
    let names = Names::of(files);
    let is_unknown = |guard: &Guard<'_>| {
        let ranges = guard.condition.ranges().into_iter();
        let ranges = ranges.filter(|range| names.extension_of(range).is_none());
        let mut ends = ranges.flat_map(|range| [range.first, range.last]).flatten();
        ends.any(|end| names.generation(end.text).is_none())
    };
    let open = definitions(files).flat_map(guards).filter(|one| is_unknown(one.guard));
    let mut open: Vec<Span> = open.map(|one| one.item).collect();
    if open.is_empty() {
        return;
    }
    open.sort_unstable_by_key(|item| (item.file, item.start));
    let item = |span: Span| {
        let before =
            open.partition_point(|item| (item.file, item.start) <= (span.file, span.start));
        let item = before.checked_sub(1).map(|at| open[at]);
        item.filter(|item| item.file == span.file && span.end <= item.end)
    };
    diagnostics.retain(|found| {
        let own = item(found.primary.span);
        found.related.iter().all(|related| item(related.span) == own)
    });
}

impl Selection<'_, '_> {
    /// Whether the generation contains the item that a finding is about.
    fn has(&self, span: Span, starts: &[Position]) -> bool {
        // Definitions, and the statements in them, follow one another.
        let place = (span.file, span.start);
        let before = starts.partition_point(|start| *start <= place).checked_sub(1);
        let definition = before.map(|at| &starts[at]).filter(|(file, _)| *file == span.file);
        let is_absent = definition.is_some_and(|definition| self.empty.contains(definition));
        let before = self.without.partition_point(|s| (s.file, s.start) <= place).checked_sub(1);
        let statement = before.map(|at| &self.without[at]);
        let is_within = statement.is_some_and(|s| s.file == span.file && span.end <= s.end);
        !is_absent && !is_within
    }
}
