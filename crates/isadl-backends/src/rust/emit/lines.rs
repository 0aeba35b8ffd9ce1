//! How instructions are read, as constants.

use std::fmt::Debug;

use isadl_engine::image_lines::{Lines, Names, Sequences};

use super::dense::table;
use super::part::Part;
use crate::rust::HEADER;

/// `parse_tables.rs` of a generated crate.
pub(in crate::rust) fn lines(lines: &Lines<'_>) -> String {
    let Lines {
        max_words,
        max_pieces,
        has_ranks,
        has_shared,
        comments,
        separators,
        number_classes,
        multiple_classes,
        always_classes,
        has_final_dots,
        rows,
        spelled,
        forms,
        modifiers,
        marks,
        operands,
        operand_lists,
        controls,
        constants,
        mnemonics,
        candidates,
        sequences,
        control_texts,
        spellings,
        meanings,
        first_words,
        letters,
    } = lines;
    let mut part = Part::default();
    part.value("max_words", max_words);
    part.value("max_pieces", max_pieces);
    part.value("has_ranks", has_ranks);
    part.value("has_shared", has_shared);
    part.item("comments", "", &format!("{comments:?}"));
    part.item("separators", "", &format!("{separators:?}"));
    part.value("number_classes", number_classes);
    part.value("multiple_classes", multiple_classes);
    part.value("always_classes", always_classes);
    part.value("has_final_dots", has_final_dots);
    part.rows("The expected syntax of each row.", "rows", "LineRow", rows);
    part.rows("Rows under mnemonics with fields.", "spelled", "Spelled", spelled);
    part.rows("Syntax that several opcodes share.", "forms", "Form", forms);
    part.rows("Modifiers and attributes.", "modifiers", "Modifier", modifiers);
    part.rows("Marks of operands.", "marks", "Mark", marks);
    part.rows("Operands.", "operands", "OperandForm", operands);
    part.rows("Operands of forms.", "operand_lists", "u32", operand_lists);
    part.rows("Control fields.", "controls", "Control", controls);
    part.rows("Bits of literals that are constants.", "constants", "(u64, u64)", constants);
    names(&mut part, "Mnemonics and their first words.", "mnemonics", "Mnemonic", mnemonics);
    part.rows("Rows of mnemonics.", "candidates", "u32", candidates);
    let Sequences { shift, slots, rows } = sequences;
    let doc = "Kinds of operands after a mnemonic, and the rows that may fit.";
    hashed(&mut part, doc, "sequences", "Sequences", "(u64, Span)", (*shift, slots, rows));
    let doc = "Control fields as they are printed.";
    names(&mut part, doc, "control_texts", "ControlText", control_texts);
    names(&mut part, "Spellings of modifiers.", "spellings", "Span", spellings);
    part.rows("The meanings of spellings.", "meanings", "(u32, u64)", meanings);
    names(&mut part, "First words of operands.", "first_words", "FirstWord", first_words);
    part.rows("First words of one letter.", "letters", "FirstWord", letters);
    format!(
        "{HEADER}//! How instructions are read, as tables; their rows are described in\n\
         //! `engine/image_lines.rs`.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::*;\nuse super::engine::image_lines::*;\n\n{}",
        part.constant("LINES", "Lines")
    )
}

/// A table that is searched by name.
fn names<R: Debug>(part: &mut Part, doc: &str, field: &str, ty: &str, names: &Names<'_, R>) {
    let Names { shift, slots, rows } = names;
    hashed(part, doc, field, "Names", &format!("(Key, u32, {ty})"), (*shift, slots, rows));
}

/// A table that is searched by hashes.
fn hashed<R: Debug>(
    part: &mut Part,
    doc: &str,
    field: &str,
    ty: &str,
    row: &str,
    (shift, slots, rows): (u32, &[u32], &[R]),
) {
    let name = field.to_uppercase();
    let tables = table("Slots of the next table.", &format!("{name}_SLOTS"), "u32", slots)
        + &table(doc, &name, row, rows);
    let value = format!("{ty} {{ shift: {shift}, slots: &{name}_SLOTS, rows: &{name} }}");
    part.item(field, &tables, &value);
}
