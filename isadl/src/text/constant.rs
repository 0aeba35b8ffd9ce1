//! Literals that have the value of a constant, and are written as it.

use super::float::parse_float;
use crate::isa::{Entry, Immediate, Meaning, Number};

/// The constant among the entries of a type that has the bits of a literal of `width` bits.
pub(super) fn name(entries: &[Entry], raw: u64, literal: &Immediate, width: u32) -> Option<String> {
    entries.iter().find_map(|entry| {
        let position = match &entry.meaning {
            Meaning::Integers { first, step } => {
                let value = value(raw, width, literal.number.number);
                u64::try_from((value - i128::from(*first)) * i128::from(*step)).ok()
            }
            Meaning::Float(text) => (float(text, literal)? == raw).then_some(0),
            _ => None,
        };
        position.filter(|position| *position < entry.count).map(|position| entry.name_at(position))
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
