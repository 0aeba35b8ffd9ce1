//! Lines with addresses in place of distances, and relocations.

use isadl_engine::parse::parse_at;
use isadl_engine::parse_error::ParseError;
use isadl_engine::relocation;

use super::{Engine, Inst};

pub use isadl_engine::relocation::RelocateError;

/// A relocation that an instruction can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation<'l> {
    /// The name written in operands; empty for operands that are addresses themselves.
    pub name: &'l str,
    /// Its number in object files.
    pub number: u32,
    /// The position that object files record, in bytes from the start of the instruction.
    pub offset: u64,
}

impl<'l> Engine<'l> {
    pub(super) fn parse_at(&self, line: &str, address: u64) -> Result<Inst, ParseError> {
        let (mut words, mut pieces) = self.room();
        let target = (self.target, address);
        let (row, word) = parse_at(&self.image, target, line, &mut words, &mut pieces)?;
        Ok(Inst { opcode: self.opcode(row), word })
    }

    /// The relocations that an instruction can have, in the order of its operands.
    pub fn relocations(&self, inst: Inst) -> impl Iterator<Item = Relocation<'l>> {
        let control = self.image.control;
        let row = self.tables.row_of[inst.opcode.index()];
        relocation::relocations(&self.image, row).map(move |(field, one)| Relocation {
            name: control.relocation_name(one),
            number: one.number,
            offset: field.offset.into(),
        })
    }

    /// Applies a relocation to an instruction at an address; `value` is the symbol's address plus the addend. The
    /// number and the offset of the relocation are as in object files, the offset in bytes from the start of the
    /// instruction. The rules of the specification are not checked.
    ///
    /// # Errors
    ///
    /// Where the instruction does not have the relocation at this offset, or cannot hold what it gives.
    pub fn relocate(
        &self,
        inst: Inst,
        number: u32,
        offset: u64,
        value: u64,
        address: u64,
    ) -> Result<Inst, RelocateError> {
        let row = self.tables.row_of[inst.opcode.index()];
        let (own, place) = ((row, inst.word), (value, address));
        let word = relocation::relocate(&self.image, own, (number, offset), place)?;
        Ok(Inst { word, ..inst })
    }
}
