//! Assembles text: tries the rows of a mnemonic. Most rows are ruled out by the first texts of the operands, before
//! anything is read.
//!
//! The line is split into its parts first (`parse_line.rs`). A try for a row (`parse_attempt.rs`)
//! gives its words to modifiers (`parse_modifiers.rs`) and its pieces to operands
//! (`parse_operand.rs`), whose names and numbers are values (`parse_value.rs`,
//! `parse_integer.rs`), read by a cursor (`parse_cursor.rs`).

use core::fmt::Write;

use super::decode::RowId;
use super::fields::set;
use super::image::{Image, Span, Tables, slice};
use super::image_lines::{KIND_BITS, MAX_KINDS, Mnemonic, Sequences, Spelled};
use super::image_text::Alias;
use super::key::sequence_hash;
use super::names::Named;
use super::parse_error::{Failure, ParseError, Part, Reason};
use super::parse_line::{self, Line, Range, UNTOLD, find};
use super::print::print_plain;
use super::print_at::{TextSegment, print_at};
use super::target::{Target, is_there};
use super::word::Word;

/// Assembles one instruction. A `;` may end it, and a `//` comment may follow; the image may define other signs. If the
/// text fits several instructions, the instruction of the lowest rank is taken.
///
/// `WORDS` and `PIECES` are limits of the image, [`Lines::max_words`](super::image_lines::Lines::max_words) and
/// [`Lines::max_pieces`](super::image_lines::Lines::max_pieces).
#[inline]
pub fn parse<'a, T: Tables<'a>, const WORDS: usize, const PIECES: usize>(
    tables: T,
    target: Target,
    text: &str,
) -> Result<(RowId, Word), ParseError> {
    let (mut words, mut pieces) = ([(0, 0); WORDS], [parse_line::OperandText::EMPTY; PIECES]);
    parse_within(tables, target, text, &mut words, &mut pieces)
}

/// Assembles like [`parse`], with buffers for the parts of the line. Their sizes are limits of the image; with smaller
/// buffers no line fits.
#[inline]
pub fn parse_within<'a, T: Tables<'a>>(
    tables: T,
    target: Target,
    text: &str,
    words: &mut [Range],
    pieces: &mut [parse_line::OperandText],
) -> Result<(RowId, Word), ParseError> {
    split(tables, target, text, words, pieces)?.instruction()
}

/// Assembles like [`parse_within`], for an instruction at an address: distances are written as target addresses.
pub fn parse_at<'a, T: Tables<'a>>(
    tables: T,
    (target, address): (Target, u64),
    text: &str,
    words: &mut [Range],
    pieces: &mut [parse_line::OperandText],
) -> Result<(RowId, Word), ParseError> {
    let mut line = split(tables, target, text, words, pieces)?;
    line.address = Some(address);
    line.keeps_place = true;
    line.instruction()
}

/// Assembles a line as an instruction of one row, even if other rows fit. `None` if the row does not fit.
pub fn parse_as<'a, T: Tables<'a>>(
    tables: T,
    (target, row): (Target, RowId),
    text: &str,
    words: &mut [Range],
    pieces: &mut [parse_line::OperandText],
) -> Option<Word> {
    let line = split(tables, target, text, words, pieces).ok().filter(|l| l.glued.is_none())?;
    let most_dots = line.most_dots(line.mnemonic_with(0));
    let is_row = |other: &RowId| text_row(line.image(), *other) == row;
    let own = |dots: usize| {
        let found = line.mnemonic_with(dots)?;
        line.rows(found.all).find(is_row).map(|_| (dots, found.all))
    };
    let (dots, all) = (0..=most_dots).rev().find_map(own)?;
    let mut read = line.rows(all).filter(is_row).filter_map(|own| line.attempt(own, dots).ok());
    let (found, word) = read.next()?;
    (found == row).then_some(word)
}

/// Reads the only operand of a line, after any mnemonic, as operand number `operand` of a row. The other fields come
/// from `word`. Returns the word with the operand, or `None` if the operand does not fit.
pub fn read_operand<'a, T: Tables<'a>>(
    tables: T,
    (target, row): (Target, RowId),
    (number, word): (usize, Word),
    text: &str,
    (words, pieces): (&mut [Range], &mut [parse_line::OperandText]),
) -> Option<Word> {
    let line = split(tables, target, text, words, pieces).ok()?;
    let lines = &line.image().lines;
    let form = &lines.forms[lines.rows[row.get() as usize].form as usize];
    let index = *slice(lines.operand_lists, form.operands).get(number)?;
    line.only_operand(&lines.operands[index as usize], word)
}

/// Reads the only operand of a line, after any mnemonic, as modifier number `number` of a row, which is made of fields.
/// Returns the word with the modifier, or `None` if the text is another.
pub fn read_modifier<'a, T: Tables<'a>>(
    tables: T,
    (target, row): (Target, RowId),
    (number, mut word): (usize, Word),
    text: &str,
    (words, pieces): (&mut [Range], &mut [parse_line::OperandText]),
) -> Option<Word> {
    let line = split(tables, target, text, words, pieces).ok()?;
    let lines = &line.image().lines;
    let form = &lines.forms[lines.rows[row.get() as usize].form as usize];
    let slot = slice(lines.modifiers, form.modifiers).get(number)?;
    let range = line.only_piece()?;
    let raw = line.made_modifier(slot, range).ok()?;
    set(line.image(), &mut word, slot.lsb, slot.width, raw);
    Some(word)
}

/// Calls `each` for every row of the mnemonics of a line, perhaps at an address: with the row or alias that reads the
/// line, and with the word, if the line fits.
///
/// # Errors
///
/// Where the line cannot be split.
pub fn readings<'a, T: Tables<'a>>(
    tables: T,
    (target, address): (Target, Option<u64>),
    text: &str,
    (words, pieces): (&mut [Range], &mut [parse_line::OperandText]),
    mut each: impl FnMut(RowId, RowId, Word),
) -> Result<(), ParseError> {
    let mut line = split(tables, target, text, words, pieces)?;
    line.address = address;
    line.keeps_place = address.is_some();
    let most_dots = line.most_dots(line.mnemonic_with(0));
    for dots in (0..=most_dots).rev() {
        let Some(mnemonic) = line.mnemonic_with(dots) else { continue };
        for row in line.fitting(mnemonic) {
            if let Ok((read, word)) = line.attempt(row, dots) {
                each(line.text_of(row, read), read, word);
            }
        }
    }
    Ok(())
}

/// The number of rows of the mnemonics of a line; 0 if the line cannot be split.
pub fn candidates<'a, T: Tables<'a>>(
    tables: T,
    target: Target,
    text: &str,
    words: &mut [Range],
    pieces: &mut [parse_line::OperandText],
) -> usize {
    let Ok(line) = split(tables, target, text, words, pieces) else { return 0 };
    let most_dots = line.most_dots(line.mnemonic_with(0));
    let mnemonics = (0..=most_dots).filter_map(|dots| line.mnemonic_with(dots));
    mnemonics.map(|mnemonic| mnemonic.all.1 as usize).sum()
}

/// Explains why a line, perhaps at an address, is not an instruction. Calls `each` for every row of its mnemonics: with
/// the reason why the row does not fit, and with the row's word as far as modifiers define it. Faults of the whole
/// instruction are placed at the end of its text.
///
/// # Errors
///
/// Where the line cannot be split, or has no mnemonic of any row.
pub fn failures<'a, T: Tables<'a>>(
    tables: T,
    (target, address, names): (Target, Option<u64>, Option<&Named<'_>>),
    text: &str,
    (words, pieces): (&mut [Range], &mut [parse_line::OperandText]),
    mut each: impl FnMut(ParseError, Word),
) -> Result<(), ParseError> {
    let mut line = split(tables, target, text, words, pieces)?;
    line.address = address;
    line.keeps_place = address.is_some();
    if let Some(named) = names {
        line.take_names(named);
    }
    if let Some(error) = line.general_error() {
        return Err(error);
    }
    line.each_failure(|(row, word), failure| {
        each(failure.error(Some(text_row(line.image(), row))), word);
    });
    Ok(())
}

/// The row with a number, if it is a row under a mnemonic with field values.
#[inline]
pub(crate) fn spelled<'a>(image: &Image<'a>, row: RowId) -> Option<&'a Spelled> {
    let lines = &image.lines;
    match lines.spelled {
        [] => None,
        spelled => {
            let own = lines.rows.len() - spelled.len();
            spelled.get((row.get() as usize).checked_sub(own)?)
        }
    }
}

/// The row or alias whose text is read, without the field values of a mnemonic.
#[inline]
pub(crate) fn text_row(image: &Image<'_>, row: RowId) -> RowId {
    spelled(image, row).and_then(|spelled| RowId::new(spelled.text)).unwrap_or(row)
}

/// The alias of a row, if the row is an alias.
#[inline]
pub(crate) fn alias_row<'a>(image: &Image<'a>, row: RowId) -> Option<&'a Alias> {
    let text = text_row(image, row);
    match image.texts.has_aliases {
        true => image.texts.aliases.get((text.get() as usize).checked_sub(image.words.rows.len())?),
        false => None,
    }
}

/// The text of an instruction without the comment or separator after it, if the image defines other signs than `//` and
/// `;`. An error is the position where something else follows.
fn own_code<'t>(text: &'t str, (comments, separators): (&str, &str)) -> Result<&'t str, usize> {
    if !may_have_signs(text, (comments, separators)) {
        return Ok(text);
    }
    let first = |signs: &str| {
        let found = signs.lines().filter_map(|sign| Some((text.find(sign)?, sign.len())));
        found.min_by_key(|(at, length)| (*at, usize::MAX - length))
    };
    let code = match (first(comments), first(separators)) {
        (Some((at, _)), None) => &text[..at],
        (Some((comment, _)), Some((at, _))) if comment <= at => &text[..comment],
        (_, Some((at, length))) => {
            let rest = text[at + length..].trim_start();
            let is_comment = comments.lines().any(|sign| rest.starts_with(sign));
            if !rest.is_empty() && !is_comment {
                return Err(text.len() - rest.len());
            }
            &text[..at]
        }
        (None, None) => text,
    };
    // The usual signs have no meaning unless they are among these.
    match [code.find(';'), code.find("//")].into_iter().flatten().min() {
        Some(at) => Err(at),
        None => Ok(code),
    }
}

/// Whether a text may contain one of these signs or of the usual ones, judged by first bytes.
fn may_have_signs(text: &str, (comments, separators): (&str, &str)) -> bool {
    let mut first = [0u64; 4];
    for signs in [comments, separators, ";\n//"] {
        let mut is_first = true;
        for byte in signs.bytes() {
            if is_first {
                first[usize::from(byte >> 6)] |= 1 << (byte & 63);
            }
            is_first = byte == b'\n';
        }
    }
    text.bytes().any(|byte| first[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0)
}

#[inline]
pub(crate) fn split<'l, 'a, T: Tables<'a>>(
    tables: T,
    target: Target,
    text: &'l str,
    words: &'l mut [Range],
    pieces: &'l mut [parse_line::OperandText],
) -> Result<Line<'l, 'a, T>, ParseError> {
    let lines = &tables.image().lines;
    let words = words.get_mut(..lines.max_words as usize);
    let pieces = pieces.get_mut(..lines.max_pieces as usize);
    // Positions in a line are numbers of 32 bits.
    let is_short = u32::try_from(text.len()).is_ok();
    let (Some(words), Some(pieces @ [_, ..]), true) = (words, pieces, is_short) else {
        return Err(Failure { at: 0, reason: Reason::Unfit, part: Part::General }.error(None));
    };
    // Without other signs, the compiler of generated code decides this.
    let text = match lines.comments {
        "" => text,
        _ => own_code(text, (lines.comments, lines.separators)).map_err(|at| {
            let reason = Reason::Expected("the end of the line");
            Failure { at, reason, part: Part::General }.error(None)
        })?,
    };
    let mut line = Line::new(tables, target, text, words, pieces);
    match line.split() {
        Ok(()) => Ok(line),
        Err(failure) => Err(failure.error(None)),
    }
}

/// The maximum length, in bytes, of texts that are compared with a line that several instructions fit.
const PRINTED: usize = 4096;

impl<'a, T: Tables<'a>> Line<'_, 'a, T> {
    /// The instruction of the line.
    #[inline]
    pub(crate) fn instruction(&self) -> Result<(RowId, Word), ParseError> {
        self.search().unwrap_or_else(|| Err(self.closest()))
    }

    /// The instruction of the line, or an error if several fit; `None` if none fits.
    #[inline]
    pub(crate) fn search(&self) -> Option<Result<(RowId, Word), ParseError>> {
        let image = self.image();
        let has_ranks = image.lines.has_ranks;
        let first_word = self.mnemonic_with(0);
        for dots in (0..=self.most_dots(first_word)).rev() {
            let mnemonic = if dots == 0 { first_word } else { self.mnemonic_with(dots) };
            let Some(mnemonic) = mnemonic else { continue };
            if self.glued.is_some() {
                continue;
            }
            let mut found: Option<((RowId, Word), u32)> = None;
            for row in self.fitting(mnemonic) {
                // Rows of the lowest rank come first.
                if has_ranks && found.is_some_and(|(_, other)| other < self.rank(row)) {
                    break;
                }
                let Ok(inst) = self.attempt(row, dots) else { continue };
                let rank = if has_ranks { self.rank_of(row, inst.0) } else { 0 };
                match found {
                    // The reader may return another row than the one that was tried.
                    Some((_, other)) if has_ranks && other < rank => continue,
                    Some(((other, word), same)) if same == rank && word != inst.1 => {
                        let like = self.rank_of(row, inst.0);
                        return Some(self.as_printed(mnemonic, dots, like).ok_or_else(|| {
                            self.general(self.mnemonic.0, Reason::Ambiguous(inst.0), Some(other))
                        }));
                    }
                    _ => {
                        found = Some((inst, rank));
                        if let Some(named) = self.names {
                            named.keep();
                        }
                    }
                }
            }
            if let Some((inst, _)) = found {
                return Some(Ok(inst));
            }
        }
        None
    }

    /// Among the fitting instructions of the rank of `found`, the only one whose printed text equals the line, apart
    /// from blanks. `None` if there is no such instruction or several, or if texts are longer than [`PRINTED`].
    #[cold]
    fn as_printed(&self, mnemonic: &Mnemonic, dots: usize, rank: u32) -> Option<(RowId, Word)> {
        let line = self.bytes.get(..self.end)?;
        let is_dark = |byte: &&u8| !byte.is_ascii_whitespace();
        let mut buffer = [0; PRINTED];
        let mut found: Option<(RowId, Word)> = None;
        for row in self.fitting(mnemonic) {
            let Ok(inst) = self.attempt(row, dots) else { continue };
            if self.rank_of(row, inst.0) != rank {
                continue;
            }
            // An instruction that was read as one alias may be printed as another.
            let text = if self.rank_of(row, inst.0) == self.rank(row) { row } else { inst.0 };
            let text = text_row(self.image(), text);
            let length = self.printed((inst.0, text), inst.1, &mut buffer)?;
            let printed = buffer[..length].iter().filter(is_dark);
            let folds_case = self.image().texts.folds_case;
            let is_same = |(a, b): (&u8, &u8)| a == b || folds_case && a.eq_ignore_ascii_case(b);
            let written = line.iter().filter(is_dark);
            if printed.clone().count() != written.clone().count()
                || !printed.zip(written).all(is_same)
            {
                continue;
            }
            if found.is_some_and(|(_, word)| word != inst.1) {
                return None;
            }
            found = Some(inst);
        }
        found
    }

    /// Prints an instruction as its row or as an alias, at the address of the line if it is known.
    #[cold]
    fn printed(&self, rows: (RowId, RowId), word: Word, buffer: &mut [u8]) -> Option<usize> {
        let Some(address) = self.address else {
            return print_plain(self.tables, rows.1, word, buffer);
        };
        let (mut bytes, mut out) = ([0; PRINTED], Buffer { bytes: buffer, length: Some(0) });
        print_at(self.tables, rows, (word, address), &mut bytes, |piece| {
            let result = match piece {
                TextSegment::Text(text) => out.write_str(text),
                TextSegment::Address(address) => write!(out, "{address:#x}"),
            };
            out.length = out.length.filter(|_| result.is_ok());
        })
        .then_some(out.length)?
    }

    /// The rank of a row or an alias among the candidates of a text.
    #[inline]
    fn rank(&self, text: RowId) -> u32 {
        let image = self.image();
        let (row, order) = match alias_row(image, text) {
            Some(alias) => (alias.row, alias.order),
            None => (text_row(image, text).get(), 0),
        };
        u32::from(image.words.rows[row as usize].rank) << 24 | order
    }

    /// The rank of an instruction of a row that was read as a row or an alias.
    #[inline]
    fn rank_of(&self, text: RowId, read: RowId) -> u32 {
        self.rank(self.text_of(text, read))
    }

    /// The row or alias whose text was read, if the first row was tried and an instruction of the second was found.
    #[inline]
    fn text_of(&self, tried: RowId, read: RowId) -> RowId {
        let tried = text_row(self.image(), tried);
        let own = alias_row(self.image(), tried).map_or(tried.get(), |alias| alias.row);
        if own == read.get() { tried } else { read }
    }

    /// The rows of a list that the generation has, with its extensions.
    #[inline]
    fn rows(&self, list: Span) -> impl Iterator<Item = RowId> + use<'a, T> {
        let image = self.image();
        let Target { generation, set } = self.target;
        let has_generations = image.words.has_generations();
        let is_known = move |row: &RowId| {
            let text = text_row(image, *row);
            let own = alias_row(image, text).map_or(text.get(), |alias| alias.row) as usize;
            let generations = image.words.rows[own].generations;
            (!has_generations || generations >> generation & 1 != 0)
                && is_there(image, set, text.get() as usize)
        };
        let rows = slice(image.lines.candidates, list).iter();
        rows.filter_map(|row| RowId::new(*row)).filter(is_known)
    }

    /// The mnemonic that ends after this many dots.
    fn mnemonic_with(&self, dots: usize) -> Option<&'a Mnemonic> {
        let image = self.image();
        let end = if dots == 0 { self.mnemonic.1 } else { self.dotted()[dots - 1].1 };
        find(image, &image.lines.mnemonics, self.bytes, (self.mnemonic.0, end))
    }

    /// The maximum number of dots in a mnemonic of the line.
    fn most_dots(&self, first_word: Option<&Mnemonic>) -> usize {
        first_word.map_or(0, |mnemonic| mnemonic.dots as usize).min(self.dotted().len())
    }

    /// The rows of a mnemonic that may fit, as far as the beginnings of operands tell.
    #[inline]
    fn fitting(&self, mnemonic: &Mnemonic) -> impl Iterator<Item = RowId> + use<'a, T> {
        self.rows(match self.sequence {
            UNTOLD => mnemonic.all,
            sequence => {
                let number = u64::from(mnemonic.number);
                let key = number << (MAX_KINDS as u32 * KIND_BITS) | sequence;
                self.image().lines.sequences.find(key).unwrap_or(mnemonic.untold)
            }
        })
    }

    /// An error that does not belong to an operand.
    #[cold]
    fn general(&self, at: usize, reason: Reason, closest: Option<RowId>) -> ParseError {
        Failure { at, reason, part: Part::General }.error(closest)
    }

    /// The reason why no row can fit the line; `None` if each row has its own reason.
    #[cold]
    fn general_error(&self) -> Option<ParseError> {
        let most_dots = self.most_dots(self.mnemonic_with(0));
        let mut mnemonics = (0..=most_dots).filter_map(|dots| self.mnemonic_with(dots));
        if mnemonics.any(|mnemonic| self.rows(mnemonic.all).next().is_some()) {
            let is_glued = |at| self.general(at, Reason::Expected("a space"), None);
            return self.glued.map(is_glued);
        }
        let is_elsewhere = |dots| self.mnemonic_with(dots).is_some_and(|found| found.all.1 != 0);
        if let Some(row) = (0..=most_dots).rev().find_map(|dots| self.absent(dots)) {
            return Some(self.general(self.mnemonic.0, Reason::Absent, Some(row)));
        }
        let reason = match self.mnemonic {
            (start, end) if start == end => Reason::Expected("a mnemonic"),
            _ if (0..=most_dots).any(is_elsewhere) => Reason::OtherGeneration,
            _ => Reason::UnknownMnemonic,
        };
        Some(self.general(self.mnemonic.0, reason, None))
    }

    /// The first row of the mnemonic with this many dots that the generation has with other extensions.
    #[cold]
    fn absent(&self, dots: usize) -> Option<RowId> {
        let image = self.image();
        let words = &image.words;
        let all = slice(image.lines.candidates, self.mnemonic_with(dots)?.all);
        let all = all.iter().filter(|_| !words.presence.is_empty());
        let mut rows = all.filter_map(|text| {
            let text = text_row(image, RowId::new(*text)?);
            RowId::new(alias_row(image, text).map_or(text.get(), |alias| alias.row))
        });
        let of_generation = |row: &RowId| {
            let generations = words.rows[row.get() as usize].generations;
            !words.has_generations() || generations >> self.target.generation & 1 != 0
        };
        rows.find(of_generation)
    }

    /// Calls `each` with every row of the line's mnemonics that does not fit, its word as far as modifiers define it,
    /// and the reason.
    #[cold]
    fn each_failure(&self, mut each: impl FnMut((RowId, Word), Failure)) {
        let most_dots = self.most_dots(self.mnemonic_with(0));
        for dots in (0..=most_dots).rev() {
            let Some(mnemonic) = self.mnemonic_with(dots) else { continue };
            for row in self.rows(mnemonic.all) {
                if let Err(failure) = self.attempt(row, dots) {
                    each((row, self.with_modifiers(row, dots)), failure);
                }
            }
        }
    }

    /// The failure that was found furthest in the text.
    #[cold]
    fn closest(&self) -> ParseError {
        if let Some(error) = self.general_error() {
            return error;
        }
        let mut closest: Option<(Failure, RowId)> = None;
        self.each_failure(|(row, _), failure| {
            let row = text_row(self.image(), row);
            let is_closer = |(other, _): (Failure, RowId)| failure.rank() > other.rank();
            if closest.is_none_or(is_closer) {
                closest = Some((failure, row));
            }
        });
        match closest {
            Some((failure, row)) => {
                let at = if failure.is_whole() { self.mnemonic.0 } else { failure.at };
                let own = alias_row(self.image(), row).and_then(|alias| RowId::new(alias.row));
                Failure { at, ..failure }.error(own.or(Some(row)))
            }
            None => self.general(self.mnemonic.0, Reason::UnknownMnemonic, None),
        }
    }
}

/// A text in a buffer; its length while it fits.
struct Buffer<'b> {
    bytes: &'b mut [u8],
    length: Option<usize>,
}

impl Write for Buffer<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let length = self.length.ok_or(core::fmt::Error)?;
        let room = self.bytes.get_mut(length..length + text.len()).ok_or(core::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = Some(length + text.len());
        Ok(())
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
