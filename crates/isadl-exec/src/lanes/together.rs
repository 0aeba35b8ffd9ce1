//! Operations across lanes, and operations that run lane by lane.

use crate::micro::Lanes;
use crate::node::{FELL, List, run};
use crate::slots::{ACTIVE, Slot, Slots, get, set};
use crate::state::Core;

/// Executes an operation; `lists` has the nodes of its branches or of its lane-by-lane body.
pub(crate) fn execute(slots: &mut Slots, core: &mut Core, lanes: &Lanes, lists: &[List]) -> u64 {
    match lanes {
        // These have functions of their own.
        Lanes::Each { .. } => FELL,
        Lanes::Single { before, after, has_effect, .. } => {
            single(slots, core, (before, after, *has_effect), &lists[0])
        }
        // Nothing is done if no lane takes part.
        Lanes::Once { .. } => match core.lanes & get(slots, ACTIVE) {
            0 => FELL,
            _ => run(slots, core, &lists[0]),
        },
        Lanes::If { condition, .. } => {
            let outer = core.lanes;
            let yes = bits(slots, *condition, core.lane_count);
            let mut result = FELL;
            for (lanes, list) in [(outer & yes, &lists[0]), (outer & !yes, &lists[1])] {
                if lanes != 0 && result == FELL {
                    core.lanes = lanes;
                    result = run(slots, core, list);
                }
            }
            core.lanes = outer;
            result
        }
        Lanes::Ballot { condition, is_block, result } => {
            let holds = match is_block {
                true => bits(slots, *condition, core.lane_count),
                false => get(slots, *condition).wrapping_neg(),
            };
            let found = holds & core.lanes & get(slots, ACTIVE);
            set(slots, *result, found);
            FELL
        }
        Lanes::Gather { from, lane, result } => {
            for at in 0..core.lane_count {
                if core.lanes >> at & 1 != 0 {
                    let lane = slots[usize::from(*lane) + at] as usize % core.lane_count;
                    slots[usize::from(*result) + at] = slots[usize::from(*from) + lane];
                }
            }
            FELL
        }
        Lanes::Pick { from, lane, result } => {
            let lane = get(slots, *lane) as usize % core.lane_count;
            set(slots, *result, slots[usize::from(*from) + lane]);
            FELL
        }
        Lanes::Copy { from, to } => {
            let from = usize::from(*from);
            slots.copy_within(from..from + core.lane_count, usize::from(*to));
            FELL
        }
        Lanes::Put { to, lane, value, mask } => {
            let at = usize::from(*to) + get(slots, *lane) as usize % core.lane_count;
            slots[at] = slots[at] & !mask | get(slots, *value) & mask;
            FELL
        }
    }
}

/// A bit for each lane, of a block of bits.
fn bits(slots: &Slots, block: Slot, count: usize) -> u64 {
    let block = &slots[usize::from(block)..usize::from(block) + count];
    let mut all = 0;
    for (lane, bit) in block.iter().enumerate() {
        all |= (bit & 1) << lane;
    }
    all
}

type Moves<'m> = (&'m [(Slot, Slot)], &'m [(Slot, Slot)], bool);

/// Runs a list for each lane: copies its values into the slots of one lane, and the results back.
fn single(
    slots: &mut Slots,
    core: &mut Core,
    (before, after, has_effect): Moves<'_>,
    list: &List,
) -> u64 {
    let active = get(slots, ACTIVE);
    let lanes = core.lanes & if has_effect { active } else { u64::MAX };
    for lane in (0..core.lane_count).filter(|lane| lanes >> lane & 1 != 0) {
        for (slot, block) in before {
            set(slots, *slot, slots[usize::from(*block) + lane]);
        }
        let result = run(slots, core, list);
        if result != FELL {
            return result;
        }
        for (slot, block) in after {
            slots[usize::from(*block) + lane] = get(slots, *slot);
        }
    }
    FELL
}
