//! Any bytes as files with machine code: no panic, no hang, and every byte of a section is on one line.

use std::path::Path;

use isadl_asm::disasm::Code;
use isadl_test_support::fuzz::object_file;
use isadl_test_support::{Random, count};

use crate::asm_files::{Machine, RISCV};

/// An object with code, data, marks, symbols and relocations.
const TEXT: &str = "
    .globl start
start: la a0, value
    beqz a0, start
    call elsewhere
$d: .byte 1, 2, 3, 4, 5, 6, 7
$x: lw a0, 0(a0)
    .half 0
    .data
value: .dword start, elsewhere - .
";

fn file() -> Vec<u8> {
    Machine::of(&RISCV, RISCV.extensions).elf(Path::new("any.s"), TEXT.as_bytes())
}

#[test]
fn changed_object_files_neither_panic_nor_hang() {
    let file = file();
    object_file(&file);
    let mut random = Random::new(7);
    let mut below = |count: usize| random.next_u128() as usize % count;
    for _ in 0..count("ISADL_SETS", 400) {
        let mut bytes = file.clone();
        for _ in 0..1 + below(4) {
            let at = below(bytes.len());
            // Most of the interesting contents are in the headers, and in the tables after the sections.
            let at = if below(2) == 0 { at.min(below(64)) } else { at };
            bytes[at] = [0, 1, 0x7f, 0xff, below(256) as u8][below(5)];
        }
        if below(4) == 0 {
            bytes.truncate(below(file.len()));
        }
        object_file(&bytes);
    }
}

#[test]
fn files_that_are_not_whole_are_refused() {
    let file = file();
    let machine = Machine::of(&RISCV, RISCV.extensions);
    let refused = |bytes: &[u8]| Code::elf(bytes, machine.engine().isa()).err();
    assert_eq!(refused(&file), None);
    for length in 0..64 {
        let message = refused(&file[..length]).expect("the header is cut");
        assert!(message.starts_with("the ELF file is malformed or incomplete"), "{message}");
    }
    let mut other = file.clone();
    other[18] = 62;
    let message = "the file is for machine 62, and RISCV is machine 243";
    assert_eq!(refused(&other).as_deref(), Some(message));
}
