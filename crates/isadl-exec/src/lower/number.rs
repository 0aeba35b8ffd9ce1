//! Numbers of at most 64 bits while an instruction is translated, and how they come into slots.

use super::{Lowered, Lowering, ones};
use crate::micro::{Binary, Form, Kind, Micro};
use crate::slots::{Slot, ZERO};

/// A number of at most 64 bits. How many it has is known where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// A number that is known.
    Known(u64),
    /// A slot whose bits above the number's are 0.
    Clean(Slot),
    /// The bits of a slot from `low` on; those above the number's are anything.
    Part { slot: Slot, low: u32 },
    /// The sum of a slot and a number; bits above the number's are anything.
    Sum { slot: Slot, n: u64 },
    /// An operation on two words of 32 bits, which is not done yet. Bits above 32 are 0.
    Word { op: Binary, a: Slot, b: Right },
    /// A comparison that is not done yet: 1 bit, with zeros above.
    Compare { op: Binary, form: Form, a: Slot, b: Right },
}

/// The right side of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    Slot(Slot),
    Known(u64),
}

/// A binary micro-operation.
pub(super) fn binary(op: Binary, form: Form, a: Slot, b: Right) -> Micro {
    let (is_immediate, b, n) = match b {
        Right::Slot(b) => (false, b, 0),
        Right::Known(n) => (true, ZERO, n),
    };
    Micro { a, b, n, ..Micro::new(Kind::Binary { op, form, is_immediate }) }
}

impl Number {
    /// A slot of which some bits are the number: all of it if it has 64.
    pub(super) fn of_slot(slot: Slot, is_clean: bool) -> Number {
        if is_clean { Number::Clean(slot) } else { Number::Part { slot, low: 0 } }
    }
}

impl Lowering<'_, '_> {
    /// A slot that has the number, and zeros above.
    pub(super) fn clean(&mut self, number: Number, bits: u32) -> Lowered<Slot> {
        match number {
            Number::Known(0) => Ok(ZERO),
            Number::Clean(slot) => Ok(slot),
            Number::Part { slot, low: 0 } if bits == 64 => Ok(slot),
            Number::Part { slot, low } => {
                let (a, c, n) = (slot, low as Slot, ones(bits));
                self.emit(Micro { a, c, n, ..Micro::new(Kind::Bits) })
            }
            Number::Sum { .. } if bits < 64 => {
                let slot = self.loose(number)?;
                self.clean(Number::Part { slot, low: 0 }, bits)
            }
            _ => self.loose(number),
        }
    }

    /// A slot whose lowest bits are the number.
    pub(super) fn loose(&mut self, number: Number) -> Lowered<Slot> {
        match number {
            Number::Known(0) => Ok(ZERO),
            Number::Known(n) => self.emit(Micro { n, ..Micro::new(Kind::Number) }),
            Number::Clean(slot) | Number::Part { slot, low: 0 } => Ok(slot),
            Number::Part { slot, low } => {
                self.emit(binary(Binary::ShiftRight, Form::Double, slot, Right::Known(low.into())))
            }
            Number::Sum { slot, n } => {
                self.emit(binary(Binary::Add, Form::Double, slot, Right::Known(n)))
            }
            Number::Word { op, a, b } => self.emit(binary(op, Form::Word, a, b)),
            Number::Compare { op, form, a, b } => self.emit(binary(op, form, a, b)),
        }
    }

    /// The number as one whose bits above are copies of its highest.
    pub(super) fn signed(&mut self, number: Number, bits: u32) -> Lowered<Number> {
        let slot = match number {
            Number::Known(n) => {
                let up = 64 - bits;
                return Ok(Number::Known(((n << up) as i64 >> up) as u64));
            }
            _ if bits == 64 => return Ok(number),
            Number::Word { op, a, b } if bits == 32 => {
                self.emit(binary(op, Form::WordSigned, a, b))?
            }
            Number::Part { slot, low } => {
                let (b, c) = ((64 - bits - low) as Slot, (64 - bits) as Slot);
                self.emit(Micro { a: slot, b, c, ..Micro::new(Kind::SignedBits) })?
            }
            _ => {
                let a = self.loose(number)?;
                let up = (64 - bits) as Slot;
                self.emit(Micro { a, b: up, c: up, ..Micro::new(Kind::SignedBits) })?
            }
        };
        Ok(Number::Clean(slot))
    }

    /// The right side of an operation that only needs the lowest bits.
    pub(super) fn right(&mut self, number: Number) -> Lowered<Right> {
        Ok(match number {
            Number::Known(n) => Right::Known(n),
            _ => Right::Slot(self.loose(number)?),
        })
    }

    /// As above, with zeros above the bits.
    pub(super) fn clean_right(&mut self, number: Number, bits: u32) -> Lowered<Right> {
        Ok(match number {
            Number::Known(n) => Right::Known(n),
            _ => Right::Slot(self.clean(number, bits)?),
        })
    }

    /// Some bits of a number, from a bit on. They all exist.
    pub(super) fn part(
        &mut self,
        number: Number,
        bits: u32,
        low: u32,
        count: u32,
    ) -> Lowered<Number> {
        if low == 0 && bits == count {
            return Ok(number);
        }
        Ok(match number {
            Number::Known(n) => Number::Known(n >> low & ones(count)),
            Number::Part { slot, low: own } => Number::Part { slot, low: own + low },
            Number::Clean(slot) => Number::Part { slot, low },
            Number::Sum { .. } if low == 0 => number,
            _ => Number::Part { slot: self.loose(number)?, low },
        })
    }

    /// A number with zeros above its bits.
    pub(super) fn with_zeros(&mut self, number: Number, bits: u32) -> Lowered<Number> {
        Ok(match number {
            Number::Known(_) | Number::Clean(_) | Number::Compare { .. } => number,
            Number::Sum { .. } if bits == 64 => number,
            // A word has zeros above its 32 bits.
            Number::Word { .. } if bits >= 32 => number,
            _ => Number::Clean(self.clean(number, bits)?),
        })
    }

    /// Two numbers side by side: `high` begins at bit `shift`, below 64. Bits of `high` that do not fit are lost.
    pub(super) fn beside(
        &mut self,
        low: Number,
        shift: u32,
        high: Number,
        high_bits: u32,
    ) -> Lowered<Number> {
        if shift == 0 {
            return Ok(high);
        }
        // Bits of one slot that were beside each other.
        if let (Number::Part { slot: a, low: x }, Number::Part { slot: b, low: y }) = (low, high)
            && a == b
            && y == x + shift
        {
            return Ok(low);
        }
        let low = self.with_zeros(low, shift)?;
        // What is above the last bit is lost anyway.
        let high = match shift + high_bits >= 64 {
            true => high,
            false => self.with_zeros(high, high_bits)?,
        };
        Ok(match (low, high) {
            (Number::Known(l), Number::Known(h)) => Number::Known(l | h << shift),
            (_, Number::Known(0)) => low,
            (_, Number::Known(h)) => {
                let a = self.loose(low)?;
                Number::Clean(self.emit(binary(
                    Binary::Or,
                    Form::Double,
                    a,
                    Right::Known(h << shift),
                ))?)
            }
            (Number::Known(0), _) => {
                let a = self.loose(high)?;
                let shift = Right::Known(shift.into());
                Number::Clean(self.emit(binary(Binary::ShiftLeft, Form::Double, a, shift))?)
            }
            _ => {
                let (a, b) = (self.loose(low)?, self.loose(high)?);
                Number::Clean(self.emit(Micro {
                    a,
                    b,
                    c: shift as Slot,
                    ..Micro::new(Kind::Beside)
                })?)
            }
        })
    }

    /// `old` with the bits of a known mask from `new`. Both have as many bits as the result.
    pub(super) fn inserted(
        &mut self,
        old: Number,
        new: Number,
        mask: u64,
        bits: u32,
    ) -> Lowered<Number> {
        let mask = mask & ones(bits);
        if mask == 0 {
            return Ok(old);
        }
        if mask == ones(bits) {
            return Ok(new);
        }
        if let (Number::Known(old), Number::Known(new)) = (old, new) {
            return Ok(Number::Known(old & !mask | new & mask));
        }
        let (a, b) = (self.clean(old, bits)?, self.loose(new)?);
        Ok(Number::Clean(self.emit(Micro { a, b, n: mask, ..Micro::new(Kind::Insert) })?))
    }

    /// One of two numbers.
    pub(super) fn select(
        &mut self,
        condition: Number,
        yes: Number,
        no: Number,
        bits: u32,
    ) -> Lowered<Number> {
        if yes == no {
            return Ok(yes);
        }
        match (condition, yes, no) {
            (Number::Known(c), ..) => return Ok(if c != 0 { yes } else { no }),
            (_, Number::Known(1), Number::Known(0)) => return self.with_zeros(condition, 1),
            (_, Number::Known(0), Number::Known(1)) => return self.inverted(condition, 1),
            _ => {}
        }
        let a = self.clean(condition, 1)?;
        let (b, c) = (self.clean(yes, bits)?, self.clean(no, bits)?);
        Ok(Number::Clean(self.emit(Micro { a, b, c, ..Micro::new(Kind::Select) })?))
    }

    /// Every bit inverted.
    pub(super) fn inverted(&mut self, number: Number, bits: u32) -> Lowered<Number> {
        Ok(match number {
            Number::Known(n) => Number::Known(!n & ones(bits)),
            Number::Compare { op, form, a, b } if bits == 1 => {
                Number::Compare { op: op.opposite(), form, a, b }
            }
            _ => {
                let a = self.clean(number, bits)?;
                let all = Right::Known(ones(bits));
                Number::Clean(self.emit(binary(Binary::Xor, Form::Double, a, all))?)
            }
        })
    }
}
