//! Instructions that stop: RV64 and A64 are compared with qemu.
//!
//! A case is a word and the registers before it. The cases are loads and stores at addresses that are unmapped, read-only, misaligned, or
//! at the end of a mapped page; jumps to memory without code; illegal words; and instructions with traps in their programs. In qemu, a signal handler
//! records the signal, the program counter and a checksum of the general registers, which must be unchanged. Zeros, which are illegal,
//! follow each word, so every case stops. The `.tsv` files contain the cases and the results of qemu 7.2.
//! `BLESS=1 cargo test -p isadl-exec traps::` writes them; with `ISADL_SETS`, qemu runs each case again.

mod a64;
mod riscv;

use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

use isadl::isa::{Isa, OpcodeId};
use isadl::semantics::program::{Statement, StatementKind};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Halt, Machine, Refusal, Spec, Stop, furnish};

use crate::random::Random;
use crate::sweep::{FACTOR, SEED};
use crate::{common, guest};

/// The address of the first block of code, the size of a block in bytes, and the offset of the word in its block.
const CODE: u64 = 0x1000_0000;
const BLOCK: u64 = 256;
const INSTRUCTION: u64 = 240;

/// Initial values of the registers.
const TABLE: u64 = 0x2000_0000;
/// A readable and writable page. The next page is not mapped.
const WINDOW: u64 = 0x2100_0000;
const WINDOW_END: u64 = WINDOW + 4096;
/// A read-only page.
const CONSTANT: u64 = 0x2200_0000;
/// An unmapped address.
const NOTHING: u64 = 0x3000_0000;
/// The offset of the middle of a page.
const MIDDLE: u64 = 0x800;
/// The results: signal, program counter and checksum of each case.
const OUTPUT: u64 = 0x2300_0000;

// Numbers of signals, the same on both: `include/uapi/asm-generic/signal.h` in the sources of Linux.
const SIGILL: u64 = 4;
const SIGTRAP: u64 = 5;
const SIGBUS: u64 = 7;
const SIGSEGV: u64 = 11;

/// A word, and the registers before it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Case {
    word: u32,
    /// A general register and its value.
    base: Option<(u32, u64)>,
    /// The rounding mode.
    mode: u32,
}

/// The result of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    signal: u64,
    /// The program counter, relative to the word if it is at most 4 bytes behind it.
    at: u64,
    sum: u64,
}

/// An instruction set.
trait Target {
    /// The name of the folder of its specification.
    const NAME: &'static str;
    const GENERATION: usize;
    /// The file of the sweep with words of all opcodes; those that access memory become cases.
    const WORDS: &'static str;
    const QEMU: &'static [&'static str];
    const GCC: &'static [&'static str];
    /// Whether qemu has the opcode and executes the word as the manual says.
    fn is_comparable(isa: &Isa, id: OpcodeId, word: u32) -> bool;
    /// The number of the base register, for words that access memory or jump to a register.
    fn base(isa: &Isa, id: OpcodeId, word: u32) -> Option<u32>;
    /// Whether the opcode jumps to its base register.
    fn jumps(name: &str) -> bool;
    /// Whether an opcode stores only with a reservation.
    fn is_conditional(name: &str) -> bool;
    /// A more interesting word of the same opcode.
    fn chosen(word: u32, _random: &mut Random) -> u32 {
        word
    }
    /// A random word, often illegal.
    fn any_word(random: &mut Random) -> u32;
    /// The length of an instruction in bytes.
    fn bytes(word: u32) -> u64;
    /// The signal of a trap; `None` for system calls.
    fn signal(trap: &str) -> Option<u64>;
    /// Whether the case is a known difference.
    fn is_known(case: &Case) -> bool;
    /// Sets the registers for a case.
    fn set(machine: &mut Machine, case: &Case);
    /// The general registers, in the order of the checksum.
    fn registers(machine: &Machine) -> Vec<u64>;
    fn program(cases: &[Case]) -> String;
}

/// The initial value of a general register.
fn value(register: u32) -> u64 {
    16 * u64::from(register)
}

struct Executor<T: Target> {
    spec: Rc<Spec>,
    machine: Machine,
    target: std::marker::PhantomData<T>,
}

impl<T: Target> Executor<T> {
    fn new() -> Executor<T> {
        let spec = common::spec(T::NAME, T::GENERATION);
        let mut memory = Memory::new(CODE, OUTPUT - CODE);
        memory.protect(CODE..CODE + (1 << 24), Access::ALL).expect("inside");
        memory.protect(WINDOW..WINDOW_END, Access::READ_WRITE).expect("inside");
        memory.protect(CONSTANT..CONSTANT + 4096, Access::READ).expect("inside");
        let mut machine = Machine::new(Rc::clone(&spec), vec![memory]).expect("few registers");
        furnish(&mut machine, &spec.isa().environments()[0]);
        Executor { spec, machine, target: std::marker::PhantomData }
    }

    /// Executes at most two instructions; why execution stopped.
    fn stop(&mut self, number: usize, case: &Case) -> Halt {
        let at = CODE + number as u64 * BLOCK + INSTRUCTION;
        T::set(&mut self.machine, case);
        let memory = self.machine.memory(0).expect("a memory");
        memory.write(WINDOW, &[0; 4096]).expect("inside");
        memory.write(at, &case.word.to_le_bytes()).expect("inside");
        self.machine.set_pc(at);
        let stop = self.machine.run(2);
        let memory = self.machine.memory(0).expect("a memory");
        memory.write(at, &[0; 4]).expect("inside");
        match stop {
            Stop::Halt { halt, .. } => halt,
            Stop::Fuel => panic!("{case:x?} does not stop, but is at {:#x}", self.machine.pc()),
        }
    }

    fn run(&mut self, number: usize, case: &Case) -> Option<End> {
        let signal = match self.stop(number, case) {
            Halt::Fault { .. } => SIGSEGV,
            Halt::Trap { name, .. } => T::signal(&name)?,
            Halt::Refused(Refusal::Illegal) => SIGILL,
            _ => return None,
        };
        let word_at = CODE + number as u64 * BLOCK + INSTRUCTION;
        let pc = self.machine.pc();
        let at = pc.checked_sub(word_at).filter(|at| *at <= 4).unwrap_or(pc);
        let registers = T::registers(&self.machine);
        let add = |sum: u64, value: u64| (sum ^ value).wrapping_mul(FACTOR);
        Some(End { signal, at, sum: registers.into_iter().fold(SEED, add) })
    }
}

/// Loads and stores at bad or unusual addresses.
fn of_addresses<T: Target>(executor: &mut Executor<T>) -> Vec<Case> {
    let spec = Rc::clone(&executor.spec);
    let isa = spec.isa();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sweep").join(T::WORDS);
    let recorded = std::fs::read_to_string(recorded).expect("readable");
    let mut cases = Vec::new();
    for line in recorded.lines().filter(|line| !line.starts_with('\t')) {
        let word = line.split('\t').nth(1).expect("a word");
        let word = u32::from_str_radix(word, 16).expect("a number");
        let opcode = spec.engine().decode(word.into()).expect("an instruction").opcode;
        let Some(base) = T::base(isa, opcode, word) else { continue };
        if T::bytes(word) != u64::from(isa.opcode(opcode).width / 8) {
            continue;
        }
        let case = |address| Case { word, base: Some((base, address)), mode: 0 };
        let offset = match executor.stop(0, &case(NOTHING + MIDDLE)) {
            Halt::Fault { fault, .. } => fault.address.wrapping_sub(NOTHING + MIDDLE),
            // Without a reservation, nothing is stored, and qemu does not look at the address.
            _ if T::is_conditional(&isa.opcode(opcode).name) => continue,
            other => panic!("{word:x}: {other:?}"),
        };
        let places = [
            NOTHING + MIDDLE,
            CONSTANT + MIDDLE,
            WINDOW_END - 1,
            WINDOW_END - 4,
            WINDOW - 2,
            WINDOW + MIDDLE + 1,
            WINDOW + MIDDLE + 4,
        ];
        cases.extend(places.map(|place| case(place.wrapping_sub(offset))));
    }
    cases
}

/// Jumps to registers, and instructions with traps in their programs, in all rounding modes.
fn of_programs<T: Target>(executor: &Executor<T>, random: &mut Random) -> Vec<Case> {
    let isa = executor.spec.isa();
    let mut cases = Vec::new();
    for id in isa.opcode_ids() {
        let opcode = isa.opcode(id);
        for _ in 0..8 {
            let bits = u128::from(random.next()) & opcode.width_mask & !opcode.mask;
            let word = T::chosen((opcode.value | bits) as u32, random);
            let decoded = executor.spec.engine().decode(word.into());
            let is_own = decoded.is_ok_and(|inst| inst.opcode == id);
            if !is_own || !T::is_comparable(isa, id, word) {
                continue;
            }
            let mode = random.next() as u32 % 8;
            match T::base(isa, id, word).filter(|_| T::jumps(&opcode.name)) {
                Some(base) => {
                    let places = [NOTHING, NOTHING + 1, NOTHING + 2, WINDOW + MIDDLE];
                    cases.extend(places.map(|at| Case { word, base: Some((base, at)), mode }));
                }
                None if may_trap(&executor.spec, id) => cases.push(Case { word, base: None, mode }),
                None => {}
            }
        }
    }
    cases
}

fn may_trap(spec: &Spec, id: OpcodeId) -> bool {
    fn has_trap(statement: &Statement) -> bool {
        let is_trap = matches!(statement.kind, StatementKind::Trap { .. });
        is_trap || statement.blocks().into_iter().flatten().any(has_trap)
    }
    let instances = &spec.checked().expect("checked programs").opcodes[id.index()];
    instances.iter().flat_map(|instance| &instance.program.statements).any(has_trap)
}

/// Illegal words.
fn of_nothing<T: Target>(executor: &Executor<T>, random: &mut Random) -> Vec<Case> {
    let words = std::iter::repeat_with(|| T::any_word(random));
    let is_none = |word: &u32| executor.spec.engine().decode((*word).into()).is_err();
    let words = words.filter(is_none).take(400);
    words.map(|word| Case { word, base: None, mode: 0 }).collect()
}

fn in_qemu<T: Target>(cases: &[Case]) -> Option<Vec<End>> {
    let sections = [
        ("blocks", CODE),
        ("table", TABLE),
        ("window", WINDOW),
        ("constant", CONSTANT),
        ("output", OUTPUT),
    ];
    let output = guest::output(&T::program(cases), &sections, T::GCC, T::QEMU)?;
    assert_eq!(output.len(), cases.len() * 24, "an end for each");
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let end = |(case, bytes): (usize, &[u8])| {
        let (pc, word_at) = (number(&bytes[8..16]), CODE + case as u64 * BLOCK + INSTRUCTION);
        let at = pc.checked_sub(word_at).filter(|at| *at <= 4).unwrap_or(pc);
        End { signal: number(&bytes[..8]), at, sum: number(&bytes[16..]) }
    };
    Some(output.chunks(24).enumerate().map(end).collect())
}

fn recorded(path: &Path) -> Vec<(Case, End)> {
    let text = std::fs::read_to_string(path).expect("readable");
    let row = |line: &str| {
        let number = |text: &str| u64::from_str_radix(text, 16).expect("a number");
        let all: Vec<&str> = line.split('\t').collect();
        let [word, base, mode, signal, at, sum] = all[..] else { panic!("{line}") };
        let base = base.split_once('=');
        let base = base.map(|(register, at)| (number(register) as u32, number(at)));
        let case = Case { word: number(word) as u32, base, mode: number(mode) as u32 };
        (case, End { signal: number(signal), at: number(at), sum: number(sum) })
    };
    text.lines().map(row).collect()
}

fn record(path: &Path, cases: &[(Case, End)]) {
    let mut text = String::new();
    for (case, end) in cases {
        let base = case.base.map(|(base, at)| format!("{base:x}={at:x}")).unwrap_or_default();
        let (word, mode, End { signal, at, sum }) = (case.word, case.mode, end);
        let _ = writeln!(text, "{word:x}\t{base}\t{mode:x}\t{signal:x}\t{at:x}\t{sum:x}");
    }
    std::fs::write(path, text).expect("writable");
}

fn ends_as_in_qemu<T: Target>(least: usize) {
    let mut executor = Executor::<T>::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps");
    let path = path.join(format!("{}.tsv", T::NAME));
    if std::env::var_os("BLESS").is_some() {
        let mut random = Random(0x1234_5678_9abc_def1);
        let mut cases = of_addresses(&mut executor);
        cases.extend(of_programs(&executor, &mut random));
        cases.extend(of_nothing(&executor, &mut random));
        cases.retain(|case| !T::is_known(case) && executor.run(0, case).is_some());
        let ends = in_qemu::<T>(&cases).expect("qemu and gcc");
        record(&path, &cases.into_iter().zip(ends).collect::<Vec<_>>());
    }
    let (cases, ends): (Vec<Case>, Vec<End>) = recorded(&path).into_iter().unzip();
    let again = std::env::var_os("ISADL_SETS").and_then(|_| in_qemu::<T>(&cases));
    if let Some(again) = again {
        assert!(again == ends, "qemu now does something else");
    }
    let (mut signals, mut wrong) = ([0; 32], 0);
    for (number, (case, end)) in cases.iter().zip(&ends).enumerate() {
        signals[end.signal as usize % 32] += 1;
        let own = executor.run(number, case);
        if own.as_ref() != Some(end) {
            let text = executor.spec.engine().decode(case.word.into());
            let text = text.map(|inst| executor.spec.engine().text(inst).to_string());
            println!("{} {case:x?}: {own:x?}, in qemu {end:x?}", text.unwrap_or_default());
            wrong += 1;
        }
    }
    println!("{}: {} cases, by signal {signals:?}", T::NAME, cases.len());
    assert_eq!(wrong, 0, "{wrong} cases differ");
    assert!(cases.len() >= least, "only {} cases were compared", cases.len());
}

#[test]
fn what_stops_rv64_is_what_stops_it_in_qemu() {
    ends_as_in_qemu::<riscv::Rv64>(1000);
}

#[test]
fn what_stops_a64_is_what_stops_it_in_qemu() {
    ends_as_in_qemu::<a64::A64>(3000);
}
