//! The programs of the printer: steps as rows, equal runs of them once.

use isadl_engine::image::Span;
use isadl_engine::image_text::{
    CALL, CHOICE, CHUNK, CONSTANT, Constant, ConstantSet, JOIN, JOINED, LONG_CHUNK, NUMBER, OFFSET,
    Omission, Program, SKIP, Searched, Step, VALUE,
};

use super::super::rows::Rows;
use super::super::shared::{Shared, Slices};
use super::chunks::Chunks;
use super::known::Known;
use super::step::{self, Run, passed};
use super::steps;
use super::values::Values;
use crate::isa::{Isa, Opcode, TypeKind, low_bits};

/// Bytes that a computed number or name may take.
const NUMBER_BYTES: usize = 48;

/// The data of the printer.
pub(super) struct Programs {
    pub(super) list: Vec<Program>,
    pub(super) steps: Slices<Step>,
    pub(super) chunks: Chunks,
    pub(super) omissions: Shared<Omission>,
    pub(super) constant_sets: Shared<ConstantSet>,
    pub(super) constants: Slices<Constant>,
    pub(super) ranges: Slices<(u64, u64)>,
    pub(super) searched: Shared<Searched>,
    pub(super) has_long_texts: bool,
    /// Bytes of the longest text.
    longest: usize,
}

impl Programs {
    pub(super) fn of(rows: &mut Rows<'_>, values: &mut Values) -> Programs {
        let has_long_texts = has_long_texts(rows.isa);
        let room = if has_long_texts { LONG_CHUNK - 1 } else { CHUNK - 1 };
        let mut programs = Programs {
            // Row 0 stands for none.
            list: vec![Program((0, 0), (0, 0), (0, 0))],
            steps: Slices::default(),
            chunks: Chunks::new(room),
            omissions: Shared::default(),
            constant_sets: Shared::default(),
            constants: Slices::default(),
            ranges: Slices::default(),
            searched: Shared::default(),
            has_long_texts,
            longest: 0,
        };
        let known = Known::default();
        for id in rows.ids.clone() {
            let program = steps::program(rows.isa, id, (room, &known));
            let steps::Program { guard, mnemonic, rest } = program;
            let bytes = guard.iter().chain(&rest).map(|step| longest(rows.isa, step));
            programs.longest = programs.longest.max(mnemonic.len() + bytes.sum::<usize>());
            let opcode = rows.isa.opcode(id);
            let guard = programs.run(rows, values, opcode, &guard);
            let mnemonic = match has_long_texts {
                true => programs.chunks.add_long(mnemonic.as_bytes()),
                false => programs.chunks.add_text(&mnemonic),
            };
            let rest = programs.run(rows, values, opcode, &rest);
            programs.list.push(Program { guard, mnemonic, rest });
        }
        programs
    }

    /// Whether some steps are passed over by ranges of values.
    pub(super) fn has_calls(&self) -> bool {
        self.steps.rows().iter().any(|step| step.kind == CALL)
    }

    /// Bytes of room that texts need: a chunk is copied whole, so its length more than the longest.
    pub(super) fn room(&self) -> u32 {
        let copied = if self.has_long_texts { LONG_CHUNK } else { CHUNK };
        (self.longest + 2 * copied).next_multiple_of(copied) as u32
    }

    fn run(
        &mut self,
        rows: &mut Rows<'_>,
        values: &mut Values,
        opcode: &Opcode,
        steps: &[step::Step],
    ) -> Span {
        // A step of long texts takes several rows, of which those before it that pass over it must
        // know.
        let made: Vec<Vec<Step>> =
            steps.iter().map(|step| self.rows(rows, values, opcode, step)).collect();
        let mut run: Vec<Step> = made.iter().flatten().copied().collect();
        let mut at = 0;
        for (index, step) in steps.iter().enumerate() {
            if let Some(count) = passed(step) {
                let count = made[index + 1..][..count].iter().map(Vec::len).sum::<usize>();
                let place = if matches!(step, step::Step::Skip { .. }) { 0 } else { 1 };
                run[at].masks[place] = count as u32;
            }
            at += made[index].len();
        }
        self.steps.add(run)
    }

    /// The rows of a step. How many rows it passes over is set by the caller.
    fn rows(
        &mut self,
        rows: &mut Rows<'_>,
        values: &mut Values,
        opcode: &Opcode,
        step: &step::Step,
    ) -> Vec<Step> {
        let isa = rows.isa;
        vec![match step {
            step::Step::Choice { runs, texts } => {
                let tables = self.chunks.add(texts);
                return tables.iter().map(|table| choice(runs, *table)).collect();
            }
            step::Step::Number { field, ty, format } => {
                let first = values.selection(isa, *ty, format.map(|(_, modifier)| modifier));
                row(NUMBER, &[*field, format.map_or((0, 0), |(run, _)| run)], first)
            }
            step::Step::Offset { field, ty } => {
                row(OFFSET, &[*field], values.selection(isa, *ty, None))
            }
            step::Step::Value { field, ty, operand, sign } => {
                let width = operand.and_then(|operand| opcode.operands[operand].width);
                let sign = values.pool.add(sign);
                let searched = Searched(values.ty(isa, *ty), rows.width(opcode, width), sign);
                row(VALUE, &[*field], self.searched.add(searched) as u32)
            }
            step::Step::Skip { mask, value, .. } => {
                row(SKIP, &[], self.omissions.add(Omission(*mask, *value)) as u32)
            }
            step::Step::Constant { field, constants, .. } => {
                let set = self.constant_set(constants);
                row(CONSTANT, &[*field], self.constant_sets.add(set) as u32)
            }
            step::Step::Call { field, ranges, .. } => {
                let (first, count) = self.ranges.add(ranges.clone());
                row(CALL, &[*field, (0, 0), (0, count)], first)
            }
            step::Step::Join => row(JOIN, &[], 0),
            step::Step::Joined => row(JOINED, &[], 0),
        }]
    }

    fn constant_set(&mut self, constants: &[(u64, String)]) -> ConstantSet {
        let list = constants.iter().map(|(bits, text)| Constant(*bits, self.chunks.add_text(text)));
        let list = list.collect();
        let (heads, shift) = heads(constants);
        ConstantSet { heads, shift, list: self.constants.add(list) }
    }
}

/// Whether names are so long that one chunk of text does not hold them with a separator.
fn has_long_texts(isa: &Isa) -> bool {
    const SEPARATOR: usize = 2;
    let fields = isa.opcodes().iter().flat_map(|opcode| &opcode.fields);
    let mut types: Vec<_> = fields.map(|field| field.ty).collect();
    types.sort_unstable();
    types.dedup();
    let mut names = types.into_iter().flat_map(|ty| isa.ty(ty).entries());
    names.any(|entry| entry.name_at(0).len() + SEPARATOR >= CHUNK)
}

/// A choice: how its runs of bits are turned to their places in the index.
fn choice(runs: &[Run; 3], table: u32) -> Step {
    let mut step = row(CHOICE, &[], table);
    let mut at = 0;
    for (run, (lsb, width)) in runs.iter().enumerate() {
        step.shifts[run] = (lsb & 64 | lsb.wrapping_sub(at) & 63) as u8;
        step.masks[run] = (low_bits(*width) << at) as u32;
        at += width;
    }
    step
}

/// A step with the lowest bits and the widths of runs.
fn row(kind: u8, runs: &[Run], table: u32) -> Step {
    let run = |index: usize| runs.get(index).copied().unwrap_or((0, 0));
    let runs = [run(0), run(1), run(2)];
    Step { shifts: runs.map(|(lsb, _)| lsb as u8), kind, masks: runs.map(|(_, w)| w), table }
}

/// The set of six bits of the constants, and the lowest of these bits: those of which the fewest
/// literals that are not constants have one of the set.
fn heads(constants: &[(u64, String)]) -> (u64, u8) {
    let at =
        |shift: u8| constants.iter().fold(0u64, |set, (raw, _)| set | 1 << (raw >> shift & 63));
    let sets = (0..=58).map(|shift| (at(shift), shift));
    // Bits above all constants are 0 in literals too.
    let end = constants.iter().map(|(raw, _)| 64 - raw.leading_zeros()).max().unwrap_or(0);
    let useful = sets.filter(|(_, shift)| u32::from(*shift) + 6 <= end.max(6));
    // INVARIANT: a shift of 0 is useful.
    useful.min_by_key(|(set, _)| set.count_ones()).unwrap_or((u64::MAX, 0))
}

/// Most bytes that a step writes.
fn longest(isa: &Isa, step: &step::Step) -> usize {
    match step {
        step::Step::Choice { texts, .. } => texts.longest,
        step::Step::Number { field, .. } => NUMBER_BYTES * (field.1 as usize).clamp(1, 8),
        step::Step::Value { ty, .. } => {
            let names = match &isa.ty(*ty).kind {
                TypeKind::Operand(entries) => entries.iter().map(|e| e.name_at(0).len()).max(),
                TypeKind::BitField(values) => values.iter().map(|v| v.spelling.len()).max(),
                TypeKind::Immediate(_) | TypeKind::Composite(_) => None,
            };
            // With a sign.
            1 + NUMBER_BYTES + names.unwrap_or(0)
        }
        step::Step::Offset { .. } => NUMBER_BYTES,
        step::Step::Constant { constants, .. } => {
            constants.iter().map(|(_, text)| text.len()).max().unwrap_or(0)
        }
        step::Step::Skip { .. }
        | step::Step::Call { .. }
        | step::Step::Join
        | step::Step::Joined => 0,
    }
}
