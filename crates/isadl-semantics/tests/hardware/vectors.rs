//! The programs of V against qemu: random words of each opcode, with random types of elements, lengths, masks, registers and memory.
//!
//! `riscv64_v.tsv` has what qemu did; `BLESS=1` makes it again, with `qemu-riscv64` 7.2. Where registers and elements may be one of
//! several values, qemu chooses the last of a range: elements that need not be kept are kept.

use std::rc::Rc;
use std::sync::Arc;

use isadl::engine::Loaded;
use isadl::isa::{Isa, OpcodeId};
use isadl_exec::Spec;

use super::choices::{bits, configuration, has_own_mode, is_float};
use super::evaluate::{self, Machine, Outcome};
use super::executed::Executor;
use super::records::{self, Row};
use super::{Random, changes, compiled, is_refused, vector_program};

/// How often each opcode is tried, one with floating-point numbers, and one that estimates, by a table of 128 entries.
const CASES: usize = 8;
const FLOAT_CASES: usize = 16;
const ESTIMATES: usize = 160;

/// How many of these words may trap, or change nothing.
const FEW: usize = 2;

/// The bytes of memory that a case may access, and the place in it that addresses are near.
pub(super) const BUFFER_BYTES: u64 = 512;

/// A word and the state before it.
pub(super) struct Case {
    pub(super) opcode: String,
    pub(super) word: u32,
    pub(super) before: Machine,
    /// What the program does.
    computed: String,
}

/// The files of registers that are compared, with their names.
pub(super) fn files(isa: &Isa) -> Vec<(&'static str, usize)> {
    let at = |name: &str| isa.reg_files().iter().position(|file| file.name == name);
    let number = |file: &str| at(file).expect("a file");
    ["X", "F", "V", "vl", "vtype", "vxsat", "vxrm", "vstart", "frm", "fflags"]
        .into_iter()
        .map(|file| (file, number(file)))
        .collect()
}

/// Whether an opcode is one of V that has a program.
fn is_vector(isa: &Isa, id: OpcodeId) -> bool {
    isa.extensions().needs(&isa.opcode(id).requires).contains("V")
}

/// A register full of floating-point numbers, mostly of a format.
fn numbers(random: &mut Random, width: u32) -> u128 {
    let width = if random.next().is_multiple_of(4) { 16 << (random.next() % 3) } else { width };
    let number = |at: u32| u128::from(random.float(width)) << (at * width);
    (0..128 / width).map(number).fold(0, |all, one| all | one)
}

/// The state before a case.
fn machine(isa: &Isa, random: &mut Random, number: u64, word: u32) -> Machine {
    let state = vector_program::state(number);
    let mut before = Machine::new(isa, 0);
    let (vtype, vl) = configuration(random, 128);
    let is_memory = matches!(word & 0x7f, 0x07 | 0x27);
    before.buffer_at = state + vector_program::BUFFER;
    before.buffer = (0..BUFFER_BYTES).map(|_| random.next() as u8).collect();
    for register in &mut before.file(isa, "X")[1..31] {
        *register = match (is_memory, random.next() % 3) {
            (true, 0 | 1) => state + vector_program::BUFFER + 192 + 8 * (random.next() % 16),
            (true, _) => (8 * (random.next() % 5)).wrapping_sub(16),
            (false, 0) => random.next() % 20,
            _ => random.register(),
        }
        .into();
    }
    before.file(isa, "X")[31] = state.into();
    // Offsets in memory are small.
    let index = match word >> 12 & 7 {
        width @ 5..=7 => 16 << (width - 5),
        _ => 8,
    };
    for register in before.file(isa, "V") {
        *register = match is_memory && !random.next().is_multiple_of(8) {
            true => (0..128 / index)
                .map(|at| u128::from(random.next() % 32 * 8) << (at * index))
                .fold(0, |all, one| all | one),
            false => match random.next() % 4 {
                0 => u128::from(random.register()) << 64 | u128::from(random.register()),
                1 => u128::from(random.next() % 8) * 0x0001_0001_0001_0001_0001_0001_0001_0001,
                _ => u128::from(random.next()) << 64 | u128::from(random.next()),
            },
        };
    }
    // Elements of 8 bits are converted to numbers of 16.
    let width = (8u32 << (vtype >> 3 & 7)).max(16);
    for register in before.file(isa, "F") {
        let number = random.float(width) | u64::MAX.checked_shl(width).unwrap_or(0);
        *register = if random.next().is_multiple_of(8) { random.next() } else { number }.into();
    }
    if is_float(word) {
        let wide = if random.next().is_multiple_of(3) { (2 * width).min(64) } else { width };
        for register in before.file(isa, "V") {
            let is_kept = random.next().is_multiple_of(4);
            *register = if is_kept { *register } else { numbers(random, wide) };
        }
    }
    // Modes after the fourth are reserved.
    let has_reserved = random.next().is_multiple_of(8) && !has_own_mode(word);
    let mode = random.next() % if has_reserved { 8 } else { 5 };
    let states = [("vxrm", random.next() % 4), ("vxsat", random.next() % 2), ("frm", mode)];
    let flags = ("fflags", random.next() & random.next() & 31);
    for (file, value) in [("vtype", vtype), ("vl", vl), flags].into_iter().chain(states) {
        before.file(isa, file)[0] = value.into();
    }
    before
}

/// A word whose registers are often the first of groups.
fn word(isa: &Isa, id: OpcodeId, random: &mut Random) -> u128 {
    let opcode = isa.opcode(id);
    opcode.value | u128::from(bits(random)) & opcode.width_mask & !opcode.mask
}

fn cases(isa: &Isa, spec: &Rc<Spec>) -> Vec<Case> {
    let (programs, executor) = (spec.checked().expect("checked programs"), Executor::new(spec));
    let loaded = Loaded::new(isa.clone());
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut found = Vec::new();
    for id in isa.opcode_ids().filter(|id| is_vector(isa, *id)) {
        let [instance] = programs.opcodes[id.index()].as_slice() else { continue };
        let code = evaluate::lowered(isa, id, instance);
        let opcode = isa.opcode(id);
        let wanted = match is_float(opcode.value as u32) {
            _ if opcode.name.ends_with("7_V") => ESTIMATES,
            true => FLOAT_CASES,
            false => CASES,
        };
        let mut made: Vec<Case> = Vec::new();
        for _ in 0..20_000 {
            if made.len() == wanted {
                break;
            }
            let word = word(isa, id, &mut random);
            let Ok(inst) = loaded.engine().decode(word) else { continue };
            if inst.opcode != id || is_refused(isa, id, word) {
                continue;
            }
            let number = (found.len() + made.len()) as u64;
            let before = machine(isa, &mut random, number, word as u32);
            let outcome = evaluate::run_both(isa, id, (instance, &code), word, &before);
            executor.does_the_same(word, &before, &outcome);
            let computed = match outcome {
                Outcome::Trapped => "trap".to_string(),
                Outcome::Done { after, .. } if after.files[0][31] == before.files[0][31] => {
                    changes(&files(isa), &before, &after, false)
                }
                Outcome::Done { .. } | Outcome::Unusable => continue,
            };
            let is_trivial = matches!(computed.as_str(), "" | "trap");
            if is_trivial && made.iter().filter(|case| case.computed == computed).count() == FEW {
                continue;
            }
            let opcode = isa.opcode(id).name.clone();
            made.push(Case { opcode, word: word as u32, before, computed });
        }
        assert_eq!(made.len(), wanted, "{}: too few usable words", isa.opcode(id).name);
        found.extend(made);
    }
    found
}

#[test]
fn every_program_of_vectors_does_what_qemu_does() {
    let (isa, programs) = compiled("riscv", 1);
    let spec = Rc::new(Spec::new(isa.clone(), Arc::clone(programs)));
    let cases = cases(isa, &spec);
    let done = vector_program::run(isa, &cases);
    let rows: Vec<Row<'_>> = cases
        .iter()
        .map(|case| Row { opcode: &case.opcode, word: case.word, computed: case.computed.clone() })
        .collect();
    let state = |at: usize| {
        let value = |name: &str| {
            let file = files(isa).into_iter().find(|(own, _)| *own == name);
            cases[at].before.files[file.expect("a file").1][0]
        };
        format!("vtype {:x} vl {}", value("vtype"), value("vl"))
    };
    records::compare("riscv64_v.tsv", &rows, done.as_deref(), state, 629);
}
