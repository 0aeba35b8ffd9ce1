//! Programs as text: tokens, syntax tree, parser.

pub mod ast;
mod declarations;
mod expressions;
mod layout;
mod parse;
mod parts;
mod token;

pub use expressions::MAX_OPERATORS;
pub use layout::{LaidLine, layout};
#[cfg(test)]
pub(crate) use parse::RESERVED;
pub(crate) use parse::is_keyword;
pub use parse::{MAX_NESTING, parse};
pub use token::Line;
pub(crate) use token::{Located, Token, tokens};
