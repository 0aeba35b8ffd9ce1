//! E0705: an instruction whose bytes match the start of a wider instruction, so that a byte stream is ambiguous.
//!
//! A decoder reads the wider instruction wherever its fixed bits are. Legal words of a narrower opcode must therefore
//! not match the wider instruction's fixed bits within the narrower width.

use super::{Context, open, prover_word};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::hex::write_bytes;
use crate::isa::{Opcode, OpcodeId, SpecialCase};
use crate::prove::{Answer, Partial, Proof, Prover};

/// The maximum number of wider instructions that are reported for one opcode.
const MAX_CASES: usize = 4;

pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) {
    for id in context.isa.opcode_ids() {
        let opcode = context.isa.opcode(id);
        let wider = opcode.special_cases.iter().filter(|case| case.width > opcode.width);
        let mut shown = 0;
        for case in wider {
            match witness(prover, opcode, case) {
                Answer::Word(word) if shown < MAX_CASES => {
                    shown += 1;
                    diagnostics.push(ambiguous(context, id, case, word));
                }
                Answer::Undecided => {
                    let message = format!(
                        "it is not proven that the bytes of `{}` cannot begin `{}`",
                        opcode.name, case.name
                    );
                    proof.open += 1;
                    diagnostics.push(open::not_proven(context, prover, id, message));
                }
                Answer::Word(_) | Answer::None => {}
            }
        }
    }
}

/// A word that is a complete instruction of the opcode, but matches the start of a wider instruction.
fn witness(prover: &Prover<'_>, opcode: &Opcode, wide: &SpecialCase) -> Answer {
    // The form with a literal is intended to follow from the operand's value.
    if wide.name == opcode.name {
        return Answer::None;
    }
    let width_mask = opcode.width_mask;
    let begins = Partial { known: wide.mask & width_mask, value: wide.value & width_mask };
    let Some(mut question) = prover.legal(opcode).with(begins) else { return Answer::None };
    for case in opcode.special_cases.iter().filter(|case| takes_alone(opcode, case)) {
        question = question.without_case(case, u128::MAX);
    }
    prover.answer(&question.with_set(&wide.requires))
}

/// Whether a special case matches words of the opcode, with any bytes after them.
fn takes_alone(opcode: &Opcode, case: &SpecialCase) -> bool {
    case.mask & !opcode.width_mask == 0 && (case.width <= opcode.width || case.name == opcode.name)
}

fn ambiguous(
    context: &Context<'_, '_>,
    id: OpcodeId,
    wide: &SpecialCase,
    word: u128,
) -> Diagnostic {
    let opcode = context.isa.opcode(id);
    let (word, set) = prover_word(context, word);
    let whole = context.isa.word_layout().to_bytes(word | wide.value);
    let narrow = opcode.width as usize / 8;
    let (first, rest) = whole[..wide.width as usize / 8].split_at(narrow);
    let name = context.layer(id).name;
    let message =
        format!("the bytes of `{}` match the start of the wider `{}`", name.text, wide.name);
    let mut diagnostic = Diagnostic::new(Code::E0705, message, name.span)
        .with_label(format!("{} bits", opcode.width))
        .with_note(format!(
            "the bytes {} are `{}`, but followed by the bytes {} they are read as `{}`",
            write_bytes(first),
            name.text,
            write_bytes(rest),
            wide.name
        ))
        .with_help(
            "fix a field that both have to different values, or exclude these words of the \
             narrower opcode by its types or rules",
        );
    if let Some(set) = set {
        diagnostic = diagnostic.with_note(set);
    }
    if let Some(other) = context.isa.find_opcode(&wide.name) {
        let other = context.layer(other).name.span;
        diagnostic = diagnostic.with_related(other, format!("{} bits", wide.width));
    }
    diagnostic
}
