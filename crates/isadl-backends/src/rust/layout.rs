//! Generated code as text.

use proc_macro2::TokenStream;

use super::HEADER;

/// A generated file.
pub(super) fn file(tokens: TokenStream) -> String {
    HEADER.to_string() + &text(tokens)
}

/// Without the feature `format`: text for a compiler alone.
#[cfg(not(feature = "format"))]
fn text(tokens: TokenStream) -> String {
    tokens.to_string()
}

#[cfg(feature = "format")]
fn text(tokens: TokenStream) -> String {
    match syn::parse2(tokens.clone()) {
        Ok(file) => pack(&prettyplease::unparse(&file)),
        // Tokens that are not a file are a fault of this crate; shown rather than lost.
        Err(error) => {
            let message = error.to_string();
            quote::quote!(compile_error!(#message); #tokens).to_string()
        }
    }
}

/// Joins lines with one short item of an array each.
#[cfg(feature = "format")]
fn pack(text: &str) -> String {
    const WIDTH: usize = 100;
    let is_item = |line: &str| {
        let item = line.trim_start();
        item.strip_suffix(',').is_some_and(|item| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            !item.is_empty()
                && item.bytes().all(plain)
                && !item.starts_with(|c: char| c.is_ascii_lowercase())
        })
    };
    let mut packed = String::with_capacity(text.len());
    let mut open = 0;
    for line in text.lines() {
        let item = is_item(line);
        if open > 0 && item && open + 1 + line.trim_start().len() <= WIDTH {
            packed.push(' ');
            packed += line.trim_start();
            open += 1 + line.trim_start().len();
            continue;
        }
        if open > 0 {
            packed.push('\n');
        }
        packed += line;
        open = if item { line.len() } else { 0 };
        if !item {
            packed.push('\n');
        }
    }
    packed
}
