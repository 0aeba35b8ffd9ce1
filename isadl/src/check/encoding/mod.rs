//! Checks on the lowered form, which need masks, values and rules.

mod ambiguity;
mod canonical;
mod fixed_bits;
mod prefix;
mod reachability;
mod rules;
mod unused_bits;

use super::Context;
use crate::diagnostic::Diagnostics;
use crate::isa::Isa;
use crate::model::Model;
use crate::prove::Prover;

/// All checks on the lowered form.
pub(crate) fn encoding(isa: &Isa, model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let context = Context::new(isa, model);
    let prover = Prover::new(isa);
    fixed_bits::check(&context, diagnostics);
    ambiguity::check(&context, diagnostics);
    reachability::check(&context, &prover, diagnostics);
    prefix::check(&context, &prover, diagnostics);
    canonical::check(&context, &prover, diagnostics);
    rules::check(&context, &prover, diagnostics);
    unused_bits::check(&context, diagnostics);
}
