//! The check that all fields of a word hold values that their types have, as a few sums.
//!
//! A field of *w* bits whose legal values are 0 to *m* is illegal exactly when adding
//! 2^*w* - 1 - *m* to it carries out of it. All such fields of a layout are added at once: every
//! second one in each of two sums, so that a carry falls on a bit that the sum has cleared.
//! Fields with other gaps are compared range by range.

use isadl::isa::{Isa, low_bits};

use super::plan::{Layout, LayoutBinding, LayoutField};

/// The check of one layout.
#[derive(Default)]
pub(super) struct Validity {
    pub(super) sums: [Sum; 2],
    pub(super) holes: Vec<Hole>,
}

/// Illegal where `(word & mask) + addend` has a bit of `carry`.
#[derive(Default, Clone, Copy)]
pub(super) struct Sum {
    pub(super) mask: u128,
    pub(super) addend: u128,
    pub(super) carry: u128,
}

/// Illegal where the field is in `first..=last`.
pub(super) struct Hole {
    pub(super) lsb: u32,
    pub(super) width: u32,
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Validity {
    /// The check of the open fields of a layout; a word has `word_bits` bits of room.
    pub(super) fn of(isa: &Isa, layout: &Layout, word_bits: u32) -> Validity {
        let mut validity = Validity::default();
        // The bit behind the last field of each sum: the next must lie above it.
        let mut carries = [None; 2];
        for field in layout.fields.iter().filter(|field| field.binding != LayoutBinding::Fixed) {
            let holes = isa.ty(field.ty).holes();
            let end = field.lsb + field.width;
            let room = (0..2).find(|sum| carries[*sum].is_none_or(|carry| carry < field.lsb));
            match (holes.as_slice(), room) {
                ([], _) => {}
                ([(first, last)], Some(sum)) if *last == 1 << field.width && end < word_bits => {
                    carries[sum] = Some(end);
                    validity.sums[sum].add(field, *first);
                }
                (holes, _) => validity.holes.extend(holes.iter().map(|(first, end)| Hole {
                    lsb: field.lsb,
                    width: field.width,
                    first: *first,
                    last: (*end - 1) as u64,
                })),
            }
        }
        validity
    }
}

impl Sum {
    /// Adds a field whose values from `first_illegal` on are illegal.
    fn add(&mut self, field: &LayoutField, first_illegal: u64) {
        let all = low_bits(field.width);
        self.mask |= all << field.lsb;
        self.addend |= (all + 1 - u128::from(first_illegal)) << field.lsb;
        self.carry |= 1 << (field.lsb + field.width);
    }
}
