//! Syntax of `isadl`: the grammar and its parser, the syntax tree, the formatter, prose and templates.
//!
//! ```text
//! SourceMap ─parse→ ast::File
//! ```

pub mod ast;
pub mod dump;
pub mod form_findings;
pub mod format;
pub mod parse;
pub mod prose;
pub mod template;

use isadl_base::{parallel, suggest};
use isadl_diagnostics::{diagnostic, source, span};
