//! The image of an instruction set: the tables by which the engine decodes, encodes, prints and
//! assembles its instructions, and tells what they read and write.
//!
//! `rows.rs` numbers the rows, which all tables refer to. Each part of the image has a builder: `words`.

mod rows;
mod shared;
