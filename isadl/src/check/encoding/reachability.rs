//! E0704: an opcode of which every legal word belongs to one of its special cases.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Binding, Field, Isa, Opcode, OpcodeId};

/// Steps of the search for a word that no special case takes; it gives up beyond them.
const BUDGET: usize = 1 << 16;

/// Widest field whose illegal values are told apart.
const MAX_FIELD_WIDTH: u32 = 8;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let mut special: Vec<Vec<OpcodeId>> = vec![Vec::new(); context.isa.opcodes().len()];
    for leaf in context.isa.tree().leaves() {
        for (position, general) in leaf.iter().enumerate() {
            let of_general = &mut special[general.index()];
            let cases = leaf[..position]
                .iter()
                .filter(|id| is_case(context.isa.opcode(**id), context.isa.opcode(*general)));
            for case in cases {
                if !of_general.contains(case) {
                    of_general.push(*case);
                }
            }
        }
    }
    for (general, cases) in
        context.isa.opcode_ids().zip(&special).filter(|(_, cases)| !cases.is_empty())
    {
        let opcode = context.isa.opcode(general);
        let cases_of = cases.iter().map(|id| context.isa.opcode(*id));
        let tested = cases_of.clone().fold(0, |bits, case| bits | case.mask);
        let mut masks: Vec<(u128, u128)> = cases_of.map(|case| (case.mask, case.value)).collect();
        masks.extend(illegal(context.isa, opcode, tested));
        let mut budget = BUDGET;
        if covered(opcode.mask, opcode.value, &masks, &mut budget) {
            diagnostics.push(unreachable_opcode(context, general, cases));
        }
    }
}

fn is_case(special: &Opcode, general: &Opcode) -> bool {
    special.mask & general.mask == general.mask
        && special.mask != general.mask
        && special.value & general.mask == general.value
}

/// The illegal values of the fields that special cases test, as masks and values: no word that
/// has one of them is ever decoded.
fn illegal(isa: &Isa, opcode: &Opcode, tested: u128) -> Vec<(u128, u128)> {
    let is_tested = |field: &&Field| {
        let free = matches!(field.binding, Binding::Required | Binding::Default(_));
        free && field.width <= MAX_FIELD_WIDTH && field.mask() & tested != 0
    };
    let values = opcode.fields.iter().filter(is_tested).flat_map(|field| {
        let ty = isa.ty(field.ty);
        let illegal = (0..1u64 << field.width).filter(|raw| !ty.is_legal(*raw));
        illegal.map(|raw| (field.mask(), field.insert(0, raw)))
    });
    values.collect()
}

/// Whether every word with these fixed bits is in one of `cases`.
fn covered(mask: u128, value: u128, cases: &[(u128, u128)], budget: &mut usize) -> bool {
    *budget = budget.saturating_sub(cases.len().max(1));
    let live: Vec<(u128, u128)> =
        cases.iter().copied().filter(|(m, v)| (v ^ value) & m & mask == 0).collect();
    let Some((first, _)) = live.first() else { return false };
    if *budget == 0 {
        return false;
    }
    if live.iter().any(|(m, _)| m & !mask == 0) {
        return true;
    }
    let bit = 1u128 << (first & !mask).trailing_zeros();
    covered(mask | bit, value, &live, budget) && covered(mask | bit, value | bit, &live, budget)
}

fn unreachable_opcode(
    context: &Context<'_, '_>,
    general: OpcodeId,
    cases: &[OpcodeId],
) -> Diagnostic {
    let name = context.layer(general).name;
    let mut diagnostic = Diagnostic::new(
        Code::E0704,
        format!("opcode `{}` can never be decoded", name.text),
        name.span,
    )
    .with_note("opcodes that fix more bits win, and together they take all of its legal words")
    .with_help("remove it, or one of its special cases");
    for case in cases.iter().take(4) {
        diagnostic =
            diagnostic.with_related(context.layer(*case).name.span, "a special case of it");
    }
    diagnostic
}
