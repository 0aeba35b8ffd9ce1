//! W0703: bits of the word that no opcode of a group uses. A note: free bits are room.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, bit_ranges};
use crate::isa::low_bits;
use crate::model::LayerKind;

/// What the opcodes of a group use.
#[derive(Clone, Copy, Default)]
struct Used {
    bits: u128,
    /// Bits in the widest of them.
    width: u32,
}

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let mut used: Vec<Used> = vec![Used::default(); context.model.layers.len()];
    for (id, opcode) in context.isa.opcode_ids().zip(&context.opcodes) {
        let lowered = context.isa.opcode(id);
        let parents = &context.model.layer(opcode.layer).parents;
        let of_parents = parents.iter().flat_map(|id| &context.model.layer(*id).parents);
        for group in parents.iter().chain(of_parents) {
            let used = &mut used[group.0 as usize];
            used.bits |= lowered.significant | lowered.mask | lowered.ignored;
            used.width = used.width.max(lowered.width);
        }
    }
    for (layer, used) in context.model.layers.iter().zip(used) {
        let free = low_bits(used.width) & !used.bits;
        if layer.kind == LayerKind::Group && free != 0 {
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
