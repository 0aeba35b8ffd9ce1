//! Emits the engine's word tables as constants.

use isadl_engine::image::Words;

use super::part::{Part, emit};

/// The tables, and the constant `WORDS`.
pub(super) fn emit(words: &Words<'_>) -> String {
    let mut part = Part::default();
    emit!(part of words => Words {
        value mask,
        known roots("Node", "The first look-ups of each generation."),
        value split,
        value depth,
        value compares,
        value has_chains,
        value has_overlaps,
        value shares_words,
        value is_irregular,
        value has_conditions,
        value ignores_bits,
        value lanes,
        value lane_starts,
        rows table("u32", "Entries of look-ups."),
        rows nodes("Node", "The other look-ups."),
        rows leaves("Leaf", "Leaves: the results of look-ups."),
        rows patterns("Pattern", "Fixed bits."),
        rows matched("u32", "Rows with conditions."),
        rows significant("Word", "Bits that are kept."),
        rows written("Word", "Ignored bits that are written as 1."),
        rows sums("Sum", "Sums that show illegal values."),
        rows conditions("Condition", "Other conditions that make words illegal."),
        rows truth("u64", "Truth tables and ranges."),
        rows rows("Row", "The rows of opcodes."),
        rows fields("Field", "The fields of rows."),
        rows reserved_values("(u64, u64)", "Reserved values of types."),
        rows rules("Rule", "The rules of rows."),
        rows cases("Case", "Special cases."),
        rows operands("Operand", "Operands."),
        rows exprs("Expr", "Expressions."),
        rows sequences("Expr", "Expressions in sequence."),
        rows numbers("i128", "Numbers in them."),
        rows scattered("Span", "Fields in pieces."),
        rows pieces("FieldPiece", "Their pieces."),
        rows computed("Computed", "Computed numbers."),
        rows encodings("u16", "Their bits, ascending by the numbers."),
        rows presence("Span", "The sets of extensions that have rows."),
        rows case_presence("Span", "The sets of extensions that have special cases."),
        rows terms("Term", "Extensions that sets have and lack."),
    });
    part.constant("WORDS", "Words")
}
