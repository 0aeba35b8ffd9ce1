//! Opcodes and the forms of their aliases: everything that is written in its own way.

use std::borrow::Cow;

use crate::engine::TextOf;
use crate::isa::{Isa, OpcodeId};

/// An instruction set whose aliases are opcodes too, after the others.
pub(in crate::check::text) struct AliasForms<'i> {
    isa: Cow<'i, Isa>,
    /// The opcode of each alias, and the alias's index among the opcode's aliases.
    aliases: Vec<(OpcodeId, usize)>,
}

impl<'i> AliasForms<'i> {
    pub(in crate::check::text) fn new(isa: &'i Isa) -> AliasForms<'i> {
        let of = |id: OpcodeId| (0..isa.opcode(id).aliases.len()).map(move |at| (id, at));
        let aliases = isa.opcode_ids().flat_map(of).collect();
        let isa = isa.with_alias_forms().map_or(Cow::Borrowed(isa), Cow::Owned);
        AliasForms { isa, aliases }
    }

    pub(super) fn isa(&self) -> &Isa {
        &self.isa
    }

    /// How many opcodes there are without aliases.
    pub(super) fn plain(&self) -> usize {
        self.isa.opcodes().len() - self.aliases.len()
    }

    /// The opcode of a form, and the index of its alias if it is the form of an alias.
    pub(super) fn text(&self, id: OpcodeId) -> TextOf {
        let alias = id.index().checked_sub(self.plain()).and_then(|at| self.aliases.get(at));
        let (opcode, alias) = alias.map_or((id, None), |(of, at)| (*of, Some(*at)));
        TextOf { opcode, alias }
    }

    /// The form of an alias of an opcode.
    pub(super) fn alias(&self, (of, at): (OpcodeId, usize)) -> Option<OpcodeId> {
        let number = self.aliases.iter().position(|known| *known == (of, at))?;
        self.isa.opcode_ids().nth(self.plain() + number)
    }
}
