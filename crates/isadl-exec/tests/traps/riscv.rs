//! RV64: what stops its instructions.

use std::fmt::Write;

use isadl::isa::{Isa, OpcodeId};
use isadl_exec::Machine;

use super::{
    BLOCK, CODE, CONSTANT, Case, FACTOR, INSTRUCTION, OUTPUT, Random, SEED, SIGBUS, SIGILL,
    SIGTRAP, TABLE, Target, WINDOW, value,
};
use crate::qemu::needs_new;
use crate::sweep::{named, riscv};

pub(super) struct Rv64;

const REGISTERS: std::ops::Range<u32> = 1..32;

/// Control registers: five of user mode, of which two are read-only, and two of other modes.
const CONTROLS: [u32; 7] = [1, 2, 3, 0xc00, 0xc02, 0x105, 0x300];

/// Whether a word accesses a control register.
fn is_control(word: u32) -> bool {
    word & 0x7f == 0x73 && word >> 12 & 3 != 0
}

impl Target for Rv64 {
    const NAME: &'static str = "riscv";
    const GENERATION: usize = 1;
    const WORDS: &'static str = "riscv64.tsv";
    const QEMU: &'static [&'static str] = riscv::QEMU;
    const GCC: &'static [&'static str] = riscv::GCC;

    fn is_comparable(isa: &Isa, id: OpcodeId, _word: u32) -> bool {
        let opcode = isa.opcode(id);
        !needs_new(&isa.extensions().needs(&opcode.requires))
    }

    fn base(isa: &Isa, id: OpcodeId, word: u32) -> Option<u32> {
        let opcode = &isa.opcode(id).name;
        let name = if Self::jumps(opcode) { "rs1" } else { "base" };
        // `c.addi4spn` only computes an address.
        if opcode.starts_with("C_ADDI") {
            return None;
        }
        named(isa, id, name, word).map(|(_, number)| number).filter(|number| *number != 0)
    }

    fn jumps(name: &str) -> bool {
        ["C_JR", "C_JALR", "JALR"].contains(&name)
    }

    fn is_conditional(name: &str) -> bool {
        name.starts_with("SC_")
    }

    /// Most numbers of control registers are unused, so a used one is taken.
    fn chosen(word: u32, random: &mut Random) -> u32 {
        if !is_control(word) {
            return word;
        }
        let number = CONTROLS[random.below(CONTROLS.len())];
        // Counters differ, so their values are not read.
        let rd = if number >= 0xc00 { 0 } else { 31 << 7 };
        number << 20 | word & (0xff07f | rd)
    }

    fn any_word(random: &mut Random) -> u32 {
        match random.one_in(2) {
            true => random.next() as u32 | 3,
            false => random.next() as u32 & 0xffff,
        }
    }

    fn bytes(word: u32) -> u64 {
        if word & 3 == 3 { 4 } else { 2 }
    }

    fn signal(trap: &str) -> Option<u64> {
        match trap {
            "IllegalInstruction" => Some(SIGILL),
            "Breakpoint" => Some(SIGTRAP),
            "AddressMisaligned" => Some(SIGBUS),
            _ => None,
        }
    }

    fn is_known(case: &Case) -> bool {
        // `fence` ignores registers that are not `zero`; assemblers and disassemblers take no other.
        let is_fence = case.word & 0x7f == 0x0f;
        // The specification does not say which numbers are unused.
        is_fence || is_control(case.word) && !CONTROLS.contains(&(case.word >> 20))
    }

    fn set(machine: &mut Machine, case: &Case) {
        let isa = machine.spec().isa();
        let [x, f, frm, fflags] = ["X", "F", "frm", "fflags"].map(|name| riscv::file(isa, name));
        (0..32).for_each(|register| machine.set_register(f, register, &[0]));
        for register in REGISTERS {
            machine.set_register(x, register, &[value(register)]);
        }
        machine.set_register(fflags, 0, &[0]);
        machine.set_register(frm, 0, &[case.mode.into()]);
        if let Some((base, address)) = case.base {
            machine.set_register(x, base, &[address]);
        }
    }

    fn registers(machine: &Machine) -> Vec<u64> {
        let x = riscv::file(machine.spec().isa(), "X");
        REGISTERS.map(|register| machine.register(x, register)[0]).collect()
    }

    fn program(cases: &[Case]) -> String {
        let mut text = String::from(".option norvc\n.globl _start\n.section .blocks, \"ax\"\n");
        for (number, case) in cases.iter().enumerate() {
            block(&mut text, number, case);
        }
        let _ = writeln!(text, ".org {}\nj end", cases.len() as u64 * BLOCK);
        text.push_str(&routines(cases.len()));
        let _ = writeln!(text, ".section .table, \"aw\"");
        for register in REGISTERS {
            let _ = writeln!(text, ".quad {}", value(register));
        }
        let _ = writeln!(text, ".section .window, \"aw\"\n.zero 4096");
        let _ = writeln!(text, ".section .constant, \"a\"\n.zero 4096");
        let size = 24 * cases.len();
        let _ = writeln!(text, ".section .output, \"aw\", @nobits\n.zero {size}");
        text
    }
}

fn block(text: &mut String, number: usize, case: &Case) {
    let start = number as u64 * BLOCK;
    let _ = writeln!(text, ".org {start}\nli x1, {}\ncsrw fcsr, x1", case.mode << 5);
    let _ = writeln!(text, "lui x31, {:#x}", TABLE >> 12);
    for register in REGISTERS {
        let _ = writeln!(text, "ld x{register}, {}(x31)", 8 * (register - 1));
    }
    if let Some((base, address)) = case.base {
        let _ = writeln!(text, "li x{base}, {address:#x}");
    }
    let at = start + INSTRUCTION;
    let _ = writeln!(text, "j w{number}\n.org {at}\nw{number}: .4byte {:#x}", case.word);
}

/// Code that installs the handler, the handler, and code that writes the results.
fn routines(cases: usize) -> String {
    let actions = |numbers: [u32; 4]| {
        let action = |number| {
            format!("la a1, action\nli a0, {number}\nli a2, 0\nli a3, 8\nli a7, 134\necall\n")
        };
        numbers.map(action).concat()
    };
    // The context has the program counter at byte 176, and then `x1` and so on, and `f0` at byte 432. The next case begins with zeros in
    // these and in the window.
    format!(
        "_start: la a0, stack\nli a1, 0\nli a7, 132\necall\n{actions}la t0, results\n\
         li t1, {OUTPUT:#x}\nsd t1, 0(t0)\nli t1, {CODE:#x}\nsd t1, 8(t0)\njr t1\n\
         handler: la t0, results\nld t1, 0(t0)\nsd a0, 0(t1)\nld t2, 176(a2)\nsd t2, 8(t1)\n\
         li t3, {SEED:#x}\nli t4, {FACTOR:#x}\naddi t5, a2, 184\naddi t6, t5, 31 * 8\n\
         1: ld t2, 0(t5)\nxor t3, t3, t2\nmul t3, t3, t4\naddi t5, t5, 8\nbltu t5, t6, 1b\n\
         li t5, {WINDOW:#x}\nli t6, 512\n1: sd x0, 0(t5)\naddi t5, t5, 8\naddi t6, t6, -1\nbnez t6, 1b\n\
         addi t5, a2, 432\nli t6, 32\n1: sd x0, 0(t5)\naddi t5, t5, 8\naddi t6, t6, -1\nbnez t6, 1b\n\
         sd t3, 16(t1)\naddi t1, t1, 24\nsd t1, 0(t0)\n\
         ld t1, 8(t0)\naddi t1, t1, {BLOCK}\nsd t1, 8(t0)\nsd t1, 176(a2)\nret\n\
         end: li x18, {bytes}\nli x19, {OUTPUT:#x}\n\
         1: li x10, 1\nmv x11, x19\nmv x12, x18\nli x17, 64\necall\nblez x10, 2f\n\
         add x19, x19, x10\nsub x18, x18, x10\nbnez x18, 1b\n2: li x10, 0\nli x17, 93\necall\n\
         .section .data\n.balign 16\naction: .8byte handler, 0x48000004, 0\n\
         stack: .8byte space, 0, 65536\nresults: .8byte 0, 0\n.balign 16\nspace: .zero 65536\n",
        actions = actions([4, 5, 7, 11]),
        bytes = 24 * cases,
    )
}

/// All sections that are addressed by the upper 20 bits of their addresses.
const _: () = assert!((TABLE | WINDOW | CONSTANT) & 0xfff == 0);
