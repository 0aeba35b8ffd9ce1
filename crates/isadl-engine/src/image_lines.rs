//! The tables of the parser: the expected syntax of each opcode, and the known names.
//!
//! Names are in the pool of [`Texts`](super::image_text::Texts), and so are types and entries.

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use super::rows::{Span, Width, rows};
use super::word::Word;

/// How instructions are read.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    /// The maximum number of words of a line: the modifiers of an instruction and the dots in its mnemonic, plus 1.
    pub max_words: u32,
    /// The maximum number of operands of a line: the operands of an instruction, counting each number of an operand,
    /// plus 2.
    pub max_pieces: u32,
    /// Whether some rows have precedence over others with the same text.
    pub has_ranks: bool,
    /// Whether two operands of some opcode share bits.
    pub has_shared: bool,
    /// The signs that begin a comment, one per line; empty if the signs are `//` and `;`.
    pub comments: &'a str,
    /// The signs that end an instruction, like [`Lines::comments`], and empty if these are.
    pub separators: &'a str,
    /// The classes of operands that may begin with a number, one bit each.
    pub number_classes: u64,
    /// The classes of operands that may be several numbers.
    pub multiple_classes: u64,
    /// The classes of operands that may begin with any text.
    pub always_classes: u64,
    /// Whether some mnemonic ends in a dot.
    pub has_final_dots: bool,
    /// Whether some modifiers are made of fields.
    pub has_made_modifiers: bool,
    /// The signs after which a word that follows a blank belongs to the same operand, one per line; only where modifiers
    /// are words.
    pub joints: &'a str,
    /// The expected syntax of each row; the first stands for no row. The rows of [`Lines::spelled`] are the last.
    pub rows: &'a [LineRow],
    /// Rows under mnemonics with field values.
    pub spelled: &'a [Spelled],
    /// The syntax that several opcodes share.
    pub forms: &'a [Form],
    /// Modifiers of forms, and attributes after operands.
    pub modifiers: &'a [Modifier],
    /// Marks of operands.
    pub marks: &'a [Mark],
    /// Operands.
    pub operands: &'a [OperandForm],
    /// Operands of forms, by their numbers.
    pub operand_lists: &'a [u32],
    /// Control fields of forms.
    pub controls: &'a [Control],
    /// Bits of literals and the values of the constants that stand for them, each list ascending by bits.
    pub constants: &'a [(u64, u64)],
    /// Mnemonics, and their first words.
    pub mnemonics: Names<'a, Mnemonic>,
    /// Rows of mnemonics, in lists.
    pub candidates: &'a [u32],
    /// Sequences of the kinds of operands below the number of a mnemonic, and the rows in
    /// [`Lines::candidates`] that may fit.
    pub sequences: Sequences<'a>,
    /// Control fields as they are printed, without the dollar sign, with their values.
    pub control_texts: Names<'a, ControlText>,
    /// Spellings of modifiers with their meanings.
    pub spellings: Names<'a, Span>,
    /// Types and values that spellings stand for.
    pub meanings: &'a [(u32, u64)],
    /// First words of operands, without the digits that they end in.
    pub first_words: Names<'a, FirstWord>,
    /// The first words of one letter, indexed by the letter: 128 entries.
    pub letters: &'a [FirstWord],
}

/// Names and their meanings, by hash.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a, R> {
    /// How far a hash is shifted down to the first slot of its name.
    pub shift: u32,
    /// The numbers of rows from 1; 0 for a free slot. A name whose slot is taken is in one of the next slots.
    pub slots: &'a [u32],
    /// The key of each name, its number in the pool, and its meaning.
    pub rows: &'a [(Key, u32, R)],
}

/// Sequences of kinds and the rows that may fit, by hash.
#[derive(Debug, Clone, Copy)]
pub struct Sequences<'a> {
    /// As [`Names::shift`].
    pub shift: u32,
    /// As [`Names::slots`].
    pub slots: &'a [u32],
    /// Sequences and lists of candidates.
    pub rows: &'a [(u64, Span)],
}

impl<R: 'static> Names<'_, R> {
    /// No names.
    pub const EMPTY: Names<'static, R> = Names { shift: 63, slots: &[], rows: &[] };
}

impl Lines<'_> {
    /// The tables of no opcode.
    pub const EMPTY: Lines<'static> = Lines {
        max_words: 0,
        max_pieces: 0,
        has_ranks: false,
        has_shared: false,
        comments: "",
        separators: "",
        number_classes: 0,
        multiple_classes: 0,
        always_classes: 0,
        has_final_dots: false,
        has_made_modifiers: false,
        joints: "",
        rows: &[],
        spelled: &[],
        forms: &[],
        modifiers: &[],
        marks: &[],
        operands: &[],
        operand_lists: &[],
        controls: &[],
        constants: &[],
        mnemonics: Names::EMPTY,
        candidates: &[],
        sequences: Sequences { shift: 63, slots: &[], rows: &[] },
        control_texts: Names::EMPTY,
        spellings: Names::EMPTY,
        meanings: &[],
        first_words: Names::EMPTY,
        letters: &[],
    };
}

/// In the place of a number: there is none.
pub const NONE: u32 = u32::MAX;

/// The kinds of [`OperandForm::place`](struct@OperandForm): a field.
pub const PLACE_FIELD: u8 = 0;
/// A whole register file, by its name.
pub const PLACE_FILE: u8 = 1;
/// A register whose number is another register.
pub const PLACE_INDIRECT: u8 = 2;

/// The maximum number of operands and numbers in a sequence of kinds.
pub const MAX_KINDS: usize = 8;

/// Bits of a kind in a sequence.
pub const KIND_BITS: u32 = 6;

/// The kind of unknown texts.
pub const NO_KIND: u8 = 0;

/// The kind of numbers.
pub const NUMBER_KIND: u8 = 1;

impl FirstWord {
    /// A word that does not begin any operand.
    pub const UNKNOWN: FirstWord = FirstWord { stem: NONE, kind: NO_KIND, classes: 0 };
}

rows! {
    /// The length of a name, its first eight bytes, and its last eight if it is longer: the whole
    /// name up to 16 bytes.
    Key {
        /// The first eight bytes, the first in the lowest.
        first: u64,
        /// The last eight bytes.
        last: u64,
        /// The length.
        length: u32,
    }

    /// The expected syntax of a row.
    LineRow {
        /// The word of a line with a mnemonic only.
        default: Word,
        /// Its form.
        form: u32,
    }

    /// A row under a mnemonic with field values, which its word contains.
    Spelled {
        /// The row, or the row of the alias.
        text: u32,
        /// The bits of the fields.
        fields: Word,
    }

    /// The syntax that several opcodes share.
    Form {
        /// Its guard among the operands, or [`NONE`].
        guard: u32,
        /// Its modifiers.
        modifiers: Span,
        /// A bit for each modifier that must be written.
        required: Word,
        /// Its operands, in [`Lines::operand_lists`].
        operands: Span,
        /// Its control fields.
        controls: Span,
        /// Whether the first text of each operand identifies it.
        is_simple: bool,
        /// Whether a field has no default and no text.
        is_unwritable: bool,
    }

    /// A modifier, or an attribute after an operand.
    Modifier {
        /// Lowest bit, or the number of a field in pieces.
        lsb: u16,
        /// Number of bits.
        width: u8,
        /// Its type.
        ty: u32,
        /// Its position in the order of modifiers, from 1; 0 if it may be anywhere.
        rank: u32,
        /// Whether it must be written.
        is_required: bool,
    }

    /// A mark of an operand, and the modifier that turns it into `~`.
    Mark {
        /// Its bit.
        lsb: u8,
        /// The character.
        symbol: u8,
        /// Type, lowest bit and number of bits of the modifier, which turns the mark where its
        /// value has a name; no bits if there is none.
        extension: (u32, u16, u8),
        /// The word that it is directly before a constant; name 0 if there is none.
        call: u32,
    }

    /// An operand.
    OperandForm {
        /// [`PLACE_FIELD`], [`PLACE_FILE`] or [`PLACE_INDIRECT`].
        place: u8,
        /// The name of a file, or the prefix of an indirect register.
        text: u32,
        /// The type of its field.
        ty: u32,
        /// Lowest bit of its field, or which field in pieces it is.
        lsb: u16,
        /// Bits of its field.
        width: u8,
        /// Type, lowest bit and number of bits of the offset of an indirect register.
        offset: (u32, u16, u8),
        /// Whether it may be left out.
        is_optional: bool,
        /// Whether one word or number can be all of it.
        is_plain: bool,
        /// The entry of its first registers, if it is in one of them whatever the modifiers are; or
        /// [`NONE`].
        run: u32,
        /// Its class: what it may begin with.
        class: u8,
        /// The bits of its marks.
        mark_bits: Word,
        /// Its marks.
        marks: Span,
        /// The attributes after it.
        suffixes: Span,
        /// The bits that select the format of its numbers, and where these formats begin.
        selector: (u16, u8, u32),
        /// Bits of data in it.
        data_width: Width,
        /// The type of literals that its numbers may be.
        literal: u32,
        /// The constants that stand for such literals.
        constants: Span,
        /// The bits that it shares with an operand before it.
        shared: Word,
    }

    /// A control field.
    Control {
        /// Its name.
        name: u32,
        /// Its type.
        ty: u32,
        /// Lowest bit, or the number of a field in pieces.
        lsb: u16,
        /// Number of bits.
        width: u8,
    }

    /// A control field with its value.
    ControlText {
        /// The name of the field.
        name: u32,
        /// Its type.
        ty: u32,
        /// The value.
        raw: u64,
    }

    /// A mnemonic, or the first word of one.
    Mnemonic {
        /// Its number.
        number: u32,
        /// The maximum number of dots that follow.
        dots: u32,
        /// All its rows, in [`Lines::candidates`].
        all: Span,
        /// The rows that the kinds of operands cannot rule out.
        untold: Span,
    }

    /// The first word of an operand without digits.
    FirstWord {
        /// Its number.
        stem: u32,
        /// The kind of texts that it belongs to.
        kind: u8,
        /// The classes of operands that it may begin.
        classes: u64,
    }
}
