//! Text of instructions in another appearance: radix, upper and lower case, blanks, addresses and symbols.

use core::fmt::{self, Write as _};

use super::decode::RowId;
use super::image::Tables;
use super::image_text::{NUMBER_FLOAT, Texts};
use super::number::{Digits, binary, decimal, hexadecimal};
use super::print::Style;
use super::print_at::{MarkKind, Wanted, marked, text_of};
use super::set::KnownSet;
use super::tokens::{TokenKind, tokens};
use super::word::Word;

/// How integers are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Radix {
    /// As the specification says.
    #[default]
    Specified,
    /// In decimal.
    Decimal,
    /// In hexadecimal, after `0x`.
    Hexadecimal,
    /// In binary, after `0b`.
    Binary,
}

/// How letters are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Case {
    /// As the specification says.
    #[default]
    Specified,
    /// `abc`
    Lower,
    /// `ABC`
    Upper,
}

/// What comes after a comma.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Commas {
    /// What the specification says.
    #[default]
    Specified,
    /// The next operand.
    Tight,
    /// One blank.
    Spaced,
}

/// How an address with a symbol is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SymbolStyle {
    /// `name+0x8`
    #[default]
    Name,
    /// `0x1008 <name+0x8>`, which assemblers do not read.
    Both,
}

/// The appearance of texts. The default is that of the canonical text.
///
/// ```ignore
/// let mut format = TextFormat::default();
/// format.radix = Radix::Hexadecimal;
/// format.mnemonics = Case::Upper;
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TextFormat {
    /// The radix of integers that are operands. Numbers in names of registers and elements (`v[2:3]`, `d[1]`), after a
    /// colon, in floating point, and bit patterns stay as they are.
    pub radix: Radix,
    /// The digits of hexadecimal numbers.
    pub digits: Case,
    /// Mnemonics, with the modifiers that are joined to them.
    pub mnemonics: Case,
    /// Registers and all other names. Symbols stay as they are.
    pub names: Case,
    /// What comes after commas.
    pub commas: Commas,
    /// The column, counted in characters from 0, at which operands begin, if the mnemonic is not too long.
    pub column: u8,
    /// The least number of digits of addresses without a symbol, which are hexadecimal.
    pub address_digits: u8,
    /// How addresses with a symbol are written.
    pub symbols: SymbolStyle,
}

impl TextFormat {
    /// That of the canonical text.
    #[must_use]
    pub const fn new() -> TextFormat {
        TextFormat {
            radix: Radix::Specified,
            digits: Case::Specified,
            mnemonics: Case::Specified,
            names: Case::Specified,
            commas: Commas::Specified,
            column: 0,
            address_digits: 0,
            symbols: SymbolStyle::Name,
        }
    }

    /// Whether texts are as without it.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        *self == TextFormat::new()
    }
}

/// Gives the text of an instruction in pieces, each with its kind. With an address, distances are the addresses that they
/// name: `symbols` says what an address is called, and how many bytes it is after what has this name. `bytes` has the room
/// that [`Texts::room`](super::image_text::Texts) says; otherwise there are no pieces.
pub fn format<'a, S: fmt::Display>(
    tables: impl Tables<'a>,
    (row, set, style): (RowId, KnownSet, Style),
    (word, address): (Word, Option<u64>),
    look: &TextFormat,
    bytes: &mut [u8],
    mut symbols: impl FnMut(u64) -> Option<(S, u64)>,
    sink: impl FnMut(TokenKind, &str),
) {
    let image = tables.image();
    let Some((row, text, word)) = text_of(image, (row, set, style), word) else { return };
    let place = (word, address.unwrap_or(0));
    let wanted = if address.is_some() { Wanted::All } else { Wanted::Numbers };
    let mut pieces = Pieces { look, sink, column: 0, in_head: false, is_after_comma: false };
    // Most texts have one number of this kind, so that they are printed once.
    let (mut number, mut from) = (0, 0);
    // The text is tokenized anew for each, and what comes before it is skipped.
    while let Some(mark) = marked(tables, (row, text), place, wanted, bytes, number) {
        let written = bytes.get(..mark.len).unwrap_or_default();
        let written = core::str::from_utf8(written).unwrap_or_default();
        let end = mark.place.map_or(mark.len, |at| at.end);
        let has_words = image.texts.is_word_style;
        let are_numbers = !has_small_floats(&image.texts);
        let mut at = 0;
        let mut is_named = false;
        tokens(written, mnemonic(written, mark.mnemonic), has_words, |token_kind, token| {
            let (start, after) = (at, at + token.len());
            at = after;
            if start < from || start >= end {
                return;
            }
            let inside = mark.place.filter(|place| start >= place.start);
            match inside.map(|place| place.kind) {
                Some(MarkKind::Address(target)) => {
                    if !core::mem::replace(&mut is_named, true) {
                        pieces.address(target, symbols(target));
                    }
                }
                Some(kind) => pieces.token(token_kind, token, kind == MarkKind::Integer),
                None => {
                    let is_part = is_part(written, start, after);
                    pieces.token(token_kind, token, are_numbers && !is_part);
                }
            }
        });
        if mark.place.is_none() {
            return;
        }
        number += 1;
        from = end;
    }
}

/// Writes the text that [`format`] gives in pieces.
///
/// # Errors
///
/// Those of `out`.
pub fn write_formatted<'a, S: fmt::Display>(
    tables: impl Tables<'a>,
    inst: (RowId, KnownSet, Style),
    place: (Word, Option<u64>),
    look: &TextFormat,
    bytes: &mut [u8],
    symbols: impl FnMut(u64) -> Option<(S, u64)>,
    out: &mut impl fmt::Write,
) -> fmt::Result {
    let mut result = Ok(());
    format(tables, inst, place, look, bytes, symbols, |_, piece| {
        if result.is_ok() {
            result = out.write_str(piece);
        }
    });
    result
}

/// The mnemonic of a text, whose fixed part is at these bytes.
fn mnemonic(text: &str, (start, end): (usize, usize)) -> &str {
    let rest = text.get(end..).unwrap_or_default();
    let more = match rest.bytes().next() {
        None | Some(b' ' | b'.') => 0,
        // Fields are a part of it.
        Some(_) => rest.find([' ', '.']).unwrap_or(rest.len()),
    };
    text.get(start..end + more).unwrap_or_default().trim_end()
}

/// Whether a number is a part of something else: it has a colon beside it, as in `mul:2`, or is in brackets after a word
/// or a colon, as in `v[2:3]`, `d[1]` and `neg:[0,1]`.
fn is_part(text: &str, start: usize, end: usize) -> bool {
    let before = text.as_bytes().get(..start).unwrap_or_default();
    let after = text.as_bytes().get(end..).unwrap_or_default();
    let open = before.iter().rposition(|byte| *byte == b'[');
    let is_index = open.is_some_and(|open| {
        let owner = before.get(..open).and_then(<[u8]>::last);
        let is_owned = owner.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b':');
        is_owned && !before[open..].contains(&b']')
    });
    before.last() == Some(&b':') || after.first() == Some(&b':') || is_index
}

/// Whether looked-up texts may have floating-point numbers that look like integers.
fn has_small_floats(texts: &Texts<'_>) -> bool {
    texts.formats.iter().any(|format| {
        let notation = texts.notation(format);
        let is_small = u32::from(format.lane_bits) * u32::from(format.lanes) <= 12;
        format.kind == NUMBER_FLOAT
            && (is_small || notation.is_some_and(|notation| notation.computed != 0))
            && notation.is_none_or(|notation| notation.digits == 0)
    })
}

/// Pieces of a text, in their appearance.
struct Pieces<'f, F> {
    look: &'f TextFormat,
    sink: F,
    /// Characters so far.
    column: usize,
    /// Whether the mnemonic was the last, or modifiers that are joined to it.
    in_head: bool,
    is_after_comma: bool,
}

impl<F: FnMut(TokenKind, &str)> Pieces<'_, F> {
    fn give(&mut self, kind: TokenKind, piece: &str) {
        if !piece.is_empty() {
            self.column += piece.chars().count();
            (self.sink)(kind, piece);
        }
    }

    fn token(&mut self, kind: TokenKind, token: &str, is_integer: bool) {
        if token == " " {
            return self.blank();
        }
        self.is_after_comma = false;
        let is_head = match kind {
            TokenKind::Mnemonic => true,
            TokenKind::Modifier => self.in_head,
            _ => false,
        };
        self.in_head = is_head;
        match kind {
            TokenKind::Punctuation => self.give(kind, token),
            TokenKind::Number => self.number(token, is_integer),
            _ => self.letters(
                kind,
                token,
                if is_head { self.look.mnemonics } else { self.look.names },
            ),
        }
        if token == "," && self.look.commas != Commas::Specified {
            self.is_after_comma = true;
            if self.look.commas == Commas::Spaced {
                self.give(TokenKind::Punctuation, " ");
            }
        }
    }

    fn blank(&mut self) {
        if self.is_after_comma {
            return;
        }
        self.give(TokenKind::Punctuation, " ");
        if core::mem::replace(&mut self.in_head, false) {
            while self.column < usize::from(self.look.column) {
                self.give(TokenKind::Punctuation, " ");
            }
        }
    }

    /// A piece with its letters in a case.
    fn letters(&mut self, kind: TokenKind, piece: &str, case: Case) {
        if case == Case::Specified {
            return self.give(kind, piece);
        }
        // Pieces have one kind each, so that one that is longer than the room is in several of them.
        let mut room = [0; 32];
        let mut rest = piece;
        while !rest.is_empty() {
            let mut length = rest.len().min(room.len());
            while !rest.is_char_boundary(length) {
                length -= 1;
            }
            let (part, after) = rest.split_at(length);
            let part_room = &mut room[..length];
            part_room.copy_from_slice(part.as_bytes());
            match case {
                Case::Upper => part_room.make_ascii_uppercase(),
                _ => part_room.make_ascii_lowercase(),
            }
            self.give(kind, core::str::from_utf8(part_room).unwrap_or_default());
            rest = after;
        }
    }

    fn number(&mut self, token: &str, is_integer: bool) {
        let kind = TokenKind::Number;
        let Some((is_negative, magnitude)) = integer(token) else {
            return self.give(kind, token);
        };
        let mut digits = Digits::new();
        let radix = if is_integer { self.look.radix } else { Radix::Specified };
        let is_hexadecimal = token.contains("0x");
        let letter = match self.look.digits {
            Case::Upper => b'A',
            Case::Lower => b'a',
            Case::Specified
                if is_hexadecimal && token.bytes().any(|byte| byte.is_ascii_uppercase()) =>
            {
                b'A'
            }
            Case::Specified => b'a',
        };
        match radix {
            Radix::Specified if is_hexadecimal => {
                // Zeros before the number stay.
                let (before, own) = token.split_at(token.find("0x").map_or(0, |at| at + 2));
                self.give(kind, before);
                return self.letters(kind, own, self.look.digits);
            }
            Radix::Specified => return self.give(kind, token),
            Radix::Decimal => decimal(magnitude, &mut digits),
            Radix::Hexadecimal => hexadecimal(magnitude, letter, &mut digits),
            Radix::Binary => binary(magnitude, &mut digits),
        }
        if is_negative {
            self.give(kind, "-");
        }
        self.give(kind, core::str::from_utf8(digits.as_bytes()).unwrap_or_default());
    }

    fn address<S: fmt::Display>(&mut self, address: u64, symbol: Option<(S, u64)>) {
        self.is_after_comma = false;
        self.in_head = false;
        let is_both = self.look.symbols == SymbolStyle::Both;
        if symbol.is_none() || is_both {
            let mut digits = Digits::new();
            let letter = if self.look.digits == Case::Upper { b'A' } else { b'a' };
            hexadecimal(address, letter, &mut digits);
            let text = core::str::from_utf8(digits.as_bytes()).unwrap_or_default();
            let (before, own) = text.split_at(2.min(text.len()));
            self.give(TokenKind::Address, before);
            for _ in own.len()..usize::from(self.look.address_digits) {
                self.give(TokenKind::Address, "0");
            }
            self.give(TokenKind::Address, own);
        }
        let Some((name, offset)) = symbol else { return };
        if is_both {
            self.give(TokenKind::Punctuation, " ");
            self.give(TokenKind::Punctuation, "<");
        }
        // Writing to pieces does not fail, names may.
        let _ = write!(Symbol(self), "{name}");
        if offset != 0 {
            let _ = write!(Symbol(self), "+{offset:#x}");
        }
        if is_both {
            self.give(TokenKind::Punctuation, ">");
        }
    }
}

/// Writes pieces of a symbol.
struct Symbol<'p, 'f, F>(&'p mut Pieces<'f, F>);

impl<F: FnMut(TokenKind, &str)> fmt::Write for Symbol<'_, '_, F> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.give(TokenKind::Symbol, text);
        Ok(())
    }
}

/// Whether a number is negative, and its magnitude, if it is an integer of up to 64 bits.
fn integer(token: &str) -> Option<(bool, u64)> {
    let (is_negative, rest) = match token.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, token),
    };
    let (digits, radix) = match (rest.strip_prefix("0x"), rest.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) => (digits, 2),
        _ => (rest, 10),
    };
    // A sign within is none of a number.
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let magnitude = u64::from_str_radix(digits, radix).ok().filter(|_| is_plain)?;
    Some((is_negative, magnitude))
}
