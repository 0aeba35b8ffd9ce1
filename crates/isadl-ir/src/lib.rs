//! The lowered form of an instruction set: fully known and checked, without anything of the text that describes it.

pub mod dump;
pub mod explain;
pub mod interned;
pub mod isa;
pub mod links;
pub mod operand_text;
mod text_bits;

use isadl_base::suggest;
