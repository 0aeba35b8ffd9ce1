//! Lines that people write, and that are other texts of instructions: their bytes are those of llvm-mc 19.
//!
//! `tests/fixtures/spellings/*.tsv` are recorded: a line, and what llvm-mc makes of it; their first lines are the commands.

use std::path::Path;

use isadl_asm::{Options, Purpose};
use isadl_test_support::root;

use super::asm_files::{A64, Machine, RISCV};

/// Assembles each line of a file by itself, and compares it with what is recorded.
fn compare(name: &str, machine: &Machine, least: usize) {
    let path = root().join("tests/fixtures/spellings").join(name);
    let recorded = std::fs::read_to_string(&path).expect("it is committed");
    let (mut count, mut wrong) = (0, Vec::new());
    for row in recorded.lines().filter(|row| !row.starts_with("# ")) {
        let (line, theirs) = row.split_once('\t').expect("a line and its bytes");
        let text = format!("{line}\n");
        let options = (&Options::default(), Purpose::Address(0));
        let (_, object, found) =
            machine.assemble(&[(Path::new("line.s"), text.as_bytes())], options);
        let section = |object: isadl_asm::Object| {
            object.sections.into_iter().find(|section| section.name == ".text")
        };
        let bytes = object.and_then(section).map(|section| section.bytes);
        let ours = match bytes {
            Some(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
            None => found.iter().map(|one| one.message.as_str()).collect::<Vec<_>>().join("; "),
        };
        count += 1;
        if ours != theirs {
            wrong.push(format!("{line}: {ours}, llvm-mc: {theirs}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} lines:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= least, "only {count} lines");
}

#[test]
fn lines_of_a64_are_those_of_llvm() {
    compare("a64.tsv", &Machine::of(&A64, A64.extensions), 240);
}

#[test]
fn lines_of_riscv_are_those_of_llvm() {
    compare("riscv.tsv", &Machine::of(&RISCV, &["most"]), 150);
}
