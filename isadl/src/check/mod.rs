//! Checks, one per file, at three points: on the model; on the lowered form, where masks are needed; and on text, where
//! templates and examples are compared with the lowered form.
//!
//! A new check is a new file with one function, called in the `mod.rs` next to it.

mod encoding;
mod environments;
mod model;
mod semantics;
mod text;
mod trials;

use crate::isa::{Expr, Isa, OpcodeId};
use crate::lower::Lowered;
use crate::model::{Layer, Model, Opcode};

pub(crate) use encoding::encoding;
pub(crate) use model::model;
pub(crate) use semantics::semantics;
pub(crate) use text::text;
pub(crate) use trials::trials;

/// The lowered form and what it was lowered from, as the checks use them.
struct Context<'c, 'a> {
    isa: &'c Isa,
    model: &'c Model<'a>,
    /// The statements of each opcode of `isa`.
    opcodes: &'c [&'c Opcode<'a>],
}

impl<'c, 'a> Context<'c, 'a> {
    fn new(lowered: &'c Lowered<'c, 'a>) -> Context<'c, 'a> {
        Context { isa: &lowered.isa, model: lowered.model, opcodes: &lowered.opcodes }
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
