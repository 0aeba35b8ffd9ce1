//! Text of instructions at an address: distances are written as the addresses that they name.

use core::fmt;

use super::control::{address_of, is_sum, relatives};
use super::decode::RowId;
use super::image::{Image, Tables, slice};
use super::image_text::{INTEGER, LOW, MIDDLE, NUMBER, Step};
use super::print::{Joint, Out, Style, alias, longest, named, windows};
use super::set::KnownSet;
use super::word::Word;

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSegment<'t> {
    /// Text that has no address in it.
    Text(&'t str),
    /// An address.
    Address(u64),
}

/// Gives the text of an instruction at an address in pieces, as its row or an alias, `text`, has it. `false` if
/// the buffer has less room than [`Texts::room`](super::image_text::Texts).
pub fn print_at<'a>(
    tables: impl Tables<'a>,
    (row, text): (RowId, RowId),
    (word, address): (Word, u64),
    bytes: &mut [u8],
    mut sink: impl FnMut(TextSegment<'_>),
) -> bool {
    let mut from = 0;
    let mut found = 0;
    // Most texts have one address, so that they are printed once.
    loop {
        let Some(marked) = marked(tables, (row, text), (word, address), bytes, found) else {
            return false;
        };
        let piece = |range: core::ops::Range<usize>| {
            core::str::from_utf8(bytes.get(range).unwrap_or_default()).unwrap_or_default()
        };
        if let Some((start, end, target)) = marked.place {
            sink(TextSegment::Text(piece(from..start)));
            sink(TextSegment::Address(target));
            from = end;
        }
        found += 1;
        if found >= marked.count {
            sink(TextSegment::Text(piece(from..marked.len)));
            return true;
        }
    }
}

/// Writes the text of an instruction at an address, in a style. `symbols` says what an address is called, and how many bytes
/// it is after what has this name; other addresses are written in hexadecimal.
///
/// # Errors
///
/// Those of `out`.
pub fn write_at<'a, S: fmt::Display>(
    tables: impl Tables<'a>,
    (row, set, style): (RowId, KnownSet, Style),
    (word, address): (Word, u64),
    bytes: &mut [u8],
    mut symbols: impl FnMut(u64) -> Option<(S, u64)>,
    out: &mut impl fmt::Write,
) -> fmt::Result {
    let image = tables.image();
    let (row, text, word) = match style.is_plain {
        true => (row, row, word),
        false => {
            let (row, word) = longest(image, set, row, word);
            (row, alias(image, set, row, word).unwrap_or(row), word)
        }
    };
    let Some(text) = named(image, text, style.names) else { return Ok(()) };
    let mut result = Ok(());
    print_at(tables, (row, text), (word, address), bytes, |piece| {
        if result.is_err() {
            return;
        }
        result = match piece {
            TextSegment::Text(text) => out.write_str(text),
            TextSegment::Address(address) => match symbols(address) {
                Some((name, 0)) => write!(out, "{name}"),
                Some((name, offset)) => write!(out, "{name}+{offset:#x}"),
                None => write!(out, "{address:#x}"),
            },
        };
    });
    result
}

/// A text, and where one of its distances is.
struct Marked {
    len: usize,
    /// How many distances it has.
    count: usize,
    /// Where the distance that was asked for begins and ends, and the address that it names.
    place: Option<(usize, usize, u64)>,
}

/// Writes a text, and finds one of its distances by its number.
#[inline(never)]
fn marked<'a, T: Tables<'a>>(
    tables: T,
    (row, text): (RowId, RowId),
    (word, address): (Word, u64),
    bytes: &mut [u8],
    wanted: usize,
) -> Option<Marked> {
    let image = tables.image();
    let texts = &image.texts;
    let program = texts.programs.get(text.get() as usize)?;
    let mut out = Out::new(tables, bytes, 0)?;
    let windows = windows(word);
    let mut marked = Marked { len: 0, count: 0, place: None };
    for (is_guard, part) in [(true, program.guard), (false, program.rest)] {
        let mut joint = Joint::default();
        let mut rest = slice(texts.steps, part);
        while let Some((step, after)) = rest.split_first() {
            let start = out.len();
            let passed = out.step(word, &windows, step, &mut joint);
            rest = after.get(passed..).unwrap_or_default();
            let target = target_of(image, (row, word), step, address);
            if let Some(target) = target.filter(|_| !is_sum(out.before(start))) {
                if marked.count == wanted {
                    marked.place = Some((start, out.len(), target));
                }
                marked.count += 1;
            }
        }
        if is_guard {
            out.mnemonic(program.mnemonic);
        }
    }
    marked.len = out.len();
    Some(marked)
}

/// The address that a step writes as a distance.
fn target_of(
    image: &Image<'_>,
    (row, word): (RowId, Word),
    step: &Step,
    address: u64,
) -> Option<u64> {
    let (lsb, width) = match step.kind {
        NUMBER => {
            let detail = image.texts.details.get(step.table as usize)?;
            (detail.shifts[0], detail.widths[0])
        }
        INTEGER => {
            let start = match step.window {
                LOW => 0,
                MIDDLE => 32,
                _ => 64,
            };
            (start + u16::from(step.shift), step.mask.count_ones())
        }
        _ => return None,
    };
    let of_step = |lsb_of: u16, width_of: u8| lsb_of == lsb && u32::from(width_of) == width;
    let field = relatives(image, row).iter().find(|field| of_step(field.lsb, field.width))?;
    Some(address_of(image, (row, word), field, address))
}
