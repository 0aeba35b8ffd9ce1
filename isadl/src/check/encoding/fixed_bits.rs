//! E0702: an opcode without fixed bits, which would match every word.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    for id in context.isa.opcode_ids().filter(|id| context.isa.opcode(*id).mask == 0) {
        let name = context.layer(id).name;
        diagnostics.push(
            Diagnostic::new(
                Code::E0702,
                format!("opcode `{}` does not have fixed bits", name.text),
                name.span,
            )
            .with_note("every word would match this opcode")
            .with_help("fix one of its fields, or of its parents' fields, with `== value`"),
        );
    }
}
