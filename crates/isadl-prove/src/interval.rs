//! The values that an expression can have while some bits of its fields are unknown.
//!
//! Invariant: an interval contains every value that [`Expr::eval`] returns for a word with the known
//! bits; it may contain others.

use crate::isa::{Expr, ExtensionCondition, NameId, Reading, eval_binary, eval_call};
use isadl_base::vocabulary::{BinaryOp, Function, UnaryOp};

/// Provides the known facts about a word.
pub(super) trait FieldRanges {
    /// The values that a field may have; `None` if there is no such field.
    fn field(&self, name: NameId, reading: Reading) -> Option<Interval>;

    /// Whether the set of extensions meets a condition, if that is decided.
    fn meets(&self, presence: &ExtensionCondition) -> Option<bool>;
}

/// All integers from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    low: i128,
    high: i128,
}

const ALL: Interval = Interval { low: i128::MIN, high: i128::MAX };

impl Interval {
    /// The interval of an expression's values. `known` provides the values of fields, and the possible sets of
    /// extensions.
    pub(super) fn of(expr: &Expr, known: &impl FieldRanges) -> Interval {
        match expr {
            Expr::Int(value) => Interval::one(*value),
            Expr::Extensions(presence) => Interval::of_truth(known.meets(presence)),
            // A field that the opcode does not have reads as 0.
            Expr::Field(name, reading) => known.field(*name, *reading).unwrap_or(Interval::one(0)),
            Expr::Unary(UnaryOp::Not, operand) => {
                Interval::of_truth(Interval::of(operand, known).truth().map(|truth| !truth))
            }
            Expr::Unary(UnaryOp::Neg, operand) => {
                let Interval { low, high } = Interval::of(operand, known);
                bounds([high.checked_neg(), low.checked_neg()])
            }
            Expr::Unary(UnaryOp::BitNot, operand) => {
                let Interval { low, high } = Interval::of(operand, known);
                Interval { low: !high, high: !low }
            }
            Expr::Call(Function::If, arguments) => match arguments.as_slice() {
                [condition, a, b] => match Interval::of(condition, known).truth() {
                    Some(true) => Interval::of(a, known),
                    Some(false) => Interval::of(b, known),
                    None => Interval::of(a, known).or(Interval::of(b, known)),
                },
                _ => ALL,
            },
            Expr::Call(function, arguments) => {
                let mut arguments = arguments.iter().map(|argument| Interval::of(argument, known));
                let mut next = || arguments.next().unwrap_or(Interval::one(0));
                call(*function, [next(), next(), next()])
            }
            Expr::Binary(op, left, right) => {
                let left = Interval::of(left, known);
                match (op, left.truth()) {
                    (BinaryOp::Or, Some(true)) => Interval::one(1),
                    (BinaryOp::And, Some(false)) => Interval::one(0),
                    _ => binary(*op, left, Interval::of(right, known)),
                }
            }
        }
    }

    /// The largest value.
    pub(super) fn high(self) -> i128 {
        self.high
    }

    /// The interval of a field of `width` bits with a known smallest and largest value. A bit that both ends share
    /// applies to all values between them.
    pub(super) fn of_bits((low, high): (u64, u64), width: u32, reading: Reading) -> Interval {
        let sign = 1u64 << (width - 1);
        match reading {
            Reading::Unsigned => Interval { low: i128::from(low), high: i128::from(high) },
            // If the sign is unknown, the smallest value is negative and the largest is not.
            Reading::Signed => {
                let is_open = (low ^ high) & sign != 0;
                let (least, most) = if is_open { (low | sign, high & !sign) } else { (low, high) };
                let integer = |raw: u64| reading.integer(raw, width);
                Interval { low: integer(least), high: integer(most) }
            }
        }
    }

    fn one(value: i128) -> Interval {
        Interval { low: value, high: value }
    }

    fn of_truth(truth: Option<bool>) -> Interval {
        match truth {
            Some(truth) => Interval::one(i128::from(truth)),
            None => Interval { low: 0, high: 1 },
        }
    }

    /// The smallest interval that contains both.
    fn or(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether all its values are true, or all false.
    pub(super) fn truth(self) -> Option<bool> {
        match self {
            Interval { low: 0, high: 0 } => Some(false),
            Interval { low, high } if low > 0 || high < 0 => Some(true),
            _ => None,
        }
    }

    /// The only value, if there is exactly one.
    fn only(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// The number of bits in two's complement, 1 to 128, that can represent all its values.
    fn bits(self) -> u32 {
        let bits = |value: i128| match value < 0 {
            true => 129 - (!value).leading_zeros(),
            false => 129 - value.leading_zeros(),
        };
        bits(self.low).max(bits(self.high)).min(128)
    }
}

/// The interval from the smallest to the largest of the values; everything if one overflows.
fn bounds<const N: usize>(values: [Option<i128>; N]) -> Interval {
    let mut found: Option<Interval> = None;
    for value in values {
        let Some(value) = value else { return ALL };
        found = Some(match found {
            None => Interval::one(value),
            Some(Interval { low, high }) => Interval { low: low.min(value), high: high.max(value) },
        });
    }
    found.unwrap_or(ALL)
}

/// All integers of a number of bits in two's complement.
fn signed(bits: u32) -> Interval {
    match bits {
        128.. => ALL,
        _ => Interval { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1 },
    }
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    if let (Some(a), Some(b)) = (a.only(), b.only()) {
        return Interval::one(eval_binary(op, a, b));
    }
    match op {
        BinaryOp::Or | BinaryOp::And => Interval::of_truth(connected(op, a, b)),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            Interval::of_truth(compared(op, a, b))
        }
        BinaryOp::Add => bounds([a.low.checked_add(b.low), a.high.checked_add(b.high)]),
        BinaryOp::Sub => bounds([a.low.checked_sub(b.high), a.high.checked_sub(b.low)]),
        BinaryOp::Mul => bounds([
            a.low.checked_mul(b.low),
            a.low.checked_mul(b.high),
            a.high.checked_mul(b.low),
            a.high.checked_mul(b.high),
        ]),
        BinaryOp::Div => quotient(a, b),
        BinaryOp::Rem => remainder(a, b),
        BinaryOp::BitXor => {
            let all = signed(a.bits().max(b.bits()));
            match a.low >= 0 && b.low >= 0 {
                true => Interval { low: 0, high: all.high },
                false => all,
            }
        }
        BinaryOp::BitAnd => match (a.low >= 0, b.low >= 0) {
            (true, true) => Interval { low: 0, high: a.high.min(b.high) },
            (true, false) => Interval { low: 0, high: a.high },
            (false, true) => Interval { low: 0, high: b.high },
            (false, false) => signed(a.bits().max(b.bits())),
        },
        BinaryOp::BitOr => {
            let all = signed(a.bits().max(b.bits()));
            match a.low >= 0 && b.low >= 0 {
                true => Interval { low: a.low.max(b.low), high: all.high },
                false => all,
            }
        }
        BinaryOp::Shl => {
            let fits = b.low >= 0 && b.high < 127 && a.bits() + b.high as u32 <= 127;
            let ends = |by: i128| [a.low << by, a.high << by];
            match fits {
                true => {
                    let ([p, q], [r, s]) = (ends(b.low), ends(b.high));
                    bounds([Some(p), Some(q), Some(r), Some(s)])
                }
                false => ALL,
            }
        }
        BinaryOp::Shr if let Some(by @ 0..128) = b.only() => {
            Interval { low: a.low >> by, high: a.high >> by }
        }
        // A right shift approaches 0 or -1. A shift by too many bits gives 0.
        BinaryOp::Shr => Interval { low: a.low.min(0), high: a.high.max(0) },
    }
}

/// The values of a function other than `if`.
fn call(function: Function, [a, b, c]: [Interval; 3]) -> Interval {
    if let (Some(a), Some(b), Some(c)) = (a.only(), b.only(), c.only()) {
        return Interval::one(eval_call(function, [a, b, c]));
    }
    // The most bits that a width may have; a width that is none gives 0.
    let widest = |width: Interval| width.high.clamp(0, 128) as u32;
    let of_bits = |bits: u32| match bits {
        128.. => ALL,
        _ => Interval { low: 0, high: i128::MAX >> (127 - bits) },
    };
    match function {
        Function::If => b.or(c),
        Function::Ror => of_bits(widest(c)),
        Function::Repeat => {
            let count = c.high.clamp(0, 128) as u32;
            of_bits((widest(b) * count).min(128))
        }
        Function::Clz => Interval { low: 0, high: i128::from(widest(b)) },
    }
}

/// A remainder has the sign of the dividend, is not larger, and is smaller than the divisor.
fn remainder(a: Interval, b: Interval) -> Interval {
    let divisor = b.low.unsigned_abs().max(b.high.unsigned_abs());
    let most = i128::try_from(divisor.saturating_sub(1)).unwrap_or(i128::MAX);
    Interval { low: a.low.min(0).max(-most), high: a.high.max(0).min(most) }
}

fn connected(op: BinaryOp, a: Interval, b: Interval) -> Option<bool> {
    let decisive = op == BinaryOp::Or;
    match (a.truth(), b.truth()) {
        (Some(a), _) if a == decisive => Some(decisive),
        (_, Some(b)) if b == decisive => Some(decisive),
        (Some(_), Some(_)) => Some(!decisive),
        _ => None,
    }
}

fn compared(op: BinaryOp, a: Interval, b: Interval) -> Option<bool> {
    let decided = |always: bool, never: bool| match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let is_apart = a.high < b.low || b.high < a.low;
    match op {
        BinaryOp::Eq => decided(false, is_apart),
        BinaryOp::Ne => decided(is_apart, false),
        BinaryOp::Lt => decided(a.high < b.low, a.low >= b.high),
        BinaryOp::Le => decided(a.high <= b.low, a.low > b.high),
        BinaryOp::Gt => decided(a.low > b.high, a.high <= b.low),
        _ => decided(a.low >= b.high, a.high < b.low),
    }
}

fn quotient(a: Interval, b: Interval) -> Interval {
    if b.low > 0 {
        let ends = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
        return bounds(ends.map(|(a, b)| a.checked_div(b)));
    }
    // The divisor may be 0, 1 or -1: nothing is larger than the dividend.
    bounds([Some(a.low), Some(a.high), a.low.checked_neg(), a.high.checked_neg(), Some(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATORS: [BinaryOp; 18] = [
        BinaryOp::Or,
        BinaryOp::And,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::BitAnd,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
    ];

    /// Every value of an operator on two small intervals lies in the interval of the operator.
    #[test]
    fn intervals_hold_all_values() {
        let ends = [i128::MIN, i128::MIN + 1, -130, -5, -2, -1, 0, 1, 2, 3, 9, 126, 127, 128];
        let ends: Vec<i128> = ends.into_iter().chain([i128::MAX - 1, i128::MAX]).collect();
        let intervals: Vec<Interval> = (0..ends.len())
            .flat_map(|low| (low..ends.len()).map(move |high| (low, high)))
            .map(|(low, high)| Interval { low: ends[low], high: ends[high] })
            .collect();
        let inside = |of: Interval| {
            let ends = ends.iter().copied().filter(move |end| of.low <= *end && *end <= of.high);
            ends.collect::<Vec<i128>>()
        };
        for op in OPERATORS {
            for a in &intervals {
                for b in &intervals {
                    let found = binary(op, *a, *b);
                    for (x, y) in inside(*a)
                        .into_iter()
                        .flat_map(|x| inside(*b).into_iter().map(move |y| (x, y)))
                    {
                        let value = eval_binary(op, x, y);
                        let holds = found.low <= value && value <= found.high;
                        assert!(holds, "{x} {op:?} {y} is {value}, not in {found:?}");
                    }
                }
            }
        }
    }

    /// Tests functions, on fewer intervals.
    #[test]
    fn intervals_of_functions_hold_all_values() {
        let ends = [i128::MIN, -3, -1, 0, 1, 2, 5, 8, 64, 127, 128, 129, i128::MAX];
        let intervals: Vec<Interval> = (0..ends.len())
            .flat_map(|low| (low..ends.len()).map(move |high| (low, high)))
            .filter(|(low, high)| high - low < 4)
            .map(|(low, high)| Interval { low: ends[low], high: ends[high] })
            .collect();
        let inside =
            |of: Interval| ends.into_iter().filter(move |end| of.low <= *end && *end <= of.high);
        for function in Function::ALL {
            for a in &intervals {
                for b in &intervals {
                    for c in &intervals {
                        let found = call(function, [*a, *b, *c]);
                        for x in inside(*a) {
                            for y in inside(*b) {
                                for z in inside(*c) {
                                    let value = eval_call(function, [x, y, z]);
                                    let holds = found.low <= value && value <= found.high;
                                    let what = format!("{}({x}, {y}, {z})", function.name());
                                    assert!(holds, "{what} is {value}, not in {found:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
