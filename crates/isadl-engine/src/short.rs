//! Shorter encodings of instructions: their longer ones, and back.

use super::bits::{low_bits, sign_extend};
use super::decode::{RowId, decode, written};
use super::encode::validate_in;
use super::expr::eval;
use super::fields::{get, set};
use super::image::{Image, slice};
use super::image_text::{Move, Short, Texts};
use super::set::{KnownSet, known};
use super::target::Target;
use super::word::Word;

/// The longer encoding of an instruction, if it is a short one in a set of extensions; where the set is not known, in all
/// sets that have it.
pub fn lengthen(
    image: &Image<'_>,
    known: KnownSet,
    row: RowId,
    word: Word,
) -> Option<(RowId, Word)> {
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
            width => get(image, word, step.from, width),
        };
        let value = match step.pairs.1 {
            0 => on_line(step, raw),
            _ => listed(texts, step, raw)?,
        };
        set(image, &mut found, step.to, step.to_width, value);
    }
    Some((long, found))
}

/// The bits of a field of the longer encoding by those of the shorter one.
fn on_line(step: &Move, raw: u64) -> u64 {
    let width = u32::from(step.from_width);
    let number = if step.is_signed { sign_extend(raw, width) } else { raw as i64 };
    let value = number.wrapping_mul(step.factor).wrapping_add(step.offset);
    value as u64 & low_bits(step.to_width.into())
}

/// The same where they are listed; `None` for bits that mean nothing.
#[cold]
fn listed(texts: &Texts<'_>, step: &Move, raw: u64) -> Option<u64> {
    let pairs = slice(texts.move_pairs, step.pairs);
    let at = pairs.binary_search_by_key(&raw, |pair| pair.0).ok()?;
    Some(pairs[at].1)
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
        let raw = get(image, word, step.to, step.to_width);
        let value = if step.pairs.1 != 0 {
            let mut pairs = slice(image.texts.move_pairs, step.pairs).iter();
            pairs.find(|pair| pair.1 == raw)?.0
        } else if step.from_width == 0 || step.factor == 0 {
            continue;
        } else {
            let width = u32::from(step.to_width);
            let number = if step.is_signed { sign_extend(raw, width) } else { raw as i64 };
            let value = number.wrapping_sub(step.offset).wrapping_div(step.factor);
            value as u64 & low_bits(step.from_width.into())
        };
        set(image, &mut found, step.from, step.from_width, value);
    }
    Some((own, found))
}
