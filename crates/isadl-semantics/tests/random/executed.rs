//! Random programs in the executor, which translates and runs them as instructions in memory.

use std::rc::Rc;

use isadl::isa::{OpcodeId, RegFileId};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Machine as Executing, Spec, Stop};

use super::evaluate::{Machine, run};
use super::{Case, Random, machine};

/// Where instructions are.
const CODE: u64 = 0x1000;

pub(super) struct Executor {
    spec: Rc<Spec>,
    machine: Executing,
}

impl Executor {
    pub(super) fn new(spec: &Rc<Spec>) -> Executor {
        let mut memory = Memory::new(CODE, 4096);
        memory.protect(CODE..CODE + 4096, Access::ALL).expect("it is inside");
        let machine = Executing::new(Rc::clone(spec), vec![memory]).expect("few registers");
        Executor { spec: Rc::clone(spec), machine }
    }

    /// Compares the results of runs with those of the executor; returns how many.
    pub(super) fn does_the_same(
        &mut self,
        id: OpcodeId,
        case: &Case,
        random: &mut Random,
    ) -> usize {
        let mut count = 0;
        for _ in 0..10 {
            let before = machine(random);
            let immediate = random.below(16) as i128 - 8;
            let Some((after, _)) = run(&case.steps, &before, immediate) else { continue };
            let found = self.executed(id, &before, immediate);
            assert_eq!(found, after, "`{}` with {before:?}, {immediate}", case.text);
            count += 1;
        }
        count
    }

    fn executed(&mut self, id: OpcodeId, before: &Machine, immediate: i128) -> Machine {
        // Operands have different registers, in an order that changes with the immediate.
        let turn = immediate as usize & 7;
        let register = |operand: usize| ((operand + turn) % 8) as u32;
        let [registers, flags] = [0, 1].map(RegFileId::new);
        for (operand, value) in before.registers.iter().enumerate() {
            self.machine.set_register(registers, register(operand), &[*value as u64]);
        }
        for flag in 0..4 {
            self.machine.set_register(flags, flag, &[u64::from(before.flags >> flag & 1)]);
        }
        let opcode = self.spec.isa().opcode(id);
        let fields = (0..6)
            .fold(0, |all, operand| all | u128::from(register(operand)) << (29 - 3 * operand));
        let word = opcode.value | fields | (immediate as u128 & 0xf) << 10;
        let bytes = &word.to_le_bytes()[..4];
        let memory = self.machine.memory(0).expect("a memory");
        memory.write(CODE, bytes).expect("it may be written");
        self.machine.set_pc(CODE);
        assert_eq!(self.machine.run(1), Stop::Fuel, "{}", opcode.name);
        assert_eq!(self.machine.pc(), CODE + 4);
        let read = |operand: usize| self.machine.register(registers, register(operand))[0].into();
        Machine {
            registers: std::array::from_fn(read),
            flags: (0..4)
                .fold(0, |all, flag| all | (self.machine.register(flags, flag)[0] as u32) << flag),
        }
    }
}
