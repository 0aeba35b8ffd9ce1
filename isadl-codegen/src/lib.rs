//! Backends: what is derived from a checked instruction set, one module each.

pub mod output;
pub mod rust;
