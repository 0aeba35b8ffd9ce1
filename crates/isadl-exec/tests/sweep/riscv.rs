//! RV64: every opcode but those of vectors, of the system, and of extensions that qemu 7.2 does not have.

use std::fmt::Write;

use isadl::isa::{Isa, OpcodeId, RegFileId};
use isadl_exec::Spec;

use super::{
    BASE, BLOCK, CODE, FACTOR, INSTRUCTION, OUTPUT, Random, SCRATCH, SEED, STATES, TABLE, Target,
    WINDOW, WINDOW_BYTES, Word, is_plain, named,
};
use crate::qemu::needs_new;

pub(super) struct Rv64;

/// The commands of the emulator and of the compiler.
pub(crate) const QEMU: &[&str] =
    &["qemu-riscv64", "-cpu", "rv64,zba=true,zbb=true,zbc=true,zbs=true,Zfh=true"];
pub(crate) const GCC: &[&str] =
    &["riscv64-linux-gnu-gcc", "-march=rv64gc", "-mabi=lp64d", "-Wl,--no-relax"];

/// Numbers of a state: `x1` to `x30`, the rounding mode, the flags, and `f0` to `f31`.
const NUMBERS: usize = 30 + 2 + 32;

/// The scratch memory, in bytes from its beginning: the state before, the state after, the jump, and what the program itself needs.
const AFTER: usize = 8 * NUMBERS;
const JUMPED: usize = 2 * AFTER;
const COUNT: usize = JUMPED + 8;
const SUM: usize = COUNT + 8;
const NEXT_OUTPUT: usize = SUM + 8;
const BEFORE_RUN: usize = NEXT_OUTPUT + 8;
const AFTER_RUN: usize = BEFORE_RUN + 8;

pub(crate) fn file(isa: &Isa, name: &str) -> RegFileId {
    let at = isa.reg_files().iter().position(|file| file.name == name);
    RegFileId::new(at.expect("a file"))
}

impl Target for Rv64 {
    const NAMES: [&'static str; 2] = ["riscv", "riscv64"];
    const GENERATION: usize = 1;
    const QEMU: &'static [&'static str] = QEMU;
    const GCC: &'static [&'static str] = GCC;
    const POINTER: u32 = 31;

    fn registers(isa: &Isa) -> Vec<(RegFileId, u32, usize)> {
        let of = |name: &str, numbers: std::ops::Range<u32>| {
            let file = file(isa, name);
            numbers.map(move |number| (file, number, 1)).collect::<Vec<_>>()
        };
        [of("X", 1..31), of("frm", 0..1), of("fflags", 0..1), of("F", 0..32)].concat()
    }

    fn state(random: &mut Random) -> Vec<u64> {
        let mut values: Vec<u64> = (0..30).map(|_| random.register()).collect();
        values.extend([random.next() % 5, random.next() & random.next() & 31]);
        for _ in 0..32 {
            let width = [16, 32, 32, 64, 64][random.below(5)];
            let number = random.float(width);
            // Narrower numbers have ones above, but for a few.
            let above =
                if random.one_in(16) { 0 } else { u64::MAX.checked_shl(width).unwrap_or(0) };
            values.push(number | above);
        }
        values
    }

    fn can_run(spec: &Spec, id: OpcodeId) -> bool {
        let opcode = spec.isa().opcode(id);
        let needed = spec.isa().extensions().needs(&opcode.requires);
        let is_new = needs_new(&needed);
        let is_privileged = opcode.name.starts_with("CSR")
            || ["SRET", "MRET", "DRET"].contains(&opcode.name.as_str());
        // qemu 7.2 counts zeros above bit 31, too; version 8.0 does not.
        let is_mistaken = opcode.name == "CTZW";
        // Their targets are in registers.
        let is_indirect = ["C_JR", "C_JALR", "JALR"].contains(&opcode.name.as_str());
        is_plain(spec, id) && !is_new && !is_privileged && !is_mistaken && !is_indirect
    }

    fn base(isa: &Isa, id: OpcodeId, word: u32) -> Option<u32> {
        named(isa, id, "base", word).map(|(_, number)| number)
    }

    fn slot_of_base(number: u32) -> usize {
        (number as usize).saturating_sub(1)
    }

    fn program(words: &[Word], states: &[Vec<u64>], window: &[u64]) -> String {
        let mut text = String::from(".option norvc\n.globl _start\n.section .blocks, \"ax\"\n");
        for (number, word) in words.iter().enumerate() {
            block(&mut text, number, word);
        }
        let _ = writeln!(text, "b{}: la x1, end\njr x1", words.len());
        text.push_str(&routines(words.len()));
        tables(&mut text, words, states, window);
        text
    }
}

/// States, the window, and room for the scratch memory and the checksums.
pub(super) fn tables(text: &mut String, words: &[Word], states: &[Vec<u64>], window: &[u64]) {
    let numbers = |all: &[u64]| {
        let all: Vec<String> = all.iter().map(|one| format!("{one:#x}")).collect();
        format!(".quad {}\n", all.join(", "))
    };
    text.push_str(".section .table, \"aw\"\n");
    states.iter().for_each(|state| text.push_str(&numbers(state)));
    text.push_str(&numbers(window));
    let _ = writeln!(text, ".section .scratch, \"aw\", @nobits\n.zero 16384");
    let size = 8 * STATES * words.len();
    let _ = writeln!(text, ".section .output, \"aw\", @nobits\n.zero {size}");
}

fn block(text: &mut String, number: usize, word: &Word) {
    let start = number as u64 * BLOCK;
    let _ = writeln!(text, ".org {start}\nb{number}: lui x31, {:#x}", SCRATCH >> 12);
    let _ = writeln!(text, "sd x0, {COUNT}(x31)\nli x1, {SEED:#x}\nsd x1, {SUM}(x31)");
    let _ = writeln!(text, "l{number}: ld x1, {BEFORE_RUN}(x31)\njalr x1, x1");
    for float in 0..32 {
        let _ = writeln!(text, "fld f{float}, {}(x31)", 8 * (32 + float));
    }
    let _ = writeln!(text, "ld x1, {}(x31)\ncsrw frm, x1\nld x1, {}(x31)", 8 * 30, 8 * 31);
    let _ = writeln!(text, "csrw fflags, x1");
    for register in 1..31 {
        let _ = writeln!(text, "ld x{register}, {}(x31)", 8 * (register - 1));
    }
    if let Some(base) = word.base.filter(|base| *base != 0) {
        // What is added has more bits than one instruction takes.
        let rest = WINDOW - SCRATCH + BASE - 2 * 2047;
        let _ = writeln!(text, "andi x{base}, x{base}, 0x70\nadd x{base}, x{base}, x31");
        let _ = writeln!(text, "addi x{base}, x{base}, 2047\naddi x{base}, x{base}, 2047");
        let _ = writeln!(text, "addi x{base}, x{base}, {rest}");
    }
    let _ = writeln!(text, "j w{number}\n.org {}", start + INSTRUCTION - 4);
    let _ = writeln!(text, "nop\nw{number}: .{}byte {:#x}", word.bytes, word.word);
    let _ = writeln!(text, "sb x0, {JUMPED}(x31)");
    for register in 1..31 {
        let _ = writeln!(text, "sd x{register}, {}(x31)", AFTER + 8 * (register - 1));
    }
    let _ = writeln!(text, "csrr x1, frm\nsd x1, {}(x31)", AFTER + 8 * 30);
    let _ = writeln!(text, "csrr x1, fflags\nsd x1, {}(x31)", AFTER + 8 * 31);
    for float in 0..32 {
        let _ = writeln!(text, "fsd f{float}, {}(x31)", AFTER + 8 * (32 + float));
    }
    let _ = writeln!(text, "ld x1, {AFTER_RUN}(x31)\njalr x1, x1\nbnez x2, l{number}");
    let _ = writeln!(text, "j b{}", number + 1);
}

/// What is done before all words, before and after each run, and at the end.
fn routines(words: usize) -> String {
    let state = 8 * NUMBERS;
    let window = TABLE + (STATES * state) as u64;
    let (compared, bytes) = (8 * (NUMBERS + 1), 8 * STATES * words);
    format!(
        "_start: lui x31, {scratch:#x}\nla x1, before\nsd x1, {BEFORE_RUN}(x31)\nla x1, after\n\
         sd x1, {AFTER_RUN}(x31)\nli x1, {OUTPUT:#x}\nsd x1, {NEXT_OUTPUT}(x31)\nla x1, b0\njr x1\n\
         before: ld x2, {COUNT}(x31)\nli x3, {state}\nmul x2, x2, x3\nli x4, {TABLE:#x}\nadd x2, x2, x4\n\
         mv x4, x31\nadd x3, x2, x3\n1: ld x5, 0(x2)\nsd x5, 0(x4)\naddi x2, x2, 8\naddi x4, x4, 8\nbltu x2, x3, 1b\n\
         li x2, {window:#x}\nli x4, {WINDOW:#x}\naddi x3, x2, {WINDOW_BYTES}\n\
         1: ld x5, 0(x2)\nsd x5, 0(x4)\naddi x2, x2, 8\naddi x4, x4, 8\nbltu x2, x3, 1b\n\
         li x2, 1\nsd x2, {JUMPED}(x31)\nret\n\
         after: ld x2, {SUM}(x31)\nli x3, {FACTOR:#x}\naddi x4, x31, {AFTER}\naddi x5, x4, {compared}\n\
         1: ld x6, 0(x4)\nxor x2, x2, x6\nmul x2, x2, x3\naddi x4, x4, 8\nbltu x4, x5, 1b\n\
         li x4, {WINDOW:#x}\naddi x5, x4, {WINDOW_BYTES}\n\
         1: ld x6, 0(x4)\nxor x2, x2, x6\nmul x2, x2, x3\naddi x4, x4, 8\nbltu x4, x5, 1b\n\
         sd x2, {SUM}(x31)\nld x4, {NEXT_OUTPUT}(x31)\nsd x2, 0(x4)\naddi x4, x4, 8\nsd x4, {NEXT_OUTPUT}(x31)\n\
         ld x4, {COUNT}(x31)\naddi x4, x4, 1\nsd x4, {COUNT}(x31)\nsltiu x2, x4, {STATES}\nret\n\
         end: li x18, {bytes}\nli x19, {OUTPUT:#x}\n\
         1: li x10, 1\nmv x11, x19\nmv x12, x18\nli x17, 64\necall\nblez x10, 2f\n\
         add x19, x19, x10\nsub x18, x18, x10\nbnez x18, 1b\n2: li x10, 0\nli x17, 93\necall\n",
        scratch = SCRATCH >> 12,
    )
}

/// The blocks of code are apart from the scratch memory.
const _: () = assert!(CODE + 4000 * BLOCK < SCRATCH);
