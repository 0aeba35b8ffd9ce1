//! Checks, one a file, at three points: on the model; on the lowered form, where masks are
//! needed; and on text, where templates and examples are held against the lowered form. A new
//! check is a new file with one function, called in the `mod.rs` beside it.

mod encoding;
mod model;
mod text;

use crate::isa::{Isa, OpcodeId};
use crate::model::{Layer, LayerKind, Model, Opcode};

pub(crate) use encoding::encoding;
pub(crate) use model::model;
pub(crate) use text::text;

/// The lowered form with the model that it was made of: diagnostics need places. Opcode *n* of
/// the lowered form is the *n*th opcode layer of the model.
struct Context<'c, 'a> {
    isa: &'c Isa,
    model: &'c Model<'a>,
    opcodes: Vec<&'c Opcode<'a>>,
}

impl<'c, 'a> Context<'c, 'a> {
    fn new(isa: &'c Isa, model: &'c Model<'a>) -> Context<'c, 'a> {
        let is_opcode = |opcode: &&Opcode<'_>| model.layer(opcode.layer).kind == LayerKind::Opcode;
        Context { isa, model, opcodes: model.opcodes.iter().filter(is_opcode).collect() }
    }

    /// The layer that an opcode was lowered from.
    fn layer(&self, id: OpcodeId) -> &'c Layer<'a> {
        self.model.layer(self.opcodes[id.index()].layer)
    }
}
