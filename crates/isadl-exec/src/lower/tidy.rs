//! Micro-operations that are not needed go: values that nothing reads, and copies into registers of values that could have been computed
//! there.

use std::collections::HashMap;

use crate::micro::{Kind, Micro, More, Run, SettingValue};
use crate::slots::{Slot, pieces};

/// Tidies the micro-operations of an instruction. Slots from `values` on are the instruction's own.
pub(super) fn tidy(micros: &mut Vec<Micro>, values: Slot) {
    if micros.len() > 1 {
        compute_in_place(micros, values);
        remove_unread(micros, values);
    }
}

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
            each(crate::slots::RAISED);
        }
        More::Call { arguments, .. } | More::Trap { arguments, .. } => {
            arguments.iter().for_each(|one| run(one, each));
        }
        More::Any { first, last, .. } => {
            run(first, each);
            run(last, each);
        }
        More::Unpredictable | More::Halt(_) | More::Taken { .. } => {}
    }
}

/// A closure that calls itself has no type that ends; this one is behind a pointer.
fn each_read_inside(micro: &Micro, each: &mut dyn FnMut(Slot)) {
    each_read(micro, &mut |slot| each(slot));
}

/// A copy from a value into a register, where the value is computed once and read by nothing else, is computed in the register.
fn compute_in_place(micros: &mut Vec<Micro>, values: Slot) {
    let mut reads: HashMap<Slot, usize> = HashMap::new();
    for micro in micros.iter() {
        each_read(micro, &mut |slot| *reads.entry(slot).or_default() += 1);
    }
    let mut at = 0;
    while at < micros.len() {
        let (kind, d, a) = (micros[at].kind, micros[at].d, micros[at].a);
        let is_candidate = kind == Kind::Copy && a >= values && d < values && reads[&a] == 1;
        if is_candidate && let Some(from) = producer(micros, at, d, a) {
            micros[from].d = d;
            micros.remove(at);
        } else {
            at += 1;
        }
    }
}

/// The micro-operation that computes `a`, if nothing between it and the copy at `end` minds that it is in `d`.
fn producer(micros: &[Micro], end: usize, d: Slot, a: Slot) -> Option<usize> {
    for from in (0..end).rev() {
        let micro = &micros[from];
        if micro.has_result() && micro.d == a {
            return Some(from);
        }
        if micro.may_stop() || micro.d == d && micro.has_result() {
            return None;
        }
        let mut is_read = false;
        each_read(micro, &mut |slot| is_read |= slot == d);
        if is_read {
            return None;
        }
    }
    None
}

fn remove_unread(micros: &mut Vec<Micro>, values: Slot) {
    let mut read = std::collections::HashSet::new();
    let mut kept = vec![true; micros.len()];
    for (at, micro) in micros.iter().enumerate().rev() {
        let is_load = matches!(micro.kind, Kind::Load { .. });
        let is_needed =
            !micro.has_result() || is_load || micro.d < values || read.contains(&micro.d);
        kept[at] = is_needed;
        if is_needed {
            each_read(micro, &mut |slot| {
                read.insert(slot);
            });
        }
    }
    let mut kept = kept.into_iter();
    micros.retain(|_| kept.next().unwrap_or(true));
}
