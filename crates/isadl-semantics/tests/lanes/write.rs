//! Random programs of machines with lanes: their texts, and what they compute.

use super::random::Random;
use super::specification::{LANES, OWN, SHARED};

pub(super) enum Node {
    Own(usize),
    Shared(usize),
    /// The register of the lane whose number is the remainder of an expression.
    OfLane(usize, Box<Node>),
    Lane,
    Active,
    Int(i128),
    Name(usize),
    Binary(&'static str, Box<Node>, Box<Node>),
    Choice(Box<[Node; 3]>),
    Ballot(Box<Node>),
    /// The sum of a register over the lanes that take part.
    Sum(usize),
}

pub(super) enum Step {
    Bind(usize, Node),
    /// A variable gets a value.
    Assign(usize, Node),
    WriteOwn(Node),
    WriteShared(Node),
    WriteMask(Node),
    WriteLane(Node, Node),
    If(Node, Vec<Step>, Vec<Step>),
}

pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    pub(super) text: String,
    /// The numbers of the names that are visible.
    pub(super) names: Vec<usize>,
    /// Those of them that are variables.
    pub(super) variables: Vec<usize>,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn boxed(&mut self, depth: usize, is_shared: bool) -> Box<Node> {
        Box::new(self.number(depth, is_shared))
    }

    /// A number that is mostly the same in all lanes, if that is asked for.
    fn number(&mut self, depth: usize, is_shared: bool) -> Node {
        let is_shared = is_shared && self.random.below(12) != 0;
        if is_shared && !self.variables.is_empty() && self.random.one_in(3) {
            let name = self.variables[self.random.below(self.variables.len())];
            self.put(&format!("t{name}"));
            return Node::Name(name);
        }
        let choices = if depth == 0 { 5 } else { 12 };
        match self.random.below(choices) {
            0 | 1 if !is_shared => {
                let at = self.random.below(OWN.len());
                self.put(OWN[at]);
                Node::Own(at)
            }
            2 if !is_shared => {
                self.put("lane");
                Node::Lane
            }
            3 if !self.names.is_empty() => {
                let name = self.names[self.random.below(self.names.len())];
                self.put(&format!("t{name}"));
                Node::Name(name)
            }
            4 => {
                let value = [0, 1, 3, 100, 255][self.random.below(5)];
                self.put(&value.to_string());
                Node::Int(value)
            }
            5 | 6 => {
                let op = ["+", "&", "^", "|"][self.random.below(4)];
                self.put("(");
                let a = self.boxed(depth - 1, is_shared);
                self.put(&format!(" {op} "));
                let b = self.boxed(depth - 1, is_shared);
                self.put(")");
                Node::Binary(op, a, b)
            }
            7 | 8 => {
                let at = self.random.below(OWN.len());
                self.put(&format!("{}@((", OWN[at]));
                let lane = self.boxed(depth - 1, is_shared);
                self.put(&format!(") % {LANES})"));
                Node::OfLane(at, lane)
            }
            9 => {
                self.put("ballot(");
                let condition = self.condition(depth - 1, false);
                self.put(")");
                Node::Ballot(Box::new(condition))
            }
            10 => {
                self.put("(");
                let condition = self.condition(depth - 1, is_shared);
                self.put(" ? ");
                let yes = self.number(depth - 1, is_shared);
                self.put(" : ");
                let no = self.number(depth - 1, is_shared);
                self.put(")");
                Node::Choice(Box::new([condition, yes, no]))
            }
            11 if self.random.one_in(2) => {
                let at = self.random.below(OWN.len());
                self.put(&format!("sum({}@j for j in active)", OWN[at]));
                Node::Sum(at)
            }
            11 => {
                self.put("active");
                Node::Active
            }
            _ => {
                let at = self.random.below(SHARED.len());
                self.put(SHARED[at]);
                Node::Shared(at)
            }
        }
    }

    fn condition(&mut self, depth: usize, is_shared: bool) -> Node {
        let op = ["<", ">=", "==", "!="][self.random.below(4)];
        let a = self.boxed(depth, is_shared);
        self.put(&format!(" {op} "));
        let b = self.boxed(depth, is_shared);
        Node::Binary(op, a, b)
    }

    /// Statements, with semicolons between them.
    pub(super) fn steps(&mut self, depth: usize, count: usize) -> Vec<Step> {
        let visible = (self.names.len(), self.variables.len());
        let mut found = Vec::new();
        for at in 0..count {
            if at > 0 {
                self.put("; ");
            }
            found.push(self.step(depth));
        }
        self.names.truncate(visible.0);
        self.variables.truncate(visible.1);
        found
    }

    fn assign(&mut self) -> Step {
        let name = self.variables[self.random.below(self.variables.len())];
        self.put(&format!("t{name} = ("));
        let is_shared = self.random.below(3) != 0;
        let value = self.number(1, is_shared);
        self.put(")[7:0]");
        Step::Assign(name, value)
    }

    fn branch(&mut self, depth: usize) -> Step {
        self.put("if ");
        let is_shared = self.random.one_in(2);
        let condition = self.condition(1, is_shared);
        self.put(" { ");
        let yes = self.steps(depth - 1, 1);
        self.put(" } else { ");
        let no = self.steps(depth - 1, 1);
        self.put(" }");
        Step::If(condition, yes, no)
    }

    fn step(&mut self, depth: usize) -> Step {
        // What becomes of variables in branches is worth a look.
        if !self.variables.is_empty() && self.random.one_in(3) {
            return match depth {
                0 => self.assign(),
                _ => self.branch(depth),
            };
        }
        match self.random.below(10) {
            9 => {
                let name = self.text.len();
                self.put(&format!("var t{name} : bits(8) = ("));
                let is_shared = self.random.below(3) != 0;
                let value = self.number(1, is_shared);
                self.put(&format!(")[7:0]; use(t{name})"));
                self.names.push(name);
                self.variables.push(name);
                Step::Assign(name, value)
            }
            0 | 1 => {
                // Its place in the text makes the name unique.
                let name = self.text.len();
                self.put(&format!("t{name} = "));
                let is_shared = self.random.one_in(2);
                let value = self.number(2, is_shared);
                self.put(&format!("; use(t{name})"));
                self.names.push(name);
                Step::Bind(name, value)
            }
            2 => {
                self.put("sd = (");
                let value = self.number(2, true);
                self.put(")[7:0]");
                Step::WriteShared(value)
            }
            3 => {
                self.put("MASK = ballot(");
                let value = self.condition(2, false);
                self.put(")");
                Step::WriteMask(value)
            }
            4 => {
                self.put("vd@((");
                let lane = self.number(1, true);
                self.put(&format!(") % {LANES}) = ("));
                let value = self.number(1, true);
                self.put(")[7:0]");
                Step::WriteLane(lane, value)
            }
            5 | 6 if depth > 0 => self.branch(depth),
            _ => {
                self.put("vd = (");
                let value = self.number(3, false);
                self.put(")[7:0]");
                Step::WriteOwn(value)
            }
        }
    }
}
