//! What is known on a path: bounds of expressions, and which of two is not less.
//!
//! An expression is known by its text with names resolved. Only expressions that always have the same value during the instruction
//! have such a text: fields, registers (which read as before the instruction), names that do not change.

use std::mem::Discriminant;
use std::rc::Rc;

use isadl_base::vocabulary::{BinaryOp, UnaryOp};

use crate::interval::{Bound, Interval};
use crate::program::{Bits, Builtin, Expr, ExprKind, LocalId, Place, StatementKind, Type};

/// The longest text of an expression that is remembered, in bytes.
const MAX_KEY: usize = 300;

/// Bounds and orders that hold on a path. Every block begins with a copy, and few blocks add to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    ranges: Rc<Vec<(Root, Key, Interval)>>,
    nonzero: Rc<Vec<Key>>,
    /// Pairs of which the first is not less than the second.
    ordered: Rc<Vec<(Key, Key)>>,
}

/// The text of an expression.
type Key = Rc<str>;

/// The kind and operator of an expression, a quick test for different expressions. `None` may be any of them.
type Root = Option<(Discriminant<ExprKind>, Option<BinaryOp>)>;

fn root(expr: &Expr) -> Root {
    let op = match &expr.kind {
        ExprKind::Inline { .. } => return None,
        ExprKind::Binary(op, ..) => Some(*op),
        _ => None,
    };
    Some((std::mem::discriminant(&expr.kind), op))
}

/// Whether two expressions may be the same.
fn may_be_same(a: Root, b: Root) -> bool {
    a.is_none() || b.is_none() || a == b
}

impl Facts {
    /// Adds what follows from a condition that holds, or does not hold.
    pub(crate) fn assume(&mut self, condition: &Expr, holds: bool) {
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.assume(inner, !holds),
            ExprKind::Binary(BinaryOp::And, a, b) if holds => {
                self.assume(a, true);
                self.assume(b, true);
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if !holds => {
                self.assume(a, false);
                self.assume(b, false);
            }
            // If one side is known to make no difference, the other is the condition.
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let neutral = Some((*op == BinaryOp::And).into());
                for (one, other) in [(a, b), (b, a)] {
                    if one.value() == neutral {
                        self.assume(other, holds);
                    }
                }
            }
            ExprKind::Binary(op, a, b) => {
                if let Some(op) = comparison(*op, holds) {
                    self.compare(op, a, b);
                }
            }
            // Its names are bound once.
            ExprKind::Inline { value, .. } => self.assume(value, holds),
            _ => self.narrow(condition, Interval::one(holds.into())),
        }
    }

    /// The bounds of an expression, with what is known of it.
    pub(crate) fn known(&self, expr: &Expr) -> Interval {
        let mut range = expr.range;
        if range.value().is_some() {
            return range;
        }
        let own = root(expr);
        if self.ranges.iter().any(|(root, ..)| may_be_same(own, *root))
            && let Some(key) = key(expr)
        {
            for (.., known) in self.ranges.iter().filter(|(_, known, _)| **known == *key) {
                range = range.meet(*known).unwrap_or(range);
            }
        }
        if let ExprKind::Binary(BinaryOp::Sub, a, b) = &expr.kind
            && !self.ordered.is_empty()
        {
            let sign = |a: &Expr, b: &Expr| self.is_at_least(a, b);
            if sign(a, b) {
                range = Interval {
                    low: range.low.max(Bound::Exact(0)),
                    high: range.high.max(Bound::Exact(0)),
                };
            }
            if sign(b, a) {
                range = Interval {
                    low: range.low.min(Bound::Exact(0)),
                    high: range.high.min(Bound::Exact(0)),
                };
            }
        }
        range
    }

    /// Whether an expression is known not to be 0.
    pub(crate) fn is_nonzero(&self, expr: &Expr) -> bool {
        if !expr.range.has_zero() {
            return true;
        }
        if let ExprKind::Builtin(Builtin::Signed, arguments) = &expr.kind
            && arguments.iter().any(|of| self.is_nonzero(of))
        {
            return true;
        }
        key(expr).is_some_and(|key| self.nonzero.iter().any(|known| **known == *key))
    }

    /// Whether one expression is known to be at least another.
    pub(crate) fn is_at_least(&self, a: &Expr, b: &Expr) -> bool {
        if a.range.low >= b.range.high {
            return true;
        }
        if let ExprKind::Builtin(Builtin::Max, of) = &a.kind
            && of.iter().any(|a| self.is_at_least(a, b))
        {
            return true;
        }
        if let ExprKind::Builtin(Builtin::Min, of) = &b.kind
            && of.iter().any(|b| self.is_at_least(a, b))
        {
            return true;
        }
        match (key(a), key(b)) {
            (Some(a), Some(b)) => {
                a == b || self.ordered.iter().any(|(high, low)| **high == *a && **low == *b)
            }
            _ => false,
        }
    }

    /// Forgets everything about registers, which `commit` changes.
    pub(crate) fn forget_registers(&mut self) {
        let is_kept = |key: &str| !key.contains('$');
        Rc::make_mut(&mut self.ranges).retain(|(_, key, _)| is_kept(key));
        Rc::make_mut(&mut self.nonzero).retain(|key| is_kept(key));
        Rc::make_mut(&mut self.ordered).retain(|(a, b)| is_kept(a) && is_kept(b));
    }

    fn compare(&mut self, op: BinaryOp, a: &Expr, b: &Expr) {
        match op {
            BinaryOp::Gt => self.compare_sides(BinaryOp::Lt, &Side::of(b), &Side::of(a)),
            BinaryOp::Ge => self.compare_sides(BinaryOp::Le, &Side::of(b), &Side::of(a)),
            _ => self.compare_sides(op, &Side::of(a), &Side::of(b)),
        }
    }

    fn compare_sides(&mut self, op: BinaryOp, a: &Side<'_>, b: &Side<'_>) {
        let (of_a, of_b) = (a.expr.range, b.expr.range);
        match op {
            BinaryOp::Lt | BinaryOp::Le => {
                let strict = op == BinaryOp::Lt;
                let high = if strict { less(of_b.high) } else { of_b.high };
                let low = if strict { more(of_a.low) } else { of_a.low };
                self.narrow_side(a, Interval { low: of_a.low.min(high), high });
                self.narrow_side(b, Interval { low, high: of_b.high.max(low) });
                self.order(b, a);
            }
            BinaryOp::Eq => {
                self.narrow_side(a, of_b);
                self.narrow_side(b, of_a);
                self.order(a, b);
                self.order(b, a);
            }
            BinaryOp::Ne => {
                for (one, other) in [(a, b), (b, a)] {
                    if let Some(value) = other.expr.value() {
                        self.differs(one, value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds that an expression is not a number.
    fn differs(&mut self, side: &Side<'_>, value: i128) {
        if value == 0 {
            Rc::make_mut(&mut self.nonzero).extend(side.key.clone());
        }
        let range = side.expr.range;
        if range.low == Bound::Exact(value) && range.high > range.low {
            self.narrow_side(side, Interval { low: more(range.low), high: range.high });
        }
        if range.high == Bound::Exact(value) && range.high > range.low {
            self.narrow_side(side, Interval { low: range.low, high: less(range.high) });
        }
    }

    fn narrow(&mut self, expr: &Expr, to: Interval) {
        self.narrow_side(&Side::of(expr), to);
    }

    fn narrow_side(&mut self, side: &Side<'_>, to: Interval) {
        // A sum says the same about a term, if the other is known.
        if let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = &side.expr.kind
            && b.value().is_some()
        {
            let own = if *op == BinaryOp::Add { to - b.range } else { to + b.range };
            self.narrow(a, own);
        }
        if let Some(key) = &side.key {
            Rc::make_mut(&mut self.ranges).push((root(side.expr), key.clone(), to));
        }
    }

    /// Adds that one side is not less than the other. Their bounds say that of a number.
    fn order(&mut self, high: &Side<'_>, low: &Side<'_>) {
        if let (Some(high), Some(low)) = (&high.key, &low.key) {
            Rc::make_mut(&mut self.ordered).push((high.clone(), low.clone()));
        }
    }
}

/// A side of a comparison.
struct Side<'e> {
    expr: &'e Expr,
    /// None of a number, or if it is not [remembered](key).
    key: Option<Key>,
}

impl Side<'_> {
    fn of(expr: &Expr) -> Side<'_> {
        let is_number = expr.value().is_some();
        Side { expr, key: if is_number { None } else { key(expr).map(Key::from) } }
    }
}

/// The next lower bound; bounds beyond the exact ones stay.
fn less(bound: Bound) -> Bound {
    bound.exact().and_then(|value| value.checked_sub(1)).map_or(bound, Bound::Exact)
}

fn more(bound: Bound) -> Bound {
    bound.exact().and_then(|value| value.checked_add(1)).map_or(bound, Bound::Exact)
}

/// The comparison that holds if this one does, or does not.
fn comparison(op: BinaryOp, holds: bool) -> Option<BinaryOp> {
    let opposite = match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        _ => return None,
    };
    Some(if holds { op } else { opposite })
}

/// The text of an expression whose value does not change during the instruction.
pub(crate) fn key(expr: &Expr) -> Option<String> {
    let mut text = String::new();
    add_key(expr, &Names::new(), &mut text)?;
    Some(text)
}

/// The names that functions bind, with the texts of their values.
type Names = Vec<(LocalId, Type, String)>;

fn add_key(expr: &Expr, names: &Names, text: &mut String) -> Option<()> {
    if text.len() > MAX_KEY {
        return None;
    }
    match &expr.kind {
        ExprKind::Int(value) => add_number(text, *value),
        ExprKind::Local(local) => match names.iter().rev().find(|(own, ..)| own == local) {
            Some((_, ty, value)) if *ty == expr.ty => text.push_str(value),
            Some((_, _, value)) => {
                text.push_str(&format!("({:?} {value})", expr.ty));
            }
            None => add_index(text, "l", local.index()),
        },
        ExprKind::Inline { bindings, value } => {
            let mut names = names.clone();
            for binding in bindings {
                let StatementKind::Bind { local, value } = &binding.kind else { return None };
                let mut text = String::new();
                add_key(value, &names, &mut text)?;
                names.push((*local, value.ty, text));
            }
            add_key(value, &names, text)?;
        }
        ExprKind::Field(field) => add_index(text, "f", field.index()),
        ExprKind::FieldBits(field) => add_index(text, "b", field.index()),
        ExprKind::Pc => text.push_str("pc"),
        ExprKind::Next => text.push_str("next"),
        ExprKind::Read(Place::Operand { field, part, width, .. }) => {
            add_index(text, "$o", field.index());
            part.iter().for_each(|part| add_index(text, ".", *part));
            add_index(text, ":", *width as usize);
        }
        ExprKind::Lane => text.push_str("lane"),
        ExprKind::Active => text.push_str("$active"),
        ExprKind::Read(Place::State { name, .. }) => {
            text.push_str("$s");
            text.push_str(name);
        }
        ExprKind::Read(Place::Register { file, number }) => {
            add_index(text, "$r", file.index());
            text.push('[');
            add_key(number, names, text)?;
            text.push(']');
        }
        ExprKind::Read(Place::Group { field, offset, .. }) => {
            add_index(text, "$g", field.index());
            text.push('[');
            add_key(offset, names, text)?;
            text.push(']');
        }
        ExprKind::Unary(op, of) => {
            text.push('(');
            text.push_str(op.symbol());
            add_key(of, names, text)?;
            text.push(')');
        }
        ExprKind::Binary(op, a, b) => {
            text.push('(');
            add_key(a, names, text)?;
            text.push(' ');
            text.push_str(op.symbol());
            text.push(' ');
            add_key(b, names, text)?;
            text.push(')');
        }
        ExprKind::Slice { of, low, width } => {
            add_key(of, names, text)?;
            add_index(text, "[", *low as usize);
            add_index(text, "+:", *width as usize);
            text.push(']');
        }
        ExprKind::Part { of, low, bits: Bits::Count(width) } => {
            add_key(of, names, text)?;
            text.push('[');
            add_key(low, names, text)?;
            add_index(text, "+:", *width as usize);
            text.push(']');
        }
        ExprKind::Builtin(function, arguments) => {
            add_index(text, "@", *function as usize);
            text.push('(');
            for argument in arguments {
                add_key(argument, names, text)?;
                text.push(',');
            }
            text.push(')');
        }
        ExprKind::Concat(parts) => {
            text.push('{');
            for part in parts {
                add_key(part, names, text)?;
                text.push(',');
            }
            text.push('}');
        }
        ExprKind::Choice(parts) => {
            text.push('?');
            for part in parts.iter() {
                add_key(part, names, text)?;
                text.push(':');
            }
        }
        _ => return None,
    }
    Some(())
}

/// Adds a mark and a number in decimal. Keys are made often, and formatted output would be most of their cost.
fn add_index(text: &mut String, mark: &str, number: usize) {
    text.push_str(mark);
    if number >= 10 {
        add_index(text, "", number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

fn add_number(text: &mut String, value: i128) {
    if value < 0 {
        text.push('-');
    }
    match usize::try_from(value.unsigned_abs()) {
        Ok(small) => add_index(text, "", small),
        Err(_) => text.push_str(&value.unsigned_abs().to_string()),
    }
}
