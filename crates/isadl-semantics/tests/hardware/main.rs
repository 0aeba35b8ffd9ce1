//! The programs of specifications against qemu: random words of each opcode with a program, on random and edge values of registers.

mod a64;
#[path = "../common/vectors.rs"]
mod choices;
#[path = "../common/mod.rs"]
mod common;
mod evaluate;
mod executed;
mod numbers;
#[path = "../common/qemu.rs"]
mod qemu;
#[path = "../common/random.rs"]
mod random;
mod records;
mod riscv;
mod riscv_program;
#[path = "../common/specs.rs"]
mod specs;
#[path = "../common/values.rs"]
mod values;
mod vector_program;
mod vectors;

use std::fmt::Write;
use std::sync::Arc;

use evaluate::Machine;
use isadl::isa::{Isa, NameId, OpcodeId, Reading};
use isadl::semantics::program::{ExprKind, Place, Statement, StatementKind};
use isadl::semantics::{Checked, Instance};
use random::Random;

/// An instruction set of `spec` in a generation, and its programs.
fn compiled(name: &str, generation: usize) -> &'static (Isa, Arc<Checked>) {
    &specs::compiled(&format!("../../spec/{name}"))[generation]
}

/// Whether a word breaks a rule for assemblers: it is reserved.
fn is_refused(isa: &Isa, id: OpcodeId, word: u128) -> bool {
    let opcode = isa.opcode(id);
    let value = |name, reading: Reading| {
        let field = opcode.field(name).expect("a field of the opcode");
        reading.integer(field.extract(word), field.width())
    };
    opcode.rules.iter().any(|rule| isa.expr(isa.rule(*rule).condition).eval(&value) != 0)
}

/// The program of an opcode for a word.
fn instance_of<'p>(
    isa: &Isa,
    programs: &'p Checked,
    id: OpcodeId,
    word: u128,
) -> Option<&'p Instance> {
    let is_it = |(name, raw): (&NameId, &u64)| {
        isa.opcode(id).field(*name).is_some_and(|field| field.extract(word) == *raw)
    };
    let instances = programs.opcodes[id.index()].iter();
    instances.into_iter().find(|instance| instance.chosen.iter().all(is_it))
}

/// The numbers of bits of the floating-point numbers that a program reads.
fn formats(instance: &Instance) -> Vec<u32> {
    let mut found = Vec::new();
    for statement in &instance.program.statements {
        statement.each_expr(&mut |expr| {
            expr.visit(&mut |part| {
                // Operands, and elements of operands.
                let is_read = matches!(
                    part.kind,
                    ExprKind::Read(_) | ExprKind::Slice { .. } | ExprKind::Part { .. }
                );
                if let Some(format) = part.format().filter(|_| is_read) {
                    found.push(format.width());
                }
            });
        });
    }
    found
}

/// The operands that a program reads and writes, and how many bits it sees of each.
fn operands(instance: &Instance) -> Vec<(NameId, u32)> {
    let mut found = Vec::new();
    let mut left: Vec<&Statement> = instance.program.statements.iter().collect();
    while let Some(statement) = left.pop() {
        left.extend(statement.blocks().into_iter().flatten());
        if let StatementKind::Write { place: Place::Operand { field, width, .. }, .. } =
            &statement.kind
        {
            found.push((*field, *width));
        }
        statement.each_expr(&mut |expr| {
            expr.visit(&mut |part| {
                if let ExprKind::Read(Place::Operand { field, width, .. }) = &part.kind {
                    found.push((*field, *width));
                }
            });
        });
    }
    found
}

/// Whether a program only computes, with registers of files and memory.
fn is_plain(instance: &Instance) -> bool {
    let mut is_plain = true;
    let is_external = |place: &Place| {
        matches!(place, Place::State { .. } | Place::Operand { is_external: true, .. })
    };
    let mut look = |statement: &Statement| {
        is_plain &= match &statement.kind {
            StatementKind::Trap { .. } => false,
            StatementKind::Write { place, .. } => !is_external(place),
            _ => true,
        };
        statement.each_expr(&mut |expr| {
            expr.visit(&mut |part| {
                is_plain &= match &part.kind {
                    ExprKind::Extern { .. } => false,
                    ExprKind::Read(place) => !is_external(place),
                    _ => true,
                };
            });
        });
    };
    instance.program.statements.iter().for_each(&mut look);
    is_plain
}

/// What changes: registers of some files, with their names, memory, and whether the mark behind the instruction was skipped.
fn changes(files: &[(&str, usize)], before: &Machine, after: &Machine, has_jumped: bool) -> String {
    let mut text = String::new();
    for (name, file) in files {
        for (number, (old, new)) in before.files[*file].iter().zip(&after.files[*file]).enumerate()
        {
            if old != new {
                let _ = write!(text, " {name}{number}={new:x}");
            }
        }
    }
    for (at, (old, new)) in before.buffer.iter().zip(&after.buffer).enumerate() {
        if old != new {
            let _ = write!(text, " [{at}]={new:x}");
        }
    }
    if has_jumped {
        text.push_str(" jump");
    }
    text.trim_start().to_string()
}
