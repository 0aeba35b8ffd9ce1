//! The parser in `crates/isadl-syntax/src/parse/grammar.rs` is the one that pest generates from the grammar.

use isadl_tests::{golden, root};

use crate::nested::cargo;

#[test]
fn the_parser_is_made_of_the_grammar() {
    let mut command = cargo(&root().join("tests/grammar"));
    let output = command.args(["run", "-q", "--locked"]).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let parser = String::from_utf8(output.stdout).expect("Rust is UTF-8");
    assert!(parser.lines().count() > 1000, "the parser is there");
    golden(&root().join("crates/isadl-syntax/src/parse/grammar.rs"), &parser);
}
