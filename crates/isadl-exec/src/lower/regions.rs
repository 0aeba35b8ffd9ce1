//! What the steps of a region do, before they are translated.

use isadl::semantics::ir::{Over, Region, Step, ValueId};

/// Whether a step of a region has a value.
pub(super) fn stores(region: &Region, id: ValueId) -> bool {
    region.steps.iter().any(|step| match step {
        Step::Write { mask, value, .. } => *value == id || *mask == Some(id),
        Step::Store { address, value, .. } => *value == id || *address == id,
        Step::Jump(target) => *target == id,
        Step::If { condition, yes, no, merges } => {
            let is_merged = merges.iter().any(|one| one.yes == Some(id) || one.no == Some(id));
            *condition == id || is_merged || stores(yes, id) || stores(no, id)
        }
        Step::Loop { over, carried, body, .. } => {
            let is_over = match over {
                Over::Range { first, last, .. } => *first == id || *last == id,
                Over::Ones(of) => *of == id,
            };
            is_over
                || carried.iter().any(|one| one.before == id || one.next == id)
                || stores(body, id)
        }
        Step::Atomic(body) | Step::Labelled { body, .. } => stores(body, id),
        Step::Trap { arguments, .. } => arguments.contains(&id),
        _ => false,
    })
}

/// Whether a region jumps.
pub(super) fn jumps(region: &Region) -> bool {
    region.steps.iter().any(|step| match step {
        Step::Jump(_) => true,
        Step::If { yes, no, .. } => jumps(yes) || jumps(no),
        Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => jumps(body),
        _ => false,
    })
}
