//! V in RV64, with registers of `VLEN` bits. Types of elements, lengths, first elements and masks are part of the states.

use std::fmt::Write;
use std::rc::Rc;

use isadl::isa::{Isa, OpcodeId, RegFileId};
use isadl_exec::Spec;

use super::riscv::{file, tables};
use super::{
    BLOCK, FACTOR, INSTRUCTION, OUTPUT, Random, SCRATCH, SEED, STATES, TABLE, Target, WINDOW, Word,
    common, is_plain, named,
};
use crate::choices;

pub(super) struct V<const VLEN: usize>;

/// Numbers of a state before its vectors: `x1` to `x30`, `frm`, `fflags`, `f0` to `f31`, and the control registers.
const NUMBERS: usize = 30 + 2 + 32 + CONTROLS.len();
const FLOATS: usize = 32;
const FIRST_CONTROL: usize = 64;

/// The control registers of vectors, with their numbers. An instruction of vectors changes the last one, and the first two are set by
/// such an instruction.
const CONTROLS: [(&str, u32); 5] =
    [("vl", 0xc20), ("vtype", 0xc21), ("vxsat", 9), ("vxrm", 10), ("vstart", 8)];

/// The scratch memory, in bytes from its beginning: numbers before and after, the jump, what the program itself needs, and vectors.
const AFTER: usize = 8 * NUMBERS;
const JUMPED: usize = 2 * AFTER;
const COUNT: usize = JUMPED + 8;
const SUM: usize = COUNT + 8;
const NEXT_OUTPUT: usize = SUM + 8;
const BEFORE_RUN: usize = NEXT_OUTPUT + 8;
const AFTER_RUN: usize = BEFORE_RUN + 8;
const VECTORS: usize = 1280;

/// The bytes of memory that a word may access, and where in them its base register points.
const WINDOW_BYTES: u64 = 4096;
const BASE: u64 = 2048;

/// How a load or store of vectors finds its elements.
enum Access {
    /// One after the other.
    Near,
    /// At the distance that a register has.
    Strided(u32),
    /// At the distances that a vector has, in elements of so many bits.
    Indexed(u32),
}

fn access(word: u32) -> Option<Access> {
    let width = match word >> 12 & 7 {
        0 => 8,
        wide @ 5..=7 => 16 << (wide - 5),
        _ => return None,
    };
    if !matches!(word & 0x7f, 0x07 | 0x27) {
        return None;
    }
    Some(match word >> 26 & 3 {
        0 => Access::Near,
        2 => Access::Strided(word >> 20 & 31),
        _ => Access::Indexed(width),
    })
}

/// Instructions that are tried with `vstart` = 0 alone, since qemu 7.2 does not do with other values what the manual says. Reductions,
/// searches in masks, `viota` and `vcompress` are illegal then: qemu seems to decide that by the
/// `vstart` of the time when it translates a word. It does not set `vstart` to 0 after moves of one element and `vslideup`, and
/// accesses memory behind the last register of a load or store of whole registers.
const FROM_THE_FIRST: [&str; 24] = [
    "VCOMPRESS",
    "VCPOP",
    "VFIRST",
    "VFMV_F_S",
    "VFMV_S_F",
    "VFRED",
    "VFWRED",
    "VIOTA",
    "VL1R",
    "VL2R",
    "VL4R",
    "VL8R",
    "VMSBF",
    "VMSIF",
    "VMSOF",
    "VMV_S_X",
    "VMV_X_S",
    "VRED",
    "VS1R",
    "VS2R",
    "VS4R",
    "VS8R",
    "VSLIDEUP",
    "VWRED",
];

fn is_from_the_first(word: &Word) -> bool {
    FROM_THE_FIRST.iter().any(|name| word.opcode.starts_with(name))
}

/// Whether a word moves whole registers. qemu 7.2 does so with an illegal `vtype`, too.
fn is_whole_move(word: u32) -> bool {
    word & 0xfc00_707f == 0x9c00_3057
}

/// Half a register of 128 bits: numbers of a format, small ones, or anything.
fn half(random: &mut Random, width: u32) -> u64 {
    match random.below(8) {
        0 => random.register(),
        1 => random.next() % 8 * 0x0001_0001_0001_0001,
        2 | 3 => random.next(),
        kind => {
            let width = if kind == 4 { 16 << random.below(3) } else { width.max(16) };
            (0..64 / width).fold(0, |all, at| all | random.float(width) << (width * at))
        }
    }
}

impl<const VLEN: usize> Target for V<VLEN> {
    const NAMES: [&'static str; 2] =
        ["riscv", if VLEN == 128 { "riscv64_v128" } else { "riscv64_v256" }];
    const GENERATION: usize = 1;
    const QEMU: &'static [&'static str] = &[
        "qemu-riscv64",
        "-cpu",
        if VLEN == 128 { "rv64,v=true,vlen=128" } else { "rv64,v=true,vlen=256" },
    ];
    const GCC: &'static [&'static str] =
        &["riscv64-linux-gnu-gcc", "-march=rv64gc", "-mabi=lp64d", "-Wl,--no-relax"];
    const POINTER: u32 = 31;
    const WINDOW_NUMBERS: u64 = WINDOW_BYTES / 8;
    const TRAPS: bool = true;

    fn spec() -> Rc<Spec> {
        // README.md of the specification says what has to be changed.
        let spec = common::changed("../../spec/riscv", Self::GENERATION, |text| {
            text.replace("V<128, 32>", &format!("V<{VLEN}, 32>"))
                .replace("const VLEN = 128", &format!("const VLEN = {VLEN}"))
                .replace("> = 128;", &format!("> = {VLEN};"))
                .replace("> = 128 *", &format!("> = {VLEN} *"))
        });
        let vectors = &spec.isa().reg_files()[file(spec.isa(), "V").index()];
        assert_eq!(vectors.width as usize, VLEN);
        spec
    }

    fn registers(isa: &Isa) -> Vec<(RegFileId, u32, usize)> {
        let of = |name: &str, numbers: std::ops::Range<u32>, count: usize| {
            let file = file(isa, name);
            numbers.map(move |number| (file, number, count)).collect::<Vec<_>>()
        };
        let mut all =
            [of("X", 1..31, 1), of("frm", 0..1, 1), of("fflags", 0..1, 1), of("F", 0..32, 1)]
                .concat();
        CONTROLS.iter().for_each(|(name, _)| all.extend(of(name, 0..1, 1)));
        all.extend(of("V", 0..32, VLEN / 64));
        all
    }

    fn state(random: &mut Random) -> Vec<u64> {
        // Some types are illegal.
        let (vtype, vl) = match random.one_in(50) {
            true => (1 << 63, 0),
            false => choices::configuration(random, VLEN as u64),
        };
        // Elements of 8 bits are converted to numbers of 16.
        let width = (8u32 << (vtype >> 3 & 7)).max(16);
        let mut values: Vec<u64> = Vec::new();
        values.extend((0..30).map(|_| match random.below(3) {
            0 => random.next() % 20,
            _ => random.register(),
        }));
        values.extend([random.next() % 5, random.next() & random.next() & 31]);
        for _ in 0..32 {
            let above = u64::MAX.checked_shl(width).unwrap_or(0);
            values.push(random.float(width) | if random.one_in(8) { 0 } else { above });
        }
        // With a first element after the last one, qemu 7.2 keeps `vstart`, or stops with an error.
        let vstart = if random.one_in(4) { random.next() % vl.max(1) } else { 0 };
        values.extend([vl, vtype, random.next() % 2, random.next() % 4, vstart]);
        for _ in 0..32 {
            let width = if random.one_in(3) { (2 * width).min(64) } else { width };
            values.extend((0..VLEN / 64).map(|_| half(random, width)));
        }
        values
    }

    fn bits(random: &mut Random) -> u64 {
        choices::bits(random)
    }

    fn window(word: &Word) -> u64 {
        if word.base.is_some() { WINDOW_BYTES } else { 0 }
    }

    fn place(word: &Word, values: &mut [u64]) {
        match access(word.word) {
            Some(Access::Strided(register @ 1..)) => {
                let value = &mut values[Self::slot_of_base(register)];
                *value = (*value & 15).wrapping_sub(8);
            }
            Some(Access::Indexed(width)) => {
                values[NUMBERS..].iter_mut().for_each(|value| *value &= mask_of_index(width));
            }
            _ => {}
        }
        if is_from_the_first(word) {
            values[FIRST_CONTROL + 4] = 0;
        }
        if is_whole_move(word.word) {
            [0, 1, 4].into_iter().for_each(|at| values[FIRST_CONTROL + at] = 0);
        }
        if let Some(base @ 1..) = word.base {
            let value = &mut values[Self::slot_of_base(base)];
            *value = WINDOW + BASE + (*value & 0x70);
        }
    }

    fn can_run(spec: &Spec, id: OpcodeId) -> bool {
        let opcode = spec.isa().opcode(id);
        let needed = spec.isa().extensions().needs(&opcode.requires);
        is_plain(spec, id) && needed.contains("V")
    }

    fn base(isa: &Isa, id: OpcodeId, word: u32) -> Option<u32> {
        access(word)?;
        named(isa, id, "base", word).map(|(_, number)| number)
    }

    fn slot_of_base(number: u32) -> usize {
        (number as usize).saturating_sub(1)
    }

    fn program(words: &[Word], states: &[Vec<u64>], window: &[u64]) -> String {
        let mut text = String::from(".option norvc\n.globl _start\n.section .blocks, \"ax\"\n");
        for (number, word) in words.iter().enumerate() {
            block::<VLEN>(&mut text, number, word);
        }
        let _ = writeln!(text, "b{}: la x1, end\njr x1", words.len());
        text.push_str(&routines::<VLEN>(words.len()));
        tables(&mut text, words, states, window);
        // The handler of traps has information, and a stack of its own, since `sp` is random.
        text.push_str(
            ".section .data\n.balign 16\naction: .8byte handler, 0x08000004, 0\n\
             stack: .8byte space, 0, 65536\n.balign 16\nspace: .zero 65536\n",
        );
        text
    }
}

/// The bits that are kept of indices, in 64 bits of indices of a width.
fn mask_of_index(width: u32) -> u64 {
    (0..64 / width).fold(0, |all, at| all | 0x78 << (at * width))
}

/// All vector registers from or to a place in the scratch memory, by `vl8re8.v` or `vs8r.v`.
fn move_vectors<const VLEN: usize>(text: &mut String, place: usize, word: u32) {
    let _ = writeln!(text, "li x30, {place}\nadd x30, x30, x31");
    for first in [0, 8, 16, 24] {
        let word = word | 30 << 15 | first << 7;
        let _ = writeln!(text, ".4byte {word:#x}\naddi x30, x30, {VLEN}");
    }
}

fn block<const VLEN: usize>(text: &mut String, number: usize, word: &Word) {
    let start = number as u64 * BLOCK;
    let window = V::<VLEN>::window(word);
    let _ = writeln!(text, ".org {start}\nb{number}: lui x31, {:#x}", SCRATCH >> 12);
    let _ = writeln!(text, "sd x0, {COUNT}(x31)\nli x1, {SEED:#x}\nsd x1, {SUM}(x31)");
    let _ = writeln!(text, "l{number}: li x7, {window}\nld x1, {BEFORE_RUN}(x31)\njalr x1, x1");
    move_vectors::<VLEN>(text, VECTORS, 0xe280_0007);
    if let Some(Access::Indexed(width)) = access(word.word) {
        // vsetvli x30, x0, e<width>, m8; vand.vx
        let kind = width.trailing_zeros() - 3;
        let _ = writeln!(text, ".4byte {:#x}\nli x30, 0x78", 0x0000_7f57 | (kind << 3 | 3) << 20);
        for first in [0, 8, 16, 24] {
            let word = 0x2600_4057u32 | first << 20 | 30 << 15 | first << 7;
            let _ = writeln!(text, ".4byte {word:#x}");
        }
    }
    let control = |at: usize| 8 * (FIRST_CONTROL + at);
    // vsetvl x0, x29, x28
    let _ = writeln!(text, "ld x29, {}(x31)\nld x28, {}(x31)", control(0), control(1));
    let _ = writeln!(text, ".4byte {:#x}", 0x8000_7057u32 | 28 << 20 | 29 << 15);
    let _ = writeln!(text, "ld x1, {}(x31)\ncsrw frm, x1\nld x1, {}(x31)", 8 * 30, 8 * 31);
    let _ = writeln!(text, "csrw fflags, x1");
    for float in 0..32 {
        let _ = writeln!(text, "fld f{float}, {}(x31)", 8 * (FLOATS + float));
    }
    for (at, (_, csr)) in CONTROLS.iter().enumerate().skip(2) {
        let _ = writeln!(text, "ld x29, {}(x31)\ncsrw {csr}, x29", control(at));
    }
    if is_from_the_first(word) {
        let _ = writeln!(text, "csrw 8, x0");
    }
    if is_whole_move(word.word) {
        // vsetvli x0, x29, e8, m1
        let _ = writeln!(text, "li x29, 0\n.4byte {:#x}", 0x7057 | 29 << 15);
    }
    for register in 1..31 {
        let _ = writeln!(text, "ld x{register}, {}(x31)", 8 * (register - 1));
    }
    if let Some(Access::Strided(register @ 1..)) = access(word.word) {
        let _ = writeln!(text, "andi x{register}, x{register}, 15");
        let _ = writeln!(text, "addi x{register}, x{register}, -8");
    }
    if let Some(base @ 1..) = word.base {
        let _ = writeln!(text, "andi x{base}, x{base}, 0x70\nadd x{base}, x{base}, x31");
        // One instruction adds less than 2,048.
        (0..4).for_each(|_| {
            let _ = writeln!(text, "addi x{base}, x{base}, {}", (WINDOW - SCRATCH + BASE) / 4);
        });
    }
    // qemu 7.2 stops with an error at such a word, unless `frm` is in use already.
    let lead = match choices::has_own_mode(word.word) {
        true => format!("fcvt.s.w f0, x0\nfld f0, {}(x31)", 8 * FLOATS),
        false => "nop\nnop".to_string(),
    };
    let _ = writeln!(text, "j w{number}\n.org {}\nw{number}: {lead}", start + INSTRUCTION - 8);
    let _ = writeln!(text, ".4byte {:#x}\nsb x0, {JUMPED}(x31)", word.word);
    for register in 1..31 {
        let _ = writeln!(text, "sd x{register}, {}(x31)", AFTER + 8 * (register - 1));
    }
    let others = [(30, 2), (31, 1)].into_iter();
    let controls = CONTROLS.iter().enumerate().map(|(at, (_, csr))| (FIRST_CONTROL + at, *csr));
    for (slot, csr) in others.chain(controls) {
        let _ = writeln!(text, "csrr x1, {csr}\nsd x1, {}(x31)", AFTER + 8 * slot);
    }
    for float in 0..32 {
        let _ = writeln!(text, "fsd f{float}, {}(x31)", AFTER + 8 * (FLOATS + float));
    }
    // After a trap this is not 0.
    let _ = writeln!(text, "csrw 8, x0");
    move_vectors::<VLEN>(text, VECTORS + 4 * VLEN, 0xe280_0027);
    let _ = writeln!(text, "li x7, {window}\nld x1, {AFTER_RUN}(x31)\njalr x1, x1");
    let _ = writeln!(text, "bnez x2, l{number}\nj b{}", number + 1);
}

/// Code that runs before the first word, around each run of a word, after a trap, and at the end. Words pass the size of their window
/// in `x7`.
fn routines<const VLEN: usize>(words: usize) -> String {
    let vectors = 4 * VLEN;
    let (numbers, state) = (8 * NUMBERS, 8 * NUMBERS + vectors);
    let window = TABLE + (STATES * state) as u64;
    let bytes = 8 * STATES * words;
    // One copies doublewords from x2 to x4, until x2 is x3. The other adds those from x4 to x5 to the sum in x2.
    let copy = "bgeu x2, x3, 2f\n1: ld x5, 0(x2)\nsd x5, 0(x4)\naddi x2, x2, 8\naddi x4, x4, 8\nbltu x2, x3, 1b\n2:\n";
    let add = "bgeu x4, x5, 2f\n1: ld x6, 0(x4)\nxor x2, x2, x6\nmul x2, x2, x3\naddi x4, x4, 8\nbltu x4, x5, 1b\n2:\n";
    format!(
        "_start: la a0, stack\nli a1, 0\nli a7, 132\necall\n\
         la a1, action\nli a0, 4\nli a2, 0\nli a3, 8\nli a7, 134\necall\n\
         lui x31, {scratch:#x}\nla x1, before\nsd x1, {BEFORE_RUN}(x31)\nla x1, after\n\
         sd x1, {AFTER_RUN}(x31)\nli x1, {OUTPUT:#x}\nsd x1, {NEXT_OUTPUT}(x31)\nla x1, b0\njr x1\n\
         handler: ld t0, 176(a2)\naddi t0, t0, 8\nsd t0, 176(a2)\n\
         ld t0, 424(a2)\nli t1, 2\nsd t1, {JUMPED}(t0)\nret\n\
         before: ld x2, {COUNT}(x31)\nli x3, {state}\nmul x2, x2, x3\nli x4, {TABLE:#x}\nadd x2, x2, x4\n\
         mv x4, x31\naddi x3, x2, {numbers}\n{copy}\
         addi x4, x31, {VECTORS}\naddi x3, x2, {vectors}\n{copy}\
         li x2, {window:#x}\nli x4, {WINDOW:#x}\nadd x3, x2, x7\n{copy}\
         li x2, 1\nsd x2, {JUMPED}(x31)\nret\n\
         after: ld x2, {SUM}(x31)\nli x3, {FACTOR:#x}\naddi x4, x31, {AFTER}\naddi x5, x4, {numbers}\n{add}\
         li x4, {after}\nadd x4, x4, x31\naddi x5, x4, {vectors}\n{add}\
         addi x4, x31, {JUMPED}\naddi x5, x4, 8\n{add}\
         li x4, {WINDOW:#x}\nadd x5, x4, x7\n{add}\
         sd x2, {SUM}(x31)\nld x4, {NEXT_OUTPUT}(x31)\nsd x2, 0(x4)\naddi x4, x4, 8\nsd x4, {NEXT_OUTPUT}(x31)\n\
         ld x4, {COUNT}(x31)\naddi x4, x4, 1\nsd x4, {COUNT}(x31)\nsltiu x2, x4, {STATES}\nret\n\
         end: li x18, {bytes}\nli x19, {OUTPUT:#x}\n\
         1: li x10, 1\nmv x11, x19\nmv x12, x18\nli x17, 64\necall\nblez x10, 2f\n\
         add x19, x19, x10\nsub x18, x18, x10\nbnez x18, 1b\n2: li x10, 0\nli x17, 93\necall\n",
        scratch = SCRATCH >> 12,
        after = VECTORS + vectors,
    )
}
