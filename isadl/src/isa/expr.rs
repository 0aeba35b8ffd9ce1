//! Expressions over the fields of an instruction, and their values.

use super::NameId;
use crate::ast::{BinaryOp, UnaryOp};

/// How the bits of a field become an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// As they are.
    Unsigned,
    /// In two's complement.
    Signed,
}

impl Reading {
    /// The integer that `raw` is in a field of `width` bits (1 to 64).
    pub fn integer(self, raw: u64, width: u32) -> i128 {
        match self {
            Reading::Unsigned => i128::from(raw),
            Reading::Signed => i128::from((raw << (64 - width)) as i64 >> (64 - width)),
        }
    }
}

/// A checked expression over the fields of an instruction. Arithmetic is on 128-bit integers
/// and wraps; a division by zero gives 0; a shift by a negative number or by 128 and more gives
/// 0; comparisons and `and`, `or`, `not` give 0 or 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number.
    Int(i128),
    /// The value of a field.
    Field(NameId, Reading),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The fields that occur, without repetition, in order of appearance.
    pub fn fields(&self) -> Vec<NameId> {
        let mut names = Vec::new();
        self.collect_fields(&mut names);
        names
    }

    /// The number of its operators and operands.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Expr::Int(_) | Expr::Field(..) => 1,
            Expr::Unary(_, operand) => 1 + operand.size(),
            Expr::Binary(_, left, right) => 1 + left.size() + right.size(),
        }
    }

    /// The expression with the integers of some fields put in, and what follows from them.
    pub(crate) fn given(&self, field: &impl Fn(NameId, Reading) -> Option<i128>) -> Expr {
        match self {
            Expr::Int(value) => Expr::Int(*value),
            Expr::Field(name, reading) => match field(*name, *reading) {
                Some(value) => Expr::Int(value),
                None => self.clone(),
            },
            Expr::Unary(op, operand) => {
                let whole = Expr::Unary(*op, Box::new(operand.given(field)));
                whole.if_known().map_or(whole, Expr::Int)
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (left.given(field), right.given(field));
                let decisive = [&left, &right].into_iter().find_map(|side| match (op, side) {
                    (BinaryOp::Or, Expr::Int(value)) if *value != 0 => Some(1),
                    (BinaryOp::And, Expr::Int(0)) => Some(0),
                    _ => None,
                });
                let whole = Expr::Binary(*op, Box::new(left), Box::new(right));
                decisive.or_else(|| whole.if_known()).map_or(whole, Expr::Int)
            }
        }
    }

    /// The value of operators on numbers alone.
    fn if_known(&self) -> Option<i128> {
        self.fields().is_empty().then(|| self.eval(&|_, _| 0))
    }

    fn collect_fields(&self, into: &mut Vec<NameId>) {
        match self {
            Expr::Int(_) => {}
            Expr::Field(name, _) => {
                if !into.contains(name) {
                    into.push(*name);
                }
            }
            Expr::Unary(_, operand) => operand.collect_fields(into),
            Expr::Binary(_, left, right) => {
                left.collect_fields(into);
                right.collect_fields(into);
            }
        }
    }

    /// The value; `field` returns the integers of fields.
    pub fn eval(&self, field: &impl Fn(NameId, Reading) -> i128) -> i128 {
        match self {
            Expr::Int(value) => *value,
            Expr::Field(name, reading) => field(*name, *reading),
            Expr::Unary(UnaryOp::Neg, operand) => operand.eval(field).wrapping_neg(),
            Expr::Unary(UnaryOp::Not, operand) => i128::from(operand.eval(field) == 0),
            Expr::Binary(op, left, right) => eval_binary(*op, left.eval(field), right.eval(field)),
        }
    }
}

/// The value of an infix operator.
pub(crate) fn eval_binary(op: BinaryOp, a: i128, b: i128) -> i128 {
    let shift = u32::try_from(b).ok().filter(|shift| *shift < 128);
    match op {
        BinaryOp::Or => i128::from(a != 0 || b != 0),
        BinaryOp::And => i128::from(a != 0 && b != 0),
        BinaryOp::Eq => i128::from(a == b),
        BinaryOp::Ne => i128::from(a != b),
        BinaryOp::Lt => i128::from(a < b),
        BinaryOp::Le => i128::from(a <= b),
        BinaryOp::Gt => i128::from(a > b),
        BinaryOp::Ge => i128::from(a >= b),
        BinaryOp::BitOr => a | b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::Shl => shift.map_or(0, |shift| a << shift),
        BinaryOp::Shr => shift.map_or(0, |shift| a >> shift),
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if b == 0 => 0,
        BinaryOp::Div => a.wrapping_div(b),
    }
}
