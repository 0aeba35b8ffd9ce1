//! `text_tables.rs` of a generated crate: the data of its printer and of its parser. Their code is
//! embedded; what is here decides the data.
//!
//! `steps.rs` says how each opcode is printed, `chunks.rs` holds the texts, `forms.rs` says what
//! the parser expects, `values.rs` how types are written, `emit.rs` prints it all.

mod chunks;
mod emit;
mod forms;
mod steps;
mod values;

pub(super) use emit::emit;
