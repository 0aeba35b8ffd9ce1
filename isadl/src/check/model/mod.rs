//! Checks on the model: fields in their word, operands in their lists, unused definitions.

mod extent;
mod fields;
mod flow;
mod name_sets;
pub(super) mod operand_lists;
mod operand_widths;
mod others;
mod overlap;
mod unused;

use crate::diagnostic::Diagnostics;
use crate::model::Model;
use crate::parallel;

/// A check on the model.
type Check = fn(&Model<'_>, &mut Diagnostics);

/// All checks on the model.
const CHECKS: &[Check] = &[
    fields::check,
    overlap::check,
    extent::check,
    operand_lists::check,
    operand_widths::check,
    flow::check,
    others::check,
    name_sets::check,
    unused::check,
];

/// Makes all checks on the model.
pub(crate) fn model(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let found = parallel::each(model.opcodes.len(), CHECKS, |check| {
        let mut found = Diagnostics::default();
        check(model, &mut found);
        found
    });
    found.into_iter().for_each(|found| diagnostics.extend(found));
}
