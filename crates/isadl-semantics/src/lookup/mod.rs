//! Answers for editors: the names in a program and their definitions, the type and bounds at a position.
//!
//! Names come from the syntax tree, so they are known while a specification has errors. The caller resolves names that
//! no program binds, such as fields, since they depend on the layers of the opcode.

mod names;
mod typed;
mod words;

pub use crate::builtins::{Builtin, builtin, builtins, keywords};
pub use names::{Binding, BindingKind, Declared, DeclaredKind, Names, Role, Use};
pub use typed::{Typed, choice, typed_at};
pub use words::{Word, WordKind, words};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{FLOAT_FUNCTIONS, FUNCTIONS};

    #[test]
    fn every_function_of_the_checker_is_described() {
        let unneeded = "unsigned";
        let known = FUNCTIONS.iter().filter(|(name, _)| *name != unneeded);
        for (name, parameters) in known {
            let found = builtin(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.signature.matches(',').count() + 1, parameters.len(), "{name}");
        }
        for (name, _, most) in FLOAT_FUNCTIONS {
            let found = builtin(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.signature.matches(',').count() + 1, most, "{name}");
        }
        assert!(builtins().is_sorted_by_key(Builtin::name));
    }
}
