//! Answers for editors: the names in a program and their definitions, the type and bounds at a position.
//!
//! Names come from the syntax tree, so they are known while a specification has errors. The caller resolves names that
//! no program binds, such as fields, since they depend on the layers of the opcode.

mod builtins;
mod names;
mod typed;
mod words;

pub use builtins::{Builtin, builtin, builtins, keywords};
pub use names::{Binding, BindingKind, Declared, DeclaredKind, Names, Role, Use};
pub use typed::{Typed, choice, typed_at};
pub use words::{Word, WordKind, words};
