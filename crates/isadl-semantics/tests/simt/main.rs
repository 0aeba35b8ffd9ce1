//! The integer and packed half-precision operations of `spec/simt` on random values, against small definitions that are written from
//! the text of the sources.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../isadl-float/tests/definition/exact.rs"]
#[expect(dead_code, reason = "these instructions need a few of the operations")]
mod exact;
mod executed;
mod half;
mod oracle;
#[path = "../common/random.rs"]
mod random;
mod warp;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use isadl::isa::{Binding, Isa, NameId, Opcode, OpcodeId, Reading, TypeKind};
use isadl::semantics::{Checked, Instance, ir};
use isadl::source::SourceMap;
use num_bigint::BigInt;

use oracle::Case;
use random::Random;

impl Random {
    /// The contents of a pair of registers: often at the ends of ranges, or a small distance.
    fn register(&mut self) -> u64 {
        const EDGES: [u64; 8] = [0, 1, 31, 32, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX];
        match self.below(4) {
            0 => EDGES[self.below(EDGES.len())],
            1 => self.next() % 80,
            _ => self.next(),
        }
    }
}

/// A thread that runs an instruction.
struct Thread<'t> {
    isa: &'t Isa,
    opcode: &'t Opcode,
    word: u128,
    case: &'t Case,
    written: BTreeMap<String, u64>,
    /// Whether the guard lets it take part.
    is_active: bool,
}

impl Thread<'_> {
    fn name(&self, place: &ir::Place, number: Option<usize>) -> String {
        match (place, number) {
            (ir::Place::Operand { field, .. }, _) => self.isa.name_of(*field).to_string(),
            (ir::Place::Register { file, .. }, Some(number)) => {
                format!("{}{number}", self.isa.reg_files()[file.index()].name)
            }
            _ => panic!("not in these programs"),
        }
    }
}

impl common::World for Thread<'_> {
    fn field(&self, field: NameId) -> BigInt {
        let field = self.opcode.field(field).expect("a field of the opcode");
        let ty = self.isa.ty(field.ty);
        BigInt::from(ty.reading().integer(field.extract(self.word), field.width()))
    }

    fn field_bits(&self, field: NameId) -> BigInt {
        let field = self.opcode.field(field).expect("a field of the opcode");
        BigInt::from(field.extract(self.word))
    }

    fn pc(&self) -> BigInt {
        unreachable!("these programs do not jump")
    }

    fn next(&self) -> BigInt {
        unreachable!("these programs do not jump")
    }

    fn read(&self, place: &ir::Place, number: Option<usize>, _: u32) -> BigInt {
        BigInt::from(self.case.registers[&self.name(place, number)])
    }

    fn write(&mut self, place: &ir::Place, number: Option<usize>, bits: common::Written) {
        assert!(bits.width <= 64, "a register or a pair");
        if !self.is_active {
            return;
        }
        let name = self.name(place, number);
        let small = |number: &BigInt| u64::try_from(number).expect("the bits of registers");
        let before = self.written.get(&name).copied().unwrap_or(0);
        self.written.insert(name, before & !small(&bits.mask) | small(&bits.value));
    }

    fn load(&mut self, _: &BigInt, width: u32) -> Result<BigInt, common::Stop> {
        Ok(BigInt::from(self.case.constant & (u64::MAX >> (64 - width))))
    }

    fn store(&mut self, _: &BigInt, _: u32, _: &BigInt) -> Result<(), common::Stop> {
        unreachable!("these programs store nothing")
    }

    fn jump(&mut self, _: BigInt) {
        unreachable!("these programs do not jump")
    }

    // It is the only lane.

    fn ballot(&mut self, own: bool) -> Result<BigInt, common::Stop> {
        Ok(BigInt::from(u8::from(own)))
    }

    fn take_part(&mut self, lanes: BigInt) {
        self.is_active &= lanes.bit(0);
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/simt")
}

fn compiled() -> (Isa, Checked) {
    let mut sources = SourceMap::new();
    for name in ["base", "ialu", "sync", "xu", "halu"] {
        let path = folder().join(format!("{name}.isa"));
        sources.add(format!("{name}.isa"), std::fs::read(path).expect("readable"));
    }
    let lock = std::fs::read(folder().join("opcodes.lock")).expect("readable");
    sources.add_lock("opcodes.lock".to_string(), lock);
    let mut compilation = isadl::compile(&sources);
    let programs = compilation.semantics.pop().expect("one generation");
    (compilation.into_isa().expect("no errors"), programs)
}

/// A word of an opcode with random modifiers and immediates.
fn word(isa: &Isa, opcode: &Opcode, random: &mut Random) -> u128 {
    let mut word = opcode.value;
    for field in opcode.fields.iter().filter(|field| !matches!(field.binding, Binding::Fixed(_))) {
        let raw = match &isa.ty(field.ty).kind {
            TypeKind::BitField(values) => values[random.below(values.len())].value,
            TypeKind::Immediate(_) => random.register() & (u64::MAX >> (64 - field.width())),
            _ => 0,
        };
        word |= field.bits.place(raw);
    }
    word
}

/// Whether a word breaks a rule.
fn is_refused(isa: &Isa, opcode: &Opcode, word: u128) -> bool {
    let value = |name, reading: Reading| {
        let field = opcode.field(name).expect("a field of the opcode");
        reading.integer(field.extract(word), field.width())
    };
    opcode.rules.iter().any(|rule| isa.expr(isa.rule(*rule).condition).eval(&value) != 0)
}

/// What a word and random registers say to a reader.
fn case(
    isa: &Isa,
    opcode: &Opcode,
    word: u128,
    random: &mut Random,
    register: fn(&mut Random) -> u64,
) -> Case {
    let mut registers = HashMap::new();
    let (mut numbers, mut modifiers) = (HashMap::new(), HashMap::new());
    for field in &opcode.fields {
        let (name, raw) = (isa.name_of(field.name).to_string(), field.extract(word));
        match &isa.ty(field.ty).kind {
            TypeKind::BitField(values) => {
                let value = values.iter().find(|value| value.value == raw).expect("a value");
                modifiers.insert(name, value.name.clone());
            }
            TypeKind::Immediate(_) => {
                numbers.insert(name, raw);
            }
            TypeKind::Operand(_) => {
                let is_predicate = isa.ty(field.ty).name.ends_with("Pred");
                let mask = if is_predicate { 1 } else { u64::MAX };
                registers.insert(name, register(random) & mask);
            }
            TypeKind::Composite(_) => {}
        }
    }
    registers.extend((0..7).map(|number| (format!("PR{number}"), random.next() & 1)));
    Case { registers, numbers, modifiers, constant: register(random) }
}

#[test]
fn integer_operations_do_what_the_sources_say() {
    let source = std::fs::read_to_string(folder().join("ialu.isa")).expect("readable");
    let tables = oracle::tables(&source);
    let wanted = |operation: &str, case: &Case| oracle::results(operation, case, &tables);
    compare(&oracle::OPERATIONS, Random::register, wanted);
}

#[test]
fn half_precision_operations_do_what_the_sources_say() {
    compare(&half::OPERATIONS, half::register, half::results);
}

#[test]
fn operations_of_warps_do_what_the_sources_say() {
    let (isa, programs) = compiled();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    for (opcode, _, code) in codes(&isa, &programs, &warp::OPERATIONS) {
        let operation = operation(&isa, opcode);
        for _ in 0..60 {
            let word = word(&isa, opcode, &mut random);
            if is_refused(&isa, opcode, word) {
                continue;
            }
            let mut case = || case(&isa, opcode, word, &mut random, warp::register);
            let cases: Vec<Case> = (0..warp::LANES).map(|_| case()).collect();
            let active = warp::active(&mut random);
            let thread = |lane: usize| {
                let written = BTreeMap::new();
                Thread { isa: &isa, opcode, word, case: &cases[lane], written, is_active: true }
            };
            let found = warp::written(&code, &thread, &cases, active);
            let active = active & warp::guards(&cases);
            for lane in (0..warp::LANES).filter(|lane| active >> lane & 1 == 1) {
                for (name, wanted) in warp::results(operation, &cases, active, lane) {
                    let found = found[lane].get(name).copied();
                    let what = format!("{} {word:#x} {active:#x} lane {lane} {name}", opcode.name);
                    assert!(found.is_some(), "{what} is not written");
                    assert!(wanted.is_none() || found == wanted, "{what}: {found:x?} {wanted:x?}");
                }
                *compared.entry(operation).or_default() += 1;
            }
        }
    }
    for operation in warp::OPERATIONS {
        assert!(compared.get(operation).is_some_and(|count| *count > 500), "{operation}");
    }
}

/// The results of an operation in a lane, of the values that it has there, and what registers have before.
type OfLane<'l> = (&'l dyn Fn(&str, &Case) -> Vec<(&'static str, u64)>, fn(&mut Random) -> u64);

#[test]
fn warps_are_executed_as_the_sources_say() {
    let source = std::fs::read_to_string(folder().join("ialu.isa")).expect("readable");
    let tables = oracle::tables(&source);
    let integer = |operation: &str, case: &Case| oracle::results(operation, case, &tables);
    let mut executor = executed::Executor::new();
    let (isa, _) = compiled();
    let mut random = Random(0x3c6e_f372_fe94_f82b);
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, opcode) in isa.opcodes().iter().enumerate() {
        let operation = operation(&isa, opcode);
        let id = OpcodeId::new(number);
        let of_lane: Option<OfLane<'_>> = match operation {
            own if oracle::OPERATIONS.contains(&own) => Some((&integer, Random::register)),
            own if half::OPERATIONS.contains(&own) => Some((&half::results, half::register)),
            _ => None,
        };
        for _ in 0..40 {
            let count = match of_lane {
                _ if warp::OPERATIONS.contains(&operation) => {
                    let results = |cases: &[Case], active: u32, lane: usize| {
                        warp::results(operation, cases, active, lane)
                    };
                    executor.compare(id, &mut random, warp::register, &results)
                }
                Some((of_lane, register)) => {
                    let results = |cases: &[Case], _: u32, lane: usize| {
                        let found = of_lane(operation, &cases[lane]).into_iter();
                        found.map(|(name, value)| (name, Some(value))).collect()
                    };
                    executor.compare(id, &mut random, register, &results)
                }
                None => 0,
            };
            *compared.entry(operation).or_default() += count;
        }
    }
    let all = oracle::OPERATIONS.iter().chain(&half::OPERATIONS).chain(&warp::OPERATIONS);
    for operation in all {
        assert!(compared.get(operation).is_some_and(|count| *count > 200), "{operation}");
    }
}

/// The programs of some operations, with their opcodes.
fn codes<'i>(
    isa: &'i Isa,
    programs: &'i Checked,
    operations: &[&str],
) -> Vec<(&'i Opcode, &'i Instance, ir::Code)> {
    let all = isa.opcodes().iter().zip(&programs.opcodes);
    let wanted = all.filter(|(opcode, _)| operations.contains(&operation(isa, opcode)));
    let built = wanted.flat_map(|(opcode, instances)| {
        let build = |instance: &'i Instance| ir::build(isa, opcode, &instance.program);
        instances.iter().map(move |instance| (opcode, instance, build(instance)))
    });
    built.collect()
}

/// The operation that an opcode is a form of.
fn operation<'i>(isa: &'i Isa, opcode: &Opcode) -> &'i str {
    &isa.optypes()[opcode.optypes[0].index()].name
}

/// Compares each form of some operations on random words and registers.
fn compare(
    operations: &[&str],
    register: fn(&mut Random) -> u64,
    wanted: impl Fn(&str, &Case) -> Vec<(&'static str, u64)>,
) {
    let (isa, programs) = compiled();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    for (opcode, instance, code) in codes(&isa, &programs, operations) {
        let operation = operation(&isa, opcode);
        for _ in 0..200 {
            let word = word(&isa, opcode, &mut random);
            let is_chosen = |(name, raw): (&NameId, &u64)| {
                opcode.field(*name).is_some_and(|field| field.extract(word) == *raw)
            };
            if is_refused(&isa, opcode, word) || !instance.chosen.iter().all(is_chosen) {
                continue;
            }
            let case = case(&isa, opcode, word, &mut random, register);
            let written = BTreeMap::new();
            let mut thread =
                Thread { isa: &isa, opcode, word, case: &case, written, is_active: true };
            common::run(&code, &mut thread).expect("the program ends");
            let is_active = warp::guards(std::slice::from_ref(&case)) != 0;
            let wanted = wanted(operation, &case).into_iter().filter(|_| is_active);
            let wanted: BTreeMap<String, u64> =
                wanted.map(|(name, value)| (name.to_string(), value)).collect();
            assert_eq!(thread.written, wanted, "{} {word:#x} {case:#x?}", opcode.name);
            *compared.entry(operation).or_default() += 1;
        }
    }
    for operation in operations {
        assert!(compared.get(operation).is_some_and(|count| *count > 100), "{operation}");
    }
}
