//! Branches and conditions that read flags.
//!
//! If an instruction compares two numbers and a later one tests the flags, the later one can compare the numbers itself. That is as fast
//! as testing one flag, and replaces the combination of several.

use super::facts::Facts;
use crate::micro::{Binary, Form, Kind, Micro};
use crate::slots::{Slot, ZERO};

/// A comparison whose operands are still available.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Comparison {
    op: Binary,
    form: Form,
    a: Slot,
    b: Side,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Slot(Slot),
    Number(u64),
}

impl Comparison {
    /// The comparison whose result is in a slot.
    fn of(facts: &Facts<'_>, slot: Slot) -> Option<Comparison> {
        let source = facts.source(slot)?;
        let Kind::Binary { op, form, is_immediate } = source.kind else { return None };
        op.is_comparison().then_some(Comparison {
            op,
            form: if form == Form::Double { Form::Double } else { Form::Word },
            a: source.a,
            b: Side::of(source, is_immediate, form),
        })
    }

    fn opposite(self) -> Comparison {
        Comparison { op: self.op.opposite(), ..self }
    }

    /// A micro-operation with the comparison as its result, or that branches on it.
    fn micro(self, kind: impl FnOnce(Binary, Form, bool) -> Kind) -> Micro {
        let (is_immediate, b, n) = match self.b {
            Side::Slot(b) => (false, b, 0),
            Side::Number(n) => (true, ZERO, n),
        };
        Micro { a: self.a, b, n, ..Micro::new(kind(self.op, self.form, is_immediate)) }
    }

    fn result(self) -> Micro {
        self.micro(|op, form, is_immediate| Kind::Binary { op, form, is_immediate })
    }
}

impl Side {
    fn of(micro: &Micro, is_immediate: bool, form: Form) -> Side {
        match is_immediate {
            false => Side::Slot(micro.b),
            true if form == Form::Double => Side::Number(micro.n),
            true => Side::Number(u64::from(micro.n as u32)),
        }
    }
}

/// A branch on a flag is one on what the flag says.
pub(super) fn branch(
    facts: &Facts<'_>,
    micro: &Micro,
    op: Binary,
    form: Form,
    is_immediate: bool,
) -> Option<Micro> {
    if !is_immediate {
        let n = facts.number(micro.b)?;
        let kind = Kind::Branch { op, form, is_immediate: true };
        return Some(Micro { b: ZERO, n, kind, ..micro.clone() });
    }
    let is_set = truth(facts, micro.a, op, micro.n)?;
    let comparison = Comparison::of(facts, micro.a)?;
    let comparison = if is_set { comparison } else { comparison.opposite() };
    Some(comparison.micro(|op, form, is_immediate| Kind::Branch { op, form, is_immediate }))
}

/// Whether comparing a bit with a number says that it is 1, or that it is 0.
fn truth(facts: &Facts<'_>, bit: Slot, op: Binary, n: u64) -> Option<bool> {
    match (op, n) {
        _ if !facts.are_bits(&[bit]) => None,
        (Binary::NotEqual, 0) | (Binary::Equal, 1) => Some(true),
        (Binary::Equal, 0) | (Binary::NotEqual, 1) => Some(false),
        _ => None,
    }
}

/// A bit that is compared with a number, or inverted.
pub(super) fn with_number(facts: &Facts<'_>, a: Slot, op: Binary, n: u64) -> Option<Micro> {
    let is_inverted = op == Binary::Xor && n == 1 && facts.are_bits(&[a]);
    match truth(facts, a, op, n) {
        Some(true) => Some(Micro { a, ..Micro::new(Kind::Copy) }),
        None if !is_inverted => None,
        _ => Some(Comparison::of(facts, a)?.opposite().result()),
    }
}

/// Two bits that are put together.
pub(super) fn of_two(facts: &Facts<'_>, micro: &Micro, op: Binary, form: Form) -> Option<Micro> {
    if form != Form::Double {
        return None;
    }
    match op {
        Binary::NotEqual | Binary::Equal => {
            let less = less_of_flags(facts, micro.a, micro.b)
                .or_else(|| less_of_flags(facts, micro.b, micro.a))?;
            let less = if op == Binary::NotEqual { less } else { less.opposite() };
            Some(less.result())
        }
        Binary::Or | Binary::And => {
            let (x, y) = (Comparison::of(facts, micro.a)?, Comparison::of(facts, micro.b)?);
            let both = match op {
                Binary::Or => less_or_equal(x, y).or_else(|| less_or_equal(y, x))?,
                // Not (less or equal).
                _ => {
                    let (x, y) = (x.opposite(), y.opposite());
                    less_or_equal(x, y).or_else(|| less_or_equal(y, x))?.opposite()
                }
            };
            Some(both.result())
        }
        _ => None,
    }
}

/// Less, from the sign of a difference, and whether it overflowed.
fn less_of_flags(facts: &Facts<'_>, sign: Slot, overflow: Slot) -> Option<Comparison> {
    let overflow = facts.source(overflow)?;
    let Kind::Binary { op, form, is_immediate } = overflow.kind else { return None };
    let last = if form == Form::Double { 63 } else { 31 };
    let sign = facts.source(sign)?;
    let is_sign = match sign.kind {
        Kind::Bits => sign.c == last && sign.n == 1,
        Kind::Binary { op: Binary::ShiftRight, form: Form::Double, is_immediate: true } => {
            last == 63 && sign.n == 63
        }
        _ => false,
    };
    let difference = facts.source(sign.a)?;
    let computes = match op {
        Binary::OverflowSub => Binary::Sub,
        Binary::OverflowAdd if is_immediate => Binary::Add,
        _ => return None,
    };
    let kind = Kind::Binary { op: computes, form, is_immediate };
    let is_same = (difference.kind, difference.a, difference.b, difference.n)
        == (kind, overflow.a, overflow.b, overflow.n);
    if !is_sign || !is_same {
        return None;
    }
    let b = match (op, Side::of(overflow, is_immediate, form)) {
        (Binary::OverflowSub, b) => b,
        // The number that is subtracted, if it is one of the same size.
        (_, Side::Number(n)) if form == Form::Double && n != 1 << 63 => {
            Side::Number(n.wrapping_neg())
        }
        (_, Side::Number(n)) if form != Form::Double && n != 1 << 31 => {
            Side::Number(u64::from((n as u32).wrapping_neg()))
        }
        _ => return None,
    };
    Some(Comparison { op: Binary::LessSigned, form, a: overflow.a, b })
}

/// `x or y`, where `x` is less, and `y` equal.
fn less_or_equal(x: Comparison, y: Comparison) -> Option<Comparison> {
    let is_less = matches!(x.op, Binary::LessSigned | Binary::LessUnsigned);
    let is_equal = y == Comparison { op: Binary::Equal, ..x };
    if !is_less || !is_equal {
        return None;
    }
    match x.b {
        Side::Slot(b) => Some(Comparison { a: b, b: Side::Slot(x.a), ..x }.opposite()),
        Side::Number(n) => {
            let greatest = match (x.op, x.form) {
                (Binary::LessSigned, Form::Double) => i64::MAX as u64,
                (Binary::LessSigned, _) => i32::MAX as u64,
                (_, Form::Double) => u64::MAX,
                _ => u32::MAX.into(),
            };
            let next = if x.form == Form::Double {
                n.wrapping_add(1)
            } else {
                (n as u32).wrapping_add(1).into()
            };
            (n != greatest).then_some(Comparison { b: Side::Number(next), ..x })
        }
    }
}
