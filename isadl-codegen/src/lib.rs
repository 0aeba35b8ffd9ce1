//! Backends: what is derived from a checked instruction set, one module each.

pub mod builder;
#[cfg(feature = "dataflow")]
pub mod dataflow;
#[cfg(feature = "markdown")]
pub mod markdown;
pub mod output;
pub mod rust;

pub use builder::Builder;
