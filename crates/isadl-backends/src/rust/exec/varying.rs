//! Programs that several lanes do together: the registers and values that each lane has of its own.

use std::collections::BTreeSet;

use isadl_ir::isa::RegFileId;
use isadl_semantics::ir::{Op, Over, Place, Region, Step, ValueId};
use isadl_semantics::program;

use super::unit::{Unit, has_effect, is_pure};

/// The lanes of a program.
pub(super) struct Lanes {
    /// The files that exist once per lane.
    files: BTreeSet<RegFileId>,
    /// For each value, whether lanes may have different ones.
    varying: Vec<bool>,
}

impl Lanes {
    pub(super) fn of(unit: &Unit<'_>, lanes: &program::Lanes) -> Lanes {
        let varying = vec![false; unit.code.values.len()];
        let mut own = Lanes { files: lanes.files.clone(), varying };
        // Loops carry values to their next turn.
        loop {
            let before = own.count();
            own.find(unit, &unit.code.body, false);
            if own.count() == before {
                return own;
            }
        }
    }

    fn count(&self) -> usize {
        self.varying.iter().filter(|varies| **varies).count()
    }

    pub(super) fn has(&self, file: RegFileId) -> bool {
        self.files.contains(&file)
    }

    pub(super) fn is_varying(&self, id: ValueId) -> bool {
        self.varying[id.index()]
    }

    /// Whether each lane has a place of its own, or may mean another.
    pub(super) fn is_place_varying(&self, unit: &Unit<'_>, place: &Place) -> bool {
        if let Place::OfLane { lane, .. } = place {
            return self.is_varying(*lane);
        }
        let mut varies = false;
        place.operands(&mut |id| varies |= self.is_varying(id));
        varies || unit.targets(place).iter().any(|target| target.is_some_and(|file| self.has(file)))
    }

    /// Goes through the steps of a region; `is_divided` if only some lanes do them.
    fn find(&mut self, unit: &Unit<'_>, region: &Region, is_divided: bool) {
        for step in &region.steps {
            match step {
                Step::Compute(id) => {
                    let varies = self.result_varies(unit, *id, is_divided);
                    self.varying[id.index()] |= varies;
                }
                Step::If { condition, yes, no, merges } => {
                    let is_other = self.is_varying(*condition);
                    self.find(unit, yes, is_divided || is_other);
                    self.find(unit, no, is_divided || is_other);
                    for merge in merges {
                        let mut from = merge.yes.iter().chain(&merge.no);
                        let varies = is_other || from.any(|id| self.is_varying(*id));
                        self.varying[merge.after.index()] |= varies;
                    }
                }
                Step::Loop { over, number, carried, body } => {
                    let is_other = self.has_varying_numbers(over);
                    self.varying[number.index()] |= is_other;
                    for one in carried {
                        let varies =
                            is_other || self.is_varying(one.before) || self.is_varying(one.next);
                        self.varying[one.inside.index()] |= varies;
                        self.varying[one.after.index()] |= varies;
                    }
                    self.find(unit, body, is_divided || is_other);
                }
                Step::Atomic(body) | Step::Labelled { body, .. } => {
                    self.find(unit, body, is_divided);
                }
                _ => {}
            }
        }
    }

    pub(super) fn has_varying_numbers(&self, over: &Over) -> bool {
        match over {
            Over::Range { first, last, .. } => self.is_varying(*first) || self.is_varying(*last),
            Over::Ones(of) => self.is_varying(*of),
        }
    }

    fn result_varies(&self, unit: &Unit<'_>, id: ValueId, is_divided: bool) -> bool {
        let op = unit.code.op(id);
        match op {
            Op::Lane => true,
            // Flags belong to all lanes.
            Op::Active | Op::Ballot(_) | Op::Raised => false,
            Op::Read(place) => self.is_place_varying(unit, place),
            _ => {
                let mut varies = is_divided && has_effect(op);
                op.operands(|operand| varies |= self.is_varying(operand));
                varies
            }
        }
    }

    /// Whether a step is the same for all lanes, so that it is done once.
    pub(super) fn is_shared(&self, unit: &Unit<'_>, step: &Step, is_divided: bool) -> bool {
        let all = |region: &Region| {
            region.steps.iter().all(|step| self.is_shared(unit, step, is_divided))
        };
        match step {
            Step::Compute(id) => {
                !(self.is_varying(*id) || is_divided && has_effect(unit.code.op(*id)))
            }
            Step::Write { place: Place::OfLane { .. }, .. } => false,
            Step::Write { place, .. } => !self.is_place_varying(unit, place),
            Step::Store { .. } | Step::Lanes(_) | Step::Commit => false,
            Step::Jump(_) | Step::Unpredictable => !is_divided,
            Step::Trap { arguments, .. } => {
                !is_divided && !arguments.iter().any(|id| self.is_varying(*id))
            }
            Step::If { condition, yes, no, merges } => {
                !self.is_varying(*condition)
                    && all(yes)
                    && all(no)
                    && !merges.iter().any(|merge| self.is_varying(merge.after))
            }
            Step::Loop { over, carried, body, .. } => {
                !self.has_varying_numbers(over)
                    && all(body)
                    && !carried.iter().any(|one| self.is_varying(one.after))
            }
            Step::Atomic(body) | Step::Labelled { body, .. } => all(body),
        }
    }
}

/// Whether each lane can do a region alone, since nothing in it can be noticed by others.
pub(super) fn is_alone(unit: &Unit<'_>, region: &Region) -> bool {
    region.steps.iter().all(|step| is_step_alone(unit, step))
}

/// Whether each lane can do a step alone.
pub(super) fn is_step_alone(unit: &Unit<'_>, step: &Step) -> bool {
    match step {
        Step::Compute(id) => {
            let op = unit.code.op(*id);
            let is_other = is_pure(op) || matches!(op, Op::Lane | Op::Read(_) | Op::Float { .. });
            is_other && !has_effect(op)
        }
        Step::If { yes, no, .. } => is_alone(unit, yes) && is_alone(unit, no),
        Step::Loop { body, .. } => is_alone(unit, body),
        _ => false,
    }
}

/// The values that steps inside of a step define.
pub(super) fn defined_in(step: &Step, found: &mut BTreeSet<ValueId>) {
    match step {
        Step::Compute(id) => {
            found.insert(*id);
        }
        Step::If { yes, no, merges, .. } => {
            yes.steps.iter().chain(&no.steps).for_each(|step| defined_in(step, found));
            found.extend(merges.iter().map(|merge| merge.after));
        }
        Step::Loop { number, carried, body, .. } => {
            body.steps.iter().for_each(|step| defined_in(step, found));
            found.insert(*number);
            found.extend(carried.iter().flat_map(|one| [one.inside, one.after]));
        }
        Step::Atomic(body) | Step::Labelled { body, .. } => {
            body.steps.iter().for_each(|step| defined_in(step, found));
        }
        _ => {}
    }
}
