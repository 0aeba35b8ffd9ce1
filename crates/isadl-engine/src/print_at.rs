//! Text of instructions at an address: distances are written as the addresses that they name.

use core::fmt;

use super::control::{address_of, is_sum, relatives};
use super::decode::RowId;
use super::fields::get;
use super::image::{Image, Tables, slice};
use super::image_text::{
    BITS, HEX, INTEGER, LOW, MIDDLE, NUMBER, NUMBER_SIGNED, NUMBER_UNSIGNED, OFFSET, Step,
};
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
        let place = (word, address);
        let Some(marked) = marked(tables, (row, text), place, Wanted::Addresses, bytes, found)
        else {
            return false;
        };
        let piece = |range: core::ops::Range<usize>| {
            core::str::from_utf8(bytes.get(range).unwrap_or_default()).unwrap_or_default()
        };
        if let Some(Mark { start, end, kind: MarkKind::Address(target) }) = marked.place {
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
    let inst = (row, set, style);
    let Some((row, text, word)) = text_of(tables.image(), inst, word) else { return Ok(()) };
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

/// The row and word that are printed for an instruction in a style, and the row of its text.
pub(super) fn text_of(
    image: &Image<'_>,
    (row, set, style): (RowId, KnownSet, Style),
    word: Word,
) -> Option<(RowId, RowId, Word)> {
    let (row, text, word) = match style.is_plain {
        true => (row, row, word),
        false => {
            let (row, word) = longest(image, set, row, word);
            (row, alias(image, set, row, word).unwrap_or(row), word)
        }
    };
    Some((row, named(image, text, style.names)?, word))
}

/// Which numbers of a text are marked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Distances, as addresses.
    Addresses,
    /// Numbers that are steps of their own.
    Numbers,
    /// Both.
    All,
}

/// What a part of a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkKind {
    /// A distance to this address.
    Address(u64),
    /// A single integer.
    Integer,
    /// Another number.
    Other,
}

/// A part of a text.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: MarkKind,
}

/// A text, and where one of its numbers is.
pub(super) struct Marked {
    pub(super) len: usize,
    /// Where the fixed part of the mnemonic begins and ends.
    pub(super) mnemonic: (usize, usize),
    /// How many numbers it has.
    pub(super) count: usize,
    /// The number that was asked for.
    pub(super) place: Option<Mark>,
}

/// Writes a text, and finds one of its wanted numbers by its position among them.
#[inline(never)]
pub(super) fn marked<'a, T: Tables<'a>>(
    tables: T,
    (row, text): (RowId, RowId),
    (word, address): (Word, u64),
    wanted: Wanted,
    bytes: &mut [u8],
    position: usize,
) -> Option<Marked> {
    let image = tables.image();
    let texts = &image.texts;
    let program = texts.programs.get(text.get() as usize)?;
    let mut out = Out::new(tables, bytes, 0)?;
    let windows = windows(word);
    let mut marked = Marked { len: 0, mnemonic: (0, 0), count: 0, place: None };
    for (is_guard, part) in [(true, program.guard), (false, program.rest)] {
        let mut joint = Joint::default();
        let mut rest = slice(texts.steps, part);
        while let Some((step, after)) = rest.split_first() {
            let start = out.len();
            let passed = out.step(word, &windows, step, &mut joint);
            rest = after.get(passed..).unwrap_or_default();
            let target = match wanted {
                Wanted::Numbers => None,
                _ => target_of(image, (row, word), step, address),
            };
            let target = target.filter(|_| !is_sum(out.before(start))).map(MarkKind::Address);
            let kind = match wanted {
                Wanted::Addresses => target,
                _ => target.or_else(|| number_of(image, word, step)),
            };
            if let Some(kind) = kind {
                if marked.count == position {
                    marked.place = Some(Mark { start, end: out.len(), kind });
                }
                marked.count += 1;
            }
        }
        if is_guard {
            let start = out.len();
            out.mnemonic(program.mnemonic);
            marked.mnemonic = (start, out.len());
        }
    }
    marked.len = out.len();
    Some(marked)
}

/// What number a step writes, if it writes one.
fn number_of(image: &Image<'_>, word: Word, step: &Step) -> Option<MarkKind> {
    let texts = &image.texts;
    match step.kind {
        INTEGER | HEX => Some(MarkKind::Integer),
        NUMBER | OFFSET => {
            let detail = texts.details.get(step.table as usize)?;
            let selected = match step.kind {
                NUMBER => get(image, word, detail.shifts[1], detail.widths[1] as u8) as usize,
                _ => 0,
            };
            let format = texts.format(detail.table as usize + selected)?;
            let is_integer = format.lanes == 1
                && matches!(format.kind, NUMBER_UNSIGNED | NUMBER_SIGNED)
                && format.letter != BITS;
            Some(if is_integer { MarkKind::Integer } else { MarkKind::Other })
        }
        _ => None,
    }
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
