//! Machine code of files as lines: what is in sections, with the names of places.
//!
//! [`Code`] is a file that was read: ELF, or bytes alone. [`Code::lines`] gives its lines: labels, instructions, data,
//! bytes that are not an instruction, and what is left to linkers. Writing them is up to the caller.

mod file;
mod lines;
mod names;

pub use file::{Code, CodeReloc, CodeSection};
pub use lines::{Line, Lines};
pub use names::Name;
