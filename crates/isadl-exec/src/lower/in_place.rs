//! Values are computed in the registers into which they would be copied.

use std::collections::HashMap;

use crate::micro::{Kind, Micro};
use crate::reads::each_read;
use crate::slots::Slot;

/// A copy from a value into a register, where the value is computed once and read by nothing else, is computed in the register. Slots from
/// `values` on are the instruction's own.
pub(super) fn compute_in_place(micros: &mut Vec<Micro>, values: Slot) {
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
