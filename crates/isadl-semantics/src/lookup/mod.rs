//! What editors ask about programs: the names in a text and what they refer to, and the type of what is at a place.
//!
//! Names come from the syntax tree, so they are known while a specification has errors. What a name means that no program binds, such as
//! a field, is for the caller to find: it depends on the layers of the opcode.

mod builtins;
mod names;
mod typed;
mod words;

pub use builtins::{Builtin, KEYWORDS, builtin, builtins};
pub use names::{Binding, BindingKind, Declared, DeclaredKind, Names, Role, Use};
pub use typed::{Typed, choice, typed_at};
pub use words::{Word, WordKind, words};
