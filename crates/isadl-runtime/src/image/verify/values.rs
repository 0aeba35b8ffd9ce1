//! What the bits of operands are.

use isadl_engine::image::{INDIRECT, OF_FILE};
use isadl_engine::image_values::{
    ENTRIES, ENTRY_FLOAT, ENTRY_LITERAL, ENTRY_ONES, ENTRY_REGISTERS, ENTRY_SPECIAL, ENTRY_ZEROS,
    NUMBER, ONLY_PART, PARTS,
};

use super::{Verify, list, row};
use crate::isa::Isa;

impl Verify<'_> {
    pub(super) fn values(&self, isa: &Isa) -> bool {
        let (words, values) = (&self.image.words, &self.image.values);
        let name = |number: u32| row(values.names, number);
        let types = values.types.iter().all(|own| {
            let is_listed = match own.kind {
                ENTRIES => list(values.entries, own.list),
                NUMBER => row(values.numbers, own.list.0),
                PARTS => list(values.parts, own.list),
                ONLY_PART => row(values.parts, own.list.0),
                _ => false,
            };
            is_listed && own.others as usize <= values.types.len()
        });
        let entries = values.entries.iter().all(|own| {
            let is_owned = match own.kind {
                ENTRY_REGISTERS | ENTRY_ZEROS | ENTRY_ONES => row(values.files, own.of),
                ENTRY_SPECIAL => row(isa.specials(), own.of),
                ENTRY_FLOAT => row(values.floats, u64::from(own.of) + 2),
                kind => kind <= ENTRY_LITERAL,
            };
            // The engine adds a position to the first number.
            let is_small = (0..=i64::from(u32::MAX >> 1)).contains(&own.first);
            is_owned && name(own.name) && own.align > 0 && (own.kind != ENTRY_REGISTERS || is_small)
        });
        let numbers = values.numbers.iter().all(|own| {
            (1..=64).contains(&own.width)
                && (own.computed == 0 || row(words.computed, own.computed))
        });
        let parts = values.parts.iter().all(|own| {
            name(own.name) && row(values.types, own.ty) && list(values.pieces, own.pieces)
        });
        let operands = words.operands.iter().all(|own| {
            let has_file =
                own.place != OF_FILE && own.place != INDIRECT || row(values.files, own.file);
            has_file && row(values.types, own.ty)
        });
        types
            && entries
            && numbers
            && parts
            && operands
            && self.are_apart()
            && values.pieces.iter().all(|piece| piece.lsb < 64 && piece.shift < 64)
            && values.files.iter().all(|own| row(isa.reg_files(), own.number))
            && [0, words.rows.len()].contains(&values.literals.len())
            && values.slots_of.len() == words.rows.len()
            && values.slots_of.iter().all(|own| list(values.slots, *own))
            && values.accesses_of.len() == words.rows.len()
            && values.accesses_of.iter().all(|own| list(values.accesses, *own))
            && values.accesses.iter().all(|own| {
                self.field(own.lsb, own.width)
                    && self.width(own.data)
                    && row(words.exprs, own.condition)
            })
            && values.slots.iter().all(|own| {
                self.field(own.lsb, own.width) && name(own.name) && row(values.types, own.ty)
            })
            && words.fields.iter().all(|own| row(values.types, own.ty))
    }

    /// Whether parts are made of parts that no part contains in turn.
    fn are_apart(&self) -> bool {
        let values = &self.image.values;
        // A part has fewer bits than the whole, so that there are at most so many levels.
        let mut depths = vec![0u32; values.types.len()];
        for _ in 0..=u64::BITS {
            let before = depths.clone();
            for (at, own) in values.types.iter().enumerate() {
                let parts = match own.kind {
                    PARTS => isadl_engine::image::slice(values.parts, own.list),
                    ONLY_PART => &values.parts[own.list.0 as usize..=own.list.0 as usize],
                    _ => &[],
                };
                let others = own.others.checked_sub(1);
                let inner = parts.iter().map(|part| part.ty).chain(others);
                depths[at] = inner.map(|ty| before[ty as usize] + 1).max().unwrap_or(0);
            }
            if depths == before {
                return true;
            }
        }
        false
    }
}
