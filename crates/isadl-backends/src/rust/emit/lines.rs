//! How instructions are read, as constants.

use std::fmt::Debug;

use isadl_engine::image_lines::{Lines, Names, Sequences};

use super::dense::table;
use super::part::{Part, emit};
use crate::rust::HEADER;

/// `parse_tables.rs` of a generated crate.
pub(in crate::rust) fn lines(lines: &Lines<'_>) -> String {
    let mut part = Part::default();
    emit!(part of lines => Lines {
        value max_words,
        value max_pieces,
        value has_ranks,
        value has_shared,
        quoted comments,
        quoted separators,
        value number_classes,
        value multiple_classes,
        value always_classes,
        value has_final_dots,
        value has_made_modifiers,
        quoted joints,
        rows rows("LineRow", "The expected syntax of each row."),
        rows spelled("Spelled", "Rows under mnemonics with fields."),
        rows forms("Form", "Syntax that several opcodes share."),
        rows modifiers("Modifier", "Modifiers and attributes."),
        rows marks("Mark", "Marks of operands."),
        rows operands("OperandForm", "Operands."),
        rows operand_lists("u32", "Operands of forms."),
        rows controls("Control", "Control fields."),
        rows constants("(u64, u64)", "Bits of literals that are constants."),
        names mnemonics("Mnemonic", "Mnemonics and their first words."),
        rows candidates("u32", "Rows of mnemonics."),
        sequences sequences("Kinds of operands after a mnemonic, and the rows that may fit."),
        names control_texts("ControlText", "Control fields as they are printed."),
        names spellings("Span", "Spellings of modifiers."),
        rows meanings("(u32, u64)", "The meanings of spellings."),
        names first_words("FirstWord", "First words of operands."),
        rows letters("FirstWord", "First words of one letter."),
    });
    format!(
        "{HEADER}//! How instructions are read, as tables; their rows are described in\n\
         //! `engine/image_lines.rs`.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::*;\nuse super::engine::image_lines::*;\n\n{}",
        part.constant("LINES", "Lines")
    )
}

impl Part {
    /// A column that is searched by name.
    fn names<R: Debug>(&mut self, column: &str, names: &Names<'_, R>, ty: &str, doc: &str) {
        let Names { shift, slots, rows } = names;
        let slots = slots_table(column, slots);
        let rows = table(doc, &column.to_uppercase(), &format!("(Key, u32, {ty})"), rows);
        self.hashed(column, "Names", *shift, &(slots + &rows));
    }

    /// A column of sequences, which are searched by their hashes.
    fn sequences(&mut self, column: &str, sequences: &Sequences<'_>, doc: &str) {
        let Sequences { shift, slots, rows } = sequences;
        let slots = slots_table(column, slots);
        let rows = table(doc, &column.to_uppercase(), "(u64, Span)", rows);
        self.hashed(column, "Sequences", *shift, &(slots + &rows));
    }

    fn hashed(&mut self, column: &str, ty: &str, shift: u32, tables: &str) {
        let name = column.to_uppercase();
        let value = format!("{ty} {{ shift: {shift}, slots: &{name}_SLOTS, rows: &{name} }}");
        self.item(column, tables, &value);
    }
}

fn slots_table(column: &str, slots: &[u32]) -> String {
    table("Slots of the next table.", &format!("{}_SLOTS", column.to_uppercase()), "u32", slots)
}
