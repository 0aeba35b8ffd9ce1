//! Our programs: the object files equal llvm-mc 19's, and linked by ld.lld 19 they print the expected output.
//!
//! `NAME.llvm` records llvm-mc's object for `NAME.s`, with the arguments in [`Target`]. `NAME.out` records the
//! program's output and its exit status.

use std::path::Path;
use std::process::Command;

use isadl::diagnostic::Code;
use isadl_asm::{Options, Purpose};
use isadl_test_support::{bless, golden, root};

use super::{A64, Machine, RISCV, Target, elf, files, folder, has, run};

/// The object file that llvm-mc makes.
fn by_llvm(target: &Target, path: &Path) -> Vec<u8> {
    let include = format!("-I{}", root().join(target.programs).display());
    let mut command = Command::new("llvm-mc-19");
    run(command.args(target.llvm).args(["--filetype=obj", &include]).arg(path))
}

/// The difference between our object file for a text and the recorded object file of llvm-mc.
fn difference(machine: &Machine, target: &Target, path: &Path) -> Option<String> {
    let own = elf::summary(&machine.elf(path, &std::fs::read(path).expect("readable")));
    let recorded = path.with_extension("llvm");
    if has("llvm-mc-19") {
        let live = elf::summary(&by_llvm(target, path));
        if bless() {
            golden(&recorded, &live);
        }
        let recorded = std::fs::read_to_string(&recorded).unwrap_or_default();
        assert_eq!(recorded, live, "{}", path.display());
    }
    let expected = std::fs::read_to_string(&recorded).expect("recorded");
    let different = own.lines().zip(expected.lines()).find(|(own, other)| own != other);
    (own != expected).then(|| format!("{}: {different:?}", path.display()))
}

fn same_objects(target: &Target) {
    let machine = Machine::of(target, target.extensions);
    let programs = files(target.programs, "s");
    assert!(programs.len() >= 10, "at least ten programs");
    let failures = programs.iter().filter_map(|path| difference(&machine, target, path));
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn riscv_objects_are_those_of_llvm() {
    same_objects(&RISCV);
}

#[test]
fn a64_objects_are_those_of_llvm() {
    same_objects(&A64);
}

#[test]
fn a64_relocations_and_spellings_are_those_of_llvm() {
    let names = [
        "a64_relocations.s",
        "a64_spellings.s",
        "a64_aliases.s",
        "a64_read_only.s",
        "uleb_layout.s",
    ];
    for name in names {
        let path = root().join("tests/fixtures/asm").join(name);
        assert_eq!(difference(&Machine::of(&A64, &[]), &A64, &path), None);
    }
}

/// RISC-V with single bits, vectors and more.
const RISCV_MORE: Target = Target {
    extensions: &["gc", "Zbb", "Zbs", "V"],
    llvm: &["--triple=riscv64", "--mattr=+m,+a,+f,+d,+c,+zbb,+zbs,+v,-relax"],
    ..RISCV
};

#[test]
fn riscv_spellings_that_are_only_read_are_those_of_llvm() {
    let path = root().join("tests/fixtures/asm/riscv_spellings.s");
    let machine = Machine::of(&RISCV_MORE, RISCV_MORE.extensions);
    assert_eq!(difference(&machine, &RISCV_MORE, &path), None);
}

#[test]
fn branches_of_riscv_out_of_reach_are_those_of_llvm() {
    let path = root().join("tests/fixtures/asm/riscv_detours.s");
    assert_eq!(difference(&Machine::of(&RISCV, RISCV.extensions), &RISCV, &path), None);
}

fn same_output(target: &Target) {
    if !has("ld.lld-19") || !has(target.emulator) {
        return;
    }
    let machine = Machine::of(target, target.extensions);
    let folder = folder(&format!("programs-{}", target.emulator));
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

#[test]
fn a64_programs_print_what_they_should() {
    same_output(&A64);
}

/// A raw binary equals `ld.lld` 19's output for llvm-mc's object file, at the addresses of its sections.
fn same_memory(target: &Target) {
    if !has("ld.lld-19") || !has("llvm-mc-19") {
        return;
    }
    let machine = Machine::of(target, target.extensions);
    let folder = folder(&format!("memory-{}", target.emulator));
    let [script, file, program] = ["script.ld", "file.o", "program"].map(|name| folder.join(name));
    for path in files(target.programs, "s") {
        let text = std::fs::read(&path).expect("readable");
        let options = (&Options::default(), Purpose::Address(0x1_2340));
        let (_, object, diagnostics) = machine.assemble(&[(&path, &text)], options);
        if target.linked.iter().any(|name| path.ends_with(name)) {
            let mut codes = diagnostics.iter().map(|one| one.code);
            assert!(object.is_none() && codes.all(|code| code == Code::E1107));
            continue;
        }
        let object = object.unwrap_or_else(|| panic!("{}: {diagnostics:?}", path.display()));
        let sections = || object.sections.iter().filter(|section| section.size > 0);
        let placed: String = sections()
            .map(|own| format!("{0} {1:#x} : {{ *({0}) }}\n", own.name, own.address))
            .collect();
        // Symbols that linkers allocate are in `.bss`.
        let placed = placed.replace("*(.bss)", "*(.bss) *(COMMON)");
        std::fs::write(&script, format!("SECTIONS {{ {placed} }}")).expect("writable");
        std::fs::write(&file, by_llvm(target, &path)).expect("writable");
        run(Command::new("ld.lld-19")
            .args(["--no-relax", "-T"])
            .arg(&script)
            .arg("-o")
            .arg(&program)
            .arg(&file));
        let linked = elf::sections(&std::fs::read(&program).expect("readable"));
        for own in sections().filter(|own| !own.bytes.is_empty()) {
            assert!(linked[&own.name] == own.bytes, "{}: {}", path.display(), own.name);
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn riscv_raw_binaries_are_what_a_linker_makes() {
    same_memory(&RISCV);
}

#[test]
fn a64_raw_binaries_are_what_a_linker_makes() {
    same_memory(&A64);
}
