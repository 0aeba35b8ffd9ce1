//! Expressions over the fields of an instruction, and their values.

use super::{ExtensionCondition, ExtensionSet, NameId};
use crate::isa::low_bits;
use isadl_base::vocabulary::{BinaryOp, Function, UnaryOp};

/// How the bits of a field become an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// A checked expression over the fields of an instruction.
///
/// Arithmetic is on 128-bit integers and wraps. A division by zero gives 0. A shift by a negative number or by 128 and
/// more gives 0. Comparisons and `and`, `or`, `not` give 0 or 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Expr {
    /// A number.
    Int(i128),
    /// The value of a field.
    Field(NameId, Reading),
    /// 1 in sets of extensions that meet a condition, else 0; 0 where the set is not known.
    Extensions(ExtensionCondition),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A function of as many arguments as it takes.
    Call(Function, Vec<Expr>),
}

impl Expr {
    /// The fields that occur, without repetition, in order of appearance.
    pub fn fields(&self) -> Vec<NameId> {
        let mut names = Vec::new();
        self.collect_fields(&mut names);
        names
    }

    /// The number of its operators and operands.
    pub fn size(&self) -> u64 {
        match self {
            Expr::Int(_) | Expr::Field(..) | Expr::Extensions(_) => 1,
            Expr::Unary(_, operand) => 1 + operand.size(),
            Expr::Binary(_, left, right) => 1 + left.size() + right.size(),
            Expr::Call(_, arguments) => 1 + arguments.iter().map(Expr::size).sum::<u64>(),
        }
    }

    /// Restricts the expression: it holds only where the extensions also meet the condition.
    pub fn within(self, presence: &ExtensionCondition) -> Expr {
        match presence.is_always() {
            true => self,
            false => {
                let has = Box::new(Expr::Extensions(presence.clone()));
                Expr::Binary(BinaryOp::And, has, Box::new(self))
            }
        }
    }

    /// The sets of extensions of `within`, and the expression there.
    pub fn apart(&self) -> (Option<&ExtensionCondition>, &Expr) {
        match self {
            Expr::Binary(BinaryOp::And, has, inner) => match has.as_ref() {
                Expr::Extensions(presence) => (Some(presence), inner),
                _ => (None, self),
            },
            _ => (None, self),
        }
    }

    /// The extensions that its value depends on.
    pub fn extensions(&self) -> ExtensionSet {
        match self {
            Expr::Extensions(presence) => presence.support(),
            Expr::Int(_) | Expr::Field(..) => 0,
            Expr::Unary(_, operand) => operand.extensions(),
            Expr::Binary(_, left, right) => left.extensions() | right.extensions(),
            Expr::Call(_, arguments) => {
                arguments.iter().fold(0, |set, argument| set | argument.extensions())
            }
        }
    }

    /// The expression as it is in a set of extensions.
    pub fn in_set(&self, set: ExtensionSet) -> Expr {
        self.put_in(&|_, _| None, Some(set))
    }

    /// Substitutes the known integers of some fields and simplifies the result.
    pub fn given(&self, field: &impl Fn(NameId, Reading) -> Option<i128>) -> Expr {
        self.put_in(field, None)
    }

    fn put_in(
        &self,
        field: &impl Fn(NameId, Reading) -> Option<i128>,
        set: Option<ExtensionSet>,
    ) -> Expr {
        match self {
            Expr::Int(value) => Expr::Int(*value),
            Expr::Extensions(presence) => match set {
                Some(set) => Expr::Int(i128::from(presence.holds(set))),
                None => self.clone(),
            },
            Expr::Field(name, reading) => match field(*name, *reading) {
                Some(value) => Expr::Int(value),
                None => self.clone(),
            },
            Expr::Unary(op, operand) => {
                let whole = Expr::Unary(*op, Box::new(operand.put_in(field, set)));
                whole.if_known().map_or(whole, Expr::Int)
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (left.put_in(field, set), right.put_in(field, set));
                let decisive = [&left, &right].into_iter().find_map(|side| match (op, side) {
                    (BinaryOp::Or, Expr::Int(value)) if *value != 0 => Some(1),
                    (BinaryOp::And, Expr::Int(0)) => Some(0),
                    _ => None,
                });
                let whole = Expr::Binary(*op, Box::new(left), Box::new(right));
                decisive.or_else(|| whole.if_known()).map_or(whole, Expr::Int)
            }
            Expr::Call(function, arguments) => {
                let whole = Expr::Call(
                    *function,
                    arguments.iter().map(|one| one.put_in(field, set)).collect(),
                );
                whole.if_known().map_or(whole, Expr::Int)
            }
        }
    }

    /// Replaces the expression's field by another expression.
    pub fn with_field(&self, other: &Expr) -> Expr {
        self.with_fields(&|_, _| Some(other.clone()))
    }

    /// The expression with others in the places of some fields.
    pub fn with_fields(&self, other: &impl Fn(NameId, Reading) -> Option<Expr>) -> Expr {
        let with = |one: &Expr| Box::new(one.with_fields(other));
        match self {
            Expr::Int(_) | Expr::Extensions(_) => self.clone(),
            Expr::Field(name, reading) => other(*name, *reading).unwrap_or_else(|| self.clone()),
            Expr::Unary(op, operand) => Expr::Unary(*op, with(operand)),
            Expr::Binary(op, left, right) => Expr::Binary(*op, with(left), with(right)),
            Expr::Call(function, arguments) => {
                let arguments = arguments.iter().map(|one| one.with_fields(other));
                Expr::Call(*function, arguments.collect())
            }
        }
    }

    /// The value of operators on numbers alone.
    pub(crate) fn if_known(&self) -> Option<i128> {
        let is_known = self.fields().is_empty() && self.extensions() == 0;
        is_known.then(|| self.eval(&|_, _| 0))
    }

    fn collect_fields(&self, into: &mut Vec<NameId>) {
        match self {
            Expr::Int(_) | Expr::Extensions(_) => {}
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
            Expr::Call(_, arguments) => {
                arguments.iter().for_each(|argument| argument.collect_fields(into));
            }
        }
    }

    /// The value where the set of extensions is not known; `field` returns the integers of fields.
    pub fn eval(&self, field: &impl Fn(NameId, Reading) -> i128) -> i128 {
        match self {
            Expr::Int(value) => *value,
            Expr::Field(name, reading) => field(*name, *reading),
            Expr::Extensions(presence) => i128::from(presence.is_always()),
            Expr::Unary(UnaryOp::Neg, operand) => operand.eval(field).wrapping_neg(),
            Expr::Unary(UnaryOp::Not, operand) => i128::from(operand.eval(field) == 0),
            Expr::Unary(UnaryOp::BitNot, operand) => !operand.eval(field),
            Expr::Binary(op, left, right) => eval_binary(*op, left.eval(field), right.eval(field)),
            Expr::Call(Function::If, arguments) => match arguments.as_slice() {
                [condition, a, _] if condition.eval(field) != 0 => a.eval(field),
                [.., b] => b.eval(field),
                [] => 0,
            },
            Expr::Call(function, arguments) => {
                let mut values = arguments.iter().map(|argument| argument.eval(field));
                let mut next = || values.next().unwrap_or(0);
                eval_call(*function, [next(), next(), next()])
            }
        }
    }
}

/// The value of an infix operator.
pub fn eval_binary(op: BinaryOp, a: i128, b: i128) -> i128 {
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
        BinaryOp::BitXor => a ^ b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::Shl => shift.map_or(0, |shift| a << shift),
        BinaryOp::Shr => shift.map_or(0, |shift| a >> shift),
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if b == 0 => 0,
        BinaryOp::Div => a.wrapping_div(b),
        BinaryOp::Rem if b == 0 => 0,
        BinaryOp::Rem => a.wrapping_rem(b),
    }
}

/// Evaluates a function. A function of two arguments ignores the third. A width outside 1 to 128 gives 0.
pub fn eval_call(function: Function, [a, b, c]: [i128; 3]) -> i128 {
    let width = |width: i128| u32::try_from(width).ok().filter(|width| (1..=128).contains(width));
    match function {
        Function::If => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Function::Ror => {
            let Some(width) = width(c) else { return 0 };
            let (x, by) = (a as u128 & low_bits(width), b.rem_euclid(i128::from(width)) as u32);
            let up = x.checked_shl(width - by).unwrap_or(0);
            ((x >> by | up) & low_bits(width)) as i128
        }
        Function::Repeat => {
            let Some(width) = width(b) else { return 0 };
            let x = a as u128 & low_bits(width);
            let places = (0..128).step_by(width as usize).take(c.clamp(0, 128) as usize);
            places.fold(0, |all, place| all | x << place) as i128
        }
        Function::Clz => {
            let Some(width) = width(b) else { return 0 };
            i128::from((a as u128 & low_bits(width)).leading_zeros()) - i128::from(128 - width)
        }
    }
}
