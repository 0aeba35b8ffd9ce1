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

/// The length byte of a chunk that refers to a long text: its first bytes are the number of that text.
pub const IS_LONG: u8 = u8::MAX;

/// How instructions are printed.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    /// Bytes of room that the text of an instruction needs.
    pub room: u32,
    /// The number of name sets. The programs of each set follow the programs of the set before it.
    pub name_sets: u32,
    /// Whether modifiers are words after the operands.
    pub is_word_style: bool,
    /// Whether some opcode has a guard.
    pub has_guards: bool,
    /// Whether some text is in long chunks; then all mnemonics are.
    pub has_long_texts: bool,
    /// Whether some register names require an aligned number.
    pub has_aligned: bool,
    /// Whether some opcode has aliases.
    pub has_aliases: bool,
    /// The bytes that follow the first word of names that are more than a word, such as `v0.t`, as bits; bit 0 if some
    /// name begins with a sign.
    pub after_words: u128,
    /// Whether lines are read without regard to case. Then names are looked up in lower case.
    pub folds_case: bool,
    /// Whether values without a name are written by another type.
    pub has_others: bool,
    /// Whether some numbers are printed as bits.
    pub has_bits: bool,
    /// Whether steps depend on ranges of values (marks that are words, values without a name), or literals are printed
    /// and read as constants.
    pub has_constants: bool,
    /// All names, one after another.
    pub strings: &'a str,
    /// The end of each name in [`Texts::strings`], where the next name begins. The first name is empty.
    pub names: &'a [u32],
    /// Types, by their numbers.
    pub types: &'a [Type],
    /// Runs of values with names.
    pub entries: &'a [Entry],
    /// Pieces of composites.
    pub pieces: &'a [SegmentRow],
    /// The bit runs of scattered parts. Lowest bits count within the composite.
    pub part_pieces: &'a [FieldPiece],
    /// How numbers are written.
    pub formats: &'a [Format],
    /// Scale, bias, prefix and so on of numbers. The first notation is the plain one; the list is empty if all numbers
    /// are plain.
    pub notations: &'a [Notation],
    /// Runs of formats, indexed by the modifiers that select a format.
    pub format_of: &'a [u32],
    /// The program of each row. The first stands for no row.
    pub programs: &'a [Program],
    /// Whether some opcode is a shorter encoding of another one.
    pub has_shorts: bool,
    /// For each row, its position in [`Texts::shorts`] from 1, or 0. Empty if no opcode is a shorter encoding.
    pub short_of: &'a [u32],
    /// Whether some shorter encodings exist only in some sets of extensions.
    pub has_guarded_shorts: bool,
    /// Shorter encodings, by the rows of the longer ones.
    pub shorts: &'a [Short],
    /// The sources of the fields of longer encodings.
    pub moves: &'a [Move],
    /// Values of fields of shorter encodings, ascending, with the values of the fields of the longer ones.
    pub move_pairs: &'a [(u64, u64)],
    /// The aliases of each row, in [`Texts::aliases`], beginning with row 0. Empty if there are no aliases.
    pub aliases_of: &'a [Span],
    /// Aliases. Their programs and forms follow the programs and forms of rows.
    pub aliases: &'a [Alias],
    /// Fields that aliases compute from other fields.
    pub copies: &'a [Copied],
    /// Steps of programs.
    pub steps: &'a [Step],
    /// Further data of steps.
    pub details: &'a [Detail],
    /// Texts.
    pub chunks: &'a [[u8; CHUNK]],
    /// Texts that are too long for one chunk.
    pub long_chunks: &'a [[u8; LONG_CHUNK]],
    /// The formats of [`INTEGER`] steps.
    pub integers: &'a [Integer],
    /// Words in which steps are skipped.
    pub omissions: &'a [Omission],
    /// Sets of literals that are written as constants.
    pub constant_sets: &'a [ConstantSet],
    /// The literals of these sets, each by rising bits.
    pub constants: &'a [Constant],
    /// Values, first and last.
    pub ranges: &'a [(u64, u64)],
    /// Names that a step searches for.
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

    /// The format at an index of [`Texts::format_of`].
    #[inline]
    #[must_use]
    pub fn format(&self, selected: usize) -> Option<&'a Format> {
        self.formats.get(*self.format_of.get(selected)? as usize)
    }

    /// The notation of a format, unless it is plain.
    #[inline]
    #[must_use]
    pub fn notation(&self, format: &Format) -> Option<&'a Notation> {
        // Without notations there is nothing to look up.
        if self.notations.is_empty() || format.notation == 0 {
            return None;
        }
        self.notations.get(usize::from(format.notation))
    }

    /// The format of a numeric type, unless a modifier selects another.
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

/// The kinds of [`SegmentRow`](struct@SegmentRow)s: a part that an earlier piece shows too.
pub const AGAIN: u8 = 1;
/// A header: the next `count` pieces may be left out together.
pub const OPTIONAL: u8 = 2;

/// The kinds of [`Entry`](struct@Entry)s: numbered registers.
pub const ENTRY_RUN: u8 = 0;
/// One name.
pub const ENTRY_NAME: u8 = 1;
/// Integers that are constants.
pub const ENTRY_INTEGERS: u8 = 2;
/// A floating-point constant.
pub const ENTRY_FLOAT: u8 = 3;
/// Values without a name are written by another type, whose number is `value`. This is the last entry of a list.
pub const ENTRY_OTHERS: u8 = 4;

/// The kinds of [`Format`](struct@Format)s: integers without a sign.
pub const NUMBER_UNSIGNED: u8 = 0;
/// Integers in two's complement.
pub const NUMBER_SIGNED: u8 = 1;
/// Floating-point numbers.
pub const NUMBER_FLOAT: u8 = 2;

/// In the place of the first letter of hexadecimal: decimal.
pub const DECIMAL: u8 = 0;
/// In the place of the first letter of hexadecimal: numbers are printed as bits.
pub const BITS: u8 = 1;
/// In the place of the first letter of hexadecimal: binary.
pub const BINARY: u8 = 2;

/// The bytes that a prefix of numbers may consist of. No other part of an operand begins with them.
pub const PREFIX_BYTES: &[u8] = b"#%&*:<=>?^";

/// The kinds of [`Step`](struct@Step)s: one of the texts from chunk `table` on, by gathered bits.
pub const CHOICE: u8 = 0;
/// A number of up to 32 bits in hexadecimal; `table` is the first letter.
pub const HEX: u8 = 1;
/// One of the texts from chunk `table` on, by runs of bits that cannot be gathered. This kind and all later ones except
/// [`INTEGER`] and [`SKIP`] have further data in [`Texts::details`].
pub const SCATTERED: u8 = 2;
/// A number: its bits, and the bits that select a format from `table` on.
pub const NUMBER: u8 = 3;
/// A number with its sign after a register; nothing for 0.
pub const OFFSET: u8 = 4;
/// A name that is searched for: its bits, and its row in [`Texts::searched`].
pub const VALUE: u8 = 5;
/// In the words of an omission, skips as many steps as the first width says.
pub const SKIP_FAR: u8 = 6;
/// Begins the operands, each with a comma before it.
pub const JOIN: u8 = 7;
/// Ends the operands, and replaces the first comma by a space.
pub const JOINED: u8 = 8;
/// A constant, if the bits are in the set `table`. Then skips as many steps as the second width says.
pub const CONSTANT: u8 = 9;
/// Skips as many steps as the second width says, unless the bits are in one of the ranges from `table` on. The third
/// width is the number of ranges.
pub const CALL: u8 = 10;
/// An integer of up to 32 bits, formatted by its row in [`Texts::integers`].
pub const INTEGER: u8 = 11;
/// Skips `table` steps if the bits of the mask have the value `factor`.
pub const SKIP: u8 = 12;

/// The values of [`Step::window`](struct@Step): bits 0 to 63 of a word.
pub const LOW: u8 = 0;
/// Bits 32 to 95.
pub const MIDDLE: u8 = 1;
/// Bits 64 to 127.
pub const HIGH: u8 = 2;
/// Bits 0 to 31 with bits 64 to 95 above them.
pub const OUTER: u8 = 3;

impl Notation {
    /// Whether numbers differ from their bits.
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
        /// Its entries, the index of its format in [`Texts::format_of`], or its pieces.
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
        /// The number of the first value, or a floating-point constant in binary64.
        first: i64,
        /// The difference from one number to the next; 0 if there are no numbers.
        step: i8,
        /// Bits in a register; 0 for values that are not registers.
        register: u16,
        /// The alignment of register numbers.
        align: u32,
        /// The number of the first word of the name, without digits.
        stem: u32,
        /// Whether the name has nothing else.
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
        /// The expression that is not 0 for these words; 0 if the bits alone decide.
        condition: u32,
        /// The fields that are computed from other fields.
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
        /// The sources of its fields.
        moves: Span,
        /// The expression that selects the sets of extensions in which it is a shorter encoding; 0 if all sets with its
        /// row.
        condition: u32,
    }

    /// The source of a field of a longer encoding: the value of a field of the shorter one, times a factor, plus an
    /// offset; or a list of pairs.
    Move {
        /// The lowest bit of the field, or the number of a field in pieces.
        to: u16,
        /// Its bits.
        to_width: u8,
        /// The field of the shorter encoding, likewise.
        from: u16,
        /// Its number of bits; 0 if there is no such field.
        from_width: u8,
        /// Whether its bits are in two's complement.
        is_signed: bool,
        /// The factor.
        factor: i64,
        /// The offset.
        offset: i64,
        /// The pairs in [`Texts::move_pairs`], if the mapping is not linear.
        pairs: Span,
    }

    /// A field that is computed from other fields.
    Copied {
        /// The lowest bit of the field, or the number of a field in pieces.
        to: u16,
        /// Its number of bits.
        width: u8,
        /// The expression that gives its bits.
        value: u32,
    }

    /// A piece of a composite: a text, or a part if the text is empty.
    SegmentRow {
        /// The text.
        text: u32,
        /// The type of the part.
        ty: u32,
        /// The lowest bit of the part.
        lsb: u8,
        /// The pieces of a scattered part, in [`Texts::part_pieces`].
        part_pieces: Span,
        /// [`AGAIN`], [`OPTIONAL`], or 0.
        kind: u8,
        /// The number of pieces that are left out together; or the distance from the part's register.
        count: u8,
        /// The bits of the composite if they are left out.
        absent: u64,
    }

    /// How numbers are written.
    Format {
        /// [`NUMBER_UNSIGNED`], [`NUMBER_SIGNED`] or [`NUMBER_FLOAT`].
        kind: u8,
        /// The number of lanes.
        lanes: u8,
        /// Bits in each.
        lane_bits: u8,
        /// Bits of the exponent.
        exponent: u8,
        /// Bits of the fraction.
        fraction: u8,
        /// [`DECIMAL`], [`BITS`], [`BINARY`], or the first letter of hexadecimal.
        letter: u8,
        /// Its row in [`Texts::notations`]; 0 for none.
        notation: u16,
    }

    /// How numbers differ from the plain number of their bits.
    Notation {
        /// The factor.
        scale: i64,
        /// The summand, added after the multiplication.
        bias: i64,
        /// The prefix.
        prefix: u32,
        /// Its row in [`Words::computed`](super::image::Words); 0 if it is not computed.
        computed: u16,
        /// The least number of digits of integers, and of digits after the point of floating-point numbers.
        digits: u8,
        /// Whether it is a distance.
        is_relative: bool,
        /// Whether integers of the other sign are read too, as the same bits.
        reads_either: bool,
        /// Its relocations, in [`Controls::relocations`](super::image_control::Controls).
        relocations: Span,
    }

    /// The program that prints an opcode.
    Program {
        /// The steps of the guard.
        guard: Span,
        /// The chunks of the mnemonic.
        mnemonic: Span,
        /// The steps after the mnemonic.
        rest: Span,
    }

    /// A step of a program.
    Step {
        /// The kind.
        kind: u8,
        /// The 64 bits of the word that it reads: [`LOW`], [`MIDDLE`], [`HIGH`] or [`OUTER`].
        window: u8,
        /// Choice: how far the product is shifted down. Number: its lowest bit.
        shift: u8,
        /// Choice and skip: bits of the window. Number: the bits of its width.
        mask: u64,
        /// Choice: the factor that gathers the bits. Number: its sign bit, if any. Skip: the value of the bits.
        factor: u64,
        /// Chunks, a letter, steps, or a row in [`Texts::details`] or [`Texts::integers`].
        table: u32,
    }

    /// Further data of a step.
    Detail {
        /// The lowest bits of runs, or the numbers of fields in pieces. Scattered: the rotation of each run to its
        /// place in the index, and in bit 6 the half of the word.
        shifts: [u16; 3],
        /// The widths of runs. Scattered: the bits of each run in the index.
        widths: [u32; 3],
        /// The place of a table.
        table: u32,
    }

    /// The format of an integer of at most 32 bits without its sign.
    Integer {
        /// The factor.
        scale: i64,
        /// The summand, added after the multiplication.
        bias: i64,
        /// The prefix: at most four bytes, the first in the lowest.
        prefix: u32,
        /// The number of these bytes.
        prefix_len: u8,
        /// [`DECIMAL`], or the first letter of hexadecimal.
        letter: u8,
    }

    /// Words in which something is left out.
    Omission {
        /// The bits.
        mask: Word,
        /// Their values.
        value: Word,
    }

    /// Literals that are printed as constants.
    ConstantSet {
        /// A set of the values of six of the literals' bits.
        heads: u64,
        /// The lowest of these bits.
        shift: u8,
        /// The literals, in [`Texts::constants`].
        list: Span,
    }

    /// A literal that is printed as a constant.
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
        /// The text before the name, if any.
        sign: u32,
    }
}
