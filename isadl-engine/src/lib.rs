//! Decodes, encodes, prints and assembles instructions, and tells what they read and write, by the
//! tables of an instruction set: an [`Image`](image::Image).
//!
//! The `isadl` crate makes images from specifications, for tools that load them at run time.
//! Generated crates contain one image as constants and these files as they are, as modules, with
//! [`word`] for their own width. So nothing here needs an allocator, another crate, or `unsafe`,
//! and no file refers to the name of this crate.
#![no_std]

pub mod bits;
pub mod decode;
pub mod encode;
pub mod expr;
pub mod image;
pub mod word;

mod sources;

pub use sources::{SOURCES, Source};
