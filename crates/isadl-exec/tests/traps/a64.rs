//! A64: what stops its instructions.

use std::fmt::Write;

use isadl::isa::{Isa, OpcodeId};
use isadl_exec::Machine;

use super::{
    BLOCK, CODE, CONSTANT, Case, FACTOR, INSTRUCTION, OUTPUT, Random, SEED, SIGBUS, SIGILL,
    SIGTRAP, TABLE, Target, WINDOW, value,
};
use crate::qemu::{differs_a64, lacks_a64};
use crate::sweep::{a64, named};

pub(super) struct A64;

/// The number of the stack pointer, which comes after `x30`.
const SP: u32 = 31;

impl Target for A64 {
    const NAME: &'static str = "a64";
    const GENERATION: usize = 0;
    const WORDS: &'static str = "a64.tsv";
    const QEMU: &'static [&'static str] = a64::QEMU;
    const GCC: &'static [&'static str] = a64::GCC;

    fn is_comparable(isa: &Isa, id: OpcodeId, word: u32) -> bool {
        let name = isa.opcode(id).name.as_str();
        !lacks_a64(name) && !differs_a64(name, word)
    }

    fn base(isa: &Isa, id: OpcodeId, word: u32) -> Option<u32> {
        match Self::jumps(&isa.opcode(id).name) {
            true => named(isa, id, "rn", word).map(|(_, number)| number),
            false => a64::base(isa, id, word),
        }
    }

    fn jumps(name: &str) -> bool {
        ["BR", "BLR", "RET"].contains(&name)
    }

    fn is_conditional(name: &str) -> bool {
        name.starts_with("STX") || name.starts_with("STLX")
    }

    fn any_word(random: &mut Random) -> u32 {
        random.next() as u32
    }

    fn bytes(_word: u32) -> u64 {
        4
    }

    fn signal(trap: &str) -> Option<u64> {
        match trap {
            "Breakpoint" => Some(SIGTRAP),
            "AlignmentFault" => Some(SIGBUS),
            "SupervisorCall" => None,
            _ => Some(SIGILL),
        }
    }

    fn is_known(case: &Case) -> bool {
        let word = case.word;
        // The specification does not have SVE and SME.
        let is_scalable = matches!(word >> 25 & 15, 0 | 2) && word >> 16 != 0;
        // qemu 7.2 does not see that `ldapr` is not aligned.
        let is_ldapr = word & 0x3fff_fc00 == 0x38bf_c000;
        // If the comparison fails, qemu still requires a writable page; here nothing is stored.
        let is_compared = matches!(word & 0x3f20_7c00, 0x0820_7c00);
        let is_constant = case.base.is_some_and(|(_, address)| address >> 12 == CONSTANT >> 12);
        is_scalable || is_ldapr || is_compared && is_constant
    }

    fn set(machine: &mut Machine, case: &Case) {
        let isa = machine.spec().isa();
        let (x, sp) = (a64::file(isa, "X"), a64::file(isa, "SP"));
        for register in 0..SP {
            machine.set_register(x, register, &[value(register)]);
        }
        machine.set_register(sp, 0, &[value(SP)]);
        match case.base {
            Some((SP, address)) => machine.set_register(sp, 0, &[address]),
            Some((base, address)) => machine.set_register(x, base, &[address]),
            None => {}
        }
    }

    fn registers(machine: &Machine) -> Vec<u64> {
        let isa = machine.spec().isa();
        let (x, sp) = (a64::file(isa, "X"), a64::file(isa, "SP"));
        let general = (0..SP).map(|register| machine.register(x, register)[0]);
        general.chain([machine.register(sp, 0)[0]]).collect()
    }

    fn program(cases: &[Case]) -> String {
        let mut text = String::from(".globl _start\n.section .blocks, \"ax\"\n");
        for (number, case) in cases.iter().enumerate() {
            block(&mut text, number, case);
        }
        let _ = writeln!(text, ".org {}\nb end", cases.len() as u64 * BLOCK);
        text.push_str(&routines(cases.len()));
        let _ = writeln!(text, ".section .table, \"aw\"");
        for register in 0..SP {
            let _ = writeln!(text, ".quad {}", value(register));
        }
        let _ = writeln!(text, ".section .window, \"aw\"\n.zero 4096");
        let _ = writeln!(text, ".section .constant, \"a\"\n.zero 4096");
        let size = 24 * cases.len();
        let _ = writeln!(text, ".section .output, \"aw\", %nobits\n.zero {size}");
        text
    }
}

/// Loads a number into a register, from its pieces of 16 bits.
fn load(register: u32, number: u64) -> String {
    let piece = |at: u32| number >> (16 * at) & 0xffff;
    let rest = (1..4).filter(|at| piece(*at) != 0);
    let rest = rest.map(|at| format!("movk x{register}, {:#x}, lsl {}\n", piece(at), 16 * at));
    format!("movz x{register}, {:#x}\n{}", piece(0), rest.collect::<String>())
}

fn block(text: &mut String, number: usize, case: &Case) {
    let start = number as u64 * BLOCK;
    let stack = case.base.filter(|(base, _)| *base == SP).map_or(value(SP), |(_, at)| at);
    let _ = writeln!(text, ".org {start}\n{}mov sp, x0\n{}", load(0, stack), load(30, TABLE));
    for register in (0..30).step_by(2) {
        let _ = writeln!(text, "ldp x{register}, x{}, [x30, {}]", register + 1, 8 * register);
    }
    let _ = writeln!(text, "ldr x30, [x30, 240]");
    if let Some((base, address)) = case.base.filter(|(base, _)| *base != SP) {
        text.push_str(&load(base, address));
    }
    let at = start + INSTRUCTION;
    let _ = writeln!(text, "b w{number}\n.org {at}\nw{number}: .4byte {:#x}", case.word);
}

/// Code that installs the handler, the handler, and code that writes the results.
fn routines(cases: usize) -> String {
    let actions = |numbers: [u32; 4]| {
        let action = |number| {
            format!("ldr x1, =action\nmov x0, {number}\nmov x2, 0\nmov x3, 8\nmov x8, 134\nsvc 0\n")
        };
        numbers.map(action).concat()
    };
    // The context has `x0` and so on at byte 184, then the stack pointer and the program counter. The next case
    // begins with zeros in the window.
    format!(
        "_start: ldr x0, =stack\nmov x1, 0\nmov x8, 132\nsvc 0\n{actions}ldr x9, =results\n\
         ldr x10, ={OUTPUT:#x}\nldr x11, ={CODE:#x}\nstp x10, x11, [x9]\nbr x11\n\
         handler: ldr x9, =results\nldr x10, [x9]\nldr x11, [x2, 440]\nstp x0, x11, [x10]\n\
         ldr x12, ={SEED:#x}\nldr x13, ={FACTOR:#x}\nadd x14, x2, 184\nadd x15, x14, 32 * 8\n\
         1: ldr x11, [x14], 8\neor x12, x12, x11\nmul x12, x12, x13\ncmp x14, x15\nb.lo 1b\n\
         str x12, [x10, 16]\nldr x14, ={WINDOW:#x}\nadd x15, x14, 4096\n\
         1: stp xzr, xzr, [x14], 16\ncmp x14, x15\nb.lo 1b\nadd x10, x10, 24\nldr x11, [x9, 8]\nadd x11, x11, {BLOCK}\n\
         stp x10, x11, [x9]\nstr x11, [x2, 440]\nret\n\
         end: ldr x20, ={bytes}\nldr x19, ={OUTPUT:#x}\n\
         1: mov x0, 1\nmov x1, x19\nmov x2, x20\nmov x8, 64\nsvc 0\ncmp x0, 0\nb.le 2f\n\
         add x19, x19, x0\nsubs x20, x20, x0\nb.ne 1b\n2: mov x0, 0\nmov x8, 93\nsvc 0\n.ltorg\n\
         .section .data\n.balign 16\naction: .8byte handler, 0x48000004, 0, 0\n\
         stack: .8byte space, 0, 65536\nresults: .8byte 0, 0\n.balign 16\nspace: .zero 65536\n",
        actions = actions([4, 5, 7, 11]),
        bytes = 24 * cases,
    )
}
