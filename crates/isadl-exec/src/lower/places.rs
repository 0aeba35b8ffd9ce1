//! Registers: where they are, reading them, and what they will be.

use isadl::isa::{Meaning, NameId, RegFileId, RegisterPart};
use isadl::semantics::ir::{self, ValueId};

use super::number::Number;
use super::values::Builder;
use super::{Lowered, Lowering, Value, bits_of_piece, ones, unsupported};
use crate::fields::Denoted;
use crate::micro::{More, Run};
use crate::slots::{Slot, pieces};

/// What a place denotes for an instruction word.
pub(super) enum Register {
    /// A register of a file.
    Numbered(RegFileId, u32),
    /// One whose number is in a slot.
    Computed(RegFileId, Slot),
    /// A constant, which may be written: its meaning, and its position among the values with this meaning.
    Constant(Meaning, u64),
    /// A register outside of files.
    Kept(String),
}

impl Lowering<'_, '_> {
    pub(super) fn register(&mut self, place: &ir::Place) -> Lowered<Register> {
        match place {
            ir::Place::Operand { field, part, .. } => self.register_of(*field, *part),
            ir::Place::State(name) => Ok(Register::Kept(name.clone())),
            ir::Place::Register { file, number } => Ok(match self.known_small(*number)? {
                Some(number) => Register::Numbered(*file, number as u32),
                None => Register::Computed(*file, self.slot(*number)?),
            }),
            ir::Place::Group { field, offset } => {
                let Register::Numbered(file, number) = self.register_of(*field, None)? else {
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
            ir::Place::OfLane { .. } => unsupported("a register of a lane here"),
        }
    }

    fn bits_sum(&mut self, number: Number, by: u64) -> Lowered<Slot> {
        let slot = self.loose(number)?;
        self.loose(Number::Sum { slot, n: by })
    }

    pub(super) fn register_of(&mut self, name: NameId, part: Option<usize>) -> Lowered<Register> {
        match self.fields().denoted(name, part) {
            Some(Denoted::Register(file, number)) => Ok(Register::Numbered(file, number)),
            Some(Denoted::Constant(meaning, position)) => {
                Ok(Register::Constant(meaning.clone(), position))
            }
            Some(Denoted::Kept(name)) => Ok(Register::Kept(name)),
            None => unsupported("an operand"),
        }
    }

    /// The value of a register.
    pub(super) fn read(&mut self, place: &ir::Place, width: u32) -> Lowered<Value> {
        if let ir::Place::OfLane { place, lane } = place {
            return self.read_lane(place, *lane, width);
        }
        match self.register(place)? {
            Register::Numbered(file, number) => self.read_from(file, number, width),
            Register::Constant(meaning, position) => constant_value(&meaning, position, width),
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
            let value = match self.context.kept.step(name) {
                0 => slot,
                step => self.elapsed(slot, step)?,
            };
            return self.resized(&Value::One(Number::Clean(value)), 64, width);
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

    /// A number and so much for each instruction that ended.
    fn elapsed(&mut self, from: Slot, step: u64) -> Lowered<Slot> {
        let result = self.fresh()?;
        self.more(More::Elapsed { from, step, result });
        Ok(result)
    }

    pub(super) fn kept_slot(&mut self, name: &str) -> Lowered<Slot> {
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
        if let ir::Place::OfLane { place, lane } = place {
            return self.write_lane(place, *lane, mask, value);
        }
        match self.register(place)? {
            Register::Constant(..) => Ok(()),
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
            let step = self.context.kept.step(name);
            if step == 0 {
                let mask = mask.map_or(Number::Known(ones(width)), |mask| mask.piece(0));
                return self.write_slot(slot, 64, value.piece(0), mask);
            }
            if mask.is_some() {
                return unsupported("some bits of a register that counts instructions");
            }
            // Reads take as many bits as the register has.
            let from = self.clean(value.piece(0), width)?;
            let begun = self.elapsed(from, step.wrapping_neg())?;
            return self.write_slot(slot, 64, Number::Clean(begun), Number::Known(u64::MAX));
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
}

/// The value of a constant in some bits.
pub(super) fn constant_value(meaning: &Meaning, position: u64, width: u32) -> Lowered<Value> {
    let Some(number) = meaning.constant(position, width) else {
        return unsupported("a floating-point constant that has no such format");
    };
    let all = (0..pieces(width)).map(|at| {
        let piece = number >> (64 * at).min(127);
        Number::Known(piece as u64 & ones(bits_of_piece(width, at)))
    });
    Ok(Value::of(all.collect()))
}
