//! Emits the engine's tables of operands as constants.

use isadl_engine::image_values::Values;

use super::part::{Part, emit};
use crate::rust::HEADER;

/// `value_tables.rs` of a generated crate.
pub(in crate::rust) fn values(values: &Values<'_>) -> String {
    let mut part = Part::default();
    emit!(part of values => Values {
        rows types("Type", "What the values of types are."),
        rows entries("Entry", "Runs of values."),
        rows numbers("Number", "How bits are numbers."),
        rows parts("Part", "Parts of types."),
        rows pieces("FieldPiece", "The pieces of parts."),
        rows files("File", "Register files."),
        rows floats("u64", "Floating-point constants."),
        rows literals("u16", "The fields of literals."),
        rows slots_of("Span", "The slots of each row."),
        rows slots("Slot", "What tells instructions of a row apart."),
        rows accesses_of("Span", "The accesses to memory of each row."),
        rows accesses("Access", "Accesses with their widths."),
        text strings(names, "All names."),
        rows names("u32", "The end of each name."),
    });
    format!(
        "{HEADER}//! What operands are, as tables; their rows are described in `engine/image_values.rs`.\n\
         #![allow(dead_code, unused_imports, clippy::all)]\n\
         use super::engine::image::{{FieldPiece, Span, Width}};\nuse super::engine::image_values::*;\n\n{}",
        part.line("VALUES", "Values")
    )
}
