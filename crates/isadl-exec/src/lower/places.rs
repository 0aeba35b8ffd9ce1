//! Registers: where they are, reading them, and what they will be.

use isadl::isa::{ConstantBits, Meaning, NameId, RegFileId, RegisterPart};
use isadl::semantics::ir::{self, ValueId};

use super::number::Number;
use super::values::Builder;
use super::{Lowered, Lowering, Value, Write, bits_of_piece, ones, unsupported};
use crate::micro::{Kind, Micro, More, Run};
use crate::slots::{Slot, pieces};

/// What a place denotes for an instruction word.
enum Register {
    /// A register of a file.
    Numbered(RegFileId, u32),
    /// One whose number is in a slot.
    Computed(RegFileId, Slot),
    /// A name that is read as zeros or ones, and may be written.
    Constant(bool),
    /// A register outside of files.
    Kept(String),
}

/// A copy of a register file that is written at computed numbers, which replaces it at the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shadow {
    file: RegFileId,
    first: Slot,
}

impl Lowering<'_, '_> {
    fn register(&mut self, place: &ir::Place) -> Lowered<Register> {
        match place {
            ir::Place::Operand { field, part: None, .. } => self.register_of(*field),
            ir::Place::Operand { part: Some(_), .. } => unsupported("parts of operands"),
            ir::Place::State(name) => Ok(Register::Kept(name.clone())),
            ir::Place::Register { file, number } => Ok(match self.known_small(*number)? {
                Some(number) => Register::Numbered(*file, number as u32),
                None => Register::Computed(*file, self.slot(*number)?),
            }),
            ir::Place::Group { field, offset } => {
                let Register::Numbered(file, number) = self.register_of(*field)? else {
                    return unsupported("a group of other registers");
                };
                let count = self.context.isa.reg_files()[file.index()].count;
                if let Some(offset) = self.known_small(*offset)? {
                    let number = (u64::from(number) + offset) % u64::from(count);
                    return Ok(Register::Numbered(file, number as u32));
                }
                let offset = self.small(*offset)?;
                let offset = self.with_zeros(offset, 64)?;
                let sum = self.bits_sum(offset, number.into())?;
                Ok(Register::Computed(file, sum))
            }
            ir::Place::OfLane { .. } => unsupported("lanes"),
        }
    }

    fn bits_sum(&mut self, number: Number, by: u64) -> Lowered<Slot> {
        let slot = self.loose(number)?;
        self.loose(Number::Sum { slot, n: by })
    }

    fn register_of(&mut self, name: NameId) -> Lowered<Register> {
        let isa = self.context.isa;
        let Some(field) = self.place.opcode.field(name) else { return unsupported("an operand") };
        let raw = field.extract(self.place.word);
        let ty = isa.ty(field.ty);
        let Some((entry, position)) = ty.entry(raw) else {
            return Ok(Register::Kept(format!("{}[{raw:#x}]", ty.name)));
        };
        Ok(match &entry.meaning {
            Meaning::Registers { file, first, align, .. } => {
                let number = u64::from(*first) + position;
                Register::Numbered(*file, (number / u64::from(*align) * u64::from(*align)) as u32)
            }
            Meaning::Register { file, number, .. } => Register::Numbered(*file, *number),
            Meaning::Constant { bits, .. } => Register::Constant(*bits == ConstantBits::One),
            Meaning::Special(name) => Register::Kept(name.clone()),
            _ => Register::Kept(format!("{}[{raw:#x}]", ty.name)),
        })
    }

    /// The value of a register.
    pub(super) fn read(&mut self, place: &ir::Place, width: u32) -> Lowered<Value> {
        match self.register(place)? {
            Register::Numbered(file, number) => self.read_from(file, number, width),
            Register::Constant(is_ones) => {
                let piece = if is_ones { u64::MAX } else { 0 };
                let all = (0..pieces(width))
                    .map(|at| Number::Known(piece & ones(bits_of_piece(width, at))));
                Ok(Value::of(all.collect()))
            }
            Register::Kept(name) => self.read_kept(&name, width),
            Register::Computed(file, number) => {
                let all = &self.context.isa.reg_files()[file.index()];
                let (bits, registers) = (all.width, all.count);
                let result = Run { first: self.fresh_run(pieces(bits))?, bits };
                let first = self.layout.register(self.context.isa, file, 0);
                self.more(More::ReadRegister { first, registers, bits, number, result });
                let value = self.of_run(result);
                self.resized(&value, bits, width)
            }
        }
    }

    /// A value with zeros above, or its lowest bits.
    fn resized(&mut self, value: &Value, bits: u32, width: u32) -> Lowered<Value> {
        let mut builder = Builder::default();
        self.append_part(&mut builder, value, bits, 0, width.min(bits))?;
        if width > bits {
            let zeros = Value::of(vec![Number::Known(0); pieces(width - bits)]);
            self.append(&mut builder, &zeros, width - bits)?;
        }
        Ok(Value::of(builder.pieces))
    }

    /// Bits of a register and, if they are more than it has, of the following ones.
    fn read_from(&mut self, file: RegFileId, number: u32, width: u32) -> Lowered<Value> {
        let isa = self.context.isa;
        let all = &isa.reg_files()[file.index()];
        let mut builder = Builder::default();
        let mut read = 0;
        for at in 0.. {
            let count = all.width.min(width - read);
            let value = match self.layout.following(isa, file, number + at) {
                Some(number) => {
                    let first = self.layout.register(isa, file, number);
                    self.of_run(Run { first, bits: all.width })
                }
                None => Value::of(vec![Number::Known(0); pieces(all.width)]),
            };
            self.append_part(&mut builder, &value, all.width, 0, count)?;
            read += count;
            if read == width {
                break;
            }
        }
        Ok(Value::of(builder.pieces))
    }

    fn read_kept(&mut self, name: &str, width: u32) -> Lowered<Value> {
        let Some(parts) = self.context.kept.parts(name) else {
            let slot = self.kept_slot(name)?;
            return self.resized(&Value::One(Number::Clean(slot)), 64, width);
        };
        let mut builder = Builder::default();
        let mut bits = 0;
        for part in parts.iter().rev() {
            let RegisterPart { register, low, width } = *part;
            let value = self.read_from(register.file, register.number, low + width)?;
            self.append_part(&mut builder, &value, low + width, low, width)?;
            bits += width;
        }
        self.resized(&Value::of(builder.pieces), bits, width)
    }

    fn kept_slot(&mut self, name: &str) -> Lowered<Slot> {
        match self.layout.kept(name) {
            Some(slot) => Ok(slot),
            None => unsupported("more registers outside of files than there are slots"),
        }
    }

    /// Notes what a register will be: of the bits of a value those of the mask, or all.
    pub(super) fn write(
        &mut self,
        place: &ir::Place,
        mask: Option<ValueId>,
        value: ValueId,
    ) -> Lowered<()> {
        let width = self.width(value);
        match self.register(place)? {
            Register::Constant(_) => Ok(()),
            Register::Numbered(file, number) => {
                let (value, mask) = (self.value(value)?, self.mask(mask)?);
                self.write_to((file, number), width, &value, mask.as_ref())
            }
            Register::Kept(name) => {
                let (value, mask) = (self.value(value)?, self.mask(mask)?);
                self.write_kept(&name, width, &value, mask.as_ref())
            }
            Register::Computed(file, number) => {
                let first = self.shadow(file)?;
                let all = &self.context.isa.reg_files()[file.index()];
                let (bits, registers) = (all.width, all.count);
                let mask = match mask {
                    Some(mask) => Some(self.run(mask)?),
                    None if width < bits => {
                        let ones = (0..pieces(width))
                            .map(|at| Number::Known(ones(bits_of_piece(width, at))));
                        let all = Value::of(ones.collect());
                        Some(self.run_of(&all, width)?)
                    }
                    None => None,
                };
                let value = self.run(value)?;
                self.more(More::WriteRegister { first, registers, bits, number, value, mask });
                Ok(())
            }
        }
    }

    fn mask(&mut self, mask: Option<ValueId>) -> Lowered<Option<Value>> {
        mask.map(|mask| self.value(mask)).transpose()
    }

    fn write_to(
        &mut self,
        (file, number): (RegFileId, u32),
        width: u32,
        value: &Value,
        mask: Option<&Value>,
    ) -> Lowered<()> {
        let isa = self.context.isa;
        let all = &isa.reg_files()[file.index()];
        let mut written = 0;
        for at in 0.. {
            let count = all.width.min(width - written);
            if let Some(number) = self.layout.following(isa, file, number + at) {
                let first = match self.shadows.iter().find(|shadow| shadow.file == file) {
                    Some(shadow) => shadow.first + (pieces(all.width) as u32 * number) as Slot,
                    None => self.layout.register(isa, file, number),
                };
                let part = |own: &mut Self, value: &Value| {
                    let mut builder = Builder::default();
                    own.append_part(&mut builder, value, width, written, count)?;
                    Ok(builder.pieces)
                };
                let own = part(self, value)?;
                let mask = mask.map(|mask| part(self, mask)).transpose()?;
                for (at, piece) in own.into_iter().enumerate() {
                    let slot = first + at as Slot;
                    let (bits, count) = (bits_of_piece(all.width, at), bits_of_piece(count, at));
                    let mask = match &mask {
                        Some(mask) => mask[at],
                        None => Number::Known(ones(count)),
                    };
                    self.write_slot(slot, bits, piece, mask)?;
                }
            }
            written += count;
            if written == width {
                return Ok(());
            }
        }
        Ok(())
    }

    fn write_kept(
        &mut self,
        name: &str,
        width: u32,
        value: &Value,
        mask: Option<&Value>,
    ) -> Lowered<()> {
        let Some(parts) = self.context.kept.parts(name) else {
            if width > 64 {
                return unsupported("a register outside of files with more than 64 bits");
            }
            let slot = self.kept_slot(name)?;
            let mask = mask.map_or(Number::Known(ones(width.min(64))), |mask| mask.piece(0));
            return self.write_slot(slot, 64, value.piece(0), mask);
        };
        if mask.is_some() {
            return unsupported("some bits of a register that is made of others");
        }
        let mut from = 0;
        for part in parts.iter().rev().copied() {
            let RegisterPart { register, low, width: own } = part;
            let own = own.min(width - from);
            if own == 0 {
                break;
            }
            // The bits below stay.
            let mut builder = Builder::default();
            self.append_zeros(&mut builder, low)?;
            self.append_part(&mut builder, value, width, from, own)?;
            let mut mask = Builder::default();
            self.append_zeros(&mut mask, low)?;
            let ones = Value::of(vec![Number::Known(u64::MAX); pieces(own)]);
            self.append(&mut mask, &ones, own)?;
            let (new, mask) = (Value::of(builder.pieces), Value::of(mask.pieces));
            self.write_to((register.file, register.number), low + own, &new, Some(&mask))?;
            from += own;
        }
        Ok(())
    }

    /// Notes what a slot will be.
    fn write_slot(&mut self, slot: Slot, bits: u32, new: Number, mask: Number) -> Lowered<()> {
        let known = self.writes.iter().position(|write| write.slot == slot);
        let old = known.map_or(Number::Clean(slot), |at| self.writes[at].number);
        let number = match mask {
            Number::Known(mask) => self.inserted(old, new, mask, bits)?,
            _ => {
                // Bits of the value that are not written are 0.
                let (old, mask) = (self.with_zeros(old, bits)?, self.inverted(mask, bits)?);
                let kept = self.bitwise(ir::BinaryOp::And, old, mask, bits)?;
                let new = self.with_zeros(new, bits)?;
                self.bitwise(ir::BinaryOp::Or, kept, new, bits)?
            }
        };
        match known {
            Some(at) if self.writes[at].is_own && !self.is_at_top => {
                let Number::Clean(own) = self.writes[at].number else {
                    return unsupported("a write");
                };
                self.copy(own, number, bits)
            }
            _ if !self.is_at_top && !self.is_shadow(slot) => {
                unsupported("a write that was not foreseen")
            }
            // The copy of a file is written at once.
            _ if self.is_shadow(slot) => self.copy(slot, number, bits),
            Some(at) => {
                self.writes[at].number = number;
                self.writes[at].is_own = false;
                Ok(())
            }
            None => {
                self.writes.push(Write { slot, bits, number, is_own: false });
                Ok(())
            }
        }
    }

    /// Gives what a branch or loop may write slots of its own, which have what is written so far.
    pub(super) fn prepare_write(&mut self, place: &ir::Place, width: u32) -> Lowered<()> {
        // The number of the register may be computed inside.
        match place {
            ir::Place::Register { file, number } if self.known_small(*number)?.is_none() => {
                return self.shadow(*file).map(|_| ());
            }
            ir::Place::Group { field, offset } if self.known_small(*offset)?.is_none() => {
                return match self.register_of(*field)? {
                    Register::Numbered(file, _) => self.shadow(file).map(|_| ()),
                    _ => unsupported("a group of other registers"),
                };
            }
            _ => {}
        }
        match self.register(place)? {
            Register::Constant(_) => Ok(()),
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
        let number = known.map_or(Number::Clean(slot), |at| self.writes[at].number);
        if known.is_some_and(|at| self.writes[at].is_own) {
            return Ok(());
        }
        let own = self.fresh()?;
        self.copy(own, number, bits)?;
        let write = Write { slot, bits, number: Number::Clean(own), is_own: true };
        match known {
            Some(at) => self.writes[at] = write,
            None => self.writes.push(write),
        }
        Ok(())
    }

    /// The first slot of the copy of a register file, with what is written so far.
    fn shadow(&mut self, file: RegFileId) -> Lowered<Slot> {
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
                self.copy(first + at, write.number, write.bits)?;
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
        for write in &writes {
            let from = match write.number {
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
