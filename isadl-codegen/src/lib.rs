//! Generates output from the description of an instruction set: for build scripts, with [`Builder`], and for tools, with
//! the backends that are re-exported from [`isadl_backends`].

pub mod builder;

pub use builder::Builder;
#[cfg(feature = "dataflow")]
pub use isadl_backends::dataflow;
#[cfg(feature = "diff")]
pub use isadl_backends::diff;
#[cfg(feature = "space")]
pub use isadl_backends::space;
#[cfg(feature = "vectors")]
pub use isadl_backends::vectors;
#[cfg(feature = "markdown")]
pub use isadl_backends::{markdown, word};
pub use isadl_backends::{output, paths, rust};
