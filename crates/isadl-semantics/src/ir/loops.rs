//! Loops: folds, repeated parts, and the numbers that a loop runs over.

use isadl_diagnostics::span::Span;

use super::build::{Build, Number};
use super::expressions::{Arm, bits_below, is_total};
use super::{BinaryOp, Carried, Op, Over, Step, UnaryOp, ValueId};
use crate::interval::Bound;
use crate::program::{self, Expr, LocalId, Range};

/// The most steps of a loop that may be written out.
pub(super) const MOST_STEPS: usize = 64;

/// The same where code is to be short.
pub(super) const FEW_STEPS: usize = 4;

/// `fold(item for local in range if condition)`
#[derive(Clone, Copy)]
pub(super) struct Fold<'e> {
    pub(super) fold: program::Fold,
    pub(super) item: &'e Expr,
    pub(super) local: LocalId,
    pub(super) range: &'e Range,
    pub(super) condition: Option<&'e Expr>,
}

/// The numbers of a loop, if they are known and few.
pub(super) fn known_numbers(range: &Range) -> Option<Vec<i128>> {
    let Range::Between(first, last) = range else { return None };
    let (first, last) = (first.value()?, last.value()?);
    (last.checked_sub(first)? < MOST_STEPS as i128).then(|| (first..=last).collect())
}

impl Build<'_> {
    /// The numbers of a loop whose steps are written out.
    pub(super) fn written_out(&self, range: &Range) -> Option<Vec<i128>> {
        known_numbers(range).filter(|numbers| numbers.len() <= self.most_steps)
    }

    /// Gives the variable of a loop a known number.
    pub(super) fn set_number(&mut self, local: LocalId, number: i128, span: Span) {
        let width = crate::interval::Interval::one(number).width();
        let value = self.builder.constant(number, width, span);
        self.locals.insert(local, Number { value, is_signed: number < 0 });
    }

    /// The numbers that a loop runs over.
    pub(super) fn over(&mut self, range: &Range) -> Over {
        match range {
            Range::Between(first, last) => {
                let both = first.range.join(last.range);
                let width = both.width();
                let (first, last) = (self.low(first, width), self.low(last, width));
                Over::Range { first, last, is_signed: both.may_be_negative() }
            }
            Range::Bits(of) => Over::Ones(self.sized(of)),
        }
    }

    /// The number of a loop, inside of it.
    pub(super) fn loop_number(&mut self, local: LocalId, over: &Over, span: Span) -> ValueId {
        let (width, is_signed) = match over {
            Over::Range { first, is_signed, .. } => (self.builder.width(*first), *is_signed),
            Over::Ones(of) => (bits_below(self.builder.width(*of)), false),
        };
        let value = self.builder.parameter(Op::Number, width, span);
        self.locals.insert(local, Number { value, is_signed });
        value
    }

    /// `{item for local in first .. last}`: all parts are written out.
    pub(super) fn repeated(
        &mut self,
        item: &Expr,
        local: LocalId,
        (first, last): (i128, i128),
        span: Span,
    ) -> ValueId {
        let mut parts = Vec::new();
        let mut number = first;
        loop {
            self.set_number(local, number, span);
            parts.push(self.sized(item));
            if number == last {
                break;
            }
            number += if first < last { 1 } else { -1 };
        }
        self.builder.concat(&parts, span)
    }

    /// The lowest bits of a fold.
    pub(super) fn folded(&mut self, fold: Fold<'_>, width: u32, span: Span) -> ValueId {
        // The least and the largest need whole items.
        let own = match fold.fold {
            program::Fold::Min | program::Fold::Max => width.max(fold.item.range.width()),
            _ => width,
        };
        let start = match fold.fold {
            program::Fold::Sum | program::Fold::Or | program::Fold::Xor => Bound::Exact(0),
            program::Fold::And => Bound::Exact(-1),
            // There is at least one number, and no item is beyond the bounds.
            program::Fold::Min => fold.item.range.high,
            program::Fold::Max => fold.item.range.low,
        };
        let mut all = self.bound(start, own, span);
        if let Some(numbers) = self.written_out(fold.range) {
            for number in numbers {
                self.set_number(fold.local, number, span);
                all = self.joined(fold, all, span);
            }
            return self.builder.extract(all, 0, width, span);
        }
        let over = self.over(fold.range);
        self.builder.forget_reads();
        let inside = self.builder.parameter(Op::Carried, own, span);
        let number = self.loop_number(fold.local, &over, span);
        let mut next = inside;
        let body = self.region(|build| next = build.joined(fold, inside, span));
        let after = self.builder.parameter(Op::Carried, own, span);
        let carried = vec![Carried { before: all, inside, next, after }];
        self.builder.step(Step::Loop { over, number, carried, body });
        self.builder.extract(after, 0, width, span)
    }

    /// A bound as a value.
    fn bound(&mut self, bound: Bound, width: u32, span: Span) -> ValueId {
        if let Bound::Exact(value) = bound {
            return self.builder.constant(value, width, span);
        }
        let ones = self.builder.constant(-1, bound.bits(), span);
        let largest = self.builder.extend(ones, false, width, span);
        match bound.is_negative() {
            true => self.builder.unary(UnaryOp::Not, largest, span),
            false => largest,
        }
    }

    /// The values so far with that of one more number, if it counts.
    fn joined(&mut self, fold: Fold<'_>, all: ValueId, span: Span) -> ValueId {
        let Some(condition) = fold.condition else { return self.with_item(fold, all, span) };
        let condition = self.low(condition, 1);
        self.either(
            condition,
            span,
            Arm {
                is_total: is_total(fold.item),
                value: &mut |build: &mut Self| build.with_item(fold, all, span),
            },
            Arm { is_total: true, value: &mut |_: &mut Self| all },
        )
    }

    fn with_item(&mut self, fold: Fold<'_>, all: ValueId, span: Span) -> ValueId {
        let item = self.low(fold.item, self.builder.width(all));
        let op = match fold.fold {
            program::Fold::Sum => BinaryOp::Add,
            program::Fold::And => BinaryOp::And,
            program::Fold::Or => BinaryOp::Or,
            program::Fold::Xor => BinaryOp::Xor,
            program::Fold::Min | program::Fold::Max => {
                let is_signed = fold.item.range.may_be_negative();
                let op = if is_signed { BinaryOp::LessSigned } else { BinaryOp::LessUnsigned };
                let is_less = self.builder.binary(op, item, all, span);
                return match fold.fold {
                    program::Fold::Min => self.builder.select(is_less, item, all, span),
                    _ => self.builder.select(is_less, all, item, span),
                };
            }
        };
        self.builder.binary(op, all, item, span)
    }
}
