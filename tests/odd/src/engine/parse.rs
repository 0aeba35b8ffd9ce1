//! Assembly text to instructions: the rows of a mnemonic are tried; most of them are ruled out by
//! what their operands may begin with, without being read.
//!
//! The line is split into its parts first (`parse_line.rs`). A try for a row (`parse_attempt.rs`)
//! gives its words to modifiers (`parse_modifiers.rs`) and its pieces to operands
//! (`parse_operand.rs`), whose names and numbers are values (`parse_value.rs`,
//! `parse_integer.rs`), read by a cursor (`parse_cursor.rs`).

use super::decode::RowId;
use super::image::{Span, Tables, slice};
use super::image_lines::{KIND_BITS, MAX_KINDS, Mnemonic, Sequences};
use super::key::sequence_hash;
use super::parse_error::{Failure, ParseError, Reason};
use super::parse_line::{Line, Piece, Range, UNTOLD, find};
use super::print::print;
use super::word::Word;

/// Assembles one instruction. A `;` may end it, and a `//` comment may follow. Of several
/// instructions that the text may mean that of the lowest rank is taken.
///
/// `WORDS` and `PIECES` are those of the image,
/// [`Lines::max_words`](super::image_lines::Lines::max_words) and
/// [`Lines::max_pieces`](super::image_lines::Lines::max_pieces).
#[inline]
pub fn parse<'a, T: Tables<'a>, const WORDS: usize, const PIECES: usize>(
    tables: T,
    generation: usize,
    text: &str,
) -> Result<(RowId, Word), ParseError<'a>> {
    let (mut words, mut pieces) = ([(0, 0); WORDS], [Piece::EMPTY; PIECES]);
    parse_within(tables, generation, text, &mut words, &mut pieces)
}

/// Assembles as [`parse`] does, with room for the parts of the line: as much as the image says. Where
/// there is less, nothing fits.
#[inline]
pub fn parse_within<'a, T: Tables<'a>>(
    tables: T,
    generation: usize,
    text: &str,
    words: &mut [Range],
    pieces: &mut [Piece],
) -> Result<(RowId, Word), ParseError<'a>> {
    let lines = &tables.image().lines;
    let words = words.get_mut(..lines.max_words as usize);
    let pieces = pieces.get_mut(..lines.max_pieces as usize);
    // Places in a line are numbers of 32 bits.
    let is_short = u32::try_from(text.len()).is_ok();
    let (Some(words), Some(pieces @ [_, ..]), true) = (words, pieces, is_short) else {
        return Err(ParseError { offset: 0, reason: Reason::Unfit, closest: None });
    };
    let mut line = Line::new(tables, generation, text, words, pieces);
    match line.split() {
        Ok(()) => line.instruction(),
        Err(Failure { at, reason }) => Err(ParseError { offset: at, reason, closest: None }),
    }
}

/// Longest text, in bytes, that is compared with a line that several instructions fit.
const PRINTED: usize = 4096;

impl<'a, T: Tables<'a>> Line<'_, 'a, T> {
    /// The instruction that the line is.
    #[inline]
    fn instruction(&self) -> Result<(RowId, Word), ParseError<'a>> {
        let image = self.image();
        let has_ranks = image.lines.has_ranks;
        let rank = |row: RowId| image.words.rows[row.get() as usize].rank;
        let mut known = false;
        let first_word = self.mnemonic_with(0);
        for dots in (0..=self.most_dots(first_word)).rev() {
            let mnemonic = if dots == 0 { first_word } else { self.mnemonic_with(dots) };
            let Some(mnemonic) = mnemonic else { continue };
            known |= self.rows(mnemonic.all).next().is_some();
            if self.glued.is_some() {
                continue;
            }
            let mut found: Option<(RowId, Word)> = None;
            for row in self.fitting(mnemonic) {
                // Those of the lowest rank come first.
                if has_ranks && found.is_some_and(|(other, _)| rank(other) < rank(row)) {
                    break;
                }
                let Ok(inst) = self.attempt(row, dots) else { continue };
                match found {
                    // What was read may be another row than the one that was tried.
                    Some((other, _)) if has_ranks && rank(other) != rank(inst.0) => {
                        found = if rank(inst.0) < rank(other) { Some(inst) } else { found };
                    }
                    Some((other, word)) if word != inst.1 => {
                        return self.as_printed(mnemonic, dots, inst.0).ok_or(ParseError {
                            offset: self.mnemonic.0,
                            reason: Reason::Ambiguous(inst.0),
                            closest: Some(other),
                        });
                    }
                    _ => found = Some(inst),
                }
            }
            if let Some(inst) = found {
                return Ok(inst);
            }
        }
        Err(self.closest(known))
    }

    /// Of several instructions that the line may mean, of the rank of one that was found, the one that
    /// is printed as the line is, apart from blanks. `None` if that is none or several, or if texts
    /// are longer than [`PRINTED`].
    #[cold]
    fn as_printed(&self, mnemonic: &Mnemonic, dots: usize, like: RowId) -> Option<(RowId, Word)> {
        let rows = self.image().words.rows;
        let rank = |row: RowId| rows[row.get() as usize].rank;
        let line = self.bytes.get(..self.end)?;
        let is_dark = |byte: &&u8| !byte.is_ascii_whitespace();
        let mut buffer = [0; PRINTED];
        let mut found: Option<(RowId, Word)> = None;
        for row in self.fitting(mnemonic) {
            let Ok(inst) = self.attempt(row, dots) else { continue };
            if rank(inst.0) != rank(like) {
                continue;
            }
            let length = print(self.tables, inst.0, inst.1, &mut buffer)?;
            let printed = buffer[..length].iter().filter(is_dark);
            if !printed.eq(line.iter().filter(is_dark)) {
                continue;
            }
            if found.is_some_and(|(_, word)| word != inst.1) {
                return None;
            }
            found = Some(inst);
        }
        found
    }

    /// The rows of a list that the generation has.
    #[inline]
    fn rows(&self, list: Span) -> impl Iterator<Item = RowId> {
        let image = self.image();
        let generation = self.generation;
        let has_generations = image.words.roots.len() > 1;
        let is_known = move |row: &RowId| {
            let generations = image.words.rows[row.get() as usize].generations;
            !has_generations || generations >> generation & 1 != 0
        };
        let rows = slice(image.lines.candidates, list).iter();
        rows.filter_map(|row| RowId::new(*row)).filter(is_known)
    }

    /// The mnemonic that ends after so many dots.
    fn mnemonic_with(&self, dots: usize) -> Option<&'a Mnemonic> {
        let image = self.image();
        let end = if dots == 0 { self.mnemonic.1 } else { self.dotted()[dots - 1].1 };
        find(image, &image.lines.mnemonics, self.bytes, (self.mnemonic.0, end))
    }

    /// Most dots that a mnemonic of the line can have.
    fn most_dots(&self, first_word: Option<&Mnemonic>) -> usize {
        first_word.map_or(0, |mnemonic| mnemonic.dots as usize).min(self.dotted().len())
    }

    /// The rows of a mnemonic that may fit, as far as the beginnings of operands tell.
    #[inline]
    fn fitting(&self, mnemonic: &Mnemonic) -> impl Iterator<Item = RowId> {
        self.rows(match self.sequence {
            UNTOLD => mnemonic.all,
            sequence => {
                let number = u64::from(mnemonic.number);
                let key = number << (MAX_KINDS as u32 * KIND_BITS) | sequence;
                self.image().lines.sequences.find(key).unwrap_or(mnemonic.untold)
            }
        })
    }

    /// The failure of the row of which the most can be read.
    #[cold]
    fn closest(&self, known: bool) -> ParseError<'a> {
        let general = |offset, reason| ParseError { offset, reason, closest: None };
        let most_dots = self.most_dots(self.mnemonic_with(0));
        if !known {
            let is_elsewhere =
                |dots| self.mnemonic_with(dots).is_some_and(|found| found.all.1 != 0);
            let reason = match self.mnemonic {
                (start, end) if start == end => Reason::Expected("a mnemonic"),
                _ if (0..=most_dots).any(is_elsewhere) => Reason::OtherGeneration,
                _ => Reason::UnknownMnemonic,
            };
            return general(self.mnemonic.0, reason);
        }
        if let Some(offset) = self.glued {
            return general(offset, Reason::Expected("a space"));
        }
        let mut closest: Option<(Failure<'a>, RowId)> = None;
        for dots in (0..=most_dots).rev() {
            let Some(mnemonic) = self.mnemonic_with(dots) else { continue };
            for row in self.rows(mnemonic.all) {
                let Err(failure) = self.attempt(row, dots) else { continue };
                let is_closer = |(other, _): (Failure<'a>, RowId)| failure.rank() > other.rank();
                if closest.is_none_or(is_closer) {
                    closest = Some((failure, row));
                }
            }
        }
        match closest {
            Some((failure, row)) => {
                let offset = if failure.is_whole() { self.mnemonic.0 } else { failure.at };
                ParseError { offset, reason: failure.reason, closest: Some(row) }
            }
            None => general(self.mnemonic.0, Reason::UnknownMnemonic),
        }
    }
}

impl Sequences<'_> {
    /// The candidates of a sequence below the number of a mnemonic.
    #[inline]
    fn find(&self, sequence: u64) -> Option<Span> {
        let mut at = (sequence_hash(sequence) >> self.shift) as usize;
        loop {
            let slot = *self.slots.get(at)? as usize;
            let (known, list) = self.rows.get(slot.wrapping_sub(1))?;
            if *known == sequence {
                return Some(*list);
            }
            at += 1;
        }
    }
}
