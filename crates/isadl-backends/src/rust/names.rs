//! Names of generated items: from names of the specification to identifiers of Rust.
//!
//! Types and values keep their names from the specification, except types that begin with a small letter. Invariant:
//! the identifiers of a scope are distinct, and none is a keyword.

use std::collections::BTreeSet;

use heck::{ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use unicode_ident::{is_xid_continue, is_xid_start};

/// Words that cannot be identifiers in any edition up to 2024, and words that generated code needs for itself.
const KEYWORDS: &[&str] = &[
    "_", "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The identifiers of a scope.
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

/// Converts a name to a function name: words in lower case. Words begin where the case changes, but a single letter
/// belongs to the word after it: `F16ImmX2` becomes `f16_imm_x2`, and `CMem` becomes `cmem`.
pub(super) fn snake(name: &str) -> String {
    let pieces = name.split(|c: char| !c.is_ascii_alphanumeric());
    pieces.map(|piece| words(piece).join("_")).collect::<Vec<_>>().join("_")
}

/// Converts a name to a type name. A name that does not begin with a capital is written in camel case, like Rust's
/// types: a type `u8` would hide the primitive type, and a type `value` the variables of that name.
pub(super) fn type_name(name: &str) -> String {
    let is_capital = |c: char| c.is_ascii_uppercase();
    if name.starts_with(is_capital) {
        return name.to_string();
    }
    let camel = name.to_upper_camel_case();
    if camel.starts_with(is_capital) { camel } else { format!("T{camel}") }
}

/// Patterns of the prelude.
pub(super) const PRELUDE: &[&str] = &["Some", "None", "Ok", "Err"];

/// Names that parameters must not have, because functions have variables of these names.
const VARIABLES: &[&str] = &["inst", "word", "opcode", "field", "raw"];

/// The scope of the parameters of a function.
pub(super) fn parameters() -> Scope {
    Scope::reserving(VARIABLES)
}

/// The words of a name without signs, in lower case.
fn words(piece: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut letter = String::new();
    for word in piece.to_snake_case().split('_') {
        if word.len() == 1 && word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            letter += word;
        } else {
            words.push(std::mem::take(&mut letter) + word);
        }
    }
    words.extend((!letter.is_empty()).then_some(letter));
    words
}

/// The name of the getter of a field that has a getter for each of several types. It consists of the names of the field
/// and the type. The type's name suffices if it begins or ends with the field's name: the getter of `PRMTMode mode` is
/// `prmt_mode`.
pub(super) fn of_type(field: &str, ty: &str) -> String {
    let is_word_start = |c: char| !c.is_ascii_lowercase();
    let (name, wanted) = (ty.to_ascii_lowercase(), field.to_ascii_lowercase());
    if let Some(before) = name.strip_suffix(&wanted) {
        let (before, last) = ty.split_at(before.len());
        if before.is_empty() || before.ends_with('_') || last.starts_with(is_word_start) {
            let first = snake(before.trim_end_matches('_'));
            return if first.is_empty() { wanted } else { format!("{first}_{wanted}") };
        }
    }
    match name.strip_prefix(&wanted).map(|rest| &ty[ty.len() - rest.len()..]) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => wanted + &snake(rest),
        Some(rest) if rest.starts_with(is_word_start) => {
            format!("{wanted}_{}", snake(rest.trim_start_matches('_')))
        }
        _ => format!("{field}_{}", snake(ty)),
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

/// Whether a crate can have a name: letters, digits, `_` and `-`, and no word of Rust or crate that every program has.
pub(super) fn is_crate_name(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_taken = ["alloc", "core", "proc_macro", "std", "test"].contains(&name);
    name.chars().all(is_sign) && is_identifier(&name.replace('-', "_")) && !is_taken
}

/// Whether a name is a valid identifier: one word that Rust has not reserved, or any but a few after `r#`.
///
/// It is not made into a token: in a macro, tokens belong to the thread that makes the first one.
pub(super) fn is_identifier(name: &str) -> bool {
    let (word, reserved) = match name.strip_prefix("r#") {
        Some(word) => (word, &["_", "Self", "crate", "self", "super"][..]),
        None => (name, KEYWORDS),
    };
    let mut chars = word.chars();
    let begins = chars.next().is_some_and(|first| first == '_' || is_xid_start(first));
    begins && chars.all(is_xid_continue) && !reserved.contains(&word)
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
    // Readers compare with hexadecimal numbers.
    TokenStream::from_iter(format!("0x{value:x}").parse::<Literal>().map(TokenTree::from))
}

/// Makes an identifier from a valid name.
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
    fn types_begin_with_a_capital() {
        for (name, expected) in [
            ("Reg", "Reg"),
            ("F16ImmX2", "F16ImmX2"),
            ("V_Src", "V_Src"),
            ("u8", "U8"),
            ("bool", "Bool"),
            ("reg_t", "RegT"),
            ("_imm", "Imm"),
            ("_64", "T64"),
            ("__", "T"),
        ] {
            assert_eq!(type_name(name), expected);
        }
    }

    #[test]
    fn functions_are_named_by_the_words_of_a_name() {
        for (name, expected) in [
            ("F16ImmX2", "f16_imm_x2"),
            ("VectorRegister", "vector_register"),
            ("VOP2Source", "vop2_source"),
            ("UImm5", "uimm5"),
            ("HFmtV2", "hfmt_v2"),
            ("I2FOp", "i2f_op"),
            ("V_ADD_F32_E32", "v_add_f32_e32"),
            ("IADD_RR", "iadd_rr"),
            ("AddRegReg", "add_reg_reg"),
            ("reg_t", "reg_t"),
            ("X", "x"),
            ("_A__b", "_a__b"),
        ] {
            assert_eq!(snake(name), expected);
        }
    }

    #[test]
    fn a_getter_of_one_of_several_types_says_each_word_once() {
        for (field, ty, expected) in [
            ("src1", "VectorRegister", "src1_vector_register"),
            ("vb", "F16ImmX2", "vb_f16_imm_x2"),
            ("mode", "PRMTMode", "prmt_mode"),
            ("mode", "ModeOfRounding", "mode_of_rounding"),
            ("mode", "prmt_mode", "prmt_mode"),
            ("mode", "mode_32", "mode_32"),
            ("dtype", "MUFUDtype", "mufu_dtype"),
            ("itype", "IType", "itype"),
            ("itype", "ShiftDtype", "itype_shift_dtype"),
            ("literal", "Literal32", "literal32"),
            ("k", "Literal32", "k_literal32"),
            ("imm", "Immediate", "imm_immediate"),
            ("mode", "Amode", "mode_amode"),
            ("a.mode", "Mode", "a.mode_mode"),
        ] {
            assert_eq!(of_type(field, ty), expected);
        }
    }

    #[test]
    fn crates_are_not_named_like_words_of_rust() {
        assert!(["simt", "rv-32", "rv_32", "X1"].into_iter().all(is_crate_name));
        let others = ["", "-", "1x", "type", "core", "std", "a b", "r#type", "größe"];
        assert!(!others.into_iter().any(is_crate_name));
    }

    #[test]
    fn only_single_words_are_identifiers() {
        assert!(["simt", "_x", "X1", "r#type", "größe"].into_iter().all(is_identifier));
        let others = ["", "_", "1x", "type", "Self", "gen", "a-b", "a b", " a", "a // b", "(a)"];
        assert!(!others.into_iter().any(is_identifier));
    }
}
