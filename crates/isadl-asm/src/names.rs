//! Names in instructions, for the engine: while a file is read, and after layout.

use std::cell::{Cell, RefCell};

use isadl::engine::Names;
use isadl::isa::ExtensionSet;

use crate::expr::{Evaluator, Expr, Reader, Unplaced, Value, at_place};
use crate::symbols::{FragmentOffset, Symbols};

/// Numbers that stand for unknown numbers.
const PRETENDED: [i64; 4] = [0, 1, 16, -16];

/// Which expressions are taken for numbers although they are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pretends {
    Nothing,
    /// Expressions that cannot be an address.
    Numbers(i64),
    /// Whatever is not known.
    All(i64),
}

impl Pretends {
    /// The ways to read a line that does not assemble otherwise. Unknown numbers are pretended for expressions that
    /// must be numbers; with `all`, for every unknown expression.
    pub(crate) fn readings(all: bool) -> impl Iterator<Item = Pretends> {
        let reading = if all { Pretends::All } else { Pretends::Numbers };
        PRETENDED.into_iter().map(reading)
    }
}

/// The names of a file while it is read.
pub(crate) struct Lookup<'a> {
    pub(crate) symbols: &'a RefCell<Symbols>,
    pub(crate) here: FragmentOffset,
    pub(crate) line: &'a str,
    pub(crate) pretends: Pretends,
    /// Whether any were asked for.
    pub(crate) is_requested: Cell<bool>,
    /// The expressions that were read, if anything is pretended.
    pub(crate) readings: RefCell<Vec<Reading>>,
}

/// An expression in a line.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The text to read: its first byte, and the byte after its end.
    text: (usize, usize),
    /// Bytes of the expression.
    length: usize,
    pub(crate) expr: Expr,
}

/// The bytes of a part of a line.
fn place(line: &str, text: &str) -> (usize, usize) {
    let start = (text.as_ptr() as usize).wrapping_sub(line.as_ptr() as usize);
    (start, start.wrapping_add(text.len()))
}

impl Names for Lookup<'_> {
    fn read(&self, text: &str) -> Option<(usize, Option<i128>)> {
        self.is_requested.set(true);
        let mut symbols = self.symbols.borrow_mut();
        let (expr, length) = Reader::new(text, &mut symbols).read().ok()?;
        if let Expr::Number(number) = expr
            && self.pretends == Pretends::Nothing
        {
            return Some((length, Some(number.into())));
        }
        let value = Evaluator::new(&symbols, Unplaced, Some(self.here)).value(&expr);
        let number = match (value, self.pretends) {
            (Ok(Value { add: None, sub: None, number }), _) => Some(number),
            (Ok(Value { sub: None, .. }), Pretends::Numbers(_)) | (_, Pretends::Nothing) => None,
            (_, Pretends::Numbers(number) | Pretends::All(number)) => Some(number),
        };
        if self.pretends != Pretends::Nothing {
            let expr = at_place(expr, self.here);
            let text = place(self.line, text);
            self.readings.borrow_mut().push(Reading { text, length, expr });
        }
        Some((length, number.map(i128::from)))
    }
}

/// An instruction with numbers that are known after layout.
#[derive(Debug)]
pub(crate) struct Deferred {
    pub(crate) line: String,
    pub(crate) readings: Vec<Reading>,
    /// The extensions of its target.
    pub(crate) set: ExtensionSet,
    /// Its size in bytes.
    pub(crate) size: usize,
}

/// The numbers of a deferred instruction.
pub(crate) struct DeferredNames<'a, V: Fn(&Expr) -> Option<i64>> {
    pub(crate) deferred: &'a Deferred,
    pub(crate) value: V,
}

impl<V: Fn(&Expr) -> Option<i64>> Names for DeferredNames<'_, V> {
    fn read(&self, text: &str) -> Option<(usize, Option<i128>)> {
        let text = place(&self.deferred.line, text);
        let found = self.deferred.readings.iter().find(|reading| reading.text == text)?;
        Some((found.length, (self.value)(&found.expr).map(i128::from)))
    }
}
