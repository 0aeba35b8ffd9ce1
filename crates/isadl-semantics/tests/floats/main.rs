//! Random programs on floating-point numbers. What the compiler makes of them is run, and compared with exact fractions that are rounded
//! by the definition; results and flags are the same.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../isadl-float/tests/definition/exact.rs"]
mod exact;
mod oracle;
#[path = "../common/random.rs"]
mod random;
mod write;

use std::fmt::Write;

use isadl::isa::{Isa, NameId};
use isadl::semantics::float::{Format, Function, Operation, Setting};
use isadl::semantics::ir;
use isadl::source::SourceMap;
use num_bigint::BigInt;

use oracle::evaluate;
use random::Random;
use write::{Node, Writer};

/// The format of the registers: bits of exponent and fraction.
const FORMAT: (u32, u32) = (4, 3);

/// Modes by the numbers of the field `mode`, with their names in programs.
const MODES: [(&str, exact::Mode); 6] = [
    ("nearest_even", exact::Mode::NearestEven),
    ("nearest_away", exact::Mode::NearestAway),
    ("to_zero", exact::Mode::ToZero),
    ("up", exact::Mode::Up),
    ("down", exact::Mode::Down),
    ("to_odd", exact::Mode::ToOdd),
];

/// The programs of one specification; its opcodes have seven bits.
const BATCH: usize = 120;

/// The registers `rd`, `ra`, `rb`, `rc`, the number of the mode, and the flags.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Machine {
    registers: [u64; 4],
    mode: usize,
    flags: u64,
}

struct Lowered {
    isa: Isa,
    before: Machine,
    after: Machine,
}

impl Lowered {
    fn register(&self, place: &ir::Place) -> Option<usize> {
        let ir::Place::Operand { field, .. } = place else { return None };
        ["rd", "ra", "rb", "rc"].iter().position(|name| self.isa.name_of(*field) == *name)
    }
}

impl common::World for Lowered {
    fn field(&self, field: NameId) -> BigInt {
        assert_eq!(self.isa.name_of(field), "mode");
        BigInt::from(self.before.mode)
    }

    fn field_bits(&self, field: NameId) -> BigInt {
        self.field(field)
    }

    fn pc(&self) -> BigInt {
        unreachable!("random programs do not jump")
    }

    fn next(&self) -> BigInt {
        unreachable!("random programs do not jump")
    }

    fn read(&self, place: &ir::Place, _: Option<usize>, _: u32) -> BigInt {
        let register = self.register(place);
        BigInt::from(register.map_or(self.before.flags, |at| self.before.registers[at]))
    }

    fn write(&mut self, place: &ir::Place, _: Option<usize>, bits: common::Written) {
        let value = u64::try_from(&bits.value).expect("a register");
        assert_eq!((bits.width, bits.mask), (8, BigInt::from(255)), "whole registers are written");
        match self.register(place) {
            Some(at) => self.after.registers[at] = value,
            None => self.after.flags = value,
        }
    }

    fn load(&mut self, _: &BigInt, _: u32) -> Result<BigInt, common::Stop> {
        unreachable!("random programs have no memory")
    }

    fn store(&mut self, _: &BigInt, _: u32, _: &BigInt) -> Result<(), common::Stop> {
        unreachable!("random programs have no memory")
    }

    fn jump(&mut self, _: BigInt) {
        unreachable!("random programs do not jump")
    }
}

fn specification(cases: &[(String, Node)]) -> String {
    let names = MODES.iter().enumerate().map(|(at, (name, _))| format!("M{at}: {name}"));
    let modes: Vec<String> = names.collect();
    let mut text = String::from(
        "__DefIsa RANDOM<32>\n    Semantics<checked>;\n__DefRegFile R<8, 4>\n__DefRegFile FLAGS<8, 1>\n\
         __DefOperandType Reg<2>\n    r[0..3] = 0 : R;\n__DefBitFieldType Mode<3>\n    \
         M0 = 0; M1 = 1; M2 = 2; M3 = 3; M4 = 4; M5 = 5;\n__DefGroup ALL : []\n  __Encoding\n    \
         field[31:30] Reg rd; field[29:28] Reg ra; field[27:26] Reg rb; field[25:24] Reg rc;\n    \
         field[23:21] Mode mode; zero[20:7];\n  __OperandInfo\n    Operands<rd, ra, rb, rc, mode>;\n  \
         __Semantics\n```isa\nnumber rd, ra, rb, rc = float(4, 3)\n",
    );
    let _ = writeln!(text, "float rounding = match mode {{ {} }}", modes.join("; "));
    text.push_str("float flags { FLAGS = FLAGS | {invalid, division, overflow, underflow, inexact} }\n```\n__DefInstructions : [ALL]\n");
    for (number, (program, _)) in cases.iter().enumerate() {
        let _ = writeln!(
            text,
            "    ///= rd = {program}\n    OP{number} \"op{number}\" [6:0] == {number};"
        );
    }
    text
}

fn machine(random: &mut Random) -> Machine {
    let edges = [0, 1, 0x7f, 0x80, 0x78, 0xf8, 0x7c, 0x38, 0x08, 0x07, 0x77, 0xb9];
    let mut value = || match random.below(3) {
        0 => edges[random.below(edges.len())],
        _ => random.next() & 0xff,
    };
    let registers = std::array::from_fn(|_| value());
    Machine {
        registers,
        mode: random.below(MODES.len()),
        flags: random.next() & random.next() & 31,
    }
}

#[test]
fn random_programs_compute_what_the_definition_says() {
    let sets = std::env::var("ISADL_SETS").ok().and_then(|sets| sets.parse().ok());
    let (mut compared, mut raised) = (0, 0);
    for batch in 0..sets.unwrap_or(8) {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (batch as u64 + 1) << 20);
        let cases: Vec<(String, Node)> = (0..BATCH)
            .map(|_| {
                let mut writer = Writer { random: &mut random, text: String::new() };
                let node = writer.number(3, FORMAT);
                (writer.text, node)
            })
            .collect();
        let text = specification(&cases);
        let mut sources = SourceMap::new();
        sources.add("random.isa", text.as_bytes().to_vec());
        let mut compilation = isadl::compile(&sources);
        let programs = compilation.semantics.pop().expect("a generation");
        let found: Vec<String> =
            compilation.diagnostics.iter().map(|one| one.message.clone()).collect();
        let Some(family) = compilation.family else { panic!("{found:#?}\n{text}") };
        let isa = family.isas()[0].clone();
        for (id, (program, node)) in isa.opcode_ids().zip(&cases) {
            let [instance] = programs.opcodes[id.index()].as_slice() else { panic!("a program") };
            let code = ir::build(&isa, isa.opcode(id), &instance.program);
            let shown = ir::Shown { isa: &isa, code: &code };
            code.verify().unwrap_or_else(|fault| panic!("`{program}`: {fault}\n{shown}"));
            for _ in 0..20 {
                let before = machine(&mut random);
                let (result, flags) = evaluate(node, &before);
                let mut wanted = before.clone();
                wanted.registers[0] = result;
                wanted.flags |= u64::from(flags);
                let after = before.clone();
                let mut lowered = Lowered { isa: isa.clone(), before: before.clone(), after };
                common::run(&code, &mut lowered).expect("the program has an end");
                assert_eq!(lowered.after, wanted, "`{program}` with {before:x?}\n{shown}");
                compared += 1;
                raised += u32::from(flags != 0);
            }
        }
    }
    println!("{compared} results compared, {raised} with flags");
    assert!(compared > 10_000 && raised > compared / 4, "{compared} results, {raised} with flags");
}

/// The operations that compute a result of another format than their operands have, by their names in random programs.
const TO_OTHERS: [(&str, Function); 6] = [
    ("sum", Function::Sum { is_minus: [false; 2] }),
    ("product", Function::Product { is_minus: false }),
    ("fused", Function::Fused { is_minus: [false; 2], is_addend_first: false }),
    ("quotient", Function::Quotient),
    ("root", Function::Root),
    ("convert", Function::Convert),
];

/// Results of wider formats have all their bits, and those of narrower ones are rounded once.
#[test]
fn results_of_other_formats_are_rounded_once() {
    const FORMATS: [(u32, u32); 5] = [(5, 10), (8, 7), (8, 23), (11, 52), (11, 28)];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for (from, to) in FORMATS.into_iter().flat_map(|from| FORMATS.map(|to| (from, to))) {
        let [own, result] = [from, to]
            .map(|(exponent, fraction)| Format::new(exponent, fraction).expect("a format"));
        for _ in 0..60 {
            let bits: [u64; 3] = std::array::from_fn(|_| {
                // Exponents near the middle, so that results are seldom too large.
                let exponent = (1 << (from.0 - 1)) - 3 + random.next() % 5;
                exponent << from.1 | random.next() & ((1 << from.1) - 1)
            });
            let mode = random.below(MODES.len());
            for (name, function) in TO_OTHERS {
                let count = match name {
                    "fused" => 3,
                    "root" | "convert" => 1,
                    _ => 2,
                };
                let operation = Operation { function, from: vec![own; count], to: result };
                let (found, flags) =
                    operation.evaluate(&bits[..count], &[(Setting::Rounding, mode)]);
                let operands = bits[..count].iter().map(|bits| (Node::Literal(*bits), from));
                let node = Node::Rounded(name, operands.collect(), 0, to, Some(mode));
                let wanted = evaluate(&node, &machine(&mut random));
                let what = format!("{name} of {bits:x?} {from:?} to {to:?}, {}", MODES[mode].0);
                assert_eq!((found, flags.bits()), wanted, "{what}");
            }
        }
    }
}
