//! The same instructions in the executor, which translates them from memory.

use std::rc::Rc;

use isadl::isa::RegFileId;
use isadl_exec::memory::{Access, Memory, PAGE};
use isadl_exec::{Halt, Machine as Executing, Spec, Stop};

use super::evaluate::{Machine, Outcome};

/// The data, and the code in a memory of its own.
const DATA: usize = 0;
const CODE: usize = 1;

pub(super) struct Executor {
    spec: Rc<Spec>,
}

impl Executor {
    pub(super) fn new(spec: &Rc<Spec>) -> Executor {
        Executor { spec: Rc::clone(spec) }
    }

    /// Whole pages around some bytes.
    fn memory(at: u64, bytes: u64) -> Memory {
        let start = at / PAGE * PAGE;
        let end = (at + bytes).next_multiple_of(PAGE);
        let mut memory = Memory::new(start, end - start);
        memory.protect(start..end, Access::ALL).expect("inside");
        memory
    }

    /// Holds the executor against what an instruction did.
    pub(super) fn does_the_same(&self, word: u128, before: &Machine, outcome: &Outcome) {
        let mut code = Executor::memory(before.pc, 16);
        code.write(before.pc, &word.to_le_bytes()[..4]).expect("inside");
        let mut data = Executor::memory(before.buffer_at, before.buffer.len().max(1) as u64);
        data.write(before.buffer_at, &before.buffer).expect("inside");
        let memories = vec![data, code];
        let mut machine = Executing::new(Rc::clone(&self.spec), memories).expect("few registers");
        machine.set_code(CODE);
        machine.set_pc(before.pc);
        for (file, registers) in before.files.iter().enumerate() {
            for (number, value) in registers.iter().enumerate() {
                let pieces = [*value as u64, (*value >> 64) as u64];
                machine.set_register(RegFileId::new(file), number as u32, &pieces);
            }
        }
        let what = |stop: &Stop| match self.spec.engine().decode(word) {
            Ok(inst) => format!("{} {word:#x} {stop:?}", self.spec.engine().text(inst)),
            Err(_) => format!("{word:#x} {stop:?}"),
        };
        let stop = machine.run(1);
        match outcome {
            Outcome::Unusable => {}
            Outcome::Trapped => {
                let is_trap = matches!(&stop, Stop::Halt { halt: Halt::Trap { .. }, .. });
                assert!(is_trap, "{}", what(&stop));
            }
            Outcome::Done { after, jump } => {
                assert_eq!(stop, Stop::Fuel, "{}", what(&stop));
                let next = jump.unwrap_or(before.pc + 4);
                assert_eq!(machine.pc(), next, "{}", what(&stop));
                for (file, registers) in after.files.iter().enumerate() {
                    let name = &self.spec.isa().reg_files()[file].name;
                    for (number, wanted) in registers.iter().enumerate() {
                        let found = machine.register(RegFileId::new(file), number as u32);
                        let found =
                            found.iter().rev().fold(0, |all, piece| all << 64 | u128::from(*piece));
                        assert!(
                            found == *wanted,
                            "{} {name}{number} {found:x} {wanted:x}",
                            what(&stop)
                        );
                    }
                }
                let memory = machine.memory(DATA).expect("a memory");
                let bytes = after.buffer.len() as u64;
                let found = memory.bytes(before.buffer_at, bytes, Access::READ).expect("inside");
                assert_eq!(found, after.buffer, "{}", what(&stop));
            }
        }
    }
}
