//! Pending writes to registers. They take effect at the end of an instruction, so an instruction that stops has changed no register.

use isadl::isa::RegFileId;
use isadl::semantics::ir;

use super::number::{Number, Right, binary};
use super::places::Register;
use super::{Lowered, Lowering, bits_of_piece, ones, unsupported};
use crate::micro::{Binary, Form, Kind, Micro, More};
use crate::slots::{ACTIVE, LANE, Slot, pieces};

/// A pending write to a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Write {
    slot: Slot,
    /// How many bits of the slot the register uses.
    bits: u32,
    what: Written,
    /// Whether the value is in a slot reserved for this write, which branches can change.
    is_own: bool,
    /// Whether the reserved slot has the value for all lanes, because the program also writes registers of single lanes.
    is_of_lanes: bool,
}

/// The value so far.
#[derive(Debug, Clone, Copy)]
enum Written {
    Whole(Number),
    /// The bits of `mask` of a number.
    Part {
        new: Number,
        mask: u64,
    },
    /// A number with zeros for the bits of `missing`, which are not written.
    Parts {
        number: Number,
        missing: u64,
    },
}

/// A copy of a register file that is written at computed numbers, which replaces it at the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shadow {
    pub(super) file: RegFileId,
    pub(super) first: Slot,
}

impl Lowering<'_, '_> {
    /// Adds a write to a slot.
    pub(super) fn write_slot(
        &mut self,
        slot: Slot,
        bits: u32,
        new: Number,
        mask: Number,
    ) -> Lowered<()> {
        let known = self.writes.iter().position(|write| write.slot == slot);
        if let Some(at) = known.filter(|at| self.writes[*at].is_of_lanes) {
            return self.write_active(at, new, mask);
        }
        let old = known.map(|at| self.writes[at].what);
        let what = match (old, mask) {
            (old, Number::Known(mask)) => self.partly_written(slot, bits, old, new, mask)?,
            _ => {
                let old = self.whole(slot, bits, old)?;
                // Bits of the value that are not written are 0.
                let (old, mask) = (self.with_zeros(old, bits)?, self.inverted(mask, bits)?);
                let kept = self.bitwise(ir::BinaryOp::And, old, mask, bits)?;
                let new = self.with_zeros(new, bits)?;
                Written::Whole(self.bitwise(ir::BinaryOp::Or, kept, new, bits)?)
            }
        };
        match known {
            Some(at) if self.writes[at].is_own && !self.is_at_top => {
                let Written::Whole(Number::Clean(own)) = self.writes[at].what else {
                    return unsupported("a write");
                };
                let number = self.whole(slot, bits, Some(what))?;
                self.copy(own, number, bits)
            }
            _ if !self.is_at_top && !self.is_shadow(slot) => {
                unsupported("a write that was not foreseen")
            }
            // The copy of a file is written at once.
            _ if self.is_shadow(slot) => {
                let number = self.whole(slot, bits, Some(what))?;
                self.copy(slot, number, bits)
            }
            Some(at) => {
                self.writes[at].what = what;
                self.writes[at].is_own = false;
                Ok(())
            }
            None => {
                self.writes.push(Write { slot, bits, what, is_own: false, is_of_lanes: false });
                Ok(())
            }
        }
    }

    /// Reserves a slot for the value of a register in all lanes.
    pub(super) fn prepare_lanes(&mut self, slot: Slot, bits: u32) -> Lowered<()> {
        self.prepare_slot(slot, bits)?;
        for write in self.writes.iter_mut().filter(|write| write.slot == slot) {
            write.is_of_lanes = true;
        }
        Ok(())
    }

    /// The slot that [`Lowering::prepare_lanes`] reserved.
    pub(super) fn slot_of_lanes(&self, slot: Slot) -> Option<Slot> {
        let write = self.writes.iter().find(|write| write.slot == slot && write.is_of_lanes)?;
        match write.what {
            Written::Whole(Number::Clean(own)) => Some(own),
            _ => None,
        }
    }

    /// Writes the register in the active lanes.
    fn write_active(&mut self, at: usize, new: Number, mask: Number) -> Lowered<()> {
        let Write { bits, what: Written::Whole(Number::Clean(own)), .. } = self.writes[at] else {
            return unsupported("a write");
        };
        let old = Number::Clean(own);
        let new = match mask {
            Number::Known(mask) => self.inserted(old, new, mask, bits)?,
            _ => return unsupported("computed bits of a register of which lanes are written"),
        };
        let lane = Right::Slot(LANE);
        let bit = self.emit(binary(Binary::ShiftRight, Form::Double, ACTIVE, lane))?;
        let number = self.select(Number::Part { slot: bit, low: 0 }, new, old, bits)?;
        self.copy(own, number, bits)
    }

    /// Adds a write of some bits to the value so far.
    fn partly_written(
        &mut self,
        slot: Slot,
        bits: u32,
        old: Option<Written>,
        new: Number,
        mask: u64,
    ) -> Lowered<Written> {
        if mask & ones(bits) == ones(bits) {
            return Ok(Written::Whole(new));
        }
        let (number, missing) = match old {
            None => return Ok(Written::Part { new, mask }),
            Some(Written::Whole(old)) => {
                return Ok(Written::Whole(self.inserted(old, new, mask, bits)?));
            }
            Some(Written::Part { new: first, mask: own }) => {
                (self.inserted(Number::Known(0), first, own, bits)?, !own)
            }
            Some(Written::Parts { number, missing }) => (number, missing),
        };
        let number = self.inserted(number, new, mask, bits)?;
        let written = Written::Parts { number, missing: missing & !mask };
        Ok(match missing & !mask & ones(bits) {
            0 => Written::Whole(self.whole(slot, bits, Some(written))?),
            _ => written,
        })
    }

    /// The full value of a register after the writes so far.
    fn whole(&mut self, slot: Slot, bits: u32, what: Option<Written>) -> Lowered<Number> {
        let old = Number::Clean(slot);
        match what {
            None => Ok(old),
            Some(Written::Whole(number)) => Ok(number),
            Some(Written::Part { new, mask }) => self.inserted(old, new, mask, bits),
            Some(Written::Parts { number, missing }) => self.inserted(number, old, missing, bits),
        }
    }

    /// Gives what a branch or loop may write slots of its own, which have what is written so far.
    pub(super) fn prepare_write(&mut self, place: &ir::Place, width: u32) -> Lowered<()> {
        // The number of the register may be computed inside.
        match place {
            // That was done at the beginning.
            ir::Place::OfLane { .. } => return Ok(()),
            ir::Place::Register { file, number } if self.known_small(*number)?.is_none() => {
                return self.shadow(*file).map(|_| ());
            }
            ir::Place::Group { field, offset } if self.known_small(*offset)?.is_none() => {
                return match self.register_of(*field, None)? {
                    Register::Numbered(file, _) => self.shadow(file).map(|_| ()),
                    _ => unsupported("a group of other registers"),
                };
            }
            _ => {}
        }
        match self.register(place)? {
            Register::Constant(..) => Ok(()),
            Register::Kept(name) => match self.context.kept.parts(&name) {
                Some(parts) => {
                    for part in parts.iter().copied() {
                        self.prepare_register(part.register.file, part.register.number, 1)?;
                    }
                    Ok(())
                }
                None => {
                    let slot = self.kept_slot(&name)?;
                    self.prepare_slot(slot, 64)
                }
            },
            Register::Numbered(file, number) => self.prepare_register(file, number, width),
            Register::Computed(file, _) => self.shadow(file).map(|_| ()),
        }
    }

    /// The registers that a number of bits takes from one on.
    fn prepare_register(&mut self, file: RegFileId, number: u32, width: u32) -> Lowered<()> {
        let isa = self.context.isa;
        let all = &isa.reg_files()[file.index()];
        if self.shadows.iter().any(|shadow| shadow.file == file) {
            return Ok(());
        }
        for at in 0..width.div_ceil(all.width) {
            let Some(number) = self.layout.following(isa, file, number + at) else { continue };
            let first = self.layout.register(isa, file, number);
            for at in 0..pieces(all.width) {
                self.prepare_slot(first + at as Slot, bits_of_piece(all.width, at))?;
            }
        }
        Ok(())
    }

    pub(super) fn prepare_slot(&mut self, slot: Slot, bits: u32) -> Lowered<()> {
        let known = self.writes.iter().position(|write| write.slot == slot);
        if known.is_some_and(|at| self.writes[at].is_own) {
            return Ok(());
        }
        let number = self.whole(slot, bits, known.map(|at| self.writes[at].what))?;
        let own = self.fresh()?;
        self.copy(own, number, bits)?;
        let what = Written::Whole(Number::Clean(own));
        let write = Write { slot, bits, what, is_own: true, is_of_lanes: false };
        match known {
            Some(at) => self.writes[at] = write,
            None => self.writes.push(write),
        }
        Ok(())
    }

    /// The first slot of the copy of a register file, with what is written so far.
    pub(super) fn shadow(&mut self, file: RegFileId) -> Lowered<Slot> {
        if let Some(shadow) = self.shadows.iter().find(|shadow| shadow.file == file) {
            return Ok(shadow.first);
        }
        if !self.is_at_top {
            return unsupported("registers whose numbers are computed in a branch");
        }
        let (from, count) = self.file_slots(file);
        let first = self.fresh_run(count)?;
        self.more(More::CopyAll { from, to: first, count });
        for write in self.writes.clone() {
            if let Some(at) = write.slot.checked_sub(from).filter(|at| usize::from(*at) < count) {
                let number = self.whole(write.slot, write.bits, Some(write.what))?;
                self.copy(first + at, number, write.bits)?;
            }
        }
        self.writes
            .retain(|write| write.slot.checked_sub(from).is_none_or(|at| usize::from(at) >= count));
        self.shadows.push(Shadow { file, first });
        Ok(first)
    }

    fn file_slots(&self, file: RegFileId) -> (Slot, usize) {
        let all = &self.context.isa.reg_files()[file.index()];
        (self.layout.register(self.context.isa, file, 0), pieces(all.width) * all.count as usize)
    }

    /// Writes registers: what was noted takes effect.
    pub(super) fn commit(&mut self) -> Lowered<()> {
        let writes = std::mem::take(&mut self.writes);
        let mut ready = Vec::new();
        for write in writes.iter().filter(|write| !write.is_of_lanes) {
            let from = match self.whole(write.slot, write.bits, Some(write.what))? {
                Number::Known(n) => Err(n),
                number => Ok(self.clean(number, write.bits)?),
            };
            ready.push((write.slot, from));
        }
        // A register that is written before it is read here keeps its old value in another slot.
        let written: Vec<Slot> = writes.iter().map(|write| write.slot).collect();
        for (slot, from) in &mut ready {
            if let Ok(old) = from
                && *old != *slot
                && written.contains(old)
            {
                *from = Ok(self.emit(Micro { a: *old, ..Micro::new(Kind::Copy) })?);
            }
        }
        for (slot, from) in ready {
            match from {
                Ok(from) if from == slot => {}
                Ok(a) => self.out.push(Micro { d: slot, a, ..Micro::new(Kind::Copy) }),
                Err(n) => self.out.push(Micro { d: slot, n, ..Micro::new(Kind::Number) }),
            }
        }
        for write in writes.iter().filter(|write| write.is_of_lanes) {
            let number = self.whole(write.slot, write.bits, Some(write.what))?;
            let from = self.clean(number, write.bits)?;
            self.more(More::WriteAll { from, to: write.slot });
        }
        for shadow in std::mem::take(&mut self.shadows) {
            let (to, count) = self.file_slots(shadow.file);
            self.more(More::CopyAll { from: shadow.first, to, count });
        }
        Ok(())
    }

    /// Whether a slot is in the copy of a register file.
    fn is_shadow(&self, slot: Slot) -> bool {
        self.shadows.iter().any(|shadow| {
            let (_, count) = self.file_slots(shadow.file);
            slot.checked_sub(shadow.first).is_some_and(|at| usize::from(at) < count)
        })
    }

    /// Whether a slot will be written at the end.
    pub(super) fn writes_slot(&self, slot: Slot) -> bool {
        let is_of_file = |shadow: &Shadow| {
            let (first, count) = self.file_slots(shadow.file);
            slot.checked_sub(first).is_some_and(|at| usize::from(at) < count)
        };
        self.writes.iter().any(|write| write.slot == slot) || self.shadows.iter().any(is_of_file)
    }
}
