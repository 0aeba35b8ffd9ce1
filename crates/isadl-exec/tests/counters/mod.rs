//! A register that counts instructions, read and written anywhere in blocks, against a count beside it.

use std::rc::Rc;

use isadl::isa::RegFileId;
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Halt, Machine, Refusal, Spec, Stop, furnish};

use crate::common;
use crate::random::Random;
use crate::sweep::riscv::file;

const CODE: u64 = 0x1000;
const STEP: u64 = 3;
const SHORT_STEP: u32 = 0x4000_0001;

fn machine(spec: Rc<Spec>, code: &[u8]) -> Machine {
    let mut memory = Memory::new(CODE, 0x1000);
    memory.protect(CODE..CODE + 0x1000, Access::ALL).expect("inside");
    memory.write(CODE, code).expect("inside");
    let environment = spec.isa().environments()[0].clone();
    let mut machine = Machine::new(spec, vec![memory]).expect("few registers");
    furnish(&mut machine, &environment);
    machine.set_pc(CODE);
    machine
}

fn spec() -> Rc<Spec> {
    common::spec_in("tests/counters", 0)
}

#[test]
fn a_counter_grows_with_each_instruction() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for _ in 0..50 {
        let one =
            |random: &mut Random| [0, 1, 2, 4, 5][random.below(5)] | (random.below(4) as u8) << 6;
        let code: Vec<u8> = (0..400).map(|_| one(&mut random)).collect();
        let mut machine = machine(spec(), &code);
        let (mut ticks, mut short, mut registers, mut done) = (0u64, 0u32, [0u64; 4], 0);
        while done < code.len() {
            let some = (1 + random.below(90)).min(code.len() - done);
            let stop = if some == 1 { machine.step() } else { machine.run(some as u64) };
            assert_eq!(stop, Stop::Fuel);
            for byte in &code[done..done + some] {
                let register = &mut registers[usize::from(byte >> 6)];
                match byte & 7 {
                    0 => *register = ticks,
                    1 => ticks = *register,
                    4 => *register = short.into(),
                    5 => short = *register as u32,
                    _ => *register = register.wrapping_add(1),
                }
                ticks = ticks.wrapping_add(STEP);
                short = short.wrapping_add(SHORT_STEP);
            }
            done += some;
            let own = (0..4).map(|number| machine.register(RegFileId::new(0), number)[0]);
            assert!(own.eq(registers), "{code:x?}");
            assert_eq!(machine.kept("ticks"), ticks);
            if random.one_in(4) {
                ticks = random.next();
                machine.set_kept("ticks", ticks);
            }
        }
        assert_eq!(machine.count(), code.len() as u64);
    }
}

#[test]
fn some_bits_of_a_counter_cannot_be_written() {
    let mut machine = machine(spec(), &[3]);
    let Stop::Halt { halt: Halt::Refused(Refusal::Unsupported(opcode, what)), .. } = machine.run(1)
    else {
        panic!("it is executed");
    };
    assert_eq!(
        (opcode.as_str(), what.as_str()),
        ("PART", "some bits of a register that counts instructions")
    );
}

#[test]
fn programs_of_riscv_see_their_instructions_counted() {
    // rdcycle a0; nop; rdinstret a1; rdtime a2
    let code: Vec<u8> = [0xc000_2573u32, 0x0000_0013, 0xc020_25f3, 0xc010_2673]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    let spec = common::spec("riscv", 1);
    let x = file(spec.isa(), "X");
    let mut machine = machine(spec, &code);
    assert_eq!(machine.run(4), Stop::Fuel);
    let found: Vec<u64> = [10, 11, 12].map(|number| machine.register(x, number)[0]).into();
    assert_eq!(found, [0, 2, 3]);
}
