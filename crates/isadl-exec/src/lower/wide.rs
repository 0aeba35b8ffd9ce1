//! Operations on numbers of more than 64 bits.

use isadl::semantics::float::{Function, Setting};
use isadl::semantics::ir::{BinaryOp, Op, UnaryOp, ValueId};

use super::number::{Number, Right, binary};
use super::values::Builder;
use super::{Lowered, Lowering, Value, bits_of_piece, unsupported};
use crate::micro::{Binary, Form, Micro, More, Run, SettingValue, Wide};
use crate::slots::{Slot, ZERO, pieces};

impl Lowering<'_, '_> {
    /// The value of an operation of which the operands or the result have more than 64 bits.
    pub(super) fn wide(&mut self, id: ValueId) -> Lowered<Value> {
        let code = self.code();
        let width = self.width(id);
        match code.op(id) {
            Op::Unary(UnaryOp::Not, of) => {
                let value = self.value(*of)?;
                let mut all = Vec::new();
                for (at, piece) in value.pieces().iter().enumerate() {
                    all.push(self.inverted(*piece, bits_of_piece(width, at))?);
                }
                Ok(Value::of(all))
            }
            Op::Unary(op, of) => self.in_slots(Wide::Unary(*op), &[*of], width),
            Op::Binary(op, a, b) => self.wide_binary(id, *op, *a, *b),
            _ => unsupported("an operation"),
        }
    }

    fn wide_binary(&mut self, id: ValueId, op: BinaryOp, a: ValueId, b: ValueId) -> Lowered<Value> {
        let bits = self.width(a);
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let (x, y) = (self.value(a)?, self.value(b)?);
                let mut all = Vec::new();
                for at in 0..pieces(bits) {
                    let own = bits_of_piece(bits, at);
                    all.push(self.bitwise(op, x.piece(at), y.piece(at), own)?);
                }
                Ok(Value::of(all))
            }
            BinaryOp::Shl | BinaryOp::ShrZeros | BinaryOp::ShrSigns => {
                match self.known_small(b)? {
                    Some(by) => self.wide_shift(op, a, by.min(bits.into()) as u32),
                    None => self.in_slots(Wide::Binary(op), &[a, b], bits),
                }
            }
            BinaryOp::Add | BinaryOp::Sub if bits <= 128 => self.wide_sum(op, a, b),
            BinaryOp::Mul if bits <= 128 => self.wide_product(a, b),
            BinaryOp::Carryless if bits <= 64 => {
                let (x, y) = (self.slot(a)?, self.slot(b)?);
                let low = binary(Binary::Carryless, Form::Double, x, Right::Slot(y));
                let high = binary(Binary::CarrylessHigh, Form::Double, x, Right::Slot(y));
                let mut all = vec![Number::Clean(self.emit(low)?)];
                all.push(Number::Clean(self.emit(high)?));
                Ok(Value::of(all))
            }
            BinaryOp::Equal => {
                let (x, y) = (self.value(a)?, self.value(b)?);
                let mut differs = Number::Known(0);
                for at in 0..pieces(bits) {
                    let own = bits_of_piece(bits, at);
                    let one = self.bitwise(BinaryOp::Xor, x.piece(at), y.piece(at), own)?;
                    let one = self.with_zeros(one, own)?;
                    differs = self.bitwise(BinaryOp::Or, differs, one, 64)?;
                }
                let a = self.clean(differs, 64)?;
                let b = Right::Known(0);
                Ok(Value::One(Number::Compare { op: Binary::Equal, form: Form::Double, a, b }))
            }
            _ => self.in_slots(Wide::Binary(op), &[a, b], self.width(id)),
        }
    }

    /// A sum or difference of at most 128 bits.
    fn wide_sum(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> Lowered<Value> {
        let bits = self.width(a);
        let (x, y) = (self.value(a)?, self.value(b)?);
        let (low, right) = (self.loose(x.piece(0))?, self.right(y.piece(0))?);
        let (name, carry) = match op {
            BinaryOp::Add => (Binary::Add, Binary::Carry),
            _ => (Binary::Sub, Binary::LessUnsigned),
        };
        let sum = self.emit(binary(name, Form::Double, low, right))?;
        let carry = self.emit(binary(carry, Form::Double, low, right))?;
        let top = self.right(y.piece(1))?;
        let high = match (x.piece(1), top) {
            (Number::Known(0), Right::Known(0)) => None,
            (piece, Right::Known(0)) => Some(self.loose(piece)?),
            (piece, top) => {
                let piece = self.loose(piece)?;
                Some(self.emit(binary(name, Form::Double, piece, top))?)
            }
        };
        let high_bits = bits - 64;
        let high = match (high, op) {
            (None, BinaryOp::Add) => Number::Clean(carry),
            (high, _) => {
                let (from, by) = (high.unwrap_or(0), Right::Slot(carry));
                let slot = self.emit(binary(name, Form::Double, from, by))?;
                Number::of_slot(slot, high_bits == 64)
            }
        };
        Ok(Value::of(vec![Number::Clean(sum), high]))
    }

    /// A product of at most 128 bits.
    fn wide_product(&mut self, a: ValueId, b: ValueId) -> Lowered<Value> {
        let code = self.code();
        let bits = self.width(a);
        let (x, y) = (self.value(a)?, self.value(b)?);
        let (low, other) = (self.loose(x.piece(0))?, self.loose(y.piece(0))?);
        let product = |op| binary(op, Form::Double, low, Right::Slot(other));
        let first = self.emit(product(Binary::Mul))?;
        // Of numbers that were extended from 64 bits, one operation gives the upper half.
        let sign = |id: ValueId| match code.op(id) {
            Op::Extend { of, is_signed } if code.width(*of) <= 64 => Some(*is_signed),
            _ => None,
        };
        let (op, swaps) = match (sign(a), sign(b)) {
            (Some(true), Some(true)) => (Some(Binary::MulHighSigned), false),
            (Some(true), Some(false)) => (Some(Binary::MulHighMixed), false),
            (Some(false), Some(true)) => (Some(Binary::MulHighMixed), true),
            _ => (None, false),
        };
        let high = match op {
            Some(op) if swaps => self.emit(binary(op, Form::Double, other, Right::Slot(low)))?,
            Some(op) => self.emit(product(op))?,
            None => {
                let mut high = self.emit(product(Binary::MulHighUnsigned))?;
                for (top, low) in [(x.piece(1), other), (y.piece(1), low)] {
                    if top != Number::Known(0) {
                        let top = self.loose(top)?;
                        let term = binary(Binary::Mul, Form::Double, top, Right::Slot(low));
                        let term = Right::Slot(self.emit(term)?);
                        high = self.emit(binary(Binary::Add, Form::Double, high, term))?;
                    }
                }
                high
            }
        };
        Ok(Value::of(vec![Number::Clean(first), Number::of_slot(high, bits == 128)]))
    }

    /// A number shifted by a known distance, at most its number of bits.
    fn wide_shift(&mut self, op: BinaryOp, a: ValueId, by: u32) -> Lowered<Value> {
        let bits = self.width(a);
        let value = self.value(a)?;
        let mut builder = Builder::default();
        match op {
            BinaryOp::Shl => {
                self.append_zeros(&mut builder, by)?;
                self.append_part(&mut builder, &value, bits, 0, bits - by)?;
            }
            BinaryOp::ShrZeros => {
                self.append_part(&mut builder, &value, bits, by, bits - by)?;
                self.append_zeros(&mut builder, by)?;
            }
            _ => {
                let by = by.min(bits - 1);
                self.append_part(&mut builder, &value, bits, by, bits - by)?;
                let sign = {
                    let last = pieces(bits) - 1;
                    let own = bits_of_piece(bits, last);
                    let bit = self.part(value.piece(last), own, own - 1, 1)?;
                    self.signed(bit, 1)?
                };
                let signs = Value::of(vec![sign; pieces(by.max(1))]);
                self.append(&mut builder, &signs, by)?;
            }
        }
        Ok(Value::of(builder.pieces))
    }

    pub(super) fn append_zeros(&mut self, builder: &mut Builder, count: u32) -> Lowered<()> {
        let zeros = Value::of(vec![Number::Known(0); pieces(count).max(1)]);
        self.append(builder, &zeros, count)
    }

    /// Consecutive slots that have a value.
    pub(super) fn run(&mut self, id: ValueId) -> Lowered<Run> {
        let value = self.value(id)?;
        self.run_of(&value, self.width(id))
    }

    pub(super) fn run_of(&mut self, value: &Value, bits: u32) -> Lowered<Run> {
        if let [one] = value.pieces() {
            return Ok(Run { first: self.clean(*one, bits)?, bits });
        }
        let mut slots = Vec::new();
        for (at, piece) in value.pieces().iter().enumerate() {
            slots.push(self.clean(*piece, bits_of_piece(bits, at))?);
        }
        if slots.windows(2).all(|pair| pair[1] == pair[0] + 1) {
            return Ok(Run { first: slots[0], bits });
        }
        let first = self.fresh_run(slots.len())?;
        for (at, slot) in slots.into_iter().enumerate() {
            self.copy(first + at as Slot, Number::Clean(slot), 64)?;
        }
        Ok(Run { first, bits })
    }

    /// The number that a run has.
    pub(super) fn of_run(&self, run: Run) -> Value {
        let slots = (0..pieces(run.bits)).map(|at| Number::Clean(run.first + at as Slot));
        Value::of(slots.collect())
    }

    /// An operation that is done by a function for numbers of any width.
    fn in_slots(&mut self, op: Wide, operands: &[ValueId], width: u32) -> Lowered<Value> {
        let mut runs = Vec::new();
        for operand in operands {
            runs.push(self.run(*operand)?);
        }
        let result = Run { first: self.fresh_run(pieces(width))?, bits: width };
        self.more(More::Wide { op, result, operands: runs });
        Ok(self.of_run(result))
    }

    pub(super) fn more(&mut self, more: More) {
        self.out.push(Micro::more(more, self.place.at));
    }
    /// An operation on floating-point numbers. What [`crate::host`] needs of it is in the micro-operation, too.
    pub(super) fn float(&mut self, more: More) {
        let More::Float { operation, arguments, settings, result, .. } = &more else { return };
        let argument = |at: usize| arguments.get(at).copied().unwrap_or(ZERO);
        let b = match operation.function {
            Function::FromInteger { width, .. } | Function::ToInteger { width, .. } => {
                width as Slot
            }
            _ => argument(1),
        };
        let mode = settings.iter().find(|(setting, _)| *setting == Setting::Rounding);
        let mode = match mode {
            Some((_, SettingValue::Slot(slot))) => *slot,
            _ => ZERO,
        };
        let (a, c, d, n) = (argument(0), argument(2), *result, mode.into());
        self.out.push(Micro { a, b, c, d, n, ..Micro::more(more, self.place.at) });
    }
}
