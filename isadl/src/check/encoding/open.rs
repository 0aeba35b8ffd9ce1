//! W0708: a question that the budget did not suffice to decide. Every check of encodings reports it in the same way.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, names};
use crate::isa::OpcodeId;
use crate::prove::{Effort, Prover};

/// The maximum number of rules that are shown.
const MAX_SHOWN: usize = 4;

/// Something that is not proven of an opcode.
pub(super) fn not_proven(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    id: OpcodeId,
    message: String,
) -> Diagnostic {
    let found = Diagnostic::new(Code::W0708, message, context.layer(id).name.span);
    explain(context, prover, &[id], found)
}

/// Explains which fields the answer depends on, how much was tried, and how to proceed.
pub(super) fn explain(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    opcodes: &[OpcodeId],
    mut diagnostic: Diagnostic,
) -> Diagnostic {
    let mut rules = Vec::new();
    let mut fields = Vec::new();
    let mut bits = 0;
    let widest = opcodes.iter().map(|id| context.isa.opcode(*id).width).max();
    for id in opcodes {
        let lowered = context.isa.opcode(*id);
        for (rule, condition) in &context.opcodes[id.index()].rules {
            let expr = context.isa.expr(*condition);
            let used = expr.fields().into_iter().filter_map(|name| lowered.field(name));
            let used: Vec<_> = used.filter(|field| field.mask() & !lowered.mask != 0).collect();
            // The prover decides a rule about a single field bit by bit.
            if used.len() < 2 {
                continue;
            }
            rules.push(rule.span);
            for field in used {
                bits |= field.mask() & !lowered.mask;
                fields.push(context.isa.name_of(field.name));
            }
        }
    }
    rules.sort_unstable();
    rules.dedup();
    fields.sort_unstable();
    fields.dedup();
    for span in rules.into_iter().take(MAX_SHOWN) {
        if span != diagnostic.primary.span {
            diagnostic = diagnostic.with_related(span, "the answer depends on this rule");
        }
    }
    if !fields.is_empty() {
        diagnostic = diagnostic.with_note(format!(
            "the rules depend on {}, {}",
            names(&fields),
            context.isa.word_layout().numbering(widest.unwrap_or(0)).ranges(bits)
        ));
    }
    let effort = prover.effort();
    let diagnostic = diagnostic.with_note(format!(
        "the search ended after {} evaluated operators for one question, or {} for all",
        effort.per_question(),
        effort.in_total()
    ));
    match effort {
        Effort::Check => diagnostic.with_help(
            "run `isadl prove`, which searches longer, or compare fields with constants, which is decided at once",
        ),
        Effort::Full => diagnostic
            .with_help("split the rule; rules that compare fields with constants are decided at once"),
    }
}
