//! How instructions are printed, as constants.

use isadl_engine::image_text::Texts;

use super::dense::{bytes, string};
use super::part::Part;
use crate::rust::HEADER;

/// `text_tables.rs` of a generated crate.
pub(in crate::rust) fn texts(texts: &Texts<'_>) -> String {
    let Texts {
        room,
        name_sets,
        is_word_style,
        has_guards,
        has_long_texts,
        has_aligned,
        after_words,
        folds_case,
        has_aliases,
        has_bits,
        has_constants,
        has_others,
        strings: _,
        names,
        types,
        entries,
        pieces,
        part_pieces,
        formats,
        notations,
        format_of,
        programs,
        has_shorts,
        has_guarded_shorts,
        short_of,
        shorts,
        moves,
        move_pairs,
        aliases_of,
        aliases,
        copies,
        steps,
        details,
        chunks,
        long_chunks,
        integers,
        omissions,
        constant_sets,
        constants,
        ranges,
        searched,
    } = texts;
    let mut part = Part::default();
    part.value("room", room);
    part.value("name_sets", name_sets);
    part.value("is_word_style", is_word_style);
    part.value("has_guards", has_guards);
    part.value("has_long_texts", has_long_texts);
    part.value("has_aligned", has_aligned);
    part.value("after_words", after_words);
    part.value("folds_case", folds_case);
    part.value("has_aliases", has_aliases);
    part.value("has_shorts", has_shorts);
    part.value("has_guarded_shorts", has_guarded_shorts);
    part.value("has_bits", has_bits);
    part.value("has_others", has_others);
    part.value("has_constants", has_constants);
    let all = (0..names.len() as u32).map(|number| texts.name(number));
    part.item("strings", &string("All names.", "STRINGS", all), "STRINGS");
    part.rows("The end of each name.", "names", "u32", names);
    part.rows("How the values of types are written.", "types", "Type", types);
    part.rows("Runs of values with names.", "entries", "Entry", entries);
    part.rows("Pieces of composites.", "pieces", "SegmentRow", pieces);
    part.rows("Pieces of their parts.", "part_pieces", "FieldPiece", part_pieces);
    part.rows("Formats of numbers.", "formats", "Format", formats);
    part.rows("Notations of numbers.", "notations", "Notation", notations);
    part.rows("Formats by values of modifiers.", "format_of", "u32", format_of);
    part.rows("The program of each row.", "programs", "Program", programs);
    part.rows("The shorter encoding that each row is.", "short_of", "u32", short_of);
    part.rows("Shorter encodings.", "shorts", "Short", shorts);
    part.rows("Fields of the longer ones.", "moves", "Move", moves);
    part.rows("Pairs of values of moves.", "move_pairs", "(u64, u64)", move_pairs);
    part.rows("The aliases of each row.", "aliases_of", "Span", aliases_of);
    part.rows("Aliases.", "aliases", "Alias", aliases);
    part.rows("Fields that are computed from other fields.", "copies", "Copied", copies);
    part.rows("Steps of programs.", "steps", "Step", steps);
    part.rows("Further data of steps.", "details", "Detail", details);
    part.item("chunks", &bytes("Texts.", "CHUNKS", chunks), "CHUNKS.as_chunks().0");
    let long = bytes("Long texts.", "LONG_CHUNKS", long_chunks);
    part.item("long_chunks", &long, "LONG_CHUNKS.as_chunks().0");
    part.rows("Formats of integer steps.", "integers", "Integer", integers);
    part.rows("Words in which steps are skipped.", "omissions", "Omission", omissions);
    part.rows(
        "Sets of literals that are printed as constants.",
        "constant_sets",
        "ConstantSet",
        constant_sets,
    );
    part.rows("Their literals.", "constants", "Constant", constants);
    part.rows("Ranges of values.", "ranges", "(u64, u64)", ranges);
    part.rows("Operands whose names are searched for.", "searched", "Searched", searched);
    format!(
        "{HEADER}//! How instructions are printed, as tables; their rows are described in\n\
         //! `engine/image_text.rs`.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::*;\nuse super::engine::image_text::*;\n\n{}",
        part.constant("TEXTS", "Texts")
    )
}
