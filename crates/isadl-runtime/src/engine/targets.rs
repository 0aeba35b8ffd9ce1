//! The addresses that an instruction names by distances, and instructions that name other ones.

use isadl_engine::relocation;

use crate::isa::{TypeKind, low_bits};

use super::{Engine, Inst, RelocateError};

/// An address that an instruction names by a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetAddress {
    /// The address.
    pub address: u64,
    /// The distance counts in steps of so many bytes. The address of a page has larger steps than instructions have
    /// bytes: other instructions say what is meant in the page.
    pub step: u64,
}

impl Engine<'_> {
    /// The addresses that an instruction at an address names by distances, in the order of its text.
    pub fn targets(&self, inst: Inst, address: u64) -> impl Iterator<Item = TargetAddress> {
        let row = self.row(inst.opcode);
        relocation::targets(&self.image, (row, inst.word), address)
            .map(|(address, scale)| TargetAddress { address, step: scale.unsigned_abs() })
    }

    /// The instruction at an address with another address as one of its [targets](Engine::targets), of which this is the
    /// number. The rules of the specification are not checked.
    ///
    /// # Errors
    ///
    /// If it has no such target, or cannot hold the distance.
    pub fn with_target(
        &self,
        inst: Inst,
        number: usize,
        target: u64,
        address: u64,
    ) -> Result<Inst, RelocateError> {
        let row = self.row(inst.opcode);
        let place = (target, address);
        let word = relocation::with_target(&self.image, (row, inst.word), number, place)?;
        Ok(Inst { word, ..inst })
    }

    /// The least and the greatest distance of one of its [targets](Engine::targets), in bytes from where it is measured.
    pub fn target_reach(&self, inst: Inst, number: usize) -> Option<(i128, i128)> {
        let row = self.row(inst.opcode);
        relocation::target_reach(&self.image, row, number)
    }

    /// The instruction with what each of its relocations makes of an address, where the specification says what that is.
    /// `start` is the address of the instruction, or, for a relocation that has a pair, of the other instruction. The
    /// rules of the specification are not checked.
    pub fn with_relocations(&self, inst: Inst, value: u64, start: u64) -> Vec<Inst> {
        let isa = self.isa;
        let opcode = isa.opcode(inst.opcode);
        let mut found = Vec::new();
        for (bits, ty) in isa.numbers_where(opcode, |own| !own.relocations.is_empty()) {
            let TypeKind::Immediate(immediate) = &isa.ty(ty).kind else { continue };
            for relocation in &immediate.relocations {
                let value = relocation.value_of(value as i64, start as i64);
                let raw = value.and_then(|value| immediate.bits_of(value, bits.width()));
                let Some(raw) = raw else { continue };
                debug_assert_eq!(u128::from(raw) & !low_bits(bits.width()), 0);
                found.push(Inst { word: inst.word & !bits.mask() | bits.place(raw), ..inst });
            }
        }
        found
    }
}
