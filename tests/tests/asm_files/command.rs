//! The command line: exit statuses, names of outputs, JSON, folders, symbols.

use std::path::Path;
use std::process::{Command, Output};

use super::folder;
use crate::cli::binary;
use isadl_test_support::root;

/// Runs `isadl asm` on RISC-V in a folder.
fn asm(folder: &Path, arguments: &[&str]) -> Output {
    let spec = root().join("spec/riscv");
    let mut command = Command::new(binary());
    command.args(["asm", "--generation", "RV64", "--spec"]).arg(spec).args(arguments);
    command.current_dir(folder).output().expect("the binary runs")
}

#[test]
fn files_are_assembled_by_the_command_line() {
    let folder = folder("command");
    std::fs::create_dir_all(folder.join("more")).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("writable");
    write("a.s", ".include \"b.inc\"\n addi a0, a0, SIZE\n");
    write("more/b.inc", " nop\n");
    write("bad.s", " addi a0, a0, a1\n nopp\n");
    let status = |arguments: &[&str]| asm(&folder, arguments).status.code();
    let own = ["a.s", "--include", "more", "--define", "SIZE=-3", "--exact"];

    assert_eq!(status(&own), Some(0));
    assert!(std::fs::read(folder.join("a.o")).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")));
    assert_eq!(status(&[&own[..], &["--emit", "raw", "-o", "x.bin"]].concat()), Some(0));
    let raw = std::fs::read(folder.join("x.bin")).expect("an output");
    assert_eq!(raw, [0x13, 0, 0, 0, 0x13, 5, 0xd5, 0xff]);
    let hex =
        asm(&folder, &[&own[..], &["--emit", "hex", "-o", "-", "--address", "0x10"]].concat());
    assert_eq!(String::from_utf8_lossy(&hex.stdout), ":08001000130000001305D5FFE9\n:00000001FF\n");

    assert_eq!(status(&["a.s"]), Some(1), "the included file is not found");
    assert_eq!(status(&["nowhere.s"]), Some(2));
    assert_eq!(status(&["a.s", "-"]), Some(2), "lines are of one file");
    assert_eq!(status(&["a.s", "--define", "x=y"]), Some(2));
    let bad = asm(&folder, &["bad.s", "--format", "json"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(!folder.join("bad.o").exists());
    let lines = String::from_utf8_lossy(&bad.stdout).into_owned();
    let found: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[1]["code"]["code"], "E1101");
    assert_eq!(found[1]["spans"][0]["line_start"], 2);
    assert!(found[1]["message"].as_str().is_some_and(|text| text.contains("did you mean `nop`?")));
    let _ = std::fs::remove_dir_all(folder);
}
