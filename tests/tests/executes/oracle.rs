//! Cases, and what the executor of `isadl-exec` does with them.

use std::rc::Rc;

use isadl::isa::{Inst, Isa, RegFileId};
use isadl::semantics::Checked;
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Functions, Halt, Machine, Spec, Stop, Surroundings};
use isadl_tests::{Random, Set, words};

use super::machine::{CODE, END};

/// An instruction and registers, in pieces of 64 bits.
pub(super) struct Case {
    inst: Inst,
    bytes: usize,
    registers: Vec<Vec<u64>>,
}

impl Case {
    /// As the program reads it: the word, its bytes, and the registers.
    pub(super) fn line(&self) -> String {
        let all = self.registers.iter().flatten().map(|piece| format!(" {piece:x}"));
        format!("{:x} {:x}{}\n", self.inst.word, self.bytes, all.collect::<String>())
    }
}

pub(super) struct Oracle {
    set: Set,
    spec: Rc<Spec>,
}

/// Functions of the machine that do nothing.
struct Nothing;

impl Functions for Nothing {
    fn call(
        &mut self,
        _: &str,
        _: &[Vec<u64>],
        bits: u32,
        _: &mut dyn Surroundings,
    ) -> Option<Vec<u64>> {
        Some(vec![0; bits.div_ceil(64).max(1) as usize])
    }
}

impl Oracle {
    pub(super) fn new(isa: Isa, programs: Checked) -> Oracle {
        Oracle { set: Set::from(isa.clone()), spec: Rc::new(Spec::new(isa, programs)) }
    }

    /// Instructions of opcodes of some names that have programs, each about as often as another.
    pub(super) fn cases(&self, names: &[String], count: usize, random: &mut Random) -> Vec<Case> {
        let isa = self.spec.isa();
        let ids: Vec<_> = isa
            .opcode_ids()
            .filter(|id| self.spec.has_program(*id) && names.contains(&isa.opcode(*id).name))
            .collect();
        let times = count / ids.len().max(1) + 1;
        let mut cases = Vec::new();
        for id in ids {
            for _ in 0..times {
                let Some(inst) = words::instruction(&self.set, id, random) else { continue };
                let registers = isa.reg_files().iter().map(|file| {
                    let of = |piece: u32| u64::MAX >> (64 - (file.width - 64 * piece).min(64));
                    let each = (0..file.count).flat_map(|_| 0..file.width.div_ceil(64));
                    each.map(|piece| number(random) & of(piece)).collect()
                });
                let registers = registers.collect();
                let bytes = isa.opcode(inst.opcode).width as usize / 8;
                cases.push(Case { inst, bytes, registers });
            }
        }
        cases
    }

    pub(super) fn text(&self, case: &Case) -> String {
        let isa = self.spec.isa();
        format!("{}: {}", isa.opcode(case.inst.opcode).name, self.spec.engine().text(case.inst))
    }

    /// What has changed after an instruction, as the program prints it.
    pub(super) fn result(&self, case: &Case) -> String {
        let isa = self.spec.isa();
        let pattern: Vec<u8> =
            (0..(END - CODE) as usize).map(|at| (at * 37 + at / 256 * 11) as u8).collect();
        let count = self.spec.memories().len().max(1);
        let memories = (0..count).map(|_| {
            let mut memory = Memory::new(CODE, END - CODE);
            memory.protect(CODE..END, Access::ALL).expect("inside");
            memory.write(CODE, &pattern).expect("inside");
            memory
        });
        let mut machine =
            Machine::new(Rc::clone(&self.spec), memories.collect()).expect("few registers");
        machine.set_functions(Box::new(Nothing));
        let word = match isa.word_layout().is_first_high() {
            true => panic!("words begin at their highest bits"),
            false => case.inst.word.to_le_bytes(),
        };
        machine.memory(0).expect("a memory").write(CODE, &word[..case.bytes]).expect("inside");
        let registers = || {
            let files = isa.reg_files().iter().enumerate();
            files.flat_map(|(at, file)| {
                let pieces = file.width.div_ceil(64) as usize;
                (0..file.count).map(move |number| (RegFileId::new(at), number, pieces))
            })
        };
        for (file, number, pieces) in registers() {
            let own = &case.registers[file.index()][number as usize * pieces..][..pieces];
            machine.set_register(file, number, own);
        }
        machine.set_pc(CODE);
        let mut text = match machine.step() {
            Stop::Fuel => format!("pc={:#x}", machine.pc()),
            Stop::Halt { halt: Halt::Fault { .. }, .. } => "fault".to_string(),
            Stop::Halt { halt: Halt::Trap { name, .. }, .. } => format!("trap {name}"),
            Stop::Halt { halt: Halt::Unpredictable, .. } => "trap Unpredictable".to_string(),
            other => format!("{other:?}"),
        };
        for (file, number, pieces) in registers() {
            let old = &case.registers[file.index()][number as usize * pieces..][..pieces];
            let new = machine.register(file, number);
            if new != old {
                let name = &isa.reg_files()[file.index()].name;
                text += &format!(" {name}{number}={new:x?}");
            }
        }
        for (name, value) in machine.all_kept() {
            if value != 0 {
                text += &format!(" {name}={value:x}");
            }
        }
        for space in 0..count {
            let memory = machine.memory(space).expect("a memory");
            let bytes = memory.bytes(CODE, END - CODE, Access::READ).expect("inside");
            for (at, byte) in bytes.iter().enumerate() {
                let is_code = space == 0 && at < 16;
                if !is_code && *byte != pattern[at] {
                    text += &format!(" {space}:{:#x}={byte:x}", CODE + at as u64);
                }
            }
        }
        text
    }
}

/// A number that instructions find interesting: an address, a small one, one of few or many bits, a floating-point number.
fn number(random: &mut Random) -> u64 {
    let any = random.next_u64();
    match any % 8 {
        0 | 1 => CODE + 64 + any / 8 % (END - CODE - 256),
        2 => any / 8 % 256,
        3 => [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 31, (1 << 31) - 1, 0xffff_ffff]
            [(any / 8 % 8) as usize],
        4 => 0xffff_ffff_0000_0000 | any >> 32,
        5 => (f64::from((any >> 40) as u32) / 64.0).to_bits(),
        _ => any.rotate_left(17),
    }
}
