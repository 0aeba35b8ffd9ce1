//! Where the bits of statements are in words.

use crate::ast;
use crate::isa::{Bits, Field, Run, WordLayout, low_bits};
use crate::model::Model;

/// How the numbers of bits that an opcode's statements give are bits of words.
pub(super) struct Places {
    pub(super) layout: WordLayout,
    /// Bits in the opcode.
    width: u32,
    /// The number after the last bit; beyond the width in a form with a literal.
    end: u32,
}

impl Places {
    /// The places of an opcode of `width` bits.
    pub(super) fn of(model: &Model<'_>, width: u32) -> Places {
        let layout = model.isa.as_ref().map_or(WordLayout::new(width), |isa| isa.layout);
        Places { layout, width, end: width }
    }

    /// The places of a form that ends at a later bit.
    pub(super) fn until(self, end: u32) -> Places {
        Places { end, ..self }
    }

    /// The bits of a statement, the most significant piece first.
    pub(super) fn runs(&self, bits: &ast::Bits) -> Vec<Run> {
        let small = |number: i128| u32::try_from(number).unwrap_or(0);
        let piece = |(low, count)| self.layout.runs(small(low), small(count), self.width, self.end);
        bits.pieces().flat_map(piece).collect()
    }

    /// The bits of a field.
    pub(super) fn bits(&self, bits: &ast::Bits) -> Bits {
        Bits::new(self.runs(bits))
    }

    /// The bit with a number.
    pub(super) fn bit(&self, number: u32) -> Bits {
        Bits::new(self.layout.runs(number, 1, self.width, self.end))
    }

    /// Sorts fields by the lowest number of their bits.
    pub(super) fn sort(&self, fields: &mut [Field]) {
        let numbering = self.layout.numbering(self.end);
        fields.sort_by_cached_key(|field| numbering.low(&field.bits));
    }

    /// The bits of a statement outside fields, and its value there; none that only a longer form has.
    pub(super) fn fixed(&self, reserved: &ast::Reserved<'_>) -> (u128, u128) {
        let end = u32::try_from(reserved.bits.end()).unwrap_or(0).max(self.end);
        let width_mask = self.layout.width_mask(self.end);
        let (mut mask, mut value) = (0, 0);
        let mut left = reserved.value.map_or(0, |value| value.value as u128);
        for run in (Places { end, ..*self }).runs(&reserved.bits).iter().rev() {
            mask |= run.mask();
            value |= (left & low_bits(run.width)).checked_shl(run.lsb).unwrap_or(0);
            left = left.checked_shr(run.width).unwrap_or(0);
        }
        (mask & width_mask, value & width_mask)
    }
}
