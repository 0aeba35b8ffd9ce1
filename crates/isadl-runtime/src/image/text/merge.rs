//! Merges adjacent steps.

use super::step::{Step, passed};

/// How many chunks of `room` bytes of text a choice needs.
pub(super) fn chunks(step: &Step, room: usize) -> usize {
    let Step::Choice { texts, .. } = step else { return 0 };
    texts.longest.div_ceil(room)
}

/// Joins texts that are the same in every word with the choices beside them, and drops choices
/// without text. A step that can be passed over stays apart.
pub(super) fn merged(steps: Vec<Step>, room: usize) -> Vec<Step> {
    let mut result: Vec<Step> = Vec::new();
    // Steps that the skip before them counts.
    let mut counted = 0usize;
    for step in steps {
        let passed = passed(&step);
        if counted > 0 || passed.is_some() {
            // A following step must not be joined with a step that can be passed over.
            counted = counted.saturating_sub(1).max(passed.unwrap_or(0));
            result.push(step);
            continue;
        }
        if is_empty(&step) {
            continue;
        }
        match result.last().and_then(|last| joined(last, &step, room)) {
            Some(both) if !ends_skip(&result) => {
                result.pop();
                result.push(both);
            }
            _ => result.push(step),
        }
    }
    result
}

/// Whether a skip can pass over the last of the steps.
fn ends_skip(steps: &[Step]) -> bool {
    let mut passing = steps.iter().enumerate();
    passing.any(|(at, step)| passed(step).is_some_and(|count| at + count + 1 == steps.len()))
}

fn is_empty(step: &Step) -> bool {
    matches!(step, Step::Choice { texts, .. } if texts.longest == 0)
}

/// Joins two choices into one, where one is always the same text and the other is never empty.
fn joined(first: &Step, second: &Step, room: usize) -> Option<Step> {
    let (
        Step::Choice { selector: of_first, texts: left },
        Step::Choice { selector: of_second, texts: right },
    ) = (first, second)
    else {
        return None;
    };
    if left.longest + right.longest > room {
        return None;
    }
    let (selector, texts) = match (left.list(), right.list()) {
        ([left], right) => (of_second, right.iter().map(|text| format!("{left}{text}")).collect()),
        (left, [right]) => (of_first, left.iter().map(|text| format!("{text}{right}")).collect()),
        _ => return None,
    };
    Some(Step::Choice { selector: *selector, texts })
}
