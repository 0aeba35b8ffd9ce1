//! Committed generated files are up to date.

use isadl::isa::Merged;
use isadl_codegen::output::Difference;
use isadl_codegen::rust::{Options, Serde, Traits, Views, generate};
use isadl_test_support::{family, gcn, golden, odd, riscv, root};
use std::path::PathBuf;

/// How the committed crates are generated.
fn options() -> Options {
    let traits_path = Some("../../crates/isadl-traits".to_string());
    Options {
        traits: Traits::Implemented,
        serde: Serde::Implemented,
        traits_path,
        ..Options::default()
    }
}

fn assert_fresh(isa: &Merged, options: &Options, folder: &str) {
    let differences: Vec<(PathBuf, Difference)> =
        generate(isa, options).diff(&root().join(folder)).expect("the folder is readable");
    assert!(differences.is_empty(), "{folder} is not fresh, run `isadl gen`: {differences:?}");
}

#[test]
fn the_simt_crate_is_fresh() {
    assert_fresh(&family("spec/simt").merged(), &options(), "generated/simt");
}

#[test]
fn the_gcn_crate_is_fresh() {
    assert_fresh(&gcn().merged(), &options(), "generated/gcn");
}

#[test]
fn the_riscv_crate_is_fresh() {
    assert_fresh(&riscv().merged(), &options(), "generated/riscv");
}

#[test]
fn the_a64_crate_is_fresh() {
    assert_fresh(&family("spec/a64").merged(), &options(), "generated/a64");
}

#[test]
fn the_odd_crate_is_fresh() {
    let isa = family("tests/fixtures/odd").merged();
    let options = Options { views: Views::PerOptype, traits_path: None, ..options() };
    assert_fresh(&isa, &options, "tests/odd");
}

#[test]
fn the_numbers_of_simt_are_all_pinned() {
    let path = root().join("spec/simt/opcodes.lock");
    let before = std::fs::read_to_string(&path).expect("the numbers are pinned");
    assert_eq!(isadl::opcode_lock::lock_text(&family("spec/simt").merged(), &before), before);
}

#[test]
fn the_numbers_of_gcn_are_all_pinned() {
    let path = root().join("spec/gcn/opcodes.lock");
    let before = std::fs::read_to_string(&path).expect("the numbers are pinned");
    assert_eq!(isadl::opcode_lock::lock_text(&gcn().merged(), &before), before);
}

#[test]
fn the_numbers_of_riscv_are_all_pinned() {
    let path = root().join("spec/riscv/opcodes.lock");
    let before = std::fs::read_to_string(&path).expect("the numbers are pinned");
    assert_eq!(isadl::opcode_lock::lock_text(&riscv().merged(), &before), before);
}

#[test]
fn the_numbers_of_a64_are_all_pinned() {
    let path = root().join("spec/a64/opcodes.lock");
    let before = std::fs::read_to_string(&path).expect("the numbers are pinned");
    assert_eq!(isadl::opcode_lock::lock_text(&family("spec/a64").merged(), &before), before);
}

#[test]
fn the_awkward_instruction_set_is_lowered_as_recorded() {
    let isa = odd();
    golden(&root().join("tests/fixtures/odd/isa.txt"), &isadl::dump::isa(isa));
}
