//! The functions and words of programs, with a line about each function.

use crate::syntax::RESERVED;

/// A function of the language, or an address that it has a word for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// How it is written, with its parameters.
    pub signature: &'static str,
    /// What it is.
    pub about: &'static str,
}

impl Builtin {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.signature.split('(').next().unwrap_or_default()
    }
}

/// In order of their names.
const BUILTINS: [Builtin; 27] = [
    Builtin { signature: "abs(x)", about: "The absolute value." },
    Builtin { signature: "and(x for i in a .. b)", about: "Bitwise and of all terms." },
    Builtin { signature: "any(a .. b)", about: "Some number from `a` to `b`." },
    Builtin { signature: "bits(field)", about: "The encoding of a field." },
    Builtin {
        signature: "carryless(a, b)",
        about: "The product of bits without carries, as wide as both together.",
    },
    Builtin { signature: "count(x)", about: "The number of bits that are 1." },
    Builtin { signature: "exact(x)", about: "`x`, compared and shifted as it is." },
    Builtin { signature: "has(EXTENSION)", about: "Whether the implementation has an extension." },
    Builtin { signature: "leading_zeros(x)", about: "The number of zeros above the highest 1." },
    Builtin {
        signature: "load_reserved(memory[a][31:0])",
        about: "Loads, and reserves the address.",
    },
    Builtin { signature: "max(a, b)", about: "The larger number." },
    Builtin { signature: "min(a, b)", about: "The smaller number." },
    Builtin { signature: "mod(a, n)", about: "The remainder that is never negative." },
    Builtin { signature: "next", about: "The address of the following instruction." },
    Builtin { signature: "or(x for i in a .. b)", about: "Bitwise or of all terms." },
    Builtin { signature: "pc", about: "The address of the instruction." },
    Builtin { signature: "repeat(x, n)", about: "The bits of `x`, `n` times side by side." },
    Builtin { signature: "reverse(x)", about: "The bits in the opposite order." },
    Builtin { signature: "rotate_left(x, n)", about: "Bits, rotated by `n` modulo their number." },
    Builtin { signature: "rotate_right(x, n)", about: "Bits, rotated by `n` modulo their number." },
    Builtin {
        signature: "same_register(a, b)",
        about: "Whether two operands of one type have the same encoding.",
    },
    Builtin { signature: "signed(x)", about: "The bits of `x` in two's complement." },
    Builtin {
        signature: "store_conditional(memory[a][31:0], x)",
        about: "Stores while the reservation lasts; 1 if it did.",
    },
    Builtin { signature: "sum(x for i in a .. b)", about: "The sum of all terms." },
    Builtin { signature: "trailing_zeros(x)", about: "The number of zeros below the lowest 1." },
    Builtin { signature: "use(x)", about: "As a statement: `x` matters to the machine alone." },
    Builtin { signature: "xor(x for i in a .. b)", about: "Bitwise exclusive or of all terms." },
];

/// Words that begin statements and declarations, and may be names elsewhere.
const WORDS: [&str; 8] =
    ["access", "apply", "elements", "narrow", "ordered", "range", "trap", "view"];

/// The words of statements, declarations and expressions.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    RESERVED.into_iter().chain(WORDS)
}

/// The functions and addresses of the language.
pub fn builtins() -> impl Iterator<Item = &'static Builtin> {
    BUILTINS.iter()
}

/// The function or address of a name.
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    builtins().find(|builtin| builtin.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::FUNCTIONS;

    #[test]
    fn every_function_of_the_checker_is_described() {
        let unneeded = "unsigned";
        let known = FUNCTIONS.iter().filter(|(name, _)| *name != unneeded);
        for (name, parameters) in known {
            let found = builtin(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.signature.matches(',').count() + 1, parameters.len(), "{name}");
        }
        assert!(BUILTINS.is_sorted_by_key(Builtin::name));
    }
}
