//! Backends, which generate output from a checked instruction set; one module per backend.

#[cfg(feature = "dataflow")]
pub mod dataflow;
#[cfg(feature = "diff")]
pub mod diff;
#[cfg(feature = "markdown")]
pub mod markdown;
pub mod output;
pub mod paths;
pub mod rust;
#[cfg(feature = "space")]
#[cfg_attr(
    not(feature = "markdown"),
    allow(dead_code, unused_imports, reason = "opcode maps are those of the manual")
)]
pub mod space;
#[cfg(feature = "vectors")]
pub mod vectors;
#[cfg(feature = "markdown")]
pub mod word;
#[cfg(any(feature = "dataflow", feature = "diff", feature = "markdown"))]
#[cfg_attr(not(feature = "markdown"), allow(dead_code, reason = "the manual says the most"))]
mod wording;
#[cfg(feature = "space")]
mod xml;
