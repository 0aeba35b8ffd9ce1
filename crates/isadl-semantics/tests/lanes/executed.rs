//! Random programs of lanes in the executor.

use std::rc::Rc;

use isadl::isa::{OpcodeId, RegFileId};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Machine as Executing, Spec, Stop};

use super::{LANES, Machine};

const CODE: u64 = 0x1000;

/// The files in the order of their declarations.
const OWN: usize = 0;
const SHARED: usize = 1;
const EXEC: usize = 2;
const MASK: usize = 3;

/// A machine with an instruction of each opcode, whose operands are `v0`, `v1`, `v2` and `s0`, `s1`, `s2`.
pub(super) fn machine(spec: &Rc<Spec>) -> Executing {
    let mut memory = Memory::new(CODE, 4096);
    memory.protect(CODE..CODE + 4096, Access::ALL).expect("it is inside");
    for (address, opcode) in (CODE..).step_by(4).zip(spec.isa().opcodes()) {
        let word = opcode.value as u32 | 0b00_01_10_00_01_10 << 20;
        memory.write(address, &word.to_le_bytes()).expect("it is inside");
    }
    Executing::new(Rc::clone(spec), vec![memory]).expect("few registers")
}

/// Executes the instruction of an opcode.
pub(super) fn executed(machine: &mut Executing, id: OpcodeId, before: &Machine) -> Machine {
    let [own, shared, exec, mask] = [OWN, SHARED, EXEC, MASK].map(RegFileId::new);
    for at in 0..3 {
        for lane in 0..LANES {
            let value = before.own[lane][at] as u64;
            machine.set_register_of_lane(own, at as u32, lane, &[value]);
        }
        machine.set_register(shared, at as u32, &[before.shared[at] as u64]);
    }
    machine.set_register(exec, 0, &[before.exec as u64]);
    machine.set_register(mask, 0, &[before.mask as u64]);
    machine.set_pc(CODE + 4 * id.index() as u64);
    assert_eq!(machine.run(1), Stop::Fuel, "{id:?}");
    let of = |file, at: usize, lane| i128::from(machine.register_of_lane(file, at as u32, lane)[0]);
    Machine {
        own: std::array::from_fn(|lane| std::array::from_fn(|at| of(own, at, lane))),
        shared: std::array::from_fn(|at| of(shared, at, 0)),
        exec: of(exec, 0, 0),
        mask: of(mask, 0, 0),
    }
}
