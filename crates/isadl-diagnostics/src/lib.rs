//! Diagnostics of `isadl`: source files and spans, codes with their pages, lint levels, suggestions, and rendering.

pub mod diagnostic;
pub mod fix;
pub mod levels;
pub mod render;
pub mod source;
pub mod visible;

pub use isadl_base::span;
use isadl_base::suggest;
