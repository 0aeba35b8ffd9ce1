//! Checks on the model: fields in their word, operands in their lists, unused definitions.

mod extent;
mod fields;
mod flow;
mod name_sets;
mod operand_lists;
mod operand_widths;
mod others;
mod overlap;
mod unused;

use crate::diagnostic::Diagnostics;
use crate::model::Model;

/// All checks on the model.
pub(crate) fn model(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    fields::check(model, diagnostics);
    overlap::check(model, diagnostics);
    extent::check(model, diagnostics);
    operand_lists::check(model, diagnostics);
    operand_widths::check(model, diagnostics);
    flow::check(model, diagnostics);
    others::check(model, diagnostics);
    name_sets::check(model, diagnostics);
    unused::check(model, diagnostics);
}
