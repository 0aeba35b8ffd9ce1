//! Instructions of blocks with their old and new addresses, and the encodings that they need there.

use std::collections::HashMap;

use isadl::engine::{RelocateError, TargetAddress};
use isadl::isa::{Inst, TypeKind};

use super::outcomes::{Outcome, uses_address};
use super::{Block, Fault, MoveError, Mover};

/// An instruction of a block.
pub(super) struct Item {
    /// The number of its block.
    pub(super) block: usize,
    /// Its address before the move.
    pub(super) address: u64,
    /// Its address after the move.
    pub(super) new: u64,
    pub(super) inst: Inst,
    /// The addresses that it names by distances, before the move.
    pub(super) targets: Vec<TargetAddress>,
    /// Whether another instruction says what exactly it means.
    pub(super) is_high: bool,
    form: Form,
}

/// The encoding of an instruction after the move.
#[derive(Clone, Copy)]
enum Form {
    /// That of this opcode.
    One(Inst),
    /// An inverse branch, and the jump that it skips.
    Detour(Inst, Inst),
}

/// All instructions of all blocks.
pub(super) struct Layout {
    pub(super) items: Vec<Item>,
    /// Their numbers by their addresses before the move.
    numbers: HashMap<u64, usize>,
    blocks: Vec<Range>,
    /// Where blocks begin after the move.
    starts: Vec<u64>,
}

/// Addresses of so many bytes, which may wrap.
#[derive(Clone, Copy)]
struct Range {
    start: u64,
    length: u64,
}

impl Range {
    fn overlaps(self, other: Range) -> bool {
        let is_in = |inner: Range, outer: Range| {
            inner.length > 0 && inner.start.wrapping_sub(outer.start) < outer.length
        };
        is_in(self, other) && other.length > 0 || is_in(other, self) && self.length > 0
    }
}

impl Layout {
    pub(super) fn of(mover: &Mover<'_>, blocks: &[Block<'_>]) -> Result<Layout, MoveError> {
        let mut layout = Layout {
            items: Vec::new(),
            numbers: HashMap::new(),
            blocks: Vec::new(),
            starts: blocks.iter().map(|block| block.to).collect(),
        };
        for (number, block) in blocks.iter().enumerate() {
            layout.read(mover, number, block)?;
        }
        for number in 0..layout.items.len() {
            layout.items[number].is_high = layout.is_high(mover, &layout.items[number]);
        }
        overlap_free(&layout.blocks)?;
        Ok(layout)
    }

    fn read(
        &mut self,
        mover: &Mover<'_>,
        number: usize,
        block: &Block<'_>,
    ) -> Result<(), MoveError> {
        let engine = &mover.engine;
        for (offset, found) in engine.stream(block.bytes) {
            let address = block.from.wrapping_add(offset as u64);
            let inst = found.map_err(|error| {
                let reason = engine.reason(engine.first_word(&block.bytes[offset..]).0, error);
                MoveError { address, text: String::new(), fault: Fault::NoInstruction { reason } }
            })?;
            let targets = engine.targets(inst, address).collect();
            self.numbers.insert(address, self.items.len());
            let (new, form) = (address, Form::One(inst));
            self.items.push(Item {
                block: number,
                address,
                new,
                inst,
                targets,
                is_high: false,
                form,
            });
        }
        self.blocks.push(Range { start: block.from, length: block.bytes.len() as u64 });
        Ok(())
    }

    /// Whether another instruction says which address an instruction means: it names a page in which there are
    /// instructions that move, or makes a part of an address of its own address.
    fn is_high(&self, mover: &Mover<'_>, item: &Item) -> bool {
        let shortest = mover.spec.isa().shortest() as u64;
        let is_large = |target: &TargetAddress| {
            target.step > shortest && self.touches(target.address, target.step)
        };
        let uses_own = || mover.spec.code(item.inst).is_some_and(|(_, code)| uses_address(code));
        match item.targets.is_empty() {
            true => depends_on_start(mover, item.inst) && uses_own(),
            false => item.targets.iter().any(is_large),
        }
    }

    /// Whether a block has one of so many addresses from a first one on.
    fn touches(&self, start: u64, length: u64) -> bool {
        self.blocks.iter().any(|block| block.overlaps(Range { start, length }))
    }

    /// The number of the instruction at an address before the move.
    pub(super) fn number(&self, address: u64) -> Option<usize> {
        self.numbers.get(&address).copied()
    }

    /// The address that an address is after the move.
    pub(super) fn mapped(&self, address: u64) -> Result<u64, Fault> {
        match self.number(address) {
            Some(number) => Ok(self.items[number].new),
            None if self.touches(address, 1) => Err(Fault::Inside { target: address }),
            None => Ok(address),
        }
    }

    /// What an effect is after the move. `nexts` are the addresses after the instruction, before and after.
    pub(super) fn expected(
        &self,
        outcome: Outcome,
        nexts: Option<[u64; 2]>,
    ) -> Result<Outcome, Fault> {
        let mapped = |address: u64| self.mapped(address);
        // No address has more than 64 bits. That of the next instruction, to which calls return, is not in the block if
        // the instruction is its last.
        let value = |value: u128| match (u64::try_from(value), nexts) {
            (Ok(address), Some([before, after])) if address == before => Ok(after.into()),
            (Ok(address), _) => mapped(address).map(u128::from),
            (Err(_), _) => Ok(value),
        };
        Ok(match outcome {
            Outcome::Access(address) => Outcome::Access(mapped(address)?),
            Outcome::Jump(address) => Outcome::Jump(mapped(address)?),
            Outcome::Fixed(address) => Outcome::Fixed(mapped(address)?),
            Outcome::Write(written) => Outcome::Write(value(written)?),
            Outcome::Store(stored) => Outcome::Store(value(stored)?),
            Outcome::Lost => {
                let reason = "what it makes of an address depends on what is not known";
                return Err(Fault::Position { reason });
            }
        })
    }

    /// Gives every instruction its new address, and the encoding that reaches its targets from there.
    pub(super) fn place(&mut self, mover: &Mover<'_>) -> Result<(), MoveError> {
        loop {
            let mut next = self.starts.clone();
            for item in &mut self.items {
                item.new = next[item.block];
                next[item.block] = item.new.wrapping_add(item.form.length(mover));
            }
            // Encodings only grow, so this ends.
            let mut has_grown = false;
            for number in 0..self.items.len() {
                let item = &self.items[number];
                let is_far = matches!(self.one(mover, item), Err(Fault::OutOfReach { .. }));
                let longer = if is_far { item.form.longer(mover) } else { None };
                if let Some(form) = longer {
                    self.items[number].form = form;
                    has_grown = true;
                }
            }
            if !has_grown {
                let ends = self.starts.iter().zip(next);
                let new: Vec<Range> = ends
                    .map(|(start, end)| Range { start: *start, length: end.wrapping_sub(*start) })
                    .collect();
                return overlap_free(&new);
            }
        }
    }

    /// All instructions with their distances at their new addresses.
    pub(super) fn encoded(&self, mover: &Mover<'_>) -> Result<Vec<Vec<Inst>>, MoveError> {
        let one = |item| self.one(mover, item).map_err(|fault| mover.error(item, fault));
        self.items.iter().map(one).collect()
    }

    /// An instruction at its new address.
    fn one(&self, mover: &Mover<'_>, item: &Item) -> Result<Vec<Inst>, Fault> {
        let engine = &mover.engine;
        let aimed = |inst: Inst, number: usize, target: u64, address: u64| {
            engine.with_target(inst, number, target, address).map_err(|error| match error {
                RelocateError::OutOfRange { .. } => {
                    let reach = engine.target_reach(inst, number).unwrap_or_default();
                    Fault::OutOfReach { target, address, reach }
                }
                _ => Fault::Position { reason: "its target cannot be another one" },
            })
        };
        let mut target = item.targets.iter();
        match item.form {
            Form::Detour(over, jump) => {
                let first = target.next().map_or(0, |target| target.address);
                let at = item.new.wrapping_add(engine.bytes_of(over) as u64);
                Ok(vec![over, aimed(jump, 0, self.mapped(first)?, at)?])
            }
            Form::One(inst) if item.is_high => Ok(vec![inst]),
            Form::One(mut inst) => {
                for (number, target) in target.enumerate() {
                    inst = aimed(inst, number, self.mapped(target.address)?, item.new)?;
                }
                Ok(vec![self.fixed(mover, item, inst)])
            }
        }
    }

    /// The instruction, if it jumps to an address that it contains, with that to which this moves.
    fn fixed(&self, mover: &Mover<'_>, item: &Item, inst: Inst) -> Inst {
        let of = |inst| {
            let found = mover.outcomes(inst, item.new, None).unwrap_or_default();
            found.into_iter().find_map(|one| match one {
                Outcome::Fixed(target) => Some(target),
                _ => None,
            })
        };
        let Some(target) = of(inst) else { return inst };
        match self.mapped(target) {
            Ok(new) if new != target => {
                let mut all = mover.engine.with_relocations(inst, new, item.new).into_iter();
                all.find(|inst| of(*inst) == Some(new)).unwrap_or(inst)
            }
            _ => inst,
        }
    }
}

impl Form {
    fn length(self, mover: &Mover<'_>) -> u64 {
        let bytes = |inst| mover.engine.bytes_of(inst) as u64;
        match self {
            Form::One(inst) => bytes(inst),
            Form::Detour(over, jump) => bytes(over) + bytes(jump),
        }
    }

    /// The next encoding that reaches farther.
    fn longer(self, mover: &Mover<'_>) -> Option<Form> {
        let Form::One(inst) = self else { return None };
        if mover.keeps_lengths {
            return None;
        }
        let engine = &mover.engine;
        let count = |inst| engine.targets(inst, 0).count();
        let long = engine.long(inst).filter(|long| count(*long) == count(inst));
        let detour = || mover.relaxations.detour(engine, inst);
        long.map(Form::One).or_else(|| detour().map(|(over, jump)| Form::Detour(over, jump)))
    }
}

/// Whether the specification says how an operand of an instruction is made of an address and that of the instruction.
pub(super) fn depends_on_start(mover: &Mover<'_>, inst: Inst) -> bool {
    let isa = mover.spec.isa();
    let found = isa.numbers_where(isa.opcode(inst.opcode), |own| !own.relocations.is_empty());
    found.into_iter().any(|(_, ty)| {
        let TypeKind::Immediate(immediate) = &isa.ty(ty).kind else { return false };
        let mut own = immediate.relocations.iter().filter(|one| one.pair.is_none());
        // Far enough apart for an expression that shifts addresses.
        own.any(|one| (0..64).any(|bit| one.value_of(0, 1 << bit) != one.value_of(0, 0)))
    })
}

/// Checks that ranges of addresses do not overlap.
fn overlap_free(ranges: &[Range]) -> Result<(), MoveError> {
    for (number, range) in ranges.iter().enumerate() {
        if ranges[..number].iter().any(|other| other.overlaps(*range)) {
            let (address, text) = (range.start, String::new());
            return Err(MoveError { address, text, fault: Fault::Overlap });
        }
    }
    Ok(())
}
