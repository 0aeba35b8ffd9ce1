//! Compiled instruction sets: what [`isadl::compile`] makes of a specification, in one file that is read in milliseconds.
//!
//! ```
//! use isadl_compiled::{CompiledSet, Contents};
//!
//! # let mut sources = isadl::source::SourceMap::new();
//! # sources.add("tiny.isa", b"
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
//! # ".to_vec());
//! let compilation = isadl::compile(&sources);
//! let family = compilation.family.expect("no errors");
//! let contents = Contents {
//!     family: &family,
//!     programs: &compilation.semantics,
//!     is_executable: true,
//!     sources: &sources,
//!     beside: &[],
//! };
//! let bytes = contents.write().expect("little enough for a file");
//!
//! let set = CompiledSet::read(bytes)?;
//! let loaded = set.loaded(0)?;
//! assert_eq!(loaded.engine().assemble("SKIP 2").map(|inst| inst.word), Ok(0x27));
//! # Ok::<(), isadl_compiled::ReadError>(())
//! ```
//!
//! A file is for the version of isadl that wrote it: another version is refused, and the specification compiled again.

mod container;
mod contents;
mod error;
mod set;
mod version;

pub use container::is_compiled;
pub use contents::Contents;
pub use error::ReadError;
pub use set::{CompiledSet, Summary};
