//! E0702: an opcode without fixed bits, which would match every word.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    for id in context.isa.opcode_ids().filter(|id| context.isa.opcode(*id).mask == 0) {
        let name = context.layer(id).name;
        diagnostics.push(
            Diagnostic::new(
                Code::E0702,
                format!("opcode `{}` has no fixed bits", name.text),
                name.span,
            )
            .with_note("every word would be this opcode")
            .with_help("fix a field of it or of its parents with `== value`"),
        );
    }
}
