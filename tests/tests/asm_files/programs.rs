//! Programs of ours: the object files are those of llvm-mc 19, and linked by ld.lld 19 they print what they should.
//!
//! `NAME.llvm` is recorded: what llvm-mc makes of `NAME.s`, with the arguments in [`Target`]. `NAME.out` is what the
//! program prints, and its exit status.

use std::path::Path;
use std::process::Command;

use isadl_tests::{bless, golden, root};

use super::{Machine, RISCV, Target, elf, files, folder, has, run};

/// The object file that llvm-mc makes.
fn by_llvm(target: &Target, path: &Path) -> Vec<u8> {
    let include = format!("-I{}", root().join(target.programs).display());
    let mut command = Command::new("llvm-mc-19");
    run(command.args(target.llvm).args(["--filetype=obj", &include]).arg(path))
}

fn same_objects(target: &Target) {
    let machine = Machine::of(target, target.extensions);
    let has_llvm = has("llvm-mc-19");
    let programs = files(target.programs, "s");
    assert!(programs.len() >= 10, "at least ten programs");
    let mut failures = Vec::new();
    for path in programs {
        let own = elf::summary(&machine.elf(&path, &std::fs::read(&path).expect("readable")));
        let recorded = path.with_extension("llvm");
        if has_llvm {
            let live = elf::summary(&by_llvm(target, &path));
            if bless() {
                golden(&recorded, &live);
            }
            assert_eq!(
                std::fs::read_to_string(&recorded).unwrap_or_default(),
                live,
                "{}",
                path.display()
            );
        }
        let expected = std::fs::read_to_string(&recorded).expect("recorded");
        let different = own.lines().zip(expected.lines()).find(|(own, other)| own != other);
        if own != expected {
            failures.push(format!("{}: {different:?}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn riscv_objects_are_those_of_llvm() {
    same_objects(&RISCV);
}

fn same_output(target: &Target) {
    if !has("ld.lld-19") || !has(target.emulator) {
        return;
    }
    let machine = Machine::of(target, target.extensions);
    let folder = folder("programs");
    for path in files(target.programs, "s") {
        let (object, program) = (folder.join("program.o"), folder.join("program"));
        let bytes = machine.elf(&path, &std::fs::read(&path).expect("readable"));
        std::fs::write(&object, bytes).expect("writable");
        run(Command::new("ld.lld-19").arg("-o").arg(&program).arg(&object));
        let output =
            Command::new(target.emulator).arg(&program).output().expect("the emulator runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let shown = format!("{text}status {:?}\n", output.status.code());
        golden(&path.with_extension("out"), &shown);
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn riscv_programs_print_what_they_should() {
    same_output(&RISCV);
}
