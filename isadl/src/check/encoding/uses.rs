//! W0524: a condition of something that is read or written, which holds for all legal words or for none. W0708: which
//! of these is so is not proven.
//!
//! An inherited condition may be constant for some opcodes: it is reported if it is so for all together.

use std::collections::BTreeMap;

use super::{Context, open};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{ExprId, OpcodeId};
use crate::prove::{Answer, Proof, Prover};
use crate::source::Span;

pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    alive: &[Answer],
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) {
    let mut conditions: BTreeMap<Span, Vec<(OpcodeId, ExprId)>> = BTreeMap::new();
    for (id, opcode) in context.isa.opcode_ids().zip(context.opcodes) {
        // An opcode without words has its own error; this would only repeat it.
        if alive[id.index()] != Answer::None {
            for (span, condition) in &opcode.conditions {
                conditions.entry(*span).or_default().push((id, *condition));
            }
        }
    }
    for (span, opcodes) in conditions {
        let found = |holds: bool| found(context, prover, &opcodes, holds);
        let (message, label, help) = match (found(true), found(false)) {
            (Answer::Word(_), Answer::Word(_)) => continue,
            (Answer::None, _) => (
                "the condition never holds",
                "false for every legal word",
                "remove the entry, or correct the condition",
            ),
            (_, Answer::None) => (
                "the condition always holds",
                "true for every legal word",
                "leave out `if` and the condition, or correct it",
            ),
            _ => {
                proof.open += 1;
                let message = "it is not proven that the condition depends on the word";
                let found = Diagnostic::new(Code::W0708, message, span);
                let ids: Vec<OpcodeId> = opcodes.iter().map(|(id, _)| *id).take(1).collect();
                diagnostics.push(open::explain(context, prover, &ids, found));
                continue;
            }
        };
        let diagnostic = Diagnostic::new(Code::W0524, message, span);
        diagnostics.push(diagnostic.with_label(label).with_help(help));
    }
}

/// A legal word that satisfies (or violates) the condition, in one of the opcodes.
fn found(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    opcodes: &[(OpcodeId, ExprId)],
    holds: bool,
) -> Answer {
    let mut answer = Answer::None;
    for (id, condition) in opcodes {
        let opcode = context.isa.opcode(*id);
        let condition = context.isa.expr(*condition);
        match prover.answer(&prover.own(opcode).where_condition(opcode, condition, holds)) {
            Answer::Word(word) => return Answer::Word(word),
            Answer::Undecided => answer = Answer::Undecided,
            Answer::None => {}
        }
    }
    answer
}
