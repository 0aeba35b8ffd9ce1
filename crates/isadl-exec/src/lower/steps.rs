//! The steps of an instruction, in their order.

use isadl::semantics::ir::{Carried, Label, Merge, Op, Over, Place, Region, Step, ValueId};

use super::number::{Number, Right};
use super::regions::{jumps, stores};
use super::{After, Lowered, Lowering, Value, bits_of_piece, unsupported};
use crate::micro::{Binary, Form, Kind, Micro, More, Run, SettingValue};
use crate::slots::{ACTIVE, LAUNCHED, RAISED, Slot, TARGET, pieces};
use crate::state::{Halt, Taken};

/// A jump at the end of an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jump {
    /// It is taken if this is 1.
    condition: Number,
    /// The address.
    to: Number,
}

impl Lowering<'_, '_> {
    /// All of it.
    pub(super) fn instruction(&mut self) -> Lowered<After> {
        let body = &self.code().body;
        self.raising = raising(self, body);
        if self.raising > 0 {
            self.out.push(Micro { d: RAISED, n: 0, ..Micro::new(Kind::Number) });
        }
        if self.layout.blocks().is_some() {
            self.out.push(Micro { d: ACTIVE, a: LAUNCHED, ..Micro::new(Kind::Copy) });
            self.prepare_lane_writes(body)?;
        }
        self.steps(body)?;
        if self.is_over {
            return Ok(After::Elsewhere);
        }
        self.finish()
    }

    fn steps(&mut self, region: &Region) -> Lowered<()> {
        for step in &region.steps {
            if self.is_over {
                break;
            }
            self.step(step)?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Lowered<()> {
        match step {
            Step::Compute(id) => self.effect(*id),
            Step::Write { place, mask, value } => self.write(place, *mask, *value),
            Step::Store { memory, address, value } => self.store(*memory, *address, *value),
            Step::Jump(target) => self.jump(*target),
            Step::If { condition, yes, no, merges } => self.branch(*condition, yes, no, merges),
            Step::Loop { over, number, carried, body } => self.repeat(over, *number, carried, body),
            Step::Atomic(body) => self.steps(body),
            Step::Labelled { label, body, .. } => {
                // The order of accesses matters to other processors alone.
                if let Label::Value(value) = label {
                    self.known(*value)?;
                }
                self.steps(body)
            }
            Step::Trap { name, arguments } => {
                let mut all = Vec::new();
                for argument in arguments {
                    all.push(self.run(*argument)?);
                }
                self.more(More::Trap { name: name.clone(), arguments: all });
                self.ends()
            }
            Step::Unpredictable => {
                self.more(More::Unpredictable);
                self.ends()
            }
            Step::Commit => self.commit_in_between(),
            Step::Lanes(lanes) => {
                let bits = self.width(*lanes);
                let number = self.small(*lanes)?;
                // All that take part go on taking part.
                if number != (Number::Part { slot: ACTIVE, low: 0 }) {
                    let lanes = self.clean(number, bits)?;
                    self.more(More::TakePart { lanes });
                }
                Ok(())
            }
        }
    }

    /// What follows is not reached.
    fn ends(&mut self) -> Lowered<()> {
        self.is_over = true;
        self.leaves = true;
        Ok(())
    }

    /// Registers are written in the middle of an instruction. What was read before keeps its value.
    fn commit_in_between(&mut self) -> Lowered<()> {
        if !self.is_at_top {
            return unsupported("`commit` in a branch");
        }
        let values: Vec<ValueId> = self.log.clone();
        for id in values {
            let Some(value) = self.values[id.index()].clone() else { continue };
            let bits = self.width(id);
            let mut all = Vec::new();
            for (at, piece) in value.pieces().iter().enumerate() {
                all.push(self.kept_apart(*piece, bits_of_piece(bits, at))?);
            }
            self.values[id.index()] = Some(Value::of(all));
        }
        self.commit()
    }

    /// A number that does not change when registers are written.
    fn kept_apart(&mut self, number: Number, bits: u32) -> Lowered<Number> {
        let is_written = |slot| self.writes_slot(slot);
        let is_affected = match number {
            Number::Known(_) => false,
            Number::Clean(slot) | Number::Part { slot, .. } | Number::Sum { slot, .. } => {
                is_written(slot)
            }
            Number::Word { a, b, .. } | Number::Compare { a, b, .. } => {
                is_written(a) || matches!(b, Right::Slot(b) if is_written(b))
            }
        };
        if !is_affected {
            return Ok(number);
        }
        let a = self.clean(number, bits)?;
        Ok(Number::Clean(self.emit(Micro { a, ..Micro::new(Kind::Copy) })?))
    }

    /// Computes a value whose computing is noticed, or depends on when it is done.
    fn effect(&mut self, id: ValueId) -> Lowered<()> {
        let code = self.code();
        let width = self.width(id);
        let value = match code.op(id) {
            Op::Read(place) if place.is_external() => self.read(place, width)?,
            Op::Load { memory, address, is_reserving } => {
                self.load(*memory, *address, *is_reserving, width)?
            }
            Op::StoreConditional { memory, address, value } => {
                let (address, value) = (self.slot(*address)?, self.run(*value)?);
                let result = self.fresh()?;
                let memory = *memory;
                self.more(More::StoreConditional { memory, address, value, result });
                Value::One(Number::Clean(result))
            }
            Op::Float { operation, arguments, settings, raises } => {
                let mut slots = Vec::new();
                for argument in arguments {
                    slots.push(self.slot(*argument)?);
                }
                let mut values = Vec::new();
                for (setting, value) in settings {
                    let value = match self.known_small(*value)? {
                        Some(known) => SettingValue::Known(known as u8),
                        None => SettingValue::Slot(self.slot(*value)?),
                    };
                    values.push((*setting, value));
                }
                let result = self.fresh()?;
                let (operation, arguments) = (operation.clone(), slots);
                let (settings, raises) = (values, *raises);
                self.raising = self.raising.saturating_sub(raises.into());
                self.float(More::Float { operation, arguments, settings, raises, result });
                Value::One(Number::Clean(result))
            }
            Op::Raised => {
                let number = match self.raising {
                    0 => Number::Part { slot: RAISED, low: 0 },
                    _ => {
                        let a = RAISED;
                        Number::Clean(self.emit(Micro { a, ..Micro::new(Kind::Copy) })?)
                    }
                };
                Value::One(number)
            }
            Op::Extern { name, arguments, .. } => {
                let mut runs = Vec::new();
                for argument in arguments {
                    runs.push(self.run(*argument)?);
                }
                // A function that is called as a statement has no result.
                let bits = if self.is_used(id) { width } else { 0 };
                let result = Run { first: self.fresh_run(pieces(width))?, bits };
                self.leaves = true;
                let name = name.clone();
                self.more(More::Call { name, arguments: runs, result });
                self.of_run(Run { bits: width, ..result })
            }
            // The machine may choose any number; it chooses 0.
            Op::Unknown => Value::of(vec![Number::Known(0); pieces(width)]),
            Op::Any { first, last } => {
                let (first, last) = (self.run(*first)?, self.run(*last)?);
                let result = Run { first: self.fresh_run(pieces(width))?, bits: width };
                self.more(More::Any { first, last, result });
                self.of_run(result)
            }
            Op::Active | Op::Ballot(_) => self.lanes_as_bits(id)?,
            Op::Read(Place::OfLane { place, lane }) => self.read_lane(place, *lane, width)?,
            // It is computed where it is needed.
            _ => return Ok(()),
        };
        self.set(id, value);
        Ok(())
    }

    /// Whether anything is computed of a value, or it is stored.
    fn is_used(&self, id: ValueId) -> bool {
        let mut is_used = false;
        for value in &self.code().values {
            value.op.operands(|operand| is_used |= operand == id);
        }
        is_used || stores(&self.code().body, id)
    }

    /// The slot and the number whose sum is an address.
    fn address(&mut self, id: ValueId) -> Lowered<(Slot, u64)> {
        Ok(match (self.small(id)?, self.width(id)) {
            (Number::Sum { slot, n }, 64) => (slot, n),
            (Number::Known(n), _) => (0, n),
            (number, bits) => (self.clean(number, bits)?, 0),
        })
    }

    fn load(
        &mut self,
        memory: usize,
        address: ValueId,
        is_reserving: bool,
        width: u32,
    ) -> Lowered<Value> {
        let is_plain = memory == 0 && !self.context.notes_accesses;
        if is_plain && !is_reserving && [8, 16, 32, 64].contains(&width) {
            let (a, n) = self.address(address)?;
            let kind = Kind::Load { bytes: (width / 8) as u8, is_signed: false };
            let c = self.place.at;
            return Ok(Value::One(Number::Clean(self.emit(Micro {
                a,
                n,
                c,
                ..Micro::new(kind)
            })?)));
        }
        if !width.is_multiple_of(8) {
            return unsupported("a load of a part of a byte");
        }
        let address = self.slot(address)?;
        let result = Run { first: self.fresh_run(pieces(width))?, bits: width };
        self.more(More::Load { memory, address, result, is_reserving });
        Ok(self.of_run(result))
    }

    fn store(&mut self, memory: usize, address: ValueId, value: ValueId) -> Lowered<()> {
        let width = self.width(value);
        let is_plain = memory == 0 && !self.context.notes_accesses;
        if is_plain && [8, 16, 32, 64].contains(&width) {
            let number = self.small(value)?;
            let b = self.loose(number)?;
            let (a, n) = self.address(address)?;
            let kind = Kind::Store { bytes: (width / 8) as u8 };
            let c = self.place.at;
            self.out.push(Micro { a, b, c, n, ..Micro::new(kind) });
            return Ok(());
        }
        if !width.is_multiple_of(8) {
            return unsupported("a store of a part of a byte");
        }
        let value = self.run(value)?;
        let address = self.slot(address)?;
        self.more(More::Store { memory, address, value });
        Ok(())
    }

    fn jump(&mut self, target: ValueId) -> Lowered<()> {
        let bits = self.width(target);
        let to = self.small(target)?;
        if self.is_at_top && !self.jumps_somewhere {
            self.jump = Some(Jump { condition: Number::Known(1), to: self.with_zeros(to, bits)? });
            return Ok(());
        }
        self.jumps_somewhere = true;
        self.copy(TARGET, to, bits)
    }

    fn branch(
        &mut self,
        condition: ValueId,
        yes: &Region,
        no: &Region,
        merges: &[Merge],
    ) -> Lowered<()> {
        let counts = self.context.counts_branches;
        let number = 2 * condition.index() as u32;
        if let Some(known) = self.known_small(condition)? {
            let taken = if known != 0 { yes } else { no };
            self.count_branch(number + u32::from(known == 0));
            self.steps(taken)?;
            if self.is_over {
                return Ok(());
            }
            for merge in merges {
                let from = if known != 0 { merge.yes } else { merge.no };
                let Some(from) = from else { return unsupported("a value that is missing") };
                let value = self.value(from)?;
                self.set(merge.after, value);
            }
            return Ok(());
        }
        if !counts
            && let Some(to) = self.only_jump(yes)?
            && no.steps.is_empty()
            && merges.is_empty()
            && self.is_at_top
            && self.jump.is_none()
            && !self.jumps_somewhere
        {
            self.jump = Some(Jump { condition: self.small(condition)?, to });
            return Ok(());
        }
        let condition = self.slot(condition)?;
        self.prepare_jump(yes)?;
        self.prepare_jump(no)?;
        self.prepare_writes(yes)?;
        self.prepare_writes(no)?;
        // The values after the branch have the same slots on both ways.
        let mut after = Vec::new();
        for merge in merges {
            let bits = self.width(merge.after);
            after.push(Run { first: self.fresh_run(pieces(bits))?, bits });
        }
        let (yes, yes_ends) =
            self.nested(yes, number, &after, merges.iter().map(|merge| merge.yes))?;
        let (no, no_ends) =
            self.nested(no, number + 1, &after, merges.iter().map(|merge| merge.no))?;
        self.more(More::If { condition, yes, no });
        if yes_ends && no_ends {
            return self.ends();
        }
        for (merge, run) in merges.iter().zip(after) {
            let value = self.of_run(run);
            self.set(merge.after, value);
        }
        Ok(())
    }

    /// The address, if a region does nothing but jump to one that is known.
    fn only_jump(&mut self, region: &Region) -> Lowered<Option<Number>> {
        let Some((Step::Jump(target), before)) = region.steps.split_last() else {
            return Ok(None);
        };
        let is_plain =
            |step: &Step| matches!(step, Step::Compute(id) if !self.code().op(*id).has_effect());
        if !before.iter().all(is_plain) {
            return Ok(None);
        }
        Ok(self.known_small(*target)?.map(Number::Known))
    }

    /// If a region jumps, the address at which the instruction goes on is in a slot from here on.
    fn prepare_jump(&mut self, region: &Region) -> Lowered<()> {
        if self.jumps_somewhere || !jumps(region) {
            return Ok(());
        }
        let before = self.jump.take();
        self.jumps_somewhere = true;
        let to = before.map_or(Number::Known(self.place.next), |jump| jump.to);
        match before.map(|jump| jump.condition) {
            None | Some(Number::Known(1)) => self.copy(TARGET, to, 64),
            Some(condition) => {
                let next = Number::Known(self.place.next);
                let to = self.select(condition, to, next, 64)?;
                self.copy(TARGET, to, 64)
            }
        }
    }

    fn prepare_writes(&mut self, region: &Region) -> Lowered<()> {
        for step in &region.steps {
            match step {
                Step::Write { place, value, .. } => {
                    self.prepare_write(place, self.width(*value))?
                }
                Step::If { yes, no, .. } => {
                    self.prepare_writes(yes)?;
                    self.prepare_writes(no)?;
                }
                Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
                    self.prepare_writes(body)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The micro-operations of a region, which ends with copies of values; and whether the instruction ends in it.
    fn nested(
        &mut self,
        region: &Region,
        branch: u32,
        after: &[Run],
        values: impl Iterator<Item = Option<ValueId>>,
    ) -> Lowered<(Vec<Micro>, bool)> {
        let outer = std::mem::take(&mut self.out);
        let (since, was_at_top) = (self.log.len(), self.is_at_top);
        self.is_at_top = false;
        self.count_branch(branch);
        self.steps(region)?;
        let ends = std::mem::take(&mut self.is_over);
        if !ends {
            for (run, id) in after.iter().zip(values) {
                let Some(id) = id else { return unsupported("a value that is missing") };
                let value = self.value(id)?;
                self.copy_value(*run, &value)?;
            }
        }
        self.forget(since);
        self.is_at_top = was_at_top;
        Ok((std::mem::replace(&mut self.out, outer), ends))
    }

    /// Counts that a branch is taken, if that is wanted.
    fn count_branch(&mut self, number: u32) {
        if self.context.counts_branches {
            let (opcode, instance) = self.place.numbers;
            self.more(More::Taken(Taken { opcode, instance, number }));
        }
    }

    fn copy_value(&mut self, to: Run, value: &Value) -> Lowered<()> {
        for (at, piece) in value.pieces().iter().enumerate() {
            self.copy(to.first + at as Slot, *piece, bits_of_piece(to.bits, at))?;
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        over: &Over,
        number: ValueId,
        carried: &[Carried],
        body: &Region,
    ) -> Lowered<()> {
        enum Numbers {
            Range(Run, Run, bool),
            Ones(Run),
        }
        let numbers = match over {
            Over::Range { first, last, is_signed } => {
                Numbers::Range(self.run(*first)?, self.run(*last)?, *is_signed)
            }
            Over::Ones(of) => Numbers::Ones(self.run(*of)?),
        };
        self.prepare_jump(body)?;
        self.prepare_writes(body)?;
        // What is raised inside may be read in the next turn.
        self.raising += raising(self, body);
        let mut runs = Vec::new();
        for one in carried {
            let bits = self.width(one.before);
            let run = Run { first: self.fresh_run(pieces(bits))?, bits };
            let before = self.value(one.before)?;
            self.copy_value(run, &before)?;
            let inside = self.of_run(run);
            self.set(one.inside, inside);
            runs.push(run);
        }
        let bits = self.width(number);
        let own = Run { first: self.fresh_run(pieces(bits))?, bits };
        let value = self.of_run(own);
        self.set(number, value);
        let outer = std::mem::take(&mut self.out);
        let (since, was_at_top) = (self.log.len(), self.is_at_top);
        self.is_at_top = false;
        self.count_branch(2 * number.index() as u32);
        self.steps(body)?;
        if std::mem::take(&mut self.is_over) {
            return unsupported("a loop that always ends the instruction");
        }
        // All are computed before any is replaced.
        let mut next = Vec::new();
        for (one, run) in carried.iter().zip(&runs) {
            let value = self.value(one.next)?;
            let apart = Run { first: self.fresh_run(pieces(run.bits))?, bits: run.bits };
            self.copy_value(apart, &value)?;
            next.push(apart);
        }
        for (from, to) in next.iter().zip(&runs) {
            let value = self.of_run(*from);
            self.copy_value(*to, &value)?;
        }
        self.forget(since);
        self.is_at_top = was_at_top;
        let body = std::mem::replace(&mut self.out, outer);
        self.more(match numbers {
            Numbers::Range(first, last, is_signed) => {
                More::Range { first, last, is_signed, number: own, body }
            }
            Numbers::Ones(of) => More::Ones { of, number: own, body },
        });
        for (one, run) in carried.iter().zip(runs) {
            let after = self.of_run(run);
            self.set(one.after, after);
        }
        Ok(())
    }

    /// The end of an instruction: registers are written, and execution goes on.
    fn finish(&mut self) -> Lowered<After> {
        let mut jump = self.jump.take();
        if let Some(jump) = &mut jump {
            // Both are of registers as they were.
            jump.condition = self.kept_apart(jump.condition, 1)?;
            jump.to = self.kept_apart(jump.to, 64)?;
        }
        self.commit()?;
        if self.jumps_somewhere {
            self.out.push(Micro { a: TARGET, ..Micro::new(Kind::Jump) });
            return Ok(After::Elsewhere);
        }
        let Some(jump) = jump else {
            return Ok(if self.leaves { After::Elsewhere } else { After::Next });
        };
        match (jump.condition, jump.to) {
            (Number::Known(0), _) => Ok(After::Next),
            (Number::Known(_), Number::Known(to)) => {
                self.out.push(Micro::new(Kind::Goto));
                Ok(After::Target(to))
            }
            (Number::Known(_), to) => {
                let a = self.clean(to, 64)?;
                self.out.push(Micro { a, ..Micro::new(Kind::Jump) });
                Ok(After::Elsewhere)
            }
            (condition, Number::Known(to)) => {
                let micro = match condition {
                    Number::Compare { op, form, a, b } => branch_on(op, form, a, b),
                    _ => {
                        let a = self.clean(condition, 1)?;
                        branch_on(Binary::NotEqual, Form::Double, a, Right::Known(0))
                    }
                };
                self.out.push(micro);
                Ok(After::Target(to))
            }
            _ => unsupported("a jump"),
        }
    }
}

fn branch_on(op: Binary, form: Form, a: Slot, b: Right) -> Micro {
    let (is_immediate, b, n) = match b {
        Right::Slot(b) => (false, b, 0),
        Right::Known(n) => (true, 0, n),
    };
    Micro { a, b, n, ..Micro::new(Kind::Branch { op, form, is_immediate }) }
}

/// How many operations of a region raise flags.
fn raising(lowering: &Lowering<'_, '_>, region: &Region) -> usize {
    let of = |step: &Step| match step {
        Step::Compute(id) => {
            usize::from(matches!(lowering.code().op(*id), Op::Float { raises: true, .. }))
        }
        Step::If { yes, no, .. } => raising(lowering, yes) + raising(lowering, no),
        Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
            raising(lowering, body)
        }
        _ => 0,
    };
    region.steps.iter().map(of).sum()
}

/// What stands for an instruction that cannot be executed.
pub(crate) fn halted(halt: Halt, at: Slot) -> Micro {
    Micro::more(More::Halt(halt), at)
}
