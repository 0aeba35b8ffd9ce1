//! Relocations: what linkers and loaders write into the fields of an instruction.

use super::bits::{low_bits, sign_extend};
use super::computed::encoding;
use super::control::{address_of, base_of, relatives};
use super::decode::RowId;
use super::expr::eval_numbers;
use super::fields::with;
use super::image::{Image, slice};
use super::image_control::{Controls, Relative, Relocated, Relocation, UNNAMED};
use super::word::Word;

/// Why an instruction cannot be relocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelocateError {
    /// No field of it has a relocation of this number.
    Unknown,
    /// The specification does not define the value.
    NoValue,
    /// The field cannot hold the value.
    OutOfRange {
        /// The value.
        value: i128,
    },
}

impl core::fmt::Display for RelocateError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            RelocateError::Unknown => f.write_str("the instruction does not have this relocation"),
            RelocateError::NoValue => f.write_str("what the relocation gives is not specified"),
            RelocateError::OutOfRange { value } => {
                write!(f, "the relocation gives {value}, which the instruction cannot hold")
            }
        }
    }
}

impl core::error::Error for RelocateError {}

/// The fields of a row that have relocations, in the order of text.
#[must_use]
pub const fn relocated<'a>(image: &Image<'a>, row: RowId) -> &'a [Relocated] {
    let control = &image.control;
    if control.relocated_of.is_empty() {
        return &[];
    }
    slice(control.relocated, control.relocated_of[row.get() as usize])
}

/// The relocations of a row, each with its field.
pub fn relocations<'a>(
    image: &Image<'a>,
    row: RowId,
) -> impl Iterator<Item = (&'a Relocated, &'a Relocation)> + use<'a> {
    let all = image.control.relocations;
    let fields = relocated(image, row).iter();
    fields.flat_map(move |field| slice(all, field.list).iter().map(move |one| (field, one)))
}

impl<'a> Controls<'a> {
    /// The syntax of a relocation; empty if it applies to operands that are addresses.
    #[must_use]
    pub fn relocation_name(&self, relocation: &Relocation) -> &'a str {
        let (first, length) = relocation.name;
        self.relocation_names.get(first as usize..(first + length) as usize).unwrap_or_default()
    }
}

/// The word of an instruction at an address after a relocation. `value` is the symbol's address plus the addend.
/// `number` and `offset` are those of the object file; the offset is in bytes from the start of the instruction. The
/// word is not checked otherwise.
///
/// # Errors
///
/// If the row does not have the relocation at this offset, or the field cannot hold the value.
pub const fn relocate(
    image: &Image<'_>,
    (row, word): (RowId, Word),
    (number, offset): (u32, u64),
    (value, address): (u64, u64),
) -> Result<Word, RelocateError> {
    let fields = relocated(image, row);
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        let relocations = slice(image.control.relocations, field.list);
        let mut place = 0;
        while place < relocations.len() && field.offset as u64 == offset {
            let relocation = &relocations[place];
            if relocation.number == number {
                return write(image, (row, word), (field, relocation), (value, address));
            }
            place += 1;
        }
        at += 1;
    }
    Err(RelocateError::Unknown)
}

/// The word with the value of a relocation in its field.
const fn write(
    image: &Image<'_>,
    (row, word): (RowId, Word),
    (field, relocation): (&Relocated, &Relocation),
    (value, address): (u64, u64),
) -> Result<Word, RelocateError> {
    match given(image, row, (field, relocation), (value, address)) {
        None => Err(RelocateError::NoValue),
        Some(value) => match bits_of(image, field, value) {
            Some(bits) => Ok(with(image, word, field.lsb, field.width, bits)),
            None => Err(RelocateError::OutOfRange { value }),
        },
    }
}

/// The value of a relocation of a field.
const fn given(
    image: &Image<'_>,
    row: RowId,
    (field, relocation): (&Relocated, &Relocation),
    (value, address): (u64, u64),
) -> Option<i128> {
    if relocation.value != 0 {
        return Some(eval_numbers(image, relocation.value, (value as i64, address as i64)));
    }
    if relocation.form != UNNAMED {
        return None;
    }
    // The value is the address, or the distance to it.
    let Some(target) = distance(image, row, (field.lsb, field.width)) else {
        // A negative address is in two's complement.
        return Some(if field.is_signed { value as i64 as i128 } else { value as i128 });
    };
    // Linkers measure distances from the place of the relocation. Only rounding needs another start.
    let base = match target.align {
        0 | 1 => address.wrapping_add(field.offset as u64),
        _ => base_of(image, row, target, address),
    };
    Some(value.wrapping_sub(base) as i64 as i128)
}

/// The addend of a relocation. Linkers measure distances from the place of the relocation; with the addend the result
/// is the distance that the instruction needs.
#[must_use]
pub fn addend(image: &Image<'_>, row: RowId, field: &Relocated, relocation: &Relocation) -> i64 {
    let target = distance(image, row, (field.lsb, field.width));
    match target.filter(|_| relocation.form == UNNAMED && relocation.value == 0) {
        Some(target) if target.align <= 1 => {
            i64::from(field.offset).wrapping_sub(base_of(image, row, target, 0) as i64)
        }
        _ => 0,
    }
}

/// The word of an instruction at an address, whose field has the relocated value of an address, with the [addend] of
/// the field.
///
/// # Errors
///
/// If the field cannot hold the value, or only linkers know it.
pub fn set_relocated(
    image: &Image<'_>,
    (row, word): (RowId, Word),
    (field, relocation): (&Relocated, &Relocation),
    (value, address): (u64, u64),
) -> Result<Word, RelocateError> {
    let value = value.wrapping_add(addend(image, row, field, relocation) as u64);
    write(image, (row, word), (field, relocation), (value, address))
}

/// The first field of a row that is a distance: its lowest bit, or the number of a field in pieces, and its number of
/// bits.
#[must_use]
pub fn first_distance(image: &Image<'_>, row: RowId) -> Option<(u16, u8)> {
    relatives(image, row).first().map(|field| (field.lsb, field.width))
}

/// The bits of a field in a word.
#[must_use]
pub fn mask_of(image: &Image<'_>, (lsb, width): (u16, u8)) -> Word {
    with(image, 0, lsb, width, low_bits(width.into()))
}

/// The distance field of a row at these bits.
#[must_use]
pub const fn distance<'a>(
    image: &Image<'a>,
    row: RowId,
    (lsb, width): (u16, u8),
) -> Option<&'a Relative> {
    let targets = relatives(image, row);
    let mut at = 0;
    while at < targets.len() {
        if targets[at].lsb == lsb && targets[at].width == width {
            return Some(&targets[at]);
        }
        at += 1;
    }
    None
}

/// The least and the greatest distance.
#[must_use]
pub fn reach(image: &Image<'_>, row: RowId, place: (u16, u8)) -> Option<(i128, i128)> {
    let field = distance(image, row, place)?;
    let all = i128::from(low_bits(field.width.into()));
    let (low, high) = if field.is_signed { (-(all / 2) - 1, all / 2) } else { (0, all) };
    let value = |number: i128| number * i128::from(field.scale) + i128::from(field.bias);
    let (low, high) = (value(low), value(high));
    Some((low.min(high), low.max(high)))
}

/// The word of an instruction at an address, with the distance to `value` in a field.
///
/// # Errors
///
/// If the row does not have the field, or the field cannot hold the distance.
pub fn set_distance(
    image: &Image<'_>,
    (row, word): (RowId, Word),
    place: (u16, u8),
    (value, address): (u64, u64),
) -> Result<Word, RelocateError> {
    let field = distance(image, row, place).ok_or(RelocateError::Unknown)?;
    set(image, (row, word), field, (value, address))
}

const fn set(
    image: &Image<'_>,
    (row, word): (RowId, Word),
    field: &Relative,
    (value, address): (u64, u64),
) -> Result<Word, RelocateError> {
    let value = value.wrapping_sub(base_of(image, row, field, address)) as i64 as i128;
    let &Relative { lsb, width, is_signed, scale, bias, .. } = field;
    let field =
        Relocated { lsb, width, is_signed, scale, bias, computed: 0, offset: 0, list: (0, 0) };
    match bits_of(image, &field, value) {
        Some(bits) => Ok(with(image, word, lsb, width, bits)),
        None => Err(RelocateError::OutOfRange { value }),
    }
}

/// The addresses that an instruction at an address names by distances, in the order of its text, each with the factor of
/// the distance.
pub fn targets<'a>(
    image: &Image<'a>,
    (row, word): (RowId, Word),
    address: u64,
) -> impl Iterator<Item = (u64, i64)> + use<'a> {
    let image = *image;
    let fields = relatives(&image, row).iter();
    fields.map(move |field| (address_of(&image, (row, word), field, address), field.scale))
}

/// The word of an instruction at an address, one of whose distances, by its number, is that to `value`.
///
/// # Errors
///
/// If the row does not have the distance, or the field cannot hold it.
pub const fn with_target(
    image: &Image<'_>,
    (row, word): (RowId, Word),
    number: usize,
    place: (u64, u64),
) -> Result<Word, RelocateError> {
    let fields = relatives(image, row);
    if number >= fields.len() {
        return Err(RelocateError::Unknown);
    }
    set(image, (row, word), &fields[number], place)
}

/// The least and the greatest distance in one of the distance fields of a row.
#[must_use]
pub fn target_reach(image: &Image<'_>, row: RowId, number: usize) -> Option<(i128, i128)> {
    let field = relatives(image, row).get(number)?;
    reach(image, row, (field.lsb, field.width))
}

/// The bits of a value, if the field can hold it.
const fn bits_of(image: &Image<'_>, field: &Relocated, value: i128) -> Option<u64> {
    let all = low_bits(field.width as u32);
    if field.computed != 0 {
        let fits = value as u64 as i128 == value || value as i64 as i128 == value;
        return if fits { encoding(image, field.computed, value as u64) } else { None };
    }
    let distance = value.wrapping_sub(field.bias as i128);
    let scale = field.scale as i128;
    let number = distance.wrapping_div(scale);
    let bits = number as u64 & all;
    let read =
        if field.is_signed { sign_extend(bits, field.width as u32) as i128 } else { bits as i128 };
    if number.wrapping_mul(scale) == distance && read == number { Some(bits) } else { None }
}
