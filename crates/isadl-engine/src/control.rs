//! Flow of control: the class of an instruction, and the addresses that it names. Addresses are of 64
//! bits, and wrap.

use super::bits::sign_extend;
use super::decode::RowId;
use super::expr::eval;
use super::fields::get;
use super::image::{Image, slice};
pub use super::image_control::FlowControl;
use super::image_control::{HERE, NEXT, Relative};
use super::set::UNKNOWN;
use super::word::Word;

/// Where execution goes after an instruction.
#[must_use]
pub const fn flow_control(image: &Image<'_>, row: RowId, word: Word) -> FlowControl {
    let control = &image.control;
    if control.classes_of.is_empty() {
        return FlowControl::Next;
    }
    let classes = slice(control.classes, control.classes_of[row.get() as usize]);
    let mut at = 0;
    while at < classes.len() {
        let class = &classes[at];
        if class.condition == 0 || eval(image, UNKNOWN, class.condition, word) != 0 {
            return FlowControl::of(class.class);
        }
        at += 1;
    }
    FlowControl::Next
}

/// The class of all instructions of a row; `None` if it depends on their fields.
#[must_use]
pub const fn class_of_row(image: &Image<'_>, row: RowId) -> Option<FlowControl> {
    let control = &image.control;
    if control.classes_of.is_empty() {
        return Some(FlowControl::Next);
    }
    match slice(control.classes, control.classes_of[row.get() as usize]) {
        [] => Some(FlowControl::Next),
        [first, ..] if first.condition == 0 => Some(FlowControl::of(first.class)),
        _ => None,
    }
}

/// The fields of a row that are distances.
pub(crate) const fn relatives<'a>(image: &Image<'a>, row: RowId) -> &'a [Relative] {
    let control = &image.control;
    if control.targets_of.is_empty() {
        return &[];
    }
    slice(control.targets, control.targets_of[row.get() as usize])
}

/// The address that a distance of an instruction at an address names.
pub(crate) const fn address_of(
    image: &Image<'_>,
    (row, word): (RowId, Word),
    field: &Relative,
    address: u64,
) -> u64 {
    let raw = get(image, word, field.lsb, field.width);
    let number = if field.is_signed { sign_extend(raw, field.width as u32) } else { raw as i64 };
    let value = number.wrapping_mul(field.scale).wrapping_add(field.bias);
    base_of(image, row, field, address).wrapping_add(value as u64)
}

/// Whether a text ends in a sign that adds what follows, or subtracts it: `.+`. A distance after it is written as the
/// distance, for its address would be added once more. No mnemonic ends in a sign.
pub(crate) fn is_sum(text: &[u8]) -> bool {
    matches!(text.iter().rfind(|byte| **byte != b' '), Some(b'+' | b'-'))
}

/// The address that a distance of a row is relative to.
pub(crate) const fn base_of(image: &Image<'_>, row: RowId, field: &Relative, address: u64) -> u64 {
    let from = match field.from {
        NEXT => image.words.rows[row.get() as usize].width as u64 / 8,
        HERE => field.here as u64,
        _ => 0,
    };
    let base = address.wrapping_add(from).wrapping_add(field.before as u64);
    (base & field.align.wrapping_neg()).wrapping_add(field.after as u64)
}

/// The first address that an instruction at an address names, in the order of its text.
#[must_use]
pub const fn target(image: &Image<'_>, row: RowId, word: Word, address: u64) -> Option<u64> {
    match relatives(image, row) {
        [field, ..] => Some(address_of(image, (row, word), field, address)),
        [] => None,
    }
}
