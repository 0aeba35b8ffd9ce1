//! Assembles the output of gcc (`gcc -O2 -S` of the C files; for RISC-V with `-mabi=lp64d`, and `-march=rv64g` or
//! `rv64gc`). Linked at the same addresses, our objects have the same bytes as the objects of GNU as.
//!
//! Before linking the objects differ: GNU as leaves every branch and `%pcrel_hi` of RISC-V to the linker, and adds sections of
//! its own (`.riscv.attributes`, `.eh_frame`). `NAME.linked` next to each file is recorded.

use std::path::Path;
use std::process::Command;

use isadl_test_support::{bless, golden};

use super::{A64, Machine, RISCV, Target, elf, files, folder, has, run};

/// The output of gcc for a machine.
struct Compiled {
    target: &'static Target,
    /// The extensions that gcc was told of.
    extensions: &'static [&'static str],
    files: &'static str,
    /// GNU as, and its arguments.
    gnu: &'static [&'static str],
}

const OF_RISCV: Compiled = Compiled {
    target: &RISCV,
    extensions: &["g"],
    files: "tests/fixtures/asm/gcc/riscv64",
    gnu: &["riscv64-linux-gnu-as", "-mno-relax", "-march=rv64g"],
};

const OF_RISCV_GC: Compiled = Compiled {
    target: &RISCV,
    extensions: RISCV.extensions,
    files: "tests/fixtures/asm/gcc/riscv64gc",
    gnu: &["riscv64-linux-gnu-as", "-mno-relax", "-march=rv64gc"],
};

const OF_A64: Compiled = Compiled {
    target: &A64,
    extensions: &[],
    files: "tests/fixtures/asm/gcc/aarch64",
    gnu: &["aarch64-linux-gnu-as"],
};

/// Fixed addresses, so that headers and empty sections do not matter.
pub(super) const SCRIPT: &str = "SECTIONS {
    .text 0x10000 : { *(.text .text.*) }
    .rodata 0x20000 : { *(.rodata .rodata.* .srodata .srodata.*) }
    .data 0x30000 : { *(.data .data.* .sdata .sdata.*) }
    .tdata 0x40000 : { *(.tdata .tdata.*) }
    .tbss 0x41000 : { *(.tbss .tbss.*) }
    .got 0x50000 : { *(.got) }
    .bss 0x60000 : { *(.bss .bss.* .sbss .sbss.*) *(COMMON) }
    elsewhere = 0x70000; puts = 0x71000; malloc = 0x72000; memcpy = 0x73000;
    __aarch64_swp4_acq = 0x74000; __aarch64_ldadd8_acq_rel = 0x75000; __aarch64_cas4_acq_rel = 0x76000;
    /DISCARD/ : { *(.riscv.attributes .eh_frame .comment .note.*) }
}
";

/// The bytes of an object once it is linked.
fn linked(folder: &Path, object: &[u8]) -> String {
    let [script, file, program] = ["script.ld", "file.o", "program"].map(|name| folder.join(name));
    std::fs::write(&script, SCRIPT).expect("writable");
    std::fs::write(&file, object).expect("writable");
    let mut command = Command::new("ld.lld-19");
    run(command
        .args(["--no-relax", "-e", "0", "-T"])
        .arg(script)
        .arg("-o")
        .arg(&program)
        .arg(file));
    let summary = elf::summary(&std::fs::read(program).expect("readable"));
    // The file determines which names are visible, and their addresses.
    let is_own = |line: &&str| !line.contains("symbol _") && !line.starts_with("machine");
    summary.lines().filter(is_own).map(|line| line.to_string() + "\n").collect()
}

fn same_bytes(of: &Compiled) {
    if !has("ld.lld-19") {
        return;
    }
    let machine = Machine::of(of.target, of.extensions);
    let has_as = has(of.gnu[0]);
    let folder = folder(&of.files.replace('/', "-"));
    let all = files(of.files, "s");
    assert_eq!(all.len(), 10);
    let mut failures = Vec::new();
    for path in all {
        let recorded = path.with_extension("linked");
        if has_as {
            let object = folder.join("gnu.o");
            let mut command = Command::new(of.gnu[0]);
            run(command.args(&of.gnu[1..]).arg("-o").arg(&object).arg(&path));
            let live = linked(&folder, &std::fs::read(&object).expect("readable"));
            if bless() {
                golden(&recorded, &live);
            }
            assert_eq!(std::fs::read_to_string(&recorded).unwrap_or_default(), live);
        }
        let own = linked(&folder, &machine.elf(&path, &std::fs::read(&path).expect("readable")));
        let expected = std::fs::read_to_string(&recorded).expect("recorded");
        let different = own.lines().zip(expected.lines()).find(|(own, other)| own != other);
        if own != expected {
            failures.push(format!("{}: {different:?}", path.display()));
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn files_of_gcc_for_riscv_are_linked_to_the_bytes_of_gnu_as() {
    same_bytes(&OF_RISCV);
}

#[test]
fn files_of_gcc_for_riscv_with_short_encodings_are_linked_to_the_bytes_of_gnu_as() {
    same_bytes(&OF_RISCV_GC);
}

#[test]
fn files_of_gcc_for_a64_are_linked_to_the_bytes_of_gnu_as() {
    same_bytes(&OF_A64);
}
