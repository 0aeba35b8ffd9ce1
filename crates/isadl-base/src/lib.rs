//! What all crates of `isadl` share. It depends on nothing.

pub mod fences;
pub mod parallel;
pub mod span;
pub mod suggest;
pub mod vocabulary;
