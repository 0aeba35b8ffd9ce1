//! Backends, which generate output from a checked instruction set; one module per backend.

pub mod builder;
#[cfg(feature = "dataflow")]
pub mod dataflow;
#[cfg(feature = "diff")]
pub mod diff;
#[cfg(feature = "markdown")]
pub mod markdown;
pub mod output;
pub mod rust;
#[cfg(feature = "space")]
pub mod space;
#[cfg(feature = "vectors")]
pub mod vectors;
#[cfg(feature = "markdown")]
pub mod word;
#[cfg(feature = "space")]
mod xml;

pub use builder::Builder;
