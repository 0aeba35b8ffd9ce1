//! Functions in expressions: evaluates their bodies, in which all values are numbers.

use std::cell::Cell;

use crate::symbols::{Definition, Symbols};
use crate::tree::{Expr, FunctionId, Meaning, Op, compute, negate};

/// Limit on the parameters of a function.
pub(crate) const MAX_PARAMETERS: usize = 8;

/// How deeply bodies and the calls in them may be nested.
const MAX_DEPTH: u32 = 1000;

/// Why a function does not give a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoResult {
    /// It is not defined.
    Undefined,
    /// It has another number of parameters than the arguments that are given.
    Arguments(usize),
    /// It takes too many steps, or calls that are too deep.
    Endless,
    DivisionByZero,
    /// A symbol in it is not a number.
    NotNumber,
}

/// The error in place of a function's value.
type Failed = (FunctionId, NoResult);

/// Computes calls of functions.
pub(crate) struct Numbers<'s> {
    pub(crate) symbols: &'s Symbols,
    /// How many operators may still be computed.
    pub(crate) steps: &'s Cell<u32>,
}

impl Numbers<'_> {
    /// The value of a function.
    pub(crate) fn call(
        &self,
        id: FunctionId,
        arguments: &[i64],
        depth: u32,
    ) -> Result<i64, Failed> {
        let function = self.symbols.function(id);
        match &function.meaning {
            Meaning::None => Err((id, NoResult::Undefined)),
            _ if function.parameters != arguments.len() => {
                Err((id, NoResult::Arguments(arguments.len())))
            }
            Meaning::Known(compute) => Ok(compute(arguments[0])),
            Meaning::Body(body) => self.number(body, (id, arguments), depth + 1),
        }
    }

    /// The value of an expression in the body of a function.
    fn number(&self, expr: &Expr, within: (FunctionId, &[i64]), depth: u32) -> Result<i64, Failed> {
        let fail = |why| Err((within.0, why));
        let Some(steps) = self.steps.get().checked_sub(1).filter(|_| depth < MAX_DEPTH) else {
            return fail(NoResult::Endless);
        };
        self.steps.set(steps);
        let depth = depth + 1;
        match expr {
            Expr::Number(number) => Ok(*number),
            Expr::Parameter(index) => match within.1.get(usize::from(*index)) {
                Some(argument) => Ok(*argument),
                None => fail(NoResult::NotNumber),
            },
            Expr::Symbol(id) => match &self.symbols.get(*id).definition {
                Definition::Value(value, _) => self.number(value, (within.0, &[]), depth),
                _ => fail(NoResult::NotNumber),
            },
            Expr::Unary(sign, operand) => Ok(negate(*sign, self.number(operand, within, depth)?)),
            Expr::Binary(op, operands) => {
                let a = self.number(&operands.0, within, depth)?;
                let b = self.number(&operands.1, within, depth)?;
                match op {
                    Op::Div | Op::Rem if b == 0 => fail(NoResult::DivisionByZero),
                    _ => Ok(compute(*op, a, b)),
                }
            }
            Expr::Choice(operands) => {
                let (condition, yes, no) = &**operands;
                let holds = self.number(condition, within, depth)? != 0;
                self.number(if holds { yes } else { no }, within, depth)
            }
            Expr::Call(id, given) => {
                let mut values = [0; MAX_PARAMETERS];
                let values = values.get_mut(..given.len());
                let values = values.ok_or((*id, NoResult::Arguments(given.len())))?;
                for (value, expr) in values.iter_mut().zip(given) {
                    *value = self.number(expr, within, depth)?;
                }
                self.call(*id, values, depth)
            }
            Expr::Here | Expr::FragmentOffset(_) => fail(NoResult::NotNumber),
        }
    }
}
