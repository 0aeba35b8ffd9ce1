//! Operations on registers of every kind of width, in the executor and in an evaluator of exact integers.
//!
//! Which micro-operations an operation becomes depends on how many bits it has: fewer than a word, a word, 64, or more.

#[path = "common/mod.rs"]
mod common;
#[path = "common/programs.rs"]
mod programs;
#[path = "common/random.rs"]
mod random;

use std::rc::Rc;

use isadl::isa::{NameId, OpcodeId, RegFileId};
use isadl::semantics::ir::{self, Place};
use isadl::source::SourceMap;
use isadl_exec::memory::{Access, Memory};
use isadl_exec::{Machine, Spec, Stop};
use num_bigint::BigInt;
use random::Random;

/// Bits of registers.
const WIDTHS: [u32; 15] = [1, 2, 7, 8, 16, 31, 32, 33, 48, 63, 64, 65, 100, 128, 192];

/// Registers as the evaluator has them: `rd`, `ra`, `rb`.
struct Registers {
    before: Vec<BigInt>,
    after: Vec<BigInt>,
}

fn operand(place: &Place) -> usize {
    match place {
        Place::Operand { field, .. } => field.index(),
        other => panic!("not in these programs: {other:?}"),
    }
}

impl common::World for Registers {
    fn field(&self, _: NameId) -> BigInt {
        panic!("not in these programs")
    }

    fn field_bits(&self, _: NameId) -> BigInt {
        panic!("not in these programs")
    }

    fn pc(&self) -> BigInt {
        panic!("not in these programs")
    }

    fn next(&self) -> BigInt {
        panic!("not in these programs")
    }

    fn read(&self, place: &Place, _: Option<usize>, _: u32) -> BigInt {
        self.before[operand(place)].clone()
    }

    fn write(&mut self, place: &Place, _: Option<usize>, bits: common::Written) {
        let own = &mut self.after[operand(place)];
        assert!(u64::from(bits.width) >= bits.mask.bits(), "only bits of the value are written");
        let kept = &*own - (&*own & &bits.mask);
        *own = kept + bits.value;
    }

    fn load(&mut self, _: &BigInt, _: u32) -> Result<BigInt, common::Stop> {
        panic!("not in these programs")
    }

    fn store(&mut self, _: &BigInt, _: u32, _: &BigInt) -> Result<(), common::Stop> {
        panic!("not in these programs")
    }

    fn jump(&mut self, _: BigInt) {
        panic!("not in these programs")
    }
}

/// A specification of the programs for registers of a width; those that it refuses are left out.
fn spec(width: u32) -> (Spec, Vec<String>) {
    let programs = programs::programs(width);
    let compiled = |word: &str| {
        let mut sources = SourceMap::new();
        sources.add("widths.isa", programs::specification(width, &programs, word).into_bytes());
        isadl::compile(&sources)
    };
    let checked = compiled("checked").semantics.pop().expect("only the programs have errors");
    let isa = compiled("prose").into_isa().expect("no errors");
    (Spec::new(isa, checked), programs)
}

fn number(random: &mut Random, width: u32) -> BigInt {
    let all: BigInt = (BigInt::from(1) << width) - 1;
    let any: BigInt =
        (0..width.div_ceil(64)).fold(BigInt::ZERO, |all, _| (all << 64) + random.next());
    let top: BigInt = BigInt::from(1) << (width - 1);
    let found = match random.below(8) {
        0 => BigInt::ZERO,
        1 => all.clone(),
        2 => top,
        3 => &all - top,
        // Distances, also beyond the width.
        4 => BigInt::from(random.below(2 * width as usize + 2)),
        5 => (BigInt::from(1) << random.below(width as usize)) + random.below(2),
        _ => any,
    };
    found & all
}

fn pieces(value: &BigInt, width: u32) -> Vec<u64> {
    let all = BigInt::from(u64::MAX);
    (0..width.div_ceil(64))
        .map(|at| u64::try_from((value >> (64 * at)) & &all).expect("64 bits"))
        .collect()
}

/// What the executor makes of an opcode and its registers.
fn executed(machine: &mut Machine, spec: &Spec, id: OpcodeId, before: &[BigInt]) -> Vec<BigInt> {
    const CODE: u64 = 0x1000;
    let (file, width) = (RegFileId::new(0), spec.isa().reg_files()[0].width);
    let registers = [3, 0, 2];
    for (register, value) in registers.into_iter().zip(before) {
        machine.set_register(file, register, &pieces(value, width));
    }
    let word = spec.isa().opcode(id).value | 3 << 12 | 2 << 8;
    let memory = machine.memory(0).expect("a memory");
    memory.write(CODE, &word.to_le_bytes()[..4]).expect("it may be written");
    machine.set_pc(CODE);
    assert_eq!(machine.run(1), Stop::Fuel, "{}", spec.isa().opcode(id).name);
    let of = |register: u32| {
        let value = machine.register(file, register);
        let pieces = value.iter().rev();
        pieces.fold(BigInt::ZERO, |all, piece| (all << 64) + *piece)
    };
    registers.into_iter().map(of).collect()
}

#[test]
fn operations_of_all_widths_give_exact_results() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut compared = [0; programs::PROGRAMS.len()];
    for width in WIDTHS {
        let (spec, programs) = spec(width);
        let spec = Rc::new(spec);
        let mut memory = Memory::new(0x1000, 4096);
        memory.protect(0x1000..0x2000, Access::ALL).expect("inside");
        let mut machine = Machine::new(Rc::clone(&spec), vec![memory]).expect("few registers");
        for (number_of, id) in spec.isa().opcode_ids().enumerate() {
            let [instance] =
                spec.checked().expect("checked programs").opcodes[id.index()].as_slice()
            else {
                continue;
            };
            let code = ir::build(spec.isa(), spec.isa().opcode(id), &instance.program);
            for _ in 0..60 {
                let before: Vec<BigInt> = (0..3).map(|_| number(&mut random, width)).collect();
                let mut world = Registers { before: before.clone(), after: before.clone() };
                common::run(&code, &mut world).expect("these programs end");
                let found = executed(&mut machine, &spec, id, &before);
                let shown = ir::Shown { isa: spec.isa(), code: &code };
                let program = &programs[number_of];
                assert!(
                    found == world.after,
                    "{width} bits: `{program}` of {before:x?} is {found:x?}, not {:x?}\n{shown}",
                    world.after
                );
                compared[number_of] += 1;
            }
        }
    }
    println!("{} results", compared.iter().sum::<usize>());
    for (program, count) in programs::PROGRAMS.iter().zip(compared) {
        println!("{count:5} {program}");
        assert!(count >= 60 * 7, "`{program}` is accepted for few widths");
    }
}
