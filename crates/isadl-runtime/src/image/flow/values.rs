//! The meaning of the values of a field.

use std::collections::HashSet;

use isadl_engine::image::Width;
use isadl_engine::image_flow::{COUNT, KIND, MEMORY, OF, REGISTERS, Run, SPECIAL, WIDE_MEMORY};

use super::{Names, narrow};
use crate::isa::{Entry, Field, Isa, Meaning, RegFileId, TypeKind, low_bits};

/// Widest field whose values need no lookup; also the most bits of a mask in one item.
pub(super) const PLAIN_BITS: u32 = 31;

/// The meaning of the bits of an item's field.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(super) enum Values {
    /// Runs of values stand for resources; `data` is the width, if it depends on other fields.
    Runs { runs: Vec<Run>, data: Width },
    /// Every bit stands for a register; the lowest bit stands for register `first`.
    Mask { file: u32, first: u16 },
}

/// The number of a register file. Files of the same name that differ by generation are one file and share the first
/// number.
pub(in crate::image) fn file_number(isa: &Isa, file: RegFileId) -> u32 {
    let files = isa.reg_files();
    let name = &files[file.index()].name;
    files.iter().position(|known| known.name == *name).unwrap_or(file.index()) as u32
}

/// The values of an item without a field: a run for the value of no bits.
pub(super) fn always(kind: u8, of: u32, registers: u16) -> Values {
    let run = Run(0, 0, kind, of, 1, 0, registers, registers);
    Values::Runs { runs: vec![run], data: Width(0, 0) }
}

/// One register of a file of `limit`.
pub(super) fn register(file: u32, number: u16, limit: u16) -> Values {
    let run = Run(0, 0, REGISTERS, file, 1, number, limit, 1);
    Values::Runs { runs: vec![run], data: Width(0, 0) }
}

/// The meaning of the bits of an operand's field; `None` if no value stands for a resource.
pub(super) fn of_field(names: &Names<'_>, field: &Field, data: Width) -> Option<Values> {
    let entries = match &names.isa.ty(field.ty).kind {
        TypeKind::Composite(_) => return memory(names, field),
        TypeKind::Operand(entries) => entries,
        TypeKind::BitField(_) | TypeKind::Immediate(_) => return None,
    };
    let runs = entries.iter().filter_map(|entry| run(names, entry, data));
    let mut runs: Vec<Run> = runs.flat_map(|run| pieces(&run, data)).collect();
    // Runs are disjoint, and most values are of the largest.
    runs.sort_by_key(|run| std::cmp::Reverse(run.more));
    let data = if data.expr == 0 { Width(0, 0) } else { data };
    (!runs.is_empty()).then_some(Values::Runs { runs, data })
}

/// A composite operand: every value is a place.
fn memory(names: &Names<'_>, field: &Field) -> Option<Values> {
    // INVARIANT: the types of all composite fields are in the list.
    let number = names.memory_types.binary_search(&field.ty).ok()?;
    let kind = if field.width() > PLAIN_BITS { WIDE_MEMORY } else { MEMORY };
    let run = Run(0, low_bits(field.width()) as u64, kind, number as u32, 1, 0, 0, 0);
    Some(Values::Runs { runs: vec![run], data: Width(0, 0) })
}

/// The meaning of an entry's values; `None` for constants.
fn run(names: &Names<'_>, entry: &Entry, data: Width) -> Option<Run> {
    let isa = names.isa;
    let more = entry.count - 1;
    let (file, number, align) = match &entry.meaning {
        Meaning::Registers { file, first, align, .. } => (*file, *first, *align),
        // INVARIANT: an entry with a name of its own is one value.
        Meaning::Register { file, number, .. } => (*file, *number, 1),
        Meaning::Special(name) => {
            let number = *names.specials.get(name.as_str())?;
            return Some(Run(entry.value, more, SPECIAL, number, 1, 0, 0, 0));
        }
        Meaning::Constant { .. }
        | Meaning::Nothing(_)
        | Meaning::Integers { .. }
        | Meaning::Float(_)
        | Meaning::Literal => return None,
    };
    let definition = &isa.reg_files()[file.index()];
    let one = definition.width.max(1);
    let registers = match data.expr {
        0 => narrow(u32::from(data.bits).div_ceil(one).max(1)),
        _ => narrow(one),
    };
    let (number, limit) = (narrow(number), narrow(definition.count));
    let file = file_number(isa, file);
    Some(Run(entry.value, more, REGISTERS, file, align, number, limit, registers))
}

/// Splits a run: a run whose instructions all have the same number of registers, and single values at the end of the
/// file, where fewer registers are left.
fn pieces(run: &Run, data: Width) -> Vec<Run> {
    let is_split = run.kind == REGISTERS && data.expr == 0 && run.align == 1 && run.more > 0;
    let full = u64::from(run.limit.saturating_sub(run.number).saturating_sub(run.registers)) + 1;
    if !is_split || run.registers == 1 || full > run.more || run.more - full >= 8 {
        return vec![*run];
    }
    let mut pieces = vec![Run { more: full - 1, ..*run }];
    pieces.extend((full..=run.more).map(|position| Run {
        value: run.value + position,
        more: 0,
        number: run.number + position as u16,
        ..*run
    }));
    pieces
}

/// The number of registers of a run, which is the same for all values if it is not looked up.
pub(super) fn count(run: &Run) -> u16 {
    run.registers.min(run.limit.saturating_sub(run.number)).max(1)
}

/// The first resource of a run, as the engine packs it.
pub(super) fn packed(run: &Run) -> u64 {
    let head = u64::from(run.kind) << KIND | u64::from(run.of) << OF;
    match run.kind {
        REGISTERS => head | u64::from(run.number) | u64::from(count(run)) << COUNT,
        _ => head,
    }
}

impl Values {
    /// Whether a value of the field stands for no resource.
    pub(super) fn is_nothing_at(&self, raw: u64) -> bool {
        match self {
            Values::Runs { runs, .. } => {
                runs.iter().all(|run| raw.wrapping_sub(run.value) > run.more)
            }
            Values::Mask { .. } => raw == 0,
        }
    }

    /// Whether both may be the same resource.
    pub(super) fn meets(&self, other: &Values) -> bool {
        let (ours, theirs) = (self.targets(), other.targets());
        let (own, others): (Vec<Run>, Vec<Run>) =
            ours.into_iter().partition(|run| run.kind == REGISTERS);
        let (registers, things): (Vec<Run>, Vec<Run>) =
            theirs.into_iter().partition(|run| run.kind == REGISTERS);
        // There can be many names of things; each thing only equals itself.
        let known: HashSet<(u8, u32)> = things.iter().map(|run| (run.kind, run.of)).collect();
        others.iter().any(|run| known.contains(&(run.kind, run.of)))
            || own.iter().any(|a| registers.iter().any(|b| may_be_same(a, b)))
    }

    /// The resources that values may stand for.
    fn targets(&self) -> Vec<Run> {
        match self {
            Values::Runs { runs, .. } => runs.clone(),
            Values::Mask { file, first } => {
                let more = u64::from(PLAIN_BITS) - 1;
                vec![Run(0, more, REGISTERS, *file, 1, *first, u16::MAX, 1)]
            }
        }
    }
}

/// Whether values of two runs of registers can stand for the same register.
fn may_be_same(a: &Run, b: &Run) -> bool {
    if a.of != b.of {
        return false;
    }
    let first = |run: &Run| {
        let number = u32::from(run.number);
        u64::from(number - number % run.align)
    };
    let end = |run: &Run| u64::from(run.number).saturating_add(run.more) + 1;
    first(a) < end(b) && first(b) < end(a)
}
