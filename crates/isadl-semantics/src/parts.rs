//! The parts of checked programs, for whoever walks over a whole one.

use crate::program::{Bits, Expr, ExprKind, Label, Place, Range, Statement, StatementKind};

impl Place {
    /// Calls a function with the numbers of the register and of the lane, if they are computed.
    pub fn each_expr(&self, each: &mut dyn FnMut(&Expr)) {
        match self {
            Place::Operand { .. } | Place::State { .. } => {}
            Place::Register { number, .. } | Place::Group { offset: number, .. } => {
                if number.value().is_none() {
                    each(number);
                }
            }
            Place::OfLane { place, lane } => {
                place.each_expr(each);
                if lane.value().is_none() {
                    each(lane);
                }
            }
        }
    }

    /// The number of bits that a program sees of it.
    pub fn width(&self, isa: &isadl_ir::isa::Isa) -> u32 {
        match self {
            Place::Operand { width, .. }
            | Place::State { width, .. }
            | Place::Group { width, .. } => *width,
            Place::Register { file, .. } => isa.reg_files()[file.index()].width,
            Place::OfLane { place, .. } => place.width(isa),
        }
    }
}

impl Statement {
    /// The statements inside of it: two lists of an `if`, one of other blocks.
    pub fn blocks(&self) -> [&[Statement]; 2] {
        match &self.kind {
            StatementKind::If { yes, no, .. } => [yes, no],
            StatementKind::For { body, .. }
            | StatementKind::Atomic(body)
            | StatementKind::Labelled { body, .. } => [body, &[]],
            _ => [&[], &[]],
        }
    }

    /// Calls a function with each expression of the statement and of the statements inside of it. A register whose number is known has
    /// no expression for it.
    pub fn each_expr(&self, each: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            StatementKind::Bind { value, .. }
            | StatementKind::Jump { target: value }
            | StatementKind::Lanes(value)
            | StatementKind::Do(value) => each(value),
            StatementKind::BindBits { low, bits, value, .. } => {
                each_of_bits(low, bits, each);
                each(value);
            }
            StatementKind::Write { place, bits, value } => {
                place.each_expr(each);
                if let Some((low, bits)) = bits {
                    each_of_bits(low, bits, each);
                }
                each(value);
            }
            StatementKind::Store { address, value, .. } => {
                each(address);
                each(value);
            }
            StatementKind::If { condition, .. } => each(condition),
            StatementKind::For { range, .. } => range.each_expr(each),
            StatementKind::Labelled { label: Label::Value(value), .. } => each(value),
            StatementKind::Trap { arguments, .. } => arguments.iter().for_each(&mut *each),
            StatementKind::Labelled { label: Label::Word(_), .. }
            | StatementKind::Atomic(_)
            | StatementKind::Unpredictable
            | StatementKind::Commit => {}
        }
        self.blocks().into_iter().flatten().for_each(|statement| statement.each_expr(each));
    }
}

fn each_of_bits(low: &Expr, bits: &Bits, each: &mut dyn FnMut(&Expr)) {
    each(low);
    if let Bits::UpTo(high) = bits {
        each(high);
    }
}

impl Range {
    /// Calls a function with each expression of the range.
    pub fn each_expr(&self, each: &mut dyn FnMut(&Expr)) {
        match self {
            Range::Between(first, last) => [first, last].into_iter().for_each(each),
            Range::Bits(of) => each(of),
        }
    }
}

impl Expr {
    /// Calls a function with the expression and all of its parts; bindings of functions that are written out are parts, too.
    pub fn visit(&self, each: &mut impl FnMut(&Expr)) {
        each(self);
        self.each_part(&mut |part| part.visit(each));
    }

    /// Calls a function with the parts that the expression consists of.
    pub fn each_part(&self, mut part: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Local(_)
            | ExprKind::Variable(_)
            | ExprKind::Field(_)
            | ExprKind::FieldBits(_)
            | ExprKind::Has(_)
            | ExprKind::Pc
            | ExprKind::Next
            | ExprKind::Lane
            | ExprKind::Active
            | ExprKind::Unknown
            | ExprKind::Raised => {}
            ExprKind::Read(place) => place.each_expr(&mut part),
            ExprKind::Load { address, .. } => part(address),
            ExprKind::StoreConditional { address, value, .. } => {
                part(address);
                part(value);
            }
            ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } | ExprKind::Ballot(of) => part(of),
            ExprKind::Binary(_, a, b) => {
                part(a);
                part(b);
            }
            ExprKind::Choice(parts) => parts.iter().for_each(part),
            ExprKind::Any(bounds) => bounds.iter().for_each(part),
            ExprKind::Concat(parts)
            | ExprKind::Builtin(_, parts)
            | ExprKind::Extern { arguments: parts, .. } => parts.iter().for_each(part),
            ExprKind::Float { arguments, settings, .. } => {
                arguments.iter().chain(settings.iter().map(|(_, value)| value)).for_each(part);
            }
            ExprKind::Repeat { item, .. } => part(item),
            ExprKind::Part { of, low, bits } => {
                part(of);
                each_of_bits(low, bits, &mut part);
            }
            ExprKind::Fold { item, range, condition, .. } => {
                part(item);
                range.each_expr(&mut part);
                condition.iter().for_each(|condition| part(condition));
            }
            ExprKind::Inline { bindings, value } => {
                bindings.iter().for_each(|statement| statement.each_expr(&mut part));
                part(value);
            }
        }
    }
}
