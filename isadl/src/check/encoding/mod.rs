//! Checks on the lowered form: what masks, values and rules tell.
//!
//! Diagnostics need places, so the model goes along: opcode *n* of the lowered form is the
//! *n*th opcode layer of the model.

mod ambiguity;
mod fixed_bits;
mod reachability;
mod rules;
mod unused_bits;

use crate::diagnostic::Diagnostics;
use crate::isa::{Isa, OpcodeId};
use crate::model::{LayerKind, Model, Opcode};

/// All checks on the lowered form.
pub(crate) fn encoding(isa: &Isa, model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let is_opcode = |opcode: &&Opcode<'_>| model.layer(opcode.layer).kind == LayerKind::Opcode;
    let context = Context { isa, model, opcodes: model.opcodes.iter().filter(is_opcode).collect() };
    fixed_bits::check(&context, diagnostics);
    ambiguity::check(&context, diagnostics);
    reachability::check(&context, diagnostics);
    rules::check(&context, diagnostics);
    unused_bits::check(&context, diagnostics);
}

struct Context<'c, 'a> {
    isa: &'c Isa,
    model: &'c Model<'a>,
    opcodes: Vec<&'c Opcode<'a>>,
}

impl<'c, 'a> Context<'c, 'a> {
    /// The layer that an opcode was lowered from.
    fn layer(&self, id: OpcodeId) -> &'c crate::model::Layer<'a> {
        self.model.layer(self.opcodes[id.index()].layer)
    }
}
