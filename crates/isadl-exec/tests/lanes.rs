//! Lanes with memory, traps and flags: what one lane cannot do changes nothing in the others, and inactive lanes do nothing.

use std::rc::Rc;

use crate::common;
use isadl::isa::RegFileId;
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Halt, Machine, Spec, Stop};

const LANES: usize = 4;
const CODE: u64 = 0x1000;
const DATA: u64 = 0x2000;

/// The numbers of the opcodes.
const LOAD: u16 = 0;
const STORE: u16 = 1;
const MOVE: u16 = 2;
const CHECK: u16 = 3;
const DIVIDE: u16 = 4;
const SHARED: u16 = 5;
const TRAP: u16 = 6;

struct Warp {
    machine: Machine,
}

impl Warp {
    /// A machine whose data are 100, 101, … as numbers of 32 bits.
    fn new(active: u64) -> Warp {
        let spec: Rc<Spec> = common::spec_in("tests/machines", 0);
        let mut memory = Memory::new(CODE, 0x2000);
        memory.protect(CODE..DATA, Access::ALL).expect("inside");
        memory.protect(DATA..DATA + 0x1000, Access::READ_WRITE).expect("inside");
        for at in 0..16u32 {
            let address = DATA + 4 * u64::from(at);
            memory.write(address, &(100 + at).to_le_bytes()).expect("inside");
        }
        let mut machine = Machine::new(spec, vec![memory]).expect("few registers");
        machine.set_register(RegFileId::new(1), 0, &[active]);
        Warp { machine }
    }

    fn set(&mut self, register: u32, values: [u64; LANES]) {
        for (lane, value) in values.into_iter().enumerate() {
            self.machine.set_register_of_lane(RegFileId::new(0), register, lane, &[value]);
        }
    }

    fn get(&self, register: u32) -> [u64; LANES] {
        let of = |lane| self.machine.register_of_lane(RegFileId::new(0), register, lane)[0];
        std::array::from_fn(of)
    }

    fn data(&mut self, count: usize) -> Vec<u32> {
        let memory = self.machine.memory(0).expect("a memory");
        let bytes = memory.bytes(DATA, 4 * count as u64, Access::READ).expect("inside");
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        bytes.chunks(4).map(number).collect()
    }

    /// Executes an instruction whose operands are `v0`, `v1` and `v2`.
    fn run(&mut self, opcode: u16) -> Stop {
        let word = 0b00_01_10 << 10 | opcode;
        let memory = self.machine.memory(0).expect("a memory");
        memory.write(CODE, &word.to_le_bytes()).expect("inside");
        self.machine.set_pc(CODE);
        self.machine.run(1)
    }
}

#[test]
fn active_lanes_load() {
    let mut warp = Warp::new(0b1011);
    warp.set(0, [1, 2, 3, 4]);
    // That of the inactive lane is no address.
    warp.set(1, [DATA + 8, DATA, 0, DATA + 4]);
    assert_eq!(warp.run(LOAD), Stop::Fuel);
    assert_eq!(warp.get(0), [102, 100, 3, 101]);
}

#[test]
fn a_lane_that_cannot_load_changes_no_register_of_others() {
    let mut warp = Warp::new(0b1111);
    warp.set(0, [1, 2, 3, 4]);
    warp.set(1, [DATA, DATA + 4, 0x9000, DATA + 8]);
    let stop = warp.run(LOAD);
    let Stop::Halt { halt: Halt::Fault { fault, .. }, .. } = stop else { panic!("{stop:?}") };
    assert_eq!(fault.address, 0x9000);
    assert_eq!((warp.get(0), warp.machine.pc()), ([1, 2, 3, 4], CODE));
}

#[test]
fn a_value_of_all_lanes_is_loaded_if_one_takes_part() {
    // The address is outside of the memory.
    let mut warp = Warp::new(0);
    warp.set(0, [1, 2, 3, 4]);
    assert_eq!(warp.run(SHARED), Stop::Fuel);
    assert_eq!(warp.get(0), [1, 2, 3, 4]);
    let mut warp = Warp::new(0b0100);
    let stop = warp.run(SHARED);
    assert!(matches!(stop, Stop::Halt { halt: Halt::Fault { .. }, .. }), "{stop:?}");
}

#[test]
fn a_trap_of_all_lanes_needs_one_that_takes_part() {
    let mut warp = Warp::new(0);
    warp.set(0, [1, 2, 3, 4]);
    assert_eq!(warp.run(TRAP), Stop::Fuel);
    assert_eq!((warp.get(0), warp.machine.pc()), ([1, 2, 3, 4], CODE + 2));
    let mut warp = Warp::new(0b0100);
    let trap = Halt::Trap { name: "Zero".to_string(), arguments: vec![vec![4]] };
    let stop = warp.run(TRAP);
    assert!(matches!(&stop, Stop::Halt { halt, .. } if *halt == trap), "{stop:?}");
}

#[test]
fn active_lanes_store_in_their_order() {
    let mut warp = Warp::new(0b1101);
    warp.set(0, [1, 2, 3, 4]);
    warp.set(1, [DATA, DATA + 4, DATA, DATA + 8]);
    assert_eq!(warp.run(STORE), Stop::Fuel);
    assert_eq!(warp.data(3), [3, 101, 4]);
}

#[test]
fn all_lanes_load_before_one_stores() {
    let mut warp = Warp::new(0b1111);
    // Each lane overwrites what the next one loads.
    warp.set(1, [0, 1, 2, 3].map(|lane| DATA + 4 * lane));
    warp.set(2, [1, 2, 3, 4].map(|lane| DATA + 4 * lane));
    assert_eq!(warp.run(MOVE), Stop::Fuel);
    assert_eq!(warp.data(6), [100, 100, 101, 102, 103, 105]);
}

#[test]
fn one_lane_can_trap_for_all() {
    let mut warp = Warp::new(0b0111);
    warp.set(0, [1, 2, 3, 4]);
    warp.set(2, [5, 6, 7, 8]);
    // Lane 3 would trap, and takes no part.
    warp.set(1, [9, 10, 11, 0]);
    assert_eq!(warp.run(CHECK), Stop::Fuel);
    assert_eq!(warp.get(0), [9, 10, 11, 4]);
    warp.set(1, [9, 0, 0, 9]);
    let stop = warp.run(CHECK);
    let arguments = vec![vec![6]];
    let trap = Halt::Trap { name: "Zero".to_string(), arguments };
    assert!(matches!(&stop, Stop::Halt { halt, .. } if *halt == trap), "{stop:?}");
    assert_eq!(warp.get(0), [9, 10, 11, 4]);
}

#[test]
fn inactive_lanes_raise_no_flags() {
    let bits = |number: f32| u64::from(number.to_bits());
    let mut warp = Warp::new(0b0011);
    warp.set(0, [0; LANES]);
    warp.set(1, [6.0, 1.0, 1.0, 0.0].map(bits));
    // The third lane would divide by zero, the fourth zero by zero.
    warp.set(2, [2.0, 3.0, 0.0, 0.0].map(bits));
    assert_eq!(warp.run(DIVIDE), Stop::Fuel);
    assert_eq!(warp.get(0), [bits(3.0), bits(1.0 / 3.0), 0, 0]);
    let flags = RegFileId::new(2);
    assert_eq!(warp.machine.register(flags, 0), [1], "inexact alone");
    warp.machine.set_register(RegFileId::new(1), 0, &[0b1111]);
    assert_eq!(warp.run(DIVIDE), Stop::Fuel);
    assert_eq!(warp.machine.register(flags, 0), [0b11001], "invalid and division, too");
}
