//! What each micro-operation does.

use crate::formulas::{self, Calls, DOUBLE, Formula, WORD, computed};
use crate::memory::{Access, Memory};
use crate::micro::{Form, Kind, Micro};
use crate::more;
use crate::node::{Call, FELL, JUMPED, Node, Nodes, STOPPED, TAKEN, go_on, go_on_after_store};
use crate::slots::{Slots, get, set};
use crate::state::Core;

/// Micro-operations that compute one number.
struct Single;

impl Calls for Single {
    fn of<F: Formula>() -> Call {
        single::<F>
    }
}

fn single<F: Formula>(slots: &mut Slots, core: &mut Core, nodes: Nodes<'_>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    let operand = |at: usize, slot| if at < F::OPERANDS { get(slots, slot) } else { 0 };
    let value = F::value(node, operand(0, node.a), operand(1, node.b), operand(2, node.c));
    set(slots, node.d, value);
    go_on(slots, core, nodes)
}

fn branch<const OP: usize, const FORM: usize>(
    slots: &mut Slots,
    core: &mut Core,
    nodes: Nodes<'_>,
) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    if computed::<OP, FORM>(get(slots, node.a), get(slots, node.b)) != 0 {
        return TAKEN;
    }
    go_on(slots, core, nodes)
}

fn branch_immediate<const OP: usize, const FORM: usize>(
    slots: &mut Slots,
    core: &mut Core,
    nodes: Nodes<'_>,
) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    if computed::<OP, FORM>(get(slots, node.a), node.n) != 0 {
        return TAKEN;
    }
    go_on(slots, core, nodes)
}

/// Numbers as loads and stores have them: 1, 2, 4 or 8 bytes.
trait Number {
    const BYTES: u64;
    /// What is loaded, with zeros above.
    fn load(memory: &Memory, address: u64) -> Option<u64>;
    /// The same by the slow path.
    fn load_slowly(memory: &Memory, address: u64) -> Option<u64>;
    fn store(memory: &mut Memory, address: u64, value: u64) -> Option<()>;
    fn store_slowly(memory: &mut Memory, address: u64, value: u64) -> Option<()>;
}

macro_rules! number {
    ($($name:ident)*) => {$(
        impl Number for $name {
            const BYTES: u64 = size_of::<$name>() as u64;

            #[inline(always)]
            fn load(memory: &Memory, address: u64) -> Option<u64> {
                Some($name::from_le_bytes(memory.load(address)?).into())
            }

            fn load_slowly(memory: &Memory, address: u64) -> Option<u64> {
                let bytes = memory.bytes(address, Self::BYTES, Access::READ).ok()?;
                Some($name::from_le_bytes(*bytes.first_chunk()?).into())
            }

            #[inline(always)]
            fn store(memory: &mut Memory, address: u64, value: u64) -> Option<()> {
                memory.store(address, (value as $name).to_le_bytes())
            }

            fn store_slowly(memory: &mut Memory, address: u64, value: u64) -> Option<()> {
                memory.write(address, &(value as $name).to_le_bytes()).ok()
            }
        }
    )*};
}

number!(u8 u16 u32 u64);

/// A number with copies of its highest bit above.
#[inline(always)]
fn extended<T: Number, const SIGNED: bool>(value: u64) -> u64 {
    let up = 64 - 8 * T::BYTES;
    if SIGNED { ((value << up) as i64 >> up) as u64 } else { value }
}

fn load<T: Number, const SIGNED: bool>(
    slots: &mut Slots,
    core: &mut Core,
    nodes: Nodes<'_>,
) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    let address = get(slots, node.a).wrapping_add(node.n);
    let Some(value) = T::load(&core.memory, address) else {
        return load_slowly::<T, SIGNED>(slots, core, node, nodes);
    };
    set(slots, node.d, extended::<T, SIGNED>(value));
    go_on(slots, core, nodes)
}

/// A load across pages, or one that is not allowed. It takes the place of the fast one, which needs no registers for it.
#[cold]
#[inline(never)]
fn load_slowly<T: Number, const SIGNED: bool>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    nodes: Nodes<'_>,
) -> u64 {
    let address = get(slots, node.a).wrapping_add(node.n);
    let Some(value) = T::load_slowly(&core.memory, address) else {
        return core.load_fault(0, address, T::BYTES, node.c);
    };
    set(slots, node.d, extended::<T, SIGNED>(value));
    go_on(slots, core, nodes)
}

fn store<T: Number>(slots: &mut Slots, core: &mut Core, nodes: Nodes<'_>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    let address = get(slots, node.a).wrapping_add(node.n);
    if T::store(&mut core.memory, address, get(slots, node.b)).is_none() {
        return store_slowly::<T>(slots, core, node, nodes);
    }
    go_on(slots, core, nodes)
}

/// A store across pages, into translated instructions, or one that is not allowed.
#[cold]
#[inline(never)]
fn store_slowly<T: Number>(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    nodes: Nodes<'_>,
) -> u64 {
    let address = get(slots, node.a).wrapping_add(node.n);
    if T::store_slowly(&mut core.memory, address, get(slots, node.b)).is_none() {
        return core.store_fault(0, address, T::BYTES, node.c);
    }
    go_on_after_store(slots, core, nodes)
}

fn goto(_: &mut Slots, _: &mut Core, _: Nodes<'_>) -> u64 {
    TAKEN
}

fn jump(slots: &mut Slots, core: &mut Core, nodes: Nodes<'_>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    core.pc = get(slots, node.a);
    JUMPED
}

fn rare(slots: &mut Slots, core: &mut Core, nodes: Nodes<'_>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    extra(slots, core, node, nodes)
}

pub(crate) fn extra(slots: &mut Slots, core: &mut Core, node: &Node, nodes: Nodes<'_>) -> u64 {
    let Some(extra) = &node.more else { return STOPPED };
    match more::execute(slots, core, extra, node.c) {
        FELL => go_on(slots, core, nodes),
        other => other,
    }
}

/// The same for what may store.
fn storing_extra(slots: &mut Slots, core: &mut Core, nodes: Nodes<'_>) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return FELL };
    let Some(extra) = &node.more else { return STOPPED };
    match more::execute(slots, core, extra, node.c) {
        FELL => go_on_after_store(slots, core, nodes),
        other => other,
    }
}

/// Calls a macro for the number of every comparison.
macro_rules! of_comparison {
    ($op:expr, $form:expr, $name:ident) => {
        match $form {
            Form::Double => of_number!($op, $name, DOUBLE; 20 21 22 23 24 25),
            Form::Word | Form::WordSigned => of_number!($op, $name, WORD; 20 21 22 23 24 25),
        }
    };
}

macro_rules! of_number {
    ($op:expr, $name:ident, $form:ident; $($number:literal)*) => {
        match $op as usize {
            $($number => $name::<$number, $form>,)*
            // INVARIANT: branches compare, and these are the numbers of all comparisons.
            _ => unreachable!("a branch that compares nothing"),
        }
    };
}

/// The function of a micro-operation.
pub(crate) fn call(micro: &Micro) -> Call {
    if let Some(call) = formulas::call::<Single>(micro.kind) {
        return call;
    }
    match micro.kind {
        Kind::Branch { op, form, is_immediate: false } => of_comparison!(op, form, branch),
        Kind::Branch { op, form, is_immediate: true } => of_comparison!(op, form, branch_immediate),
        Kind::Load { bytes: 1, is_signed: false } => load::<u8, false>,
        Kind::Load { bytes: 2, is_signed: false } => load::<u16, false>,
        Kind::Load { bytes: 4, is_signed: false } => load::<u32, false>,
        Kind::Load { bytes: 1, is_signed: true } => load::<u8, true>,
        Kind::Load { bytes: 2, is_signed: true } => load::<u16, true>,
        Kind::Load { bytes: 4, is_signed: true } => load::<u32, true>,
        Kind::Load { .. } => load::<u64, false>,
        Kind::Store { bytes: 1 } => store::<u8>,
        Kind::Store { bytes: 2 } => store::<u16>,
        Kind::Store { bytes: 4 } => store::<u32>,
        Kind::Store { .. } => store::<u64>,
        Kind::Goto => goto,
        Kind::Jump => jump,
        _ if micro.may_store() => storing_extra,
        _ => rare,
    }
}
