//! Values that the instruction word and its address decide.

use isadl::semantics::ir::{BinaryOp, Op, UnaryOp, ValueId};

use super::{Lowered, Lowering, ones};

/// The lowest bits of a number.
pub(crate) fn lowest(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// A number in two's complement.
pub(crate) fn signed(value: u128, bits: u32) -> i128 {
    let up = 128 - bits.min(128);
    (value << up) as i128 >> up
}

impl Lowering<'_, '_> {
    /// The number that a value is, if the word and its address decide it and it has at most 128 bits.
    pub(super) fn known(&mut self, id: ValueId) -> Lowered<Option<u128>> {
        if let Some(found) = self.known[id.index()] {
            return Ok(found);
        }
        let width = self.width(id);
        let found = if width > 128 { None } else { self.compute_known(id)? };
        let found = found.map(|value| lowest(value, width));
        self.known[id.index()] = Some(found);
        Ok(found)
    }

    /// As above, for at most 64 bits.
    pub(super) fn known_small(&mut self, id: ValueId) -> Lowered<Option<u64>> {
        Ok(self.known(id)?.and_then(|value| u64::try_from(value).ok()))
    }

    fn compute_known(&mut self, id: ValueId) -> Lowered<Option<u128>> {
        let code = self.code();
        let width = self.width(id);
        Ok(match code.op(id) {
            Op::Constant(value) => Some(*value as u128),
            Op::Field(name) => Some(self.field_number(*name)? as u128),
            Op::FieldBits(name) => match self.place.opcode.field(*name) {
                Some(field) => Some(field.extract(self.place.word).into()),
                None => None,
            },
            Op::Has(condition) => Some(condition.holds(self.context.extensions).into()),
            Op::Pc => Some(self.place.pc.into()),
            Op::Next => Some(self.place.next.into()),
            Op::Unary(op, of) => {
                let bits = self.width(*of);
                self.known(*of)?.map(|value| unary(*op, value, bits))
            }
            Op::Binary(op, a, b) => {
                let bits = self.width(*a);
                let Some(x) = self.known(*a)? else {
                    // Nothing is left of the other side.
                    let is_zero = *op == BinaryOp::And || *op == BinaryOp::Mul;
                    return Ok((is_zero && self.known(*b)? == Some(0)).then_some(0));
                };
                let is_zero = x == 0 && matches!(op, BinaryOp::And | BinaryOp::Mul);
                match self.known(*b)? {
                    _ if is_zero => Some(0),
                    Some(y) => binary(*op, x, y, bits),
                    None => None,
                }
            }
            Op::Extend { of, is_signed } => {
                let bits = self.width(*of);
                let value = self.known(*of)?;
                value.map(|value| if *is_signed { signed(value, bits) as u128 } else { value })
            }
            Op::Extract { of, low } => {
                self.known(*of)?.map(|value| value.checked_shr(*low).unwrap_or(0))
            }
            Op::Concat(parts) => {
                let mut all: u128 = 0;
                for part in parts {
                    let bits = self.width(*part);
                    let Some(value) = self.known(*part)? else { return Ok(None) };
                    all = all.checked_shl(bits).unwrap_or(0) | value;
                }
                Some(all)
            }
            Op::Select { condition, yes, no } => match self.known(*condition)? {
                Some(0) => self.known(*no)?,
                Some(_) => self.known(*yes)?,
                None => match (self.known(*yes)?, self.known(*no)?) {
                    (Some(yes), Some(no)) if yes == no && width <= 128 => Some(yes),
                    _ => None,
                },
            },
            _ => None,
        })
    }

    /// If a value is chosen by the bits of another, of at most 3 bits, and is always known: that other, and a table of the choices.
    pub(super) fn table(&mut self, id: ValueId) -> Lowered<Option<(ValueId, [u8; 8])>> {
        let code = self.code();
        let mut chosen: Option<(ValueId, [Option<u8>; 8])> = None;
        let mut at = id;
        loop {
            if let Some(value) = self.known_small(at)? {
                let Some((by, table)) = chosen else { return Ok(None) };
                let Ok(rest) = u8::try_from(value) else { return Ok(None) };
                return Ok(Some((by, table.map(|one| one.unwrap_or(rest)))));
            }
            let (condition, yes, no) = match code.op(at) {
                Op::Extend { of, is_signed: false } => {
                    at = *of;
                    continue;
                }
                Op::Select { condition, yes, no } => (*condition, *yes, *no),
                _ => return Ok(None),
            };
            // A condition that is known.
            if let Some(known) = self.known_small(condition)? {
                at = if known != 0 { yes } else { no };
                continue;
            }
            let Op::Binary(BinaryOp::Equal, a, b) = code.op(condition) else { return Ok(None) };
            let (by, number) = match (self.known_small(*a)?, self.known_small(*b)?) {
                (None, Some(number)) => (*a, number),
                (Some(number), None) => (*b, number),
                _ => return Ok(None),
            };
            let Some(Ok(value)) = self.known_small(yes)?.map(u8::try_from) else { return Ok(None) };
            if self.width(by) > 3 || chosen.is_some_and(|(other, _)| other != by) {
                return Ok(None);
            }
            let (_, table) = chosen.get_or_insert((by, [None; 8]));
            table[number as usize].get_or_insert(value);
            at = no;
        }
    }
}

pub(crate) fn unary(op: UnaryOp, value: u128, bits: u32) -> u128 {
    match op {
        UnaryOp::Not => !value,
        UnaryOp::Neg => value.wrapping_neg(),
        UnaryOp::Count => value.count_ones().into(),
        UnaryOp::LeadingZeros => (value.leading_zeros() - (128 - bits)).into(),
        UnaryOp::TrailingZeros => value.trailing_zeros().min(bits).into(),
        UnaryOp::Reverse => value.reverse_bits() >> (128 - bits),
    }
}

/// The result of an operation; `None` if it is left to the machine.
pub(crate) fn binary(op: BinaryOp, a: u128, b: u128, bits: u32) -> Option<u128> {
    let (x, y) = (signed(a, bits), signed(b, bits));
    let distance = u32::try_from(b).unwrap_or(u32::MAX).min(bits);
    let all = lowest(u128::MAX, bits);
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl if distance == bits => 0,
        BinaryOp::Shl => a << distance,
        BinaryOp::ShrZeros if distance == bits => 0,
        BinaryOp::ShrZeros => a >> distance,
        BinaryOp::ShrSigns => (x >> distance.min(127)) as u128,
        BinaryOp::DivUnsigned => a.checked_div(b).unwrap_or(all),
        BinaryOp::RemUnsigned => a.checked_rem(b).unwrap_or(a),
        BinaryOp::DivSigned if b == 0 => all,
        BinaryOp::DivSigned => x.wrapping_div(y) as u128,
        BinaryOp::RemSigned if b == 0 => a,
        BinaryOp::RemSigned => x.wrapping_rem(y) as u128,
        BinaryOp::RotateLeft => {
            let by = (b % u128::from(bits)) as u32;
            if by == 0 { a } else { a << by | a >> (bits - by) }
        }
        BinaryOp::Carryless if bits <= 64 => {
            (0..bits).filter(|bit| a >> bit & 1 != 0).fold(0, |all, bit| all ^ b << bit)
        }
        BinaryOp::Carryless => return None,
        BinaryOp::Equal => (a == b).into(),
        BinaryOp::LessUnsigned => (a < b).into(),
        BinaryOp::LessSigned => (x < y).into(),
    })
}

/// The pieces of a number.
pub(super) fn pieces(value: u128, bits: u32) -> Vec<u64> {
    let all = [value as u64, (value >> 64) as u64];
    let count = bits.div_ceil(64) as usize;
    let of = |at: usize| all.get(at).copied().unwrap_or(0);
    (0..count).map(|at| of(at) & ones(super::bits_of_piece(bits, at))).collect()
}
