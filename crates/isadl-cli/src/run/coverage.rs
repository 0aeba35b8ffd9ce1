//! What a run has executed: opcodes, values of fields, and branches of programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isadl::isa::OpcodeId;
use isadl::source::{SourceMap, Span};
use isadl_codegen::output::write_named;
use isadl_exec::{Process, Spec, Taken};
use serde::Serialize;

use crate::Outcome;

/// The most values of a field that are listed.
const VALUES: usize = 256;

#[derive(Serialize)]
struct Coverage<'c> {
    /// How often each opcode was executed.
    opcodes: BTreeMap<&'c str, u64>,
    /// The opcodes that have programs and were not executed.
    never: Vec<&'c str>,
    /// For each opcode and field, the values that were seen, at most 256.
    fields: BTreeMap<&'c str, BTreeMap<&'c str, BTreeSet<u64>>>,
    /// Branches of programs of executed opcodes that were never taken.
    branches: Vec<Branch<'c>>,
}

#[derive(Serialize)]
struct Branch<'c> {
    opcode: &'c str,
    /// Where the condition is: file, line and column.
    at: String,
    /// `if`, `else` or `for`.
    side: &'static str,
}

/// Writes what was executed as JSON.
pub(super) fn write(
    path: &Path,
    spec: &Spec,
    process: &mut Process,
    words: &BTreeMap<(usize, u128), u64>,
    sources: &SourceMap,
) -> Outcome {
    let isa = spec.isa();
    let mut all = Coverage {
        opcodes: BTreeMap::new(),
        never: Vec::new(),
        fields: BTreeMap::new(),
        branches: Vec::new(),
    };
    let taken = process.machine().taken().clone();
    let mut executed = BTreeSet::new();
    for ((number, word), count) in words {
        let id = OpcodeId::new(*number);
        let opcode = isa.opcode(id);
        executed.insert(id);
        *all.opcodes.entry(&opcode.name).or_default() += count;
        let fields = all.fields.entry(&opcode.name).or_default();
        for field in &opcode.fields {
            let values = fields.entry(isa.name_of(field.name)).or_default();
            if values.len() < VALUES {
                values.insert(field.extract(*word));
            }
        }
    }
    for id in isa.opcode_ids() {
        let name = isa.opcode(id).name.as_str();
        if !executed.contains(&id) {
            if spec.has_program(id) {
                all.never.push(name);
            }
            continue;
        }
        // A branch is in each program of its opcode; one of them is enough.
        let mut sides: BTreeMap<(Span, &str), bool> = BTreeMap::new();
        for branch in spec.branches(id) {
            let (instance, number) = branch.numbers;
            let one = Taken { opcode: id.index() as u32, instance, number };
            *sides.entry((branch.span, branch.side)).or_default() |= taken.contains(&one);
        }
        for ((span, side), _) in sides.into_iter().filter(|(_, is_taken)| !is_taken) {
            all.branches.push(Branch { opcode: name, at: place(sources, span), side });
        }
    }
    let mut text = serde_json::to_string_pretty(&all).unwrap_or_default();
    text.push('\n');
    write_named(path, text.as_bytes())?;
    Ok(())
}

/// The file, line and column where a span begins.
fn place(sources: &SourceMap, span: Span) -> String {
    let (line, column) = sources.position(span.file, span.start);
    format!("{}:{line}:{column}", sources.file(span.file).name())
}
