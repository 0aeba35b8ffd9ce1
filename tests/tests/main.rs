//! The tests that cross crates, as one program: each is a module of its own file, and
//! `cargo test -p isadl-tests NAME::` runs the tests of one.

mod a64_flow;
mod a64_llvm;
mod aliases;
mod asm_files;
mod cli;
mod computed;
mod constructors;
mod contradictions;
mod control;
mod debugger;
mod deviations;
mod diagnostics;
mod diff;
mod disasm_files;
mod downstream;
mod engine_flow;
mod engine_text;
mod engine_words;
mod environments;
mod examples;
mod executes;
mod extensions;
mod fixes;
mod floats;
mod flow;
mod format;
mod formats;
mod fresh;
mod fuzz;
mod gcn;
mod gcn_crate;
mod generate;
mod generated;
mod generated_a64;
mod generated_flow;
mod generated_gcn;
mod generated_riscv;
mod generated_text;
mod generated_values;
mod generic;
mod grammar;
mod guests;
mod imports;
mod lsp;
mod machines;
mod manual;
mod manual_pages;
mod manual_programs;
mod mnemonics;
mod moving;
mod msp430;
mod mutations;
mod names;
mod nested;
mod numbers;
mod operands;
mod oracle;
mod orders;
mod packages;
mod packed;
mod pages;
mod program_layout;
mod punctuation;
mod random_crates;
mod random_extensions;
mod random_orders;
mod random_proofs;
mod random_sets;
mod random_texts;
mod rdna;
mod rdna3;
mod relocations;
mod restrictions;
mod riscv;
mod riscv_addresses;
mod riscv_flow;
mod riscv_llvm;
mod riscv_size;
mod robustness;
mod select;
mod serialized;
mod serve;
mod short;
mod shorter;
mod site;
mod space;
mod special_cases;
mod spellings;
mod streams;
mod text;
mod tutorial;
mod use_cases;
mod values;
mod vectors;
mod warps;

/// A file that no module names would be left out silently. README.md tells what each module shows.
#[test]
fn every_file_is_a_module() {
    let folder = isadl_test_support::root().join("tests/tests");
    let modules: Vec<&str> = include_str!("main.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let rows = include_str!("../README.md").lines().filter(|line| line.starts_with("| `"));
    let rows: String = rows.filter_map(|row| row.split('|').nth(1)).collect();
    let untold: Vec<_> =
        modules.iter().filter(|name| !rows.contains(&format!("`{name}`"))).collect();
    assert!(untold.is_empty(), "tests/README.md has no row for {untold:?}");
    let mut missing = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name in UTF-8");
        if stem != "main" && !modules.contains(&stem) {
            missing.push(path);
        }
    }
    assert!(missing.is_empty(), "tests/tests/main.rs has no `mod` for {missing:?}");
}
