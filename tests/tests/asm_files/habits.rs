//! Habits of assembly files that people and compilers write: `tests/fixtures/asm/habits`, files for both machines and for
//! each. Sections, relocations and symbols are those of GNU as or of llvm-mc 19, which `NAME.MACHINE.gnu` and
//! `NAME.MACHINE.llvm` record; the one that is there says which.

use std::path::Path;
use std::process::Command;

use isadl::diagnostic::Code;
use isadl_asm::{Options, Purpose, readable};
use isadl_test_support::{bless, golden, root};

use super::{A64, Machine, RISCV, Target, elf, files, folder, has, run};

/// A machine, and how the other assemblers are called for it.
struct Known {
    target: &'static Target,
    name: &'static str,
    gnu: &'static [&'static str],
    llvm: &'static [&'static str],
}

const ALL: [Known; 2] = [
    Known {
        target: &RISCV,
        name: "riscv",
        gnu: &["riscv64-linux-gnu-as", "-mno-relax", "-march=rv64gc"],
        llvm: &[
            "llvm-mc-19",
            "--triple=riscv64",
            "--mattr=+m,+a,+f,+d,+c,-relax",
            "--filetype=obj",
        ],
    },
    Known {
        target: &A64,
        name: "a64",
        gnu: &["aarch64-linux-gnu-as", "-march=armv8.6-a+sve2"],
        llvm: &["llvm-mc-19", "--triple=aarch64", "--mattr=+v8.6a", "--filetype=obj"],
    },
];

/// What linkers see of an object.
fn seen(object: &[u8]) -> String {
    let summary = elf::summary(object);
    summary
        .lines()
        .filter(|line| !line.starts_with("machine"))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The object of another assembler, if it is installed and accepts the file.
fn other(command: &[&str], path: &Path, folder: &Path) -> Option<String> {
    if !has(command[0]) {
        return None;
    }
    let object = folder.join("other.o");
    let output =
        Command::new(command[0]).args(&command[1..]).arg("-o").arg(&object).arg(path).output();
    let is_made = output.expect("the program runs").status.success();
    is_made.then(|| seen(&std::fs::read(&object).expect("readable")))
}

fn compared(known: &Known, path: &Path, folder: &Path) -> Result<(), String> {
    let machine = Machine::of(known.target, known.target.extensions);
    let text = readable(std::fs::read(path).expect("readable"));
    let own = seen(&machine.elf(path, &text));
    let recorded = ["gnu", "llvm"].map(|of| path.with_extension(format!("{}.{of}", known.name)));
    let mut is_equal = false;
    for (recorded, command) in recorded.iter().zip([known.gnu, known.llvm]) {
        let live = other(command, path, folder);
        if bless() && !is_equal && live.as_ref() == Some(&own) {
            golden(recorded, &own);
        }
        let Ok(expected) = std::fs::read_to_string(recorded) else { continue };
        is_equal |= expected == own;
        if live.is_some_and(|live| live != expected) {
            return Err(format!("{}: the record of {} is old", path.display(), command[0]));
        }
    }
    match is_equal {
        true => Ok(()),
        false => Err(format!("{} for {}:\n{own}", path.display(), known.name)),
    }
}

#[test]
fn habits_have_the_objects_of_other_assemblers() {
    let folder = folder("habits");
    let (mut count, mut failures) = (0, Vec::new());
    for known in &ALL {
        for from in ["both", known.name] {
            for path in files(&format!("tests/fixtures/asm/habits/{from}"), "s") {
                count += 1;
                failures.extend(compared(known, &path, &folder).err());
            }
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    assert!(count >= 50, "{count} files");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_has_no_effect_is_said_once() {
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let text = b" .list\n .list\n .warning \"careful\"\n .warning \"careful\"\n .option arch, +zfoo\n .option odd\n .option relax\n nop\n";
    let options = (&Options::default(), Purpose::Linker);
    let (_, object, diagnostics) = machine.assemble(&[(Path::new("a.s"), text)], options);
    assert!(object.is_some());
    let mut codes: Vec<Code> = diagnostics.iter().map(|one| one.code).collect();
    codes.sort();
    assert_eq!(codes, [Code::W1109, Code::W1109, Code::W1110, Code::W1110]);
}

/// A C program looks at its own frames: with our tables, it finds all of its functions.
#[test]
fn linked_programs_unwind() {
    let source = root().join("tests/fixtures/asm/unwind.c");
    for (target, machine) in [(&RISCV, "riscv64"), (&A64, "aarch64")] {
        let gcc = format!("{machine}-linux-gnu-gcc");
        if !has(&gcc) || !has(target.emulator) {
            continue;
        }
        let folder = folder(&format!("unwind-{machine}"));
        let [text, object, program] = ["a.s", "a.o", "a"].map(|name| folder.join(name));
        let mut command = Command::new(&gcc);
        run(command.args(["-O2", "-g", "-fexceptions", "-S", "-o"]).arg(&text).arg(&source));
        let machine = Machine::of(target, target.extensions);
        let own = machine.elf(&text, &std::fs::read(&text).expect("readable"));
        std::fs::write(&object, own).expect("writable");
        let mut command = Command::new(&gcc);
        run(command.args(["-static", "-Wl,--no-relax", "-o"]).arg(&program).arg(&object));
        let said = run(Command::new(target.emulator).arg(&program));
        assert_eq!(String::from_utf8_lossy(&said), "other\nother\nthird\nmain\n");
        if has("gdb-multiarch") {
            let mut command = Command::new("gdb-multiarch");
            let lines = run(command.args(["-batch", "-ex", "info line second"]).arg(&program));
            let lines = String::from_utf8_lossy(&lines).into_owned();
            assert!(lines.contains("Line 31 of") && lines.contains("unwind.c"), "{lines}");
        }
        let _ = std::fs::remove_dir_all(folder);
    }
}
