//! W0703: bits of the word that no opcode of a group uses. W0707: bits of an opcode that no statement
//! mentions, once for all opcodes of a definition. Both are off by default: free bits leave room for extensions.

use std::collections::BTreeSet;

use super::Context;
use crate::ast::Treatment;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::isa::OpcodeId;
use crate::model::{LayerId, LayerKind};
use crate::source::Span;

/// The bits that the opcodes of a group use.
#[derive(Clone, Copy, Default)]
struct Used {
    bits: u128,
    /// The width in bits of the widest of them.
    width: u32,
}

pub(super) fn check(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    of_groups(context, diagnostics);
    of_opcodes(context, diagnostics);
}

/// Bits without a statement, as the specification numbers them, and the `Unstated` that asks for a warning about them.
type Open = (String, Option<Span>);

/// Reports the bits of opcodes that no statement mentions, each at the definition where one statement suffices.
fn of_opcodes(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    // For each layer, the opcodes below it and the bits that are open in all of them.
    let mut below: Vec<(BTreeSet<LayerId>, Option<Open>)> =
        vec![(BTreeSet::new(), None); context.model.layers.len()];
    let of_opcode = |id: OpcodeId, layer: LayerId| {
        let mut chain = context.model.layer(layer).chain.iter().rev();
        let nearest = chain.find_map(|id| context.model.layer(*id).ast.unstated.last());
        let asked = nearest.filter(|unstated| unstated.treatment == Treatment::Warn);
        let opcode = context.isa.opcode(id);
        let ranges = match opcode.unstated() {
            0 => String::new(),
            bits => context.isa.numbering(opcode).ranges(bits),
        };
        (ranges, asked.map(|asked| asked.span))
    };
    for (id, opcode) in context.isa.opcode_ids().zip(context.opcodes) {
        let open = of_opcode(id, opcode.layer);
        for layer in &context.model.layer(opcode.layer).chain {
            let (opcodes, common) = &mut below[layer.0 as usize];
            let is_first = opcodes.is_empty();
            opcodes.insert(opcode.layer);
            *common = match is_first {
                true => Some(open.clone()),
                false => common.take().filter(|known| *known == open),
            };
        }
    }
    let mut told = BTreeSet::new();
    for (id, opcode) in context.isa.opcode_ids().zip(context.opcodes) {
        let open = of_opcode(id, opcode.layer);
        if open.0.is_empty() {
            continue;
        }
        let chain = context.model.layer(opcode.layer).chain.iter().copied();
        let is_common = |layer: &LayerId| {
            let (opcodes, common) = &below[layer.0 as usize];
            opcodes.len() > 1 && common.is_some()
        };
        let layer = chain.into_iter().find(is_common).unwrap_or(opcode.layer);
        if told.insert((layer, open.clone())) {
            let count = below[layer.0 as usize].0.len();
            diagnostics.push(unstated(context, layer, count, open));
        }
    }
}

fn unstated(
    context: &Context<'_, '_>,
    layer: LayerId,
    opcodes: usize,
    (ranges, asked): Open,
) -> Diagnostic {
    let name = context.model.layer(layer).name;
    let message = match opcodes {
        1 => format!("no statement of `{}` mentions {ranges}", name.text),
        count => {
            format!("no statement of the {count} opcodes of `{}` mentions {ranges}", name.text)
        }
    };
    let (_, list) = ranges.split_once(' ').unwrap_or_default();
    let place = || Old::Section(name.span, "__Encoding");
    let diagnostic = Diagnostic::new(Code::W0707, message, name.span)
        .with_note("a decoder ignores them, an encoder writes 0")
        .with_change(
            format!("write `zero[{list}];` in `__Encoding` of `{}` if they must be 0", name.text),
            place(),
            format!("\n    zero[{list}];"),
        )
        .with_change(
            format!("otherwise write `ignored[{list}];`; `Unstated` applies to all such bits"),
            place(),
            format!("\n    ignored[{list}];"),
        );
    match asked {
        Some(asked) => {
            let mut diagnostic = diagnostic.with_related(asked, "requested here");
            diagnostic.is_requested = true;
            diagnostic
        }
        None => diagnostic,
    }
}

fn of_groups(context: &Context<'_, '_>, diagnostics: &mut Diagnostics) {
    let mut used: Vec<Used> = vec![Used::default(); context.model.layers.len()];
    for (id, opcode) in context.isa.opcode_ids().zip(context.opcodes) {
        let lowered = context.isa.opcode(id);
        let parents = &context.model.layer(opcode.layer).parents;
        let of_parents = parents.iter().flat_map(|id| &context.model.layer(*id).parents);
        for group in parents.iter().chain(of_parents) {
            let used = &mut used[group.0 as usize];
            used.bits |= lowered.width_mask & !lowered.unstated();
            used.width = used.width.max(lowered.width);
        }
    }
    for (layer, used) in context.model.layers.iter().zip(used) {
        let free = context.isa.word_layout().width_mask(used.width) & !used.bits;
        if layer.kind == LayerKind::Group && free != 0 {
            diagnostics.push(
                Diagnostic::new(
                    Code::W0703,
                    format!(
                        "no opcode of group `{}` uses {}",
                        layer.name.text,
                        context.isa.word_layout().numbering(used.width).ranges(free)
                    ),
                    layer.name.span,
                )
                .with_note("a decoder ignores them, an encoder writes 0"),
            );
        }
    }
}
