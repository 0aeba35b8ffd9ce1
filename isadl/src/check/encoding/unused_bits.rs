//! W0703: bits of the word that no opcode of a group uses. A note: free bits are room.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, bit_ranges};
use crate::isa::low_bits;
use crate::model::LayerKind;

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let mut used: Vec<Option<u128>> = vec![None; context.model.layers.len()];
    for (id, opcode) in context.isa.opcode_ids().zip(&context.opcodes) {
        let optypes = context.model.layer(opcode.layer).parents.iter();
        for group in optypes.flat_map(|optype| &context.model.layer(*optype).parents) {
            *used[group.0 as usize].get_or_insert(0) |= context.isa.opcode(id).significant;
        }
    }
    for (layer, used) in context.model.layers.iter().zip(used) {
        let Some(used) = used.filter(|_| layer.kind == LayerKind::Group) else { continue };
        let free = low_bits(context.isa.width()) & !used;
        if free != 0 {
            diagnostics.push(
                Diagnostic::new(
                    Code::W0703,
                    format!("no opcode of group `{}` uses {}", layer.name.text, bit_ranges(free)),
                    layer.name.span,
                )
                .with_note("a decoder ignores them, an encoder writes 0"),
            );
        }
    }
}
