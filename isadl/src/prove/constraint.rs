//! What a word must meet, and whether a partial word decides it.

use super::Partial;
use super::interval::Interval;
use crate::isa::{Expr, Field, NameId, Opcode, low_bits};

/// A condition on the bits of a word.
#[derive(Clone, Copy)]
pub(super) enum Constraint<'q> {
    /// The field holds none of the illegal values: half-open ranges in rising order.
    Legal { field: &'q Field, holes: &'q [(u64, u128)] },
    /// The condition does not hold for the fields of the opcode.
    Fails { condition: &'q Expr, opcode: &'q Opcode },
    /// Some bit differs from these.
    Outside(Partial),
}

impl Constraint<'_> {
    /// The bits that it depends on.
    pub(super) fn support(&self) -> u128 {
        match self {
            Constraint::Legal { field, .. } => field.mask(),
            Constraint::Fails { .. } => self.fields().iter().fold(0, |bits, f| bits | f.mask()),
            Constraint::Outside(bits) => bits.known,
        }
    }

    /// The fields that it depends on.
    pub(super) fn fields(&self) -> Vec<&Field> {
        match self {
            Constraint::Legal { field, .. } => vec![*field],
            Constraint::Fails { condition, opcode } => {
                let names = condition.fields();
                names.into_iter().filter_map(|name| opcode.field(name)).collect()
            }
            Constraint::Outside(_) => Vec::new(),
        }
    }

    /// Whether it is met, if that is decided.
    pub(super) fn truth(&self, word: Partial) -> Option<bool> {
        match self {
            Constraint::Legal { field, holes } => {
                let (low, high) = range(field, word);
                let next = holes.partition_point(|(_, end)| *end <= u128::from(low));
                match holes.get(next) {
                    Some((first, end)) if *first <= low && u128::from(high) < *end => Some(false),
                    Some((first, _)) if *first <= high => None,
                    _ => Some(true),
                }
            }
            Constraint::Fails { condition, opcode } => {
                let field = |name: NameId| opcode.field(name).map(|field| (field, word));
                Interval::of(condition, &field).truth().map(|holds| !holds)
            }
            Constraint::Outside(bits) => {
                if (word.value ^ bits.value) & bits.known & word.known != 0 {
                    Some(true)
                } else if bits.known & !word.known == 0 {
                    Some(false)
                } else {
                    None
                }
            }
        }
    }
}

/// The smallest and the largest value that a field may have.
pub(super) fn range(field: &Field, word: Partial) -> (u64, u64) {
    let low = field.extract(word.value);
    let unknown = low_bits(field.width) as u64 & !field.extract(word.known);
    (low, low | unknown)
}
