//! Assembly text: words printed and text assembled by an [`crate::isa::Isa`] itself.
//!
//! The twin of what backends generate: both must agree on every word and every line.

pub mod assemble;
mod expected;
mod float;
mod integer;
mod operand;
mod print;
pub(crate) mod template;

pub use assemble::AsmError;
pub use float::{FloatError, parse_float, print_float};
pub(crate) use operand::spelled;
pub use print::{Token, TokenKind, tokens};
