//! The intermediate representation of random programs.

use isadl::isa::{Isa, NameId, OpcodeId};
use isadl::semantics::{Instance, ir};
use num_bigint::BigInt;

use super::evaluate::{Machine, run};
use super::{Case, Random, WIDTH, machine};
use crate::common;

/// A machine that code of the intermediate representation changes.
pub(super) struct Lowered<'m> {
    before: &'m Machine,
    after: Machine,
    immediate: i128,
}

impl Lowered<'_> {
    fn register(place: &ir::Place) -> Option<usize> {
        match place {
            ir::Place::Operand { field, .. } => Some(field.index()),
            _ => None,
        }
    }
}

impl common::World for Lowered<'_> {
    fn field(&self, _: NameId) -> BigInt {
        BigInt::from(self.immediate)
    }

    fn field_bits(&self, _: NameId) -> BigInt {
        BigInt::from(self.immediate & 0xf)
    }

    fn pc(&self) -> BigInt {
        unreachable!("random programs do not jump")
    }

    fn next(&self) -> BigInt {
        unreachable!("random programs do not jump")
    }

    fn read(&self, place: &ir::Place, _: Option<usize>, _: u32) -> BigInt {
        BigInt::from(self.before.registers[Lowered::register(place).expect("an operand")])
    }

    fn write(&mut self, place: &ir::Place, number: Option<usize>, bits: common::Written) {
        let (mask, value) = (small(&bits.mask), small(&bits.value));
        assert_eq!(bits.width, if number.is_some() { 1 } else { WIDTH });
        match (Lowered::register(place), number) {
            (None, Some(flag)) => {
                self.after.flags = self.after.flags & !(1 << flag) | (value as u32) << flag;
            }
            (register, _) => {
                let own = &mut self.after.registers[register.expect("an operand")];
                *own = *own & !mask | value;
            }
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

pub(super) fn small(value: &BigInt) -> i128 {
    i128::try_from(value).expect("the bits of a register")
}

/// Compares the results of runs with those of the intermediate representation; returns how many, and whether the program has a
/// loop that the short form keeps.
pub(super) fn does_the_same(
    isa: &Isa,
    id: OpcodeId,
    case: &Case,
    instance: &Instance,
    random: &mut Random,
) -> (usize, bool) {
    // Loops as steps one by one, and as loops.
    let codes = [ir::build, ir::build_short].map(|build| {
        let code = build(isa, isa.opcode(id), &instance.program);
        let shown = ir::Shown { isa, code: &code };
        code.verify().unwrap_or_else(|fault| panic!("`{}`: {fault}\n{shown}", case.text));
        code
    });
    let mut count = 0;
    for _ in 0..20 {
        let before = machine(random);
        let immediate = random.below(16) as i128 - 8;
        let Some((after, _)) = run(&case.steps, &before, immediate) else { continue };
        for code in &codes {
            let shown = ir::Shown { isa, code };
            let mut lowered = Lowered { before: &before, after: before.clone(), immediate };
            common::run(code, &mut lowered).expect("the program has an end");
            let text = &case.text;
            assert_eq!(lowered.after, after, "`{text}` with {before:?}, {immediate}\n{shown}");
        }
        count += 1;
    }
    (count, codes[0] != codes[1])
}
