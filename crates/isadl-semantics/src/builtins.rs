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
const BUILTINS: [Builtin; 55] = [
    Builtin { signature: "abs(x)", about: "The absolute value." },
    Builtin { signature: "active", about: "The lanes that take part: bit `i` is lane `i`." },
    Builtin { signature: "and(x for i in a .. b)", about: "Bitwise and of all terms." },
    Builtin { signature: "any(a .. b)", about: "Some number from `a` to `b`." },
    Builtin {
        signature: "ballot(c)",
        about: "A bit for each lane: whether it takes part and the condition holds there.",
    },
    Builtin { signature: "bits(field)", about: "The encoding of a field." },
    Builtin {
        signature: "carryless(a, b)",
        about: "The product of bits without carries, as wide as both together.",
    },
    Builtin { signature: "count(x)", about: "The number of bits that are 1." },
    Builtin { signature: "exact(x)", about: "`x`, compared and shifted as it is." },
    Builtin {
        signature: "from_bits(x, format)",
        about: "The number with the encoding `x`; the format may be that of the place.",
    },
    Builtin { signature: "has(EXTENSION)", about: "Whether the implementation has an extension." },
    Builtin { signature: "is_infinite(x)", about: "Whether a floating-point number is infinite." },
    Builtin { signature: "is_nan(x)", about: "Whether a floating-point number is a NaN." },
    Builtin {
        signature: "is_signaling(x)",
        about: "Whether a floating-point number is a signaling NaN.",
    },
    Builtin {
        signature: "is_subnormal(x)",
        about: "Whether a floating-point number is subnormal.",
    },
    Builtin { signature: "is_zero(x)", about: "Whether a floating-point number is 0 or -0." },
    Builtin { signature: "lane", about: "The number of the own lane." },
    Builtin { signature: "leading_zeros(x)", about: "The number of zeros above the highest 1." },
    Builtin {
        signature: "load_reserved(memory[a][31:0])",
        about: "Loads, and reserves the address.",
    },
    Builtin { signature: "max(a, b)", about: "The larger number." },
    Builtin {
        signature: "max_num(a, b)",
        about: "The greater; the number if the other is a quiet NaN.",
    },
    Builtin {
        signature: "maximum(a, b)",
        about: "The greater of two floating-point numbers; a NaN if one is.",
    },
    Builtin {
        signature: "maximum_number(a, b)",
        about: "The greater; the number if the other is a NaN.",
    },
    Builtin { signature: "min(a, b)", about: "The smaller number." },
    Builtin {
        signature: "min_num(a, b)",
        about: "The lesser; the number if the other is a quiet NaN.",
    },
    Builtin {
        signature: "minimum(a, b)",
        about: "The lesser of two floating-point numbers; a NaN if one is.",
    },
    Builtin {
        signature: "minimum_number(a, b)",
        about: "The lesser; the number if the other is a NaN.",
    },
    Builtin { signature: "mod(a, n)", about: "The remainder that is never negative." },
    Builtin { signature: "next", about: "The address of the following instruction." },
    Builtin { signature: "or(x for i in a .. b)", about: "Bitwise or of all terms." },
    Builtin { signature: "pc", about: "The address of the instruction." },
    Builtin {
        signature: "quiet(a < b)",
        about: "A comparison that only signaling NaNs make invalid.",
    },
    Builtin { signature: "repeat(x, n)", about: "The bits of `x`, `n` times side by side." },
    Builtin { signature: "reverse(x)", about: "The bits in the opposite order." },
    Builtin { signature: "rotate_left(x, n)", about: "Bits, rotated by `n` modulo their number." },
    Builtin { signature: "rotate_right(x, n)", about: "Bits, rotated by `n` modulo their number." },
    Builtin {
        signature: "round(x, format, mode)",
        about: "Exact arithmetic on floating-point numbers, rounded once. Format and mode may be left out.",
    },
    Builtin {
        signature: "same_register(a, b)",
        about: "Whether two operands of one type have the same encoding.",
    },
    Builtin {
        signature: "scaled(x, n)",
        about: "In `round`, `to_signed` and `to_unsigned`: the exact `x` times 2 to the power of `n`.",
    },
    Builtin { signature: "sign(x)", about: "The sign bit of a floating-point number." },
    Builtin { signature: "signaling(a == b)", about: "A comparison that any NaN makes invalid." },
    Builtin { signature: "signed(x)", about: "The bits of `x` in two's complement." },
    Builtin { signature: "sqrt(x)", about: "In `round`: the square root." },
    Builtin {
        signature: "store_conditional(memory[a][31:0], x)",
        about: "Stores while the reservation lasts; 1 if it did.",
    },
    Builtin { signature: "sum(x for i in a .. b)", about: "The sum of all terms." },
    Builtin { signature: "to_bits(x)", about: "The encoding of a floating-point number." },
    Builtin { signature: "to_integral(x, mode)", about: "The nearest integer in the same format." },
    Builtin {
        signature: "to_integral_exact(x, mode)",
        about: "The nearest integer in the same format; inexact if it is another number.",
    },
    Builtin {
        signature: "to_signed(x, 32, mode)",
        about: "The nearest integer of 32 bits with a sign.",
    },
    Builtin {
        signature: "to_unsigned(x, 32, mode)",
        about: "The nearest integer of 32 bits without a sign.",
    },
    Builtin { signature: "trailing_zeros(x)", about: "The number of zeros below the lowest 1." },
    Builtin { signature: "use(x)", about: "As a statement: `x` matters to the machine alone." },
    Builtin {
        signature: "whole(operand)",
        about: "All bits of the register, whatever instructions use of them.",
    },
    Builtin {
        signature: "with_sign(x, s)",
        about: "The floating-point number with the sign bit `s`.",
    },
    Builtin { signature: "xor(x for i in a .. b)", about: "Bitwise exclusive or of all terms." },
];

/// Words that begin statements and declarations, and may be names elsewhere.
const WORDS: [&str; 11] = [
    "access", "apply", "elements", "float", "lanes", "narrow", "number", "ordered", "range",
    "trap", "view",
];

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
