//! `isadl disasm` of files: sections, ranges, relocations, colours, exit statuses.

use std::path::Path;
use std::process::{Command, Output};

use isadl_test_support::{golden, root};

use crate::asm_files::{A64, Machine, folder};
use crate::cli::binary;

/// A64 code with data in it, and with relocations.
const TEXT: &str = "
    .globl start
start:
    adrp x0, value
    ldr x1, [x0, :lo12:value]
    cbz x1, done
    bl elsewhere + 8
    cbz x2, inner
$d.0:
    .word 0x12345678, 0xffffffff
    .byte 1, 2
    .balign 4
$x:
inner:
    add x0, x1, #3
    .word 0xffffffff
done:
    b start
    .section .text.more, \"ax\"
more:
    b more
    .data
value:
    .xword start
";

/// Runs `isadl disasm` on a small part of A64, which is read fast.
fn disasm(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command
        .args(["disasm", "--spec"])
        .arg(root().join("tests/fixtures/relocations/a64"))
        .args(arguments);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.current_dir(folder).output().expect("the binary runs")
}

#[test]
fn object_files_are_disassembled_by_the_command_line() {
    let folder = folder("disasm-command");
    let object = Machine::of(&A64, &[]).elf(Path::new("code.s"), TEXT.as_bytes());
    std::fs::write(folder.join("code.o"), &object).expect("writable");
    std::fs::write(folder.join("half.o"), &object[..100]).expect("writable");
    std::fs::write(folder.join("code.bin"), [0, 0, 0, 0x14, 1]).expect("writable");
    std::fs::write(folder.join("lines.txt"), "00 00 00 14\n").expect("writable");
    let mut shown = String::new();
    for (arguments, status) in [
        (&["code.o"][..], 1),
        (&["--reloc", "code.o"], 1),
        (&["--section", ".text.more", "--section", ".data", "--reloc", "code.o"], 1),
        (&["--start", "0x8", "--stop", "0x10", "code.o"], 0),
        (&["--start", "4", "--stop", "12", "--color", "always", "--reloc", "code.o"], 0),
        (&["--binary", "code.bin"], 1),
        (&["--binary", "code.bin", "--address", "0x4000", "--stop", "0x4004"], 0),
        (&["lines.txt"], 0),
        (&["half.o"], 1),
        (&["--section", ".txt", "code.o"], 2),
        (&["--section", ".text", "lines.txt"], 2),
        (&["--start", "2", "--stop", "1", "code.o"], 2),
        (&["--address", "0", "code.o"], 2),
        (&["nowhere.o"], 2),
    ] {
        let output = disasm(&folder, arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        shown += &format!("$ isadl disasm {}\n", arguments.join(" "));
        let (own, errors) = (&output.stdout, &output.stderr);
        shown += &String::from_utf8_lossy(&[own.as_slice(), errors].concat());
    }
    let _ = std::fs::remove_dir_all(folder);
    golden(&root().join("tests/fixtures/asm/disasm.txt"), &shown);
}

#[test]
fn notes_begin_with_the_sign_of_the_specification() {
    let spec = root().join("tests/fixtures/asm/comment_sign.isa");
    let folder = folder("comment-sign");
    std::fs::write(folder.join("a.bin"), [0x13]).expect("writable");
    for argument in ["--binary", "--lines"] {
        let mut command = Command::new(binary());
        command.args(["disasm", "--spec"]).arg(&spec);
        match argument {
            "--binary" => command.arg("--binary").arg(folder.join("a.bin")),
            _ => {
                std::fs::write(folder.join("a.txt"), "13\n").expect("writable");
                command.arg(folder.join("a.txt"))
            }
        };
        let output = command.output().expect("the binary runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("add 3  ; decodes only: not this (No)"), "{text}");
    }
    let _ = std::fs::remove_dir_all(folder);
}
