//! Loops over the numbers of lanes.

use crate::micro::{Kind, Lanes, Micro, More};
use crate::node::{Call, Node, run};
use crate::ops::{Numbers, computed, get, numbers_of};
use crate::slots::{ACTIVE, MAX_LANES, Slot, Slots};
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

/// Computes the numbers of all lanes of as many operands.
#[inline(always)]
fn compute<const OPERANDS: usize>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
    of: impl Fn(u64, u64, u64) -> u64,
) -> u64 {
    // The common counts have loops of their own.
    match core.lane_count {
        32 => compute_all::<OPERANDS, 32>(slots, core, node, of),
        _ => compute_all::<OPERANDS, MAX_LANES>(slots, core, node, of),
    }
    run(slots, core, rest)
}

#[inline(always)]
fn compute_all<const OPERANDS: usize, const LANES: usize>(
    slots: &mut Slots,
    core: &Core,
    node: &Node,
    of: impl Fn(u64, u64, u64) -> u64,
) {
    let Some(More::Lanes(Lanes::Each { are_blocks, is_register })) =
        node.more.as_deref().map(|extra| &extra.more)
    else {
        return;
    };
    let operand = |at: usize, slot| match at < OPERANDS {
        true => operand(slots, slot, are_blocks[at]),
        false => [0; LANES],
    };
    let (a, b, c) = (operand(0, node.a), operand(1, node.b), operand(2, node.c));
    let mut all = [0; LANES];
    for lane in 0..LANES {
        all[lane] = of(a[lane], b[lane], c[lane]);
    }
    let lanes = core.lanes & if *is_register { get(slots, ACTIVE) } else { u64::MAX };
    put::<LANES>(slots, lanes, core.lane_count, (node.d, all));
}

/// Binary operations on the numbers of lanes.
struct Binary;
/// The same with a number on the right side.
struct Immediate;

impl Numbers for Binary {
    fn call<const OP: usize, const FORM: usize>() -> Call {
        |slots, core, node, rest| {
            compute::<2>(slots, core, node, rest, |a, b, _| computed::<OP, FORM>(a, b))
        }
    }
}

impl Numbers for Immediate {
    fn call<const OP: usize, const FORM: usize>() -> Call {
        |slots, core, node, rest| {
            let n = node.n;
            compute::<1>(slots, core, node, rest, |a, _, _| computed::<OP, FORM>(a, n))
        }
    }
}

macro_rules! simple {
    ($($name:ident<$operands:literal> = |$node:ident| |$a:ident, $b:ident, $c:ident| $value:expr;)*) => {$(
        fn $name(slots: &mut Slots, core: &mut Core, $node: &Node, rest: &[Node]) -> u64 {
            compute::<$operands>(slots, core, $node, rest, |$a, $b, $c| $value)
        }
    )*};
}

simple! {
    number<0> = |node| |_a, _b, _c| node.n;
    copy<1> = |node| |a, _b, _c| a;
    bits<1> = |node| |a, _b, _c| a >> (node.c & 63) & node.n;
    signed_bits<1> = |node| |a, _b, _c| ((a << (node.b & 63)) as i64 >> (node.c & 63)) as u64;
    beside<2> = |node| |a, b, _c| a | b << (node.c & 63);
    insert<2> = |node| |a, b, _c| a & !node.n | b & node.n;
    select<3> = |node| |a, b, c| if a != 0 { b } else { c };
    table<1> = |node| |a, _b, _c| node.n >> (8 * (a & 7)) & 0xff;
    count<1> = |node| |a, _b, _c| a.count_ones().into();
    leading_zeros<1> = |node| |a, _b, _c| (a.leading_zeros() + u32::from(node.c)).wrapping_sub(64).into();
    trailing_zeros<1> = |node| |a, _b, _c| a.trailing_zeros().min(node.c.into()).into();
    reverse<1> = |node| |a, _b, _c| a.reverse_bits() >> ((64 - node.c) & 63);
}

/// The function of a micro-operation of all lanes, if it is a loop over numbers.
pub(crate) fn call(micro: &Micro) -> Option<Call> {
    let Some(More::Lanes(Lanes::Each { .. })) = micro.more.as_deref() else { return None };
    Some(match micro.kind {
        Kind::Binary { op, form, is_immediate: false } => numbers_of::<Binary>(op, form),
        Kind::Binary { op, form, is_immediate: true } => numbers_of::<Immediate>(op, form),
        Kind::Number => number,
        Kind::Copy => copy,
        Kind::Bits => bits,
        Kind::SignedBits => signed_bits,
        Kind::Beside => beside,
        Kind::Insert => insert,
        Kind::Select => select,
        Kind::Table => table,
        Kind::Count => count,
        Kind::LeadingZeros => leading_zeros,
        Kind::TrailingZeros => trailing_zeros,
        Kind::Reverse => reverse,
        _ => return None,
    })
}
