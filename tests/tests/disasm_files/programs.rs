//! The programs of `asm_files`, linked: every instruction has the text of llvm-objdump, with the names of its targets.
//!
//! llvm-objdump also names what the second of two instructions computes (`jalr -20(ra) <print>`), and addresses outside of all
//! sections after symbols that are numbers.

use std::process::Command;

use isadl_asm::disasm::{Addresses, Code, Line};

use super::{by_llvm, named};
use crate::asm_files::{A64, Machine, RISCV, Target, files, folder, has, run};

fn same_lines(target: &Target) {
    if !has("llvm-objdump-19") || !has("ld.lld-19") {
        return;
    }
    let machine = Machine::of(target, target.extensions);
    let engine = machine.engine();
    let folder = folder(&format!("disasm-{}", target.emulator));
    let (object, program) = (folder.join("program.o"), folder.join("program"));
    let (mut compared, mut with_names, mut failures) = (0, 0, Vec::new());
    for path in files(target.programs, "s") {
        let bytes = machine.elf(&path, &std::fs::read(&path).expect("readable"));
        std::fs::write(&object, bytes).expect("writable");
        run(Command::new("ld.lld-19").arg("-o").arg(&program).arg(&object));
        let bytes = std::fs::read(&program).expect("readable");
        let code = Code::elf(&bytes, engine.isa()).expect("an ELF file");
        let expected = by_llvm(&program, target.llvm);
        assert!(expected.len() > 10, "{}", path.display());
        for (index, _) in code.sections.iter().enumerate().filter(|(_, own)| own.is_code) {
            for line in code.lines(&engine, index, Addresses::default(), false) {
                let Line::Inst(address, ..) = line else { continue };
                let (own, is_named) = named(&code, (&engine, index), &line).expect("a text");
                let theirs = expected.get(&address).map_or("nothing", String::as_str);
                let theirs =
                    if is_named { theirs } else { theirs.split(" <").next().unwrap_or("") };
                compared += 1;
                with_names += usize::from(is_named);
                if own != theirs {
                    failures.push(format!("{address:#x}: {own}, llvm: {theirs}"));
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 500 && with_names > 50, "{compared} instructions, {with_names} with names");
}

#[test]
fn riscv_programs_are_those_of_llvm() {
    same_lines(&RISCV);
}

#[test]
fn a64_programs_are_those_of_llvm() {
    same_lines(&A64);
}
