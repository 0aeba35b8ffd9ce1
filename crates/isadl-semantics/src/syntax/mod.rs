//! Programs as text: tokens, syntax tree, parser.

pub mod ast;
mod declarations;
mod expressions;
mod parse;
mod token;

pub use expressions::MAX_OPERATORS;
pub use parse::{MAX_NESTING, parse};
pub use token::Line;
pub(crate) use token::{Token, tokens};
