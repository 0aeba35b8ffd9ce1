//! Tables of an instruction set, and the engine that decodes, prints and assembles by them.
//!
//! The tables are the same that generated crates contain as constants.

pub mod engine;
pub mod hex;
pub mod image;

use isadl_base::{parallel, suggest};
use isadl_ir::{explain, isa, operand_text};
use isadl_prove as prove;
