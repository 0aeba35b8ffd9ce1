//! Micro-operations as they are executed: each with its function, one after the other in memory.
//!
//! A function does its operation and calls that of the next node. It has one word as its result, so the compiler makes a jump of this
//! call. Nothing guarantees that; therefore blocks are short, and return to whoever called them.

use crate::micro::{Lanes, Micro, More};
use crate::slots::{Slot, Slots};
use crate::state::Core;

/// The function of a node: the slots, everything else of the machine, and the nodes from this one on.
pub(crate) type Call = fn(&mut Slots, &mut Core, Nodes<'_>) -> u64;

/// Nodes that are still to be executed.
pub(crate) type Nodes<'n> = std::slice::Iter<'n, Node>;

/// A micro-operation, and the function of the next one: so no node is looked at before its function does.
pub(crate) struct Node {
    next: Call,
    pub(crate) n: u64,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    pub(crate) more: Option<Box<Extra>>,
}

/// Nodes, and the function of the first.
pub(crate) struct List {
    first: Call,
    nodes: Box<[Node]>,
}

/// What a node has beside its operands.
pub(crate) struct Extra {
    pub(crate) more: More,
    /// The lists of branches and loops.
    pub(crate) lists: Vec<List>,
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

impl List {
    /// The nodes of micro-operations, with the function of each kind.
    pub(crate) fn new(micros: Vec<Micro>, of: fn(&Micro) -> Call) -> List {
        let mut next: Call = end;
        let mut nodes: Vec<Node> = Vec::with_capacity(micros.len());
        for micro in micros.into_iter().rev() {
            let call = of(&micro);
            let Micro { d, a, b, c, n, more, .. } = micro;
            let more = more.map(|more| Box::new(Extra::new(*more, of)));
            nodes.push(Node { next, n, d, a, b, c, more });
            next = call;
        }
        nodes.reverse();
        List { first: next, nodes: nodes.into() }
    }

    /// How many nodes it has.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
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
        Extra { more, lists: lists.into_iter().map(|list| List::new(list, of)).collect() }
    }
}

/// The function behind the last node.
fn end(_: &mut Slots, _: &mut Core, _: Nodes<'_>) -> u64 {
    FELL
}

/// Executes nodes.
#[inline(always)]
pub(crate) fn run(slots: &mut Slots, core: &mut Core, list: &List) -> u64 {
    (list.first)(slots, core, list.nodes.iter())
}

/// Executes what comes after the first of the nodes.
#[inline(always)]
pub(crate) fn go_on(slots: &mut Slots, core: &mut Core, mut nodes: Nodes<'_>) -> u64 {
    match nodes.next() {
        Some(node) => (node.next)(slots, core, nodes),
        None => FELL,
    }
}

/// The same, if the node may have stored. If that was where translated instructions are, this instruction is the last.
#[inline(always)]
pub(crate) fn go_on_after_store(slots: &mut Slots, core: &mut Core, nodes: Nodes<'_>) -> u64 {
    let all = nodes.as_slice();
    let Some(node) = all.first() else { return FELL };
    if !core.is_rewritten() {
        return go_on(slots, core, nodes);
    }
    core.is_stale = true;
    // The node and those of its instruction that follow. Behind the last of them, the next function finds no node.
    match all.get(..usize::from(node.d)) {
        None | Some([]) => go_on(slots, core, nodes),
        Some(own) => match go_on(slots, core, own.iter()) {
            FELL => LEFT + u64::from(node.c),
            other => other,
        },
    }
}
