//! W0708: it was not decided whether texts are shared, or read back.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::OpcodeId;
use crate::prove::{Effort, Prover};

/// Limit on findings; the last finding gives the total.
const MAX_SHOWN: usize = 8;

/// Reports pairs of opcodes that may share a text, and opcodes and aliases whose texts may not be read back.
pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    (pairs, opcodes, aliases): (&[[OpcodeId; 2]], &[OpcodeId], Vec<Diagnostic>),
    diagnostics: &mut Diagnostics,
) {
    let name = |id: &OpcodeId| context.layer(*id).name;
    let of_pairs = pairs.iter().map(|[first, second]| {
        let (a, b) = (name(first), name(second));
        let message = format!("not proven: `{}` and `{}` do not share a text", a.text, b.text);
        Diagnostic::new(Code::W0708, message, b.span).with_related(a.span, "the other opcode")
    });
    let of_opcodes = opcodes.iter().map(|id| {
        let message = format!("not proven: every text of `{}` can be read back", name(id).text);
        Diagnostic::new(Code::W0708, message, name(id).span)
    });
    // A sample of these was tried; only a full proof reports that it was just a sample.
    let aliases = if prover.effort() == Effort::Full { aliases } else { Vec::new() };
    let count = pairs.len() + opcodes.len() + aliases.len();
    let help = match prover.effort() {
        Effort::Check => "`isadl prove` searches longer",
        Effort::Full => {
            "to make it decidable, use rules that relate fewer fields, or modifiers that differ"
        }
    };
    for (at, found) in of_pairs.chain(of_opcodes).chain(aliases).take(MAX_SHOWN).enumerate() {
        let found = found.with_help(help);
        diagnostics.push(match at + 1 == MAX_SHOWN && count > MAX_SHOWN {
            true => {
                found.with_note(format!("{} more questions like this are open", count - MAX_SHOWN))
            }
            false => found,
        });
    }
}
