// Warnings of a specification are warnings of the compiler.
#![deny(deprecated)]

isadl_macros::isa!("specs/warned");

fn main() {}
