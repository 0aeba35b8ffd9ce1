//! From the statements of a program to steps.

use std::collections::{BTreeMap, BTreeSet};

use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Isa, Opcode};

use super::ops::Builder;
use super::{BinaryOp, Carried, Code, Label, Merge, Op, Place, Region, Step, UnaryOp, ValueId};
use crate::program::{self, Bits, Expr, LocalId, Program, Range, Statement, StatementKind, Type};

/// An exact integer: a value and how its bits are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: ValueId,
    /// Whether the highest bit is a sign.
    pub(super) is_signed: bool,
}

pub(super) struct Build<'b> {
    pub(super) isa: &'b Isa,
    pub(super) opcode: &'b Opcode,
    pub(super) program: &'b Program,
    pub(super) builder: Builder,
    /// The most steps of a loop that are written out.
    pub(super) most_steps: usize,
    /// What names are at this step.
    pub(super) locals: BTreeMap<LocalId, Number>,
}

/// The steps of a program.
pub(super) fn code(isa: &Isa, opcode: &Opcode, program: &Program, most_steps: usize) -> Code {
    let (builder, locals) = Default::default();
    let mut build = Build { isa, opcode, program, builder, most_steps, locals };
    let body = build.region(|build| {
        build.statements(&program.statements);
    });
    build.builder.finish(body)
}

impl Build<'_> {
    pub(super) fn region(&mut self, step: impl FnOnce(&mut Self)) -> Region {
        self.builder.open();
        step(self);
        self.builder.close()
    }

    /// Statements; returns whether the program ends in them.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> bool {
        statements.iter().any(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> bool {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Bind { local, value } => self.bind(*local, value),
            StatementKind::BindBits { local, low, bits, value } => {
                self.bind_bits(*local, (low, bits), value, span)
            }
            StatementKind::Write { place, bits, value } => {
                self.write(place, bits.as_ref().map(|(low, bits)| (low, bits)), value, span)
            }
            StatementKind::Store { memory, address, width, value } => {
                let address = self.sized(address);
                let value = self.low(value, *width);
                self.builder.step(Step::Store { memory: *memory, address, value });
            }
            StatementKind::Jump { target } => {
                let target = self.sized(target);
                self.builder.step(Step::Jump(target));
            }
            StatementKind::If { condition, yes, no } => {
                return self.branch(condition, yes, no, span);
            }
            StatementKind::For { local, range, body } => self.each(*local, range, body, span),
            StatementKind::Atomic(body) => {
                let mut ends = false;
                let region = self.region(|build| ends = build.statements(body));
                self.builder.step(Step::Atomic(region));
                return ends;
            }
            StatementKind::Labelled { word, label, body } => {
                let label = match label {
                    program::Label::Word(word) => Label::Word(word.clone()),
                    program::Label::Value(value) => Label::Value(self.sized(value)),
                };
                let mut ends = false;
                let region = self.region(|build| ends = build.statements(body));
                self.builder.step(Step::Labelled { word: word.clone(), label, body: region });
                return ends;
            }
            StatementKind::Trap { name, arguments } => {
                let arguments = arguments.iter().map(|argument| self.sized(argument)).collect();
                self.builder.step(Step::Trap { name: name.clone(), arguments });
                return true;
            }
            StatementKind::Unpredictable => {
                self.builder.step(Step::Unpredictable);
                return true;
            }
            StatementKind::Commit => {
                self.builder.step(Step::Commit);
                self.builder.forget_reads();
            }
            StatementKind::Lanes(lanes) => {
                let lanes = self.sized(lanes);
                self.builder.step(Step::Lanes(lanes));
            }
            StatementKind::Do(value) => {
                self.exact(value);
            }
        }
        false
    }

    /// The value of a name that keeps it in as many bits as its type has.
    fn bind(&mut self, local: LocalId, value: &Expr) {
        let number = match self.program.locals[local.index()].ty {
            Type::Bits(width) => Number { value: self.low(value, width), is_signed: false },
            Type::Float(_) => Number { value: self.sized(value), is_signed: false },
            Type::Integer | Type::Enumeration(_) | Type::Mode(_) => self.exact(value),
        };
        self.locals.insert(local, number);
    }

    fn bind_bits(&mut self, local: LocalId, at: (&Expr, &Bits), value: &Expr, span: Span) {
        let Type::Bits(width) = self.program.locals[local.index()].ty else { return };
        let (mask, value) = self.masked(at, value, width, span);
        let others = self.builder.unary(UnaryOp::Not, mask, span);
        let old = self.locals[&local].value;
        let kept = self.builder.binary(BinaryOp::And, old, others, span);
        let value = self.builder.binary(BinaryOp::Or, kept, value, span);
        self.locals.insert(local, Number { value, is_signed: false });
    }

    fn write(
        &mut self,
        place: &program::Place,
        bits: Option<(&Expr, &Bits)>,
        value: &Expr,
        span: Span,
    ) {
        let width = self.width_of(place);
        let place = self.place(place);
        let (mask, value) = match bits {
            None => (None, self.low(value, width)),
            Some(at) => {
                let (mask, value) = self.masked(at, value, width, span);
                (Some(mask), value)
            }
        };
        self.builder.step(Step::Write { place, mask, value });
    }

    /// The mask of some bits among `width`, and a value at their place.
    fn masked(
        &mut self,
        (low, bits): (&Expr, &Bits),
        value: &Expr,
        width: u32,
        span: Span,
    ) -> (ValueId, ValueId) {
        if let (Some(low), Bits::Count(count)) = (low.value(), bits) {
            let value = self.low(value, *count);
            let ones = self.builder.constant(-1, *count, span);
            let low = low as u32;
            return (self.between(ones, low, width, span), self.between(value, low, width, span));
        }
        let low_number = self.exact(low);
        let ones = match bits {
            Bits::Count(count) => {
                let ones = self.builder.constant(-1, *count, span);
                self.builder.extend(ones, false, width, span)
            }
            Bits::UpTo(high) => self.ones(low, high, width, span),
        };
        let value = self.low(value, width);
        let value = self.builder.binary(BinaryOp::And, value, ones, span);
        let shift = |build: &mut Self, of: ValueId| {
            build.builder.binary(BinaryOp::Shl, of, low_number.value, span)
        };
        (shift(self, ones), shift(self, value))
    }

    /// A value among zeros.
    fn between(&mut self, value: ValueId, low: u32, width: u32, span: Span) -> ValueId {
        let above = width - low - self.builder.width(value);
        let mut parts = Vec::new();
        if above > 0 {
            parts.push(self.builder.constant(0, above, span));
        }
        parts.push(value);
        if low > 0 {
            parts.push(self.builder.constant(0, low, span));
        }
        self.builder.concat(&parts, span)
    }

    /// As many ones at the bottom as there are bits from `low` to `high`.
    pub(super) fn ones(&mut self, low: &Expr, high: &Expr, width: u32, span: Span) -> ValueId {
        let both = low.range.width().max(high.range.width());
        let (low, high) = (self.low(low, both), self.low(high, both));
        let count = self.builder.binary(BinaryOp::Sub, high, low, span);
        // There is at least one bit, so the lowest is not shifted.
        let ones = self.builder.constant(-2, width, span);
        let shifted = self.builder.binary(BinaryOp::Shl, ones, count, span);
        self.builder.unary(UnaryOp::Not, shifted, span)
    }

    pub(super) fn place(&mut self, place: &program::Place) -> Place {
        match place {
            program::Place::Operand { field, part, is_external, .. } => {
                Place::Operand { field: *field, part: *part, is_external: *is_external }
            }
            program::Place::State { name, .. } => Place::State(name.clone()),
            program::Place::Register { file, number } => {
                Place::Register { file: *file, number: self.exact(number).value }
            }
            program::Place::Group { field, offset, .. } => {
                Place::Group { field: *field, offset: self.exact(offset).value }
            }
            program::Place::OfLane { place, lane } => {
                let place = Box::new(self.place(place));
                Place::OfLane { place, lane: self.exact(lane).value }
            }
        }
    }

    pub(super) fn width_of(&self, place: &program::Place) -> u32 {
        place.width(self.isa)
    }

    /// A branch; returns whether the program ends in both regions.
    fn branch(
        &mut self,
        condition: &Expr,
        yes: &[Statement],
        no: &[Statement],
        span: Span,
    ) -> bool {
        let condition = self.low(condition, 1);
        if let Some(value) = self.builder.value_of(condition) {
            return self.statements(if value != 0 { yes } else { no });
        }
        let before = self.locals.clone();
        let (mut yes_ends, mut no_ends) = (false, false);
        let yes = self.region(|build| yes_ends = build.statements(yes));
        let after_yes = std::mem::replace(&mut self.locals, before.clone());
        let no = self.region(|build| no_ends = build.statements(no));
        let after_no = std::mem::replace(&mut self.locals, before.clone());
        let mut merges = Vec::new();
        for (local, old) in before {
            let (yes, no) = (after_yes[&local], after_no[&local]);
            if yes == old && no == old {
                continue;
            }
            let after = self.builder.parameter(Op::Merge, self.builder.width(old.value), span);
            merges.push(Merge {
                after,
                yes: (!yes_ends).then_some(yes.value),
                no: (!no_ends).then_some(no.value),
            });
            self.locals.insert(local, Number { value: after, ..old });
        }
        self.builder.step(Step::If { condition, yes, no, merges });
        yes_ends && no_ends
    }

    /// A loop: written out if its numbers are known and few.
    fn each(&mut self, local: LocalId, range: &Range, body: &[Statement], span: Span) {
        if let Some(numbers) = self.written_out(range) {
            for number in numbers {
                self.set_number(local, number, span);
                if self.statements(body) {
                    return;
                }
            }
            return;
        }
        let over = self.over(range);
        let mut changed = BTreeSet::new();
        assigned(body, &mut changed);
        changed.retain(|changed| self.locals.contains_key(changed));
        let before = self.locals.clone();
        // What a step reads may have been committed by the step before.
        self.builder.forget_reads();
        let mut inside = BTreeMap::new();
        for local in changed {
            let width = self.builder.width(before[&local].value);
            let value = self.builder.parameter(Op::Carried, width, span);
            inside.insert(local, value);
            self.locals.insert(local, Number { value, is_signed: false });
        }
        let number = self.loop_number(local, &over, span);
        let region = self.region(|build| {
            build.statements(body);
        });
        let last = std::mem::replace(&mut self.locals, before.clone());
        let mut carried = Vec::new();
        for (local, inside) in inside {
            let width = self.builder.width(inside);
            let after = self.builder.parameter(Op::Carried, width, span);
            let (before, next) = (before[&local].value, last[&local].value);
            carried.push(Carried { before, inside, next, after });
            self.locals.insert(local, Number { value: after, is_signed: false });
        }
        self.builder.step(Step::Loop { over, number, carried, body: region });
        self.builder.forget_reads();
    }
}

/// The names that statements give values.
fn assigned(statements: &[Statement], into: &mut BTreeSet<LocalId>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Bind { local, .. } | StatementKind::BindBits { local, .. } => {
                into.insert(*local);
            }
            StatementKind::If { yes, no, .. } => {
                assigned(yes, into);
                assigned(no, into);
            }
            StatementKind::For { body, .. }
            | StatementKind::Atomic(body)
            | StatementKind::Labelled { body, .. } => assigned(body, into),
            StatementKind::Write { .. }
            | StatementKind::Store { .. }
            | StatementKind::Jump { .. }
            | StatementKind::Trap { .. }
            | StatementKind::Unpredictable
            | StatementKind::Commit
            | StatementKind::Lanes(_)
            | StatementKind::Do(_) => {}
        }
    }
}
