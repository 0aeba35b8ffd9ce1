//! Assembly text: words printed and text assembled by an [`crate::isa::Isa`] itself.
//!
//! The twin of what backends generate: both must agree on every word and every line. `print.rs`
//! prints; `assemble.rs` reads a line, with the modules that it lists; `template.rs` reads the lines
//! that show the forms of an operation.

pub mod assemble;
mod attempt;
mod constant;
mod cursor;
mod expected;
mod float;
mod integer;
mod line;
mod modifiers;
mod operand;
mod print;
pub(crate) mod template;
mod value;

pub use assemble::AsmError;
pub use float::{FloatError, parse_float, print_float};
pub use print::{Token, TokenKind, tokens};
