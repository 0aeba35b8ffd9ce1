//! Expressions: reading them, and their values.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::functions::{MAX_PARAMETERS, NoResult, Numbers};
use crate::symbols::{Binding, Definition, Symbols};
use crate::text::{is_name, name};
pub(crate) use crate::tree::{Expr, Op, at_place};
use crate::tree::{FragmentOffset, FunctionId, SymbolId, compute, negate};

/// Limit on nested operators.
const MAX_DEPTH: u32 = 200;

/// Limit on the length of symbol chains that are evaluated by recursion; beyond it, a value within the chain is found
/// first.
const MAX_CHAIN: u32 = 100;

/// Limit on the operators of an expression, including its symbols' definitions.
const MAX_STEPS: u32 = 100_000;

/// Operators as they are written, the longest first, and how strongly they bind.
const OPERATORS: [(&str, Op, u8); 20] = [
    ("<<", Op::Shl, 6),
    (">>", Op::Shr, 6),
    ("==", Op::Eq, 3),
    ("!=", Op::Ne, 3),
    ("<>", Op::Ne, 3),
    ("<=", Op::Le, 3),
    (">=", Op::Ge, 3),
    ("&&", Op::LogicAnd, 2),
    ("||", Op::LogicOr, 1),
    ("+", Op::Add, 4),
    ("-", Op::Sub, 4),
    ("*", Op::Mul, 6),
    ("/", Op::Div, 6),
    ("%", Op::Rem, 6),
    ("&", Op::And, 5),
    ("|", Op::Or, 5),
    ("^", Op::Xor, 5),
    ("!", Op::OrNot, 5),
    ("<", Op::Lt, 3),
    (">", Op::Gt, 3),
];

/// The reason why a text is not an expression, and the byte of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// Reads expressions.
pub(crate) struct Reader<'t, 's> {
    text: &'t str,
    at: usize,
    symbols: &'s mut Symbols,
    /// The parameters of the function whose body it is.
    parameters: Option<&'t [&'t str]>,
}

impl<'t, 's> Reader<'t, 's> {
    /// A reader of the expression that a text begins with.
    pub(crate) fn new(text: &'t str, symbols: &'s mut Symbols) -> Reader<'t, 's> {
        Reader { text, at: 0, symbols, parameters: None }
    }

    /// A reader of the body of a function.
    pub(crate) fn of_body(
        text: &'t str,
        symbols: &'s mut Symbols,
        parameters: &'t [&'t str],
    ) -> Reader<'t, 's> {
        Reader { text, at: 0, symbols, parameters: Some(parameters) }
    }

    /// The expression, and where it ends.
    pub(crate) fn read(mut self) -> Result<(Expr, usize), Malformed> {
        let expr = self.choice(0)?;
        Ok((expr, self.at))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().bytes().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn fail<R>(&self, message: &str) -> Result<R, Malformed> {
        Err(Malformed { at: self.at, message: message.to_string() })
    }

    /// Parses `condition ? yes : no`, or an expression without `?`.
    fn choice(&mut self, depth: u32) -> Result<Expr, Malformed> {
        let condition = self.binary(1, depth)?;
        let end = self.at;
        self.skip();
        if !self.rest().starts_with('?') {
            self.at = end;
            return Ok(condition);
        }
        self.at += 1;
        let yes = self.choice(depth + 1)?;
        self.expect(":")?;
        let no = self.choice(depth + 1)?;
        Ok(Expr::Choice(Box::new((condition, yes, no))))
    }

    fn expect(&mut self, sign: &str) -> Result<(), Malformed> {
        self.skip();
        if !self.rest().starts_with(sign) {
            return self.fail(&format!("expected `{sign}`"));
        }
        self.at += sign.len();
        Ok(())
    }

    /// Parses a function call, if the name before the parentheses is a function.
    fn call(&mut self, name: &str, depth: u32) -> Option<Result<Expr, Malformed>> {
        let is_called = self.rest().starts_with('(');
        let is_body = self.parameters.is_some();
        let id = is_called.then(|| self.symbols.called(name, is_body))??;
        self.at += 1;
        Some(self.arguments(depth).map(|arguments| Expr::Call(id, arguments.into())))
    }

    fn arguments(&mut self, depth: u32) -> Result<Vec<Expr>, Malformed> {
        let mut arguments = vec![self.choice(depth + 1)?];
        loop {
            self.skip();
            if !self.rest().starts_with(',') {
                break;
            }
            if arguments.len() == MAX_PARAMETERS {
                return self.fail(&format!("functions have at most {MAX_PARAMETERS} parameters"));
            }
            self.at += 1;
            arguments.push(self.choice(depth + 1)?);
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn binary(&mut self, least: u8, depth: u32) -> Result<Expr, Malformed> {
        if depth > MAX_DEPTH {
            return self.fail("this expression is nested too deeply");
        }
        let mut left = self.unary(depth)?;
        let mut count = 0;
        loop {
            let end = self.at;
            self.skip();
            let rest = self.rest();
            let found = operator(rest);
            let Some((sign, op, strength)) = found.filter(|found| found.2 >= least) else {
                self.at = end;
                return Ok(left);
            };
            count += 1;
            if count > 2 * MAX_DEPTH {
                return self.fail("this expression has too many operators");
            }
            self.at += sign.len();
            let right = self.binary(strength + 1, depth + 1)?;
            left = match (&left, &right) {
                (Expr::Number(a), Expr::Number(b))
                    if !matches!((op, b), (Op::Div | Op::Rem, 0)) =>
                {
                    Expr::Number(compute(*op, *a, *b))
                }
                _ => Expr::Binary(*op, Box::new((left, right))),
            };
        }
    }

    fn unary(&mut self, depth: u32) -> Result<Expr, Malformed> {
        if depth > MAX_DEPTH {
            return self.fail("this expression is nested too deeply");
        }
        self.skip();
        let Some(first) = self.rest().bytes().next() else {
            return self.fail("expected an expression, found the end");
        };
        match first {
            b'-' | b'~' | b'!' | b'+' => {
                self.at += 1;
                let operand = self.unary(depth + 1)?;
                Ok(match operand {
                    Expr::Number(number) => Expr::Number(negate(first, number)),
                    operand => Expr::Unary(first, Box::new(operand)),
                })
            }
            b'(' => {
                self.at += 1;
                let inner = self.choice(depth + 1)?;
                self.expect(")")?;
                Ok(inner)
            }
            b'0'..=b'9' => self.number(),
            b'\'' => self.character(),
            b'"' => self.quoted(),
            byte if is_name(byte) => {
                let name = name(self.rest());
                self.at += name.len();
                if name == "." {
                    return Ok(Expr::Here);
                }
                let mut parameters = self.parameters.unwrap_or_default().iter();
                if let Some(index) = parameters.position(|own| *own == name) {
                    return Ok(Expr::Parameter(index as u8));
                }
                self.call(name, depth).unwrap_or_else(|| Ok(self.symbol(name)))
            }
            _ => self.fail("expected an expression"),
        }
    }

    /// A symbol, or its number, which may change.
    fn symbol(&mut self, name: &str) -> Expr {
        let id = self.symbols.intern(name);
        match &self.symbols.get(id).definition {
            Definition::Value(Expr::Number(number), _) => Expr::Number(*number),
            _ => Expr::Symbol(id),
        }
    }

    fn quoted(&mut self) -> Result<Expr, Malformed> {
        let rest = self.rest();
        let Some(length) = rest[1..].find('"') else { return self.fail("expected `\"`") };
        self.at += length + 2;
        Ok(self.symbol(&rest[1..=length]))
    }

    fn number(&mut self) -> Result<Expr, Malformed> {
        let word = name(self.rest());
        let start = self.at;
        self.at += word.len();
        let digits = word.trim_end_matches(['b', 'f']);
        let is_local = digits.len() + 1 == word.len();
        if let Ok(number) = digits.parse()
            && is_local
        {
            return Ok(Expr::Symbol(self.symbols.number(number, word.ends_with('f'))));
        }
        let lower = word.to_ascii_lowercase();
        // Suffixes of C, as in headers: `1U`, `0x10ULL`.
        let bare = lower.trim_end_matches('l');
        let lower = if lower.len() - bare.len() > 2 { lower.as_str() } else { bare };
        let lower = lower.strip_suffix('u').unwrap_or(lower);
        let (radix, digits) = match lower.as_bytes() {
            [b'0', b'x', ..] => (16, &lower[2..]),
            [b'0', b'b', ..] => (2, &lower[2..]),
            [b'0', b'o', ..] => (8, &lower[2..]),
            [b'0', _, ..] => (8, &lower[1..]),
            _ => (10, lower),
        };
        match u64::from_str_radix(digits, radix) {
            Ok(number) => Ok(Expr::Number(number as i64)),
            Err(error) => {
                let is_large = *error.kind() == std::num::IntErrorKind::PosOverflow;
                let message = match is_large {
                    true => format!("`{word}` has more than 64 bits"),
                    false => format!("`{word}` is not a number"),
                };
                Err(Malformed { at: start, message })
            }
        }
    }

    fn character(&mut self) -> Result<Expr, Malformed> {
        let bytes = self.rest().as_bytes();
        let (value, length) = match bytes {
            [_, b'\\', byte, ..] => (escape(*byte), 3),
            [_, byte, ..] if byte.is_ascii() => (Some(*byte), 2),
            _ => (None, 1),
        };
        let Some(value) = value else { return self.fail("expected an ASCII character after `'`") };
        self.at += length + usize::from(bytes.get(length) == Some(&b'\''));
        Ok(Expr::Number(i64::from(value)))
    }
}

/// The operator that a text begins with.
fn operator(text: &str) -> Option<&'static (&'static str, Op, u8)> {
    let first = *text.as_bytes().first()?;
    let mut own = OPERATORS.iter().filter(|(sign, ..)| sign.as_bytes()[0] == first);
    own.find(|(sign, ..)| text.starts_with(sign))
}

/// The byte that a letter after `\` stands for.
pub(crate) fn escape(letter: u8) -> Option<u8> {
    Some(match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'0' => 0,
        b'\\' | b'\'' | b'"' => letter,
        _ => return None,
    })
}

/// A symbol or a place in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Term {
    Symbol(SymbolId),
    FragmentOffset(FragmentOffset),
}

/// A value: a number plus one address minus another; both addresses are optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) add: Option<Term>,
    pub(crate) sub: Option<Term>,
    pub(crate) number: i64,
}

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoValue {
    DivisionByZero,
    /// A symbol stands for itself.
    Circle(SymbolId),
    /// The value of this symbol must be found first.
    First(SymbolId),
    /// An operator has an operand that is not a number yet.
    NotNumber,
    /// A function does not give a value.
    Call(FunctionId, NoResult),
}

/// Provides known distances between locations.
pub(crate) trait Distances {
    /// The distance from the second place to the first, if it is known.
    fn distance(&self, to: FragmentOffset, from: FragmentOffset) -> Option<i64>;
}

/// While a file is read, only locations in the same fragment have known distances.
pub(crate) struct Unplaced;

impl Distances for Unplaced {
    fn distance(&self, to: FragmentOffset, from: FragmentOffset) -> Option<i64> {
        let is_same = (to.section, to.fragment) == (from.section, from.fragment);
        is_same.then(|| i64::from(to.offset) - i64::from(from.offset))
    }
}

/// Finds the values of expressions.
pub(crate) struct Evaluator<'s, D> {
    pub(crate) symbols: &'s Symbols,
    pub(crate) distances: D,
    /// The location of [`Expr::Here`].
    pub(crate) here: Option<FragmentOffset>,
    /// How many operators may still be computed.
    pub(crate) steps: Cell<u32>,
    /// Values of symbols that others are defined by.
    known: RefCell<HashMap<SymbolId, Value>>,
}

impl<'s, D: Distances> Evaluator<'s, D> {
    pub(crate) fn new(symbols: &'s Symbols, distances: D, here: Option<FragmentOffset>) -> Self {
        let (steps, known) = (Cell::new(MAX_STEPS), RefCell::default());
        Evaluator { symbols, distances, here, steps, known }
    }

    /// How many operators were computed.
    pub(crate) fn used(&self) -> u32 {
        MAX_STEPS - self.steps.get()
    }
}

impl<D: Distances> Evaluator<'_, D> {
    /// The value of an expression.
    pub(crate) fn value(&self, expr: &Expr) -> Result<Value, NoValue> {
        self.whole_value(expr, 0)
    }

    /// The value of a symbol's definition in which no symbol is defined by another symbol.
    pub(crate) fn definition(&self, expr: &Expr) -> Result<Value, NoValue> {
        self.whole_value(expr, 1)
    }

    /// The value of a symbol that is defined by others; it is kept for those that are defined by it.
    pub(crate) fn shortened(&self, id: SymbolId) -> Option<Value> {
        let Definition::Value(expr, _) = &self.symbols.get(id).definition else { return None };
        if matches!(expr, Expr::Number(_)) {
            return None;
        }
        self.steps.set(MAX_STEPS);
        let value = self.definition(expr).ok()?;
        self.known.borrow_mut().insert(id, value);
        Some(value)
    }

    /// The value of an expression that is a number.
    pub(crate) fn number(&self, expr: &Expr) -> Result<i64, NoValue> {
        only_number(self.value(expr)?)
    }

    /// The value of an expression; symbols can be defined by each other in chains of any length.
    fn whole_value(&self, expr: &Expr, chain: u32) -> Result<Value, NoValue> {
        let mut waiting: Vec<SymbolId> = Vec::new();
        loop {
            let last = waiting.last();
            let result = match last.map(|id| &self.symbols.get(*id).definition) {
                Some(Definition::Value(value, _)) => self.value_at(value, 1),
                _ => self.value_at(expr, chain),
            };
            match (result, last) {
                (Err(NoValue::First(id)), _) if waiting.contains(&id) => {
                    return Err(NoValue::Circle(id));
                }
                (Err(NoValue::First(id)), _) => waiting.push(id),
                (Ok(value), Some(id)) => {
                    self.known.borrow_mut().insert(*id, value);
                    waiting.pop();
                }
                (result, _) => return result,
            }
        }
    }

    /// The location of a term, if it is in this file.
    pub(crate) fn place(&self, term: Term) -> Option<FragmentOffset> {
        match term {
            Term::FragmentOffset(place) => Some(place),
            Term::Symbol(id) => match &self.symbols.get(id).definition {
                Definition::Label(place) => Some(*place),
                Definition::Value(value, _) => {
                    let value = self.definition(value).ok().filter(|value| value.sub.is_none())?;
                    let FragmentOffset { section, fragment, offset } = self.label(value.add?)?;
                    let offset = u32::try_from(i64::from(offset) + value.number).ok()?;
                    Some(FragmentOffset { section, fragment, offset })
                }
                _ => None,
            },
        }
    }

    /// The location of a term that is not defined by another term.
    fn label(&self, term: Term) -> Option<FragmentOffset> {
        match term {
            Term::FragmentOffset(place) => Some(place),
            Term::Symbol(id) => match self.symbols.get(id).definition {
                Definition::Label(place) => Some(place),
                _ => None,
            },
        }
    }

    /// The value of a symbol that is defined by an expression. A symbol that is visible to other files stays a symbol
    /// if it is a location, since another file may define it.
    fn symbol_at(&self, (id, value): (SymbolId, &Expr), chain: u32) -> Result<Value, NoValue> {
        let known = self.known.borrow().get(&id).copied();
        let value = match known {
            Some(value) => value,
            None if chain < MAX_CHAIN => {
                let value = self.value_at(value, chain + 1)?;
                // The symbols before it in its chain ask for it again.
                if chain > 1 {
                    self.known.borrow_mut().insert(id, value);
                }
                value
            }
            None => return Err(NoValue::First(id)),
        };
        let is_seen = chain == 0
            && value.sub.is_none()
            && matches!(self.symbols.get(id).binding, Some(Binding::Global | Binding::Weak))
            && value.add.is_some_and(|term| self.label(term).is_some());
        Ok(if is_seen {
            Value { add: Some(Term::Symbol(id)), sub: None, number: 0 }
        } else {
            value
        })
    }

    fn value_at(&self, expr: &Expr, chain: u32) -> Result<Value, NoValue> {
        self.steps.set(self.steps.get().checked_sub(1).ok_or(NoValue::NotNumber)?);
        let number = |number| Value { add: None, sub: None, number };
        let term = |term| Value { add: Some(term), sub: None, number: 0 };
        match expr {
            Expr::Number(value) => Ok(number(*value)),
            Expr::Here => Ok(self.here.map_or(number(0), |here| term(Term::FragmentOffset(here)))),
            Expr::FragmentOffset(place) => Ok(term(Term::FragmentOffset(*place))),
            Expr::Symbol(id) => match &self.symbols.get(*id).definition {
                Definition::Value(value, _) => self.symbol_at((*id, value), chain),
                _ => Ok(term(Term::Symbol(*id))),
            },
            Expr::Unary(sign, operand) => {
                let value = self.value_at(operand, chain)?;
                match value {
                    Value { add: None, sub: None, number: own } => Ok(number(negate(*sign, own))),
                    Value { add, sub, number } if *sign == b'-' => {
                        Ok(Value { add: sub, sub: add, number: number.wrapping_neg() })
                    }
                    value if *sign == b'+' => Ok(value),
                    _ => Err(NoValue::NotNumber),
                }
            }
            Expr::Binary(op, operands) => {
                let a = self.value_at(&operands.0, chain)?;
                let b = self.value_at(&operands.1, chain)?;
                self.combined(*op, a, b)
            }
            Expr::Choice(operands) => {
                let (condition, yes, no) = &**operands;
                let holds = self.number_at(condition, chain)? != 0;
                self.value_at(if holds { yes } else { no }, chain)
            }
            Expr::Call(id, given) => {
                let mut values = [0; MAX_PARAMETERS];
                let values = values.get_mut(..given.len()).ok_or(NoValue::NotNumber)?;
                for (value, expr) in values.iter_mut().zip(given) {
                    *value = self.number_at(expr, chain)?;
                }
                let numbers = Numbers { symbols: self.symbols, steps: &self.steps };
                let result = numbers.call(*id, values, 0).map(number);
                result.map_err(|(id, why)| NoValue::Call(id, why))
            }
            Expr::Parameter(_) => Err(NoValue::NotNumber),
        }
    }

    fn number_at(&self, expr: &Expr, chain: u32) -> Result<i64, NoValue> {
        only_number(self.value_at(expr, chain)?)
    }

    fn combined(&self, op: Op, a: Value, b: Value) -> Result<Value, NoValue> {
        let is_number = |value: Value| value.add.is_none() && value.sub.is_none();
        if is_number(a) && is_number(b) {
            if matches!(op, Op::Div | Op::Rem) && b.number == 0 {
                return Err(NoValue::DivisionByZero);
            }
            return Ok(Value { number: compute(op, a.number, b.number), ..a });
        }
        let b = match op {
            Op::Add => b,
            Op::Sub => Value { add: b.sub, sub: b.add, number: b.number.wrapping_neg() },
            // Addresses are compared by their distance.
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let distance = self.combined(Op::Sub, a, b)?;
                let zero = Value { add: None, sub: None, number: 0 };
                return match is_number(distance) {
                    true => self.combined(op, distance, zero),
                    false => Err(NoValue::NotNumber),
                };
            }
            _ => return Err(NoValue::NotNumber),
        };
        let mut add: Vec<Term> = a.add.into_iter().chain(b.add).collect();
        let mut sub: Vec<Term> = a.sub.into_iter().chain(b.sub).collect();
        let mut number = a.number.wrapping_add(b.number);
        let mut at = 0;
        while at < add.len() {
            let known = sub
                .iter()
                .enumerate()
                .find_map(|(index, other)| Some((index, self.distance(add[at], *other)?)));
            match known {
                Some((index, distance)) => {
                    number = number.wrapping_add(distance);
                    add.remove(at);
                    sub.remove(index);
                }
                None => at += 1,
            }
        }
        match (add.as_slice(), sub.as_slice()) {
            ([] | [_], [] | [_]) => {
                Ok(Value { add: add.first().copied(), sub: sub.first().copied(), number })
            }
            _ => Err(NoValue::NotNumber),
        }
    }

    fn distance(&self, to: Term, from: Term) -> Option<i64> {
        if to == from {
            return Some(0);
        }
        self.distances.distance(self.place(to)?, self.place(from)?)
    }
}

fn only_number(value: Value) -> Result<i64, NoValue> {
    match value {
        Value { add: None, sub: None, number } => Ok(number),
        _ => Err(NoValue::NotNumber),
    }
}
