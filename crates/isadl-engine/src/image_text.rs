//! The tables of the printer: how the values of types are written, and the steps by which each
//! opcode is printed.
//!
//! Names are numbers of one pool, [`Texts::strings`]; name 0 is empty.

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use super::rows::{FieldPiece, Span, Width, rows};
use super::word::Word;

/// Bytes in a chunk: text, and its length in the last.
pub const CHUNK: usize = 16;

/// Bytes in a long chunk, likewise.
pub const LONG_CHUNK: usize = 32;

/// The length of a chunk whose text is the long one that its first bytes number.
pub const IS_LONG: u8 = u8::MAX;

/// How instructions are printed.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    /// Bytes of room that the text of an instruction needs.
    pub room: u32,
    /// How many sets of names values are printed by; the programs of each follow those of the one before.
    pub name_sets: u32,
    /// Whether modifiers are words after the operands.
    pub is_word_style: bool,
    /// Whether some opcode has a guard.
    pub has_guards: bool,
    /// Whether some text is in long chunks; then all mnemonics are.
    pub has_long_texts: bool,
    /// Whether some registers are named by multiples of a number only.
    pub has_aligned: bool,
    /// Whether some opcode has other texts for some of its words.
    pub has_aliases: bool,
    /// The bytes that follow the first word of names that are more than a word, such as `v0.t`, as bits; bit 0 if some
    /// name begins with a sign.
    pub after_words: u128,
    /// Whether lines are read without regard to case; then names are searched for in lower case.
    pub folds_case: bool,
    /// Whether values of some types are written otherwise where they have no name.
    pub has_others: bool,
    /// Whether some numbers are written by their bits.
    pub has_bits: bool,
    /// Whether steps differ by ranges of values, as those of marks that are words and of values without a
    /// name, or literals are written as constants and read as such.
    pub has_constants: bool,
    /// All names, one after another.
    pub strings: &'a str,
    /// Where each name ends in [`Texts::strings`]; the next begins there. The first is empty.
    pub names: &'a [u32],
    /// Types, by their numbers.
    pub types: &'a [Type],
    /// Runs of values with names.
    pub entries: &'a [Entry],
    /// Pieces of composites.
    pub pieces: &'a [SegmentRow],
    /// Pieces of parts, each with its lowest bit in the composite as that of the word.
    pub part_pieces: &'a [FieldPiece],
    /// How numbers are written.
    pub formats: &'a [Format],
    /// What some numbers have beside the number that their bits are; the first is that of the others, and
    /// there is none where all are such.
    pub notations: &'a [Notation],
    /// Formats by the values of the modifiers that select them, in runs.
    pub format_of: &'a [u32],
    /// What is done for each row; the first stands for none.
    pub programs: &'a [Program],
    /// Whether some opcode is a shorter encoding of another one.
    pub has_shorts: bool,
    /// Of each row, from 1 the one in [`Texts::shorts`] that it is; none if there are no shorts at all.
    pub short_of: &'a [u32],
    /// Whether some are that in some sets of extensions only.
    pub has_guarded_shorts: bool,
    /// Shorter encodings, by the rows of the longer ones.
    pub shorts: &'a [Short],
    /// What the fields of longer encodings are.
    pub moves: &'a [Move],
    /// Bits of fields of shorter encodings, by rising bits, and what they are in the longer ones.
    pub move_pairs: &'a [(u64, u64)],
    /// The aliases of each row, in [`Texts::aliases`], the first of row 0; none if there are no aliases at all.
    pub aliases_of: &'a [Span],
    /// Other texts of rows. Their programs and forms are after those of rows.
    pub aliases: &'a [Alias],
    /// What aliases read into other fields too.
    pub copies: &'a [Copied],
    /// Steps of programs.
    pub steps: &'a [Step],
    /// What some steps must know beside.
    pub details: &'a [Detail],
    /// Texts.
    pub chunks: &'a [[u8; CHUNK]],
    /// Texts that one chunk does not hold.
    pub long_chunks: &'a [[u8; LONG_CHUNK]],
    /// How some integers are written.
    pub integers: &'a [Integer],
    /// Words in which steps are passed over.
    pub omissions: &'a [Omission],
    /// Sets of literals that are written as constants.
    pub constant_sets: &'a [ConstantSet],
    /// The literals of these sets, each by rising bits.
    pub constants: &'a [Constant],
    /// Values, first and last.
    pub ranges: &'a [(u64, u64)],
    /// What is known of names that are searched for.
    pub searched: &'a [Searched],
}

impl<'a> Texts<'a> {
    /// The tables of no opcode.
    pub const EMPTY: Texts<'static> = Texts {
        room: 0,
        name_sets: 1,
        is_word_style: false,
        has_guards: false,
        has_long_texts: false,
        has_aligned: false,
        has_aliases: false,
        after_words: 0,
        folds_case: false,
        has_others: false,
        has_bits: false,
        has_constants: false,
        strings: "",
        names: &[0],
        types: &[],
        entries: &[],
        pieces: &[],
        part_pieces: &[],
        formats: &[],
        notations: &[],
        format_of: &[],
        programs: &[],
        has_shorts: false,
        short_of: &[],
        has_guarded_shorts: false,
        shorts: &[],
        moves: &[],
        move_pairs: &[],
        aliases_of: &[],
        aliases: &[],
        copies: &[],
        steps: &[],
        details: &[],
        chunks: &[],
        long_chunks: &[],
        integers: &[],
        omissions: &[],
        constant_sets: &[],
        constants: &[],
        ranges: &[],
        searched: &[],
    };

    /// The name of a number.
    #[must_use]
    pub fn name(&self, number: u32) -> &'a str {
        let (start, end) = self.place(number);
        self.strings.get(start..end).unwrap_or_default()
    }

    /// The bytes of a name.
    #[inline]
    #[must_use]
    pub fn bytes(&self, number: u32) -> &'a [u8] {
        let (start, end) = self.place(number);
        self.strings.as_bytes().get(start..end).unwrap_or_default()
    }

    /// Whether a name is a text of a line.
    #[must_use]
    pub fn is_named(&self, name: u32, text: &[u8]) -> bool {
        let name = self.bytes(name);
        name == text || self.folds_case && name.eq_ignore_ascii_case(text)
    }

    /// Whether a text of a line begins with a name.
    #[must_use]
    pub fn begins(&self, text: &[u8], name: &[u8]) -> bool {
        let start = text.get(..name.len());
        start.is_some_and(|start| {
            start == name || self.folds_case && start.eq_ignore_ascii_case(name)
        })
    }

    #[inline]
    fn place(&self, number: u32) -> (usize, usize) {
        let number = number as usize;
        let start = match number {
            0 => 0,
            _ => self.names[number - 1] as usize,
        };
        (start, self.names[number] as usize)
    }

    /// The format of a number in [`Texts::format_of`].
    #[inline]
    #[must_use]
    pub fn format(&self, selected: usize) -> Option<&'a Format> {
        self.formats.get(*self.format_of.get(selected)? as usize)
    }

    /// What numbers of a format have beside the number that their bits are.
    #[inline]
    #[must_use]
    pub fn notation(&self, format: &Format) -> Option<&'a Notation> {
        // Of an instruction set where no number has any, nothing is looked up.
        if self.notations.is_empty() || format.notation == 0 {
            return None;
        }
        self.notations.get(usize::from(format.notation))
    }

    /// The format of a type of numbers, where no modifier selects another.
    #[inline]
    #[must_use]
    pub fn own_format(&self, ty: &Type) -> Option<&'a Format> {
        self.format(ty.list.0 as usize)
    }
}

/// The kinds of [`Type`](struct@Type)s: one of several entries.
pub const TYPE_NAMES: u8 = 0;
/// A number.
pub const TYPE_NUMBER: u8 = 1;
/// Pieces, one after another.
pub const TYPE_COMPOSITE: u8 = 2;

/// The kinds of [`SegmentRow`](struct@SegmentRow)s: what a piece before says too.
pub const AGAIN: u8 = 1;
/// No piece itself: so many of those that follow may be left out together.
pub const OPTIONAL: u8 = 2;

/// The kinds of [`Entry`](struct@Entry)s: numbered registers.
pub const ENTRY_RUN: u8 = 0;
/// One name.
pub const ENTRY_NAME: u8 = 1;
/// Integers that are constants.
pub const ENTRY_INTEGERS: u8 = 2;
/// A floating-point constant.
pub const ENTRY_FLOAT: u8 = 3;
/// No value itself: those without a name are written as another type, of which the first value is the
/// number. It is the last entry.
pub const ENTRY_OTHERS: u8 = 4;

/// The kinds of [`Format`](struct@Format)s: integers without a sign.
pub const NUMBER_UNSIGNED: u8 = 0;
/// Integers in two's complement.
pub const NUMBER_SIGNED: u8 = 1;
/// Floating-point numbers.
pub const NUMBER_FLOAT: u8 = 2;

/// In the place of the first letter of hexadecimal: decimal.
pub const DECIMAL: u8 = 0;
/// In the place of the first letter of hexadecimal: numbers are written by their bits.
pub const BITS: u8 = 1;
/// In the place of the first letter of hexadecimal: binary.
pub const BINARY: u8 = 2;

/// What may be printed before numbers: bytes that no other part of an operand begins with.
pub const PREFIX_BYTES: &[u8] = b"#%&*:<=>?^";

/// The kinds of [`Step`](struct@Step)s: one of the texts from chunk `table` on, by gathered bits.
pub const CHOICE: u8 = 0;
/// A number of up to 32 bits in hexadecimal, of which `table` is the first letter.
pub const HEX: u8 = 1;
/// One of the texts from chunk `table` on, by runs of bits that cannot be gathered. This one and all
/// others but for [`INTEGER`] and [`SKIP`] say more in [`Texts::details`].
pub const SCATTERED: u8 = 2;
/// A number: its bits, and those that select one of the formats from `table` on.
pub const NUMBER: u8 = 3;
/// A number with its sign after a register; nothing for 0.
pub const OFFSET: u8 = 4;
/// A name that is searched for: its bits, and what is known of it in [`Texts::searched`].
pub const VALUE: u8 = 5;
/// Passes over as many steps as the first width says in the words of an omission.
pub const SKIP_FAR: u8 = 6;
/// The operands begin, each with a comma before it.
pub const JOIN: u8 = 7;
/// They end; the first comma is made a space.
pub const JOINED: u8 = 8;
/// A constant, where the bits are in the set `table`; then passes over as many steps as the second
/// width says.
pub const CONSTANT: u8 = 9;
/// Passes over as many steps as the second width says, unless the bits are in one of the ranges from
/// `table` on, as many as the third width says.
pub const CALL: u8 = 10;
/// An integer of up to 32 bits with what is in [`Texts::integers`].
pub const INTEGER: u8 = 11;
/// Passes over `table` steps where the bits of the mask have the value `factor`.
pub const SKIP: u8 = 12;

/// The values of [`Step::window`](struct@Step): bits 0 to 63 of a word.
pub const LOW: u8 = 0;
/// Bits 32 to 95.
pub const MIDDLE: u8 = 1;
/// Bits 64 to 127.
pub const HIGH: u8 = 2;
/// Bits 0 to 31, and above them bits 64 to 95.
pub const OUTER: u8 = 3;

impl Notation {
    /// Whether numbers are not those that their bits are.
    #[inline]
    #[must_use]
    pub const fn is_scaled(&self) -> bool {
        self.scale != 1 || self.bias != 0
    }
}

rows! {
    /// How the values of a type are written.
    Type {
        /// Its name.
        name: u32,
        /// [`TYPE_NAMES`], [`TYPE_NUMBER`] or [`TYPE_COMPOSITE`].
        kind: u8,
        /// Its entries, the place of its format in [`Texts::format_of`], or its pieces.
        list: Span,
        /// Number of bits.
        width: u8,
    }

    /// A run of values with names.
    Entry {
        /// [`ENTRY_RUN`], [`ENTRY_NAME`], [`ENTRY_INTEGERS`], [`ENTRY_FLOAT`] or [`ENTRY_OTHERS`].
        kind: u8,
        /// The name, or the prefix of registers.
        text: u32,
        /// The first value.
        value: u64,
        /// How many there are.
        count: u64,
        /// The number of the first; or the bits of a floating-point constant in binary64.
        first: i64,
        /// What is added to the number from one to the next; 0 if they have none.
        step: i8,
        /// Bits in a register; 0 for what is not one.
        register: u16,
        /// What numbers of registers are multiples of.
        align: u32,
        /// The number of the word that the name begins with, without digits.
        stem: u32,
        /// Whether that is all of it.
        is_stem: bool,
    }

    /// Another text for some words of a row.
    Alias {
        /// The row.
        row: u32,
        /// The bits that the words have.
        mask: Word,
        /// Their values.
        value: Word,
        /// The expression that is not 0 for these words; 0 if it is so for all that have the bits.
        condition: u32,
        /// The fields that have the values of others.
        copies: Span,
        /// Its number among the aliases of the row, from 1.
        order: u32,
        /// Whether it is printed, and not only read.
        is_printed: bool,
    }

    /// A shorter encoding of instructions of another row.
    Short {
        /// Its row.
        row: u32,
        /// The row of the longer encoding.
        long: u32,
        /// What the fields of that are.
        moves: Span,
        /// An expression that says which sets of extensions have it as that; 0 if all that have its row do.
        condition: u32,
    }

    /// What a field of a longer encoding is: a value of a field of the shorter one, times a factor, plus an offset, or
    /// what is listed for its bits.
    Move {
        /// The lowest bit of the field, or which one in pieces it is.
        to: u16,
        /// Its bits.
        to_width: u8,
        /// The field of the shorter encoding, likewise.
        from: u16,
        /// Its bits; 0 if there is none.
        from_width: u8,
        /// Whether these are a number in two's complement.
        is_signed: bool,
        /// The factor.
        factor: i64,
        /// The offset.
        offset: i64,
        /// What is listed in [`Texts::move_pairs`], if its bits are no line.
        pairs: Span,
    }

    /// A field whose bits follow from others.
    Copied {
        /// The lowest bit of the field, or which one in pieces it is.
        to: u16,
        /// Its number of bits.
        width: u8,
        /// The expression that is its bits.
        value: u32,
    }

    /// A piece of a composite: a text, or a part where there is none.
    SegmentRow {
        /// The text.
        text: u32,
        /// The type of the part.
        ty: u32,
        /// The lowest bit of the part.
        lsb: u8,
        /// Of a part in pieces, these in [`Texts::part_pieces`].
        part_pieces: Span,
        /// How it is special: [`AGAIN`], [`OPTIONAL`], or 0.
        kind: u8,
        /// The pieces that follow and are left out together; or how many registers after the part's it is.
        count: u8,
        /// The bits of the composite if they are left out.
        absent: u64,
    }

    /// How numbers are written.
    Format {
        /// [`NUMBER_UNSIGNED`], [`NUMBER_SIGNED`] or [`NUMBER_FLOAT`].
        kind: u8,
        /// How many numbers are side by side.
        lanes: u8,
        /// Bits in each.
        lane_bits: u8,
        /// Bits of the exponent.
        exponent: u8,
        /// Bits of the fraction.
        fraction: u8,
        /// [`DECIMAL`], [`BITS`], [`BINARY`], or the first letter of hexadecimal.
        letter: u8,
        /// Which of [`Texts::notations`]; 0 for none.
        notation: u16,
    }

    /// What numbers have beside the number that their bits are.
    Notation {
        /// What this is multiplied with.
        scale: i64,
        /// What is added then.
        bias: i64,
        /// What is printed before it.
        prefix: u32,
        /// How it is computed, a row of [`Words::computed`](super::image::Words); 0 if it is not.
        computed: u16,
        /// Integers have at least so many digits, and floating-point numbers so many after the point.
        digits: u8,
        /// Whether it is a distance.
        is_relative: bool,
        /// Whether integers of the other sign are read too, as the same bits.
        reads_either: bool,
        /// Its relocations, in [`Controls::relocations`](super::image_control::Controls).
        relocations: Span,
    }

    /// What is done for an opcode.
    Program {
        /// The steps of the guard.
        guard: Span,
        /// The chunks of the mnemonic.
        mnemonic: Span,
        /// The steps of what follows.
        rest: Span,
    }

    /// A step of a program.
    Step {
        /// The kind.
        kind: u8,
        /// The 64 bits of the word that it looks at: [`LOW`], [`MIDDLE`], [`HIGH`] or [`OUTER`].
        window: u8,
        /// Of a choice, how far the product is shifted down; of a number, its lowest bit.
        shift: u8,
        /// Of a choice, the bits of the window; of a number, the bits of its width; of what is passed over, bits of the window.
        mask: u64,
        /// Of a choice, the factor that brings them together; of a number its sign, if it has one; of what is passed over,
        /// the value of these bits.
        factor: u64,
        /// Chunks, a letter, steps, or the place of more in [`Texts::details`] or [`Texts::integers`].
        table: u32,
    }

    /// What else a step must know.
    Detail {
        /// The lowest bits of runs, or which fields in pieces they are; of scattered ones, how far they
        /// are turned to their places in the index, and in bit 6 which half of the word they are in.
        shifts: [u16; 3],
        /// The widths of runs; of scattered ones, their bits in the index.
        widths: [u32; 3],
        /// The place of a table.
        table: u32,
    }

    /// How an integer is written that has at most 32 bits without its sign.
    Integer {
        /// What it is multiplied with.
        scale: i64,
        /// What is added then.
        bias: i64,
        /// What is printed before it: at most four bytes, the first in the lowest.
        prefix: u32,
        /// How many.
        prefix_len: u8,
        /// [`DECIMAL`], or the first letter of hexadecimal.
        letter: u8,
    }

    /// Bits of words, and their values where something is left out.
    Omission {
        /// The bits.
        mask: Word,
        /// Their values.
        value: Word,
    }

    /// Literals that are written as constants.
    ConstantSet {
        /// A set of the values of six of their bits.
        heads: u64,
        /// The lowest of these bits.
        shift: u8,
        /// The literals, in [`Texts::constants`].
        list: Span,
    }

    /// A literal that is written as a constant.
    Constant {
        /// Its bits.
        bits: u64,
        /// The chunks of its text.
        text: Span,
    }

    /// Names that are searched for.
    Searched {
        /// The type.
        ty: u32,
        /// Bits of data in it.
        width: Width,
        /// What is written before the name, if there is one.
        sign: u32,
    }
}
