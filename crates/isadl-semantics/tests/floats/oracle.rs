//! What random programs compute, with exact fractions.

use num_bigint::BigInt;

use super::exact::{self, Meaning, Mode};
use super::write::{Condition, Format, Node};
use super::{MODES, Machine};

/// The result of a program, and the flags that it raises.
pub(super) fn evaluate(node: &Node, machine: &Machine) -> (u64, u8) {
    let mut run = Run { machine, flags: 0 };
    let result = run.number(node);
    (result, run.flags)
}

struct Run<'m> {
    machine: &'m Machine,
    flags: u8,
}

fn of((exponent, fraction): Format) -> exact::Format {
    exact::Format { exponent, fraction }
}

fn sign(format: Format) -> u64 {
    1 << (format.0 + format.1)
}

fn nan(format: Format, bits: u64) -> Option<bool> {
    match of(format).meaning(bits) {
        Meaning::NotANumber { is_signaling } => Some(is_signaling),
        _ => None,
    }
}

impl Run<'_> {
    fn mode(&self, given: Option<usize>) -> Mode {
        MODES[given.unwrap_or(self.machine.mode)].1
    }

    fn raised(&mut self, (bits, flags): exact::Result) -> u64 {
        self.flags |= flags;
        bits
    }

    fn number(&mut self, node: &Node) -> u64 {
        match node {
            Node::Register(at) => self.machine.registers[*at],
            Node::Literal(bits) => *bits,
            Node::Negative(inner, format) => self.number(inner) ^ sign(*format),
            Node::Magnitude(inner, format) => self.number(inner) & !sign(*format),
            Node::Choice(condition, arms) => match self.condition(condition) {
                true => self.number(&arms[0]),
                false => self.number(&arms[1]),
            },
            Node::Rounded(name, operands, by, format, mode) => {
                let mode = self.mode(*mode);
                self.rounded(name, (operands, *by), *format, mode)
            }
            Node::Integral(inner, format, mode, is_exact) => {
                let mode = self.mode(*mode);
                let inner = self.number(inner);
                let (bits, flags) = of(*format).to_integral(inner, mode);
                // An overflow says inexact by itself.
                let is_kept = *is_exact || flags & 4 != 0;
                self.raised((bits, if is_kept { flags } else { flags & !1 }))
            }
            Node::Extremum(name, both, format) => {
                let (a, b) = (self.number(&both[0]), self.number(&both[1]));
                self.extremum(name, a, b, *format)
            }
            Node::WithSign(both, format) => {
                let (inner, other) = (self.number(&both[0]), self.number(&both[1]));
                inner & !sign(*format) | other & sign(*format)
            }
            Node::OfInteger(inner, format, width, is_signed, to) => {
                let inner = self.number(inner);
                let power = |bits: u32| BigInt::from(1) << bits;
                let range: (BigInt, BigInt) = match is_signed {
                    true => (-power(width - 1), power(width - 1) - 1),
                    false => (BigInt::ZERO, power(*width) - 1),
                };
                let mode = self.mode(None);
                let largest = range.1.clone();
                let (integer, flags) = of(*format).to_integer(inner, range, mode, largest);
                self.flags |= flags;
                self.raised(of(*to).of_integer(&integer, mode))
            }
            Node::Changed(inner, mask) => self.number(inner) ^ mask,
        }
    }

    /// A function whose exact result is multiplied with a power of two: its operands are, so that the result is.
    fn rounded(
        &mut self,
        name: &str,
        (operands, by): (&[(Node, Format)], i32),
        to: Format,
        mode: Mode,
    ) -> u64 {
        let mut value = |(at, (node, format)): (usize, &(Node, Format))| {
            let by = match (name, at) {
                ("root", _) => 2 * by,
                ("sum" | "difference", _) | (_, 0 | 2) => by,
                _ => 0,
            };
            match of(*format).meaning(self.number(node)) {
                Meaning::Number(value) => Meaning::Number(value.scaled(by)),
                other => other,
            }
        };
        let values: Vec<Meaning> = operands.iter().enumerate().map(&mut value).collect();
        let to = of(to);
        let result = match (name, values.as_slice()) {
            ("sum", [a, b]) => to.sum(a, b, mode, false),
            ("difference", [a, b]) => to.sum(a, &b.opposite(), mode, false),
            ("product", [a, b]) => to.product(a, b, mode, false),
            ("opposite", [a, b]) => to.product(&a.opposite(), b, mode, false),
            ("fused", [a, b, c]) => to.fused([a, b, c], mode, false),
            ("fused_from", [a, b, c]) => to.fused([&a.opposite(), b, &c.opposite()], mode, false),
            ("quotient", [a, b]) => to.quotient(a, b, mode, false),
            ("root", [a]) => to.root(a, mode, false),
            (_, [a]) => to.encoding(a, mode, false),
            _ => unreachable!("as many operands as are written"),
        };
        self.raised(result)
    }

    fn extremum(&mut self, name: &str, a: u64, b: u64, format: Format) -> u64 {
        let (x, y) = (nan(format, a), nan(format, b));
        let is_signaling = x == Some(true) || y == Some(true);
        self.flags |= if is_signaling { 16 } else { 0 };
        let takes_number = match name {
            "minimum" | "maximum" => false,
            "minimum_number" | "maximum_number" => true,
            _ => !is_signaling,
        };
        match (x, y) {
            (Some(_), None) if takes_number => return b,
            (None, Some(_)) if takes_number => return a,
            (None, None) => {}
            _ => return of(format).not_a_number(),
        }
        let is_less = match of(format).order(a, b) {
            Some(std::cmp::Ordering::Equal) => a & sign(format) != 0,
            order => order == Some(std::cmp::Ordering::Less),
        };
        let is_minimum = name.starts_with("min");
        if is_less == is_minimum { a } else { b }
    }

    fn condition(&mut self, condition: &Condition) -> bool {
        match condition {
            Condition::Not(inner) => !self.condition(inner),
            Condition::And(both) => self.condition(&both[0]) && self.condition(&both[1]),
            Condition::Question(name, inner, format) => {
                let bits = self.number(inner);
                let exponent = bits >> format.1 & ((1 << format.0) - 1);
                let fraction = bits & ((1 << format.1) - 1);
                let is_top = exponent == (1 << format.0) - 1;
                match *name {
                    "is_nan" => is_top && fraction != 0,
                    "is_signaling" => nan(*format, bits) == Some(true),
                    "is_infinite" => is_top && fraction == 0,
                    "is_zero" => exponent == 0 && fraction == 0,
                    _ => exponent == 0 && fraction != 0,
                }
            }
            Condition::Compare(op, both, format, is_signaling) => {
                let (a, b) = (self.number(&both[0]), self.number(&both[1]));
                let order = of(*format).order(a, b);
                let has_signaling = nan(*format, a) == Some(true) || nan(*format, b) == Some(true);
                if has_signaling || *is_signaling && order.is_none() {
                    self.flags |= 16;
                }
                let holds = |of: fn(std::cmp::Ordering) -> bool| order.is_some_and(of);
                match *op {
                    "<" => holds(std::cmp::Ordering::is_lt),
                    "<=" => holds(std::cmp::Ordering::is_le),
                    ">" => holds(std::cmp::Ordering::is_gt),
                    ">=" => holds(std::cmp::Ordering::is_ge),
                    "==" => holds(std::cmp::Ordering::is_eq),
                    _ => !holds(std::cmp::Ordering::is_eq),
                }
            }
        }
    }
}
