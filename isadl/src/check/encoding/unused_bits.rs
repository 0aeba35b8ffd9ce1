//! W0703: bits of the word that no opcode of a group uses. W0707: bits of an opcode that no statement
//! mentions. Both are off by default: free bits leave room for extensions.

use super::Context;
use crate::ast::Treatment;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::OpcodeId;
use crate::model::{LayerId, LayerKind};

/// The bits that the opcodes of a group use.
#[derive(Clone, Copy, Default)]
struct Used {
    bits: u128,
    /// The width in bits of the widest of them.
    width: u32,
}

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    of_groups(context, diagnostics);
    for (id, opcode) in context.isa.opcode_ids().zip(&context.opcodes) {
        let unstated = context.isa.opcode(id).unstated();
        if unstated != 0 {
            diagnostics.push(of_opcode(context, id, opcode.layer, unstated));
        }
    }
}

fn of_opcode(
    context: &Context<'_, '_>,
    id: OpcodeId,
    layer: LayerId,
    unstated: u128,
) -> Diagnostic {
    let name = context.layer(id).name;
    let message = format!(
        "no statement of `{}` mentions {}",
        name.text,
        context.isa.numbering(context.isa.opcode(id)).ranges(unstated)
    );
    let mut diagnostic = Diagnostic::new(Code::W0707, message, name.span)
        .with_note("a decoder ignores them, an encoder writes 0")
        .with_help(
"declare them by `ignored`, or by `zero` if they must be 0; `Unstated` applies to all such bits",
        );
    let mut chain = context.model.layer(layer).chain.iter().rev();
    let nearest = chain.find_map(|id| context.model.layer(*id).ast.unstated.last());
    if let Some(asked) = nearest.filter(|unstated| unstated.treatment == Treatment::Warn) {
        diagnostic = diagnostic.with_related(asked.span, "requested here");
        diagnostic.is_asked = true;
    }
    diagnostic
}

fn of_groups(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let mut used: Vec<Used> = vec![Used::default(); context.model.layers.len()];
    for (id, opcode) in context.isa.opcode_ids().zip(&context.opcodes) {
        let lowered = context.isa.opcode(id);
        let parents = &context.model.layer(opcode.layer).parents;
        let of_parents = parents.iter().flat_map(|id| &context.model.layer(*id).parents);
        for group in parents.iter().chain(of_parents) {
            let used = &mut used[group.0 as usize];
            used.bits |= lowered.within & !lowered.unstated();
            used.width = used.width.max(lowered.width);
        }
    }
    for (layer, used) in context.model.layers.iter().zip(used) {
        let free = context.isa.order().within(used.width) & !used.bits;
        if layer.kind == LayerKind::Group && free != 0 {
            diagnostics.push(
                Diagnostic::new(
                    Code::W0703,
                    format!(
                        "no opcode of group `{}` uses {}",
                        layer.name.text,
                        context.isa.order().numbering(used.width).ranges(free)
                    ),
                    layer.name.span,
                )
                .with_note("a decoder ignores them, an encoder writes 0"),
            );
        }
    }
}
