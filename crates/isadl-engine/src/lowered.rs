//! Instructions in 16 bytes, for interpreters: the opcode, small numbers and an immediate.

use super::decode::RowId;
use super::fields::get;
use super::image::{Image, slice};
use super::image_values::{SLOT_BITS, SLOT_NUMBER, Slot};
use super::values::{Bits, Value};
use super::word::Word;

/// How many small numbers there are.
pub const SLOTS: usize = 6;

/// What an instruction is but for its opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lowered {
    /// Registers, bits, and further numbers, in the order of [`slots`].
    pub slots: [u8; SLOTS],
    /// The first number, or 0.
    pub immediate: i64,
}

/// The fields of a row that tell its instructions apart: those of its operands in assembly order, then the others.
#[must_use]
pub const fn slots<'a>(image: &Image<'a>, row: RowId) -> &'a [Slot] {
    slice(image.values.slots, image.values.slots_of[row.get() as usize])
}

/// The position of the field that is the immediate.
#[must_use]
pub fn immediate(slots: &[Slot]) -> Option<usize> {
    slots.iter().position(|slot| slot.kind == SLOT_NUMBER)
}

/// An instruction as small numbers; `None` if they do not fit.
#[must_use]
pub fn lowered(image: &Image<'_>, row: RowId, word: Word) -> Option<Lowered> {
    let slots = slots(image, row);
    let immediate = immediate(slots);
    let mut made = Lowered::default();
    let mut at = 0;
    for (index, slot) in slots.iter().enumerate() {
        let number = number(image, row, word, slot)?;
        if immediate == Some(index) {
            made.immediate = number;
            continue;
        }
        *made.slots.get_mut(at)? = u8::try_from(number).ok()?;
        at += 1;
    }
    Some(made)
}

/// The number of a field.
fn number(image: &Image<'_>, row: RowId, word: Word, slot: &Slot) -> Option<i64> {
    if slot.kind == SLOT_BITS {
        return i64::try_from(get(image, word, slot.lsb, slot.width)).ok();
    }
    match Bits::of_field(image, (row, word), (slot.lsb, slot.width), slot.ty).value() {
        Value::Registers { first, .. } => Some(first.into()),
        Value::Constant { file, is_ones, .. } => {
            // Files of the same name may have more registers in another generation.
            let own = image.values.files.iter().filter(|known| known.number == file);
            let count = own.map(|file| file.count).max()?;
            Some(i64::from(count) + i64::from(is_ones))
        }
        Value::Integer(value) | Value::Distance(value) => i64::try_from(value).ok(),
        Value::Float { bits, .. } | Value::Packed(bits) => Some(bits as i64),
        _ => None,
    }
}
