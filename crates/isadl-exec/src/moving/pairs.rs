//! Addresses that several instructions make together: the first writes a part of it into a register, made of its own
//! address or of a page, and the others read the register and add the rest.

use isadl::isa::FlowControl::{
    Abort, Branch, Call, Conditional, Indirect, IndirectCall, Next, Return, SystemCall, Trap,
};
use isadl::isa::{Inst, Resource};

use super::layout::{Item, Layout};
use super::outcomes::{Outcome, Register};
use super::{Fault, MoveError, Mover};

/// Fits all such instructions to the new addresses. `insts` are the instructions at their new addresses.
pub(super) fn join(
    mover: &Mover<'_>,
    layout: &Layout,
    insts: &mut [Vec<Inst>],
) -> Result<(), MoveError> {
    let mut pairs = Pairs { mover, layout, insts, is_fixed: vec![false; layout.items.len()] };
    for number in 0..layout.items.len() {
        let item = &layout.items[number];
        if item.is_high {
            pairs.join(number).map_err(|(at, fault)| mover.error(&layout.items[at], fault))?;
        }
    }
    Ok(())
}

struct Pairs<'m, 'i> {
    mover: &'m Mover<'m>,
    layout: &'m Layout,
    insts: &'i mut [Vec<Inst>],
    /// Whether another pair already decides what an instruction is.
    is_fixed: Vec<bool>,
}

/// An instruction that reads the register.
struct Reader {
    number: usize,
    /// What it makes of the register, before and after the move.
    before: Vec<Outcome>,
    after: Vec<Outcome>,
    /// The address that it means, after the move.
    target: u64,
}

/// A fault, and the number of the instruction that has it.
type At<T> = Result<T, (usize, Fault)>;

impl Pairs<'_, '_> {
    fn join(&mut self, high: usize) -> At<()> {
        let item = &self.layout.items[high];
        let (register, value) = self.written(item).map_err(|fault| (high, fault))?;
        let mut readers = Vec::new();
        for number in self.readers(high, register)? {
            readers.extend(self.reader(high, number, (register, value))?);
        }
        let Some(first) = readers.first() else { return Ok(()) };
        // Each candidate is tried: what the programs make of it decides.
        let mut candidates = self.mover.engine.with_relocations(item.inst, first.target, item.new);
        candidates.push(item.inst);
        for candidate in candidates {
            let Some(made) = self.value_of(candidate, item.new) else { continue };
            if let Some(found) = self.lows(item, &readers, (register, made, value)) {
                self.insts[high] = vec![candidate];
                for (reader, inst) in readers.iter().zip(found) {
                    self.insts[reader.number] = vec![inst];
                    self.is_fixed[reader.number] = true;
                }
                return Ok(());
            }
        }
        let reason = "no relocations that the specification declares make the moved address";
        Err((high, Fault::Pair { other: self.layout.items[first.number].address, reason }))
    }

    /// The register that an instruction writes, and what it writes.
    fn written(&self, item: &Item) -> Result<(Register, u128), Fault> {
        let reason = "it does not only write one register";
        let fault = Fault::Position { reason };
        let value = self.value_of(item.inst, item.address).ok_or(fault.clone())?;
        let mut written = None;
        for found in self.mover.engine.uses(item.inst).filter(|found| found.effect.writes()) {
            match found.resource {
                Resource::Registers { file, first, count: 1 } if written.is_none() => {
                    written = Some(Register { file, number: first });
                }
                _ => return Err(fault),
            }
        }
        Ok((written.ok_or(fault)?, value))
    }

    /// What an instruction at an address writes into its register.
    fn value_of(&self, inst: Inst, address: u64) -> Option<u128> {
        match self.mover.outcomes(inst, address, None)?.as_slice() {
            [Outcome::Write(value)] => Some(*value),
            _ => None,
        }
    }

    /// The instructions that may read a register after an instruction has written it, by their numbers.
    fn readers(&self, high: usize, register: Register) -> At<Vec<usize>> {
        let other = self.layout.items[high].address;
        let mut readers = Vec::new();
        let mut seen = vec![false; self.layout.items.len()];
        let mut open = self.after(high).map_err(|reason| (high, Fault::Position { reason }))?;
        while let Some(number) = open.pop() {
            if std::mem::replace(&mut seen[number], true) {
                continue;
            }
            let item = &self.layout.items[number];
            let (mut is_read, mut is_overwritten) = (false, false);
            for found in self.mover.engine.uses(item.inst) {
                let (is_own, may_be_own) = match found.resource {
                    Resource::Registers { file, first, count } => {
                        let is =
                            file == register.file && register.number.wrapping_sub(first) < count;
                        (is, is)
                    }
                    Resource::Unknown { file } => (false, file == register.file),
                    _ => (false, false),
                };
                is_read |= may_be_own && found.effect.reads();
                is_overwritten |= is_own && found.effect.overwrites();
            }
            if is_read {
                readers.push(number);
            }
            if !is_overwritten {
                let after = self.after(number);
                open.extend(after.map_err(|reason| (number, Fault::Pair { other, reason }))?);
            }
        }
        readers.sort_unstable();
        Ok(readers)
    }

    /// The instructions that may be next, by their numbers. Functions that are called, and the caller, expect no parts
    /// of addresses in registers.
    fn after(&self, number: usize) -> Result<Vec<usize>, &'static str> {
        let engine = &self.mover.engine;
        let item = &self.layout.items[number];
        let next = item.address.wrapping_add(engine.bytes_of(item.inst) as u64);
        let next = || {
            let is_same = |at: &usize| self.layout.items[*at].block == item.block;
            let found = self.layout.number(next).filter(is_same);
            found.ok_or("execution leaves the block after it, and the register may be read there")
        };
        let target = || {
            let first = item.targets.first().map(|target| target.address);
            let found = first.and_then(|address| self.layout.number(address));
            found.ok_or("it leaves the block, and the register may be read there")
        };
        Ok(match engine.flow_control(item.inst) {
            Next | Trap | SystemCall | IndirectCall => vec![next()?],
            Call => {
                let called = target();
                let mut all = vec![next()?];
                all.extend(called.ok());
                all
            }
            Branch => vec![target()?],
            Conditional => vec![next()?, target()?],
            Return | Indirect | Abort => Vec::new(),
        })
    }

    /// What an instruction makes of the register; `None` if nothing.
    fn reader(&self, high: usize, number: usize, known: (Register, u128)) -> At<Option<Reader>> {
        let other = self.layout.items[high].address;
        let item = &self.layout.items[number];
        let fault = |reason| (number, Fault::Pair { other, reason });
        let before = self.mover.outcomes(item.inst, item.address, Some(known));
        let before = before.ok_or(fault("it has no program that says what it does with a part"))?;
        let Some(first) = before.first() else { return Ok(None) };
        let target = match *first {
            Outcome::Access(target) | Outcome::Jump(target) => target,
            Outcome::Write(value) => value as u64,
            _ => return Err(fault("it uses the part in another way than as one of an address")),
        };
        let mut after = Vec::new();
        for outcome in &before {
            after.push(match outcome {
                Outcome::Fixed(_) => *outcome,
                Outcome::Store(_) | Outcome::Lost => {
                    return Err(fault("it uses the part in another way than as one of an address"));
                }
                _ => self.layout.expected(*outcome, None).map_err(|fault| (number, fault))?,
            });
        }
        let target = self.layout.mapped(target).map_err(|fault| (number, fault))?;
        Ok(Some(Reader { number, before, after, target }))
    }

    /// The readers in encodings that make the moved addresses of a value in the register, which was `value` before.
    fn lows(
        &self,
        high: &Item,
        readers: &[Reader],
        (register, made, value): (Register, u128, u128),
    ) -> Option<Vec<Inst>> {
        let engine = &self.mover.engine;
        let mut found = Vec::new();
        for reader in readers {
            let [inst] = self.insts[reader.number][..] else { return None };
            let address = self.layout.items[reader.number].new;
            let mut candidates = vec![inst];
            if !self.is_fixed[reader.number] {
                candidates.extend(engine.with_relocations(inst, reader.target, high.new));
            }
            // A copy of the part is read elsewhere, which is not followed.
            let is_copy = reader.before == [Outcome::Write(value)]
                && engine.with_relocations(inst, reader.target, high.new).is_empty();
            let does = |inst: &Inst| {
                let outcomes = self.mover.outcomes(*inst, address, Some((register, made)));
                outcomes.is_some_and(|outcomes| outcomes == reader.after)
            };
            found.push(candidates.into_iter().find(|inst| !is_copy && does(inst))?);
        }
        Some(found)
    }
}
