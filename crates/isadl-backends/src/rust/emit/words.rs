//! Emits the engine's word tables as constants.

use isadl_engine::image::Words;

use super::part::Part;

/// The tables, and the constant `WORDS`.
pub(super) fn emit(words: &Words<'_>) -> String {
    let Words {
        mask,
        roots,
        depth,
        compares,
        has_chains,
        has_overlaps,
        is_irregular,
        has_conditions,
        ignores_bits,
        lanes,
        lane_starts,
        table,
        nodes,
        leaves,
        patterns,
        matched,
        significant,
        written,
        sums,
        conditions,
        truth,
        rows,
        fields,
        reserved_values,
        rules,
        cases,
        operands,
        exprs,
        sequences,
        numbers,
        scattered,
        pieces,
        computed,
        encodings,
        presence,
        case_presence,
        terms,
    } = words;
    let mut part = Part::default();
    part.value("mask", mask);
    part.known("The first look-up of each generation.", "roots", "Node", roots);
    part.value("depth", depth);
    part.value("compares", compares);
    part.value("has_chains", has_chains);
    part.value("has_overlaps", has_overlaps);
    part.value("is_irregular", is_irregular);
    part.value("has_conditions", has_conditions);
    part.value("ignores_bits", ignores_bits);
    part.value("lanes", lanes);
    part.value("lane_starts", lane_starts);
    part.rows("Entries of look-ups.", "table", "u32", table);
    part.rows("The other look-ups.", "nodes", "Node", nodes);
    part.rows("Leaves: the results of look-ups.", "leaves", "Leaf", leaves);
    part.rows("Fixed bits.", "patterns", "Pattern", patterns);
    part.rows("Rows with conditions.", "matched", "u32", matched);
    part.rows("Bits that are kept.", "significant", "Word", significant);
    part.rows("Ignored bits that are written as 1.", "written", "Word", written);
    part.rows("Sums that show illegal values.", "sums", "Sum", sums);
    part.rows("Other conditions that make words illegal.", "conditions", "Condition", conditions);
    part.rows("Truth tables and ranges.", "truth", "u64", truth);
    part.rows("The rows of opcodes.", "rows", "Row", rows);
    part.rows("The fields of rows.", "fields", "Field", fields);
    part.rows("Reserved values of types.", "reserved_values", "(u64, u64)", reserved_values);
    part.rows("The rules of rows.", "rules", "Rule", rules);
    part.rows("Special cases.", "cases", "Case", cases);
    part.rows("Operands.", "operands", "Operand", operands);
    part.rows("Expressions.", "exprs", "Expr", exprs);
    part.rows("Expressions in sequence.", "sequences", "Expr", sequences);
    part.rows("Numbers in them.", "numbers", "i128", numbers);
    part.rows("Fields in pieces.", "scattered", "Span", scattered);
    part.rows("Their pieces.", "pieces", "FieldPiece", pieces);
    part.rows("Computed numbers.", "computed", "Computed", computed);
    part.rows("Their bits, ascending by the numbers.", "encodings", "u16", encodings);
    part.rows("The sets of extensions that have rows.", "presence", "Span", presence);
    part.rows(
        "The sets of extensions that have special cases.",
        "case_presence",
        "Span",
        case_presence,
    );
    part.rows("Extensions that sets have and lack.", "terms", "Term", terms);
    part.constant("WORDS", "Words")
}
