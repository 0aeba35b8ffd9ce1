//! The micro-operations of a block become fewer: what one instruction says about a value serves those that follow, and results that nothing
//! reads are not computed.
//!
//! The first pass goes forwards with what is known of each slot ([`facts`]), and replaces micro-operations by simpler ones ([`rules`],
//! [`conditions`]). The second goes backwards, and removes ([`unread`]). Registers stay as the machine promises: where execution may stop,
//! they have the values that the instructions before gave them.

mod conditions;
mod facts;
mod rules;
mod unread;

use crate::micro::Micro;
use crate::slots::Slot;
use facts::Facts;

/// How often a micro-operation is replaced by a simpler one. Each rule makes it simpler, so this only keeps a fault from being a hang.
const TURNS: usize = 64;

/// Makes the micro-operations of a block fewer. Slots from `values` on belong to instructions, those below to the machine; `ones` says which
/// bits of these may be 1.
pub(crate) fn optimize(micros: &mut Vec<Micro>, values: Slot, ones: impl Fn(Slot) -> u64) {
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
    unread::remove(micros, values);
}
