//! Pieces of fields in bit diagrams: the bits of the operand's value that each piece holds.

use super::{Field, Isa, Run, TypeKind};

/// Bits of a field in pieces that are next to each other in the instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldPiece {
    /// The bits of the word.
    pub run: Run,
    /// The bits of the operand's value in this piece, starting at the highest bit of the word: `[12|10:5]`. These are
    /// bits of the field if the value does not consist of the field's bits, as with a bias.
    pub bits_of_value: String,
}

impl Isa {
    /// The piece of a field that contains a bit of the word; `None` if the field has a single piece.
    pub fn piece_of(&self, field: &Field, bit: u32) -> Option<FieldPiece> {
        if field.bits.as_one().is_some() {
            return None;
        }
        let shift = self.shift_of(field);
        let mut places: Vec<(u32, Run)> = field.bits.places().collect();
        places.sort_by_key(|(_, run)| std::cmp::Reverse(run.lsb));
        let adjacent = places.chunk_by(|(_, above), (_, below)| below.high() + 1 == above.lsb);
        let mut pieces = adjacent.map(|group| {
            let (lowest, highest) = (group[group.len() - 1].1.lsb, group[0].1.high());
            let values = group.iter().map(|(at, run)| Run { lsb: at + shift, width: run.width });
            let values: Vec<String> = values.map(|run| run.to_string()).collect();
            let run = Run { lsb: lowest, width: highest - lowest + 1 };
            FieldPiece { run, bits_of_value: format!("[{}]", values.join("|")) }
        });
        pieces.find(|piece| piece.run.mask() >> bit & 1 == 1)
    }

    /// The bit of the operand's value that the lowest bit of a field is; 0 where the value has other bits.
    fn shift_of(&self, field: &Field) -> u32 {
        let TypeKind::Immediate(of) = &self.ty(field.ty).kind else { return 0 };
        let is_shifted = of.is_integer() && of.computed.is_none() && of.bias == 0;
        match u64::try_from(of.scale) {
            Ok(scale) if is_shifted && scale.is_power_of_two() => scale.trailing_zeros(),
            _ => 0,
        }
    }
}
