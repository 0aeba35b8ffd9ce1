//! E0701: two opcodes that one word could match, with such a word.
//!
//! Exact over the fixed bits. An opcode whose fixed bits strictly contain another's is a special
//! case of it and wins; any other shared word is an error. Two opcodes share a word only if some
//! leaf of the decision tree has both, so leaves are searched instead of all pairs.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Opcode, OpcodeId};

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let mut reported = vec![false; context.isa.opcodes().len()];
    for leaf in context.isa.tree().leaves() {
        for (position, later) in leaf.iter().enumerate() {
            // One clash an opcode is enough; it also bounds the work where all are alike.
            if reported[later.index()] {
                continue;
            }
            let clash =
                leaf[..position].iter().find(|earlier| shares_word(context, **earlier, *later));
            if let Some(earlier) = clash {
                let (first, second) = (*earlier.min(later), *earlier.max(later));
                reported[second.index()] = true;
                diagnostics.push(ambiguous(context, first, second));
            }
        }
    }
}

fn shares_word(context: &Context<'_, '_>, a: OpcodeId, b: OpcodeId) -> bool {
    let (a, b) = (context.isa.opcode(a), context.isa.opcode(b));
    let disjoint = (a.value ^ b.value) & a.mask & b.mask != 0;
    // An opcode without fixed bits was reported for that.
    !disjoint && a.mask != 0 && b.mask != 0 && !is_special_case(a, b) && !is_special_case(b, a)
}

/// Whether every word of `special` is one of `general`, and not the reverse; for opcodes that
/// share a word.
fn is_special_case(special: &Opcode, general: &Opcode) -> bool {
    special.mask & general.mask == general.mask && special.mask != general.mask
}

fn ambiguous(context: &Context<'_, '_>, first: OpcodeId, second: OpcodeId) -> Diagnostic {
    let (a, b) = (context.isa.opcode(first), context.isa.opcode(second));
    let witness = a.value | b.value;
    let digits = context.isa.bytes() * 2;
    let place = context.layer(second).name.span;
    Diagnostic::new(
        Code::E0701,
        format!("opcodes `{}` and `{}` share a word", a.name, b.name),
        place,
    )
    .with_label("cannot be told apart from the other")
    .with_related(context.layer(first).name.span, "the other opcode")
    .with_note(format!("both match the word 0x{witness:0digits$x}"))
    .with_note(format!(
        "`{}` fixes the bits 0x{:0digits$x}, `{}` the bits 0x{:0digits$x}",
        a.name, a.mask, b.name, b.mask
    ))
    .with_help(
        "give one field another fixed value, or let one fix all that the other fixes and more",
    )
}
