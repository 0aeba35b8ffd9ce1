//! Converts machine code in files to lines: the contents of sections, with the names of locations.
//!
//! [`Code`] is a file that was read: ELF, or bytes alone. [`Code::lines`] gives its lines: labels, instructions, data,
//! bytes that are not an instruction, and relocations. [`SourceLines`] are the lines of source files that they come from. Writing them is up to the caller.

mod file;
mod lines;
mod names;
mod source;

pub use file::{Code, CodeReloc, CodeSection};
pub use lines::{Addresses, Line, Lines};
pub use names::Name;
pub use source::SourceLines;
