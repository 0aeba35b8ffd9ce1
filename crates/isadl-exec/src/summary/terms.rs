//! Expressions over what an instruction reads. Equal expressions have one number.

use std::collections::HashMap;

use isadl::isa::Register;
use isadl::semantics::ir::{BinaryOp, UnaryOp};

use crate::lower::known::{binary, lowest, signed, unary};

/// Where a value is kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// A register of a file. Where several lanes do an instruction together, it is the register of a lane.
    Register(Register),
    /// A register outside of files, by its name.
    Kept(String),
}

/// A value that an expression begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'s> {
    /// What a location has before the instruction.
    Location(&'s Location),
    /// What a load yields: the number of the access in [`Summary::accesses`](super::Summary::accesses).
    Loaded(usize),
}

/// An expression: its number in its [`Summary`](super::Summary).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

/// How a term is computed. Operands come before it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Constant(u128),
    Read(Location),
    Loaded(usize),
    Unary(UnaryOp, Term),
    Binary(BinaryOp, Term, Term),
    Extend {
        of: Term,
        is_signed: bool,
    },
    Extract {
        of: Term,
        low: u32,
    },
    /// The first at the top.
    Concat(Vec<Term>),
    Select {
        condition: Term,
        yes: Term,
        no: Term,
    },
    /// Not known; each has a number of its own.
    Unknown(usize),
}

/// The terms of a summary.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    nodes: Vec<(Node, u32)>,
    known: HashMap<(Node, u32), Term>,
}

impl Terms {
    pub(super) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize].0
    }

    /// The number of bits.
    pub(super) fn width(&self, term: Term) -> u32 {
        self.nodes[term.0 as usize].1
    }

    fn add(&mut self, node: Node, width: u32) -> Term {
        let key = (node, width);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(key.clone());
        self.known.insert(key, term);
        term
    }

    pub(super) fn unknown(&mut self, width: u32) -> Term {
        self.add(Node::Unknown(self.nodes.len()), width)
    }

    pub(super) fn read(&mut self, location: Location, width: u32) -> Term {
        self.add(Node::Read(location), width)
    }

    pub(super) fn loaded(&mut self, access: usize, width: u32) -> Term {
        self.add(Node::Loaded(access), width)
    }

    pub(super) fn constant(&mut self, value: u128, width: u32) -> Term {
        match width <= 128 || value == 0 {
            true => self.add(Node::Constant(lowest(value, width)), width),
            false => self.unknown(width),
        }
    }

    pub(super) fn value_of(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, of: Term, width: u32) -> Term {
        let bits = self.width(of);
        match self.value_of(of).filter(|_| bits <= 128) {
            Some(value) => self.constant(unary(op, value, bits), width),
            None if (op, width) == (UnaryOp::Not, 1) => self.not(of),
            None => self.add(Node::Unary(op, of), width),
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Term, b: Term, width: u32) -> Term {
        let bits = self.width(a);
        let (x, y) = (self.value_of(a), self.value_of(b));
        if let Some((x, y)) = x.zip(y).filter(|_| bits <= 128)
            && let Some(value) = binary(op, x, y, bits)
        {
            return self.constant(value, width);
        }
        if let Some(simple) = self.simple(op, (a, x), (b, y), width) {
            return simple;
        }
        // The same for both orders; a constant stays on the right.
        use BinaryOp::{Add, And, Equal, Mul, Or, Xor};
        let is_turned = matches!(op, Add | And | Equal | Mul | Or | Xor)
            && if y.is_some() { false } else { x.is_some() || a > b };
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        self.add(Node::Binary(op, a, b), width)
    }

    /// An operation that needs none, or a sum with its constant on the right.
    fn simple(
        &mut self,
        op: BinaryOp,
        (a, x): (Term, Option<u128>),
        (b, y): (Term, Option<u128>),
        width: u32,
    ) -> Option<Term> {
        use BinaryOp::{
            Add, And, Equal, LessSigned, LessUnsigned, Mul, Or, RotateLeft, Shl, ShrSigns,
            ShrZeros, Sub, Xor,
        };
        let bits = self.width(a);
        let all = (bits <= 128).then(|| lowest(u128::MAX, bits));
        Some(match (op, x, y) {
            (Add | Or | Xor, Some(0), _) => b,
            (Add | Or | Xor | Sub | Shl | ShrZeros | ShrSigns | RotateLeft, _, Some(0)) => a,
            (And | Mul, Some(0), _) | (And | Mul, _, Some(0)) => self.constant(0, width),
            (And, Some(x), _) if Some(x) == all => b,
            (And, _, Some(y)) if Some(y) == all => a,
            (Mul, Some(1), _) => b,
            (Mul, _, Some(1)) => a,
            (And | Or, ..) if a == b => a,
            (Xor | Sub, ..) if a == b => self.constant(0, width),
            (Equal, ..) if a == b => self.constant(1, 1),
            (Equal, _, Some(1)) if bits == 1 => a,
            (Equal, _, Some(0)) if bits == 1 => self.not(a),
            (Equal, Some(1), _) if bits == 1 => b,
            (Equal, Some(0), _) if bits == 1 => self.not(b),
            (LessSigned | LessUnsigned, ..) if a == b => self.constant(0, 1),
            (Add, Some(_), None) => self.binary(Add, b, a, width),
            (Sub, None, Some(y)) if bits <= 128 => {
                let negative = self.constant(y.wrapping_neg(), bits);
                self.binary(Add, a, negative, width)
            }
            (Add, None, Some(y)) if bits <= 128 => match *self.node(a) {
                Node::Binary(Add, inner, constant) => {
                    let before = self.value_of(constant)?;
                    let sum = self.constant(before.wrapping_add(y), bits);
                    self.binary(Add, inner, sum, width)
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    pub(super) fn extend(&mut self, of: Term, is_signed: bool, width: u32) -> Term {
        let bits = self.width(of);
        if bits >= width {
            return of;
        }
        if let Some(value) = self.value_of(of).filter(|_| bits <= 128 && width <= 128) {
            let value = if is_signed { signed(value, bits) as u128 } else { value };
            return self.constant(value, width);
        }
        self.add(Node::Extend { of, is_signed }, width)
    }

    pub(super) fn extract(&mut self, of: Term, low: u32, width: u32) -> Term {
        let bits = self.width(of);
        if low == 0 && width == bits {
            return of;
        }
        match self.node(of).clone() {
            Node::Constant(value) => self.constant(value.checked_shr(low).unwrap_or(0), width),
            Node::Extract { of, low: below } => self.extract(of, low + below, width),
            Node::Extend { of, .. } if low + width <= self.width(of) => {
                self.extract(of, low, width)
            }
            Node::Extend { of, is_signed: false } if low >= self.width(of) => {
                self.constant(0, width)
            }
            Node::Concat(parts) => self.extract_part(of, &parts, low, width),
            _ => self.add(Node::Extract { of, low }, width),
        }
    }

    /// Bits of values side by side: of one of them, if they are in it.
    fn extract_part(&mut self, of: Term, parts: &[Term], low: u32, width: u32) -> Term {
        let mut begin = 0;
        for part in parts.iter().rev() {
            let bits = self.width(*part);
            if low >= begin && low + width <= begin + bits {
                return self.extract(*part, low - begin, width);
            }
            begin += bits;
        }
        self.add(Node::Extract { of, low }, width)
    }

    /// Values side by side, the first at the top.
    pub(super) fn concat(&mut self, parts: &[Term]) -> Term {
        let mut all: Vec<Term> = Vec::new();
        for part in parts {
            let joined = all.last().and_then(|above| self.joined(*above, *part));
            match joined {
                Some(joined) => {
                    all.pop();
                    all.push(joined);
                }
                None => all.push(*part),
            }
        }
        match all.as_slice() {
            [one] => *one,
            _ => {
                let width = all.iter().map(|part| self.width(*part)).sum();
                self.add(Node::Concat(all), width)
            }
        }
    }

    /// Two neighbouring values as one: constants, zeros above a value, or bits of the same value.
    fn joined(&mut self, above: Term, below: Term) -> Option<Term> {
        let (high, low) = (self.width(above), self.width(below));
        if self.value_of(above) == Some(0) && self.value_of(below).is_none() {
            return Some(self.extend(below, false, high + low));
        }
        if let Some((above, below)) = self.value_of(above).zip(self.value_of(below))
            && high + low <= 128
        {
            return Some(self.constant(above << low | below, high + low));
        }
        let bits = |own: &Self, term: Term| match own.node(term) {
            Node::Extract { of, low } => (*of, *low),
            _ => (term, 0),
        };
        let ((of, begin), (same, end)) = (bits(self, above), bits(self, below));
        (of == same && end + low == begin).then(|| self.extract(of, end, high + low))
    }

    pub(super) fn select(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        match self.value_of(condition) {
            Some(0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => {
                let width = self.width(yes);
                match (width, self.value_of(yes), self.value_of(no)) {
                    (1, Some(1), _) => self.binary(BinaryOp::Or, condition, no, 1),
                    (1, _, Some(0)) => self.binary(BinaryOp::And, condition, yes, 1),
                    (1, Some(_), _) => {
                        let not = self.not(condition);
                        self.binary(BinaryOp::And, not, no, 1)
                    }
                    (1, _, Some(_)) => {
                        let not = self.not(condition);
                        self.binary(BinaryOp::Or, not, yes, 1)
                    }
                    _ => self.add(Node::Select { condition, yes, no }, width),
                }
            }
        }
    }

    pub(super) fn both(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinaryOp::And, a, b, 1)
    }

    /// Every bit inverted. Of a condition its parts are inverted, so that opposites have the same form.
    pub(super) fn not(&mut self, of: Term) -> Term {
        use BinaryOp::{And, Or};
        let width = self.width(of);
        match *self.node(of) {
            Node::Unary(UnaryOp::Not, inner) => inner,
            Node::Binary(op @ (And | Or), a, b) if width == 1 => {
                let (a, b) = (self.not(a), self.not(b));
                self.binary(if op == And { Or } else { And }, a, b, 1)
            }
            Node::Select { condition, yes, no } if width == 1 => {
                let (yes, no) = (self.not(yes), self.not(no));
                self.select(condition, yes, no)
            }
            Node::Constant(value) if width <= 128 => self.constant(!value, width),
            _ => self.add(Node::Unary(UnaryOp::Not, of), width),
        }
    }

    /// A location, or none, and the constant that is added to it; `None` if the term is something else.
    pub(super) fn sum(&self, term: Term) -> Option<(Option<&Location>, i128)> {
        let width = self.width(term);
        if width > 128 {
            return None;
        }
        match self.node(term) {
            Node::Constant(value) => Some((None, signed(*value, width))),
            Node::Read(location) => Some((Some(location), 0)),
            Node::Binary(BinaryOp::Add, a, b) => match (self.node(*a), self.value_of(*b)) {
                (Node::Read(location), Some(value)) => Some((Some(location), signed(value, width))),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a term.
    pub(super) fn evaluate(
        &self,
        term: Term,
        mut read: impl FnMut(Source<'_>) -> Option<u128>,
    ) -> Option<u128> {
        let is_needed = self.needed(term);
        // Operands come before what is computed of them.
        let mut values: Vec<Option<u128>> = Vec::with_capacity(is_needed.len());
        for (at, is_needed) in is_needed.into_iter().enumerate() {
            let (node, width) = &self.nodes[at];
            let found = match node {
                _ if !is_needed || *width > 128 => None,
                Node::Read(location) => read(Source::Location(location)),
                Node::Loaded(access) => read(Source::Loaded(*access)),
                _ => self.computed(node, *width, &values),
            };
            values.push(found.map(|value| lowest(value, *width)));
        }
        values.pop().flatten()
    }

    /// Of the terms up to one, those that it is computed of.
    fn needed(&self, term: Term) -> Vec<bool> {
        let mut is_needed = vec![false; term.0 as usize + 1];
        is_needed[term.0 as usize] = true;
        for at in (0..is_needed.len()).rev() {
            if is_needed[at] {
                self.nodes[at].0.operands(|operand| is_needed[operand.0 as usize] = true);
            }
        }
        is_needed
    }

    fn computed(&self, node: &Node, width: u32, values: &[Option<u128>]) -> Option<u128> {
        let value = |term: &Term| values[term.0 as usize];
        Some(match node {
            Node::Constant(value) => *value,
            Node::Read(_) | Node::Loaded(_) | Node::Unknown(_) => return None,
            Node::Unary(op, of) => unary(*op, value(of)?, self.width(*of)),
            Node::Binary(op, a, b) => {
                // Numbers of more than 128 bits have no value.
                let bits = Some(self.width(*a)).filter(|bits| (*bits).max(width) <= 128)?;
                binary(*op, value(a)?, value(b)?, bits)?
            }
            Node::Extend { of, is_signed: true } => signed(value(of)?, self.width(*of)) as u128,
            Node::Extend { of, is_signed: false } => value(of)?,
            Node::Extract { of, low } => value(of)?.checked_shr(*low).unwrap_or(0),
            Node::Concat(parts) => {
                let join = |all: u128, part: &Term| {
                    Some(all.checked_shl(self.width(*part)).unwrap_or(0) | value(part)?)
                };
                parts.iter().try_fold(0, join)?
            }
            Node::Select { condition, yes, no } => match value(condition)? {
                0 => value(no)?,
                _ => value(yes)?,
            },
        })
    }
}

impl Node {
    fn operands(&self, mut each: impl FnMut(Term)) {
        match self {
            Node::Constant(_) | Node::Read(_) | Node::Loaded(_) | Node::Unknown(_) => {}
            Node::Unary(_, of) | Node::Extend { of, .. } | Node::Extract { of, .. } => each(*of),
            Node::Binary(_, a, b) => [*a, *b].into_iter().for_each(each),
            Node::Concat(parts) => parts.iter().copied().for_each(each),
            Node::Select { condition, yes, no } => {
                [*condition, *yes, *no].into_iter().for_each(each);
            }
        }
    }
}
