//! Random programs: their texts, and what they compute.

use super::{ELEMENT, LISTS, REGISTERS, Random, WIDTH};

/// An expression and where it is in the text of its program.
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) enum Kind {
    Register(usize),
    /// An element of a list: that of `each`, or with a number.
    Element(usize, Option<Box<Node>>),
    Immediate,
    /// The number that `rc` decides.
    Decided,
    Int(i128),
    Name(String),
    Unary(&'static str, Box<Node>),
    Binary(&'static str, Box<Node>, Box<Node>),
    Choice(Box<[Node; 3]>),
    Slice(Box<Node>, u32, u32),
    Part(Box<Node>, Box<Node>, u32),
    Concat(Vec<(Node, u32)>),
    Call(&'static str, Vec<Node>, u32),
    Sum(String, i128, i128, Box<Node>),
}

pub(super) enum Step {
    Bind(String, Node),
    Write(Node),
    WriteBits(Node, u32, u32),
    WriteFlag(u32, Node),
    WriteElement(Option<Node>, Node),
    Each(String, Vec<Step>),
    If(Node, Vec<Step>, Vec<Step>),
    Loop(String, i128, i128, Vec<Step>),
}

pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    pub(super) text: String,
    /// The names that are bound, with their number of bits if it is known.
    pub(super) names: Vec<(String, Option<u32>)>,
    /// How many names were ever made.
    pub(super) made: usize,
    /// Whether names of lists are their elements.
    pub(super) is_in_each: bool,
}

impl Writer<'_> {
    fn node(&mut self, write: impl FnOnce(&mut Self) -> Kind) -> Node {
        let start = self.text.len();
        let kind = write(self);
        Node { kind, start, end: self.text.len() }
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn leaf(&mut self) -> Kind {
        let choice = self.random.below(10);
        match choice {
            0 | 1 if self.is_in_each => self.element(0),
            0..=4 => {
                let register = self.random.below(REGISTERS.len());
                self.put(REGISTERS[register]);
                Kind::Register(register)
            }
            5 => {
                self.put("imm");
                Kind::Immediate
            }
            6 | 7 if !self.names.is_empty() => {
                let at = self.random.below(self.names.len());
                let name = self.names[at].0.clone();
                self.put(&name);
                Kind::Name(name)
            }
            8 if self.random.one_in(2) => {
                self.put("decided");
                Kind::Decided
            }
            _ => {
                let value = [0, 1, 2, 3, 7, 8, 100, 255, 256, 1000][self.random.below(10)];
                self.put(&value.to_string());
                Kind::Int(value)
            }
        }
    }

    /// An element of a list.
    fn element(&mut self, depth: usize) -> Kind {
        let list = self.random.below(LISTS.len());
        self.element_of(list, depth)
    }

    fn element_of(&mut self, list: usize, depth: usize) -> Kind {
        self.put(LISTS[list]);
        let list = REGISTERS.len() + list;
        if self.is_in_each && !self.random.one_in(3) {
            return Kind::Element(list, None);
        }
        self.put("[");
        let index = self.slice_of(depth, 1, 0);
        self.put("]");
        Kind::Element(list, Some(Box::new(index)))
    }

    /// Any number.
    fn number(&mut self, depth: usize) -> Node {
        self.node(|writer| {
            if depth == 0 {
                return writer.leaf();
            }
            match writer.random.below(17) {
                16 => writer.element(depth - 1),
                0..=2 => writer.leaf(),
                3..=8 => {
                    let op = ["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"]
                        [writer.random.below(10)];
                    writer.put("(");
                    let left = writer.number(depth - 1);
                    writer.put(&format!(" {op} "));
                    let right = match op {
                        "<<" | ">>" if !writer.random.one_in(4) => writer.slice_of(depth - 1, 2, 0),
                        _ => writer.number(depth - 1),
                    };
                    writer.put(")");
                    Kind::Binary(op, Box::new(left), Box::new(right))
                }
                9 => {
                    let op = ["-", "~"][writer.random.below(2)];
                    writer.put(&format!("({op}"));
                    let of = writer.number(depth - 1);
                    writer.put(")");
                    Kind::Unary(op, Box::new(of))
                }
                10 => writer.choice(depth),
                11 => {
                    writer.put("signed(");
                    let (of, width) = writer.sized(depth - 1);
                    writer.put(")");
                    Kind::Call("signed", vec![of], width)
                }
                12 => {
                    let function = ["min", "max"][writer.random.below(2)];
                    writer.put(&format!("{function}("));
                    let a = writer.number(depth - 1);
                    writer.put(", ");
                    let b = writer.number(depth - 1);
                    writer.put(")");
                    Kind::Call(function, vec![a, b], 0)
                }
                13 => {
                    let function = ["count", "leading_zeros", "trailing_zeros", "reverse"]
                        [writer.random.below(4)];
                    writer.put(&format!("{function}("));
                    let (of, width) = writer.sized(depth - 1);
                    writer.put(")");
                    Kind::Call(function, vec![of], width)
                }
                14 => {
                    let name = writer.fresh();
                    let (first, last) = (0, writer.random.below(8) as i128);
                    writer.put("sum(");
                    writer.names.push((name.clone(), None));
                    let item = writer.number(depth - 1);
                    writer.names.pop();
                    writer.put(&format!(" for {name} in {first} .. {last})"));
                    Kind::Sum(name, first, last, Box::new(item))
                }
                _ => {
                    let (node, _) = writer.sized_kind(depth);
                    node
                }
            }
        })
    }

    fn fresh(&mut self) -> String {
        self.made += 1;
        format!("t{}", self.made)
    }

    fn choice(&mut self, depth: usize) -> Kind {
        self.put("(");
        let condition = self.condition(depth - 1);
        self.put(" ? ");
        let yes = self.number(depth - 1);
        self.put(" : ");
        let no = self.number(depth - 1);
        self.put(")");
        Kind::Choice(Box::new([condition, yes, no]))
    }

    fn condition(&mut self, depth: usize) -> Node {
        self.node(|writer| {
            if depth > 0 && writer.random.one_in(4) {
                let op = ["and", "or"][writer.random.below(2)];
                writer.put("(");
                let left = writer.condition(depth - 1);
                writer.put(&format!(" {op} "));
                let right = writer.condition(depth - 1);
                writer.put(")");
                return Kind::Binary(op, Box::new(left), Box::new(right));
            }
            let op = ["==", "!=", "<", "<=", ">", ">="][writer.random.below(6)];
            writer.put("(");
            // Simple comparisons are those that later expressions profit from.
            let depth = if writer.random.one_in(3) { depth.min(2) } else { 0 };
            let left = writer.number(depth);
            writer.put(&format!(" {op} "));
            let right = writer.number(depth);
            writer.put(")");
            Kind::Binary(op, Box::new(left), Box::new(right))
        })
    }

    /// A number whose bits are known, and how many.
    fn sized(&mut self, depth: usize) -> (Node, u32) {
        let mut width = 0;
        let node = self.node(|writer| {
            let (kind, own) = writer.sized_kind(depth);
            width = own;
            kind
        });
        (node, width)
    }

    fn sized_kind(&mut self, depth: usize) -> (Kind, u32) {
        match self.random.below(6) {
            5 if depth > 0 => (self.element_of(0, depth - 1), ELEMENT),
            0 | 1 if depth > 0 => {
                let (low, width) = (self.random.below(6) as u32, 1 + self.random.below(9) as u32);
                let node = self.slice_kind(depth - 1, low + width - 1, low);
                (node, width)
            }
            2 if depth > 0 => {
                self.put("{");
                let first = self.sized(depth - 1);
                self.put(", ");
                let second = self.sized(depth - 1);
                self.put("}");
                let width = first.1 + second.1;
                (Kind::Concat(vec![first, second]), width)
            }
            3 if depth > 0 => {
                let register = self.random.below(REGISTERS.len());
                let of = self.node(|writer| {
                    writer.put(REGISTERS[register]);
                    Kind::Register(register)
                });
                self.put("[");
                let low = self.number(depth - 1);
                let width = 1 + self.random.below(3) as u32;
                self.put(&format!(" +: {width}]"));
                (Kind::Part(Box::new(of), Box::new(low), width), width)
            }
            _ => {
                let register = self.random.below(REGISTERS.len());
                self.put(REGISTERS[register]);
                (Kind::Register(register), WIDTH)
            }
        }
    }

    fn slice_of(&mut self, depth: usize, high: u32, low: u32) -> Node {
        self.node(|writer| writer.slice_kind(depth, high, low))
    }

    fn slice_kind(&mut self, depth: usize, high: u32, low: u32) -> Kind {
        let of = self.number(depth);
        self.put(&format!("[{high}:{low}]"));
        Kind::Slice(Box::new(of), high, low)
    }

    pub(super) fn steps(&mut self, depth: usize, count: usize) -> Vec<Step> {
        let known = self.names.len();
        let mut steps = Vec::new();
        for at in 0..count {
            if at > 0 {
                self.put("; ");
            }
            steps.push(self.step(depth));
        }
        self.names.truncate(known);
        steps
    }

    fn step(&mut self, depth: usize) -> Step {
        match self.random.below(10) {
            0 | 1 => {
                let name = self.fresh();
                self.put(&format!("{name} = "));
                let value = self.number(2);
                // A name that is not read is an error.
                self.put(&format!("; use({name})"));
                self.names.push((name.clone(), None));
                Step::Bind(name, value)
            }
            2 if depth > 0 => {
                self.put("if ");
                let condition = self.condition(1);
                self.put(" { ");
                let yes = self.steps(depth - 1, 1);
                self.put(" } else { ");
                let no = self.steps(depth - 1, 2);
                self.put(" }");
                Step::If(condition, yes, no)
            }
            3 if depth > 0 => {
                let name = self.fresh();
                let last = self.random.below(8) as i128;
                self.put(&format!("for {name} in 0 .. {last} {{ use({name}); "));
                self.names.push((name.clone(), None));
                let body = self.steps(depth - 1, 1);
                self.names.pop();
                self.put(" }");
                Step::Loop(name, 0, last, body)
            }
            4 => {
                let flag = self.random.below(4) as u32;
                self.put(&format!("FLAG[{flag}] = "));
                Step::WriteFlag(flag, self.condition(2))
            }
            5 => {
                let (low, width) = (self.random.below(4) as u32, 1 + self.random.below(4) as u32);
                let high = low + width - 1;
                self.put(&format!("rd[{high}:{low}] = "));
                Step::WriteBits(self.slice_of(2, width - 1, 0), high, low)
            }
            6 if depth > 0 && !self.is_in_each => {
                let name = self.fresh();
                self.put(&format!("each {name} {{ use({name}); "));
                self.names.push((name.clone(), None));
                self.is_in_each = true;
                let mut body = vec![self.write_element()];
                if self.random.one_in(2) {
                    self.put("; ");
                    body.extend(self.steps(depth - 1, 1));
                }
                self.is_in_each = false;
                self.names.pop();
                self.put(" }");
                Step::Each(name, body)
            }
            7 => self.write_element(),
            _ => {
                self.put("rd = ");
                Step::Write(self.number(3))
            }
        }
    }

    /// Writes the element that `each` is at, or one with a number.
    fn write_element(&mut self) -> Step {
        self.put(LISTS[0]);
        let index = match self.is_in_each {
            true => None,
            false => {
                self.put("[");
                let index = self.slice_of(1, 1, 0);
                self.put("]");
                Some(index)
            }
        };
        self.put(" = ");
        Step::WriteElement(index, self.number(2))
    }
}
