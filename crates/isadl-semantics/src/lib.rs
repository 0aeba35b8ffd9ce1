//! What instructions do: programs in the pseudo code of a specification.
//!
//! Each stage has a type of its own:
//!
//! ```text
//! lines ─syntax::parse→ syntax::ast::Program ─check→ Program ─effects→ Effects
//!                       names, locations             types, bounds     reads, writes, conditions
//!                                                      └─ir::build→ ir::Code
//!                                                                   numbers of known width, each assigned once
//! ```
//!
//! A program computes with exact integers; only storing wraps. Chapter 18 of `LANGUAGE.md` describes the language.

mod builtins;
mod check;
mod checked;
mod claimed;
mod compare;
mod condition;
pub mod effects;
mod facts;
mod fields;
mod fill;
pub mod float;
pub mod interval;
pub mod ir;
pub mod lookup;
mod meaning;
mod parts;
pub mod program;
mod scope;
mod splice;
pub mod syntax;
mod texts;
pub mod trials;

pub use checked::{Checked, Instance, MAX_INSTANCES, Subject, check};
pub use compare::Declared;
pub use condition::When;
pub use meaning::Meaning;
pub use scope::Layer;
pub use texts::{DeclarationKind, DeclarationText, Mention, Text, Texts};
