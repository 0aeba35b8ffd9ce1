//! Evaluates random programs with the values of all lanes side by side.

use std::collections::HashMap;

use super::write::{Node, Step};
use super::{LANES, Machine};

type Values = [i128; LANES];

/// The machine after a program.
pub(super) fn evaluate(steps: &[Step], before: &Machine, text: &str) -> Machine {
    let mut run = Run { before, after: before.clone(), names: HashMap::new(), text };
    run.steps(steps, [true; LANES]);
    run.after
}

struct Run<'r> {
    before: &'r Machine,
    after: Machine,
    names: HashMap<usize, Values>,
    text: &'r str,
}

impl Run<'_> {
    fn is_active(&self, lane: usize) -> bool {
        self.before.exec >> lane & 1 == 1
    }

    fn values(&mut self, node: &Node) -> Values {
        match node {
            Node::Own(at) => std::array::from_fn(|lane| self.before.own[lane][*at]),
            Node::Shared(at) => [self.before.shared[*at]; LANES],
            Node::OfLane(at, number) => {
                let numbers = self.values(number);
                numbers.map(|number| self.before.own[number as usize % LANES][*at])
            }
            Node::Lane => std::array::from_fn(|lane| lane as i128),
            Node::Active => [self.before.exec; LANES],
            Node::Int(value) => [*value; LANES],
            Node::Name(name) => self.names[name],
            Node::Binary(op, a, b) => {
                let (a, b) = (self.values(a), self.values(b));
                std::array::from_fn(|lane| {
                    let (a, b) = (a[lane], b[lane]);
                    match *op {
                        "+" => a + b,
                        "&" => a & b,
                        "^" => a ^ b,
                        "|" => a | b,
                        "<" => (a < b).into(),
                        ">=" => (a >= b).into(),
                        "==" => (a == b).into(),
                        _ => (a != b).into(),
                    }
                })
            }
            Node::Choice(parts) => {
                let [condition, yes, no] = parts.each_ref().map(|part| self.values(part));
                std::array::from_fn(|lane| if condition[lane] != 0 { yes[lane] } else { no[lane] })
            }
            Node::Ballot(condition) => [self.ballot(condition); LANES],
            Node::Sum(at) => {
                let lanes = (0..LANES).filter(|lane| self.is_active(*lane));
                [lanes.map(|lane| self.before.own[lane][*at]).sum(); LANES]
            }
        }
    }

    fn ballot(&mut self, condition: &Node) -> i128 {
        let bits = self.values(condition);
        let lanes = (0..LANES).filter(|lane| self.is_active(*lane) && bits[*lane] != 0);
        lanes.map(|lane| 1 << lane).sum()
    }

    /// The value on which all lanes agree that come to a statement; none if no lane does.
    fn shared(&mut self, node: &Node, lanes: [bool; LANES]) -> Option<i128> {
        let values = self.values(node);
        let all: Vec<i128> =
            (0..LANES).filter(|lane| lanes[*lane]).map(|lane| values[lane]).collect();
        assert!(all.windows(2).all(|two| two[0] == two[1]), "`{}`: lanes differ", self.text);
        assert!(all.is_empty() || all.len() == LANES, "`{}`: some lanes skip it", self.text);
        all.first().copied()
    }

    /// Statements that some lanes come to, whether they take part or not.
    fn steps(&mut self, steps: &[Step], lanes: [bool; LANES]) {
        for step in steps {
            match step {
                Step::Bind(name, value) => {
                    let values = self.values(value);
                    self.names.insert(*name, values);
                }
                Step::Assign(name, value) => {
                    let values = self.values(value);
                    let own = self.names.entry(*name).or_default();
                    for lane in (0..LANES).filter(|lane| lanes[*lane]) {
                        own[lane] = values[lane] & 0xff;
                    }
                }
                Step::WriteOwn(value) => {
                    let values = self.values(value);
                    for lane in (0..LANES).filter(|lane| lanes[*lane]) {
                        if self.is_active(lane) {
                            self.after.own[lane][0] = values[lane] & 0xff;
                        }
                    }
                }
                Step::WriteShared(value) => {
                    if let Some(value) = self.shared(value, lanes) {
                        self.after.shared[0] = value & 0xff;
                    }
                }
                Step::WriteMask(condition) => {
                    let ballot = self.ballot(condition);
                    if lanes.contains(&true) {
                        assert_eq!(lanes, [true; LANES], "`{}`: some lanes skip it", self.text);
                        self.after.mask = ballot;
                    }
                }
                Step::WriteLane(number, value) => {
                    let both = (self.shared(number, lanes), self.shared(value, lanes));
                    if let (Some(number), Some(value)) = both {
                        self.after.own[number as usize % LANES][0] = value & 0xff;
                    }
                }
                Step::If(condition, yes, no) => {
                    let holds = self.values(condition).map(|value| value != 0);
                    self.steps(yes, std::array::from_fn(|lane| lanes[lane] && holds[lane]));
                    self.steps(no, std::array::from_fn(|lane| lanes[lane] && !holds[lane]));
                }
            }
        }
    }
}
