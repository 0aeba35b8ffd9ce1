//! Executes programs by the description of their instruction set.

pub mod memory;
