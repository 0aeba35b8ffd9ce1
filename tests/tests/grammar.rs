//! Grammars: pest generates the parser in `crates/isadl-syntax/src/parse/grammar.rs`, and editors colour all words of programs.

use isadl::semantics::lookup::keywords;
use isadl_test_support::{golden, root};

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

#[test]
fn editors_know_the_words_of_programs() {
    for path in [
        "editors/tree-sitter/queries/highlights.scm",
        "editors/vscode/syntaxes/isadl.tmLanguage.json",
    ] {
        let text = std::fs::read_to_string(root().join(path)).expect("readable");
        let is_sign = |c: char| !c.is_ascii_alphanumeric();
        let missing: Vec<&str> =
            keywords().filter(|word| !text.split(is_sign).any(|own| own == *word)).collect();
        assert_eq!(missing, [""; 0], "{path}");
    }
}
