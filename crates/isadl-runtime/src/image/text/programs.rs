//! The programs of the printer: steps as rows, equal runs of them once.

use isadl_engine::image::Span;
use isadl_engine::image_text::{
    BINARY, CALL, CHOICE, CHUNK, CONSTANT, Constant, ConstantSet, DECIMAL, Detail, Format, HEX,
    HIGH, INTEGER, Integer, JOIN, JOINED, LONG_CHUNK, LOW, MIDDLE, NUMBER, NUMBER_FLOAT,
    NUMBER_SIGNED, OFFSET, Omission, Program, SCATTERED, SKIP, SKIP_FAR, Searched, Step, VALUE,
};

use isadl_engine::number::NUMBER_ROOM;

use super::super::rows::Rows;
use super::super::shared::{Shared, Slices};
use super::chunks::Chunks;
use super::plans::Plans;
use super::step::{self, Selector, into_window, passed, within};
use super::steps;
use super::values::Values;
use crate::isa::{self, Bits, Isa, Opcode, TypeId, TypeKind, low_bits};

/// Bytes that the numbers in a name may take.
const NAME_BYTES: usize = 48;

/// The data of the printer.
pub(super) struct Programs {
    pub(super) list: Vec<Program>,
    pub(super) steps: Slices<Step>,
    pub(super) details: Shared<Detail>,
    pub(super) chunks: Chunks,
    pub(super) integers: Shared<Integer>,
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
    pub(super) fn of(rows: &mut Rows<'_>, values: &mut Values, plans: Plans) -> Programs {
        let has_long_texts = plans.has_long_texts;
        let mut programs = Programs {
            // Row 0 stands for none.
            list: vec![Program((0, 0), (0, 0), (0, 0))],
            steps: Slices::default(),
            details: Shared::default(),
            chunks: Chunks::new(plans.room()),
            integers: Shared::default(),
            omissions: Shared::default(),
            constant_sets: Shared::default(),
            constants: Slices::default(),
            ranges: Slices::default(),
            searched: Shared::default(),
            has_long_texts,
            longest: 0,
        };
        for (set, plans) in plans.of_sets.into_iter().enumerate() {
            let named = (set > 0).then(|| rows.isa.with_names(set));
            if named.is_some() {
                programs.list.push(Program((0, 0), (0, 0), (0, 0)));
            }
            let isa = named.as_ref().unwrap_or(rows.isa);
            for ((_, text), plan) in rows.texts().zip(plans) {
                programs.add(rows, values, (isa, text.opcode), plan);
            }
        }
        programs
    }

    fn add(
        &mut self,
        rows: &mut Rows<'_>,
        values: &mut Values,
        (isa, opcode): (&Isa, &Opcode),
        steps::Program { guard, mnemonic, rest }: steps::Program,
    ) {
        let bytes = guard.iter().chain(&rest).map(|step| longest(isa, values, step));
        self.longest = self.longest.max(mnemonic.len() + bytes.sum::<usize>());
        let guard = self.run(rows, values, (isa, opcode), &guard);
        let mnemonic = match self.has_long_texts {
            true => self.chunks.add_long(mnemonic.as_bytes()),
            false => self.chunks.add_text(&mnemonic),
        };
        let rest = self.run(rows, values, (isa, opcode), &rest);
        self.list.push(Program { guard, mnemonic, rest });
    }

    /// Whether some steps are passed over by ranges of values.
    pub(super) fn has_calls(&self) -> bool {
        self.steps.rows().iter().any(|step| step.kind == CALL)
    }

    /// Bytes of room that texts need: chunks and numbers are copied whole, so their length more than
    /// the longest.
    pub(super) fn room(&self) -> u32 {
        const { assert!(NUMBER_ROOM >= LONG_CHUNK && LONG_CHUNK >= CHUNK) };
        (self.longest + NUMBER_ROOM).next_multiple_of(LONG_CHUNK) as u32
    }

    fn run(
        &mut self,
        rows: &mut Rows<'_>,
        values: &mut Values,
        (isa, opcode): (&Isa, &Opcode),
        steps: &[step::Step],
    ) -> Span {
        // A step of long texts takes several rows. Earlier steps that pass over it must count them.
        let made: Vec<Vec<Row>> =
            steps.iter().map(|step| self.rows(rows, values, (isa, opcode), step)).collect();
        let mut run: Vec<Row> = made.iter().flatten().copied().collect();
        let mut at = 0;
        for (index, step) in steps.iter().enumerate() {
            if let Some(count) = passed(step) {
                let count = made[index + 1..][..count].iter().map(Vec::len).sum::<usize>();
                let place = if matches!(step, step::Step::Skip { .. }) { 0 } else { 1 };
                match &mut run[at] {
                    Row::Plain(step) => step.table = count as u32,
                    Row::Detailed(_, detail) => detail.widths[place] = count as u32,
                }
            }
            at += made[index].len();
        }
        let row = |row| match row {
            Row::Plain(step) => step,
            Row::Detailed(kind, detail) => {
                Step(kind, LOW, 0, 0, 0, self.details.add(detail) as u32)
            }
        };
        let run = run.into_iter().map(row).collect();
        self.steps.add(run)
    }

    /// The rows of a step. How many rows it passes over is set by the caller.
    fn rows(
        &mut self,
        rows: &mut Rows<'_>,
        values: &mut Values,
        (isa, opcode): (&Isa, &Opcode),
        step: &step::Step,
    ) -> Vec<Row> {
        vec![match step {
            step::Step::Choice { selector, texts } => {
                let tables = self.chunks.add(texts);
                return tables.iter().map(|table| choice(selector, *table)).collect();
            }
            step::Step::Number { field, ty, format } => {
                let modifier = format.as_ref().map(|(_, modifier)| *modifier);
                let first = values.selection(isa, *ty, modifier);
                let is_distance =
                    matches!(&isa.ty(*ty).kind, TypeKind::Immediate(own) if own.relative.is_some());
                if format.is_none() {
                    // Distances keep the information about their location.
                    let plain = hex(values, first, field).filter(|_| !is_distance);
                    let plain = plain.or_else(|| self.integer(values, first, field));
                    if let Some(plain) = plain {
                        return vec![Row::Plain(plain)];
                    }
                }
                let format = format.as_ref().map_or((0, 0), |(bits, _)| run(rows, bits));
                row(NUMBER, &[run(rows, field), format], first)
            }
            step::Step::Offset { field, ty } => {
                row(OFFSET, &[run(rows, field)], values.selection(isa, *ty, None))
            }
            step::Step::Value { field, ty, operand, sign } => {
                let width = operand.and_then(|operand| isa.written_width(opcode, operand));
                let sign = values.pool.add(sign);
                let searched = Searched(values.ty(isa, *ty), rows.width(opcode, width), sign);
                row(VALUE, &[run(rows, field)], self.searched.add(searched) as u32)
            }
            step::Step::Skip { mask, value, .. } => match within(*mask) {
                Some((window, mask)) => {
                    let value = into_window(window, *value);
                    Row::Plain(Step { kind: SKIP, window, shift: 0, mask, factor: value, table: 0 })
                }
                None => row(SKIP_FAR, &[], self.omissions.add(Omission(*mask, *value)) as u32),
            },
            step::Step::Constant { field, constants, .. } => {
                let set = self.constant_set(constants);
                row(CONSTANT, &[run(rows, field)], self.constant_sets.add(set) as u32)
            }
            step::Step::Call { field, ranges, .. } => {
                let (first, count) = self.ranges.add(ranges.clone());
                row(CALL, &[run(rows, field), (0, 0), (0, count)], first)
            }
            step::Step::Join => row(JOIN, &[], 0),
            step::Step::Joined => row(JOINED, &[], 0),
        }]
    }

    /// The step of a number that is a single integer of few bits in one piece, at most 32 bits long.
    fn integer(&mut self, values: &Values, format: u32, bits: &Bits) -> Option<Step> {
        let format = &values.formats.list()[values.format_of[format as usize] as usize];
        let (mut step, is_signed) = number_bits(format, bits)?;
        let mut integer = Integer(1, 0, 0, 0, format.letter);
        if format.notation != 0 {
            let notation = &values.notations.list()[usize::from(format.notation)];
            let prefix = values.pool.name(notation.prefix).as_bytes();
            if notation.computed != 0 || notation.digits != 0 || prefix.len() > 4 {
                return None;
            }
            (integer.scale, integer.bias) = (notation.scale, notation.bias);
            integer.prefix = prefix.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
            integer.prefix_len = prefix.len() as u8;
        }
        let (mask, sign) = (i128::from(step.mask), i128::from(step.factor));
        let ends = if is_signed { [-sign, sign - 1] } else { [0, mask] };
        let number = |raw: i128| raw * i128::from(integer.scale) + i128::from(integer.bias);
        let is_short = |raw: i128| number(raw).unsigned_abs() <= u128::from(u32::MAX);
        if !matches!(format.letter, DECIMAL | b'a' | b'A') || !ends.into_iter().all(is_short) {
            return None;
        }
        step.kind = INTEGER;
        step.table = self.integers.add(integer) as u32;
        Some(step)
    }

    fn constant_set(&mut self, constants: &[(u64, String)]) -> ConstantSet {
        let list = constants.iter().map(|(bits, text)| Constant(*bits, self.chunks.add_text(text)));
        let list = list.collect();
        let (heads, shift) = heads(constants);
        ConstantSet { heads, shift, list: self.constants.add(list) }
    }
}

/// A row of a step.
#[derive(Clone, Copy)]
enum Row {
    Plain(Step),
    /// One of a kind that has details.
    Detailed(u8, Detail),
}

/// The row of a choice, by its selector.
fn choice(selector: &Selector, table: u32) -> Row {
    let runs = match selector {
        Selector::Gathered { window, gather } => {
            return Row::Plain(Step {
                kind: CHOICE,
                window: *window,
                shift: gather.shift,
                mask: gather.mask,
                factor: gather.factor,
                table,
            });
        }
        Selector::Scattered(runs) => runs,
    };
    let mut detail = Detail { shifts: [0; 3], widths: [0; 3], table };
    let mut at = 0;
    for (run, (lsb, width)) in runs.iter().enumerate() {
        detail.shifts[run] = (lsb & 64 | lsb.wrapping_sub(at) & 63) as u16;
        detail.widths[run] = (low_bits(*width) << at) as u32;
        at += width;
    }
    Row::Detailed(SCATTERED, detail)
}

/// The step of a hexadecimal number that is a single number of few bits in one piece, with nothing else.
fn hex(values: &Values, format: u32, bits: &Bits) -> Option<Step> {
    let format = &values.formats.list()[values.format_of[format as usize] as usize];
    if format.notation != 0 || !matches!(format.letter, b'a' | b'A') {
        return None;
    }
    number_bits(format, bits).map(|(step, _)| Step { table: format.letter.into(), ..step })
}

/// The step with the bits of an integer of few bits in one piece, and whether it is signed.
fn number_bits(format: &Format, bits: &Bits) -> Option<(Step, bool)> {
    let isa::Run { lsb, width } = bits.as_one()?;
    let is_one = format.kind != NUMBER_FLOAT && format.lanes == 1;
    if !is_one || width > 32 || u32::from(format.lane_bits) != width {
        return None;
    }
    let (window, shift) = match lsb {
        _ if lsb + width <= 64 => (LOW, lsb),
        0..64 => (MIDDLE, lsb - 32),
        _ => (HIGH, lsb - 64),
    };
    let mask = low_bits(width) as u64;
    let is_signed = format.kind == NUMBER_SIGNED;
    let factor = if is_signed { mask ^ mask >> 1 } else { 0 };
    Some((Step { kind: HEX, window, shift: shift as u8, mask, factor, table: 0 }, is_signed))
}

/// A field in the encoding of details.
fn run(rows: &mut Rows<'_>, bits: &Bits) -> (u16, u32) {
    let (lsb, width) = rows.place(bits);
    (lsb, width.into())
}

/// A step with the lowest bits and the widths of runs.
fn row(kind: u8, runs: &[(u16, u32)], table: u32) -> Row {
    let run = |index: usize| runs.get(index).copied().unwrap_or((0, 0));
    let runs = [run(0), run(1), run(2)];
    let (shifts, widths) = (runs.map(|(lsb, _)| lsb), runs.map(|(_, width)| width));
    Row::Detailed(kind, Detail { shifts, widths, table })
}

/// The six bits that best separate constants from other literals: the set of their values in all constants, and the
/// position of the lowest bit.
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

/// The largest number of bytes that a step writes.
fn longest(isa: &Isa, values: &mut Values, step: &step::Step) -> usize {
    match step {
        step::Step::Choice { texts, .. } => texts.longest,
        step::Step::Number { ty, format, .. } => {
            let modifier = format.as_ref().map(|(_, modifier)| *modifier);
            longest_number(isa, values, *ty, modifier)
        }
        step::Step::Value { ty, .. } => {
            let names = match &isa.ty(*ty).kind {
                TypeKind::Operand(entries) => entries
                    .iter()
                    .map(|entry| match isa.shown_name(entry) {
                        Some(other) => other.at(0).len(),
                        None => entry.text_at(0).len(),
                    })
                    .max(),
                TypeKind::BitField(values) => values.iter().map(|v| isa.spelling(v).len()).max(),
                TypeKind::Immediate(_) | TypeKind::Composite(_) => None,
            };
            // With a sign.
            1 + NAME_BYTES + names.unwrap_or(0)
        }
        // With `+` before it.
        step::Step::Offset { ty, .. } => 1 + longest_number(isa, values, *ty, None),
        step::Step::Constant { constants, .. } => {
            constants.iter().map(|(_, text)| text.len()).max().unwrap_or(0)
        }
        step::Step::Skip { .. }
        | step::Step::Call { .. }
        | step::Step::Join
        | step::Step::Joined => 0,
    }
}

/// The largest number of bytes of a number in any of the formats that a modifier selects.
fn longest_number(isa: &Isa, values: &mut Values, ty: TypeId, modifier: Option<TypeId>) -> usize {
    const SEPARATOR: usize = 2;
    let TypeKind::Immediate(immediate) = &isa.ty(ty).kind else { return 0 };
    let first = values.selection(isa, ty, modifier) as usize;
    let count = modifier.map_or(1, |modifier| 1 << isa.ty(modifier).width);
    let formats = values.format_of[first..][..count].iter();
    let bytes = formats.map(|format| {
        let format = &values.formats.list()[*format as usize];
        let others = SEPARATOR + immediate.prefix.len() + immediate.digits as usize;
        usize::from(format.lanes) * (longest_lane(format) + others)
    });
    // A value that is not a number is written as its bits.
    let pattern = 2 + isa.ty(ty).width.div_ceil(4) as usize + immediate.prefix.len();
    let scaled = NUMBER_ROOM + immediate.prefix.len();
    bytes.max().unwrap_or(0).max(if immediate.is_scaled() { scaled } else { pattern })
}

/// The largest number of bytes of one number.
fn longest_lane(format: &Format) -> usize {
    // The decimal digits that the bits amount to, plus one for the remainder.
    let decimal = |bits: u8| usize::from(bits) * 302 / 1000 + 1;
    if format.kind == NUMBER_FLOAT {
        // The fraction with all digits that tell numbers apart, a sign, a point, and either zeros after it
        // or an exponent; or a whole number.
        return (1 + decimal(format.fraction + 1) + 1 + 7).max(1 + 17);
    }
    let hexadecimal = 2 + usize::from(format.lane_bits.div_ceil(4));
    1 + match format.letter {
        BINARY => 2 + usize::from(format.lane_bits),
        _ => decimal(format.lane_bits).max(hexadecimal),
    }
}
