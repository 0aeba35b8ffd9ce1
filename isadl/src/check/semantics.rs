//! Programs that say what instructions do: collects the texts of each opcode's chain, and has them checked.

use isadl_semantics::syntax::{Line, ast::Program, parse};
use isadl_semantics::{Checked, Layer, Subject};

use super::Context;
use crate::ast::SectionKind;
use crate::diagnostic::Diagnostics;
use crate::lower::Lowered;
use crate::model::{self, LayerId, LayerKind};
use crate::prose;
use crate::prove::Effort;

/// Checks the programs of all opcodes.
pub(crate) fn semantics(
    lowered: &Lowered<'_, '_>,
    effort: Effort,
    diagnostics: &mut Diagnostics,
) -> Checked {
    let context = Context::new(lowered);
    let layers = context.model.layers.iter();
    let layers: Vec<Layer<'_>> =
        layers.map(|layer| of_layer(&context, layer, diagnostics)).collect();
    if layers.iter().all(|layer| layer.program.statements.is_empty()) {
        return Checked::default();
    }
    let subjects = context.isa.opcode_ids().zip(context.opcodes);
    let subjects = subjects.map(|(opcode, from)| Subject {
        opcode,
        layer: from.layer.0 as usize,
        lists: [&from.inputs, &from.outputs]
            .into_iter()
            .find_map(|list| Some(list.statement?.span)),
    });
    isadl_semantics::check(context.isa, &layers, &subjects.collect::<Vec<_>>(), effort, diagnostics)
}

/// The programs of a layer, one after the other.
fn of_layer<'a>(
    context: &Context<'_, 'a>,
    layer: &model::Layer<'a>,
    diagnostics: &mut Diagnostics,
) -> Layer<'a> {
    let chain = layer.chain.iter().map(|id| id.0 as usize).collect();
    let mut program = Program::default();
    // An alias is another text of an opcode, and does what the opcode does.
    if layer.kind != LayerKind::Alias {
        let is_checked = is_checked(context, layer);
        let sections = layer.prose.iter().filter(|section| section.kind == SectionKind::Semantics);
        for lines in sections.flat_map(|section| prose::programs(section, is_checked)) {
            let lines: Vec<Line<'a>> =
                lines.iter().map(|line| Line { text: line.text, span: line.span }).collect();
            program.statements.extend(parse(&lines, diagnostics).statements);
        }
    }
    Layer { name: layer.name.text.to_string(), header: layer.header, chain, program }
}

/// Whether the pseudo code of a layer is checked: what the nearest `Semantics` of its chain says.
pub(super) fn is_checked(context: &Context<'_, '_>, layer: &model::Layer<'_>) -> bool {
    let said = |id: &LayerId| context.model.layer(*id).ast.semantics;
    let nearest = layer.chain.iter().rev().find_map(said);
    let header = context.model.isa.as_ref().and_then(|isa| isa.semantics);
    nearest.or(header).is_some_and(|word| word.text == "checked")
}
