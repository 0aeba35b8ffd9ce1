//! AVR against simavr: code in a memory of its own, 8 bits, ports, skips over instructions of two lengths.
//!
//! Words of each opcode are executed in many states, and programs of `programs` as avr-gcc made them. `words.tsv` has the words with a checksum
//! of what they leave in simavr 1.6, `programs.txt` what the programs leave; `BLESS=1 cargo test -p isadl-exec avr::` makes both again.
//! Where simavr is installed, each state is compared, and where avr-gcc is, the programs are compiled at all levels.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use crate::common;
use isadl::isa::RegFileId;
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Functions, Halt, Machine, Spec, Stop, Surroundings};

use crate::random::Random;

/// As in `harness.c`.
const CODE: u64 = 0x1000;
const DATA: u64 = 0x200;
const END: u64 = 0x2200;
const FLASH: u64 = 1 << 18;

const WORDS: usize = 20;
const STATES: usize = 50;

/// What simavr's ATmega2560 does not have, or does beside the instruction.
const LEFT_OUT: [&str; 13] = [
    "BREAK", "SLEEP", "WDR", "SPM", "SPM_UP", "DES", "LAC", "LAS", "LAT", "XCH", "CBI", "SBI",
    "ESPM",
];

/// The files of registers, in the order of their declarations.
const REGISTERS: usize = 0;
const FLAGS: usize = 1;

/// Ports that are nothing but bytes.
struct Ports(Rc<RefCell<[u8; 64]>>);

impl Functions for Ports {
    fn call(
        &mut self,
        name: &str,
        arguments: &[Vec<u64>],
        _: u32,
        _: &mut dyn Surroundings,
    ) -> Option<Vec<u64>> {
        let port = arguments.first().map_or(0, |port| port[0] as usize);
        match name {
            "port_read" => Some(vec![self.0.borrow()[port].into()]),
            "port_write" => {
                self.0.borrow_mut()[port] = arguments[1][0] as u8;
                Some(Vec::new())
            }
            // Nothing else is there, so execution ends.
            _ => None,
        }
    }
}

fn machine(spec: &Rc<Spec>) -> Machine {
    let mut memories = Vec::new();
    for name in spec.memories() {
        // Whole pages.
        let size = if name == "code" { FLASH } else { 0x3000 };
        let mut memory = Memory::new(0, size);
        memory.protect(0..size, Access::ALL).expect("inside");
        memories.push(memory);
    }
    let mut machine = Machine::new(Rc::clone(spec), memories).expect("few registers");
    machine.set_code(number_of(spec, "code"));
    machine.set_functions(Box::new(Ports(Rc::new(RefCell::new([0; 64])))));
    machine
}

fn number_of(spec: &Spec, memory: &str) -> usize {
    spec.memories().iter().position(|name| name == memory).expect("a memory")
}

fn write(machine: &mut Machine, spec: &Spec, memory: &str, at: u64, bytes: &[u8]) {
    let memory = machine.memory(number_of(spec, memory)).expect("a memory");
    memory.write(at, bytes).expect("inside");
}

/// What the harness fills memories with.
fn filling(range: std::ops::Range<u64>, [low, high]: [u64; 2]) -> Vec<u8> {
    range.map(|at| (at * low + (at >> 8) * high) as u8).collect()
}

/// The line that the harness prints.
fn printed(machine: &mut Machine, spec: &Spec) -> String {
    let bit = |machine: &Machine, number| machine.register(RegFileId::new(FLAGS), number)[0];
    let flags = (0..8).fold(0, |all, number| all | bit(machine, number) << number);
    let mut line = format!("{:x} {flags:x} {:x}", machine.pc(), machine.kept("SP"));
    for number in 0..32 {
        let _ = write!(line, " {:x}", machine.register(RegFileId::new(REGISTERS), number)[0]);
    }
    let memory = machine.memory(number_of(spec, "data")).expect("a memory");
    let bytes = memory.bytes(DATA, END - DATA, Access::READ).expect("inside");
    let sum = bytes.iter().fold(0u32, |sum, byte| sum.wrapping_mul(16_777_619) ^ u32::from(*byte));
    let _ = write!(line, " {sum:x}");
    line
}

/// Registers, flags and the stack pointer.
struct State {
    registers: [u8; 32],
    flags: u8,
    stack: u16,
}

impl State {
    fn new(random: &mut Random) -> State {
        let mut registers = [0; 32];
        for register in &mut registers {
            *register = match random.below(4) {
                0 => [0, 1, 0x7f, 0x80, 0xff, 0x0f, 0xf0, 0x10][random.below(8)],
                _ => random.next() as u8,
            };
        }
        // Pointers into the data memory, and of ours into the program memory.
        for high in [27, 29, 31] {
            registers[high] = 3 + random.below(28) as u8;
        }
        let stack = 0x300 + random.below(0x1c00) as u16;
        State { registers, flags: random.next() as u8, stack }
    }

    fn set(&self, machine: &mut Machine) {
        for (number, value) in self.registers.iter().enumerate() {
            let value = u64::from(*value);
            machine.set_register(RegFileId::new(REGISTERS), number as u32, &[value]);
        }
        for number in 0..8 {
            let bit = u64::from(self.flags >> number & 1);
            machine.set_register(RegFileId::new(FLAGS), number, &[bit]);
        }
        machine.set_kept("SP", self.stack.into());
        machine.set_kept("RAMPZ", 0);
        machine.set_kept("EIND", 0);
    }

    fn line(&self) -> String {
        let registers: Vec<String> = self.registers.iter().map(|one| format!("{one:x}")).collect();
        format!("state {} {:x} {:x}\n", registers.join(" "), self.flags, self.stack)
    }
}

/// The 64 bytes of code of a word: behind it is an instruction of one or of two units.
fn code(word: u32, length: usize, is_next_long: bool) -> Vec<u8> {
    let mut bytes = word.to_le_bytes()[..length].to_vec();
    // `jmp 0`, or `nop`.
    bytes.extend(if is_next_long { [0x0c, 0x94, 0, 0] } else { [0; 4] });
    bytes.resize(64, 0);
    bytes
}

/// The lines that words leave, for each state; `None` if an instruction does not end.
fn executed(
    spec: &Spec,
    machine: &mut Machine,
    bytes: &[u8],
    states: &[State],
) -> Option<Vec<String>> {
    let data = filling(DATA..END, [73, 29]);
    write(machine, spec, "code", CODE, bytes);
    let mut lines = Vec::new();
    for state in states {
        state.set(machine);
        write(machine, spec, "data", DATA, &data);
        machine.set_pc(CODE);
        if machine.step() != Stop::Fuel {
            return None;
        }
        lines.push(printed(machine, spec));
    }
    Some(lines)
}

/// A word, with what it leaves.
struct Case {
    opcode: String,
    code: Vec<u8>,
    lines: Vec<String>,
}

impl Case {
    fn sum(&self) -> u64 {
        let bytes = self.lines.iter().flat_map(|line| line.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }
}

fn cases(spec: &Rc<Spec>, states: &[State]) -> Vec<Case> {
    let isa = spec.isa();
    let mut machine = machine(spec);
    let flash = filling(0..FLASH, [167, 59]);
    write(&mut machine, spec, "code", 0, &flash);
    let mut random = Random(0x1319_8a2e_0370_7344);
    let mut cases = Vec::new();
    for id in isa.opcode_ids() {
        let opcode = isa.opcode(id);
        if LEFT_OUT.contains(&opcode.name.as_str()) {
            continue;
        }
        let mut made = 0;
        for _ in 0..2000 {
            let bits = u128::from(random.next()) & opcode.width_mask & !opcode.mask;
            let word = opcode.value | bits;
            if made == WORDS || !spec.engine().decode(word).is_ok_and(|inst| inst.opcode == id) {
                continue;
            }
            let length = opcode.width as usize / 8;
            let code = code(word as u32, length, random.one_in(2));
            if is_undefined(&opcode.name, word as u32) {
                continue;
            }
            if let Some(lines) = executed(spec, &mut machine, &code, states) {
                cases.push(Case { opcode: opcode.name.clone(), code, lines });
                made += 1;
            }
        }
        assert!(made > 0, "{} has no words", opcode.name);
    }
    cases
}

/// Loads and stores that move a pointer that is the register itself, or beside the memory, and ports that simavr does more with.
fn is_undefined(opcode: &str, word: u32) -> bool {
    let register = word >> 4 & 31;
    let port = word & 15 | word >> 5 & 0x30;
    match opcode {
        "LD" | "ST" => register >= 26,
        "LPM" | "ELPM" => register >= 30,
        "LDS" | "STS" => !(DATA..END).contains(&u64::from(word >> 16)),
        "IN" | "OUT" => !matches!(port, 59..=63),
        _ => false,
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/avr")
}

/// The compiled harness; `None` if simavr or a compiler is not there.
fn harness(name: &str) -> Option<PathBuf> {
    let path = std::env::temp_dir().join(format!("isadl-avr-{name}-{}", std::process::id()));
    let source = folder().join("harness.c");
    let mut command = Command::new("cc");
    let command = command.args(["-O2", "-w", "-o"]).arg(&path).arg(source).arg("-lsimavr");
    let ran = command.stderr(Stdio::null()).status();
    if !ran.is_ok_and(|status| status.success()) {
        println!("simavr's library is not installed: compared with what is recorded alone");
        return None;
    }
    Some(path)
}

/// What the harness prints for a text.
fn in_harness(harness: &Path, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(harness);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut writer = child.stdin.take().expect("a pipe");
    let input = input.to_string();
    let feeder = std::thread::spawn(move || writer.write_all(input.as_bytes()));
    let ran = child.wait_with_output().expect("it ends");
    let _ = feeder.join();
    String::from_utf8(ran.stdout).expect("text")
}

/// Compares a text with a recorded one, or records it.
fn recorded(file: &str, text: &str) {
    let path = folder().join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("writable");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let mut differ = known.lines().zip(text.lines()).filter(|(known, own)| known != own);
    assert_eq!(differ.next(), None, "{file}: what simavr leaves, and what this machine does");
    assert_eq!(known.lines().count(), text.lines().count(), "{file}");
}

#[test]
fn words_do_what_they_do_in_simavr() {
    let spec = common::spec_in("../../tests/fixtures/machines/avr", 0);
    let mut random = Random(0x243f_6a88_85a3_08d3);
    let states: Vec<State> = (0..STATES).map(|_| State::new(&mut random)).collect();
    let cases = cases(&spec, &states);
    if let Some(harness) = harness("words") {
        let state_lines: String = states.iter().map(State::line).collect();
        let mut input = String::new();
        for case in &cases {
            let digits: String = case.code.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = write!(input, "code {digits}\n{state_lines}");
        }
        let output = in_harness(&harness, &["words"], &input);
        let _ = std::fs::remove_file(harness);
        let mut lines = output.lines();
        let mut wrong = String::new();
        for case in &cases {
            for (own, state) in case.lines.iter().zip(&states) {
                let line = lines.next().expect("a line for each state");
                if line != own && wrong.len() < 4000 {
                    let (name, code) = (&case.opcode, &case.code[..4]);
                    let before = state.line();
                    let _ = write!(
                        wrong,
                        "{name} {code:02x?}: {before}  simavr {line}\n  here   {own}\n"
                    );
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    }
    let line = |case: &Case| {
        let word = u32::from_le_bytes(case.code[..4].try_into().expect("four bytes"));
        format!("{}\t{word:08x}\t{:x}\n", case.opcode, case.sum())
    };
    recorded("words.tsv", &cases.iter().map(line).collect::<String>());
}

/// Executes an image of the program memory to its end.
fn program(spec: &Rc<Spec>, image: &[u8]) -> String {
    let mut machine = machine(spec);
    write(&mut machine, spec, "code", 0, image);
    // As simavr after a reset.
    machine.set_kept("SP", END - 1);
    let stop = machine.run(50_000_000);
    let end = Halt::NoFunction("sleep".to_string());
    assert!(
        matches!(&stop, Stop::Halt { halt, .. } if *halt == end),
        "{stop:?} at {:#x}",
        machine.pc()
    );
    printed(&mut machine, spec)
}

const LEVELS: [&str; 4] = ["-Os", "-O0", "-O2", "-O3"];

/// Compiles a program for an ATmega2560; the image of its program memory.
fn compiled(source: &Path, level: &str) -> Option<Vec<u8>> {
    let path = std::env::temp_dir().join(format!("isadl-avr-program-{}", std::process::id()));
    let image = path.with_extension("bin");
    let mut command = Command::new("avr-gcc");
    command.args(["-mmcu=atmega2560", "-std=gnu11", level, "-o"]).arg(&path).arg(source).arg("-lm");
    let is_made = command.status().is_ok_and(|status| status.success())
        && Command::new("avr-objcopy")
            .args(["-O", "binary"])
            .args([&path, &image])
            .status()
            .is_ok_and(|status| status.success());
    let bytes = is_made.then(|| std::fs::read(&image).expect("readable"));
    let _ = (std::fs::remove_file(&path), std::fs::remove_file(&image));
    bytes
}

#[test]
fn programs_leave_what_they_leave_in_simavr() {
    let spec = common::spec_in("../../tests/fixtures/machines/avr", 0);
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder().join("programs"))
        .expect("a folder")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    sources.sort();
    let harness = harness("programs");
    let mut text = String::new();
    for source in &sources {
        let name = source.file_stem().expect("a name").to_string_lossy();
        let image = source.with_extension("bin");
        for level in LEVELS {
            let mut bytes = compiled(source, level);
            if level == LEVELS[0] {
                if let (Some(own), true) = (&bytes, std::env::var_os("BLESS").is_some()) {
                    std::fs::write(&image, own).expect("writable");
                }
                // What is recorded is of one version of the compiler.
                let known = std::fs::read(&image).expect("readable");
                let _ = writeln!(text, "{name} {}", program(&spec, &known));
                bytes = Some(known);
            }
            let (Some(harness), Some(bytes)) = (&harness, bytes) else { continue };
            let path = std::env::temp_dir().join(format!("isadl-avr-image-{}", std::process::id()));
            std::fs::write(&path, &bytes).expect("writable");
            let there = in_harness(harness, &["program", &path.display().to_string()], "");
            let _ = std::fs::remove_file(path);
            assert_eq!(program(&spec, &bytes), there.trim_end(), "{name} {level}");
        }
    }
    harness.map(std::fs::remove_file);
    assert!(sources.len() >= 5, "only {} programs", sources.len());
    recorded("programs.txt", &text);
}
