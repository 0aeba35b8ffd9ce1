//! E0701: two opcodes that match the same word, with such a word.
//!
//! The check is exact over the fixed bits. An opcode whose fixed bits strictly contain another's is
//! a special case of it and takes precedence; any other shared word is an error. Two opcodes share a
//! word only if some leaf of the decision tree has both, so leaves are searched, not all pairs.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Opcode, OpcodeId};
use crate::model::Field;
use crate::source::Span;

/// The maximum number of fields of one opcode that are shown.
const MAX_FIELDS: usize = 3;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let mut reported = vec![false; context.isa.opcodes().len()];
    for leaf in context.isa.tree().leaves() {
        for (position, later) in leaf.iter().enumerate() {
            // One clash per opcode is enough; it also bounds the work if all opcodes are alike.
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
    // An opcode without fixed bits was already reported.
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
    let message = format!("opcodes `{}` and `{}` share a word", a.name, b.name);
    let diagnostic = Diagnostic::new(Code::E0701, message, context.layer(second).name.span)
        .with_label("cannot be distinguished from the other opcode")
        .with_related(context.layer(first).name.span, "the other opcode");
    let diagnostic = with_fields(context, (second, b), a, diagnostic);
    with_fields(context, (first, a), b, diagnostic)
        .with_note(format!("both match the word 0x{witness:0digits$x}"))
        .with_note(format!(
            "`{}` fixes the bits 0x{:0digits$x}, `{}` the bits 0x{:0digits$x}",
            a.name, a.mask, b.name, b.mask
        ))
        .with_help(
"fix one field to different values, or let one opcode fix all bits that the other fixes, and more",
        )
}

/// Shows the fields that an opcode fixes in bits that the other leaves free: if the other fixed them
/// to another value, the two would not share a word.
fn with_fields(
    context: &Context<'_, '_>,
    (id, opcode): (OpcodeId, &Opcode),
    other: &Opcode,
    mut diagnostic: Diagnostic,
) -> Diagnostic {
    let only_here = opcode.mask & !other.mask;
    // If two opcodes fix the same bits to the same values, these values are all that can be shown.
    let wanted = if opcode.mask == other.mask { opcode.mask } else { only_here };
    let layer = context.layer(id);
    let fields = layer.fields.iter().map(|id| context.model.field(*id));
    let telling = fields.filter(|field| {
        field.ast.literal_of.is_none()
            && field.mask() & wanted != 0
            && field.mask() & opcode.mask != 0
    });
    // A value may be given outside the field's declaration.
    let fixes = || layer.chain.iter().flat_map(|id| &context.model.layer(*id).ast.fixes);
    let place = |field: &Field<'_>| {
        let fix = fixes().find(|fix| fix.name.text == field.ast.name.text);
        fix.map_or(field.ast.span, |fix| fix.span)
    };
    let spans: Vec<Span> = telling.map(place).collect();
    let text = match opcode.mask == other.mask {
        true => format!("`{}` fixes the same value here", opcode.name),
        false => format!("only `{}` fixes this", opcode.name),
    };
    for span in spans.into_iter().take(MAX_FIELDS) {
        if diagnostic.related.iter().all(|label| label.span != span) {
            diagnostic = diagnostic.with_related(span, text.clone());
        }
    }
    diagnostic
}
