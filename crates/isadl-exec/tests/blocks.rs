//! Instructions that are translated together do what they do one by one.
//!
//! Random programs of few registers, so that instructions read what others before them have written, and flags are read, overwritten and
//! left; some are stored over others. One machine executes whole blocks, the other each instruction by itself: they stop at the same place with the same registers
//! and memory. What single instructions do is compared with qemu in `sweep`, from where the words come.

use std::path::Path;
use std::rc::Rc;

use crate::common;
use isadl::isa::RegFileId;
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Machine, Spec, Stop};

use crate::random::Random;

const CODE: u64 = 0x1000;
const DATA: u64 = 0x8000;
const END: u64 = 0xa000;

/// Instructions of a program.
const LENGTH: usize = 24;

/// Words of the opcodes whose names begin so.
fn words(file: &str, names: &[&str]) -> Vec<u32> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sweep").join(file);
    let text = std::fs::read_to_string(path).expect("readable");
    let (mut opcode, mut words) = ("", Vec::new());
    for line in text.lines() {
        let mut parts = line.split('\t');
        // Only the first word of an opcode has its name.
        opcode = parts.next().filter(|name| !name.is_empty()).unwrap_or(opcode);
        if names.iter().any(|name| opcode.starts_with(name)) {
            let word = parts.next().expect("a word");
            words.push(u32::from_str_radix(word, 16).expect("a number"));
        }
    }
    words
}

/// A word with registers of low numbers, or the last, at most of the places where it has some.
fn with_few_registers(random: &mut Random, word: u32, places: &[u32]) -> u32 {
    places.iter().fold(word, |word, place| match random.one_in(8) {
        true => word,
        false => {
            let register = [0, 1, 2, 3, 31][random.below(5)];
            word & !(31 << place) | register << place
        }
    })
}

struct Program {
    bytes: Vec<u8>,
    registers: Vec<Vec<u64>>,
}

impl Program {
    fn new(random: &mut Random, spec: &Spec, words: &[u32], places: &[u32]) -> Program {
        let mut bytes = Vec::new();
        for _ in 0..1 + random.below(LENGTH) {
            let word = words[random.below(words.len())];
            let few = with_few_registers(random, word, places);
            match spec.engine().decode_bytes(&few.to_le_bytes()) {
                Ok((_, 4)) => bytes.extend(few.to_le_bytes()),
                // Its registers are elsewhere.
                _ => match spec.engine().decode_bytes(&word.to_le_bytes()) {
                    Ok((_, length)) => bytes.extend(&word.to_le_bytes()[..length]),
                    Err(_) => continue,
                },
            }
        }
        let files = spec.isa().reg_files().iter();
        let rewrites = random.one_in(8);
        let number = |random: &mut Random| match random.below(3) {
            // Instructions in registers are stored over those that follow.
            0 if rewrites => words[random.below(words.len())].into(),
            1 if rewrites => CODE + random.next() % 16 * 4,
            // Most loads and stores are allowed.
            0 if random.one_in(3) => random.float(64),
            0 => random.register(),
            _ => DATA + 1024 + random.next() % 64 * 8,
        };
        let registers = files.map(|file| {
            let pieces = file.count as usize * file.width.div_ceil(64) as usize;
            (0..pieces).map(|_| number(random)).collect()
        });
        let registers = registers.collect();
        Program { bytes, registers }
    }

    fn machine(&self, spec: &Rc<Spec>) -> Machine {
        let mut memory = Memory::new(CODE, END - CODE);
        memory.protect(CODE..DATA, Access::ALL).expect("inside");
        memory.protect(DATA..END, Access::READ_WRITE).expect("inside");
        memory.write(CODE, &self.bytes).expect("inside");
        let mut machine = Machine::new(Rc::clone(spec), vec![memory]).expect("few registers");
        for (file, number, at, count) in registers(spec) {
            machine.set_register(file, number, &self.registers[file.index()][at..at + count]);
        }
        machine.set_pc(CODE);
        machine
    }
}

/// Every register: its file, its number, and where it is among the numbers of its file.
fn registers(spec: &Spec) -> Vec<(RegFileId, u32, usize, usize)> {
    let files = spec.isa().reg_files().iter().enumerate();
    let each = files.flat_map(|(at, file)| {
        let count = file.width.div_ceil(64) as usize;
        (0..file.count)
            .map(move |number| (RegFileId::new(at), number, number as usize * count, count))
    });
    each.collect()
}

/// Executes a program both ways; how many instructions it had, or the difference.
fn compare(spec: &Rc<Spec>, program: &Program) -> Result<u64, String> {
    const FUEL: u64 = 4096;
    let (mut whole, mut single) = (program.machine(spec), program.machine(spec));
    let stop = whole.run(FUEL);
    let mut left = FUEL;
    let other = loop {
        match single.step() {
            Stop::Fuel if left > 1 => left -= 1,
            stop => break stop,
        }
    };
    let mut differences = Vec::new();
    if (whole.pc(), whole.count(), &stop) != (single.pc(), single.count(), &other) {
        differences.push(format!("{:#x} {stop:?}, not {:#x} {other:?}", whole.pc(), single.pc()));
    }
    for (file, number, ..) in registers(spec) {
        let (own, other) = (whole.register(file, number), single.register(file, number));
        if own != other {
            let name = &spec.isa().reg_files()[file.index()].name;
            differences.push(format!("{name}{number} = {own:x?}, not {other:x?}"));
        }
    }
    let data = |machine: &mut Machine| {
        let memory = machine.memory(0).expect("a memory");
        memory.bytes(DATA, END - DATA, Access::READ).expect("inside").to_vec()
    };
    if data(&mut whole) != data(&mut single) {
        differences.push("memory".to_string());
    }
    match differences.is_empty() {
        true => Ok(whole.count()),
        false => Err(differences.join("\n")),
    }
}

/// The program as text.
fn text(spec: &Spec, mut bytes: &[u8]) -> String {
    let mut lines = String::new();
    while let Ok((inst, length)) = spec.engine().decode_bytes(bytes) {
        lines += &format!("{}\n", spec.engine().text(inst));
        bytes = &bytes[length..];
    }
    lines
}

/// Checks programs of the words of all opcodes, and as many of those whose names begin as `some` says, with other words among them.
fn check(name: &str, file: &str, places: &[u32], some: &[&str], others: &[u32]) {
    let spec = common::spec(name, 0);
    let (all, mut some) = (words(file, &[""]), words(file, some));
    some.extend(others.repeat(8));
    let programs = match std::env::var_os("ISADL_SETS") {
        Some(_) => 60_000,
        None => 4_000,
    };
    let mut random = Random(0x6a09_e667_f3bc_c908);
    let mut count = 0;
    for number in 0..programs {
        let words = if number % 2 == 0 { &all } else { &some };
        let program = Program::new(&mut random, &spec, words, places);
        match compare(&spec, &program) {
            Ok(own) => count += own,
            Err(what) => panic!("program {number}:\n{}{what}", text(&spec, &program.bytes)),
        }
    }
    // Programs do not stop at their first instructions.
    assert!(count > 3 * programs, "only {count} instructions in {programs} programs");
}

#[test]
fn riscv_blocks_are_what_their_instructions_are() {
    check(
        "riscv",
        "riscv64.tsv",
        &[7, 15, 20],
        &["SLT", "B", "SUB", "LUI", "ADD", "XOR", "C_"],
        &[],
    );
}

#[test]
fn a64_blocks_are_what_their_instructions_are() {
    let flags = ["SUBS", "ADDS", "ANDS", "ADCS", "SBCS", "CCM", "CS", "B_COND", "MOVN", "MOVZ"];
    // The least and greatest numbers, of 64 and 32 bits, in register 1.
    let extremes = [0xd2f0_0001, 0x92f0_0001, 0x52b0_0001, 0x12b0_0001];
    check("a64", "a64.tsv", &[0, 5, 16], &flags, &extremes);
}
