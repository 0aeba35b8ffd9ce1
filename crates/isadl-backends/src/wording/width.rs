//! The widths that an operand may have, over all values of the modifiers they depend on.

use isadl_ir::isa::{Binding, Field, FlowItem, Isa, NameId, Opcode, TypeKind};

/// The maximum number of combinations of values that are tried.
const MAX_COMBINATIONS: usize = 1 << 12;

/// The possible numbers of data bits, ascending; empty if not given or if there are too many
/// combinations.
pub(crate) fn widths(isa: &Isa, opcode: &Opcode, item: &FlowItem) -> Vec<u32> {
    let Some(width) = item.width else { return Vec::new() };
    let expr = isa.expr(width);
    let names = expr.fields();
    let values: Option<Vec<Vec<u64>>> =
        names.iter().map(|name| values(isa, opcode.field(*name)?)).collect();
    let Some(values) = values else { return Vec::new() };
    let combinations: usize = values.iter().map(Vec::len).product();
    if combinations > MAX_COMBINATIONS {
        return Vec::new();
    }
    let mut widths: Vec<u32> = (0..combinations)
        .map(|index| {
            let chosen = chosen(&values, index);
            let value = expr.eval(&|name: NameId, _| {
                let position = names.iter().position(|other| *other == name);
                position.map_or(0, |position| i128::from(chosen[position]))
            });
            value.clamp(0, i128::from(u32::MAX)) as u32
        })
        .collect();
    widths.sort_unstable();
    widths.dedup();
    widths
}

fn chosen(values: &[Vec<u64>], mut index: usize) -> Vec<u64> {
    let mut chosen = Vec::with_capacity(values.len());
    for list in values {
        chosen.push(list[index % list.len()]);
        index /= list.len();
    }
    chosen
}

/// The values of a field if there are few, else `None`.
fn values(isa: &Isa, field: &Field) -> Option<Vec<u64>> {
    if let Binding::Fixed(raw) = field.binding {
        return Some(vec![raw]);
    }
    match &isa.ty(field.ty).kind {
        TypeKind::BitField(values) => Some(values.iter().map(|value| value.value).collect()),
        _ => None,
    }
}
