//! The check that all fields of a word hold values that their types have, as a few sums.
//!
//! A field of *w* bits whose legal values are 0 to *m* is illegal exactly when adding
//! 2^*w* - 1 - *m* to it carries out of it. All such fields of a row are added at once; where a
//! carry would fall on a bit of another field, another sum takes it. Sums are over 64 bits of the word,
//! which begin at the same bit in all rows. Fields with other gaps become conditions.

use isadl_engine::image::{HAS_CONDITIONS, MAX_LANES, Sum};

use super::super::rows::Rows;
use crate::isa::{Binding, Field, Opcode, Run, low_bits};

/// Where the carries of fields end: above is [`HAS_CONDITIONS`].
const END: u32 = HAS_CONDITIONS.trailing_zeros();

/// Sums are computed for every word. If fewer than one in this many rows need them, conditions replace them.
const MIN_SHARE: usize = 8;

/// The sums that all rows share: where the bits of each begin.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Lanes {
    starts: Vec<u32>,
}

/// A field with its bits, and a gap at the end of its type, from this value on.
type Gap<'f> = (&'f Field, Run, u64);

impl Lanes {
    /// As many as the fields of all opcodes need; none if few need any. Halves of a word are free to take, so they are where
    /// they are enough.
    pub(super) fn of(rows: &Rows<'_>) -> Lanes {
        let opcodes = rows.ids.iter().map(|id| rows.isa.opcode(*id));
        let gaps: Vec<Vec<Gap<'_>>> = opcodes.map(|opcode| gaps(rows, opcode)).collect();
        let with_gaps = gaps.iter().filter(|gaps| !gaps.is_empty()).count();
        if with_gaps < rows.ids.len() / MIN_SHARE {
            return Lanes::default();
        }
        let lanes = |start: &dyn Fn(Run) -> u32| {
            let mut lanes = Lanes::default();
            while lanes.starts.len() < MAX_LANES {
                let left = gaps.iter().filter_map(|gaps| lanes.assign(gaps).1.first().copied());
                let Some((_, bits, _)) = left.min_by_key(|(_, bits, _)| bits.lsb) else { break };
                lanes.starts.push(start(bits));
            }
            let left: usize = gaps.iter().map(|gaps| lanes.assign(gaps).1.len()).sum();
            (left, lanes)
        };
        let tight = lanes(&|bits| bits.lsb);
        let halves = lanes(&|bits| match bits.lsb % 64 + bits.width < END {
            true => bits.lsb / 64 * 64,
            false => bits.lsb,
        });
        let cost = |(left, lanes): &(usize, Lanes)| (*left, lanes.count());
        if cost(&halves) <= cost(&tight) { halves.1 } else { tight.1 }
    }

    /// The lowest bit of each.
    pub(super) fn starts(&self) -> [u8; MAX_LANES] {
        let mut starts = [0; MAX_LANES];
        starts.iter_mut().zip(&self.starts).for_each(|(to, from)| *to = *from as u8);
        starts
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The sums of an opcode, and the fields that need conditions.
    pub(super) fn sums<'o>(
        &self,
        rows: &Rows<'_>,
        opcode: &'o Opcode,
    ) -> (Vec<Sum>, Vec<&'o Field>) {
        let gaps = gaps(rows, opcode);
        let (sums, left) = self.assign(&gaps);
        let open = opcode.fields.iter().filter(|field| is_open(field));
        let others = open.filter(|field| {
            let has_reserved_values = !rows.reserved_values(field.ty).is_empty();
            has_reserved_values && gaps.iter().all(|(other, ..)| !std::ptr::eq(*other, *field))
        });
        (sums, others.chain(left.into_iter().map(|(field, ..)| field)).collect())
    }

    /// The sums of some fields, and the fields that have no room.
    fn assign<'f>(&self, gaps: &[Gap<'f>]) -> (Vec<Sum>, Vec<Gap<'f>>) {
        let mut sums = vec![Sum(0, 0, 0); self.starts.len()];
        let mut left = Vec::new();
        for (field, bits, first) in gaps {
            let all = low_bits(bits.width) as u64;
            let fits = |(sum, start): &(&mut Sum, &u32)| {
                let Some(low) = bits.lsb.checked_sub(**start) else { return false };
                low + bits.width < END && (sum.mask | sum.carry) >> low == 0
            };
            match sums.iter_mut().zip(&self.starts).find(fits) {
                Some((sum, start)) => {
                    let low = bits.lsb - start;
                    sum.mask |= all << low;
                    sum.addend |= (all + 1 - first) << low;
                    sum.carry |= 1 << (low + bits.width);
                }
                None => left.push((*field, *bits, *first)),
            }
        }
        (sums, left)
    }
}

fn is_open(field: &Field) -> bool {
    !matches!(field.binding, Binding::Fixed(_))
}

/// The open single-piece fields of an opcode whose upper values are all reserved, by ascending lowest bit. Each comes
/// with its first reserved value.
fn gaps<'o>(rows: &Rows<'_>, opcode: &'o Opcode) -> Vec<Gap<'o>> {
    let open = opcode.fields.iter().filter(|field| is_open(field) && field.width() < 64);
    let gap = |field: &'o Field| {
        let bits = field.bits.as_one()?;
        match rows.reserved_values(field.ty) {
            [(first, end)] if *end == 1 << bits.width => Some((field, bits, *first)),
            _ => None,
        }
    };
    open.filter_map(gap).collect()
}
