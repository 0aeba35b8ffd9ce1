//! Registers that operands denote.

use std::collections::BTreeSet;

use isadl_ir::isa::{ConstantBits, Isa, Meaning, NameId, RegFileId, Type, TypeKind};

use super::classes::{bare, ones, raw_bits};
use super::unit::{Target, Unit};

/// The registers that an operand can denote.
pub(super) enum Operand {
    /// A register of one file. The constant zero has the number behind the last register.
    Numbered { file: RegFileId, runs: Vec<Run>, has_zero: bool },
    /// Registers of several files, or others.
    Several(Vec<Choice>),
}

/// Values of a field that denote registers in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u64,
    pub(super) last: u64,
    /// The number of the first.
    pub(super) number: u32,
    /// All values denote the same register.
    pub(super) is_one: bool,
    pub(super) align: u32,
}

/// The registers that some values of a field denote.
pub(super) struct Choice {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) what: What,
}

pub(super) enum What {
    Registers {
        file: RegFileId,
        run: Run,
    },
    /// A constant, which may be written.
    Constant(Meaning),
    /// A register outside of files.
    State(String),
    /// One without a name: that of its type, and the value.
    Unnamed(String),
}

impl Choice {
    pub(super) fn target(&self) -> Option<Target> {
        match self.what {
            What::Registers { file, .. } => Some(Some(file)),
            What::Constant(_) => None,
            What::State(_) | What::Unnamed(_) => Some(None),
        }
    }
}

/// The registers that an operand of an opcode, or a part of it, can denote.
pub(super) fn operand(unit: &Unit<'_>, name: NameId, part: Option<usize>) -> Operand {
    let isa = unit.isa;
    let ty = type_of(unit, name, part);
    let mut choices = Vec::new();
    // Values without an entry are illegal, or written otherwise.
    for (first, last) in gaps(ty) {
        choices.push(Choice { first, last, what: What::Unnamed(ty.name.clone()) });
    }
    for entry in ty.entries() {
        let (first, last) = (entry.value, entry.value + (entry.count - 1));
        let run = |number, align, is_one| Run { first, last, number, is_one, align };
        let what = match &entry.meaning {
            Meaning::Registers { file, first, align, .. } => {
                What::Registers { file: *file, run: run(*first, *align, false) }
            }
            Meaning::Register { file, number, .. } => {
                What::Registers { file: *file, run: run(*number, 1, first != last) }
            }
            Meaning::Constant { .. } | Meaning::Integers { .. } | Meaning::Float(_) => {
                What::Constant(entry.meaning.clone())
            }
            Meaning::Special(name) => What::State(name.clone()),
            _ => What::Unnamed(ty.name.clone()),
        };
        choices.push(Choice { first, last, what });
    }
    numbered(isa, &choices).unwrap_or(Operand::Several(choices))
}

/// The type of an operand, or of a part of it.
fn type_of<'u>(unit: &Unit<'u>, name: NameId, part: Option<usize>) -> &'u Type {
    let ty = unit.isa.ty(unit.field(name).ty);
    match (part, &ty.kind) {
        (Some(part), TypeKind::Composite(composite)) => unit.isa.ty(composite.parts[part].ty),
        _ => ty,
    }
}

/// The bits of an operand, or of a part of it: an expression of the word, and their number.
pub(super) fn raw(unit: &Unit<'_>, name: NameId, part: Option<usize>) -> (String, u32) {
    let field = unit.field(name);
    let raw = raw_bits(&field.bits);
    match (part, &unit.isa.ty(field.ty).kind) {
        (Some(part), TypeKind::Composite(composite)) => {
            let bits = &composite.parts[part].bits;
            let pieces = bits.places().map(|(at, run)| {
                let piece = format!("({raw} >> {}_u32 & {:#x}_u64)", run.lsb, ones(run.width));
                format!("{piece} << {at}_u32")
            });
            (format!("({})", pieces.collect::<Vec<_>>().join(" | ")), bits.width())
        }
        _ => (raw, field.width()),
    }
}

/// The values of a type that no entry has, if they are legal.
fn gaps(ty: &Type) -> Vec<(u64, u64)> {
    if ty.otherwise.is_none() {
        return Vec::new();
    }
    let mut entries: Vec<(u64, u64)> =
        ty.entries().iter().map(|entry| (entry.value, entry.value + (entry.count - 1))).collect();
    entries.sort_unstable();
    let (mut gaps, mut next) = (Vec::new(), 0);
    for (first, last) in entries {
        if next < first {
            gaps.push((next, first - 1));
        }
        next = last + 1;
    }
    let all = u64::MAX >> (64 - ty.width.clamp(1, 64));
    if next <= all {
        gaps.push((next, all));
    }
    gaps
}

/// All choices as registers of one file and its constant zero. Values that denote nothing are illegal.
fn numbered(isa: &Isa, choices: &[Choice]) -> Option<Operand> {
    let files = choices.iter().filter_map(|choice| match choice.what {
        What::Registers { file, .. } => Some(file),
        _ => None,
    });
    let files: BTreeSet<RegFileId> = files.collect();
    let [file] = files.into_iter().collect::<Vec<_>>()[..] else { return None };
    let count = isa.reg_files()[file.index()].count;
    let (mut runs, mut has_zero) = (Vec::<Run>::new(), false);
    for Choice { first, last, what } in choices {
        let run = match what {
            What::Registers { run, .. } => *run,
            What::Constant(Meaning::Constant { bits: ConstantBits::Zero, .. }) => {
                has_zero = true;
                let (first, last) = (*first, *last);
                Run { first, last, number: count, is_one: first != last, align: 1 }
            }
            What::Constant(_) | What::State(_) | What::Unnamed(_) => return None,
        };
        match runs.last_mut() {
            Some(above) if above.continues_with(&run) => above.last = run.last,
            _ => runs.push(run),
        }
    }
    Some(Operand::Numbered { file, runs, has_zero })
}

impl Run {
    /// Whether the values and numbers of another follow.
    fn continues_with(&self, other: &Run) -> bool {
        let step = |run: &Run| i128::from(run.number) - i128::from(run.first);
        !self.is_one
            && !other.is_one
            && (self.align, other.align) == (1, 1)
            && self.last + 1 == other.first
            && step(self) == step(other)
    }

    /// The number of the register for a value: a Rust expression of type `u16`.
    fn number(&self, raw: &str) -> String {
        if self.is_one {
            return self.number.to_string();
        }
        let (number, first) = (i128::from(self.number), i128::from(self.first));
        let sum = match number - first {
            0 => format!("{raw} as u16"),
            more @ 1.. => format!("({raw} + {more}) as u16"),
            less => format!("({raw} - {}) as u16", -less),
        };
        match self.align {
            1 => sum,
            align => format!("({sum}) / {align} * {align}"),
        }
    }
}

/// The number of the register that a value denotes, as a Rust expression of type `u16`.
pub(super) fn number_of(runs: &[Run], raw: &str) -> String {
    if let [only] = runs {
        return only.number(raw);
    }
    let arms = runs.iter().map(|run| match (run.is_one, run.first == run.last) {
        (_, true) => format!("{} => {}, ", run.first, run.number),
        (true, _) => format!("{}..={} => {}, ", run.first, run.last, run.number),
        (false, _) => format!("raw @ {}..={} => {}, ", run.first, run.last, run.number("raw")),
    });
    format!("match {} {{ {}_ => 0 }}", bare(raw), arms.collect::<String>())
}
