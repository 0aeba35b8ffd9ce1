//! Programs as text: tokens, syntax tree, parser.

pub mod ast;
mod claims;
mod declarations;
mod expressions;
mod layout;
mod parse;
mod parts;
mod token;

pub use claims::parse_claims;
pub(crate) use declarations::RESTS;
pub use expressions::MAX_OPERATORS;
pub use layout::{LaidLine, layout};
pub use parse::{MAX_NESTING, parse};
pub(crate) use parse::{RESERVED, is_keyword};
pub use token::Line;
pub(crate) use token::{Located, Token, tokens};
