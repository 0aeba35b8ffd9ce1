//! Programs that do what they should not: jump anywhere, write over themselves, ask for more than there is.

use std::rc::Rc;

use crate::common::spec;
use crate::random::Random;
use isadl::isa::RegFileId;
use isadl_exec::linux::{Clock, Settings};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Event, Halt, Machine, Process, Spec, Stop};

const START: u64 = 0x1_0000;

/// A machine with a small memory of code.
fn machine(spec: &Rc<Spec>, code: &[u8]) -> Machine {
    let mut memory = Memory::new(START, 1 << 16);
    memory.protect(START..START + (1 << 16), Access::ALL).expect("inside");
    memory.write_anyway(START, code).expect("inside");
    let memories = spec.memories().iter().skip(1).map(|_| Memory::new(0, 4096));
    let memories = std::iter::once(memory).chain(memories).collect();
    let mut machine = Machine::new(Rc::clone(spec), memories).expect("few registers");
    machine.set_pc(START);
    machine
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn random_code_stops_or_uses_its_fuel() {
    for (name, generation) in [("riscv", 0), ("riscv", 1), ("a64", 0), ("gcn", 0), ("simt", 0)] {
        let spec = spec(name, generation);
        let mut random = Random(0x1234_5678_9abc_def1);
        let (mut ended, mut executed) = (0, 0);
        for _ in 0..60 {
            let mut code: Vec<u8> = (0..2048).map(|_| random.next() as u8).collect();
            // Words that are instructions more often than random bytes are.
            let isa = spec.isa();
            let mut at = 0;
            while at + isa.bytes() < code.len() {
                let opcode = &isa.opcodes()[random.below(isa.opcodes().len())];
                let bits = u128::from(random.next()) << 64 | u128::from(random.next());
                let word = opcode.value | bits & !opcode.mask & opcode.width_mask;
                let bytes = opcode.width as usize / 8;
                code[at..at + bytes].copy_from_slice(&word.to_le_bytes()[..bytes]);
                at += bytes;
            }
            let mut machine = machine(&spec, &code);
            for (file, all) in isa.reg_files().iter().enumerate() {
                for number in 0..all.count {
                    let value = START + random.next() % 4096;
                    machine.set_register(RegFileId::new(file), number, &[value, random.next()]);
                }
            }
            // What stops is passed over, so that much of the code is executed.
            for _ in 0..200 {
                let left = 10_000 - machine.count();
                match machine.run(left) {
                    Stop::Fuel => break,
                    Stop::Halt { next, .. } => {
                        ended += 1;
                        machine.set_pc(next);
                    }
                }
            }
            executed += machine.count();
            assert!(machine.count() <= 10_000);
        }
        println!("{name}: {ended} stops, {executed} instructions");
        assert!(ended > 40, "{name}: {ended}");
    }
}

#[test]
fn code_that_is_written_is_executed_as_written() {
    let spec = spec("riscv", 1);
    // The word at 0x10020 is replaced by `addi a0, a0, 64`, and is jumped to.
    let code = words(&[
        0x0000_0297, // auipc t0, 0
        0x0402_8293, // addi t0, t0, 64
        0x0002_a303, // lw t1, 0(t0)
        0xfe62_a023, // sw t1, -32(t0)
        0x0100_006f, // j 0x10020
        0,
        0,
        0,
        0x0015_0513, // addi a0, a0, 1
        0x0000_0073, // ecall
        0,
        0,
        0,
        0,
        0,
        0,
        0x0405_0513, // addi a0, a0, 64
    ]);
    let mut machine = machine(&spec, &code);
    let file = spec.isa().reg_files().iter().position(|file| file.name == "X").expect("a file");
    let a0 = |machine: &Machine| machine.register(RegFileId::new(file), 10)[0];
    let stop = machine.run(100);
    assert!(matches!(stop, Stop::Halt { halt: Halt::Trap { .. }, next: 0x1_0028 }), "{stop:?}");
    assert_eq!((a0(&machine), machine.pc(), machine.count()), (64, 0x1_0024, 6));
    // It was translated; now it is another again.
    let other = 0x0025_0513_u32.to_le_bytes();
    machine.memory(0).expect("a memory").write(0x1_0020, &other).expect("inside");
    machine.set_pc(0x1_0020);
    machine.run(1);
    assert_eq!(a0(&machine), 66);
}

#[test]
fn words_that_were_no_instructions_may_become_some() {
    let spec = spec("riscv", 1);
    let nothing = words(&[0x0000_0013]);
    let mut machine = machine(&spec, &nothing);
    let end = START + (1 << 16);
    // The last instruction of the page is before one that is not there, and then before one that is none.
    let last = START + 0x1000 - 4;
    let memory = machine.memory(0).expect("a memory");
    memory.write_anyway(last, &nothing).expect("inside");
    memory.protect(START + 0x1000..end, Access::NONE).expect("inside");
    machine.set_pc(last);
    assert!(matches!(machine.run(2), Stop::Halt { halt: Halt::Fault { .. }, .. }));
    let memory = machine.memory(0).expect("a memory");
    memory.protect(START + 0x1000..end, Access::ALL).expect("inside");
    memory.write(START + 0x1000, &[0xff; 4]).expect("allowed");
    machine.set_pc(last);
    assert!(matches!(machine.run(2), Stop::Halt { halt: Halt::Refused(_), .. }));
    let memory = machine.memory(0).expect("a memory");
    memory.write(START + 0x1000, &nothing).expect("allowed");
    machine.set_pc(last);
    assert_eq!(machine.run(2), Stop::Fuel);
    assert_eq!(machine.pc(), START + 0x1004);
}

#[test]
fn bytes_outside_of_memory_are_not_there() {
    let memory = Memory::new(START, 1 << 16);
    for address in [0, START - 1, START + (1 << 16), u64::MAX] {
        for length in [1, 2, u64::MAX] {
            for access in [Access::NONE, Access::READ] {
                assert!(memory.bytes(address, length, access).is_err(), "{address:#x} {length}");
            }
        }
    }
    assert!(memory.bytes(START, 1, Access::NONE).is_ok());
    assert!(memory.bytes(START, 1, Access::READ).is_err());
}

#[test]
fn what_is_not_allowed_changes_nothing() {
    let spec = spec("riscv", 1);
    // `ld a0, 0(a1)`, `sd a0, 0(a1)`, `jr a1`, and a word that is no instruction.
    for (word, access) in
        [(0x0005_b503, Access::READ), (0x00a5_b023, Access::WRITE), (0x0005_8067, Access::EXECUTE)]
    {
        for address in
            [0, 8, 0xfff8, 0xfffc, 0x2_0000, 0x2_0000 - 4, u64::MAX, u64::MAX - 3, 1 << 63]
        {
            let mut machine = machine(&spec, &words(&[word]));
            let file = spec.isa().reg_files().iter().position(|file| file.name == "X");
            let file = RegFileId::new(file.expect("a file"));
            machine.set_register(file, 10, &[77]);
            machine.set_register(file, 11, &[address]);
            let stop = machine.run(2);
            let is_jump_inside = access == Access::EXECUTE && address == 0x2_0000 - 4;
            match stop {
                Stop::Halt { halt: Halt::Fault { fault, .. }, .. } => {
                    assert_eq!(fault.access, access, "{address:#x}");
                }
                // There are zeros, which are an illegal instruction.
                Stop::Halt { halt: Halt::Trap { .. }, .. } if is_jump_inside => {}
                other => panic!("{word:x} {address:#x}: {other:?}"),
            }
            assert_eq!(machine.register(file, 10)[0], 77);
        }
    }
}

#[test]
fn random_files_are_refused_or_run() {
    let spec = spec("riscv", 1);
    let environment = spec.isa().environments().first().expect("an environment").clone();
    let mut random = Random(0x0fed_cba9_8765_4321);
    let mut header = vec![0_u8; 0x1000];
    header[..20].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xf3\0");
    header[20] = 1;
    header[24..32].copy_from_slice(&0x1_0078_u64.to_le_bytes());
    header[32] = 64;
    header[52] = 64;
    header[54] = 56;
    header[56] = 1;
    header[64..72].copy_from_slice(&[1, 0, 0, 0, 7, 0, 0, 0]);
    header[80..88].copy_from_slice(&0x1_0000_u64.to_le_bytes());
    header[96..104].copy_from_slice(&0x1000_u64.to_le_bytes());
    header[104..112].copy_from_slice(&0x1000_u64.to_le_bytes());
    let (mut refused, mut ended) = (0, 0);
    for round in 0..400 {
        let mut file = header.clone();
        file[0x78..0x400].iter_mut().for_each(|byte| *byte = random.next() as u8);
        for _ in 0..round % 4 {
            let at = random.below(0x78);
            file[at] = random.next() as u8;
        }
        let settings = Settings {
            input: Box::new(std::io::empty()),
            output: Box::new(std::io::sink()),
            errors: Box::new(std::io::sink()),
            clock: Clock::Counter,
            ..Settings::default()
        };
        match Process::load(&spec, &environment, &file, &[b"a".to_vec()], (settings, 32 << 20)) {
            Err(_) => refused += 1,
            Ok(mut process) => {
                let event = process.run(10_000);
                ended += usize::from(event != Event::Fuel);
            }
        }
    }
    println!("{refused} refused, {ended} ended");
    assert!(refused > 20 && ended > 100, "{refused} refused, {ended} ended");
}
