//! Values become numbers in slots, with the micro-operations that compute them.

use isadl::semantics::ir::{BinaryOp, Op, UnaryOp, ValueId};

use super::number::{Number, Right, binary};
use super::{Lowered, Lowering, Value, bits_of_piece, known, ones, unsupported};
use crate::micro::{Binary, Form, Kind, Micro};
use crate::slots::{LANE, Slot, pieces};

impl Lowering<'_, '_> {
    /// A value, which is computed if it was not yet.
    pub(super) fn value(&mut self, id: ValueId) -> Lowered<Value> {
        if let Some(found) = &self.values[id.index()] {
            return Ok(found.clone());
        }
        let width = self.width(id);
        let value = match self.known(id)? {
            Some(known) => {
                Value::of(known::pieces(known, width).into_iter().map(Number::Known).collect())
            }
            None => self.compute(id)?,
        };
        self.set(id, value.clone());
        Ok(value)
    }

    /// Notes what a value is.
    pub(super) fn set(&mut self, id: ValueId, value: Value) {
        self.values[id.index()] = Some(value);
        self.log.push(id);
    }

    /// Forgets the values that were computed since.
    pub(super) fn forget(&mut self, since: usize) {
        for id in self.log.drain(since..) {
            self.values[id.index()] = None;
            self.sums.remove(&id);
        }
    }

    /// A value of at most 64 bits.
    pub(super) fn small(&mut self, id: ValueId) -> Lowered<Number> {
        Ok(self.value(id)?.piece(0))
    }

    /// A slot with a value of at most 64 bits, and zeros above.
    pub(super) fn slot(&mut self, id: ValueId) -> Lowered<Slot> {
        let number = self.small(id)?;
        self.clean(number, self.width(id))
    }

    fn compute(&mut self, id: ValueId) -> Lowered<Value> {
        let code = self.code();
        let width = self.width(id);
        if width > 1
            && width <= 8
            && let Some((by, table)) = self.table(id)?
        {
            let a = self.slot(by)?;
            let n = u64::from_le_bytes(table);
            let slot = self.emit(Micro { a, n, ..Micro::new(Kind::Table) })?;
            return Ok(Value::One(Number::Clean(slot)));
        }
        if let Some(found) = self.of_sum(id)? {
            return Ok(Value::One(found));
        }
        match code.op(id) {
            Op::Read(place) => self.read(place, width),
            Op::Constant(value) => Ok(constant(*value, width)),
            Op::Field(name) => Ok(constant(self.field_number(*name)?, width)),
            Op::Unary(op, of) if self.width(*of) <= 64 => {
                Ok(Value::One(self.unary(*op, *of, width)?))
            }
            // A distance may have more bits than what is shifted.
            Op::Binary(op, a, b) if self.width(*a) <= 64 && self.width(*b) <= 64 && width <= 64 => {
                Ok(Value::One(self.binary(*op, *a, *b)?))
            }
            Op::Unary(..) | Op::Binary(..) => self.wide(id),
            Op::Extend { of, is_signed } => self.extended(*of, *is_signed, width),
            Op::Extract { of, low } => self.extracted(*of, *low, width),
            Op::Concat(parts) => {
                let mut builder = Builder::default();
                for part in parts.iter().rev() {
                    let value = self.value(*part)?;
                    self.append(&mut builder, &value, self.width(*part))?;
                }
                Ok(Value::of(builder.pieces))
            }
            Op::Select { condition, yes, no } => {
                let condition = match self.known_small(*condition)? {
                    Some(known) => return self.value(if known != 0 { *yes } else { *no }),
                    None => self.small(*condition)?,
                };
                let (yes, no) = (self.value(*yes)?, self.value(*no)?);
                let condition = match width <= 64 {
                    true => condition,
                    false => Number::Clean(self.clean(condition, 1)?),
                };
                let mut all = Vec::new();
                for at in 0..pieces(width) {
                    let bits = bits_of_piece(width, at);
                    all.push(self.select(condition, yes.piece(at), no.piece(at), bits)?);
                }
                Ok(Value::of(all))
            }
            Op::Merge | Op::Carried | Op::Number => {
                unsupported("a value of a branch that was not taken")
            }
            Op::Lane => Ok(Value::One(Number::Part { slot: LANE, low: 0 })),
            Op::Active | Op::Ballot(_) => self.lanes_as_bits(id),
            other if other.has_effect() => unsupported("an effect out of order"),
            _ => unsupported("fields of more than 128 bits"),
        }
    }

    fn extended(&mut self, of: ValueId, is_signed: bool, width: u32) -> Lowered<Value> {
        let bits = self.width(of);
        let value = self.value(of)?;
        let last = pieces(bits) - 1;
        let (top, top_bits) = (value.piece(last), bits_of_piece(bits, last));
        let mut all = value.pieces()[..last].to_vec();
        if !is_signed {
            all.push(self.with_zeros(top, top_bits)?);
            all.resize(pieces(width), Number::Known(0));
            return Ok(Value::of(all));
        }
        if last == 0 && self.is_last_load(top, bits) {
            self.sign_last_load();
            // Whoever reads it now takes its lowest bits.
            let slot = self.out[self.out.len() - 1].d;
            self.values[of.index()] = Some(Value::One(Number::Part { slot, low: 0 }));
            all.push(Number::Clean(slot));
        } else {
            all.push(self.signed(top, top_bits)?);
        }
        if width <= 64 {
            // The bits above are copies, too.
            return Ok(Value::One(lowest(all[0], width)));
        }
        let sign = match all[last] {
            _ if all.len() == pieces(width) => Number::Known(0),
            Number::Known(n) => Number::Known(((n as i64) >> 63) as u64),
            number => {
                let a = self.loose(number)?;
                let by = Right::Known(63);
                Number::Clean(self.emit(binary(Binary::ShiftRightSigned, Form::Double, a, by))?)
            }
        };
        all.resize(pieces(width), sign);
        let last = all.len() - 1;
        all[last] = lowest(all[last], bits_of_piece(width, last));
        Ok(Value::of(all))
    }

    /// Whether a number is what the last micro-operation has loaded, and nothing else is.
    fn is_last_load(&self, number: Number, bits: u32) -> bool {
        let Some(last) = self.out.last() else { return false };
        let bytes = (bits / 8) as u8;
        let is_it = last.kind == Kind::Load { bytes, is_signed: false }
            && bits.is_multiple_of(8)
            && number == Number::Clean(last.d);
        let values = self.log.iter().filter_map(|id| self.values[id.index()].as_ref());
        is_it && values.filter(|value| value.pieces().contains(&number)).count() <= 1
    }

    fn sign_last_load(&mut self) {
        if let Some(Micro { kind: Kind::Load { is_signed, .. }, .. }) = self.out.last_mut() {
            *is_signed = true;
        }
    }

    fn extracted(&mut self, of: ValueId, low: u32, width: u32) -> Lowered<Value> {
        let code = self.code();
        // Bits of a number that was shifted are bits of the number.
        if let Op::Binary(BinaryOp::ShrZeros, inner, by) = code.op(of)
            && let Some(by) = self.known_small(*by)?
            && by + u64::from(low + width) <= u64::from(self.width(*inner))
        {
            return self.extracted(*inner, low + by as u32, width);
        }
        if let Some(found) = self.narrow(of, low, width)? {
            return Ok(Value::One(found));
        }
        let bits = self.width(of);
        let value = self.value(of)?;
        let mut builder = Builder::default();
        self.append_part(&mut builder, &value, bits, low, width)?;
        Ok(Value::of(builder.pieces))
    }

    /// Some of the lowest 64 bits of an operation on wider numbers, if narrower ones give the same.
    fn narrow(&mut self, of: ValueId, low: u32, width: u32) -> Lowered<Option<Number>> {
        let code = self.code();
        let Op::Binary(op, a, b) = code.op(of) else { return Ok(None) };
        if self.width(of) <= 64 || low + width > 64 {
            return Ok(None);
        }
        let (op, is_signed) = match op {
            BinaryOp::DivSigned => (Binary::DivSigned, true),
            BinaryOp::RemSigned => (Binary::RemSigned, true),
            _ => return Ok(None),
        };
        let narrow = |id: &ValueId| match code.op(*id) {
            Op::Extend { of, is_signed: own } if *own == is_signed && code.width(*of) <= 64 => {
                Some(*of)
            }
            _ => None,
        };
        let (Some(a), Some(b)) = (narrow(a), narrow(b)) else { return Ok(None) };
        let (x, y) = (self.small(a)?, self.small(b)?);
        let (x, y) = (self.signed(x, self.width(a))?, self.signed(y, self.width(b))?);
        let (a, b) = (self.loose(x)?, self.right(y)?);
        let slot = self.emit(binary(op, Form::Double, a, b))?;
        Ok(Some(self.part(Number::Clean(slot), 64, low, width)?))
    }

    fn unary(&mut self, op: UnaryOp, of: ValueId, width: u32) -> Lowered<Number> {
        let bits = self.width(of);
        let number = self.small(of)?;
        let kind = match op {
            UnaryOp::Not => return self.inverted(number, bits),
            UnaryOp::Neg => {
                let b = self.right(number)?;
                return self.arithmetic(Binary::Sub, Number::Known(0), b, bits);
            }
            UnaryOp::Count => Kind::Count,
            UnaryOp::LeadingZeros => Kind::LeadingZeros,
            UnaryOp::TrailingZeros => Kind::TrailingZeros,
            UnaryOp::Reverse => Kind::Reverse,
        };
        let a = self.clean(number, bits)?;
        let slot = self.emit(Micro { a, c: bits as Slot, ..Micro::new(kind) })?;
        Ok(Number::of_slot(slot, width >= 7 || op == UnaryOp::Reverse))
    }

    /// An operation whose lowest bits depend on the lowest bits of its operands.
    pub(super) fn arithmetic(
        &mut self,
        op: Binary,
        a: Number,
        b: Right,
        bits: u32,
    ) -> Lowered<Number> {
        let a = self.loose(a)?;
        Ok(match bits {
            32 => Number::Word { op, a, b },
            _ => Number::of_slot(self.emit(binary(op, Form::Double, a, b))?, bits == 64),
        })
    }

    fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> Lowered<Number> {
        let bits = self.width(a);
        let by = self.width(b);
        let (mut x, mut y) = (self.small(a)?, self.small(b)?);
        let commutes = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Mul
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Equal
        );
        if commutes && matches!(x, Number::Known(_)) {
            (x, y) = (y, x);
        }
        match op {
            BinaryOp::Add => self.added(x, y, bits),
            BinaryOp::Sub => match y {
                Number::Known(n) => {
                    let negative = Number::Known(n.wrapping_neg() & ones(bits));
                    self.added(x, negative, bits)
                }
                _ => {
                    let y = self.right(y)?;
                    self.arithmetic(Binary::Sub, x, y, bits)
                }
            },
            BinaryOp::Mul => {
                let y = self.right(y)?;
                self.arithmetic(Binary::Mul, x, y, bits)
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.bitwise(op, x, y, bits),
            BinaryOp::Shl | BinaryOp::ShrZeros | BinaryOp::ShrSigns => {
                self.shifted(op, (x, bits), (y, by))
            }
            BinaryOp::RotateLeft => self.rotated((x, bits), (y, by)),
            BinaryOp::DivUnsigned | BinaryOp::RemUnsigned => {
                if let (BinaryOp::RemUnsigned, Number::Known(n)) = (op, y)
                    && n.is_power_of_two()
                {
                    return self.bitwise(BinaryOp::And, x, Number::Known(n - 1), bits);
                }
                let op = match op {
                    BinaryOp::DivUnsigned => Binary::DivUnsigned,
                    _ => Binary::RemUnsigned,
                };
                let (a, b) = (self.clean(x, bits)?, self.clean_right(y, bits)?);
                if bits == 32 {
                    return Ok(Number::Word { op, a, b });
                }
                Ok(Number::of_slot(self.emit(binary(op, Form::Double, a, b))?, bits == 64))
            }
            BinaryOp::DivSigned | BinaryOp::RemSigned => {
                let op = match op {
                    BinaryOp::DivSigned => Binary::DivSigned,
                    _ => Binary::RemSigned,
                };
                let (x, y) = (self.signed(x, bits)?, self.signed(y, bits)?);
                let (a, b) = (self.loose(x)?, self.right(y)?);
                Ok(Number::of_slot(self.emit(binary(op, Form::Double, a, b))?, bits == 64))
            }
            BinaryOp::Carryless => {
                let (a, b) = (self.clean(x, bits)?, self.clean_right(y, bits)?);
                Ok(Number::Clean(self.emit(binary(Binary::Carryless, Form::Double, a, b))?))
            }
            BinaryOp::Equal => self.compared(Binary::Equal, x, y, bits),
            BinaryOp::LessUnsigned => self.compared(Binary::LessUnsigned, x, y, bits),
            BinaryOp::LessSigned => self.compared(Binary::LessSigned, x, y, bits),
        }
    }

    pub(super) fn added(&mut self, x: Number, y: Number, bits: u32) -> Lowered<Number> {
        match (x, y) {
            (_, Number::Known(0)) => Ok(x),
            (Number::Sum { slot, n }, Number::Known(m)) => {
                Ok(Number::Sum { slot, n: n.wrapping_add(m) })
            }
            (_, Number::Known(n)) if bits == 64 => Ok(Number::Sum { slot: self.loose(x)?, n }),
            _ => {
                let y = self.right(y)?;
                self.arithmetic(Binary::Add, x, y, bits)
            }
        }
    }

    pub(super) fn bitwise(
        &mut self,
        op: BinaryOp,
        x: Number,
        y: Number,
        bits: u32,
    ) -> Lowered<Number> {
        let (x, y) = if matches!(x, Number::Known(_)) { (y, x) } else { (x, y) };
        let (name, all) = match op {
            BinaryOp::And => (Binary::And, ones(bits)),
            BinaryOp::Or => (Binary::Or, 0),
            _ => (Binary::Xor, 0),
        };
        match (x, y) {
            (Number::Known(a), Number::Known(b)) => {
                return Ok(Number::Known(match name {
                    Binary::And => a & b,
                    Binary::Or => a | b,
                    _ => a ^ b,
                }));
            }
            (_, Number::Known(n)) if n == all => return Ok(x),
            (_, Number::Known(0)) if name == Binary::And => return Ok(Number::Known(0)),
            (_, Number::Known(n)) if name == Binary::Or && n == ones(bits) => return Ok(y),
            (Number::Compare { .. }, Number::Known(_)) if name == Binary::Xor => {
                return self.inverted(x, bits);
            }
            // Clears what is above, too.
            (Number::Part { slot, low }, Number::Known(n)) if name == Binary::And => {
                let (a, c) = (slot, low as Slot);
                return Ok(Number::Clean(self.emit(Micro {
                    a,
                    c,
                    n,
                    ..Micro::new(Kind::Bits)
                })?));
            }
            _ => {}
        }
        let is_clean = |number| {
            matches!(number, Number::Clean(_) | Number::Known(_) | Number::Compare { .. })
                || bits == 64
        };
        let both =
            is_clean(x) && is_clean(y) || name == Binary::And && matches!(y, Number::Known(_));
        let (a, b) = (self.loose(x)?, self.right(y)?);
        Ok(Number::of_slot(self.emit(binary(name, Form::Double, a, b))?, both))
    }

    fn shifted(
        &mut self,
        op: BinaryOp,
        (x, bits): (Number, u32),
        (by, by_bits): (Number, u32),
    ) -> Lowered<Number> {
        if let Number::Known(n) = by {
            return self.shifted_by(op, x, bits, n.min(u64::from(bits)) as u32);
        }
        // A distance of few bits is never too far.
        let is_near = by_bits <= if bits == 32 { 5 } else { 6 };
        let name = match (op, is_near) {
            (BinaryOp::Shl, true) => Binary::ShiftLeft,
            (BinaryOp::Shl, false) => Binary::FarLeft,
            (BinaryOp::ShrZeros, true) => Binary::ShiftRight,
            (BinaryOp::ShrZeros, false) => Binary::FarRight,
            (_, true) => Binary::ShiftRightSigned,
            (_, false) => Binary::FarRightSigned,
        };
        let b = Right::Slot(self.clean(by, by_bits)?);
        // An operation on words takes a word as the distance.
        if bits == 32 && by_bits <= 32 {
            return Ok(Number::Word { op: name, a: self.loose(x)?, b });
        }
        let (a, is_clean) = match op {
            BinaryOp::Shl => (self.loose(x)?, bits == 64),
            BinaryOp::ShrZeros => (self.clean(x, bits)?, true),
            _ => {
                let x = self.signed(x, bits)?;
                (self.loose(x)?, bits == 64)
            }
        };
        Ok(Number::of_slot(self.emit(binary(name, Form::Double, a, b))?, is_clean))
    }

    /// Shifted by a known distance, at most the number of bits.
    pub(super) fn shifted_by(
        &mut self,
        op: BinaryOp,
        x: Number,
        bits: u32,
        by: u32,
    ) -> Lowered<Number> {
        let distance = Right::Known(by.into());
        match op {
            _ if by == 0 => Ok(x),
            BinaryOp::Shl if by == bits => Ok(Number::Known(0)),
            BinaryOp::Shl => self.arithmetic(Binary::ShiftLeft, x, distance, bits),
            BinaryOp::ShrZeros if by == bits => Ok(Number::Known(0)),
            BinaryOp::ShrZeros => {
                let part = self.part(x, bits, by, bits - by)?;
                self.with_zeros(part, bits - by)
            }
            _ if bits == 32 => {
                let by = Right::Known(by.min(31).into());
                Ok(Number::Word { op: Binary::ShiftRightSigned, a: self.loose(x)?, b: by })
            }
            _ => {
                let signed = self.signed(x, bits)?;
                let a = self.loose(signed)?;
                let by = Right::Known(by.min(63).into());
                let slot = self.emit(binary(Binary::ShiftRightSigned, Form::Double, a, by))?;
                Ok(Number::of_slot(slot, bits == 64))
            }
        }
    }

    fn rotated(
        &mut self,
        (x, bits): (Number, u32),
        (by, by_bits): (Number, u32),
    ) -> Lowered<Number> {
        if bits == 64 || bits == 32 {
            let by = self.clean_right(by, by_bits)?;
            return self.arithmetic(Binary::RotateLeft, x, by, bits);
        }
        let count = Right::Known(bits.into());
        let distance = match by {
            Number::Known(n) => Right::Known(n % u64::from(bits)),
            _ => {
                let a = self.clean(by, by_bits)?;
                Right::Slot(self.emit(binary(Binary::RemUnsigned, Form::Double, a, count))?)
            }
        };
        let a = self.clean(x, bits)?;
        let left = self.emit(binary(Binary::FarLeft, Form::Double, a, distance))?;
        let rest = match distance {
            Right::Known(n) => Right::Known(u64::from(bits) - n),
            Right::Slot(slot) => {
                let whole = self.loose(Number::Known(bits.into()))?;
                Right::Slot(self.emit(binary(
                    Binary::Sub,
                    Form::Double,
                    whole,
                    Right::Slot(slot),
                ))?)
            }
        };
        let right = self.emit(binary(Binary::FarRight, Form::Double, a, rest))?;
        let both = binary(Binary::Or, Form::Double, left, Right::Slot(right));
        Ok(Number::of_slot(self.emit(both)?, false))
    }

    pub(super) fn compared(
        &mut self,
        op: Binary,
        x: Number,
        y: Number,
        bits: u32,
    ) -> Lowered<Number> {
        let form = if bits == 32 { Form::Word } else { Form::Double };
        let (a, b) = match (bits, op) {
            (32 | 64, _) => (self.loose(x)?, self.right(y)?),
            (_, Binary::LessSigned) => {
                let (x, y) = (self.signed(x, bits)?, self.signed(y, bits)?);
                (self.loose(x)?, self.right(y)?)
            }
            _ => (self.clean(x, bits)?, self.clean_right(y, bits)?),
        };
        // A bit is what it is.
        if bits == 1
            && op == Binary::Equal
            && let Right::Known(n) = b
        {
            let bit = Number::Clean(a);
            return if n == 1 { Ok(bit) } else { self.inverted(bit, 1) };
        }
        Ok(Number::Compare { op, form, a, b })
    }
}

/// A number in two's complement.
fn constant(value: i128, width: u32) -> Value {
    let piece = |at: usize| (value >> (64 * at).min(127)) as u64 & ones(bits_of_piece(width, at));
    Value::of((0..pieces(width)).map(|at| Number::Known(piece(at))).collect())
}

/// The lowest bits of a number that has copies of its sign above.
fn lowest(number: Number, bits: u32) -> Number {
    match number {
        Number::Known(n) => Number::Known(n & ones(bits)),
        Number::Clean(slot) if bits < 64 => Number::Part { slot, low: 0 },
        other => other,
    }
}

/// A number that is put together, from the lowest bit on.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) pieces: Vec<Number>,
    bits: u32,
}

impl Lowering<'_, '_> {
    /// Adds bits above those of a builder.
    pub(super) fn append(
        &mut self,
        builder: &mut Builder,
        value: &Value,
        bits: u32,
    ) -> Lowered<()> {
        self.append_part(builder, value, bits, 0, bits)
    }

    /// Adds some bits of a value above those of a builder.
    pub(super) fn append_part(
        &mut self,
        builder: &mut Builder,
        value: &Value,
        bits: u32,
        low: u32,
        count: u32,
    ) -> Lowered<()> {
        let (mut at, end) = (low, low + count);
        while at < end {
            let piece = (at / 64) as usize;
            let own_bits = bits_of_piece(bits, piece);
            let within = at % 64;
            let filled = builder.bits % 64;
            let take = (own_bits - within).min(end - at).min(64 - filled);
            let part = self.part(value.piece(piece), own_bits, within, take)?;
            if filled == 0 {
                builder.pieces.push(part);
            } else if let Some(last) = builder.pieces.pop() {
                let both = self.beside(last, filled, part, take)?;
                builder.pieces.push(both);
            }
            builder.bits += take;
            at += take;
        }
        Ok(())
    }
}
