//! Backends: what is derived from a checked instruction set, one module each.

pub mod builder;
pub mod dataflow;
pub mod markdown;
pub mod output;
pub mod rust;

pub use builder::Builder;
