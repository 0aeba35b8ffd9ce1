//! Checks, one per file, at three points: on the model; on the lowered form, where masks are needed; and on text, where
//! templates and examples are compared with the lowered form.
//!
//! A new check is a new file with one function, called in the `mod.rs` next to it.

mod encoding;
mod model;
mod text;

use std::collections::HashMap;

use crate::isa::{Expr, Isa, OpcodeId};
use crate::model::{Layer, LayerKind, Model, Opcode};

pub(crate) use encoding::encoding;
pub(crate) use model::model;
pub(crate) use text::text;

/// The lowered form with the model it was made from, since diagnostics need source locations.
struct Context<'c, 'a> {
    isa: &'c Isa,
    model: &'c Model<'a>,
    /// The model's opcode that each opcode of the lowered form comes from.
    opcodes: Vec<&'c Opcode<'a>>,
}

impl<'c, 'a> Context<'c, 'a> {
    fn new(isa: &'c Isa, model: &'c Model<'a>) -> Context<'c, 'a> {
        let is_opcode = |opcode: &&Opcode<'_>| model.layer(opcode.layer).kind == LayerKind::Opcode;
        let name = |opcode: &'c Opcode<'a>| (model.layer(opcode.layer).name.text, opcode);
        let by_name: HashMap<&str, &Opcode<'a>> =
            model.opcodes.iter().filter(is_opcode).map(name).collect();
        let opcodes = isa.opcodes().iter().filter_map(|o| by_name.get(o.name.as_str()).copied());
        Context { isa, model, opcodes: opcodes.collect() }
    }

    /// The condition of an opcode's rule, by the rule's index among the written rules. It applies where the rule's
    /// guard is met.
    fn rule(&self, id: OpcodeId, at: usize) -> &'c Expr {
        self.isa.expr(self.isa.rule(self.isa.opcode(id).rules[at]).condition)
    }

    /// The layer that an opcode was lowered from.
    fn layer(&self, id: OpcodeId) -> &'c Layer<'a> {
        self.model.layer(self.opcodes[id.index()].layer)
    }
}
