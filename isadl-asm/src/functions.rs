//! Functions of expressions: the values of their bodies, in which all is numbers.

use std::cell::Cell;

use crate::symbols::{Definition, Symbols};
use crate::tree::{Expr, FunctionId, Meaning, Op, compute, negate};

/// Most parameters of a function.
pub(crate) const MAX_PARAMETERS: usize = 8;

/// How deeply bodies and the calls in them may be nested.
const MAX_DEPTH: u32 = 1000;

/// Computes calls of functions.
pub(crate) struct Numbers<'s> {
    pub(crate) symbols: &'s Symbols,
    /// How many operators may still be computed.
    pub(crate) steps: &'s Cell<u32>,
}

impl Numbers<'_> {
    /// The value of a function; `None` if there is none, such as where it never ends.
    pub(crate) fn call(&self, id: FunctionId, arguments: &[i64], depth: u32) -> Option<i64> {
        let function = self.symbols.function(id);
        match &function.meaning {
            _ if function.parameters != arguments.len() => None,
            Meaning::None => None,
            Meaning::Known(compute) => Some(compute(arguments[0])),
            Meaning::Body(body) => self.number(body, arguments, depth + 1),
        }
    }

    fn number(&self, expr: &Expr, arguments: &[i64], depth: u32) -> Option<i64> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        let depth = Some(depth + 1).filter(|depth| *depth < MAX_DEPTH)?;
        match expr {
            Expr::Number(number) => Some(*number),
            Expr::Parameter(index) => arguments.get(usize::from(*index)).copied(),
            Expr::Symbol(id) => match &self.symbols.get(*id).definition {
                Definition::Value(value, _) => self.number(value, &[], depth),
                _ => None,
            },
            Expr::Unary(sign, operand) => {
                Some(negate(*sign, self.number(operand, arguments, depth)?))
            }
            Expr::Binary(op, operands) => {
                let a = self.number(&operands.0, arguments, depth)?;
                let b = self.number(&operands.1, arguments, depth)?;
                let is_defined = b != 0 || !matches!(op, Op::Div | Op::Rem);
                is_defined.then(|| compute(*op, a, b))
            }
            Expr::Choice(operands) => {
                let (condition, yes, no) = &**operands;
                let holds = self.number(condition, arguments, depth)? != 0;
                self.number(if holds { yes } else { no }, arguments, depth)
            }
            Expr::Call(id, given) => {
                let mut values = [0; MAX_PARAMETERS];
                let values = values.get_mut(..given.len())?;
                for (value, expr) in values.iter_mut().zip(given) {
                    *value = self.number(expr, arguments, depth)?;
                }
                self.call(*id, values, depth)
            }
            Expr::Here | Expr::Place(_) => None,
        }
    }
}
