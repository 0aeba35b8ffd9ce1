//! Bits that most instruction words have: defaults, no marks, registers of lanes where other operands are possible. A program of lanes
//! is compiled once more for these, so that its loops have no decisions.

use std::collections::BTreeSet;

use isadl_ir::isa::{Binding, Bits, NameId, TypeKind};
use isadl_semantics::ir::{Op, Place, Region, Step, ValueId};

use super::classes::ones;
use super::places::{Choice, Operand, What, operand};
use super::unit::Unit;

/// The widest fields, in bits, whose values are marks or modes.
const NARROW: u32 = 3;

/// Bits of the instruction word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usual {
    /// The bits that matter.
    pub(super) mask: u128,
    /// Their values.
    pub(super) value: u128,
}

impl Usual {
    /// The usual bits: with those of the guard, and without them.
    pub(super) fn of(unit: &Unit<'_>) -> [Usual; 2] {
        let mut guard = BTreeSet::new();
        for step in &unit.code.body.steps {
            if let Step::Lanes(lanes) = step {
                add_sources(unit, *lanes, &mut guard);
            }
        }
        let [mut all, mut rest] = [Usual::default(); 2];
        for id in unit.code.ids() {
            all.add_value(unit, id);
            if !guard.contains(&id) {
                rest.add_value(unit, id);
            }
        }
        all.add_writes(unit, &unit.code.body);
        rest.add_writes(unit, &unit.code.body);
        [all, rest]
    }

    fn add_value(&mut self, unit: &Unit<'_>, id: ValueId) {
        match unit.code.op(id) {
            Op::Field(name) | Op::FieldBits(name) => self.add_field(unit, *name),
            Op::Read(place) => self.add_place(unit, place),
            _ => {}
        }
    }

    fn add(&mut self, bits: &Bits, mask: u128, value: u128) {
        for (at, run) in bits.places() {
            let own = ones(run.width);
            self.mask |= (mask >> at & own) << run.lsb;
            self.value |= (value >> at & own) << run.lsb;
        }
    }

    /// A field that usually has its default, or 0.
    fn add_field(&mut self, unit: &Unit<'_>, name: NameId) {
        let field = unit.field(name);
        if let TypeKind::Immediate(_) = unit.isa.ty(field.ty).kind {
            return;
        }
        match field.binding {
            Binding::Default(value) => self.add(&field.bits, ones(field.width()), value.into()),
            _ if field.width() <= NARROW => self.add(&field.bits, ones(field.width()), 0),
            _ => {}
        }
    }

    fn add_writes(&mut self, unit: &Unit<'_>, region: &Region) {
        for step in &region.steps {
            match step {
                Step::Write { place, .. } => self.add_place(unit, place),
                Step::If { yes, no, .. } => {
                    self.add_writes(unit, yes);
                    self.add_writes(unit, no);
                }
                Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
                    self.add_writes(unit, body);
                }
                _ => {}
            }
        }
    }

    /// An operand that may be a register of lanes or something else.
    fn add_place(&mut self, unit: &Unit<'_>, place: &Place) {
        let Place::Operand { field: name, part: None, .. } = place else { return };
        let Operand::Several(choices) = operand(unit, *name, None) else { return };
        let field = unit.field(*name);
        if let Binding::Default(_) = field.binding {
            return self.add_field(unit, *name);
        }
        if let Some((mask, value)) = choice(unit, &choices) {
            self.add(&field.bits, u128::from(mask) & ones(field.width()), value.into());
        }
    }
}

/// Adds a value, and all that it is computed of.
fn add_sources(unit: &Unit<'_>, id: ValueId, found: &mut BTreeSet<ValueId>) {
    if found.insert(id) {
        unit.code.op(id).operands(|operand| add_sources(unit, operand, found));
    }
}

/// The bits of an operand that select its only constant, or else registers of lanes.
fn choice(unit: &Unit<'_>, choices: &[Choice]) -> Option<(u64, u64)> {
    let others = choices.iter().filter(|choice| !matches!(choice.what, What::Registers { .. }));
    let others: BTreeSet<(u64, u64)> = others.map(|choice| (choice.first, choice.last)).collect();
    if let [(first, last)] = others.into_iter().collect::<Vec<_>>()[..]
        && first == last
    {
        return Some((u64::MAX, first));
    }
    let lanes = unit.lanes.as_ref()?;
    let blocks = choices.iter().filter(|choice| match choice.what {
        What::Registers { file, .. } => lanes.has(file),
        _ => false,
    });
    let block = blocks.max_by_key(|choice| choice.last - choice.first)?;
    let span = block.last - block.first;
    let is_aligned = (span + 1).is_power_of_two() && block.first & span == 0;
    is_aligned.then_some((!span, block.first))
}
