//! Shorter encodings of instructions: their longer ones, and back.

use super::bits::{low_bits, sign_extend};
use super::decode::{RowId, decode, written};
use super::encode::validate_in;
use super::expr::eval;
use super::fields::{get, set};
use super::image::{Image, slice};
use super::image_text::Short;
use super::set::{Known, known};
use super::target::Target;
use super::word::Word;

/// The longer encoding of an instruction, if it is a short one in a set of extensions; where the set is not known, in all
/// sets that have it.
pub fn lengthen(image: &Image<'_>, known: Known, row: RowId, word: Word) -> Option<(RowId, Word)> {
    let texts = &image.texts;
    let number = *texts.short_of.get(row.get() as usize)?;
    let short = texts.shorts.get((number as usize).checked_sub(1)?)?;
    if texts.has_guarded_shorts
        && short.condition != 0
        && eval(image, known, short.condition, word) == 0
    {
        return None;
    }
    let long = RowId::new(short.long)?;
    let mut found = image.words.patterns[short.long as usize].value | written(image, long);
    for step in slice(texts.moves, short.moves) {
        let raw = match step.from_width {
            0 => 0,
            width => {
                let raw = get(image, word, step.from, width);
                if step.is_signed { sign_extend(raw, width.into()) } else { raw as i64 }
            }
        };
        let value = raw.wrapping_mul(step.factor).wrapping_add(step.offset);
        let value = value as u64 & low_bits(step.to_width.into());
        set(image, &mut found, step.to, step.to_width, value);
    }
    Some((long, found))
}

/// The first shorter encoding of an instruction that there is for a target, or the instruction itself.
#[inline]
pub fn shorten(image: &Image<'_>, target: Target, row: RowId, word: Word) -> (RowId, Word) {
    match image.texts.has_shorts {
        true => shortened(image, target, row, word).unwrap_or((row, word)),
        false => (row, word),
    }
}

fn shortened(image: &Image<'_>, target: Target, row: RowId, word: Word) -> Option<(RowId, Word)> {
    // They are in the order of the longer ones.
    let shorts = image.texts.shorts;
    let first = shorts.partition_point(|short| short.long < row.get());
    let of_row = shorts.get(first..)?.iter().take_while(|short| short.long == row.get());
    let mut found = of_row.filter_map(|short| {
        let (own, candidate) = candidate(image, short, word)?;
        let is_same = lengthen(image, known(target.set), own, candidate) == Some((row, word));
        let is_made = || validate_in(image, target.set, own, candidate).is_ok();
        (is_same && decode(image, target, candidate) == Some((own, candidate)) && is_made())
            .then_some((own, candidate))
    });
    found.next()
}

/// The only word of a shorter encoding that may be the same instruction.
fn candidate(image: &Image<'_>, short: &Short, word: Word) -> Option<(RowId, Word)> {
    let own = RowId::new(short.row)?;
    let mut found = image.words.patterns[short.row as usize].value | written(image, own);
    for step in slice(image.texts.moves, short.moves) {
        if step.from_width == 0 || step.factor == 0 {
            continue;
        }
        let raw = get(image, word, step.to, step.to_width);
        let width = u32::from(step.to_width);
        let raw = if step.is_signed { sign_extend(raw, width) } else { raw as i64 };
        let value = raw.wrapping_sub(step.offset).wrapping_div(step.factor);
        let value = value as u64 & low_bits(step.from_width.into());
        set(image, &mut found, step.from, step.from_width, value);
    }
    Some((own, found))
}
