//! From expressions with bounds to values of known width.
//!
//! [`Build::low`] makes the lowest bits of an integer; where these depend on the lowest bits of the parts alone, no part has more.
//! [`Build::exact`] makes the whole integer, in as many bits as its bounds need.

use isadl_base::vocabulary::{BinaryOp as Written, UnaryOp as Prefix};
use isadl_diagnostics::span::Span;

use super::build::{Build, Number};
use super::{BinaryOp, Merge, Op, Step, UnaryOp, ValueId};
use crate::float::{Function, Operation, Setting};
use crate::interval::{Bound, Interval};
use crate::program::{self, Bits, Builtin, Expr, ExprKind, Statement, StatementKind, Type};

impl Build<'_> {
    /// The lowest bits of an integer.
    pub(super) fn low(&mut self, expr: &Expr, width: u32) -> ValueId {
        if expr.range.width() >= width
            && let Some(found) = self.ring(expr, width)
        {
            return found;
        }
        let number = self.exact(expr);
        self.resized(number, width, expr.span)
    }

    /// A value with the bits of its type, or as many as its bounds need.
    pub(super) fn sized(&mut self, expr: &Expr) -> ValueId {
        match expr.ty {
            Type::Bits(width) => self.low(expr, width),
            Type::Enumeration(ty) => self.low(expr, self.isa.ty(ty).width),
            Type::Float(format) => self.low(expr, format.width()),
            Type::Integer | Type::Mode(_) => self.exact(expr).value,
        }
    }

    /// An integer in more or fewer bits.
    pub(super) fn resized(&mut self, number: Number, width: u32, span: Span) -> ValueId {
        match self.builder.width(number.value) >= width {
            true => self.builder.extract(number.value, 0, width, span),
            false => self.builder.extend(number.value, number.is_signed, width, span),
        }
    }

    /// An integer, in as many bits as its bounds need.
    pub(super) fn exact(&mut self, expr: &Expr) -> Number {
        let (width, is_signed) = (expr.range.width(), expr.range.may_be_negative());
        if let Some(value) = expr.value().filter(|_| is_total(expr)) {
            return Number { value: self.builder.constant(value, width, expr.span), is_signed };
        }
        if let Some(value) = self.ring(expr, width) {
            return Number { value, is_signed };
        }
        let found = self.computed(expr);
        if self.builder.width(found.value) < width {
            return found;
        }
        // The integer is known to need no more bits.
        let value = self.builder.extract(found.value, 0, width, expr.span);
        Number { value, is_signed }
    }

    /// The lowest bits of a result that depend on the lowest bits of its parts alone.
    fn ring(&mut self, expr: &Expr, width: u32) -> Option<ValueId> {
        let span = expr.span;
        Some(match &expr.kind {
            ExprKind::Int(value) => self.builder.constant(*value, width, span),
            ExprKind::Unary(op @ (Prefix::Neg | Prefix::BitNot), of) => {
                let of = self.low(of, width);
                let op = if *op == Prefix::Neg { UnaryOp::Neg } else { UnaryOp::Not };
                self.builder.unary(op, of, span)
            }
            ExprKind::Binary(Written::Shl, a, b) => {
                let a = self.low(a, width);
                let by = self.exact(b).value;
                self.builder.binary(BinaryOp::Shl, a, by, span)
            }
            ExprKind::Binary(op, a, b) => {
                let op = match op {
                    Written::Add => BinaryOp::Add,
                    Written::Sub => BinaryOp::Sub,
                    Written::Mul => BinaryOp::Mul,
                    Written::BitAnd => BinaryOp::And,
                    Written::BitOr => BinaryOp::Or,
                    Written::BitXor => BinaryOp::Xor,
                    _ => return None,
                };
                let (a, b) = (self.low(a, width), self.low(b, width));
                self.builder.binary(op, a, b, span)
            }
            ExprKind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.low(condition, 1);
                self.either(
                    condition,
                    span,
                    Arm { is_total: is_total(yes), value: &mut |build| build.low(yes, width) },
                    Arm { is_total: is_total(no), value: &mut |build| build.low(no, width) },
                )
            }
            ExprKind::Inline { bindings, value } => {
                self.statements(bindings);
                self.low(value, width)
            }
            ExprKind::Builtin(Builtin::Exact, arguments) => self.low(&arguments[0], width),
            ExprKind::Fold { fold, item, local, range, condition } => {
                let condition = condition.as_deref();
                let fold =
                    super::loops::Fold { fold: *fold, item, local: *local, range, condition };
                self.folded(fold, width, span)
            }
            _ => return None,
        })
    }

    /// One of two values: a selection if computing both does no harm, else a branch.
    pub(super) fn either(
        &mut self,
        condition: ValueId,
        span: Span,
        yes: Arm<'_, Self>,
        no: Arm<'_, Self>,
    ) -> ValueId {
        match self.builder.value_of(condition) {
            Some(0) => return (no.value)(self),
            Some(_) => return (yes.value)(self),
            None => {}
        }
        if yes.is_total && no.is_total {
            let (yes, no) = ((yes.value)(self), (no.value)(self));
            return self.builder.select(condition, yes, no, span);
        }
        let (mut of_yes, mut of_no) = (condition, condition);
        let yes = self.region(|build| of_yes = (yes.value)(build));
        let no = self.region(|build| of_no = (no.value)(build));
        let after = self.builder.parameter(Op::Merge, self.builder.width(of_yes), span);
        let merges = vec![Merge { after, yes: Some(of_yes), no: Some(of_no) }];
        self.builder.step(Step::If { condition, yes, no, merges });
        after
    }

    /// A result that depends on the whole of its parts.
    fn computed(&mut self, expr: &Expr) -> Number {
        let span = expr.span;
        let width = expr.width().unwrap_or_else(|| expr.range.width());
        let op = match &expr.kind {
            ExprKind::Local(local) | ExprKind::Variable(local) => return self.locals[local],
            ExprKind::Field(field) => {
                let value = self.builder.compute(Op::Field(*field), expr.range.width(), span);
                return Number { value, is_signed: expr.range.may_be_negative() };
            }
            ExprKind::FieldBits(field) => {
                let width = self.opcode.field(*field).map_or(width, |field| field.width());
                return unsigned(self.builder.compute(Op::FieldBits(*field), width, span));
            }
            ExprKind::Has(condition) => Op::Has(condition.clone()),
            ExprKind::Read(place) => {
                let width = self.width_of(place);
                let place = self.place(place);
                return unsigned(self.builder.compute(Op::Read(place), width, span));
            }
            ExprKind::Load { memory, address, is_reserving, .. } => {
                let address = self.sized(address);
                Op::Load { memory: *memory, address, is_reserving: *is_reserving }
            }
            ExprKind::StoreConditional { memory, address, width, value } => {
                let address = self.sized(address);
                let value = self.low(value, *width);
                Op::StoreConditional { memory: *memory, address, value }
            }
            ExprKind::Pc => Op::Pc,
            ExprKind::Next => Op::Next,
            ExprKind::Lane => Op::Lane,
            ExprKind::Active => Op::Active,
            ExprKind::Ballot(of) => Op::Ballot(self.low(of, 1)),
            ExprKind::Unary(_, of) => {
                let of = self.low(of, 1);
                return unsigned(self.builder.unary(UnaryOp::Not, of, span));
            }
            ExprKind::Binary(op, a, b) => return self.binary(*op, a, b, expr),
            ExprKind::Concat(parts) => {
                let parts: Vec<ValueId> = parts.iter().map(|part| self.sized(part)).collect();
                return unsigned(self.builder.concat(&parts, span));
            }
            ExprKind::Repeat { item, local, first, last } => {
                return unsigned(self.repeated(item, *local, (*first, *last), span));
            }
            ExprKind::Slice { of, low, width } => {
                let of = self.low(of, low + width);
                return unsigned(self.builder.extract(of, *low, *width, span));
            }
            ExprKind::Part { of, low, bits } => return unsigned(self.part(of, low, bits, expr)),
            ExprKind::Builtin(function, arguments) => {
                return self.builtin(*function, arguments, expr);
            }
            ExprKind::Extern { name, arguments, effects } => {
                let arguments = arguments.iter().map(|argument| self.sized(argument)).collect();
                Op::Extern { name: name.clone(), arguments, effects: *effects }
            }
            ExprKind::Float { operation, arguments, settings, raises } => {
                let value = self.float(operation, arguments, settings, *raises, span);
                return Number { value, is_signed: expr.range.may_be_negative() };
            }
            ExprKind::Raised => Op::Raised,
            ExprKind::Unknown => Op::Unknown,
            ExprKind::Any(bounds) => {
                let first = self.low(&bounds[0], width);
                let last = self.low(&bounds[1], width);
                let value = self.builder.compute(Op::Any { first, last }, width, span);
                return Number { value, is_signed: expr.range.may_be_negative() };
            }
            // They are computed by `ring`.
            ExprKind::Int(_)
            | ExprKind::Choice(_)
            | ExprKind::Fold { .. }
            | ExprKind::Inline { .. } => unreachable!("these have their lowest bits"),
        };
        unsigned(self.builder.compute(op, width, span))
    }

    fn float(
        &mut self,
        operation: &Operation,
        arguments: &[Expr],
        settings: &[(Setting, Expr)],
        raises: bool,
        span: Span,
    ) -> ValueId {
        let of = |build: &mut Self, at: usize, value: &Expr| match operation.function {
            Function::FromInteger { width, .. } if at == 0 => build.low(value, width),
            // A power of two.
            _ if value.format().is_none() => build.low(value, 32),
            _ => build.sized(value),
        };
        let arguments = arguments.iter().enumerate();
        let arguments = arguments.map(|(at, argument)| of(self, at, argument)).collect();
        let settings =
            settings.iter().map(|(setting, value)| (*setting, self.sized(value))).collect();
        let op = Op::Float { operation: operation.clone(), arguments, settings, raises };
        self.builder.compute(op, operation.width(), span)
    }

    /// Two integers in the bits that both need, and whether these have a sign.
    fn together(&mut self, a: &Expr, b: &Expr) -> (ValueId, ValueId, bool) {
        let both = a.range.join(b.range);
        let width = both.width();
        (self.low(a, width), self.low(b, width), both.may_be_negative())
    }

    fn binary(&mut self, op: Written, a: &Expr, b: &Expr, expr: &Expr) -> Number {
        let span = expr.span;
        let value = match op {
            Written::And | Written::Or => {
                let first = self.low(a, 1);
                let known = self.builder.constant((op == Written::Or).into(), 1, span);
                let other =
                    Arm { is_total: is_total(b), value: &mut |build: &mut Self| build.low(b, 1) };
                let known = Arm { is_total: true, value: &mut |_: &mut Self| known };
                match op {
                    Written::And => self.either(first, span, other, known),
                    _ => self.either(first, span, known, other),
                }
            }
            Written::Eq | Written::Ne => {
                let (a, b, _) = self.together(a, b);
                let equal = self.builder.binary(BinaryOp::Equal, a, b, span);
                match op {
                    Written::Eq => equal,
                    _ => self.builder.unary(UnaryOp::Not, equal, span),
                }
            }
            Written::Lt | Written::Le | Written::Gt | Written::Ge => {
                let (a, b, is_signed) = self.together(a, b);
                let is_swapped = matches!(op, Written::Gt | Written::Le);
                let (first, second) = if is_swapped { (b, a) } else { (a, b) };
                let less = self.less(first, second, is_signed, span);
                match op {
                    Written::Lt | Written::Gt => less,
                    _ => self.builder.unary(UnaryOp::Not, less, span),
                }
            }
            Written::Shr => return self.shifted_right(a, b, span),
            _ => return self.divided(op, a, b, expr),
        };
        unsigned(value)
    }

    fn less(&mut self, a: ValueId, b: ValueId, is_signed: bool, span: Span) -> ValueId {
        let op = if is_signed { BinaryOp::LessSigned } else { BinaryOp::LessUnsigned };
        self.builder.binary(op, a, b, span)
    }

    fn shifted_right(&mut self, a: &Expr, b: &Expr, span: Span) -> Number {
        let whole = self.exact(a);
        let width = self.builder.width(whole.value);
        if let Some(by) = b.value().and_then(|by| u32::try_from(by).ok()) {
            // Of a negative number the sign is left.
            let by = if whole.is_signed { by.min(width - 1) } else { by };
            let value = match width.checked_sub(by) {
                Some(rest @ 1..) => self.builder.extract(whole.value, by, rest, span),
                _ => self.builder.constant(0, 1, span),
            };
            return Number { value, ..whole };
        }
        let by = self.exact(b).value;
        let op = if whole.is_signed { BinaryOp::ShrSigns } else { BinaryOp::ShrZeros };
        Number { value: self.builder.binary(op, whole.value, by, span), ..whole }
    }

    /// A quotient or remainder.
    fn divided(&mut self, op: Written, a: &Expr, b: &Expr, expr: &Expr) -> Number {
        // The quotient of the least number by -1 has a bit more than both.
        let all = a.range.join(b.range).join(expr.range);
        let (width, is_signed) = (all.width(), all.may_be_negative());
        let (a, b) = (self.low(a, width), self.low(b, width));
        let op = match (op, is_signed) {
            (Written::Div, false) => BinaryOp::DivUnsigned,
            (Written::Div, true) => BinaryOp::DivSigned,
            (_, false) => BinaryOp::RemUnsigned,
            (_, true) => BinaryOp::RemSigned,
        };
        Number { value: self.builder.binary(op, a, b, expr.span), is_signed }
    }

    /// `of[low +: n]` and `of[high:low]` with a place that is computed.
    fn part(&mut self, of: &Expr, low: &Expr, bits: &Bits, expr: &Expr) -> ValueId {
        let span = expr.span;
        let top = match bits {
            Bits::Count(width) => low.range.high.exact().map(|low| low + i128::from(*width)),
            Bits::UpTo(high) => high.range.high.exact().map(|high| high + 1),
        };
        let top = top.and_then(|top| u32::try_from(top).ok());
        let least = match bits {
            Bits::Count(width) => *width,
            Bits::UpTo(_) => 1,
        };
        let width = top.unwrap_or_else(|| of.range.width()).max(least);
        let whole = self.low(of, width);
        let by = self.exact(low).value;
        let shifted = self.builder.binary(BinaryOp::ShrZeros, whole, by, span);
        match bits {
            Bits::Count(width) => self.builder.extract(shifted, 0, *width, span),
            Bits::UpTo(high) => {
                let ones = self.ones(low, high, width, span);
                self.builder.binary(BinaryOp::And, shifted, ones, span)
            }
        }
    }

    fn builtin(&mut self, function: Builtin, arguments: &[Expr], expr: &Expr) -> Number {
        let span = expr.span;
        let first = &arguments[0];
        let value = match function {
            Builtin::Signed => return Number { value: self.sized(first), is_signed: true },
            Builtin::Exact => return self.exact(first),
            // What the machine does with it is not computed.
            Builtin::Use => self.builder.constant(0, 1, span),
            Builtin::Min | Builtin::Max => return self.extreme(function, arguments, span),
            Builtin::Mod => self.modulo(first, &arguments[1], span),
            Builtin::Abs => {
                // The magnitude of the least number has as many bits without a sign.
                let number = self.exact(first);
                if !number.is_signed {
                    return number;
                }
                let negative = self.builder.unary(UnaryOp::Neg, number.value, span);
                let zero = self.builder.constant(0, self.builder.width(number.value), span);
                let is_negative = self.less(number.value, zero, true, span);
                self.builder.select(is_negative, negative, number.value, span)
            }
            Builtin::Count | Builtin::LeadingZeros | Builtin::TrailingZeros => {
                let of = self.sized(first);
                let op = match function {
                    Builtin::Count => UnaryOp::Count,
                    Builtin::LeadingZeros => UnaryOp::LeadingZeros,
                    _ => UnaryOp::TrailingZeros,
                };
                self.builder.counted(op, of, span)
            }
            Builtin::Repeat => {
                let part = self.sized(first);
                let count = arguments[1].value().unwrap_or(1) as usize;
                self.builder.concat(&vec![part; count], span)
            }
            Builtin::Reverse => {
                let of = self.sized(first);
                self.builder.unary(UnaryOp::Reverse, of, span)
            }
            Builtin::RotateLeft | Builtin::RotateRight => {
                self.rotated(function, first, &arguments[1], span)
            }
            Builtin::Carryless => {
                let (a, b) = (self.sized(first), self.sized(&arguments[1]));
                self.builder.binary(BinaryOp::Carryless, a, b, span)
            }
        };
        unsigned(value)
    }

    fn extreme(&mut self, function: Builtin, arguments: &[Expr], span: Span) -> Number {
        let (a, b, is_signed) = self.together(&arguments[0], &arguments[1]);
        let is_less = self.less(a, b, is_signed, span);
        let (yes, no) = if function == Builtin::Min { (a, b) } else { (b, a) };
        Number { value: self.builder.select(is_less, yes, no, span), is_signed }
    }

    /// The remainder that is never negative; the divisor is positive.
    fn modulo(&mut self, of: &Expr, divisor: &Expr, span: Span) -> ValueId {
        let (a, b, is_signed) = self.together(of, divisor);
        if !is_signed {
            return self.builder.binary(BinaryOp::RemUnsigned, a, b, span);
        }
        let rest = self.builder.binary(BinaryOp::RemSigned, a, b, span);
        let zero = self.builder.constant(0, self.builder.width(rest), span);
        let is_negative = self.less(rest, zero, true, span);
        let sum = self.builder.binary(BinaryOp::Add, rest, b, span);
        self.builder.select(is_negative, sum, rest, span)
    }

    fn rotated(&mut self, function: Builtin, of: &Expr, by: &Expr, span: Span) -> ValueId {
        let of = self.sized(of);
        let count = self.builder.width(of);
        if function == Builtin::RotateLeft {
            let by = self.exact(by).value;
            return self.builder.binary(BinaryOp::RotateLeft, of, by, span);
        }
        // To the right by n is to the left by the number of bits without n.
        let left = match count.is_power_of_two() {
            true => {
                let by = self.low(by, count.trailing_zeros().max(1));
                self.builder.unary(UnaryOp::Neg, by, span)
            }
            false => {
                let width = by.range.join(Interval::one(count.into())).width();
                let (by, all) =
                    (self.low(by, width), self.builder.constant(count.into(), width, span));
                let rest = self.builder.binary(BinaryOp::RemUnsigned, by, all, span);
                self.builder.binary(BinaryOp::Sub, all, rest, span)
            }
        };
        self.builder.binary(BinaryOp::RotateLeft, of, left, span)
    }
}

/// One of two values: how it is computed.
pub(super) struct Arm<'a, B: ?Sized> {
    /// Whether computing it without need does no harm.
    pub(super) is_total: bool,
    pub(super) value: &'a mut dyn FnMut(&mut B) -> ValueId,
}

pub(super) fn unsigned(value: ValueId) -> Number {
    Number { value, is_signed: false }
}

/// Whether an expression can be computed even where its value is not needed: nothing happens, and it has a value.
pub(super) fn is_total(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Load { .. }
        | ExprKind::StoreConditional { .. }
        | ExprKind::Unknown
        | ExprKind::Raised
        | ExprKind::Any(_) => false,
        ExprKind::Float { arguments, settings, raises, .. } => {
            let mut values = arguments.iter().chain(settings.iter().map(|(_, value)| value));
            !raises && values.all(is_total)
        }
        ExprKind::Extern { arguments, effects, .. } => {
            effects.is_pure && arguments.iter().all(is_total)
        }
        ExprKind::Read(place) => is_total_place(place),
        ExprKind::Int(_)
        | ExprKind::Local(_)
        | ExprKind::Variable(_)
        | ExprKind::Field(_)
        | ExprKind::FieldBits(_)
        | ExprKind::Has(_)
        | ExprKind::Lane
        | ExprKind::Active
        | ExprKind::Pc
        | ExprKind::Next => true,
        ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } | ExprKind::Ballot(of) => is_total(of),
        ExprKind::Binary(_, a, b) => is_total(a) && is_total(b),
        ExprKind::Choice(parts) => parts.iter().all(is_total),
        ExprKind::Concat(parts) | ExprKind::Builtin(_, parts) => parts.iter().all(is_total),
        ExprKind::Repeat { item, .. } => is_total(item),
        ExprKind::Part { of, low, bits } => {
            let high = match bits {
                Bits::Count(_) => true,
                Bits::UpTo(high) => is_total(high),
            };
            high && is_total(of) && is_total(low)
        }
        // A loop of unknown length is no selection.
        ExprKind::Fold { item, range, condition, .. } => {
            super::loops::known_numbers(range).is_some()
                && is_total(item)
                && condition.as_deref().is_none_or(is_total)
        }
        ExprKind::Inline { bindings, value } => {
            bindings.iter().all(gives_values) && is_total(value)
        }
    }
}

/// Whether a register can be read even where its value is not needed.
fn is_total_place(place: &program::Place) -> bool {
    match place {
        program::Place::Operand { is_external, .. } => !is_external,
        program::Place::State { .. } => false,
        // Without need, the number may be none.
        program::Place::Register { number, .. } => number.value().is_some(),
        program::Place::Group { offset, .. } => is_total(offset),
        program::Place::OfLane { place, lane } => lane.value().is_some() && is_total_place(place),
    }
}

/// Whether a statement only gives names values, each of a total expression.
fn gives_values(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Bind { value, .. } => is_total(value),
        StatementKind::If { condition, yes, no } => {
            is_total(condition) && yes.iter().chain(no).all(gives_values)
        }
        StatementKind::For { range, body, .. } => {
            super::loops::known_numbers(range).is_some() && body.iter().all(gives_values)
        }
        _ => false,
    }
}

/// The least number of bits for all numbers below a bound.
pub(super) fn bits_below(count: u32) -> u32 {
    Bound::Exact(i128::from(count) - 1).bits().max(1)
}
