//! The optimizer for blocks of micro-operations.
//!
//! The forward pass collects facts about slots ([`facts`]) and replaces micro-operations by simpler ones ([`rules`], [`conditions`]). The
//! backward pass removes results that nothing reads ([`unread`]). Wherever execution may stop, registers have the same values as
//! without the optimizer.

mod conditions;
mod facts;
mod rules;
mod unread;

use crate::micro::Micro;
use crate::slots::Slot;
use facts::Facts;

/// A limit for replacements of one micro-operation. Every rule simplifies, so only a faulty rule reaches it.
const TURNS: usize = 64;

/// Optimizes the micro-operations of a block. Slots from `values` on hold temporary values, those below hold registers; `ones` gives the
/// bits of a register that can be 1. `ends` are the numbers of micro-operations up to the end of each instruction.
pub(crate) fn optimize(
    micros: &mut Vec<Micro>,
    ends: &mut [usize],
    values: Slot,
    ones: impl Fn(Slot) -> u64,
) {
    let mut facts = Facts::new(&ones);
    for micro in micros.iter_mut() {
        for _ in 0..TURNS {
            rules::take_originals(&facts, micro);
            match rules::simplified(&facts, micro) {
                Some(simpler) => *micro = Micro { d: micro.d, ..simpler },
                None => break,
            }
        }
        facts.add(micro);
    }
    unread::remove(micros, ends, values);
}
