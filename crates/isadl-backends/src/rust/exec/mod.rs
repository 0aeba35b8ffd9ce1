//! `exec` of a generated crate: the programs of a specification as Rust code.
//!
//! Every program becomes a type with two functions: one computes what the instruction word and its address decide, the other does the
//! rest with that. An instruction is executed by both at once; a runner keeps the results of the first.

mod classes;
mod floats;
mod guest;
mod lane_registers;
mod lanes;
mod places;
mod probe;
mod program;
mod registers;
mod shared;
mod steps;
mod unit;
mod usual;
mod values;
mod varying;
mod warp;
mod writer;

use isadl_float::SOURCES;
use isadl_ir::isa::Isa;
use isadl_semantics::Checked;

use super::module::Source;
use super::names::Scope;
use super::plan::Plan;
use super::{HEADER, embedded};

/// The behaviour of instructions.
#[derive(Clone, Copy)]
pub struct Behaviour<'b> {
    /// All generations of the specification, with all opcodes.
    pub isas: &'b [Isa],
    /// The programs of each generation, as checking gives them.
    pub programs: &'b [Checked],
}

/// No instruction of an instruction set has a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoPrograms;

impl std::fmt::Display for NoPrograms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no instruction has a program")
    }
}

impl std::error::Error for NoPrograms {}

impl Behaviour<'_> {
    /// Looks for programs to execute.
    ///
    /// # Errors
    ///
    /// If there are none.
    pub fn check(&self) -> Result<(), NoPrograms> {
        let mut all = self.programs.iter().flat_map(|checked| checked.opcodes.iter().flatten());
        match all.next() {
            Some(_) => Ok(()),
            None => Err(NoPrograms),
        }
    }
}

/// An opcode that generated code does not execute: it ends with `Trap::Unsupported`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its name.
    pub opcode: String,
    /// Why.
    pub why: &'static str,
}

/// The module: files that are the same for all, and one for the instructions of each generation. The opcodes that it does not execute, once
/// for each generation, are added to a list.
pub(super) fn emit(
    plan: &Plan<'_>,
    behaviour: Behaviour<'_>,
    refused: &mut Vec<Refused>,
) -> Source {
    let embedded = [
        ("number", include_str!("../embedded/exec/number.rs")),
        ("wide", include_str!("../embedded/exec/wide.rs")),
        ("step", include_str!("../embedded/exec/step.rs")),
        ("runner", include_str!("../embedded/exec/runner.rs")),
    ];
    let mut modules = embedded.map(|(name, text)| (name.to_string(), text.to_string())).to_vec();
    // A part of the generations counts them otherwise.
    let described = plan.isa.generation_names(plan.isa.describes());
    let described: Vec<&str> = described.collect();
    let is_there = |isa: &Isa| {
        described.is_empty()
            || isa.generation_names(isa.describes()).any(|name| described.contains(&name))
    };
    let guests = behaviour.isas.iter().zip(behaviour.programs);
    let guests: Vec<_> = guests.filter(|(isa, _)| is_there(isa)).collect();
    let (mut has_floats, mut has_lanes) = (false, false);
    let mut names = Scope::reserving(&["number", "wide", "step", "runner", "lanes", "float"]);
    let is_only = guests.len() == 1;
    for (isa, checked) in guests {
        let guest = guest::emit(plan, isa, checked, is_only);
        has_floats |= guest.has_floats;
        has_lanes |= guest.has_lanes;
        refused.extend(guest.refused);
        let name = match is_only {
            true => "machine".to_string(),
            false => names.add(&guest::generation(isa).to_lowercase()).to_string(),
        };
        modules.push((name, guest.text));
    }
    if has_lanes {
        let text = include_str!("../embedded/exec/lanes.rs");
        modules.push(("lanes".to_string(), text.to_string()));
    }
    if has_floats {
        modules.push(("float".to_string(), float()));
    }
    let head = format!(
        "//! What instructions do.\n\
         #![allow(dead_code, unused_imports, unused_variables, unused_mut, unused_parens, unused_assignments, unused_comparisons, \
         unreachable_code, unreachable_patterns, non_camel_case_types, missing_docs, clippy::all)]\n\n{}",
        if is_only { "pub use machine::*;\n" } else { "" }
    );
    Source::Modules { head, modules }
}

/// Floating-point arithmetic.
fn float() -> String {
    let mut text = format!(
        "{HEADER}//! Floating-point numbers in software, of the package `isadl-float`.\n\n"
    );
    for (name, source) in SOURCES {
        let source = embedded(source);
        text += &format!("#[rustfmt::skip]\npub mod {name} {{\n{source}}}\n");
    }
    text + "pub use compare::Extremum;\n\
        pub use format::Format;\n\
        pub use operation::{Function, Operation, Order, Setting};\n"
}
