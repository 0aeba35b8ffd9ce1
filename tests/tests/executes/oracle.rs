//! Cases, and what the executor of `isadl-exec` does with them.

use std::collections::BTreeSet;
use std::rc::Rc;

use isadl::isa::{Inst, Isa, RegFileId};
use isadl::semantics::Checked;
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Functions, Halt, Machine, Spec, Stop, Surroundings};
use isadl_test_support::{Random, Set, words};

use super::machine::{CODE, DATA, END, STEPS, pattern};
use super::registers::{launched, number, of_lane};

/// About how many instructions programs have.
const LENGTH: usize = 8;

/// Instructions, and registers in pieces of 64 bits.
pub(super) struct Case {
    insts: Vec<(Inst, usize)>,
    /// Those that are no lane's.
    registers: Vec<Vec<u64>>,
    /// What those of lanes are made of.
    seed: u64,
}

impl Case {
    /// As the program reads it: the words with their bytes, and the registers.
    pub(super) fn line(&self) -> String {
        let insts = self.insts.iter().map(|(inst, bytes)| format!(" {:x} {bytes:x}", inst.word));
        let registers = self.registers.iter().flatten().map(|piece| format!(" {piece:x}"));
        let all: String = insts.chain(registers).collect();
        format!("{:x}{all} {:x}\n", self.insts.len(), self.seed)
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

    /// Instructions of opcodes of some names that have programs, each about as often as another: half of them alone, the others in programs.
    pub(super) fn cases(&self, names: &[String], count: usize, random: &mut Random) -> Vec<Case> {
        let isa = self.spec.isa();
        let ids: Vec<_> = isa
            .opcode_ids()
            .filter(|id| self.spec.has_program(*id) && names.contains(&isa.opcode(*id).name))
            .collect();
        let inst = |id, random: &mut Random| {
            let inst = words::instruction(&self.set, id, random)?;
            Some((inst, isa.opcode(inst.opcode).width as usize / 8))
        };
        let mut cases = Vec::new();
        for id in &ids {
            for _ in 0..count / 2 / ids.len().max(1) + 1 {
                let Some(inst) = inst(*id, random) else { continue };
                cases.push(self.case(vec![inst], random));
            }
        }
        for _ in 0..count / 2 / LENGTH {
            let length = 2 + random.below(LENGTH as u64);
            let any = |random: &mut Random| ids[random.below(ids.len() as u64) as usize];
            let insts = (0..length).filter_map(|_| inst(any(random), random)).collect();
            cases.push(self.case(insts, random));
        }
        cases.retain(|case| !case.insts.is_empty());
        cases
    }

    fn case(&self, insts: Vec<(Inst, usize)>, random: &mut Random) -> Case {
        Case { insts, registers: self.registers(random), seed: random.next_u64() }
    }

    pub(super) fn has_lanes(&self) -> bool {
        self.spec.lanes().is_some()
    }

    /// Whether each lane has registers of a file.
    fn is_of_lanes(&self, file: usize) -> bool {
        self.spec.lanes().is_some_and(|lanes| lanes.files.contains(&RegFileId::new(file)))
    }

    fn registers(&self, random: &mut Random) -> Vec<Vec<u64>> {
        let files = self.spec.isa().reg_files().iter().enumerate().map(|(at, file)| {
            if self.is_of_lanes(at) {
                return Vec::new();
            }
            let of = |piece: u32| u64::MAX >> (64 - (file.width - 64 * piece).min(64));
            let each = (0..file.count).flat_map(|_| 0..file.width.div_ceil(64));
            each.map(|piece| number(random.next_u64()) & of(piece)).collect()
        });
        files.collect()
    }

    pub(super) fn text(&self, case: &Case) -> String {
        let isa = self.spec.isa();
        let texts = case.insts.iter().map(|(inst, _)| {
            format!("{}: {}", isa.opcode(inst.opcode).name, self.spec.engine().text(*inst))
        });
        texts.collect::<Vec<_>>().join("; ")
    }

    /// What has changed after the instructions, as the program prints it.
    pub(super) fn result(&self, case: &Case) -> String {
        let isa = self.spec.isa();
        let bytes: Vec<u8> = (0..(END - CODE) as usize).map(pattern).collect();
        let count = self.spec.memories().len().max(1);
        let memories = (0..count).map(|_| {
            let mut memory = Memory::new(CODE, END - CODE);
            memory.protect(CODE..DATA, Access::READ.or(Access::EXECUTE)).expect("inside");
            memory.protect(DATA..END, Access::READ_WRITE).expect("inside");
            memory.write_anyway(CODE, &bytes).expect("inside");
            memory
        });
        let mut machine =
            Machine::new(Rc::clone(&self.spec), memories.collect()).expect("few registers");
        machine.set_functions(Box::new(Nothing));
        assert!(!isa.word_layout().is_first_high(), "words begin at their highest bits");
        let (mut starts, mut at) = (BTreeSet::new(), CODE);
        for (inst, bytes) in &case.insts {
            let word = &inst.word.to_le_bytes()[..*bytes];
            machine.memory(0).expect("a memory").write_anyway(at, word).expect("inside");
            starts.insert(at);
            at += *bytes as u64;
        }
        let registers = || {
            let files = isa.reg_files().iter().enumerate();
            files.flat_map(|(at, file)| {
                let pieces = file.width.div_ceil(64) as usize;
                (0..file.count).map(move |number| (RegFileId::new(at), number, pieces))
            })
        };
        let lanes = machine.lanes();
        for (file, number, pieces) in registers() {
            if self.is_of_lanes(file.index()) {
                let width = isa.reg_files()[file.index()].width;
                for lane in 0..lanes {
                    let own = of_lane(case.seed, file.index(), number as usize, lane, width);
                    machine.set_register_of_lane(file, number, lane, &own);
                }
                continue;
            }
            let own = &case.registers[file.index()][number as usize * pieces..][..pieces];
            machine.set_register(file, number, own);
        }
        machine.set_launched(launched(case.seed));
        machine.set_pc(CODE);
        let most = if case.insts.len() == 1 { 1 } else { STEPS };
        let mut stop = Stop::Fuel;
        for _ in 0..most {
            // Execution leaves the instructions.
            if stop != Stop::Fuel || !starts.contains(&machine.pc()) {
                break;
            }
            stop = machine.step();
        }
        let mut text = match stop {
            Stop::Fuel => format!("pc={:#x}", machine.pc()),
            Stop::Halt { halt: Halt::Fault { .. }, .. } => "fault".to_string(),
            Stop::Halt { halt: Halt::Trap { name, .. }, .. } => format!("trap {name}"),
            Stop::Halt { halt: Halt::Unpredictable, .. } => "trap Unpredictable".to_string(),
            other => format!("{other:?}"),
        };
        for (file, number, pieces) in registers() {
            if self.is_of_lanes(file.index()) {
                continue;
            }
            let name = &isa.reg_files()[file.index()].name;
            let old = &case.registers[file.index()][number as usize * pieces..][..pieces];
            let new = machine.register(file, number);
            if new != old {
                text += &format!(" {name}{number}={new:x?}");
            }
        }
        for (file, number, _) in registers().filter(|(file, ..)| self.is_of_lanes(file.index())) {
            let own = &isa.reg_files()[file.index()];
            for lane in 0..lanes {
                let old = of_lane(case.seed, file.index(), number as usize, lane, own.width);
                let new = machine.register_of_lane(file, number, lane);
                if new != old {
                    text += &format!(" {}{number}@{lane}={new:x?}", own.name);
                }
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
                if CODE + at as u64 >= DATA && *byte != pattern(at) {
                    text += &format!(" {space}:{:#x}={byte:x}", CODE + at as u64);
                }
            }
        }
        text
    }
}
