//! Checks on the lowered form: what masks, values and rules tell.

mod ambiguity;
mod fixed_bits;
mod reachability;
mod rules;
mod unused_bits;

use super::Context;
use crate::diagnostic::Diagnostics;
use crate::isa::Isa;
use crate::model::Model;

/// All checks on the lowered form.
pub(crate) fn encoding(isa: &Isa, model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let context = Context::new(isa, model);
    fixed_bits::check(&context, diagnostics);
    ambiguity::check(&context, diagnostics);
    reachability::check(&context, diagnostics);
    rules::check(&context, diagnostics);
    unused_bits::check(&context, diagnostics);
}
