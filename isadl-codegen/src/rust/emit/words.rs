//! What the engine knows of words, as constants.

use isadl_engine::image::Words;

use super::dense::{short, table};

/// The tables, and the expression of [`Words`].
pub(super) fn emit(words: &Words<'_>) -> (String, String) {
    let tables = [
        table("The first look-up of each generation.", "ROOTS", "Node", words.roots),
        table("Entries of look-ups.", "TABLE", "u32", words.table),
        table("The other look-ups.", "NODES", "Node", words.nodes),
        table("What look-ups lead to.", "LEAVES", "Leaf", words.leaves),
        table("Fixed bits.", "PATTERNS", "Pattern", words.patterns),
        table("Bits that are kept.", "SIGNIFICANT", "Word", words.significant),
        table("Sums that show illegal values.", "SUMS", "Sum", words.sums),
        table("What else makes words illegal.", "CONDITIONS", "Condition", words.conditions),
        table("Truth tables and ranges.", "TRUTH", "u64", words.truth),
        table("The rows of opcodes.", "ROWS", "Row", words.rows),
        table("The fields of rows.", "FIELDS", "Field", words.fields),
        table("Values that types lack.", "HOLES", "(u64, u64)", words.holes),
        table("The rules of rows.", "RULES", "Rule", words.rules),
        table("Special cases.", "CASES", "Case", words.cases),
        table("Operands.", "OPERANDS", "Operand", words.operands),
        table("Expressions.", "EXPRS", "Expr", words.exprs),
        table("Numbers in them.", "NUMBERS", "i128", words.numbers),
    ];
    let Words { depth, compares, has_chains, has_conditions, ignores_bits, lanes, .. } = words;
    let (mask, starts) = (short(&words.mask.to_string()), words.lane_starts);
    let view = format!(
        "Words {{ mask: {mask}, roots: &ROOTS, depth: {depth}, compares: {compares}, \
         has_chains: {has_chains}, has_conditions: {has_conditions}, \
         ignores_bits: {ignores_bits}, lanes: {lanes}, lane_starts: {starts:?}, \
         table: &TABLE, nodes: &NODES, leaves: &LEAVES, patterns: &PATTERNS, \
         significant: &SIGNIFICANT, sums: &SUMS, conditions: &CONDITIONS, truth: &TRUTH, rows: &ROWS, \
         fields: &FIELDS, holes: &HOLES, rules: &RULES, cases: &CASES, operands: &OPERANDS, exprs: &EXPRS, numbers: &NUMBERS }}"
    );
    (tables.concat(), view)
}
