//! All examples with claims, and all laws, of an instruction set, checked.

use std::collections::BTreeMap;

use isadl_diagnostics::diagnostic::Diagnostics;
use isadl_ir::isa::{ExtensionSet, Isa, Opcode, RegisterNames};

use crate::check::{self, Context, Memories};
use crate::scope::{Layer, Scopes};
use crate::trials::Trial;

/// Checks the claims of all layers.
pub(crate) fn trials(
    isa: &Isa,
    layers: &[Layer<'_>],
    scopes: &Scopes<'_, '_>,
    memories: &Memories<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Trial> {
    let is_one = |layer: &&Layer<'_>| !layer.stated.is_empty();
    let Some(blank) = layers.iter().find(is_one).and_then(|_| blank(isa)) else {
        return Vec::new();
    };
    let names = RegisterNames::of(isa);
    let mut found = Vec::new();
    for (at, layer) in layers.iter().enumerate().filter(|(_, layer)| is_one(layer)) {
        // What a broken text lacks would be missed.
        if layer.chain.iter().any(|id| layers[*id].is_broken) {
            continue;
        }
        let (chain, chosen) = (scopes.chain_of_claims(at), BTreeMap::new());
        for stated in &layer.stated {
            let context = Context {
                isa,
                opcode: &blank,
                scopes,
                chain: &chain,
                layer: at,
                memories,
                chosen: &chosen,
                registers: Some(&names),
            };
            let checked = check::claims(&context, &stated.claims, diagnostics);
            found.extend(checked.map(|checked| Trial {
                span: stated.span,
                is_law: stated.is_law,
                lines: stated.instructions.iter().map(|line| line.span).collect(),
                given: checked.given,
                before: checked.before,
                claims: checked.claims,
                named: checked.named,
                active: checked.active,
                ranges: checked.ranges,
                instructions: Vec::new(),
                extensions: ExtensionSet::default(),
            }));
        }
    }
    found
}

/// An opcode without operands: claims are about no instruction word. `None` if there are no opcodes.
fn blank(isa: &Isa) -> Option<Opcode> {
    let first = isa.opcodes().first()?.clone();
    Some(Opcode {
        literals: Vec::new(),
        fields: Vec::new(),
        composite_operands: Vec::new(),
        operands: Vec::new(),
        implicit: Vec::new(),
        flow: Vec::new(),
        ..first
    })
}
