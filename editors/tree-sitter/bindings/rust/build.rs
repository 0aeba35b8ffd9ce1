//! Compiles the parser.

fn main() {
    cc::Build::new()
        .std("c11")
        .include("src")
        .files(["src/parser.c", "src/scanner.c"])
        .compile("tree-sitter-isadl");
    println!("cargo:rerun-if-changed=src");
}
