//! A64: every opcode that runs in user mode.

use std::fmt::Write;

use isadl::isa::{Isa, OpcodeId, RegFileId};
use isadl_exec::Spec;

use super::{
    BASE, BLOCK, FACTOR, INSTRUCTION, OUTPUT, Random, SCRATCH, SEED, STATES, TABLE, Target, WINDOW,
    WINDOW_BYTES, Word, is_plain, named,
};
use crate::qemu::{differs_a64, lacks_a64};

pub(super) struct A64;

/// The commands of the emulator and of the compiler.
pub(crate) const QEMU: &[&str] = &["qemu-aarch64", "-cpu", "max"];
pub(crate) const GCC: &[&str] = &["aarch64-linux-gnu-gcc", "-march=armv8-a"];

/// Numbers of a state: `x0` to `x27`, `x29`, `x30`, the stack pointer, the four flags, the control and status registers of
/// floating-point arithmetic, a number that is not used, and the vectors with two numbers each.
const GENERAL: usize = 30;
const NUMBERS: usize = GENERAL + 1 + 4 + 2 + 1 + 64;
const SP: usize = GENERAL;
const FLAGS: usize = SP + 1;
const FPCR: usize = FLAGS + 4;
const FPSR: usize = FPCR + 1;
const VECTORS: usize = FPSR + 2;

/// The scratch memory, in bytes from its beginning: the state before, the state after, the jump, and what the program itself needs.
const AFTER: usize = 1024;
const JUMPED: usize = AFTER + 8 * NUMBERS;
const COUNT: usize = JUMPED + 8;
const SUM: usize = COUNT + 8;
const NEXT_OUTPUT: usize = SUM + 8;

pub(crate) fn file(isa: &Isa, name: &str) -> RegFileId {
    let at = isa.reg_files().iter().position(|file| file.name == name);
    RegFileId::new(at.expect("a file"))
}

/// Where a general register is in a state.
fn place(register: usize) -> usize {
    if register < 28 { register } else { register - 1 }
}

/// The number of the register that the address of an access to memory is made of, 31 for the stack pointer.
pub(crate) fn base(isa: &Isa, id: OpcodeId, word: u32) -> Option<u32> {
    let opcode = isa.opcode(id);
    let is_memory = opcode.name.starts_with("LD")
        || opcode.name.starts_with("ST")
        || opcode.name.starts_with("CAS")
        || opcode.name.starts_with("SWP");
    let field = ["rn", "base"].into_iter().find_map(|name| named(isa, id, name, word));
    let (of, number) = field.filter(|_| is_memory)?;
    Some(if of == file(isa, "SP") { 31 } else { number })
}

impl Target for A64 {
    const NAMES: [&'static str; 2] = ["a64", "a64"];
    const GENERATION: usize = 0;
    const QEMU: &'static [&'static str] = QEMU;
    const GCC: &'static [&'static str] = GCC;
    const POINTER: u32 = 28;

    fn registers(isa: &Isa) -> Vec<(RegFileId, u32, usize)> {
        let of = |name: &str, numbers: &[u32], count: usize| {
            let file = file(isa, name);
            numbers.iter().map(|number| (file, *number, count)).collect::<Vec<_>>()
        };
        let general: Vec<u32> = (0..31).filter(|register| *register != 28).collect();
        let vectors: Vec<u32> = (0..32).collect();
        [
            of("X", &general, 1),
            of("SP", &[0], 1),
            of("NZCV", &[0, 1, 2, 3], 1),
            of("FPCR", &[0], 1),
            of("FPSR", &[0], 1),
            of("V", &vectors, 2),
        ]
        .concat()
    }

    fn state(random: &mut Random) -> Vec<u64> {
        let mut values: Vec<u64> = (0..=GENERAL).map(|_| random.register()).collect();
        values.extend((0..4).map(|_| random.next() % 2));
        // The rounding mode; subnormal numbers, also of binary16 alone, and NaNs are sometimes not kept.
        let modes = u64::from(random.one_in(4)) << 24 | u64::from(random.one_in(3)) << 25;
        let modes = modes | u64::from(random.one_in(4)) << 19;
        values.push((random.next() & 3) << 22 | modes);
        values.push(random.next() & random.next() & 0x9f);
        for _ in 0..32 {
            let width = [16, 32, 32, 64, 64][random.below(5)];
            for _ in 0..2 {
                let number = match random.below(8) {
                    0 => 0,
                    1 => 0x8000_0000_8000_8080,
                    2 => 0x7fff_ffff_7fff_7f7f,
                    3 => 0x0101_0101_0101_0101 * (random.next() % 256),
                    _ => {
                        (0..64 / width).fold(0, |all, at| all | random.float(width) << (width * at))
                    }
                };
                values.push(number);
            }
        }
        values
    }

    fn can_run(spec: &Spec, id: OpcodeId) -> bool {
        let name = spec.isa().opcode(id).name.as_str();
        // System registers, and returns from exceptions, are the system's.
        let is_systems = ["MRS", "MSR", "ERET", "DRPS", "CLREX"].contains(&name);
        // These load from where the code is, or jump to where a register says.
        let is_elsewhere = name.ends_with("_LITERAL") || ["BR", "BLR", "RET"].contains(&name);
        let is_known = !lacks_a64(name) && !differs_a64(name, 0);
        is_plain(spec, id) && is_known && !is_systems && !is_elsewhere
    }

    fn is_wanted(name: &str, word: u32) -> bool {
        !differs_a64(name, word)
    }

    fn base(isa: &Isa, id: OpcodeId, word: u32) -> Option<u32> {
        base(isa, id, word)
    }

    fn slot_of_base(number: u32) -> usize {
        if number == 31 { SP } else { place(number as usize) }
    }

    fn program(words: &[Word], states: &[Vec<u64>], window: &[u64]) -> String {
        let mut text = String::from(".globl _start\n.section .blocks, \"ax\"\n");
        for (number, word) in words.iter().enumerate() {
            block(&mut text, number, word);
        }
        let _ = writeln!(text, "b{}: b end", words.len());
        text.push_str(&routines(words.len()));
        let numbers = |all: &[u64]| {
            let all: Vec<String> = all.iter().map(|one| format!("{one:#x}")).collect();
            format!(".quad {}\n", all.join(", "))
        };
        text.push_str(".section .table, \"aw\"\n");
        for state in states {
            // Vectors are at a multiple of 16 bytes.
            let (first, vectors) = state.split_at(VECTORS - 1);
            text.push_str(&numbers(&[first, &[0], vectors].concat()));
        }
        text.push_str(&numbers(window));
        let _ = writeln!(text, ".section .scratch, \"aw\", %nobits\n.zero 16384");
        let size = 8 * STATES * words.len();
        let _ = writeln!(text, ".section .output, \"aw\", %nobits\n.zero {size}");
        text
    }
}

/// Loads a number into a general register.
fn load(register: usize, value: u64) -> String {
    let piece = |at: u64| (value >> (16 * at)) & 0xffff;
    let mut text = format!("movz x{register}, {:#x}\n", piece(0));
    for at in 1..4 {
        let _ = writeln!(text, "movk x{register}, {:#x}, lsl {}", piece(at), 16 * at);
    }
    text
}

/// Loads or stores all vectors.
fn vectors(text: &mut String, name: &str, at: usize) {
    for pair in 0..16 {
        let (first, second) = (2 * pair, 2 * pair + 1);
        let at = at + 8 * VECTORS + 32 * pair;
        // The distance of pairs has few bits.
        let _ =
            writeln!(text, "{name} q{first}, [x28, {at}]\n{name} q{second}, [x28, {}]", at + 16);
    }
}

fn block(text: &mut String, number: usize, word: &Word) {
    let start = number as u64 * BLOCK;
    let _ = writeln!(text, ".org {start}\nb{number}: movz x28, {:#x}, lsl 16", SCRATCH >> 16);
    let _ = writeln!(text, "str xzr, [x28, {COUNT}]\n{}str x1, [x28, {SUM}]", load(1, SEED));
    let _ = writeln!(text, "l{number}: bl before");
    vectors(text, "ldr", 0);
    // The flags are bits 31 to 28 of a register.
    let _ = writeln!(text, "mov x1, 0");
    for flag in 0..4 {
        let _ = writeln!(text, "ldr x2, [x28, {}]", 8 * (FLAGS + flag));
        let _ = writeln!(text, "orr x1, x1, x2, lsl {}", 31 - flag);
    }
    let _ = writeln!(text, "msr nzcv, x1\nldr x1, [x28, {}]\nmsr fpcr, x1", 8 * FPCR);
    let _ = writeln!(text, "ldr x1, [x28, {}]\nmsr fpsr, x1", 8 * FPSR);
    let _ = writeln!(text, "ldr x1, [x28, {}]\nmov sp, x1", 8 * SP);
    for register in (0..31).filter(|register| *register != 28) {
        let _ = writeln!(text, "ldr x{register}, [x28, {}]", 8 * place(register));
    }
    if let Some(base) = word.base {
        // The stack pointer cannot be an operand of all instructions.
        let own = if base == 31 { 0 } else { base };
        if base == 31 {
            let _ = writeln!(text, "mov x0, sp");
        }
        let _ = writeln!(text, "and x{own}, x{own}, 0x70\nadd x{own}, x{own}, x28");
        let distance = WINDOW - SCRATCH;
        let _ = writeln!(text, "add x{own}, x{own}, {distance}\nadd x{own}, x{own}, {BASE}");
        if base == 31 {
            let _ = writeln!(text, "mov sp, x0\nldr x0, [x28, 0]");
        }
    }
    let _ = writeln!(text, "b w{number}\n.org {}", start + INSTRUCTION - 4);
    let _ = writeln!(text, "nop\nw{number}: .inst {:#x}", word.word);
    let _ = writeln!(text, "strb wzr, [x28, {JUMPED}]");
    for register in (0..31).filter(|register| *register != 28) {
        let _ = writeln!(text, "str x{register}, [x28, {}]", AFTER + 8 * place(register));
    }
    let _ = writeln!(text, "mov x1, sp\nstr x1, [x28, {}]\nmrs x1, nzcv", AFTER + 8 * SP);
    for flag in 0..4 {
        let _ = writeln!(text, "ubfx x2, x1, {}, 1", 31 - flag);
        let _ = writeln!(text, "str x2, [x28, {}]", AFTER + 8 * (FLAGS + flag));
    }
    let _ = writeln!(text, "mrs x1, fpcr\nstr x1, [x28, {}]", AFTER + 8 * FPCR);
    let _ = writeln!(text, "mrs x1, fpsr\nstr x1, [x28, {}]", AFTER + 8 * FPSR);
    vectors(text, "str", AFTER);
    let _ = writeln!(text, "bl after\ncbnz x2, l{number}\nb b{}", number + 1);
}

/// What is done before all words, before and after each run, and at the end.
fn routines(words: usize) -> String {
    let state = 8 * NUMBERS;
    let window = TABLE + (STATES * state) as u64;
    let gap = AFTER + 8 * (VECTORS - 1);
    let (end, bytes) = (AFTER + 8 * (NUMBERS + 1), 8 * STATES * words);
    let sum = |from: String, to: String| {
        format!(
            "{from}{to}1: ldr x6, [x4], 8\neor x2, x2, x6\nmul x2, x2, x3\ncmp x4, x5\nb.lo 1b\n"
        )
    };
    let from_scratch = |register: usize, at: usize| {
        format!(
            "add x{register}, x28, {}\nadd x{register}, x{register}, {}\n",
            at & 0xf00,
            at & 0xff
        )
    };
    let copy = "1: ldr x5, [x2], 8\nstr x5, [x4], 8\ncmp x2, x3\nb.lo 1b\n";
    [
        format!("_start: movz x28, {:#x}, lsl 16\n", SCRATCH >> 16),
        load(1, OUTPUT),
        format!("str x1, [x28, {NEXT_OUTPUT}]\nb b0\n"),
        format!("before: ldr x2, [x28, {COUNT}]\n"),
        load(3, state as u64),
        "mul x2, x2, x3\n".to_string(),
        load(4, TABLE),
        format!("add x2, x2, x4\nmov x4, x28\nadd x3, x2, x3\n{copy}"),
        load(2, window),
        load(4, WINDOW),
        format!("add x3, x2, {WINDOW_BYTES}\n{copy}mov x2, 1\nstr x2, [x28, {JUMPED}]\nret\n"),
        format!("after: ldr x2, [x28, {SUM}]\n"),
        load(3, FACTOR),
        // The number that is not used is none of the checksum.
        sum(from_scratch(4, AFTER), from_scratch(5, gap)),
        sum(from_scratch(4, gap + 8), from_scratch(5, end)),
        sum(load(4, WINDOW), format!("add x5, x4, {WINDOW_BYTES}\n")),
        format!("str x2, [x28, {SUM}]\nldr x4, [x28, {NEXT_OUTPUT}]\nstr x2, [x4], 8\n"),
        format!("str x4, [x28, {NEXT_OUTPUT}]\nldr x4, [x28, {COUNT}]\nadd x4, x4, 1\n"),
        format!("str x4, [x28, {COUNT}]\ncmp x4, {STATES}\ncset x2, lo\nret\n"),
        format!("end: {}{}", load(18, bytes as u64), load(19, OUTPUT)),
        "1: mov x0, 1\nmov x1, x19\nmov x2, x18\nmov x8, 64\nsvc 0\ncmp x0, 0\nb.le 2f\n"
            .to_string(),
        "add x19, x19, x0\nsubs x18, x18, x0\nb.ne 1b\n2: mov x0, 0\nmov x8, 93\nsvc 0\n"
            .to_string(),
    ]
    .concat()
}
