//! E0704: an opcode whose legal words all belong to its special cases.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{OpcodeId, SpecialCase};
use crate::prove::{Answer, Partial, Prover};

/// The maximum number of special cases that are shown.
const MAX_SHOWN: usize = 4;

pub(super) fn check(context: &Context<'_, '_>, prover: &Prover<'_>, diagnostics: &mut Diagnostics) {
    for general in context.isa.opcode_ids() {
        let opcode = context.isa.opcode(general);
        let cases = opcode.special_cases.as_slice();
        if cases.is_empty() {
            continue;
        }
        let legal = prover.legal(opcode);
        let bits = cases.iter().map(|case| Partial { known: case.mask, value: case.value });
        let left = bits.fold(legal.clone(), |question, bits| question.without(bits));
        // An opcode without legal words is another error.
        if left.answer() == Answer::None && legal.answer() != Answer::None {
            diagnostics.push(unreachable_opcode(context, general, cases));
        }
    }
}

fn unreachable_opcode(
    context: &Context<'_, '_>,
    general: OpcodeId,
    cases: &[SpecialCase],
) -> Diagnostic {
    let name = context.layer(general).name;
    let diagnostic = Diagnostic::new(
        Code::E0704,
        format!("opcode `{}` can never be decoded", name.text),
        name.span,
    )
    .with_note(
        "opcodes that fix more bits take precedence, and together they match all of its legal \
         words",
    )
    .with_help("remove the opcode, or one of its special cases");
    let places = cases.iter().filter_map(|case| context.isa.find_opcode(&case.name));
    places.take(MAX_SHOWN).fold(diagnostic, |diagnostic, case| {
        diagnostic.with_related(context.layer(case).name.span, "a special case of it")
    })
}
