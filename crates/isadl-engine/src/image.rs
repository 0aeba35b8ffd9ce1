//! The tables of an instruction set: every row, once.
//!
//! A row is a few numbers. Lists of rows within others are [`Span`]s of one long list, so that a table is a slice
//! without pointers in it. The `{:?}` output of a row is the expression that makes it, so tables can be written as
//! Rust.
//!
//! Conventions: bit 0 is the least significant; a field is its lowest bit and its number of bits, or the number of a
//! field in pieces (`fields.rs`); row 0 of a table stands for "none" where a doc comment says so.

#![allow(non_snake_case, reason = "the function that makes a row has the row's name")]

use super::image_control::Controls;
use super::image_flow::Flows;
use super::image_lines::Lines;
use super::image_text::Texts;
use super::image_values::Values;
use super::rows::rows;
pub use super::rows::{FieldPiece, Pattern, Span, Width, slice};
use super::word::Word;

/// An instruction set as tables.
#[derive(Debug, Clone, Copy)]
pub struct Image<'a> {
    /// Words and their opcodes.
    pub words: Words<'a>,
    /// How instructions are printed.
    pub texts: Texts<'a>,
    /// How instructions are read.
    pub lines: Lines<'a>,
    /// What instructions read and write.
    pub flows: Flows<'a>,
    /// Flow of control, and addresses in instructions.
    pub control: Controls<'a>,
    /// What the bits of operands are.
    pub values: Values<'a>,
}

impl<'a> Image<'a> {
    /// The image with the tables of words alone.
    #[must_use]
    pub const fn of_words(words: Words<'a>) -> Image<'a> {
        Image {
            words,
            texts: Texts::EMPTY,
            lines: Lines::EMPTY,
            flows: Flows::EMPTY,
            control: Controls::EMPTY,
            values: Values::EMPTY,
        }
    }
}

/// Access to the image of an instruction set. A type without values has a constant image, so the compiler can
/// specialize code for the instruction set.
pub trait Tables<'a>: Copy {
    /// The image.
    fn image(self) -> &'a Image<'a>;
}

impl<'a> Tables<'a> for &'a Image<'a> {
    #[inline(always)]
    fn image(self) -> &'a Image<'a> {
        self
    }
}

/// Decoding: the opcodes of words, and the conditions that make words illegal.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// The bits of a word that an instruction may have.
    pub mask: Word,
    /// The first look-ups of each generation, one for each value of the bits of [`Words::split`].
    pub roots: &'a [Node],
    /// The lowest bits of a word, as ones, that choose among the first look-ups of its generation: bits that all opcodes
    /// fix. 0 if there is one such look-up.
    pub split: u32,
    /// The maximum number of look-ups before a leaf, or [`ALWAYS_TWO`].
    pub depth: u8,
    /// Whether leaves must be compared with the word.
    pub compares: bool,
    /// Whether some leaf leads to another one.
    pub has_chains: bool,
    /// Whether some words have the fixed bits of two opcodes, neither of which is a special case of the other. Such a
    /// word belongs to the opcode for which it is legal.
    pub has_overlaps: bool,
    /// Whether extensions or the lowest bits choose among opcodes, or some words have the fixed bits of two opcodes in this
    /// way. The first leaf is nearly always the one of the word then.
    pub shares_words: bool,
    /// Whether some words have the fixed bits of two opcodes in this way, or some ignored bits are written as 1.
    pub is_irregular: bool,
    /// Whether some row has conditions.
    pub has_conditions: bool,
    /// Whether some row ignores bits of a word.
    pub ignores_bits: bool,
    /// The number of sums per leaf, at most [`MAX_LANES`].
    pub lanes: u8,
    /// The lowest bit of the word in each of these sums.
    pub lane_starts: [u8; MAX_LANES],
    /// Entries of look-ups: the number of a leaf, or of a node with [`IS_NODE`].
    pub table: &'a [u32],
    /// The look-ups after the first.
    pub nodes: &'a [Node],
    /// Leaves; the first stands for no opcode. The leaves of rows follow in the order of rows, then leaves with a
    /// successor and leaves of opcodes that were left out.
    pub leaves: &'a [Leaf],
    /// The fixed bits of each leaf. No word has the fixed bits of the first leaf.
    pub patterns: &'a [Pattern],
    /// The rows whose conditions select their words among the words with their fixed bits. Such rows are not special
    /// cases of others.
    pub matched: &'a [u32],
    /// For each leaf, the bits of a word that are kept. Empty if all bits are.
    pub significant: &'a [Word],
    /// For each row, the ignored bits that are written as 1. Empty if there are no such bits.
    pub written: &'a [Word],
    /// The sums of leaves.
    pub sums: &'a [Sum],
    /// Conditions; the first stands for none.
    pub conditions: &'a [Condition],
    /// Truth tables, and ranges of values.
    pub truth: &'a [u64],
    /// The rows of opcodes; the first stands for none.
    pub rows: &'a [Row],
    /// Fields, in lists by rising lowest bit.
    pub fields: &'a [Field],
    /// Fields in pieces, by their numbers: their pieces in [`Words::pieces`].
    pub scattered: &'a [Span],
    /// The pieces of such fields.
    pub pieces: &'a [FieldPiece],
    /// Reserved values of the types of fields, first and last.
    pub reserved_values: &'a [(u64, u64)],
    /// Rules with their conditions.
    pub rules: &'a [Rule],
    /// Special cases.
    pub cases: &'a [Case],
    /// Operands.
    pub operands: &'a [Operand],
    /// Expressions; the first stands for no width.
    pub exprs: &'a [Expr],
    /// Nodes of expressions. Each node follows its operands, and refers to them by their positions.
    pub sequences: &'a [Expr],
    /// Numbers in expressions.
    pub numbers: &'a [i128],
    /// Computed numbers; the first stands for none.
    pub computed: &'a [Computed],
    /// The legal bits of fields of computed numbers, in lists that ascend by number and then by bits. Bits with a
    /// constant step have no list.
    pub encodings: &'a [u16],
    /// The sets of extensions that have each row, and then each alias, as lists in [`Words::terms`]. Empty if all sets
    /// have all of them.
    pub presence: &'a [Span],
    /// The sets of extensions that have the opcode of each special case. Empty if all sets have all rows.
    pub case_presence: &'a [Span],
    /// Extensions that sets have and lack.
    pub terms: &'a [Term],
}

impl Words<'_> {
    /// Whether opcodes differ by generation.
    #[inline(always)]
    #[must_use]
    pub const fn has_generations(&self) -> bool {
        self.roots.len() > self.split as usize + 1
    }
}

/// The maximum number of sums of a leaf.
pub const MAX_LANES: usize = 4;

/// A carry of a leaf's first sum that is set if the leaf has conditions. Words of most leaves then need no other
/// comparison.
pub const HAS_CONDITIONS: u64 = 1 << 63;

/// A term that no set meets.
pub const NEVER: Term = Term { needed: 1, excluded: 1 };

/// Two look-ups lead to every leaf.
pub const ALWAYS_TWO: u8 = 0;

/// Marks an entry of a look-up that is the number of a node.
pub const IS_NODE: u32 = 1 << 31;

/// The kinds of [`Condition`](struct@Condition)s: the gathered bits number a bit of a truth table.
pub const BY_TABLE: u8 = 0;
/// The field is within two numbers of [`Words::truth`].
pub const BY_RANGE: u8 = 1;
/// The expression of the number is not 0.
pub const BY_EXPR: u8 = 2;

/// The values of [`Condition::next`](struct@Condition): another [`BY_TABLE`].
pub const TABLE_FOLLOWS: u8 = 0;
/// Nothing.
pub const NO_MORE: u8 = 1;
/// A condition of another kind.
pub const OTHERS_FOLLOW: u8 = 2;

/// The kinds of [`Field::binding`](struct@Field): it must be given.
pub const REQUIRED: u8 = 0;
/// It has a default.
pub const DEFAULT: u8 = 1;
/// The opcode fixes it.
pub const FIXED: u8 = 2;

/// The values of [`Field::role`](struct@Field): a register, immediate or composite among the operands.
pub const OPERAND: u8 = 0;
/// A value that is written after the mnemonic.
pub const MODIFIER: u8 = 1;
/// A control field: it tells the processor how to issue the instruction.
pub const CONTROL: u8 = 2;
/// A property of an operand.
pub const ATTRIBUTE: u8 = 3;
/// A part of an operand that is made of fields.
pub const PART: u8 = 4;
/// A value that is written in the mnemonic.
pub const MNEMONIC: u8 = 5;

/// The values of [`Operand::place`](struct@Operand): a field.
pub const OF_FIELD: u8 = 0;
/// A whole register file.
pub const OF_FILE: u8 = 1;
/// The register whose number is another register plus an offset.
pub const INDIRECT: u8 = 2;
/// A field that addresses memory.
pub const OF_MEMORY: u8 = 3;

rows! {
    /// Gathers bits of the 64 bits of the word that begin at bit `start`, at the top of a product.
    Gather {
        /// The bits.
        mask: u64,
        /// The factor that gathers them.
        factor: u64,
        /// How far the product is shifted down; 64 less the number of bits, and 0 for none.
        shift: u8,
        /// The bit of the word where the 64 bits begin.
        start: u8,
    }

    /// A look-up: the gathered bits are an index from `first` on in [`Words::table`].
    Node {
        /// The bits.
        gather: Gather,
        /// The entry for zeros.
        first: u32,
    }

    /// The result of look-ups: a candidate for the opcode of a word.
    Leaf {
        /// The row; 0 for an opcode that was left out.
        row: u32,
        /// The next leaf to try if the word does not have the fixed bits; 0 for none.
        next: u32,
        /// The first of its sums, of which there are [`Words::lanes`].
        sums: u32,
        /// The first condition that makes a word illegal.
        conditions: u32,
        /// A term of [`Words::terms`]. A set that meets it has the row, and no other set does if the row has one term;
        /// of a row with several, it is a term that no set meets. Not used if all sets have all rows.
        term: u32,
    }

    /// Some field has a reserved value if `(word & mask) + addend` has a bit of `carry`. The addend of each field makes
    /// its first reserved value carry.
    Sum {
        /// The bits of the fields.
        mask: u64,
        /// What is added.
        addend: u64,
        /// The bits above the fields.
        carry: u64,
    }

    /// Holds for illegal words. A list begins with one or more conditions of the kind [`BY_TABLE`].
    Condition {
        /// The bits that it depends on; for a range, a field.
        gather: Gather,
        /// The position of its truth table or range, or the number of its expression.
        first: u32,
        /// [`BY_TABLE`], [`BY_RANGE`] or [`BY_EXPR`].
        kind: u8,
        /// What follows in the list: [`TABLE_FOLLOWS`], [`NO_MORE`] or [`OTHERS_FOLLOW`].
        next: u8,
    }

    /// An opcode as some generations have it, with or without a literal.
    Row {
        /// Its number, which all its rows have.
        opcode: u16,
        /// Bits in the instruction.
        width: u8,
        /// The first condition that makes a word illegal.
        conditions: u32,
        /// The first condition of the rules that only encoders and assemblers follow.
        advice: u32,
        /// Its fields.
        fields: Span,
        /// Its rules.
        rules: Span,
        /// Its special cases.
        cases: Span,
        /// Its operands in assembly order.
        operands: Span,
        /// The register files that it reads or writes without showing them in text.
        implicit: Span,
        /// The generations that have it, one bit each.
        generations: u64,
        /// If a text fits several instructions, the instruction of the lowest rank is taken.
        rank: u8,
    }

    /// A field.
    Field {
        /// The number of its name.
        name: u16,
        /// Lowest bit, or the number of a field in pieces.
        lsb: u16,
        /// Number of bits.
        width: u8,
        /// [`REQUIRED`], [`DEFAULT`] or [`FIXED`].
        binding: u8,
        /// The value by default.
        default: u64,
        /// The reserved values of its type, in [`Words::reserved_values`].
        reserved_values: Span,
        /// The number of its type.
        ty: u16,
        /// Its role: [`OPERAND`], [`MODIFIER`], [`CONTROL`] or [`ATTRIBUTE`].
        role: u8,
        /// For an attribute, the name of its operand, as a number.
        of: u16,
    }

    /// An operand.
    Operand {
        /// [`OF_FIELD`], [`OF_FILE`], [`INDIRECT`] or [`OF_MEMORY`].
        place: u8,
        /// Whether it is read (bit 0) and written (bit 1).
        access: u8,
        /// The number of the type of its field, or of the base of an indirect register.
        ty: u16,
        /// The number of the field's name.
        field: u16,
        /// The lowest bit of the field, or the number of a field in pieces.
        lsb: u16,
        /// The number of bits of the field.
        width: u8,
        /// The register file of a whole file or an indirect register.
        file: u16,
        /// For an indirect register with an offset, the number of the offset field's name plus 1; else 0.
        offset: u16,
        /// Bits of data in it, for memory the most that are accessed. 0 if the specification does not say it.
        data: Width,
    }

    /// A rule of a row.
    Rule {
        /// The number of the rule.
        rule: u16,
        /// Holds for words that it forbids.
        expr: u32,
        /// Whether only encoders and assemblers follow it.
        is_advice: bool,
    }

    /// An opcode that takes some of the words of another.
    Case {
        /// The fixed bits, within the bits of the other opcode.
        mask: Word,
        /// Their values.
        value: Word,
        /// The number of its name among the names of special cases.
        name: u16,
    }

    /// Numbers that an expression computes from the bits of a field.
    Computed {
        /// The expression, in which the bits are the lowest of a word.
        expr: u32,
        /// The same expression as nodes of [`Words::sequences`]; empty if it has too many.
        nodes: Span,
        /// The legal bits, in [`Words::encodings`]; with a step, the first of them and their number.
        encodings: Span,
        /// The step from one of the legal bits to the next; 0 for a list.
        step: i8,
    }

    /// The sets that have some extensions and lack others.
    Term {
        /// The extensions that they have.
        needed: u64,
        /// The extensions that they lack.
        excluded: u64,
    }

    /// A node of an expression: an operator and its operands.
    Expr {
        /// The operator, one of the constants of the module `expr`.
        op: u8,
        /// The left or only operand; or the lowest bit of a field, or the position of a number.
        left: u32,
        /// The right operand; or the number of bits of a field.
        right: u32,
    }
}
