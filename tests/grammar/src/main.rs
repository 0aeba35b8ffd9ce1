//! Prints the parser that pest generates from `crates/isadl-syntax/src/parse/grammar.pest`.
//!
//! It is committed as `grammar.rs` next to the grammar, so that users who build the compiler do
//! not need to build the generator too. The test `grammar` runs this and compares. After a change of
//! the grammar, run
//!
//! ```console
//! $ cargo run --manifest-path tests/grammar/Cargo.toml > crates/isadl-syntax/src/parse/grammar.rs
//! ```

use quote::quote;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/isadl-syntax/src/parse/grammar.pest");
    let grammar = std::fs::read_to_string(path)?;
    let input = quote! {
        #[grammar_inline = #grammar]
        struct Grammar;
    };
    let parser = pest_generator::derive_parser(input, false);
    let file = syn::parse2(quote! {
        pub(super) struct Grammar;
        #parser
    })?;
    println!("// Made from `grammar.pest` by `tests/grammar`; edit that instead.\n");
    print!("{}", prettyplease::unparse(&file));
    Ok(())
}
