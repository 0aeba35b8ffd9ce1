//! What a run has executed: opcodes, values of fields, and branches of programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isadl::isa::{Isa, Opcode, OpcodeId, Reading, RuleId, RuleScope};
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
    /// Rules of executed opcodes that refuse words in assembly files, and that no executed word breaks.
    rules: Vec<Rule<'c>>,
}

#[derive(Serialize)]
struct Branch<'c> {
    opcode: &'c str,
    /// Where the condition is: file, line and column.
    at: String,
    /// `if`, `else` or `for`.
    side: &'static str,
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct Rule<'c> {
    opcode: &'c str,
    kind: &'c str,
    message: &'c str,
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
        rules: Vec::new(),
    };
    let mut broken = BTreeSet::new();
    let taken = process.machine().taken().clone();
    let mut executed = BTreeSet::new();
    for ((number, word), count) in words {
        let id = OpcodeId::new(*number);
        let opcode = isa.opcode(id);
        executed.insert(id);
        *all.opcodes.entry(&opcode.name).or_default() += count;
        broken.extend(rules(isa, opcode).filter(|rule| breaks(isa, opcode, *rule, *word)));
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
        for rule in rules(isa, isa.opcode(id)).filter(|rule| !broken.contains(rule)) {
            let rule = isa.rule(rule);
            all.rules.push(Rule { opcode: name, kind: &rule.kind, message: &rule.message });
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

/// The rules of an opcode that executed words can break.
fn rules(isa: &Isa, opcode: &Opcode) -> impl Iterator<Item = RuleId> {
    opcode.rules.iter().copied().filter(|rule| isa.rule(*rule).scope == RuleScope::Assembler)
}

/// Whether a word of an opcode breaks a rule.
fn breaks(isa: &Isa, opcode: &Opcode, rule: RuleId, word: u128) -> bool {
    let value = |name, reading: Reading| {
        let field = opcode.field(name);
        field.map_or(0, |field| reading.integer(field.extract(word), field.width()))
    };
    isa.expr(isa.rule(rule).condition).eval(&value) != 0
}

/// The file, line and column where a span begins.
fn place(sources: &SourceMap, span: Span) -> String {
    let (line, column) = sources.position(span.file, span.start);
    format!("{}:{line}:{column}", sources.file(span.file).name())
}
