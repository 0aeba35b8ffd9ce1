//! Every executable opcode of RV64 and A64 on a thousand operands, against qemu; those of V with two lengths of registers.
//!
//! For each opcode there are several words, and each word runs in the same states: registers of random and edge values. A checksum of
//! everything that is there afterwards is compared after each run. Files ending in `.tsv` have the words, and the checksum after
//! the last state that qemu 7.2 gives. `BLESS=1 cargo test -p isadl-exec sweep::` makes them again. With `ISADL_SETS=1`
//! all words are run, else one of each opcode; and where qemu and gcc are installed, every state is compared.

pub(crate) mod a64;
pub(crate) mod riscv;
mod vectors;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

use crate::{common, guest};
use isadl::isa::{Isa, Meaning, NameId, OpcodeId, RegFileId};
use isadl::semantics::program::{ExprKind, Place, StatementKind};
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Halt, Machine, Spec, Stop};

use crate::random::Random;

/// The words of an opcode, and the states that each runs in.
const WORDS: usize = 5;
const STATES: usize = 200;

/// The first word's block of code, and the bytes of a block.
const CODE: u64 = 0x1000_0000;
const BLOCK: u64 = 2048;
/// Where the instruction is in its block.
const INSTRUCTION: u64 = 768;

/// Registers before and after an instruction; what the program that qemu runs needs for itself.
const SCRATCH: u64 = 0x2000_0000;
/// Where loads and stores go: the page after it, of which the first bytes are compared.
const WINDOW: u64 = SCRATCH + 4096;
const WINDOW_BYTES: u64 = 512;
/// What base registers are at least, from the beginning of the window.
const BASE: u64 = 256;

/// The states, and what the window has before each run.
const TABLE: u64 = 0x2100_0000;
/// The checksums.
const OUTPUT: u64 = 0x2200_0000;

/// The checksum before the first state.
pub(crate) const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
pub(crate) const FACTOR: u64 = 0x0000_0100_0000_01b3;

/// A word, and what it needs.
struct Word {
    opcode: String,
    word: u32,
    bytes: u64,
    /// The register that must have an address in the window.
    base: Option<u32>,
}

/// What is particular to an instruction set.
trait Target {
    /// The name of the folder of its specification, and of the file of words.
    const NAMES: [&'static str; 2];
    const GENERATION: usize;
    const QEMU: &'static [&'static str];
    const GCC: &'static [&'static str];
    /// The number of the general register with the address of the scratch memory, which words do not use.
    const POINTER: u32;
    /// The numbers of the window, of 64 bits each.
    const WINDOW_NUMBERS: u64 = WINDOW_BYTES / 8;
    /// Whether instructions may end in a trap in some states.
    const TRAPS: bool = false;
    /// What registers are before and after an instruction, in the order in which the table and the checksum have them, with as many
    /// numbers of 64 bits as each has.
    fn registers(isa: &Isa) -> Vec<(RegFileId, u32, usize)>;
    /// The instruction set.
    fn spec() -> Rc<Spec> {
        common::spec(Self::NAMES[0], Self::GENERATION)
    }
    /// Values of all registers.
    fn state(random: &mut Random) -> Vec<u64>;
    /// Bits of words: few ones give small offsets.
    fn bits(random: &mut Random) -> u64 {
        let few = if random.one_in(2) { random.next() & random.next() } else { u64::MAX };
        random.next() & few
    }
    /// Whether the machine that is compared with executes a word of an opcode.
    fn is_wanted(_name: &str, _word: u32) -> bool {
        true
    }
    /// The bytes of the window that are compared.
    fn window(_: &Word) -> u64 {
        WINDOW_BYTES
    }
    /// Gives registers of addresses values in the window.
    fn place(word: &Word, values: &mut [u64]) {
        if let Some(base) = word.base {
            let value = &mut values[Self::slot_of_base(base)];
            *value = WINDOW + BASE + (*value & 0x70);
        }
    }
    /// Whether qemu in user mode can run an opcode by itself.
    fn can_run(spec: &Spec, id: OpcodeId) -> bool;
    /// The field of the register that an address is made of, if any.
    fn base(isa: &Isa, id: OpcodeId, word: u32) -> Option<u32>;
    /// The program that runs all words.
    fn program(words: &[Word], states: &[Vec<u64>], window: &[u64]) -> String;
    /// Where a base register of a number is in a state.
    fn slot_of_base(number: u32) -> usize;
}

/// Whether a program needs nothing of the machine, and does not always end in a trap.
fn is_plain(spec: &Spec, id: OpcodeId) -> bool {
    let instances = &spec.checked().expect("checked programs").opcodes[id.index()];
    let mut is_plain = !instances.is_empty();
    for statement in instances.iter().flat_map(|instance| &instance.program.statements) {
        is_plain &= !matches!(statement.kind, StatementKind::Trap { .. });
        statement.each_expr(&mut |expr| {
            expr.visit(&mut |part| {
                is_plain &= !matches!(
                    part.kind,
                    ExprKind::Extern { .. } | ExprKind::Read(Place::State { .. })
                );
            });
        });
    }
    is_plain
}

/// The register of a file that a field of a word denotes.
fn register(isa: &Isa, id: OpcodeId, field: NameId, word: u32) -> Option<(RegFileId, u32)> {
    let field = isa.opcode(id).field(field)?;
    let (entry, position) = isa.ty(field.ty).entry(field.extract(word.into()))?;
    match &entry.meaning {
        Meaning::Registers { file, first, .. } => Some((*file, *first + position as u32)),
        Meaning::Register { file, number, .. } => Some((*file, *number)),
        _ => None,
    }
}

/// The number of the register that a field of a name denotes.
pub(crate) fn named(isa: &Isa, id: OpcodeId, name: &str, word: u32) -> Option<(RegFileId, u32)> {
    let name = isa.names().iter().position(|known| known == name)?;
    register(isa, id, NameId::new(name), word)
}

/// Executes words on this side.
struct Executor<T: Target> {
    machine: Machine,
    registers: Vec<(RegFileId, u32, usize)>,
    states: Vec<Vec<u64>>,
    window: Vec<u64>,
    target: std::marker::PhantomData<T>,
}

impl<T: Target> Executor<T> {
    fn new(spec: &Rc<Spec>, states: &[Vec<u64>], window: &[u64]) -> Executor<T> {
        let mut memory = Memory::new(CODE, WINDOW + 4096 - CODE);
        memory.protect(CODE..SCRATCH - 4096, Access::ALL).expect("inside");
        memory.protect(WINDOW..WINDOW + 4096, Access::READ_WRITE).expect("inside");
        let machine = Machine::new(Rc::clone(spec), vec![memory]).expect("few registers");
        let registers = T::registers(spec.isa());
        let (states, window) = (states.to_vec(), window.to_vec());
        Executor { machine, registers, states, window, target: std::marker::PhantomData }
    }

    /// The checksum after each state; `None` if the word cannot be compared, since it does not end, or hardly ever does.
    fn run(&mut self, word: &Word, number: usize) -> Option<Vec<u64>> {
        let at = CODE + number as u64 * BLOCK + INSTRUCTION;
        let memory = self.machine.memory(0).expect("a memory");
        memory.write(at, &word.word.to_le_bytes()[..word.bytes as usize]).expect("inside");
        let mut sum = SEED;
        let (mut sums, mut traps) = (Vec::new(), 0);
        let window_bytes = T::window(word);
        memory.write(WINDOW, &[0; 4096]).expect("inside");
        for state in 0..STATES {
            let mut values = self.states[state].clone();
            T::place(word, &mut values);
            let mut rest = values.as_slice();
            for (file, number, count) in &self.registers {
                let (own, others) = rest.split_at(*count);
                self.machine.set_register(*file, *number, own);
                rest = others;
            }
            let window = &self.window[..window_bytes as usize / 8];
            let window: Vec<u8> = window.iter().flat_map(|one| one.to_le_bytes()).collect();
            let memory = self.machine.memory(0).expect("a memory");
            memory.write(WINDOW, &window).expect("inside");
            self.machine.set_pc(at);
            let jumped = match self.machine.run(1) {
                Stop::Fuel => match self.machine.pc().checked_sub(at + word.bytes) {
                    Some(0) => 0,
                    Some(4) => 1,
                    _ => return None,
                },
                Stop::Halt { halt: Halt::Trap { .. }, .. } if T::TRAPS => 2,
                Stop::Halt { .. } => return None,
            };
            traps += usize::from(jumped == 2);
            let mut add = |value: u64| sum = (sum ^ value).wrapping_mul(FACTOR);
            for (file, number, _) in &self.registers {
                self.machine.register(*file, *number).iter().for_each(|value| add(*value));
            }
            add(jumped);
            let memory = self.machine.memory(0).expect("a memory");
            let page = memory.bytes(WINDOW, 4096, Access::READ).expect("inside");
            let (window, beyond) = page.split_at(window_bytes as usize);
            if beyond.iter().any(|byte| *byte != 0) {
                return None;
            }
            for bytes in window.chunks(8) {
                add(u64::from_le_bytes(bytes.try_into().expect("eight bytes")));
            }
            sums.push(sum);
        }
        (traps < STATES - STATES / 16).then_some(sums)
    }
}

/// Words of every opcode that can be compared.
fn choose<T: Target>(spec: &Rc<Spec>, states: &[Vec<u64>], window: &[u64]) -> Vec<Word> {
    let isa = spec.isa();
    let mut executor = Executor::<T>::new(spec, states, window);
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut found = Vec::new();
    for id in isa.opcode_ids().filter(|id| T::can_run(spec, *id)) {
        let opcode = isa.opcode(id);
        let mut made = 0;
        for _ in 0..2_000 {
            if made == WORDS {
                break;
            }
            let bits = u128::from(T::bits(&mut random)) & opcode.width_mask & !opcode.mask;
            let word = (opcode.value | bits) as u32;
            let Ok(inst) = spec.engine().decode(word.into()) else { continue };
            if inst.opcode != id || is_refused(isa, id, word) || !T::is_wanted(&opcode.name, word) {
                continue;
            }
            let uses_pointer = opcode.fields.iter().any(|field| {
                let of = register(isa, id, field.name, word);
                of == Some((T::registers(isa)[0].0, T::POINTER))
            });
            let base = T::base(isa, id, word);
            let bytes = u64::from(opcode.width / 8);
            let word = Word { opcode: opcode.name.clone(), word, bytes, base };
            if !uses_pointer && executor.run(&word, found.len()).is_some() {
                found.push(word);
                made += 1;
            }
        }
        if made < WORDS {
            println!("{}: {made} words", opcode.name);
        }
    }
    found
}

/// Whether a word breaks a rule for assemblers: it is reserved.
fn is_refused(isa: &Isa, id: OpcodeId, word: u32) -> bool {
    let opcode = isa.opcode(id);
    let value = |name, reading: isadl::isa::Reading| {
        let field = opcode.field(name).expect("a field of the opcode");
        reading.integer(field.extract(word.into()), field.width())
    };
    opcode.rules.iter().any(|rule| isa.expr(isa.rule(*rule).condition).eval(&value) != 0)
}

/// The checksums that qemu gives, for each word; `None` if it is not installed, or there is no compiler.
fn in_qemu<T: Target>(
    words: &[Word],
    states: &[Vec<u64>],
    window: &[u64],
) -> Option<Vec<Vec<u64>>> {
    let sections = [("blocks", CODE), ("scratch", SCRATCH), ("table", TABLE), ("output", OUTPUT)];
    let source = T::program(words, states, window);
    let output = guest::output(&source, &sections, T::GCC, T::QEMU)?;
    assert_eq!(output.len(), words.len() * STATES * 8, "all checksums");
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let of_word = |bytes: &[u8]| bytes.chunks(8).map(number).collect();
    Some(output.chunks(STATES * 8).map(of_word).collect())
}

fn does_what_qemu_does<T: Target>(least: usize) {
    let spec = T::spec();
    let mut random = Random(0x0fed_cba9_8765_4321);
    let states: Vec<Vec<u64>> = (0..STATES).map(|_| T::state(&mut random)).collect();
    let window: Vec<u64> = (0..T::WINDOW_NUMBERS).map(|_| random.next()).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sweep");
    let path = path.join(format!("{}.tsv", T::NAMES[1]));
    if std::env::var_os("BLESS").is_some() {
        let words = choose::<T>(&spec, &states, &window);
        let sums = in_qemu::<T>(&words, &states, &window).expect("qemu and gcc");
        let mut text = String::new();
        let mut before = "";
        for (word, sums) in words.iter().zip(&sums) {
            let name = if word.opcode == before { "" } else { &word.opcode };
            before = &word.opcode;
            let _ = writeln!(text, "{name}\t{:x}\t{:x}", word.word, sums[STATES - 1]);
        }
        std::fs::write(&path, text).expect("writable");
    }
    let recorded = std::fs::read_to_string(&path).expect("readable");
    let mut rows: Vec<(Word, u64)> = Vec::new();
    for line in recorded.lines() {
        let [name, word, sum] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let opcode = match name {
            "" => rows.last().expect("a name").0.opcode.clone(),
            name => name.to_string(),
        };
        let id = spec.isa().find_opcode(&opcode).expect("an opcode");
        let bytes = u64::from(spec.isa().opcode(id).width / 8);
        let number = |text| u64::from_str_radix(text, 16).expect("a number");
        let word = number(word) as u32;
        let base = T::base(spec.isa(), id, word);
        rows.push((Word { opcode, word, bytes, base }, number(sum)));
    }
    let (words, sums): (Vec<Word>, Vec<u64>) = rows.into_iter().unzip();
    // All words take a minute: usually one of each opcode is run, and compared with what is recorded.
    let is_whole = ["BLESS", "ISADL_SETS"].iter().any(|name| std::env::var_os(name).is_some());
    let done = is_whole.then(|| in_qemu::<T>(&words, &states, &window)).flatten();
    let mut executor = Executor::<T>::new(&spec, &states, &window);
    let mut opcodes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    // What is reserved lasts until the next word, so these are run in their order.
    let reserves = |word: &Word| {
        ["LR_", "SC_", "LDX", "LDAX", "STX", "STLX"]
            .iter()
            .any(|name| word.opcode.starts_with(name))
    };
    let all = words.iter().zip(&sums).enumerate();
    let mut count = 0;
    for (number, (word, sum)) in
        all.filter(|(number, (word, _))| is_whole || number % WORDS == 0 || reserves(word))
    {
        count += 1;
        let differing = opcodes.entry(&word.opcode).or_default();
        let inst = spec.engine().decode(word.word.into()).expect("an instruction");
        let text = format!("{:08x} {}", word.word, spec.engine().text(inst));
        let Some(own) = executor.run(word, number) else {
            differing.push(format!("{text}: does not end"));
            continue;
        };
        if let Some(done) = &done {
            assert_eq!(done[number][STATES - 1], *sum, "qemu now does something else: {text}");
            if let Some(state) = (0..STATES).find(|state| done[number][*state] != own[*state]) {
                differing.push(format!("{text}: state {state}: {:x?}", states[state]));
            }
        } else if own[STATES - 1] != *sum {
            differing.push(text);
        }
    }
    let wrong = opcodes.values().filter(|differing| !differing.is_empty()).count();
    for (opcode, differing) in opcodes.iter().filter(|(_, differing)| !differing.is_empty()) {
        println!("{opcode}: {} words, for example {}", differing.len(), differing[0]);
    }
    let how = if done.is_some() { "each in qemu" } else { "as recorded" };
    println!("{} opcodes, {count} words, {STATES} states: {how}", opcodes.len());
    assert_eq!(wrong, 0, "{wrong} opcodes differ");
    assert!(opcodes.len() >= least, "only {} opcodes were compared", opcodes.len());
}

#[test]
fn every_scalar_opcode_of_rv64_does_what_qemu_does() {
    does_what_qemu_does::<riscv::Rv64>(240);
}

#[test]
fn every_opcode_of_a64_does_what_qemu_does() {
    does_what_qemu_does::<a64::A64>(600);
}

#[test]
fn every_opcode_of_v_does_what_qemu_does() {
    does_what_qemu_does::<vectors::V<128>>(620);
}

#[test]
fn every_opcode_of_v_does_what_qemu_does_with_registers_of_256_bits() {
    does_what_qemu_does::<vectors::V<256>>(620);
}

/// qemu executes programs with these lengths, too, but registers of more than 256 bits do not fit into the scratch memory.
#[test]
fn longer_registers_of_v_need_no_other_change() {
    for spec in [vectors::V::<512>::spec(), vectors::V::<1024>::spec()] {
        let without = spec
            .checked()
            .expect("checked programs")
            .opcodes
            .iter()
            .filter(|programs| programs.is_empty());
        assert_eq!(without.count(), 0, "every opcode has a program");
    }
}
