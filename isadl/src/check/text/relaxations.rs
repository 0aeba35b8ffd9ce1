//! E0525: relaxations of opcodes that are not alike, or by a jump that does not reach farther.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::Engine;

const HELP: &str =
    "name a branch, its inverse with the same operands, and a jump with a larger range";

pub(super) fn check(context: &Context<'_, '_>, engine: &Engine<'_>, diagnostics: &mut Diagnostics) {
    let Some(header) = &context.model.isa else { return };
    for (written, relaxation) in header.detours.iter().zip(&context.isa.elf().relaxations) {
        let parts = [written.opcodes[0], written.opcodes[1], written.jump];
        let is_known = |name: &str| context.model.layers.iter().any(|one| one.name.text == name);
        let unknown = written.opcodes.iter().find(|name| !is_known(name.text));
        let found = match unknown {
            Some(name) => Some((*name, format!("`{}` is not an opcode", name.text))),
            None => {
                engine.relaxation_fault(relaxation).map(|fault| (parts[fault.part], fault.message))
            }
        };
        if let Some((part, message)) = found {
            diagnostics.push(Diagnostic::new(Code::E0525, message, part.span).with_help(HELP));
        }
    }
}
