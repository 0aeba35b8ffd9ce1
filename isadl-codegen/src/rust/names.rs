//! Names of generated items: from names of the specification to identifiers of Rust.
//!
//! Types and values keep the names that the specification gives them. Invariant: the
//! identifiers of one scope are distinct, and none is a keyword.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};

/// Words that cannot be identifiers, in any edition up to 2024, and those that generated code
/// needs for itself.
const KEYWORDS: &[&str] = &[
    "_", "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The identifiers of one scope.
#[derive(Default)]
pub(super) struct Scope {
    taken: BTreeSet<String>,
}

impl Scope {
    /// A scope where some identifiers are taken by hand-written code.
    pub(super) fn reserving(taken: &[&str]) -> Scope {
        Scope { taken: taken.iter().map(|name| name.to_string()).collect() }
    }

    /// The identifier for `wanted`: itself where that is free, else with `_` and a number.
    pub(super) fn add(&mut self, wanted: &str) -> Ident {
        let base = plain(wanted);
        let mut name = base.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        Ident::new(&name, Span::call_site())
    }
}

/// An identifier close to `wanted`: signs become `_`, a first digit and keywords get a `_`.
fn plain(wanted: &str) -> String {
    let mut name: String =
        wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Whether a name is an identifier as it is: one word that Rust has not reserved.
pub(super) fn is_identifier(name: &str) -> bool {
    let tokens = name.parse::<TokenStream>().map(|tokens| tokens.into_iter().collect::<Vec<_>>());
    let Ok([TokenTree::Ident(ident)]) = tokens.as_deref() else { return false };
    *ident == name && !KEYWORDS.contains(&name)
}

/// The narrowest unsigned type that holds `width` bits.
pub(super) fn unsigned(width: u32) -> Ident {
    ident(match width {
        0..=8 => "u8",
        9..=16 => "u16",
        17..=32 => "u32",
        _ => "u64",
    })
}

/// A word as a literal without suffix.
pub(super) fn word(value: u128) -> TokenStream {
    // Hexadecimal is what a reader compares with.
    TokenStream::from_iter(format!("0x{value:x}").parse::<Literal>().map(TokenTree::from))
}

/// An identifier that is known to be one.
pub(super) fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_legal_and_distinct() {
        let mut scope = Scope::reserving(&["opcode"]);
        assert_eq!(scope.add("ra.neg").to_string(), "ra_neg");
        assert_eq!(scope.add("ra_neg").to_string(), "ra_neg_2");
        assert_eq!(scope.add("64").to_string(), "_64");
        assert_eq!(scope.add("type").to_string(), "type_");
        assert_eq!(scope.add("opcode").to_string(), "opcode_2");
    }

    #[test]
    fn only_single_words_are_identifiers() {
        assert!(["simt", "_x", "X1", "r#type", "größe"].into_iter().all(is_identifier));
        let others = ["", "_", "1x", "type", "Self", "gen", "a-b", "a b", " a", "a // b", "(a)"];
        assert!(!others.into_iter().any(is_identifier));
    }
}
