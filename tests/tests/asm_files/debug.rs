//! Assembles the output of gcc with `-g`. Linked at the same addresses, code, data and the tables of types and
//! locations equal the output of GNU as; for A64, lines do, too. For RISC-V, GNU as leaves distances between lines to the
//! linker, so that the tables have other bytes: llvm-dwarfdump 19 reads the same lines in them.
//!
//! `tests/fixtures/asm/gcc/*-g/*.s` are made by `gcc -O2 -g -S -fdebug-prefix-map=$PWD=/src` (for RISC-V with
//! `-march=rv64gc -mabi=lp64d`); `NAME.gnu` next to each has the sections of the object of GNU as.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use isadl_asm::disasm::SourceLines;
use isadl_test_support::{bless, golden, root};

use super::compilers::SCRIPT;
use super::{A64, Machine, RISCV, Target, elf, files, folder, has, run};

const SECTIONS: [&str; 11] = [
    ".text",
    ".rodata",
    ".data",
    ".comment",
    ".debug_abbrev",
    ".debug_aranges",
    ".debug_line",
    ".debug_line_str",
    ".debug_loclists",
    ".debug_rnglists",
    ".debug_str",
];

struct Compiled {
    target: &'static Target,
    files: &'static str,
    gnu: &'static [&'static str],
    gcc: &'static [&'static str],
    /// Whether GNU as writes the distances between lines.
    has_lines: bool,
}

const OF_RISCV: Compiled = Compiled {
    target: &RISCV,
    files: "tests/fixtures/asm/gcc/riscv64gc-g",
    gnu: &["riscv64-linux-gnu-as", "-mno-relax", "-march=rv64gc"],
    gcc: &["riscv64-linux-gnu-gcc", "-march=rv64gc", "-mabi=lp64d"],
    has_lines: false,
};

const OF_A64: Compiled = Compiled {
    target: &A64,
    files: "tests/fixtures/asm/gcc/aarch64-g",
    gnu: &["aarch64-linux-gnu-as"],
    gcc: &["aarch64-linux-gnu-gcc"],
    has_lines: true,
};

/// The sections of an object once it is linked.
fn linked(folder: &Path, object: &[u8], has_lines: bool) -> String {
    let [script, file, program] = ["script.ld", "file.o", "program"].map(|name| folder.join(name));
    std::fs::write(&script, SCRIPT).expect("writable");
    std::fs::write(&file, object).expect("writable");
    let mut command = Command::new("ld.lld-19");
    let command = command.args(["--no-relax", "-e", "0", "-T"]).arg(script);
    run(command.arg("-o").arg(&program).arg(file));
    let all = elf::sections(&std::fs::read(&program).expect("readable"));
    let mut text = String::new();
    for name in SECTIONS {
        if !has_lines && name == ".debug_line" {
            text += &lines(&program);
            continue;
        }
        let Some(bytes) = all.get(name).filter(|bytes| !bytes.is_empty()) else { continue };
        let _ = writeln!(text, "section {name} size {}", bytes.len());
        for line in bytes.chunks(32) {
            let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(text, "  {}", hex.concat());
        }
    }
    text
}

/// The addresses of a program with their files, lines and columns. `isadl disasm --source` shows the same lines.
fn lines(program: &Path) -> String {
    let text = run(Command::new("llvm-dwarfdump-19").arg("--debug-line").arg(program));
    let text = String::from_utf8_lossy(&text).into_owned();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("0x")).collect();
    let names = text.lines().filter(|line| line.trim_start().starts_with("name: "));
    assert!(rows.len() > 10, "{text}");
    let found = SourceLines::of_elf(&std::fs::read(program).expect("readable")).expect("lines");
    let mut known = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.contains("end_sequence")) {
        let mut parts = row.split_whitespace();
        let address = parts.next().and_then(|part| u64::from_str_radix(&part[2..], 16).ok());
        let line: Option<u64> = parts.next().and_then(|part| part.parse().ok());
        known.insert(address.expect("an address"), line.expect("a line"));
    }
    for (address, line) in known {
        let own = found.at(address).map_or(0, |(_, line)| line);
        assert_eq!(own, line, "{}: {address:#x}", program.display());
    }
    rows.into_iter().chain(names).map(|line| format!("  {}\n", line.trim())).collect()
}

/// The summary of GNU as's object for a file.
fn gnu(of: &Compiled, folder: &Path, path: &Path) -> String {
    let object = folder.join("gnu.o");
    run(Command::new(of.gnu[0]).args(&of.gnu[1..]).arg("-o").arg(&object).arg(path));
    linked(folder, &std::fs::read(&object).expect("readable"), of.has_lines)
}

fn own(of: &Compiled, folder: &Path, path: &Path) -> String {
    let machine = Machine::of(of.target, of.target.extensions);
    linked(folder, &machine.elf(path, &std::fs::read(path).expect("readable")), of.has_lines)
}

fn compared(own: &str, other: &str, path: &Path) {
    let different = own.lines().zip(other.lines()).find(|(own, other)| own != other);
    assert!(own == other, "{}: {different:?}", path.display());
}

fn same_sections(of: &Compiled) {
    if !has("ld.lld-19") || !has("llvm-dwarfdump-19") {
        return;
    }
    let folder = folder(&of.files.replace('/', "-"));
    let has_as = has(of.gnu[0]);
    let recorded_files = files(of.files, "s");
    assert_eq!(recorded_files.len(), 3);
    for path in recorded_files {
        let recorded = path.with_extension("gnu");
        if has_as {
            let live = gnu(of, &folder, &path);
            if bless() {
                golden(&recorded, &live);
            }
            assert_eq!(std::fs::read_to_string(&recorded).unwrap_or_default(), live);
        }
        let expected = std::fs::read_to_string(&recorded).expect("recorded");
        compared(&own(of, &folder, &path), &expected, &path);
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// All files, and without optimisation too, where the compiler is installed.
fn same_of_all(of: &Compiled) {
    if !has("ld.lld-19") || !has("llvm-dwarfdump-19") || !has(of.gcc[0]) || !has(of.gnu[0]) {
        return;
    }
    let folder = folder(&format!("{}-all", of.files.replace('/', "-")));
    let sources = files("tests/fixtures/asm/gcc", "c");
    assert_eq!(sources.len(), 10);
    for source in sources {
        let path = folder.join("compiled.s");
        let mut command = Command::new(of.gcc[0]);
        let command = command.args(&of.gcc[1..]).args(["-O2", "-g", "-S", "-o"]).arg(&path);
        run(command.arg(&source).current_dir(root()));
        compared(&own(of, &folder, &path), &gnu(of, &folder, &path), &source);
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn files_for_debuggers_of_riscv_have_the_sections_of_gnu_as() {
    same_sections(&OF_RISCV);
    same_of_all(&OF_RISCV);
}

#[test]
fn files_for_debuggers_of_a64_have_the_sections_of_gnu_as() {
    same_sections(&OF_A64);
    same_of_all(&OF_A64);
}

/// A function that several files may have, its data, and another group without a symbol of its name.
const GROUPS: &str = "
    .section .text.f, \"axG\", @progbits, f, comdat
    .weak f
f:  call g
    ret
    .section .data.f, \"awG\", @progbits, f, comdat
    .dword f
    .section .debug_macro, \"G\", @progbits, wm4, comdat
    .word 5
    .text
    call f
";

#[test]
fn of_groups_linkers_keep_one() {
    if !has("ld.lld-19") {
        return;
    }
    let folder = folder("groups");
    let object =
        Machine::of(&RISCV, RISCV.extensions).elf(Path::new("groups.s"), GROUPS.as_bytes());
    let [one, other, program] = ["one.o", "other.o", "program"].map(|name| folder.join(name));
    std::fs::write(&one, &object).expect("writable");
    std::fs::write(&other, &object).expect("writable");
    let mut command = Command::new("ld.lld-19");
    run(command
        .args(["--no-relax", "-e", "0", "--defsym=g=0"])
        .arg("-o")
        .args([&program, &one, &other]));
    let all = elf::sections(&std::fs::read(&program).expect("readable"));
    let _ = std::fs::remove_dir_all(folder);
    // Both calls, and one of the two functions with its data.
    assert_eq!(all[".text"].len(), 2 * 8 + 10);
    assert_eq!(all[".data"].len(), 8);
    assert_eq!(all[".debug_macro"].len(), 4);
}
