//! Hovering in programs: types and bounds of expressions, and functions of the language.

use std::collections::HashSet;

use isadl::semantics::lookup::builtin;
use isadl::semantics::program::Type;

use crate::compiled::{Compiled, FoundType};
use crate::index::Index;
use crate::lookup::Lookup;

/// The most types of one expression that are listed.
const MOST_TYPES: usize = 4;

/// The most opcodes or generations that are named for a type.
const MOST_NAMES: usize = 3;

/// Types and bounds of an expression.
pub(crate) struct Types {
    /// In words.
    pub(crate) text: String,
    /// Where it is in the text.
    pub(crate) place: std::ops::Range<usize>,
}

/// The type and bounds of the innermost expression at a place of a program.
pub(crate) fn types(
    index: &Index,
    compiled: Option<&Compiled>,
    (file, at): (usize, usize),
) -> Option<Types> {
    let compiled = compiled?;
    let owner = (file, index.files[file].symbols.programs[index.program_at(file, at)?].owner);
    let opcodes = index.heirs(owner).into_iter().map(|id| index.def(id).name.as_str());
    let opcodes: HashSet<&str> = opcodes.collect();
    let of = &index.files[file];
    let found = compiled.typed(&of.path, &of.text, at, &opcodes);
    // The innermost expression: calls contain their arguments.
    let nearest = found.iter().map(|found| &found.place).min_by_key(|place| place.len())?.clone();
    let found: Vec<FoundType<'_>> =
        found.into_iter().filter(|found| found.place == nearest).collect();
    Some(Types { text: summary(&found), place: nearest })
}

/// A description of a function or address of the language; `None` if the use is of something else.
pub(crate) fn word(index: &Index, file: usize, at: usize) -> Option<String> {
    let uses = index.files[file].symbols.uses.iter();
    let mut uses = uses.filter(|of| of.span.start <= at && at <= of.span.end);
    let is_known = |lookup: &Lookup| matches!(lookup, Lookup::Function | Lookup::Value(_));
    let of = uses.find(|of| is_known(&of.lookup) && index.is_used(file, of))?;
    let builtin = builtin(&of.name)?;
    Some(format!("```isadl\n{}\n```\n\n{}", builtin.signature, builtin.about))
}

/// The types of all instances of a program; those that differ with what they are for.
fn summary(found: &[FoundType<'_>]) -> String {
    let mut kinds: Vec<(String, Vec<&FoundType<'_>>)> = Vec::new();
    for one in found {
        let text = described(one);
        match kinds.iter_mut().find(|(known, _)| *known == text) {
            Some((_, all)) => all.push(one),
            None => kinds.push((text, vec![one])),
        }
    }
    if let [(text, _)] = kinds.as_slice() {
        return text.clone();
    }
    let label = label(&kinds);
    let more = if kinds.len() > MOST_TYPES { "; …" } else { "" };
    let shown = kinds.iter().take(MOST_TYPES);
    let shown: Vec<String> =
        shown.map(|(text, all)| format!("{text} ({})", names(all, label))).collect();
    shown.join("; ") + more
}

fn described(found: &FoundType<'_>) -> String {
    let range = found.typed.range;
    match found.typed.ty {
        Type::Bits(1) => format!("1 bit: {range}"),
        Type::Bits(width) => format!("{width} bits: {range}"),
        Type::Integer => format!("integer: {range}"),
        Type::Float(format) => {
            format!("floating-point number, `{}`", isadl::semantics::float::written(format))
        }
        Type::Mode(setting) => format!("value of `{}`", setting.name()),
        Type::Enumeration(ty) => {
            let ty = found.isa.ty(ty);
            let value = range.value().and_then(|raw| ty.enumerator(u64::try_from(raw).ok()?));
            match value {
                Some(value) => format!("value of `{}`: `{}`", ty.name, value.name),
                None => format!("value of `{}`", ty.name),
            }
        }
    }
}

/// The name of an instance, to tell types apart.
type Label = fn(&FoundType<'_>) -> String;

/// The property that tells apart what the types are for: the generation, the fields that decide widths, or the opcode.
fn label(kinds: &[(String, Vec<&FoundType<'_>>)]) -> Label {
    let labels: [Label; 3] = [
        |found| found.generation.clone(),
        |found| found.choice.clone(),
        |found| format!("`{}`", found.opcode),
    ];
    let separates = |label: &Label| {
        let mut seen = HashSet::new();
        kinds.iter().all(|(_, all)| {
            let own: HashSet<String> = all.iter().map(|found| label(found)).collect();
            own.into_iter().all(|one| !one.is_empty() && seen.insert(one))
        })
    };
    let all: Label = |found| format!("`{}` {} {}", found.opcode, found.generation, found.choice);
    labels.into_iter().find(separates).unwrap_or(all)
}

fn names(all: &[&FoundType<'_>], label: Label) -> String {
    let mut names: Vec<String> = Vec::new();
    for found in all {
        let name = label(found).trim().to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let others = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let more = if others > 0 { format!(" and {others} others") } else { String::new() };
    names.join(", ") + &more
}
