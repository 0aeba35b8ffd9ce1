//! What summaries say of instructions is what the executor does, in random states: registers, accesses, where execution goes on, traps.
//!
//! The words are those that `sweep` compares with qemu.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use crate::common;
use isadl::isa::{Inst, RegFileId, Register, RegisterNames};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::summary::{Location, Source, Summary, Term};
use isadl_exec::{Accessed, Halt, Machine, Spec, Stop};

use crate::random::Random;

const CODE: u64 = 0x1000;
const DATA: u64 = 0x8000;
const END: u64 = 0xa000;

/// One in so many words is executed, and in how many states. Longer runs have more.
fn amounts() -> (usize, usize) {
    match std::env::var_os("ISADL_SETS") {
        Some(_) => (1, 6),
        None => (3, 2),
    }
}

/// A machine with a word in its memory, and random registers.
fn machine(random: &mut Random, spec: &Rc<Spec>, word: u32) -> Machine {
    let mut memory = Memory::new(CODE, END - CODE);
    memory.protect(CODE..DATA, Access::ALL).expect("inside");
    memory.protect(DATA..END, Access::READ_WRITE).expect("inside");
    memory.write(CODE, &word.to_le_bytes()).expect("inside");
    for at in (DATA..END).step_by(8) {
        memory.write(at, &random.next().to_le_bytes()).expect("inside");
    }
    let mut machine = Machine::new(Rc::clone(spec), vec![memory]).expect("few registers");
    for (at, file) in spec.isa().reg_files().iter().enumerate() {
        for number in 0..file.count {
            let piece = |_| match random.below(3) {
                0 => random.register(),
                1 => random.float(64),
                _ => DATA + 1024 + random.next() % 64 * 8,
            };
            let value: Vec<u64> = (0..file.width.div_ceil(64)).map(piece).collect();
            machine.set_register(RegFileId::new(at), number, &value);
        }
    }
    machine.set_notes_accesses(true);
    machine.set_pc(CODE);
    machine
}

/// The state before an instruction.
struct Before {
    registers: BTreeMap<Location, u128>,
    kept: BTreeMap<String, u64>,
    /// What loads yield.
    loaded: Vec<Option<u128>>,
}

impl Before {
    fn new(random: &mut Random, summary: &Summary, machine: &mut Machine) -> Before {
        let registers = registers(machine);
        let mut names = BTreeSet::new();
        for term in terms(summary) {
            summary.evaluate(term, |source| {
                if let Source::Location(Location::Kept(name)) = source {
                    names.insert(name.clone());
                }
                Some(0)
            });
        }
        for name in names {
            machine.set_kept(&name, random.next() % 2);
        }
        let all = machine.all_kept().into_iter();
        let kept = all.map(|(name, value)| (name.to_string(), value)).collect();
        let mut before = Before { registers, kept, loaded: Vec::new() };
        for (number, access) in summary.accesses().iter().enumerate() {
            let address = summary.effective_address(number, |source| before.read(source));
            let bits = u64::from(access.bits);
            let memory = machine.memory(access.memory).expect("a memory");
            let bytes = address.and_then(|at| memory.bytes(at, bits / 8, Access::READ).ok());
            before.loaded.push(bytes.filter(|bytes| bytes.len() <= 16).map(little_endian));
        }
        before
    }

    fn read(&self, source: Source<'_>) -> Option<u128> {
        match source {
            Source::Location(Location::Kept(name)) => {
                Some(self.kept.get(name).map_or(0, |&value| value.into()))
            }
            Source::Location(location) => self.registers.get(location).copied(),
            Source::Loaded(number) => self.loaded.get(number).copied().flatten(),
        }
    }
}

fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte))
}

/// The registers with at most 128 bits.
fn registers(machine: &Machine) -> BTreeMap<Location, u128> {
    let spec = Rc::clone(machine.spec());
    let files = spec.isa().reg_files().iter().enumerate();
    let all = files.filter(|(_, file)| file.width <= 128).flat_map(|(at, file)| {
        let file_id = RegFileId::new(at);
        (0..file.count).map(move |number| (file_id, number))
    });
    let value = |(file, number)| {
        let pieces = machine.register(file, number);
        let value = pieces.iter().rev().fold(0, |all, piece| all << 64 | u128::from(*piece));
        (Location::Register(Register { file, number }), value)
    };
    all.map(value).collect()
}

/// All terms of a summary.
fn terms(summary: &Summary) -> Vec<Term> {
    let mut all = vec![summary.next()];
    all.extend(summary.writes().iter().map(|write| write.value));
    all.extend(summary.stops().iter().map(|stop| stop.condition));
    for access in summary.accesses() {
        all.extend([access.address, access.condition]);
        all.extend(access.stored);
    }
    all
}

/// What was compared of a word.
#[derive(Debug, Default)]
struct Count {
    /// States in which everything was known and compared.
    whole: usize,
    /// States in which something was not known.
    partly: usize,
    /// States in which the instruction stopped.
    stopped: usize,
}

/// Compares a word in a state; an error is a difference.
fn compare(
    random: &mut Random,
    spec: &Rc<Spec>,
    (word, inst): (u32, Inst),
    count: &mut Count,
) -> Result<(), String> {
    let summary = spec.summary(inst, CODE).expect("a program");
    let mut machine = machine(random, spec, word);
    let before = Before::new(random, &summary, &mut machine);
    let value = |term: Term| summary.evaluate(term, |source| before.read(source));
    let stop = machine.step();
    if let Stop::Halt { halt, .. } = &stop {
        count.stopped += 1;
        return stopped(&summary, halt, &value);
    }
    if let Some(stop) = summary.stops().iter().find(|stop| value(stop.condition) == Some(1)) {
        return Err(format!("did not stop with {:?}", stop.trap));
    }
    let mut is_whole = summary.is_complete();
    match value(summary.next()) {
        Some(next) if next != u128::from(machine.pc()) => {
            return Err(format!("goes on at {:#x}, not {next:#x}", machine.pc()));
        }
        next => is_whole &= next.is_some(),
    }
    is_whole &= accessed(&summary, &machine.take_accesses(), &value)?;
    is_whole &= written(&summary, &before, &mut machine, &value)?;
    match is_whole {
        true => count.whole += 1,
        false => count.partly += 1,
    }
    Ok(())
}

/// Why an instruction stopped is what the summary says.
fn stopped(
    summary: &Summary,
    halt: &Halt,
    value: &impl Fn(Term) -> Option<u128>,
) -> Result<(), String> {
    let may = |condition: Term| value(condition) != Some(0);
    let is_known = match halt {
        Halt::Trap { name, .. } => {
            let mut stops = summary.stops().iter();
            stops.any(|stop| stop.trap.as_ref() == Some(name) && may(stop.condition))
        }
        Halt::Unpredictable => {
            let mut stops = summary.stops().iter();
            stops.any(|stop| stop.trap.is_none() && may(stop.condition))
        }
        Halt::Fault { fault, .. } => summary.accesses().iter().any(|access| {
            // The first byte of an access that is not allowed may be behind its first address.
            let near =
                |at: u128| u128::from(fault.address).wrapping_sub(at) < u128::from(access.bits / 8);
            may(access.condition) && value(access.address).is_none_or(near)
        }),
        Halt::NoFunction(_) => !summary.is_complete() || summary.stops().is_empty(),
        _ => true,
    };
    match is_known || !summary.is_complete() {
        true => Ok(()),
        false => Err(format!("stopped: {halt:?}")),
    }
}

/// Compares the accesses; whether all of them are known.
fn accessed(
    summary: &Summary,
    noted: &[Accessed],
    value: &impl Fn(Term) -> Option<u128>,
) -> Result<bool, String> {
    let mut expected = Vec::new();
    for access in summary.accesses() {
        match (value(access.condition), value(access.address)) {
            (Some(0), _) => {}
            (Some(_), Some(address)) => expected.push(Accessed {
                memory: access.memory,
                address: address as u64,
                bytes: (access.bits / 8).into(),
                is_store: access.stored.is_some(),
            }),
            _ => return Ok(false),
        }
    }
    match !summary.is_complete() || expected == noted {
        true => Ok(true),
        false => Err(format!("accesses are {noted:x?}, not {expected:x?}")),
    }
}

/// Compares the registers; whether all of them are known.
fn written(
    summary: &Summary,
    before: &Before,
    machine: &mut Machine,
    value: &impl Fn(Term) -> Option<u128>,
) -> Result<bool, String> {
    let mut expected: BTreeMap<Location, Option<u128>> =
        before.registers.iter().map(|(location, value)| (location.clone(), Some(*value))).collect();
    for (name, value) in &before.kept {
        expected.insert(Location::Kept(name.clone()), Some((*value).into()));
    }
    for write in summary.writes() {
        expected.insert(write.location.clone(), value(write.value));
    }
    let now = registers(machine);
    let mut is_whole = true;
    for (location, value) in expected {
        let own = match &location {
            Location::Kept(name) => Some(machine.kept(name).into()),
            location => now.get(location).copied(),
        };
        match value {
            Some(value) if summary.is_complete() && own.is_some_and(|own| own != value) => {
                return Err(format!("{location:?} is {own:x?}, not {value:#x}"));
            }
            value => is_whole &= value.is_some(),
        }
    }
    Ok(is_whole)
}

/// Compares the words of a file; returns how many states there were.
fn check(name: &str, file: &str) -> Count {
    let spec = common::spec(name, 0);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sweep").join(file);
    let text = std::fs::read_to_string(path).expect("readable");
    let mut random = Random(0x9b05_688c_2b3e_6c1f);
    let (mut count, mut wrong) = (Count::default(), Vec::new());
    let (step, states) = amounts();
    for line in text.lines().step_by(step) {
        let word = line.split('\t').nth(1).expect("a word");
        let word = u32::from_str_radix(word, 16).expect("a number");
        let Ok((inst, _)) = spec.engine().decode_bytes(&word.to_le_bytes()) else { continue };
        if !spec.has_program(inst.opcode) {
            continue;
        }
        for _ in 0..states {
            if let Err(what) = compare(&mut random, &spec, (word, inst), &mut count) {
                wrong.push(format!("{}: {what}", spec.engine().text(inst)));
                break;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} words:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    println!("{count:?}");
    count
}

#[test]
fn summaries_of_riscv_are_what_is_executed() {
    let count = check("riscv", "riscv64.tsv");
    assert!(count.whole > count.partly + count.stopped, "{count:?}");
}

#[test]
fn summaries_of_a64_are_what_is_executed() {
    let count = check("a64", "a64.tsv");
    assert!(count.whole > count.partly + count.stopped, "{count:?}");
}

/// The summary of a line at an address.
fn of_line(spec: &Spec, line: &str) -> Summary {
    let inst = spec.engine().assemble(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    spec.summary(inst, CODE).expect("a program")
}

/// The number of the file of a name.
fn register(spec: &Spec, file: &str, number: u32) -> Location {
    let at = spec.isa().reg_files().iter().position(|own| own.name == file).expect("a file");
    Location::Register(Register { file: RegFileId::new(at), number })
}

#[test]
fn instructions_without_effects_are_found() {
    let riscv = common::spec("riscv", 1);
    for line in [
        "nop",
        "addi a0, a0, 0",
        "add zero, a0, a1",
        "slli a0, a0, 0",
        "and a1, a1, a1",
        "fence rw, rw",
    ] {
        assert_eq!(of_line(&riscv, line).is_nop(), line != "fence rw, rw", "{line}");
    }
    for line in
        ["addi a0, a1, 0", "addi a0, a0, 1", "lw zero, 0(a0)", "ecall", "j 8", "addiw a0, a0, 0"]
    {
        assert!(!of_line(&riscv, line).is_nop(), "{line}");
    }
    let a64 = common::spec("a64", 0);
    for line in [
        "nop",
        "add x3, x3, #0",
        "orr x1, xzr, x1",
        "mov x1, x1",
        "ands xzr, x1, x1",
        "add w3, w3, #0",
    ] {
        let is_nop = line != "ands xzr, x1, x1" && line != "add w3, w3, #0";
        assert_eq!(of_line(&a64, line).is_nop(), is_nop, "{line}");
    }
}

#[test]
fn copies_and_sums_are_found() {
    let riscv = common::spec("riscv", 1);
    let x = |number| register(&riscv, "X", number);
    assert_eq!(of_line(&riscv, "mv a0, a1").copied(), Some((&x(10), &x(11))));
    assert_eq!(of_line(&riscv, "or a0, zero, a1").copied(), Some((&x(10), &x(11))));
    assert_eq!(of_line(&riscv, "lw a0, 0(a1)").copied(), None);
    assert_eq!(of_line(&riscv, "addi sp, sp, -32").added_to(&x(2)), Some(-32));
    assert_eq!(of_line(&riscv, "addi a0, sp, 16").added_to(&x(2)), Some(0));
    assert_eq!(of_line(&riscv, "mv sp, s0").added_to(&x(2)), None);
    let a64 = common::spec("a64", 0);
    let sp = |line| {
        let summary = of_line(&a64, line);
        let base = summary.writes().iter().find_map(|write| summary.added_to(&write.location));
        base.filter(|added| *added != 0)
    };
    assert_eq!(sp("stp x29, x30, [sp, #-16]!"), Some(-16));
    assert_eq!(sp("ldp x29, x30, [sp], #32"), Some(32));
    assert_eq!(sp("sub sp, sp, #1, lsl #12"), Some(-4096));
}

#[test]
fn terms_are_written_as_people_write_them() {
    let riscv = common::spec("riscv", 1);
    let names = RegisterNames::of(riscv.isa());
    let text = |line: &str| {
        let summary = of_line(&riscv, line);
        let show = |term| summary.shown(&names, term).to_string();
        let writes = summary.writes().iter().map(|write| show(write.value));
        let accesses = summary.accesses().iter().map(|access| show(access.address));
        let jumps = summary.jumps().iter().map(|jump| show(jump.condition));
        writes.chain(accesses).chain(jumps).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(text("lw a0, -8(a1)"), "signed(load(0), 64), a1 - 8");
    assert_eq!(text("beq a0, a1, 16"), "a0 == a1");
    assert_eq!(text("bgeu a0, a1, 16"), "not (a0 < a1)");
    assert_eq!(text("sub a0, a1, a2"), "a1 - a2");
    assert_eq!(text("addw a0, a1, a2"), "signed(a1[31:0] + a2[31:0], 64)");
    assert_eq!(text("jalr ra, 4(t0)"), "0x1004, 1");
}

#[test]
fn branches_are_inverted() {
    let riscv = common::spec("riscv", 1);
    let a64 = common::spec("a64", 0);
    let pairs = [
        (&riscv, "beq a0, a1, 16", "bne a0, a1, 16"),
        (&riscv, "blt a0, a1, -16", "bge a0, a1, -16"),
        (&riscv, "bltu a0, zero, 16", "bgeu a0, zero, 16"),
        (&riscv, "c.beqz a0, 16", "c.bnez a0, 16"),
        (&a64, "b.eq #16", "b.ne #16"),
        (&a64, "b.hs #16", "b.lo #16"),
        (&a64, "b.mi #16", "b.pl #16"),
        (&a64, "b.vs #16", "b.vc #16"),
        (&a64, "b.hi #16", "b.ls #16"),
        (&a64, "b.ge #16", "b.lt #16"),
        (&a64, "b.gt #16", "b.le #16"),
        (&a64, "cbz x3, #16", "cbnz x3, #16"),
        (&a64, "cbz w3, #16", "cbnz w3, #16"),
        (&a64, "tbz x3, #40, #16", "tbnz x3, #40, #16"),
    ];
    for (spec, one, other) in pairs {
        for (from, to) in [(one, other), (other, one)] {
            let [from, to] = [from, to].map(|line| spec.engine().assemble(line).expect(line));
            let text = |inst| spec.engine().text(inst).to_string();
            assert_eq!(spec.inverted(from).map(text), Some(text(to)), "{}", text(from));
        }
    }
    for (spec, line) in [
        (&riscv, "jal ra, 16"),
        (&riscv, "add a0, a1, a2"),
        (&a64, "b #16"),
        (&a64, "b.al #16"),
        (&a64, "ret"),
    ] {
        let inst = spec.engine().assemble(line).expect(line);
        assert_eq!(spec.inverted(inst), None, "{line}");
    }
}
