//! How instructions are printed, as constants.

use isadl_engine::image_text::Texts;

use super::part::{Part, emit};
use crate::rust::HEADER;

/// `text_tables.rs` of a generated crate.
pub(in crate::rust) fn texts(texts: &Texts<'_>) -> String {
    let mut part = Part::default();
    emit!(part of texts => Texts {
        value room,
        value name_sets,
        value is_word_style,
        value has_guards,
        value has_long_texts,
        value has_aligned,
        value after_words,
        value folds_case,
        value has_aliases,
        value has_shorts,
        value has_guarded_shorts,
        value has_bits,
        value has_others,
        value has_constants,
        text strings(names, "All names."),
        rows names("u32", "The end of each name."),
        rows types("Type", "How the values of types are written."),
        rows entries("Entry", "Runs of values with names."),
        rows pieces("SegmentRow", "Pieces of composites."),
        rows part_pieces("FieldPiece", "Pieces of their parts."),
        rows formats("Format", "Formats of numbers."),
        rows notations("Notation", "Notations of numbers."),
        rows format_of("u32", "Formats by values of modifiers."),
        rows programs("Program", "The program of each row."),
        rows short_of("u32", "The shorter encoding that each row is."),
        rows shorts("Short", "Shorter encodings."),
        rows moves("Move", "Fields of the longer ones."),
        rows move_pairs("(u64, u64)", "Pairs of values of moves."),
        rows aliases_of("Span", "The aliases of each row."),
        rows aliases("Alias", "Aliases."),
        rows copies("Copied", "Fields that are computed from other fields."),
        rows steps("Step", "Steps of programs."),
        rows details("Detail", "Further data of steps."),
        chunks chunks("Texts."),
        chunks long_chunks("Long texts."),
        rows integers("Integer", "Formats of integer steps."),
        rows omissions("Omission", "Words in which steps are skipped."),
        rows constant_sets("ConstantSet", "Sets of literals that are printed as constants."),
        rows constants("Constant", "Their literals."),
        rows ranges("(u64, u64)", "Ranges of values."),
        rows searched("Searched", "Operands whose names are searched for."),
    });
    format!(
        "{HEADER}//! How instructions are printed, as tables; their rows are described in\n\
         //! `engine/image_text.rs`.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::*;\nuse super::engine::image_text::*;\n\n{}",
        part.constant("TEXTS", "Texts")
    )
}
