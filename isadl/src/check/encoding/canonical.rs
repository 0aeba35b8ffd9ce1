//! E0706: an instruction that decodes, but whose canonical word belongs to another opcode.
//!
//! Bits that no statement covers, and ignored bits, have one value in the word of an instruction: 0, unless `ignored`
//! gives another value. A special case that fixes such bits to this value matches the word.

use super::{Context, open, prover_word};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Opcode, OpcodeId, SpecialCase};
use crate::prove::{Answer, Partial, Proof, Prover};

pub(super) fn check(
    context: &Context<'_, '_>,
    prover: &Prover<'_>,
    proof: &mut Proof,
    diagnostics: &mut Diagnostics,
) {
    for id in context.isa.opcode_ids() {
        let opcode = context.isa.opcode(id);
        for case in &opcode.special_cases {
            match witness(prover, opcode, case) {
                Answer::Word(word) => {
                    diagnostics.push(lost(context, id, case, word));
                    break;
                }
                Answer::Undecided => {
                    let message = format!(
                        "it is not proven that `{}` never encodes as `{}`",
                        opcode.name, case.name
                    );
                    proof.open += 1;
                    diagnostics.push(open::not_proven(context, prover, id, message));
                }
                Answer::None => {}
            }
        }
    }
}

/// The bits of the opcode's words that its instructions do not keep.
fn forgotten(opcode: &Opcode) -> u128 {
    opcode.unstated() | opcode.ignored & !(opcode.significant | opcode.mask)
}

/// A word of the opcode that becomes a word of the special case when forgotten bits take their written value.
fn witness(prover: &Prover<'_>, opcode: &Opcode, case: &SpecialCase) -> Answer {
    let lost = case.mask & forgotten(opcode);
    // If the special case is wider, `prefix.rs` checks its bytes.
    if lost == 0 || (case.value ^ opcode.written) & lost != 0 || case.width > opcode.width {
        return Answer::None;
    }
    let kept = Partial { known: case.mask & !lost, value: case.value & !lost };
    let Some(mut question) = prover.legal(opcode).with(kept) else { return Answer::None };
    question = question.with_set(&case.requires);
    for case in &opcode.special_cases {
        question = question.without_case(case, u128::MAX);
    }
    prover.answer(&question)
}

fn lost(context: &Context<'_, '_>, id: OpcodeId, case: &SpecialCase, word: u128) -> Diagnostic {
    let opcode = context.isa.opcode(id);
    let digits = opcode.width as usize / 4;
    let (word, set) = prover_word(context, word);
    let name = context.layer(id).name;
    let lost = case.mask & forgotten(opcode);
    let numbering = context.isa.numbering(opcode);
    let bits = numbering.ranges(lost);
    let value = match opcode.written & lost {
        0 => "0".to_string(),
        _ => format!("their values in 0x{:0digits$x}", numbering.number(opcode.written & lost)),
    };
    let message = format!("`{}` decodes a word that it cannot encode", name.text);
    let mut diagnostic = Diagnostic::new(Code::E0706, message, name.span)
        .with_note(format!(
            "the word {} decodes as `{}`; the encoder writes {value} in {bits}, and the result decodes as `{}`",
            context.isa.word_layout().shown(opcode.width, word),
            name.text,
            case.name
        ))
        .with_help(format!("cover {bits} of `{}` by a field or by `zero`", name.text));
    if let Some(set) = set {
        diagnostic = diagnostic.with_note(set);
    }
    if let Some(other) = context.isa.find_opcode(&case.name) {
        let other = context.layer(other).name.span;
        diagnostic = diagnostic.with_related(other, format!("requires {value} in {bits}"));
    }
    diagnostic
}
