//! Simpler micro-operations with the same result.

use super::conditions;
use super::facts::Facts;
use crate::formulas;
use crate::micro::{Binary, Form, Kind, Micro};
use crate::slots::{Slot, ZERO};

/// Takes the originals of operands that are copies.
pub(super) fn take_originals(facts: &Facts<'_>, micro: &mut Micro) {
    let [a, b, c] = micro.reads();
    for (slot, is_read) in
        [(&mut micro.a, a.is_some()), (&mut micro.b, b.is_some()), (&mut micro.c, c.is_some())]
    {
        while is_read && let Some(Micro { kind: Kind::Copy, a, .. }) = facts.source(*slot) {
            *slot = *a;
        }
    }
}

/// A simpler micro-operation, whose result belongs into the same slot.
pub(super) fn simplified(facts: &Facts<'_>, micro: &Micro) -> Option<Micro> {
    match micro.kind {
        Kind::Binary { op, form, is_immediate: false } => two_slots(facts, micro, op, form),
        Kind::Binary { op, form, is_immediate: true } => slot_and_number(facts, micro, op, form),
        Kind::Branch { op, form, is_immediate } => {
            conditions::branch(facts, micro, op, form, is_immediate)
        }
        Kind::Copy => facts.number(micro.a).map(number),
        Kind::Bits => bits(facts, micro),
        Kind::Beside => beside(facts, micro),
        Kind::Insert => insert(facts, micro),
        Kind::Select => select(facts, micro),
        Kind::Load { .. } | Kind::Store { .. } => access(facts, micro),
        _ => None,
    }
}

fn number(n: u64) -> Micro {
    Micro { n, ..Micro::new(Kind::Number) }
}

fn copy(a: Slot) -> Micro {
    Micro { a, ..Micro::new(Kind::Copy) }
}

/// An operation on 64 bits with a number on its right side.
fn immediate(op: Binary, a: Slot, n: u64) -> Micro {
    let kind = Kind::Binary { op, form: Form::Double, is_immediate: true };
    Micro { a, b: ZERO, n, ..Micro::new(kind) }
}

fn two_slots(facts: &Facts<'_>, micro: &Micro, op: Binary, form: Form) -> Option<Micro> {
    let kind = Kind::Binary { op, form, is_immediate: true };
    match (facts.number(micro.a), facts.number(micro.b)) {
        (Some(a), Some(b)) => return Some(number(formulas::result(op, form, a, b))),
        (_, Some(n)) => return Some(Micro { a: micro.a, n, ..Micro::new(kind) }),
        (Some(n), _) if op.commutes() => return Some(Micro { a: micro.b, n, ..Micro::new(kind) }),
        _ => {}
    }
    if op == Binary::Or && form == Form::Double {
        for (low, high) in [(micro.a, micro.b), (micro.b, micro.a)] {
            if let Some((b, by @ 1..64)) = facts.immediate(high, Binary::ShiftLeft, Form::Double) {
                return Some(Micro { a: low, b, c: by as Slot, ..Micro::new(Kind::Beside) });
            }
        }
    }
    conditions::of_two(facts, micro, op, form)
}

fn slot_and_number(facts: &Facts<'_>, micro: &Micro, op: Binary, form: Form) -> Option<Micro> {
    let Micro { a, n, .. } = *micro;
    if let Some(a) = facts.number(a) {
        return Some(number(formulas::result(op, form, a, n)));
    }
    if form != Form::Double {
        return None;
    }
    let changes_nothing = match op {
        Binary::And => facts.ones(a) & !n == 0,
        Binary::Or | Binary::Xor | Binary::Add | Binary::Sub => n == 0,
        Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => n == 0,
        _ => false,
    };
    if changes_nothing {
        return Some(copy(a));
    }
    match op {
        Binary::And if facts.ones(a) & n == 0 => Some(number(0)),
        Binary::And => bits(facts, &Micro { a, n, ..Micro::new(Kind::Bits) }),
        Binary::ShiftRight if n < 64 => {
            let all = Micro { a, c: n as Slot, n: u64::MAX >> n, ..Micro::new(Kind::Bits) };
            bits(facts, &all)
        }
        _ => conditions::with_number(facts, a, op, n),
    }
}

/// `(a >> c) & n`
fn bits(facts: &Facts<'_>, micro: &Micro) -> Option<Micro> {
    let Micro { a, c, n, .. } = *micro;
    let from = |a: Slot, c: Slot, n: u64| Some(Micro { a, c, n, ..Micro::new(Kind::Bits) });
    if let Some(a) = facts.number(a) {
        return Some(number(a >> c & n));
    }
    let ones = facts.ones(a) >> c;
    if ones & n == 0 {
        return Some(number(0));
    }
    if c == 0 && ones & !n == 0 {
        return Some(copy(a));
    }
    // The bits of the source that are wanted.
    let wanted = n << c;
    let source = facts.source(a)?;
    match source.kind {
        Kind::Bits if c + source.c < 64 => from(source.a, c + source.c, n & source.n >> c),
        Kind::Beside => {
            let (low, high) = (facts.ones(source.a), facts.ones(source.b) << source.c);
            if high & wanted == 0 {
                return from(source.a, c, n);
            }
            let is_high = low & wanted == 0 && c >= source.c;
            if is_high { from(source.b, c - source.c, n & u64::MAX >> c) } else { None }
        }
        Kind::Insert if wanted & source.n == 0 => from(source.a, c, n),
        Kind::Insert if wanted & !source.n == 0 => from(source.b, c, n),
        Kind::Binary { op, form: Form::Double, is_immediate } => match op {
            Binary::And if is_immediate => from(source.a, c, n & source.n >> c),
            Binary::ShiftLeft if is_immediate && u64::from(c) >= source.n => {
                from(source.a, c - source.n as Slot, n & u64::MAX >> c)
            }
            Binary::ShiftRight if is_immediate && u64::from(c) + source.n < 64 => {
                let by = c + source.n as Slot;
                from(source.a, by, n & u64::MAX >> by)
            }
            Binary::Or if !is_immediate && facts.ones(source.b) & wanted == 0 => {
                from(source.a, c, n)
            }
            Binary::Or if !is_immediate && facts.ones(source.a) & wanted == 0 => {
                from(source.b, c, n)
            }
            _ => None,
        },
        _ => None,
    }
}

/// `a | b << c`
fn beside(facts: &Facts<'_>, micro: &Micro) -> Option<Micro> {
    let Micro { a, b, c, .. } = *micro;
    if let Some(n) = facts.number(b) {
        return Some(immediate(Binary::Or, a, n << c));
    }
    (facts.number(a) == Some(0)).then(|| immediate(Binary::ShiftLeft, b, c.into()))
}

/// `a & !n | b & n`
fn insert(facts: &Facts<'_>, micro: &Micro) -> Option<Micro> {
    let Micro { a, b, n, .. } = *micro;
    let (old, new) = (facts.ones(a), facts.ones(b));
    if facts.number(a) == Some(0) {
        return Some(immediate(Binary::And, b, n));
    }
    if old & n == 0 && new & !n == 0 {
        let kind = Kind::Binary { op: Binary::Or, form: Form::Double, is_immediate: false };
        return Some(Micro { a, b, ..Micro::new(kind) });
    }
    if new & n == 0 {
        return Some(immediate(Binary::And, a, !n));
    }
    let (inner, mask) = facts.immediate(b, Binary::And, Form::Double)?;
    (mask & n == n).then_some(Micro { a, b: inner, n, ..Micro::new(Kind::Insert) })
}

/// `a != 0 ? b : c`
fn select(facts: &Facts<'_>, micro: &Micro) -> Option<Micro> {
    let Micro { a, b, c, .. } = *micro;
    if let Some(condition) = facts.number(a) {
        return Some(copy(if condition != 0 { b } else { c }));
    }
    if b == c {
        return Some(copy(b));
    }
    let both = |op, a, b| {
        let kind = Kind::Binary { op, form: Form::Double, is_immediate: false };
        Some(Micro { a, b, ..Micro::new(kind) })
    };
    if facts.number(b) == Some(1) && facts.are_bits(&[a, c]) {
        return both(Binary::Or, a, c);
    }
    if facts.number(c) == Some(0) && facts.are_bits(&[a, b]) {
        return both(Binary::And, a, b);
    }
    if let Some((a, 0)) = facts.immediate(a, Binary::NotEqual, Form::Double) {
        return Some(Micro { a, b, c, ..Micro::new(Kind::Select) });
    }
    let (a, n) = facts.immediate(a, Binary::Equal, Form::Double)?;
    (n == 0).then_some(Micro { a, b: c, c: b, ..Micro::new(Kind::Select) })
}

/// Loads and stores: a number that is added to the address, and bits that are not stored.
fn access(facts: &Facts<'_>, micro: &Micro) -> Option<Micro> {
    if let Some((a, n)) = facts.immediate(micro.a, Binary::Add, Form::Double) {
        return Some(Micro { a, n: micro.n.wrapping_add(n), ..micro.clone() });
    }
    let Kind::Store { bytes } = micro.kind else { return None };
    let stored = u64::MAX >> (64 - 8 * u32::from(bytes));
    let source = facts.source(micro.b)?;
    let is_mask = match source.kind {
        Kind::Bits => source.c == 0,
        Kind::Binary { op: Binary::And, form: Form::Double, is_immediate } => is_immediate,
        _ => false,
    };
    (is_mask && source.n & stored == stored).then(|| Micro { b: source.a, ..micro.clone() })
}
