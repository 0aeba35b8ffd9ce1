//! Random files, with branches in reach and out of it, give the objects of llvm-mc 19, where it is installed.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use isadl_test_support::{Random, count};

use super::{A64, Machine, RISCV, Target, elf, folder, has, run};

/// The lines from which random files of an instruction set are made. `{}` is a label, and `{n}` a small number.
struct Lines {
    target: &'static Target,
    lines: &'static [&'static str],
    /// Bytes between labels, at most: with several, branches are in reach and out of it.
    gap: usize,
}

const OF_RISCV: Lines = Lines {
    target: &RISCV,
    lines: &[
        "j {}",
        "beqz a{n}, {}",
        "bnez s0, {}",
        "bltu a0, t1, {}",
        "bge t0, zero, {}",
        "beq s1, a0, {}",
        "addi a0, a0, {n}",
        "lw a{n}, {n}(sp)",
        "la t0, {}",
        "call outside",
        "bne a0, a1, outside",
        ".balign 8",
        ".balign 16",
        ".half {n}",
        ".word {} - first",
        ".dword {}",
    ],
    gap: 900,
};

const OF_A64: Lines = Lines {
    target: &A64,
    lines: &[
        "b {}",
        "bl {}",
        "bl outside",
        "b.ne {}",
        "cbz x{n}, {}",
        "tbnz w1, #{n}, {}",
        "adr x{n}, {}",
        "adrp x0, outside",
        "add x0, x0, :lo12:{}",
        "ldr x{n}, [x0, #:lo12:{}]",
        "ldr w1, {}",
        "ldr x{n}, ={}",
        "add x1, x2, x{n}",
        "mov x0, #{n}",
        ".balign 16",
        ".balign 8",
        ".word {n}",
        ".xword {}",
        ".word {} - first",
    ],
    gap: 900,
};

/// A file with branches to labels in two sections of code. (llvm-mc does not shorten branches to a label and an
/// offset.) Between the labels are data, alignment and space.
fn file(random: &mut Random, of: &Lines) -> String {
    let mut below = |count: usize| random.next_u128() as usize % count;
    let labels = 2 + below(20);
    let gap = 2 + below(of.gap);
    let mut text = String::from("first:\n");
    for label in 0..labels {
        if below(6) == 0 {
            let section = [".text", ".section .text.other, \"ax\"", ".data"][below(3)];
            let _ = writeln!(text, " {section}");
        }
        let is_data = text.rfind(".data") > text.rfind(".text");
        let _ = writeln!(text, "l{label}:");
        for _ in 0..below(20) {
            let line = of.lines[below(of.lines.len())];
            let is_directive = line.starts_with('.') && !line.contains("- first");
            if is_data && !is_directive {
                continue;
            }
            // Distances of places in other sections are not known, and few relocations tell them.
            let target = format!("l{}", below(labels));
            let target = if line.contains("- first") { "first" } else { &target };
            let line = line.replace("{n}", &below(8).to_string()).replace("{}", target);
            let _ = writeln!(text, " {line}");
        }
        if below(2) == 0 {
            let _ = writeln!(text, " .space {}", below(gap) & !3);
        }
        let _ = writeln!(text, " .balign 4");
    }
    text
}

fn compared(of: &Lines, seed: u64) {
    if !has("llvm-mc-19") {
        return;
    }
    let machine = Machine::of(of.target, of.target.extensions);
    let folder = folder(&format!("sizes-{seed}"));
    let path = folder.join("sizes.s");
    let mut random = Random::new(seed);
    for _ in 0..count("ISADL_SETS", 60) {
        let text = file(&mut random, of);
        std::fs::write(&path, &text).expect("writable");
        let mut command = Command::new("llvm-mc-19");
        let object = run(command.args(of.target.llvm).arg("--filetype=obj").arg(&path));
        let own = elf::summary(&machine.elf(Path::new("sizes.s"), text.as_bytes()));
        let other = elf::summary(&object);
        let first = own.lines().zip(other.lines()).find(|(own, other)| own != other);
        assert!(own == other, "{first:?}, of\n{text}");
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn random_files_of_riscv_are_those_of_llvm() {
    compared(&OF_RISCV, 31);
}

#[test]
fn random_files_of_a64_are_those_of_llvm() {
    compared(&OF_A64, 32);
}

/// Options that add and remove extensions; `sh1add` needs an extension that is absent at first.
const OPTIONS: &str = "
    .option arch, +zba
    sh1add a0, a1, a2
    .option push
    .option arch, -c
    add a0, a0, a1
    .option norvc
    add a0, a0, a1
    .option rvc
    add a0, a0, a1
    .option pop
    add a0, a0, a1
    .option arch, +c, -zba
    add a0, a0, a1
";

#[test]
fn options_change_the_extensions() {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let object = machine.elf(Path::new("options.s"), OPTIONS.as_bytes());
    let text = &elf::sections(&object)[".text"];
    // llvm-mc 19 and GNU as give the same result.
    let sh1add = [0x33, 0xa5, 0xc5, 0x20];
    let long = [0x33, 0x05, 0xb5, 0x00];
    let short = [0x2e, 0x95];
    let expected = [&sh1add[..], &long, &long, &short, &short, &short].concat();
    assert_eq!(*text, expected);
}
