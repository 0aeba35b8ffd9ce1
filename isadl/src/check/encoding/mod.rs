//! Checks on the lowered form, which need masks, values and rules.

mod ambiguity;
mod apart;
mod canonical;
mod defaults;
mod extensions;
mod fixed_bits;
mod open;
mod prefix;
mod reachability;
mod relocations;
mod rules;
mod unused_bits;
mod uses;
mod values;
mod widths;

use super::Context;
use crate::diagnostic::Diagnostics;
use crate::isa::{OpcodeId, RuleScope, low_bits};
use crate::lower::Lowered;
use crate::prove::{Effort, Proof, Prover, Question, set_of};

/// Runs all checks on the lowered form and returns the proof results.
pub(crate) fn encoding(
    lowered: &Lowered<'_, '_>,
    effort: Effort,
    diagnostics: &mut Diagnostics,
) -> Proof {
    let context = Context::new(lowered);
    let isa = context.isa;
    let prover = Prover::new(isa, effort);
    let names = isa.generation_names(isa.describes());
    let mut proof = Proof {
        isa: isa.name().to_string(),
        generations: names.map(str::to_string).collect(),
        opcodes: isa.opcodes().len() as u64,
        ..Proof::default()
    };
    fixed_bits::check(&context, diagnostics);
    relocations::check(&context, diagnostics);
    extensions::check(&context, diagnostics);
    extensions::check_defaults(&context, diagnostics);
    ambiguity::check(&context, &prover, &mut proof, diagnostics);
    let alive = reachability::check(&context, &prover, &mut proof, diagnostics);
    prefix::check(&context, &prover, &mut proof, diagnostics);
    canonical::check(&context, &prover, &mut proof, diagnostics);
    let open_rules = rules::check(&context, &prover, &alive, &mut proof, diagnostics);
    defaults::check(&context, &prover, &alive, &mut proof, diagnostics);
    values::check(&context, &prover, (&alive, &open_rules), &mut proof, diagnostics);
    widths::check(&context, &prover, &alive, &mut proof, diagnostics);
    uses::check(&context, &prover, &alive, &mut proof, diagnostics);
    unused_bits::check(&context, diagnostics);
    proof.questions = prover.questions();
    proof.operators = prover.spent();
    proof
}

/// Splits the prover's result into the word and, if there are any, the names of its extensions.
fn prover_word(context: &Context<'_, '_>, found: u128) -> (u128, Option<String>) {
    let extensions = context.isa.extensions();
    let word = found & low_bits(context.isa.width());
    let set = set_of(found, extensions.all());
    let text = || format!("an allowed set of extensions: {}", extensions.text_of(set));
    (word, (!extensions.is_empty()).then(text))
}

/// Asks for a word with an opcode's fixed bits and legal values that no implicit rule forbids. Implicit rules concern
/// literals: a literal that nothing announces, or the reverse.
fn given<'q>(context: &Context<'q, '_>, prover: &'q Prover<'_>, id: OpcodeId) -> Question<'q> {
    let opcode = context.isa.opcode(id);
    let written = context.opcodes[id.index()].rules.len();
    let others = opcode.rules.iter().skip(written).map(|id| context.isa.rule(*id));
    let others = others.filter(|rule| rule.scope == RuleScope::Word);
    others.fold(prover.types(opcode), |question, rule| {
        question.where_condition(opcode, context.isa.expr(rule.condition), false)
    })
}
