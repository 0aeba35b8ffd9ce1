//! The items of an opcode: which of them a word may leave out, and which may be the same use.

use std::num::NonZeroU32;

use isadl_engine::flow::Effect;
use isadl_engine::image::{Pattern, Width};
use isadl_engine::image_flow::{MAX_REACH, MEMORY, REGISTERS, Run, UNKNOWN, WIDE_MEMORY};

use super::values::{PLAIN_BITS, Values, always, file_number, of_field, register};
use super::{Names, narrow};
use crate::image::rows::Rows;
use crate::isa::{
    Access, Binding, Bits, ConstantBits, Field, FlowItem, FlowPlace, Isa, Meaning, Opcode,
    OperandLocation, Symbol, TypeKind,
};

/// Limit on the registers that the bits of a mask stand for.
const MAX_MASK_BITS: u32 = 64;

/// The reads and writes of an opcode.
#[derive(Default)]
pub(super) struct FlowPlan {
    pub(super) items: Vec<ItemPlan>,
    /// The words whose guard is always true.
    pub(super) unguarded: Vec<Pattern>,
}

/// Something that is read or written.
pub(super) struct ItemPlan {
    /// The bits of the field; none if no field determines the item.
    pub(super) bits: Bits,
    pub(super) values: Values,
    /// The effects, first in an instruction that its guard cannot disable, then in any other.
    pub(super) effects: [Effect; 2],
    is_guard: bool,
    /// The default value of the field, if that value stands for no resource.
    pub(super) idle: Option<u64>,
    /// Whether this is the second of two runs of one field, which extend the same use.
    is_second: bool,
    /// The number of the expression that selects the words with this item; `None` if all words have it.
    pub(super) condition: Option<NonZeroU32>,
}

/// How something is read or written.
#[derive(Clone, Copy)]
struct How {
    /// The effects, first in an instruction that its guard cannot disable, then in any other.
    effects: [Effect; 2],
    is_guard: bool,
    condition: Option<NonZeroU32>,
}

/// Records which items can repeat the use of an earlier item.
pub(super) struct Alike {
    /// The distance to the furthest earlier item that must be remembered.
    pub(super) reach: usize,
    /// For each item, whether it must be compared with an earlier item that is not remembered.
    pub(super) is_compared: Vec<bool>,
}

impl FlowPlan {
    pub(super) fn of(rows: &mut Rows<'_>, names: &Names<'_>, opcode: &Opcode) -> FlowPlan {
        let mut items = Vec::new();
        for item in &opcode.flow {
            let condition = match item.condition.map(|id| (id, rows.constant(opcode, id))) {
                Some((_, Some(0))) => continue,
                None | Some((_, Some(_))) => None,
                Some((id, None)) => NonZeroU32::new(rows.expr(opcode, names.isa.expr(id))),
            };
            let how = How { effects: effects(item), is_guard: item.is_guard, condition };
            if let Some((field, values)) = values(rows, names, opcode, item) {
                add(&mut items, field.as_ref(), values, how);
            }
            // The register that holds the index of another register is read.
            if let FlowPlace::Indirect { base, .. } = item.place
                && let Some(field) = opcode.field(base)
                && let Some(values) = of_field(names, field, Width(0, 0))
            {
                let effects = match item.is_always {
                    true => [Effect::Read; 2],
                    false => [Effect::Read, Effect::ConditionalRead],
                };
                add(&mut items, Some(field), values, How { effects, is_guard: false, condition });
            }
        }
        FlowPlan { items, unguarded: unguarded(names.isa, opcode) }
    }

    /// The words whose idle fields are idle and whose guard forbids nothing; `None` if there are no
    /// such words.
    pub(super) fn usual(&self) -> Option<Pattern> {
        // Fields that share bits need not be idle together.
        let join = |a: Pattern, b: Pattern| {
            let agree = (a.value ^ b.value) & a.mask & b.mask == 0;
            agree.then_some(Pattern(a.mask | b.mask, a.value | b.value))
        };
        let idle = self.items.iter().filter_map(ItemPlan::idle_bits);
        let idle = idle.into_iter().try_fold(Pattern(0, 0), join)?;
        self.unguarded.iter().find_map(|bits| join(idle, *bits))
    }

    /// Finds the items that can repeat the use of an earlier item.
    pub(super) fn alike(&self) -> Alike {
        let mut alike = Alike { reach: 0, is_compared: Vec::new() };
        for (index, item) in self.items.iter().enumerate() {
            let mut is_compared = false;
            for (before, other) in self.items[..index].iter().enumerate() {
                if !self.may_be_alike(other, item) {
                    continue;
                }
                // A word uses at most one of the two runs of a field.
                let between = &self.items[before + 1..=index];
                let distance = between.iter().filter(|item| !item.is_second).count().max(1);
                match distance <= MAX_REACH && item.is_remembered() && other.is_remembered() {
                    true => alike.reach = alike.reach.max(distance),
                    false => is_compared = true,
                }
            }
            alike.is_compared.push(is_compared);
        }
        alike
    }

    fn may_be_alike(&self, a: &ItemPlan, b: &ItemPlan) -> bool {
        // A guard that disables nothing is a constant, so it is not a resource in that case.
        let is_other_guard = (a.is_guard || b.is_guard) && self.unguarded != [Pattern(0, 0)];
        let mut effects = a.effects.iter().zip(&b.effects).skip(usize::from(is_other_guard));
        effects.any(|(a, b)| a == b) && a.values.meets(&b.values)
    }
}

impl ItemPlan {
    /// The words in which the item stands for nothing by default.
    fn idle_bits(&self) -> Option<Pattern> {
        Some(Pattern(self.bits.mask(), self.bits.place(self.idle?)))
    }

    /// The largest number of uses that the item stands for.
    pub(super) fn room(&self) -> u32 {
        match self.values {
            Values::Mask { .. } => self.bits.width(),
            Values::Runs { .. } => 1,
        }
    }

    /// Whether the item is a single use that is remembered as a number.
    fn is_remembered(&self) -> bool {
        match &self.values {
            Values::Mask { .. } => false,
            Values::Runs { runs, .. } => runs.iter().all(|run| run.kind != WIDE_MEMORY),
        }
    }

    /// The single run that needs no lookup, if possible: each value is one resource, and consecutive values are
    /// consecutive resources.
    pub(super) fn plain_run(&self) -> Option<Run> {
        let Values::Runs { runs, data } = &self.values else { return None };
        let [run] = runs.as_slice() else { return None };
        let is_plain = match run.kind {
            REGISTERS => {
                let end = u64::from(run.number) + run.more + u64::from(run.registers);
                let is_even = run.registers == 1 || run.more == 0 || end <= run.limit.into();
                is_even && run.align == 1 && data.expr == 0
            }
            MEMORY => true,
            _ => self.bits.width() == 0,
        };
        let last = run.value.checked_add(run.more)?;
        let is_narrow = self.bits.width() <= PLAIN_BITS && last < u64::from(u32::MAX);
        let is_within =
            self.bits.as_one().is_some_and(|bits| bits.lsb >= 64 || bits.lsb + bits.width <= 64);
        (is_plain && is_narrow && is_within && run.kind != WIDE_MEMORY).then_some(*run)
    }
}

/// Adds an item, if its field can stand for anything; a mask of many bits as several, and so a field
/// of two plain runs.
fn add(
    items: &mut Vec<ItemPlan>,
    field: Option<&Field>,
    values: Values,
    How { effects, is_guard, condition }: How,
) {
    let plan = |bits: &Bits, values, idle, is_second| {
        let bits = bits.clone();
        ItemPlan { bits, values, effects, is_guard, idle, is_second, condition }
    };
    let Some(field) = field else {
        items.push(plan(&Bits::one(0, 0), values, None, false));
        return;
    };
    let idle = match field.binding {
        Binding::Fixed(raw) if values.is_nothing_at(raw) => return,
        Binding::Default(raw) if values.is_nothing_at(raw) => Some(raw),
        _ => None,
    };
    let mut add = |values, bits: &Bits, idle| items.push(plan(bits, values, idle, false));
    match values {
        Values::Mask { file, .. } => {
            for (at, piece) in field.bits.places() {
                let mut first = 0;
                while first < piece.width {
                    // No part crosses bit 64.
                    let lsb = piece.lsb + first;
                    let left = if lsb < 64 { 64 - lsb } else { piece.width };
                    let part = (piece.width - first).min(PLAIN_BITS).min(left);
                    let values = Values::Mask { file, first: (at + first) as u16 };
                    add(values, &Bits::one(lsb, part), idle.map(|_| 0));
                    first += part;
                }
            }
        }
        Values::Runs { runs, data } if runs.len() == 2 && data.expr == 0 => {
            let item = |run: Run, is_second: bool| {
                plan(&field.bits, Values::Runs { runs: vec![run], data }, idle, is_second)
            };
            let halves = [item(runs[0], false), item(runs[1], true)];
            match halves.iter().all(|half| half.plain_run().is_some()) {
                true => items.extend(halves),
                false => add(Values::Runs { runs, data }, &field.bits, idle),
            }
        }
        _ => add(values, &field.bits, idle),
    }
}

/// The effects, first where the guard cannot disable the item, then where it can.
fn effects(item: &FlowItem) -> [Effect; 2] {
    let read = [Effect::Read, Effect::ConditionalRead];
    let [write, both] = match item.is_partial {
        true => [[Effect::ConditionalWrite; 2], [Effect::ReadConditionalWrite; 2]],
        false => [
            [Effect::Write, Effect::ConditionalWrite],
            [Effect::ReadWrite, Effect::ReadConditionalWrite],
        ],
    };
    let effects = match item.access {
        Access::None | Access::Read => read,
        Access::Write => write,
        Access::ReadWrite => both,
    };
    if item.is_always { [effects[0]; 2] } else { effects }
}

/// The field of an item, if any, and the meaning of its values; `None` if the item is never a resource.
fn values(
    rows: &mut Rows<'_>,
    names: &Names<'_>,
    opcode: &Opcode,
    item: &FlowItem,
) -> Option<(Option<Field>, Values)> {
    let files = names.isa.reg_files();
    let of = |field: Field, data| {
        let values = of_field(names, &field, data)?;
        Some((Some(field), values))
    };
    match item.place {
        FlowPlace::Field(name) => of(opcode.field(name)?.clone(), rows.width(opcode, item.width)),
        FlowPlace::Part { field, part } => {
            of(names.isa.part(opcode.field(field)?, part)?, Width(0, 0))
        }
        FlowPlace::File(file) => {
            let registers = narrow(files[file.index()].count);
            Some((None, always(REGISTERS, file_number(names.isa, file), registers)))
        }
        FlowPlace::Register { file, number } => {
            let limit = narrow(files[file.index()].count);
            Some((None, register(file_number(names.isa, file), narrow(number), limit)))
        }
        FlowPlace::Indirect { file, .. } => {
            Some((None, always(UNKNOWN, file_number(names.isa, file), 0)))
        }
        FlowPlace::Mask { field, file } => {
            let field = opcode.field(field)?;
            // Bits beyond the file stand for nothing.
            let width = field.width().min(files[file.index()].count).min(MAX_MASK_BITS);
            let field = Field { bits: field.bits.part(0, width), ..field.clone() };
            Some((Some(field), Values::Mask { file: file_number(names.isa, file), first: 0 }))
        }
    }
}

/// The words that the guard cannot forbid: it is a constant that is true.
fn unguarded(isa: &Isa, opcode: &Opcode) -> Vec<Pattern> {
    let Some(guard) = &opcode.syntax.guard else { return vec![Pattern(0, 0)] };
    let OperandLocation::Field(name) = guard.place(opcode) else { return Vec::new() };
    let Some(field) = opcode.field(name) else { return Vec::new() };
    let TypeKind::Operand(entries) = &isa.ty(field.ty).kind else { return Vec::new() };
    let negations = guard.marks.iter().filter(|mark| mark.symbol == Symbol::Not);
    let negated =
        negations.filter_map(|mark| opcode.field(mark.field)).fold(0, |all, f| all | f.mask());
    let constants = entries.iter().flat_map(|entry| {
        let Meaning::Constant { bits, .. } = entry.meaning else { return Vec::new() };
        (0..entry.count).map(|position| (entry.value + position, bits)).collect()
    });
    let mut unguarded = Vec::new();
    for (raw, bits) in constants {
        let value = field.insert(0, raw);
        match bits {
            ConstantBits::One => unguarded.push(Pattern(field.mask() | negated, value)),
            // Any bit negates it.
            ConstantBits::Zero => {
                let bits = (0..128).map(|bit| 1 << bit).filter(|bit| negated & bit != 0);
                let patterns = bits.map(|bit| Pattern(field.mask() | bit, value | bit));
                unguarded.extend(patterns);
            }
        }
    }
    unguarded
}
