//! Symbols defined by other symbols: chains of any length, and the output of compilers with `-g`, compared with
//! llvm-mc's linked objects.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use isadl_asm::{Options, Purpose};
use isadl_test_support::root;

use super::{A64, Machine, RISCV, Target, elf, folder, has, run};

/// The bytes of `.data`.
fn data(text: &str) -> Vec<u8> {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let options = (&Options::default(), Purpose::Address(0));
    let (_, object, diagnostics) =
        machine.assemble(&[(Path::new("a.s"), text.as_bytes())], options);
    let object = object.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let section = object.sections.into_iter().find(|section| section.name == ".data");
    section.expect("data").bytes
}

#[test]
fn chains_of_symbols_have_any_length() {
    for count in [10, 101, 1000, 100_000] {
        let first_to_last = 0..count;
        let last_to_first = (0..count).rev();
        let others = (0..count).map(|index| index * 7 % count);
        let orders: [Vec<usize>; 3] =
            [first_to_last.collect(), last_to_first.collect(), others.collect()];
        for order in orders {
            let mut text = String::from(".data\n");
            for index in order {
                let _ = writeln!(text, ".equ e{index}, e{} + 1", index + 1);
            }
            let _ = write!(text, ".equ e{count}, 5\n.quad e0\n");
            assert_eq!(data(&text), (count as u64 + 5).to_le_bytes(), "{count}");
        }
    }
}

#[test]
fn chains_over_distances_have_any_length() {
    // A product of a distance is known only once places are.
    let mut text = String::from(".data\n.quad e0\n.equ e1000, (b - a) * 3\n");
    for index in 0..1000 {
        let _ = writeln!(text, ".equ e{index}, e{} + 1", index + 1);
    }
    text += "a: .uleb128 b - a\nb:\n";
    assert_eq!(data(&text)[..8], 1003u64.to_le_bytes());
}

#[test]
fn what_was_read_before_keeps_its_value() {
    let text =
        ".data\na: .set here, a + 1\n .byte here - a\n .set here, here + 4\n .byte here - a\n";
    assert_eq!(data(text), [1, 5]);
}

/// The sections of an object once it is linked; all are kept.
fn linked(folder: &Path, object: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let [script, file, program] = ["script.ld", "file.o", "program"].map(|name| folder.join(name));
    let text = "SECTIONS { .text 0x10000 : { *(.text) } .data 0x20000 : { *(.data .bss) } .rodata 0x30000 : { *(.rodata*) }
        /DISCARD/ : { *(.riscv.attributes .eh_frame .comment .note.*) } weak_one = 0; }";
    std::fs::write(&script, text).expect("writable");
    std::fs::write(&file, object).expect("writable");
    let mut command = Command::new("ld.lld-19");
    command.args(["--no-relax", "-e", "0", "-T"]).arg(script).arg("-o").arg(&program);
    run(command.arg(file));
    elf::sections(&std::fs::read(program).expect("readable"))
}

/// `clang -O1 -g -S -ffreestanding debug.c` with `--target=aarch64-linux-gnu`, and
/// `--target=riscv64-linux-gnu -march=rv64gc -mno-relax`.
fn same_debug_information(target: &Target, name: &str) {
    if !has("ld.lld-19") || !has("llvm-mc-19") {
        return;
    }
    let path = root().join("tests/fixtures/asm/clang").join(name);
    let folder = folder(&format!("clang-{name}"));
    let machine = Machine::of(target, target.extensions);
    let own = linked(&folder, &machine.elf(&path, &std::fs::read(&path).expect("readable")));
    let mut command = Command::new("llvm-mc-19");
    let object = run(command.args(target.llvm).arg("--filetype=obj").arg(&path));
    let other = linked(&folder, &object);
    let is_kept = |name: &str| {
        [".text", ".data", ".rodata"].contains(&name)
            || name.starts_with(".debug_")
                && !name.starts_with(".debug_line")
                && name != ".debug_frame"
    };
    let names: Vec<&String> = other.keys().filter(|name| is_kept(name)).collect();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        assert_eq!(own.get(name), other.get(name), "{name}");
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn debug_information_of_clang_for_a64_is_linked_as_that_of_llvm() {
    same_debug_information(&A64, "aarch64.s");
}

#[test]
fn debug_information_of_clang_for_riscv_is_linked_as_that_of_llvm() {
    same_debug_information(&RISCV, "riscv64.s");
}
