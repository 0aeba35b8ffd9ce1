//! Micro-operations as they are executed: each with its function, one after the other in memory.
//!
//! A function does its operation and calls that of the next node. It has one word as its result, so the compiler makes a jump of this
//! call. Nothing guarantees that; therefore blocks are short, and return to whoever called them.

use crate::micro::{Lanes, Micro, More};
use crate::slots::{Slot, Slots};
use crate::state::Core;

/// The function of a node: the slots, everything else of the machine, the node, and those that follow.
pub(crate) type Call = fn(&mut Slots, &mut Core, &Node, &[Node]) -> u64;

/// A micro-operation and its function.
pub(crate) struct Node {
    call: Call,
    pub(crate) n: u64,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    pub(crate) more: Option<Box<Extra>>,
}

/// What a node has beside its operands.
pub(crate) struct Extra {
    pub(crate) more: More,
    /// The lists of branches and loops.
    pub(crate) lists: Vec<Box<[Node]>>,
}

/// Execution goes on behind the block.
pub(crate) const FELL: u64 = 0;
/// Execution goes on at the target of the block.
pub(crate) const TAKEN: u64 = 1;
/// Execution goes on at [`Core::pc`].
pub(crate) const JUMPED: u64 = 2;
/// Execution stops; [`Core::stop`] says why.
pub(crate) const STOPPED: u64 = 3;
/// From this number on: the block was left behind the instruction whose number in it is the rest, since translated instructions may
/// have changed.
pub(crate) const LEFT: u64 = 4;

impl Node {
    /// Nodes of micro-operations, with the function of each kind.
    pub(crate) fn list(micros: Vec<Micro>, call: fn(&Micro) -> Call) -> Box<[Node]> {
        micros.into_iter().map(|micro| Node::new(micro, call)).collect()
    }

    fn new(micro: Micro, of: fn(&Micro) -> Call) -> Node {
        let call = of(&micro);
        let Micro { d, a, b, c, n, more, .. } = micro;
        Node { call, n, d, a, b, c, more: more.map(|more| Box::new(Extra::new(*more, of))) }
    }
}

impl Extra {
    fn new(mut more: More, of: fn(&Micro) -> Call) -> Extra {
        let lists = match &mut more {
            More::If { yes, no, .. } => vec![std::mem::take(yes), std::mem::take(no)],
            More::Range { body, .. }
            | More::Ones { body, .. }
            | More::Lanes(Lanes::Single { body, .. } | Lanes::Once { body }) => {
                vec![std::mem::take(body)]
            }
            More::Lanes(Lanes::If { yes, no, .. }) => vec![std::mem::take(yes), std::mem::take(no)],
            _ => Vec::new(),
        };
        Extra { more, lists: lists.into_iter().map(|list| Node::list(list, of)).collect() }
    }
}

/// Executes nodes.
#[inline(always)]
pub(crate) fn run(slots: &mut Slots, core: &mut Core, nodes: &[Node]) -> u64 {
    match nodes.split_first() {
        Some((node, rest)) => (node.call)(slots, core, node, rest),
        None => FELL,
    }
}

/// The same, after a node that may have stored. If that was where translated instructions are, this instruction is the last.
#[inline(always)]
pub(crate) fn run_after_store(
    slots: &mut Slots,
    core: &mut Core,
    node: &Node,
    rest: &[Node],
) -> u64 {
    let own = usize::from(node.d).checked_sub(1).and_then(|left| rest.get(..left));
    match own {
        Some(own) if core.is_rewritten() => match run(slots, core, own) {
            FELL => LEFT + u64::from(node.c),
            other => other,
        },
        _ => run(slots, core, rest),
    }
}
