//! Evaluates random programs with exact integers.

use std::collections::BTreeMap;

use super::write::{Kind, Node, Step};
use super::{DECIDED, ELEMENT, ELEMENTS, WIDTH};

/// The state of the machine that a program reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Machine {
    pub(super) registers: [i128; 6],
    pub(super) flags: u32,
}

/// A run of a program: the values that every expression had.
pub(super) struct Run<'m> {
    pub(super) before: &'m Machine,
    pub(super) immediate: i128,
    pub(super) after: Machine,
    pub(super) names: BTreeMap<String, i128>,
    /// The element that `each` is at.
    pub(super) element: i128,
    pub(super) seen: BTreeMap<(usize, usize), (i128, i128)>,
    /// Whether a number has more bits than the evaluator can keep; nothing is compared then.
    pub(super) is_too_large: bool,
}

impl Run<'_> {
    fn bits(value: i128, high: u32, low: u32) -> i128 {
        (value >> low) & ((1 << (high - low + 1)) - 1)
    }

    fn value(&mut self, node: &Node) -> i128 {
        let value = self.compute(&node.kind);
        let seen = self.seen.entry((node.start, node.end)).or_insert((value, value));
        *seen = (seen.0.min(value), seen.1.max(value));
        value
    }

    /// A result that may have more bits than its operands.
    fn grown(&mut self, op: &str, a: i128, b: i128) -> i128 {
        let found = match op {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            _ => {
                assert!(b >= 0, "a shift that is not negative");
                let by = b;
                if by < 100 { a.checked_mul(1 << by) } else { None }
            }
        };
        self.is_too_large |= found.is_none();
        found.unwrap_or(0)
    }

    fn compute(&mut self, kind: &Kind) -> i128 {
        let found = self.operate(kind);
        if self.is_too_large { 0 } else { found }
    }

    fn operate(&mut self, kind: &Kind) -> i128 {
        match kind {
            Kind::Register(register) => self.before.registers[*register],
            Kind::Immediate => self.immediate,
            Kind::Decided => DECIDED[(self.before.registers[3] & 3) as usize],
            Kind::Int(value) => *value,
            Kind::Name(name) => self.names[name],
            Kind::Element(list, index) => {
                let at = self.index(index.as_deref());
                let value = Run::bits(self.before.registers[*list], at + ELEMENT - 1, at);
                // The second list is of numbers with sign.
                if *list == 5 && value >= 2 { value - 4 } else { value }
            }
            Kind::Unary("-", of) => -self.value(of),
            Kind::Unary(_, of) => -1 - self.value(of),
            Kind::Binary("and", a, b) => (self.value(a) != 0 && self.value(b) != 0).into(),
            Kind::Binary("or", a, b) => (self.value(a) != 0 || self.value(b) != 0).into(),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                if self.is_too_large {
                    return 0;
                }
                match *op {
                    "+" | "-" | "*" | "<<" => self.grown(op, a, b),
                    "&" => a & b,
                    "|" => a | b,
                    "^" => a ^ b,
                    ">>" => {
                        assert!(b >= 0, "a shift that is not negative");
                        a >> b.min(120)
                    }
                    "/" => a.checked_div(b).expect("a divisor that is not 0"),
                    "%" => a.checked_rem(b).expect("a divisor that is not 0"),
                    "==" => (a == b).into(),
                    "!=" => (a != b).into(),
                    "<" => (a < b).into(),
                    "<=" => (a <= b).into(),
                    ">" => (a > b).into(),
                    _ => (a >= b).into(),
                }
            }
            Kind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                if self.value(condition) != 0 { self.value(yes) } else { self.value(no) }
            }
            Kind::Slice(of, high, low) => Run::bits(self.value(of), *high, *low),
            Kind::Part(of, low, width) => {
                let (of, low) = (self.value(of), self.value(low));
                if self.is_too_large {
                    return 0;
                }
                let low = u32::try_from(low).expect("a bit that exists");
                assert!(low + width <= WIDTH, "bits that exist");
                Run::bits(of, low + width - 1, low)
            }
            Kind::Concat(parts) => parts.iter().fold(0, |all, (part, width)| {
                let value = self.value(part);
                assert!((0..1 << width).contains(&value), "a part of {width} bits");
                all << width | value
            }),
            Kind::Call(function, arguments, width) => {
                let values: Vec<i128> =
                    arguments.iter().map(|argument| self.value(argument)).collect();
                let bit = |at: u32| values[0] >> at & 1;
                match *function {
                    "signed" if bit(width - 1) == 1 => values[0] - (1 << width),
                    "signed" => values[0],
                    "min" => values[0].min(values[1]),
                    "max" => values[0].max(values[1]),
                    "count" => (0..*width).map(bit).sum(),
                    "leading_zeros" => {
                        (0..*width).rev().take_while(|at| bit(*at) == 0).count() as i128
                    }
                    "trailing_zeros" => (0..*width).take_while(|at| bit(*at) == 0).count() as i128,
                    _ => (0..*width).fold(0, |all, at| all << 1 | bit(at)),
                }
            }
            Kind::Sum(name, first, last, item) => (*first..=*last)
                .map(|value| {
                    self.names.insert(name.clone(), value);
                    self.value(item)
                })
                .sum(),
        }
    }

    /// The lowest bit of an element: that of `each`, or a number.
    fn index(&mut self, index: Option<&Node>) -> u32 {
        let index = index.map_or(self.element, |index| self.value(index));
        assert!(self.is_too_large || (0..ELEMENTS).contains(&index), "an element that exists");
        (index as u32) * ELEMENT
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Bind(name, value) => {
                    let value = self.value(value);
                    self.names.insert(name.clone(), value);
                }
                Step::Write(value) => {
                    self.after.registers[0] = Run::bits(self.value(value), WIDTH - 1, 0)
                }
                Step::WriteBits(value, high, low) => {
                    let value = Run::bits(self.value(value), high - low, 0) << low;
                    let mask = ((1 << (high - low + 1)) - 1) << low;
                    self.after.registers[0] = self.after.registers[0] & !mask | value;
                }
                Step::WriteElement(index, value) => {
                    let at = self.index(index.as_ref());
                    let value = Run::bits(self.value(value), ELEMENT - 1, 0) << at;
                    let own = &mut self.after.registers[4];
                    *own = *own & !(0b11 << at) | value;
                }
                Step::Each(name, body) => {
                    for element in 0..ELEMENTS {
                        self.names.insert(name.clone(), element);
                        self.element = element;
                        self.steps(body);
                    }
                }
                Step::WriteFlag(flag, value) => {
                    let value = self.value(value) as u32 & 1;
                    self.after.flags = self.after.flags & !(1 << flag) | value << flag;
                }
                Step::If(condition, yes, no) => {
                    let branch = if self.value(condition) != 0 { yes } else { no };
                    self.steps(branch);
                }
                Step::Loop(name, first, last, body) => {
                    for value in *first..=*last {
                        self.names.insert(name.clone(), value);
                        self.steps(body);
                    }
                }
            }
        }
    }
}

/// Runs a program; `None` if a number became too large for the evaluator.
pub(super) fn run(steps: &[Step], before: &Machine, immediate: i128) -> Option<(Machine, Seen)> {
    let (names, seen) = Default::default();
    let mut run = Run {
        before,
        immediate,
        after: before.clone(),
        names,
        element: 0,
        seen,
        is_too_large: false,
    };
    run.steps(steps);
    (!run.is_too_large).then_some((run.after, run.seen))
}

/// The least and the largest value of the expression at each place.
pub(super) type Seen = BTreeMap<(usize, usize), (i128, i128)>;
