//! The slots that micro-operations read and write.

use crate::micro::{Micro, More, Run, SettingValue};
use crate::slots::{ACTIVE, RAISED, Slot, pieces};

/// Calls a function with every slot that a micro-operation reads, also inside of it.
pub(crate) fn each_read(micro: &Micro, each: &mut impl FnMut(Slot)) {
    micro.reads().into_iter().flatten().for_each(&mut *each);
    let Some(more) = &micro.more else { return };
    let run = |run: &Run, each: &mut dyn FnMut(Slot)| {
        (0..pieces(run.bits)).for_each(|at| each(run.first + at as Slot));
    };
    match &**more {
        More::If { condition, yes, no } => {
            each(*condition);
            for micro in yes.iter().chain(no) {
                each_read_inside(micro, each);
            }
        }
        More::Range { first, last, body, .. } => {
            run(first, each);
            run(last, each);
            body.iter().for_each(|micro| each_read_inside(micro, each));
        }
        More::Ones { of, body, .. } => {
            run(of, each);
            body.iter().for_each(|micro| each_read_inside(micro, each));
        }
        More::Wide { operands, .. } => operands.iter().for_each(|one| run(one, each)),
        More::Load { address, .. } => each(*address),
        More::Store { address, value, .. } | More::StoreConditional { address, value, .. } => {
            each(*address);
            run(value, each);
        }
        More::ReadRegister { number, first, registers, bits, .. } => {
            each(*number);
            (0..pieces(*bits) * *registers as usize).for_each(|at| each(first + at as Slot));
        }
        More::WriteRegister { number, value, mask, first, registers, bits } => {
            each(*number);
            run(value, each);
            if let Some(mask) = mask {
                run(mask, each);
            }
            (0..pieces(*bits) * *registers as usize).for_each(|at| each(first + at as Slot));
        }
        More::Elapsed { from, .. } => each(*from),
        More::CopyAll { from, count, .. } => {
            (0..*count).for_each(|at| each(from + at as Slot));
        }
        More::Float { arguments, settings, .. } => {
            arguments.iter().for_each(|slot| each(*slot));
            for (_, value) in settings {
                if let SettingValue::Slot(slot) = value {
                    each(*slot);
                }
            }
            each(RAISED);
        }
        More::Call { arguments, .. } | More::Trap { arguments, .. } => {
            arguments.iter().for_each(|one| run(one, each));
        }
        More::Any { first, last, .. } => {
            run(first, each);
            run(last, each);
        }
        More::Ballot { condition, .. } => {
            each(*condition);
            each(ACTIVE);
        }
        More::TakePart { lanes } => {
            each(*lanes);
            each(ACTIVE);
        }
        More::ReadLane { from, lane, .. } => {
            each(*from);
            each(*lane);
        }
        More::WriteLane { to, lane, value, .. } => {
            each(*to);
            each(*lane);
            each(*value);
        }
        More::WriteAll { from, .. } => each(*from),
        // Blocks are not among the slots of one lane.
        More::Lanes(_) | More::Unpredictable | More::Halt(_) | More::Taken { .. } => {}
    }
}

/// A closure that calls itself has no type that ends; this one is behind a pointer.
fn each_read_inside(micro: &Micro, each: &mut dyn FnMut(Slot)) {
    each_read(micro, &mut |slot| each(slot));
}

/// Calls a function with every slot that a micro-operation writes; `false` if that is not known, or decided while it is executed.
pub(crate) fn each_write(micro: &Micro, each: &mut impl FnMut(Slot)) -> bool {
    if micro.has_result() {
        each(micro.d);
    }
    let Some(more) = &micro.more else { return true };
    let result = match &**more {
        More::If { .. }
        | More::Range { .. }
        | More::Ones { .. }
        | More::WriteRegister { .. }
        | More::CopyAll { .. } => return false,
        More::Wide { result, .. }
        | More::Load { result, .. }
        | More::ReadRegister { result, .. }
        | More::Call { result, .. }
        | More::Any { result, .. } => *result,
        More::StoreConditional { result, .. }
        | More::Elapsed { result, .. }
        | More::Ballot { result, .. }
        | More::ReadLane { result, .. } => Run { first: *result, bits: 1 },
        More::TakePart { .. } => Run { first: ACTIVE, bits: 1 },
        More::WriteLane { to, .. } | More::WriteAll { to, .. } => Run { first: *to, bits: 1 },
        More::Float { result, .. } => {
            each(RAISED);
            Run { first: *result, bits: 1 }
        }
        More::Lanes(_)
        | More::Store { .. }
        | More::Trap { .. }
        | More::Unpredictable
        | More::Halt(_)
        | More::Taken(_) => return true,
    };
    (0..pieces(result.bits)).for_each(|at| each(result.first + at as Slot));
    true
}

/// Calls a function with every slot that a micro-operation may write, also inside of it.
pub(crate) fn each_write_inside(micro: &Micro, each: &mut dyn FnMut(Slot)) {
    if each_write(micro, &mut |slot| each(slot)) {
        return;
    }
    match micro.more.as_deref() {
        Some(More::If { yes, no, .. }) => {
            yes.iter().chain(no).for_each(|micro| each_write_inside(micro, each));
        }
        Some(More::Range { number, body, .. } | More::Ones { number, body, .. }) => {
            (0..pieces(number.bits)).for_each(|at| each(number.first + at as Slot));
            body.iter().for_each(|micro| each_write_inside(micro, each));
        }
        Some(More::WriteRegister { first, registers, bits, .. }) => {
            let slots = pieces(*bits) * *registers as usize;
            (0..slots).for_each(|at| each(first + at as Slot));
        }
        Some(More::CopyAll { to, count, .. }) => {
            (0..*count).for_each(|at| each(to + at as Slot));
        }
        _ => {}
    }
}
