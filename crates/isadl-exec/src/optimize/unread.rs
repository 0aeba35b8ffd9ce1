//! Results that nothing reads.

use std::collections::HashSet;

use crate::micro::{Kind, Micro};
use crate::reads::{each_read, each_write};
use crate::slots::Slot;

/// Removes micro-operations whose results are not read: values of instructions, and registers that are written again before execution can
/// stop.
pub(super) fn remove(micros: &mut Vec<Micro>, ends: &mut [usize], values: Slot) {
    // Values that are read later, and registers that are written later.
    let (mut read, mut written) = (HashSet::new(), HashSet::new());
    let mut kept = vec![true; micros.len()];
    let stops = stops_behind(micros, ends);
    for (at, micro) in micros.iter().enumerate().rev() {
        if stops.contains(&at) {
            written.clear();
        }
        let is_load = matches!(micro.kind, Kind::Load { .. });
        let is_value = micro.d >= values;
        let is_unread =
            if is_value { !read.contains(&micro.d) } else { written.contains(&micro.d) };
        kept[at] = !micro.has_result() || is_load || !is_unread;
        if !kept[at] {
            continue;
        }
        if micro.has_result() {
            each_write(micro, &mut |slot| {
                read.remove(&slot);
                written.insert(slot);
            });
        }
        if micro.may_stop() {
            written.clear();
        }
        each_read(micro, &mut |slot| {
            read.insert(slot);
            written.remove(&slot);
        });
    }
    let (mut at, mut left) = (0, 0);
    for end in ends {
        left += kept[at..*end].iter().filter(|kept| **kept).count();
        at = std::mem::replace(end, left);
    }
    let mut kept = kept.into_iter();
    micros.retain(|_| kept.next().unwrap_or(true));
}

/// The last micro-operations of instructions that may store: execution may stop behind them, if translated instructions have changed.
fn stops_behind(micros: &[Micro], ends: &[usize]) -> HashSet<usize> {
    let mut first = 0;
    let mut stops = HashSet::new();
    for end in ends {
        if micros[first..*end].iter().any(Micro::may_store) {
            stops.insert(end - 1);
        }
        first = *end;
    }
    stops
}
