//! Loops over the numbers of lanes.

use crate::formulas::{self, Calls, Formula};
use crate::micro::{Lanes, Micro, More};
use crate::node::{Call, FELL, Node, Nodes, go_on};
use crate::slots::{ACTIVE, MAX_LANES, Slot, Slots, get};
use crate::state::Core;

/// The numbers of an operand in as many lanes, the same in all unless it is a block.
#[inline(always)]
fn operand<const LANES: usize>(slots: &Slots, slot: Slot, is_block: bool) -> [u64; LANES] {
    let block = slots[usize::from(slot)..].first_chunk();
    match block {
        Some(block) if is_block => *block,
        _ => [get(slots, slot); LANES],
    }
}

/// Puts numbers into a block, for the lanes that come here and, if it is a register, take part.
#[inline(always)]
fn put<const LANES: usize>(
    slots: &mut Slots,
    lanes: u64,
    count: usize,
    (d, block): (Slot, [u64; LANES]),
) {
    let all = u64::MAX >> (64 - count);
    let Some(own) = slots[usize::from(d)..].first_chunk_mut::<LANES>() else { return };
    // Blocks are as long as there are lanes, which may be fewer.
    if lanes & all == all && count == LANES {
        *own = block;
        return;
    }
    for lane in 0..count.min(LANES) {
        let is_one = (lanes >> lane & 1).wrapping_neg();
        own[lane] = own[lane] & !is_one | block[lane] & is_one;
    }
}

/// Micro-operations that compute the numbers of all lanes.
struct EachLane;

impl Calls for EachLane {
    fn of<F: Formula>() -> Call {
        each::<F>
    }
}

fn each<F: Formula>(slots: &mut Slots, core: &mut Core, nodes: Nodes<'_>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    // The common counts have loops of their own.
    match core.lane_count {
        32 => compute::<F, 32>(slots, core, node),
        _ => compute::<F, MAX_LANES>(slots, core, node),
    }
    go_on(slots, core, nodes)
}

/// Not a part of its caller, whose frame would be as large as its arrays, and could stay until the end of the block.
#[inline(never)]
fn compute<F: Formula, const LANES: usize>(slots: &mut Slots, core: &Core, node: &Node) {
    let Some(More::Lanes(Lanes::Each { are_blocks, is_register })) =
        node.more.as_deref().map(|extra| &extra.more)
    else {
        return;
    };
    let operand = |at: usize, slot| match at < F::OPERANDS {
        true => operand(slots, slot, are_blocks[at]),
        false => [0; LANES],
    };
    let (a, b, c) = (operand(0, node.a), operand(1, node.b), operand(2, node.c));
    let mut all = [0; LANES];
    for lane in 0..LANES {
        all[lane] = F::value(node, a[lane], b[lane], c[lane]);
    }
    let lanes = core.lanes & if *is_register { get(slots, ACTIVE) } else { u64::MAX };
    put::<LANES>(slots, lanes, core.lane_count, (node.d, all));
}

/// The function of a micro-operation of all lanes, if it only computes.
pub(crate) fn call(micro: &Micro) -> Option<Call> {
    match micro.more.as_deref() {
        Some(More::Lanes(Lanes::Each { .. })) => formulas::call::<EachLane>(micro.kind),
        _ => None,
    }
}
