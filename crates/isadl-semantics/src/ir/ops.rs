//! Making values: constants are folded, and a value that is known already is not computed again.

use std::collections::HashMap;

use isadl_diagnostics::span::Span;

use super::{BinaryOp, Code, Op, Region, Step, UnaryOp, Value, ValueId};

/// The most bits of constants that are computed here.
const MAX_FOLDED: u32 = 127;

/// Makes values and steps.
#[derive(Default)]
pub(super) struct Builder {
    values: Vec<Value>,
    /// The open regions, the innermost last.
    open: Vec<Open>,
}

/// A region that is not finished.
#[derive(Default)]
struct Open {
    steps: Vec<Step>,
    /// The values without effects that were made in it.
    known: HashMap<(Op, u32), ValueId>,
}

impl Builder {
    /// Begins a region.
    pub(super) fn open(&mut self) {
        self.open.push(Open::default());
    }

    /// Ends the innermost region.
    pub(super) fn close(&mut self) -> Region {
        Region { steps: self.open.pop().map(|open| open.steps).unwrap_or_default() }
    }

    pub(super) fn finish(self, body: Region) -> Code {
        Code { values: self.values, body }
    }

    pub(super) fn step(&mut self, step: Step) {
        if let Some(open) = self.open.last_mut() {
            open.steps.push(step);
        }
    }

    /// What was read may have changed: it is read again.
    pub(super) fn forget_reads(&mut self) {
        for open in &mut self.open {
            open.known.retain(|(op, _), _| !matches!(op, Op::Read(_)));
        }
    }

    pub(super) fn width(&self, value: ValueId) -> u32 {
        self.values[value.index()].width
    }

    pub(super) fn value_of(&self, value: ValueId) -> Option<i128> {
        match self.values[value.index()].op {
            Op::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    fn op(&self, value: ValueId) -> &Op {
        &self.values[value.index()].op
    }

    /// A value that a step defines: it is not computed by itself.
    pub(super) fn parameter(&mut self, op: Op, width: u32, span: Span) -> ValueId {
        self.values.push(Value { op, width, span });
        ValueId(self.values.len() as u32 - 1)
    }

    /// A value that is computed here.
    pub(super) fn compute(&mut self, op: Op, width: u32, span: Span) -> ValueId {
        if op.has_effect() {
            return self.add(op, width, span);
        }
        let key = (op, width);
        if let Some(known) = self.open.iter().rev().find_map(|open| open.known.get(&key)) {
            return *known;
        }
        let made = self.add(key.0.clone(), width, span);
        if let Some(open) = self.open.last_mut() {
            open.known.insert(key, made);
        }
        made
    }

    fn add(&mut self, op: Op, width: u32, span: Span) -> ValueId {
        let made = self.parameter(op, width, span);
        self.step(Step::Compute(made));
        made
    }

    pub(super) fn constant(&mut self, value: i128, width: u32, span: Span) -> ValueId {
        self.compute(Op::Constant(wrapped(value, width)), width, span)
    }

    pub(super) fn unary(&mut self, op: UnaryOp, of: ValueId, span: Span) -> ValueId {
        let width = self.width(of);
        if let Some(value) = self.value_of(of).filter(|_| width <= MAX_FOLDED) {
            match op {
                UnaryOp::Not => return self.constant(!value, width, span),
                UnaryOp::Neg => return self.constant(value.wrapping_neg(), width, span),
                _ => {}
            }
        }
        if let Op::Unary(inner, value) = *self.op(of)
            && inner == op
            && matches!(op, UnaryOp::Not | UnaryOp::Neg | UnaryOp::Reverse)
        {
            return value;
        }
        self.compute(Op::Unary(op, of), width, span)
    }

    /// A number of bits of a value, in as many bits as it needs.
    pub(super) fn counted(&mut self, op: UnaryOp, of: ValueId, span: Span) -> ValueId {
        let width = u32::BITS - self.width(of).leading_zeros();
        self.compute(Op::Unary(op, of), width, span)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId, span: Span) -> ValueId {
        let width = match op {
            BinaryOp::Carryless => self.width(a) + self.width(b),
            BinaryOp::Equal | BinaryOp::LessUnsigned | BinaryOp::LessSigned => 1,
            _ => self.width(a),
        };
        if let Some(found) = self.folded(op, a, b, span) {
            return found;
        }
        self.compute(Op::Binary(op, a, b), width, span)
    }

    /// The result of an operation that needs no operation.
    fn folded(&mut self, op: BinaryOp, a: ValueId, b: ValueId, span: Span) -> Option<ValueId> {
        let width = self.width(a);
        let (x, y) = (self.value_of(a), self.value_of(b));
        let is_shift = matches!(
            op,
            BinaryOp::Shl | BinaryOp::ShrZeros | BinaryOp::ShrSigns | BinaryOp::RotateLeft
        );
        match (op, x, y) {
            (BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor, Some(0), _) => return Some(b),
            (BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Sub, _, Some(0)) => {
                return Some(a);
            }
            (BinaryOp::And, _, Some(-1)) => return Some(a),
            (BinaryOp::And, Some(-1), _) => return Some(b),
            (BinaryOp::And | BinaryOp::Mul, _, Some(0)) => return Some(b),
            (BinaryOp::And | BinaryOp::Mul, Some(0), _) => return Some(a),
            (_, _, Some(0)) if is_shift => return Some(a),
            (BinaryOp::Equal, ..) if a == b => return Some(self.constant(1, 1, span)),
            _ => {}
        }
        let (x, y) = x.zip(y).filter(|_| width <= MAX_FOLDED)?;
        let (unsigned_x, unsigned_y) = (unsigned(x, width), unsigned(y, self.width(b)));
        let shift = u32::try_from(unsigned_y).unwrap_or(u32::MAX);
        let shifted =
            |by: u32, f: fn(i128, u32) -> i128, x: i128| if by < width { f(x, by) } else { 0 };
        let value = match op {
            BinaryOp::Add => x.wrapping_add(y),
            BinaryOp::Sub => x.wrapping_sub(y),
            BinaryOp::Mul => x.wrapping_mul(y),
            BinaryOp::And => x & y,
            BinaryOp::Or => x | y,
            BinaryOp::Xor => x ^ y,
            BinaryOp::Shl => shifted(shift, |x, by| x << by, x),
            BinaryOp::ShrZeros => shifted(shift, |x, by| x >> by, unsigned_x as i128),
            BinaryOp::ShrSigns => x >> shift.min(MAX_FOLDED),
            BinaryOp::Equal => i128::from(x == y),
            BinaryOp::LessSigned => i128::from(x < y),
            BinaryOp::LessUnsigned => i128::from(unsigned_x < unsigned_y),
            _ => return None,
        };
        let result = match op {
            BinaryOp::Equal | BinaryOp::LessSigned | BinaryOp::LessUnsigned => 1,
            _ => width,
        };
        Some(self.constant(value, result, span))
    }

    /// A value with more bits, or the value.
    pub(super) fn extend(
        &mut self,
        of: ValueId,
        is_signed: bool,
        width: u32,
        span: Span,
    ) -> ValueId {
        let own = self.width(of);
        if own >= width {
            return of;
        }
        if let Some(value) = self.value_of(of)
            && (is_signed || own <= MAX_FOLDED)
        {
            let value = if is_signed { value } else { unsigned(value, own) as i128 };
            return self.constant(value, width, span);
        }
        if let Op::Extend { of: inner, is_signed: inner_signed } = *self.op(of)
            && (is_signed == inner_signed || !inner_signed)
        {
            return self.extend(inner, inner_signed, width, span);
        }
        self.compute(Op::Extend { of, is_signed }, width, span)
    }

    /// Some bits of a value, all of which exist.
    pub(super) fn extract(&mut self, of: ValueId, low: u32, width: u32, span: Span) -> ValueId {
        let own = self.width(of);
        if low == 0 && width == own {
            return of;
        }
        match self.op(of) {
            Op::Constant(value) => {
                let value = *value >> low.min(MAX_FOLDED);
                return self.constant(value, width, span);
            }
            Op::Extract { of: inner, low: start } => {
                let (inner, start) = (*inner, *start);
                return self.extract(inner, start + low, width, span);
            }
            Op::Extend { of: inner, is_signed } => {
                let (inner, is_signed) = (*inner, *is_signed);
                let inner_width = self.width(inner);
                if low + width <= inner_width {
                    return self.extract(inner, low, width, span);
                }
                if low < inner_width {
                    let part = self.extract(inner, low, inner_width - low, span);
                    return self.extend(part, is_signed, width, span);
                }
                if !is_signed {
                    return self.constant(0, width, span);
                }
            }
            Op::Concat(parts) => {
                let mut end = own;
                for part in parts.clone() {
                    let start = end - self.width(part);
                    if start <= low && low + width <= end {
                        return self.extract(part, low - start, width, span);
                    }
                    end = start;
                }
            }
            _ => {}
        }
        self.compute(Op::Extract { of, low }, width, span)
    }

    /// Values side by side, the first at the top; there is at least one.
    pub(super) fn concat(&mut self, parts: &[ValueId], span: Span) -> ValueId {
        let mut joined: Vec<ValueId> = Vec::new();
        for part in parts {
            let last = joined.last().copied();
            let Some(last) = last else {
                joined.push(*part);
                continue;
            };
            let width = self.width(last) + self.width(*part);
            match (self.value_of(last), self.value_of(*part)) {
                (Some(high), Some(low)) if width <= MAX_FOLDED => {
                    let own = self.width(*part);
                    let value = (high << own) | unsigned(low, own) as i128;
                    joined.pop();
                    let value = self.constant(value, width, span);
                    joined.push(value);
                }
                _ => joined.push(*part),
            }
        }
        match joined.as_slice() {
            [only] => *only,
            [top, rest] if self.value_of(*top) == Some(0) => {
                let width = self.width(*top) + self.width(*rest);
                self.extend(*rest, false, width, span)
            }
            _ => {
                let width = joined.iter().map(|part| self.width(*part)).sum();
                self.compute(Op::Concat(joined), width, span)
            }
        }
    }

    pub(super) fn select(
        &mut self,
        condition: ValueId,
        yes: ValueId,
        no: ValueId,
        span: Span,
    ) -> ValueId {
        match self.value_of(condition) {
            Some(0) => return no,
            Some(_) => return yes,
            None if yes == no => return yes,
            None => {}
        }
        let width = self.width(yes);
        if width == 1 && self.value_of(yes) == Some(-1) && self.value_of(no) == Some(0) {
            return condition;
        }
        self.compute(Op::Select { condition, yes, no }, width, span)
    }
}

/// The lowest bits of a number in two's complement.
fn wrapped(value: i128, width: u32) -> i128 {
    match i128::BITS.checked_sub(width) {
        Some(unused) => (value << unused) >> unused,
        None => value,
    }
}

/// The lowest bits of a number without a sign; at most 127 of them.
fn unsigned(value: i128, width: u32) -> u128 {
    value as u128 & ((1u128 << width.min(MAX_FOLDED)) - 1)
}
