//! Active lanes, and registers of other lanes.

use isadl::isa::RegFileId;
use isadl::semantics::ir::{Op, Place, Region, Step, ValueId};

use super::number::Number;
use super::places::{Register, constant_value};
use super::values::Builder;
use super::{Lowered, Lowering, Value, bits_of_piece, ones, unsupported};
use crate::micro::More;
use crate::slots::{ACTIVE, Slot, pieces};

impl Lowering<'_, '_> {
    /// The lanes that take part, or those of them where a condition holds.
    pub(super) fn lanes_as_bits(&mut self, id: ValueId) -> Lowered<Value> {
        if self.layout.blocks().is_none() {
            return unsupported("lanes");
        }
        let Op::Ballot(condition) = self.code().op(id) else {
            return Ok(Value::One(Number::Part { slot: ACTIVE, low: 0 }));
        };
        match self.known_small(*condition)? {
            Some(0) => return Ok(Value::One(Number::Known(0))),
            Some(_) => return Ok(Value::One(Number::Part { slot: ACTIVE, low: 0 })),
            None => {}
        }
        let (condition, result) = (self.slot(*condition)?, self.fresh()?);
        self.more(More::Ballot { condition, result });
        Ok(Value::One(Number::Part { slot: result, low: 0 }))
    }

    /// A register of lanes.
    fn lane_register(&mut self, place: &Place) -> Lowered<(RegFileId, u32)> {
        match self.register(place)? {
            Register::Numbered(file, number) => Ok((file, number)),
            _ => unsupported("a register of another lane that is computed"),
        }
    }

    /// The lowest bits of a register as another lane has it.
    pub(super) fn read_lane(&mut self, place: &Place, lane: ValueId, width: u32) -> Lowered<Value> {
        if let Register::Constant(meaning, position) = self.register(place)? {
            return constant_value(&meaning, position, width);
        }
        let (file, number) = self.lane_register(place)?;
        let bits = self.context.isa.reg_files()[file.index()].width;
        let lane = self.slot(lane)?;
        let (mut builder, mut read) = (Builder::default(), 0);
        for at in 0.. {
            let count = bits.min(width - read);
            let mut all = Vec::new();
            for piece in 0..pieces(bits) {
                all.push(match self.layout.following(self.context.isa, file, number + at) {
                    Some(number) => {
                        let from = self.layout.register(self.context.isa, file, number);
                        let (from, result) = (from + piece as Slot, self.fresh()?);
                        self.more(More::ReadLane { from, lane, result });
                        Number::Clean(result)
                    }
                    None => Number::Known(0),
                });
            }
            self.append_part(&mut builder, &Value::of(all), bits, 0, count)?;
            read += count;
            if read == width {
                break;
            }
        }
        Ok(Value::of(builder.pieces))
    }

    /// Prepares the writes of a region to registers of single lanes.
    pub(super) fn prepare_lane_writes(&mut self, region: &Region) -> Lowered<()> {
        for step in &region.steps {
            match step {
                Step::Write { place: Place::OfLane { place, .. }, value, .. } => {
                    if matches!(self.register(place)?, Register::Constant(..)) {
                        continue;
                    }
                    let (first, bits) = self.written_lane(place, *value)?;
                    for at in 0..pieces(bits) {
                        self.prepare_lanes(first + at as Slot, bits_of_piece(bits, at))?;
                    }
                }
                Step::If { yes, no, .. } => {
                    self.prepare_lane_writes(yes)?;
                    self.prepare_lane_writes(no)?;
                }
                Step::Loop { body, .. } | Step::Atomic(body) | Step::Labelled { body, .. } => {
                    self.prepare_lane_writes(body)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The first slot of a register that a single lane writes, and the register's width in bits.
    fn written_lane(&mut self, place: &Place, value: ValueId) -> Lowered<(Slot, u32)> {
        let (file, number) = self.lane_register(place)?;
        let bits = self.context.isa.reg_files()[file.index()].width;
        if self.width(value) > bits {
            return unsupported("a write to several registers of another lane");
        }
        Ok((self.layout.register(self.context.isa, file, number), bits))
    }

    /// Writes the register of one lane.
    pub(super) fn write_lane(
        &mut self,
        place: &Place,
        lane: ValueId,
        mask: Option<ValueId>,
        value: ValueId,
    ) -> Lowered<()> {
        if matches!(self.register(place)?, Register::Constant(..)) {
            return Ok(());
        }
        let (first, _) = self.written_lane(place, value)?;
        let width = self.width(value);
        let lane = self.slot(lane)?;
        let run = self.run(value)?;
        for at in 0..pieces(width) {
            let mask = match mask {
                None => ones(bits_of_piece(width, at)),
                Some(mask) => match self.known(mask)? {
                    Some(known) => (known >> (64 * at)) as u64,
                    None => return unsupported("some bits of a register of another lane"),
                },
            };
            let Some(to) = self.slot_of_lanes(first + at as Slot) else {
                return unsupported("a register of another lane");
            };
            self.more(More::WriteLane { to, lane, value: run.first + at as Slot, mask });
        }
        Ok(())
    }
}
