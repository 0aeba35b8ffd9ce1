//! Literals that have the bits of a constant, and are the same as it.

use super::cursor::Cursor;
use super::float::parse_float;
use super::value::numbers;
use crate::isa::{Entry, Immediate, Isa, Meaning, Number, TypeId, TypeKind};

impl Isa {
    /// The value of an operand type whose constant has the bits of a literal.
    pub fn constant_of_bits(&self, operand: TypeId, literal: TypeId, bits: u64) -> Option<u64> {
        let literal = self.ty(literal);
        let TypeKind::Immediate(number) = &literal.kind else { return None };
        let (entry, position) = find(self.ty(operand).entries(), bits, number, literal.width)?;
        Some(entry.value + position)
    }

    /// The value of an operand type whose constant has the bits of a number, read as a literal. The
    /// cursor only moves if there is one.
    pub(super) fn constant_of_number(
        &self,
        operand: TypeId,
        literal: TypeId,
        cursor: &mut Cursor<'_>,
    ) -> Option<u64> {
        let TypeKind::Immediate(number) = &self.ty(literal).kind else { return None };
        let mut end = cursor.clone();
        let bits = numbers(number, self.ty(literal).width, &mut end).ok()?;
        let found = self.constant_of_bits(operand, literal, bits)?;
        *cursor = end;
        Some(found)
    }
}

/// The constant among the entries of a type that has the bits of a literal of `width` bits.
pub(super) fn name(entries: &[Entry], raw: u64, literal: &Immediate, width: u32) -> Option<String> {
    find(entries, raw, literal, width).map(|(entry, position)| entry.name_at(position))
}

/// The entry that a constant is in, and how far it is from the first value of the entry.
fn find<'e>(
    entries: &'e [Entry],
    raw: u64,
    literal: &Immediate,
    width: u32,
) -> Option<(&'e Entry, u64)> {
    entries.iter().find_map(|entry| {
        let position = match &entry.meaning {
            Meaning::Integers { first, step } => {
                let value = value(raw, width, literal.number.number);
                u64::try_from((value - i128::from(*first)) * i128::from(*step)).ok()
            }
            Meaning::Float(text) => (float(text, literal)? == raw).then_some(0),
            _ => None,
        };
        position.filter(|position| *position < entry.count).map(|position| (entry, position))
    })
}

/// The integer that a literal is: in two's complement, unless its type has no sign.
fn value(raw: u64, width: u32, number: Number) -> i128 {
    let unused = 64 - width;
    match number {
        Number::Unsigned => i128::from(raw),
        Number::Signed | Number::Float { .. } => i128::from((raw << unused) as i64 >> unused),
    }
}

/// The bits of a constant in the format of a literal.
fn float(text: &str, literal: &Immediate) -> Option<u64> {
    match literal.number.number {
        Number::Float { exponent, fraction } => parse_float(text, exponent, fraction).ok(),
        Number::Unsigned | Number::Signed => None,
    }
}
