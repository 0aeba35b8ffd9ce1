//! `text_tables.rs` and `parse_tables.rs` of a generated crate: the data of its printer and of its
//! parser. Their code is embedded; what is here decides the data.
//!
//! Three modules decide: `steps.rs` how each opcode is printed, with its texts in `chunks.rs`;
//! `forms.rs` what the parser expects; `values.rs` how types are written. The others print that as
//! Rust: `printer.rs` and `parser.rs` a file each, of the definitions in `shapes.rs`, the values in
//! `entries.rs`, and the tables in `names.rs` that are searched by name.

mod chunks;
mod entries;
mod forms;
mod names;
mod parser;
mod printer;
mod shapes;
mod steps;
mod values;

pub(super) use chunks::{CHUNK, LONG_CHUNK};
pub(super) use parser::parser;
pub(super) use printer::printer;
