//! The examples of the documents, as tests: their paths are relative to this package.

/// The examples of the documents.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../docs/tutorial.md")]
#[doc = include_str!("../../docs/rust.md")]
#[doc = include_str!("../../docs/emulator.md")]
#[doc = include_str!("../../isadl/README.md")]
#[doc = include_str!("../../isadl-codegen/README.md")]
#[doc = include_str!("../../isadl-macros/README.md")]
#[doc = include_str!("../../crates/isadl-traits/README.md")]
pub struct ReadmeExamples;
