//! What instructions do: programs in the pseudo code of a specification.
//!
//! Each stage has a type of its own:
//!
//! ```text
//! lines ─syntax::parse→ syntax::ast::Program ─check→ Program ─effects→ Effects
//!                       names, locations             types, bounds     reads, writes, conditions
//! ```
//!
//! A program computes with exact integers; only storing wraps. Chapter 18 of `LANGUAGE.md` describes the language.

mod check;
mod checked;
mod compare;
mod condition;
pub mod effects;
mod facts;
pub mod interval;
pub mod lookup;
pub mod program;
mod scope;
pub mod syntax;

pub use checked::{Checked, Instance, MAX_INSTANCES, Subject, check};
pub use condition::When;
pub use scope::Layer;
