//! The common part of the libraries of isadl for other languages: an instruction set that owns its engine, and errors with their
//! messages.
//!
//! ```
//! use isadl_bindings::{Choice, Set};
//!
//! # let text = "
//! # __DefIsa TINY<8>
//! # __DefImmediate Code<4>
//! #     Number = unsigned;
//! # __DefGroup ALL : []
//! # __DefOptype SKIP : [ALL]
//! # __DefOpcode SKIP_X : [SKIP]
//! #   __Encoding
//! #     field<0, 4> Code code == 7;
//! #     field<4, 4> Code count;
//! #   __OperandInfo
//! #     Order<count>;
//! # ";
//! let set = Set::of_text(&[("tiny.isa", text)], &Choice::default())?;
//! assert_eq!(set.engine().assemble("SKIP 2").map(|inst| inst.word), Ok(0x27));
//! # Ok::<(), isadl_bindings::OpenError>(())
//! ```

mod files;
mod finding;
mod open;
mod program;
mod set;

pub use files::{Section, assemble_program, sections};
pub use finding::{Finding, check};
pub use open::{Choice, OpenError};
pub use program::{Program, Start};
pub use set::Set;
