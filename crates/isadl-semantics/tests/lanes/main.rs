//! Random programs of machines with lanes. What the compiler makes of them is run lane by lane, and compared with an evaluator that has
//! the values of all lanes side by side. Registers that all lanes share only get values on which they agree.

#[path = "../common/mod.rs"]
mod common;
mod evaluate;
mod executed;
#[path = "../common/random.rs"]
mod random;
mod specification;
mod write;

use std::rc::Rc;

use isadl::isa::Isa;
use isadl::semantics::ir;
use isadl::source::SourceMap;
use isadl_exec::Spec;
use num_bigint::BigInt;

use evaluate::evaluate;
use random::Random;
use specification::{BATCH, LANES, OWN, SHARED, as_prose, specification};
use write::{Step, Writer};

/// The registers `vd`, `va`, `vb` of each lane, `sd`, `sa`, `sb` of all, the lanes that take part, and a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Machine {
    own: [[i128; 3]; LANES],
    shared: [i128; 3],
    exec: i128,
    mask: i128,
}

/// A machine as one of its lanes runs a program.
struct Lane<'m> {
    isa: &'m Isa,
    lane: usize,
    before: &'m Machine,
    after: Machine,
    active: BigInt,
    /// The ballots that all lanes have come to, and the bit for the next one.
    ballots: &'m [BigInt],
    done: usize,
    bit: Option<bool>,
}

enum Register {
    Own(usize),
    Shared(usize),
    Exec,
    Mask,
}

impl Lane<'_> {
    fn register(&self, place: &ir::Place) -> Register {
        match place {
            ir::Place::Operand { field, .. } => {
                let name = self.isa.name_of(*field);
                match OWN.iter().position(|own| *own == name) {
                    Some(at) => Register::Own(at),
                    None => Register::Shared(
                        SHARED.iter().position(|own| *own == name).expect("an operand"),
                    ),
                }
            }
            ir::Place::Register { file, .. } => {
                match self.isa.reg_files()[file.index()].name.as_str() {
                    "EXEC" => Register::Exec,
                    _ => Register::Mask,
                }
            }
            _ => panic!("not in these programs"),
        }
    }

    fn is_active(&self) -> bool {
        self.active.bit(self.lane as u64)
    }
}

fn small(value: &BigInt) -> i128 {
    i128::try_from(value).expect("the bits of a register")
}

impl common::World for Lane<'_> {
    fn field(&self, _: isadl::isa::NameId) -> BigInt {
        unreachable!("random programs have registers")
    }

    fn field_bits(&self, _: isadl::isa::NameId) -> BigInt {
        unreachable!("random programs have registers")
    }

    fn pc(&self) -> BigInt {
        unreachable!("random programs do not jump")
    }

    fn next(&self) -> BigInt {
        unreachable!("random programs do not jump")
    }

    fn read(&self, place: &ir::Place, _: Option<usize>, _: u32) -> BigInt {
        BigInt::from(match self.register(place) {
            Register::Own(at) => self.before.own[self.lane][at],
            Register::Shared(at) => self.before.shared[at],
            Register::Exec => self.before.exec,
            Register::Mask => self.before.mask,
        })
    }

    fn write(&mut self, place: &ir::Place, _: Option<usize>, bits: common::Written) {
        let value = small(&bits.value);
        assert_eq!(bits.mask, (BigInt::from(1) << bits.width) - 1, "whole registers are written");
        match self.register(place) {
            Register::Own(at) if self.is_active() => self.after.own[self.lane][at] = value,
            Register::Own(_) => {}
            Register::Shared(at) => self.after.shared[at] = value,
            Register::Exec => self.after.exec = value,
            Register::Mask => self.after.mask = value,
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

    fn lane(&self) -> usize {
        self.lane
    }

    fn active(&self) -> BigInt {
        self.active.clone()
    }

    fn take_part(&mut self, lanes: BigInt) {
        self.active &= lanes;
    }

    fn ballot(&mut self, own: bool) -> Result<BigInt, common::Stop> {
        self.done += 1;
        match self.ballots.get(self.done - 1) {
            Some(known) => Ok(known.clone()),
            None => {
                self.bit = Some(own && self.is_active());
                Err(common::Stop)
            }
        }
    }

    fn read_lane(&self, place: &ir::Place, _: Option<usize>, lane: usize) -> BigInt {
        let Register::Own(at) = self.register(place) else { panic!("a register of lanes") };
        BigInt::from(self.before.own[lane][at])
    }

    fn write_lane(
        &mut self,
        place: &ir::Place,
        _: Option<usize>,
        lane: usize,
        bits: common::Written,
    ) {
        let Register::Own(at) = self.register(place) else { panic!("a register of lanes") };
        // All lanes come to it, and the one that is meant does it.
        if lane == self.lane {
            self.after.own[lane][at] = small(&bits.value);
        }
    }
}

/// Runs code in all lanes: as far as the next ballot, until there is none.
fn lowered(isa: &Isa, code: &ir::Code, before: &Machine, text: &str) -> Machine {
    let mut ballots: Vec<BigInt> = Vec::new();
    loop {
        let mut bits = Vec::new();
        let mut after = before.clone();
        for lane in 0..LANES {
            let active = BigInt::from((1 << LANES) - 1);
            // What a lane wrote to registers of others stays.
            let own = after.clone();
            let mut world = Lane {
                isa,
                lane,
                before,
                after: own,
                active,
                ballots: &ballots,
                done: 0,
                bit: None,
            };
            let found = common::run(code, &mut world);
            bits.push(world.bit);
            assert_eq!(found.is_err(), world.bit.is_some(), "`{text}`");
            if lane > 0 && found.is_ok() {
                let shared = |machine: &Machine| (machine.shared, machine.exec, machine.mask);
                assert_eq!(
                    shared(&world.after),
                    shared(&after),
                    "`{text}` lanes differ {before:?}"
                );
            }
            after = world.after;
        }
        if bits.iter().all(Option::is_none) {
            return after;
        }
        let ones = bits.iter().enumerate().map(|(lane, bit)| {
            let bit = bit.unwrap_or_else(|| panic!("`{text}`: lanes come to the same ballots"));
            BigInt::from(u8::from(bit)) << lane
        });
        ballots.push(ones.sum());
    }
}

fn machine(random: &mut Random) -> Machine {
    let mut value = || (random.next() & 0xff) as i128;
    let own = std::array::from_fn(|_| std::array::from_fn(|_| value()));
    let shared = std::array::from_fn(|_| value());
    Machine { own, shared, exec: (random.next() & 15) as i128, mask: (random.next() & 15) as i128 }
}

#[test]
fn lanes_do_together_what_programs_say() {
    let sets = std::env::var("ISADL_SETS").ok().and_then(|sets| sets.parse().ok());
    let (mut accepted, mut refused, mut compared) = (0, 0, 0);
    for batch in 0..sets.unwrap_or(24) {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (batch as u64 + 1) << 20);
        let cases: Vec<(String, Vec<Step>)> = (0..BATCH)
            .map(|_| {
                let mut writer = Writer {
                    random: &mut random,
                    text: String::new(),
                    names: Vec::new(),
                    variables: Vec::new(),
                };
                let count = 1 + writer.random.below(5);
                let steps = writer.steps(2, count);
                (writer.text, steps)
            })
            .collect();
        let text = specification(cases.iter().map(|(program, _)| program.as_str()));
        let compiled = |text: &str| {
            let mut sources = SourceMap::new();
            sources.add("random.isa", text.as_bytes().to_vec());
            isadl::compile(&sources)
        };
        let programs = compiled(&text).semantics.pop().expect("only the programs have errors");
        let isa = compiled(&as_prose(&text)).into_isa().expect("no errors");
        let spec = Rc::new(Spec::new(isa.clone(), programs));
        let programs = spec.checked().expect("checked programs");
        let mut executor = executed::machine(&spec);
        for (id, (program, steps)) in isa.opcode_ids().zip(&cases) {
            let [instance] = programs.opcodes[id.index()].as_slice() else {
                refused += 1;
                continue;
            };
            accepted += 1;
            let code = ir::build(&isa, isa.opcode(id), &instance.program);
            let shown = ir::Shown { isa: &isa, code: &code };
            code.verify().unwrap_or_else(|fault| panic!("`{program}`: {fault}\n{shown}"));
            for _ in 0..15 {
                let before = machine(&mut random);
                let wanted = evaluate(steps, &before, program);
                let found = lowered(&isa, &code, &before, program);
                assert_eq!(found, wanted, "`{program}` with {before:?}\n{shown}");
                let found = executed::executed(&mut executor, id, &before);
                assert_eq!(found, wanted, "`{program}` is executed with {before:?}\n{shown}");
                compared += 1;
            }
        }
    }
    println!("{accepted} programs accepted, {refused} refused, {compared} results compared");
    assert!(accepted > 300 && refused > 100, "{accepted} accepted, {refused} refused");
}
