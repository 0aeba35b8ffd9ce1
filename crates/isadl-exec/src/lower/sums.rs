//! Shortcuts for wide sums.
//!
//! Programs compute flags from sums that have more bits than their terms. The low bits, the carry, signed overflow and a comparison with
//! zero need fewer operations than the wide sum. This matters most for subtraction, which is written as a + not b + 1.

use isadl::semantics::ir::{BinaryOp, Op, UnaryOp, ValueId};

use super::number::{Number, binary};
use super::{Lowered, Lowering, ones};
use crate::micro::{Binary, Form};

/// A sum of terms with `bits` bits each. The sum is wider and therefore exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sum {
    bits: u32,
    a: ValueId,
    plus: Addend,
}

/// The second term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Addend {
    Value(ValueId),
    /// `not b + 1`
    Inverted(ValueId),
    /// A value and a carry bit.
    WithCarry(ValueId, ValueId),
    Known(i128),
}

impl Lowering<'_, '_> {
    /// Computes a value directly from the terms of a sum, if there is a shortcut.
    pub(super) fn of_sum(&mut self, id: ValueId) -> Lowered<Option<Number>> {
        let code = self.code();
        match code.op(id) {
            Op::Extract { of, low } => {
                let width = code.width(id);
                match self.sum(*of, false)? {
                    Some(sum) if low + width <= sum.bits => {
                        let all = self.lowest_of_sum(*of, sum)?;
                        Ok(Some(self.part(all, sum.bits, *low, width)?))
                    }
                    Some(sum) if *low == sum.bits && width == 1 => self.carry_of_sum(*of, sum),
                    _ => Ok(None),
                }
            }
            Op::Unary(UnaryOp::Not, of) => match code.op(*of) {
                Op::Binary(BinaryOp::Equal, x, y) => self.overflow_of_sum(*x, *y),
                _ => Ok(None),
            },
            Op::Binary(BinaryOp::Equal, x, y) => match self.overflow_of_sum(*x, *y)? {
                Some(overflows) => Ok(Some(self.inverted(overflows, 1)?)),
                None if self.known_small(*y)? == Some(0) => self.is_sum_zero(*x),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The low bits of the sum, as wide as its terms.
    fn lowest_of_sum(&mut self, id: ValueId, Sum { bits, a, plus }: Sum) -> Lowered<Number> {
        if let Some(found) = self.sums.get(&id) {
            return Ok(*found);
        }
        let x = self.small(a)?;
        let all = match plus {
            Addend::Value(b) => {
                let y = self.small(b)?;
                self.added(x, y, bits)?
            }
            Addend::Inverted(b) => {
                let y = self.small(b)?;
                let y = self.right(y)?;
                self.arithmetic(Binary::Sub, x, y, bits)?
            }
            Addend::WithCarry(b, carry) => {
                let (y, carry) = (self.small(b)?, self.small(carry)?);
                let carry = self.with_zeros(carry, 1)?;
                let both = self.added(x, y, bits)?;
                self.added(both, carry, bits)?
            }
            Addend::Known(n) => self.added(x, Number::Known(n as u64 & ones(bits)), bits)?,
        };
        // Other flags probably need the sum, too.
        let all = match all {
            Number::Sum { .. } | Number::Word { .. } => Number::Clean(self.clean(all, bits)?),
            _ => all,
        };
        self.sums.insert(id, all);
        self.log.push(id);
        Ok(all)
    }

    /// The carry out of the sum.
    fn carry_of_sum(&mut self, id: ValueId, sum: Sum) -> Lowered<Option<Number>> {
        let Sum { bits, a, plus } = sum;
        let x = self.small(a)?;
        Ok(Some(match plus {
            Addend::Known(0) => Number::Known(0),
            // The sum is at least 2^bits.
            Addend::Known(n) => {
                let least = Number::Known(((1 << bits) - n) as u64);
                self.compared(Binary::NotLessUnsigned, x, least, bits)?
            }
            Addend::Inverted(b) => {
                let y = self.small(b)?;
                self.compared(Binary::NotLessUnsigned, x, y, bits)?
            }
            Addend::Value(_) => {
                let all = self.lowest_of_sum(id, sum)?;
                self.compared(Binary::LessUnsigned, all, x, bits)?
            }
            Addend::WithCarry(..) => return Ok(None),
        }))
    }

    /// Whether a sum is 0.
    fn is_sum_zero(&mut self, of: ValueId) -> Lowered<Option<Number>> {
        let Op::Extract { of: inner, low: 0 } = self.code().op(of) else { return Ok(None) };
        let Some(Sum { bits, a, plus }) = self.sum(*inner, false)? else { return Ok(None) };
        if self.width(of) != bits {
            return Ok(None);
        }
        let other = match plus {
            Addend::Inverted(b) => self.small(b)?,
            Addend::Known(n) => Number::Known(n.wrapping_neg() as u64 & ones(bits)),
            _ => return Ok(None),
        };
        let x = self.small(a)?;
        Ok(Some(self.compared(Binary::Equal, x, other, bits)?))
    }

    /// Recognizes the test for signed overflow: the exact sum is compared with the sign-extended low bits.
    fn overflow_of_sum(&mut self, exact: ValueId, lowest: ValueId) -> Lowered<Option<Number>> {
        let code = self.code();
        let Op::Extend { of, is_signed: true } = code.op(lowest) else { return Ok(None) };
        let Op::Extract { of: inner, low: 0 } = code.op(*of) else { return Ok(None) };
        let Some(signed) = self.sum(exact, true)? else { return Ok(None) };
        let Some(sum) = self.sum(*inner, false)? else { return Ok(None) };
        let bits = sum.bits;
        let is_same = match (signed.plus, sum.plus) {
            (Addend::Known(n), Addend::Known(m)) => (n - m) & ((1 << bits) - 1) == 0,
            (one, other) => one == other,
        };
        if !is_same || (signed.bits, signed.a) != (bits, sum.a) || code.width(*of) != bits {
            return Ok(None);
        }
        let x = self.small(sum.a)?;
        let (op, y) = match signed.plus {
            Addend::Value(b) | Addend::WithCarry(b, _) => (Binary::OverflowAdd, self.small(b)?),
            Addend::Inverted(b) => (Binary::OverflowSub, self.small(b)?),
            Addend::Known(n) => (Binary::OverflowAdd, Number::Known(n as u64 & ones(bits))),
        };
        let form = match (bits, signed.plus) {
            (_, Addend::WithCarry(..)) => None,
            (32, _) => Some(Form::Word),
            (64, _) => Some(Form::Double),
            _ => None,
        };
        if let Some(form) = form {
            let (a, b) = (self.loose(x)?, self.right(y)?);
            return Ok(Some(Number::Clean(self.emit(binary(op, form, a, b))?)));
        }
        // Addition overflows if both terms have another sign than the sum, subtraction if the first term differs in sign from both the second
        // and the difference.
        let all = self.lowest_of_sum(*inner, sum)?;
        let reference = if op == Binary::OverflowSub { x } else { all };
        let other = if op == Binary::OverflowSub { all } else { x };
        let one = self.bitwise(BinaryOp::Xor, reference, other, bits)?;
        let two = self.bitwise(BinaryOp::Xor, reference, y, bits)?;
        let both = self.bitwise(BinaryOp::And, one, two, bits)?;
        Ok(Some(self.part(both, bits, bits - 1, 1)?))
    }

    /// The terms of a sum that is wider than they are; `is_signed` says how they were extended.
    fn sum(&mut self, id: ValueId, is_signed: bool) -> Lowered<Option<Sum>> {
        let code = self.code();
        let Op::Binary(BinaryOp::Add, first, last) = code.op(id) else { return Ok(None) };
        let mut leaves = vec![*last];
        match code.op(*first) {
            Op::Binary(BinaryOp::Add, a, b) => leaves.extend([*b, *a]),
            _ => leaves.push(*first),
        }
        let (mut terms, mut carry, mut known) = (Vec::new(), None, 0);
        for leaf in leaves.into_iter().rev() {
            if let Some(value) = self.known(leaf)? {
                known += own_value(value, code.width(leaf), is_signed);
                continue;
            }
            match code.op(leaf) {
                Op::Extend { of, is_signed: false } if code.width(*of) == 1 && carry.is_none() => {
                    carry = Some(*of);
                }
                Op::Extend { of, is_signed: own } if *own == is_signed => terms.push(*of),
                _ => return Ok(None),
            }
        }
        let bits = terms.first().map_or(0, |of| code.width(*of));
        if bits <= 1 || bits > 64 || code.width(id) <= bits || code.width(id) > 128 {
            return Ok(None);
        }
        let range =
            if is_signed { -(1 << (bits - 1))..1 << (bits - 1) } else { 0..(1 << bits) + 1 };
        Ok(match (terms.as_slice(), carry, known) {
            ([a], None, n) if range.contains(&n) => {
                Some(Sum { bits, a: *a, plus: Addend::Known(n) })
            }
            ([_, b], ..) if code.width(*b) != bits => None,
            ([a, b], None, 0) => Some(Sum { bits, a: *a, plus: Addend::Value(*b) }),
            ([a, b], None, 1) => match code.op(*b) {
                Op::Unary(UnaryOp::Not, of) => {
                    Some(Sum { bits, a: *a, plus: Addend::Inverted(*of) })
                }
                _ => None,
            },
            ([a, b], Some(carry), 0) => {
                Some(Sum { bits, a: *a, plus: Addend::WithCarry(*b, carry) })
            }
            _ => None,
        })
    }
}

/// A number in two's complement, or without a sign.
fn own_value(value: u128, width: u32, is_signed: bool) -> i128 {
    let up = 128 - width.min(128);
    if is_signed { (value << up) as i128 >> up } else { value.min(i128::MAX as u128) as i128 }
}
