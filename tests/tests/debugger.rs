//! gdb debugs a program that `isadl run` executes.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use isadl_test_support::root;

use crate::asm_files::has;
use crate::cli::binary;

const PROGRAM: &str = "#include <stdio.h>\n\
    long counter;\n\
    __attribute__((noinline)) long fact(long n) { counter += n; if (n < 2) return 1; return n * fact(n - 1); }\n\
    int main(void) { long r = fact(5); printf(\"%ld %ld\\n\", r, counter); return 7; }\n";

/// What gdb does, and what it then says.
const STEPS: [(&str, &str); 8] = [
    ("break fact", "Breakpoint 1 at"),
    ("continue", "Breakpoint 1, fact (n=n@entry=5)"),
    ("continue", "Breakpoint 1, fact (n=n@entry=4)"),
    ("backtrace", "in main ()"),
    ("watch counter", "Hardware watchpoint 2: counter"),
    ("continue", "New value = 9"),
    ("delete", ""),
    ("set var counter = 100", ""),
];

#[test]
fn gdb_stops_looks_and_changes() {
    if !has("gdb-multiarch") {
        println!("gdb-multiarch is not installed: no program is debugged");
        return;
    }
    for (compiler, spec) in [
        ("riscv64-linux-gnu-gcc", &["--spec", "spec/riscv", "--generation", "RV64"][..]),
        ("aarch64-linux-gnu-gcc", &["--spec", "spec/a64"][..]),
    ] {
        if !has(compiler) {
            println!("{compiler} is not installed: its programs are not debugged");
            continue;
        }
        let folder = std::env::temp_dir().join(format!("isadl-debugger-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        let (source, program) = (folder.join("fact.c"), folder.join(compiler));
        std::fs::write(&source, PROGRAM).expect("writable");
        let built = Command::new(compiler)
            .args(["-g", "-O1", "-static", "-o"])
            .args([&program, &source])
            .status();
        assert!(built.expect("the compiler runs").success());
        let mut running = Command::new(binary())
            .current_dir(root())
            .arg("run")
            .args(spec)
            .args(["--gdb", "0"])
            .arg(&program)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("isadl runs");
        let mut line = String::new();
        let errors = running.stderr.take().expect("a pipe");
        BufReader::new(errors).read_line(&mut line).expect("readable");
        let target = line.trim().strip_prefix("waiting for a debugger: ").expect("an address");
        let steps = STEPS.iter().flat_map(|(step, _)| ["-ex", step]);
        let debugged = Command::new("gdb-multiarch")
            .args(["-nx", "-batch", "-ex"])
            .arg(format!("file {}", program.display()))
            .args(["-ex", target])
            .args(steps)
            .args(["-ex", "continue"])
            .output()
            .expect("gdb runs");
        let said = String::from_utf8_lossy(&debugged.stdout);
        let wanted = STEPS.iter().map(|(_, answer)| *answer).chain(["exited with code 07"]);
        let mut rest = &*said;
        for answer in wanted {
            let at =
                rest.find(answer).unwrap_or_else(|| panic!("{compiler}: no {answer} in {said}"));
            rest = &rest[at + answer.len()..];
        }
        let output = running.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(7));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "120 106\n", "{compiler}");
        let _ = std::fs::remove_dir_all(&folder);
    }
}
