//! Decodes, encodes, prints and assembles instructions, and tells what they read and write, by the
//! tables of an instruction set: an [`Image`](image::Image).
//!
//! The `isadl` crate makes images from specifications, for tools that load them at run time.
//! Generated crates contain one image as constants and these files as they are, as modules, with
//! [`word`] for their own width. So nothing here needs an allocator, another crate, or `unsafe`,
//! and no file refers to the name of this crate.
#![no_std]

pub mod bits;
pub mod computed;
pub mod control;
pub mod decode;
pub mod encode;
pub mod expr;
pub mod fields;
pub mod flow;
pub mod format;
pub mod image;
pub mod image_control;
pub mod image_flow;
pub mod image_lines;
pub mod image_text;
pub mod image_values;
pub mod key;
pub mod lowered;
pub mod names;
pub mod number;
pub mod parse;
mod parse_address;
mod parse_attempt;
mod parse_cursor;
pub mod parse_error;
mod parse_integer;
pub mod parse_line;
mod parse_modifiers;
pub mod parse_names;
mod parse_operand;
mod parse_value;
pub mod print;
pub mod print_at;
pub mod relocation;
pub mod rows;
pub mod set;
pub mod short;
pub mod target;
pub mod tokens;
pub mod values;
pub mod word;

mod sources;

pub use sources::{Part, SET, SOURCES, Source};
