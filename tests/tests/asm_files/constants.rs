//! `li` of any number: the instructions of llvm-mc 19.
//!
//! `tests/fixtures/asm/constants.llvm` is recorded: the code that llvm-mc makes of the numbers of [`numbers`].

use std::path::Path;
use std::process::Command;

use isadl_test_support::{Random, bless, golden, root};

use super::{Machine, RISCV, elf, folder, has, run};

/// Numbers of all sizes, and with zeros or ones at their ends.
fn numbers(count: usize) -> Vec<u64> {
    let mut random = Random::new(16);
    let mut number = |index: usize| {
        let (raw, by) = (random.next_u128() as u64, random.next_u128() as u32);
        match index % 4 {
            0 => raw,
            1 => raw >> (by % 64),
            2 => raw >> 30 << (by % 64),
            _ => !(raw >> 30 << (by % 64)),
        }
    };
    (0..count).map(&mut number).collect()
}

#[test]
fn constants_take_the_instructions_of_llvm() {
    let lines = numbers(600).into_iter().map(|number| format!("li a0, {number:#x}\n"));
    let text: String = lines.collect();
    let recorded = root().join("tests/fixtures/asm/constants.llvm");
    if has("llvm-mc-19") {
        let folder = folder("constants");
        let path = folder.join("constants.s");
        std::fs::write(&path, &text).expect("writable");
        let object =
            run(Command::new("llvm-mc-19").args(RISCV.llvm).arg("--filetype=obj").arg(path));
        let _ = std::fs::remove_dir_all(folder);
        let live = elf::summary(&object);
        if bless() {
            golden(&recorded, &live);
        }
        assert_eq!(std::fs::read_to_string(&recorded).unwrap_or_default(), live);
    }
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let own = elf::summary(&machine.elf(Path::new("constants.s"), text.as_bytes()));
    assert_eq!(own, std::fs::read_to_string(&recorded).expect("recorded"));
}
