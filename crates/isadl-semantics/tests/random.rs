//! Random programs, evaluated with exact integers by an evaluator that shares nothing with the compiler.
//!
//! Of every accepted program: no division by zero, no index or shift outside, every value within the bounds that the compiler gives to
//! the expression at that place of the text, and no influence of a register that the derived data flow does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use isadl::semantics::effects::Resource;
use isadl::semantics::interval::Interval;
use isadl::semantics::program::{Expr, ExprKind, Range, Statement, StatementKind};
use isadl::semantics::{Checked, Instance};
use isadl::source::SourceMap;

/// Registers of the machine: `rd`, `ra`, `rb`, `rc`.
const REGISTERS: [&str; 4] = ["rd", "ra", "rb", "rc"];

/// Bits of a register.
const WIDTH: u32 = 8;

/// The programs of one specification; its opcodes have seven bits.
const BATCH: usize = 120;

/// A generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// An expression and where it is in the text of its program.
struct Node {
    kind: Kind,
    start: usize,
    end: usize,
}

enum Kind {
    Register(usize),
    Immediate,
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

enum Step {
    Bind(String, Node),
    Write(Node),
    WriteBits(Node, u32, u32),
    WriteFlag(u32, Node),
    If(Node, Vec<Step>, Vec<Step>),
    Loop(String, i128, i128, Vec<Step>),
}

struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    /// The names that are bound, with their number of bits if it is known.
    names: Vec<(String, Option<u32>)>,
    /// How many names were ever made.
    made: usize,
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
            _ => {
                let value = [0, 1, 2, 3, 7, 8, 100, 255, 256, 1000][self.random.below(10)];
                self.put(&value.to_string());
                Kind::Int(value)
            }
        }
    }

    /// Any number.
    fn number(&mut self, depth: usize) -> Node {
        self.node(|writer| {
            if depth == 0 {
                return writer.leaf();
            }
            match writer.random.below(16) {
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
                    let (first, last) = (0, writer.random.below(4) as i128);
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
        match self.random.below(5) {
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

    fn steps(&mut self, depth: usize, count: usize) -> Vec<Step> {
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
        match self.random.below(8) {
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
                let last = self.random.below(4) as i128;
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
            _ => {
                self.put("rd = ");
                Step::Write(self.number(3))
            }
        }
    }
}

/// The state of the machine that a program reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Machine {
    registers: [i128; 4],
    flags: u32,
}

/// A run of a program: the values that every expression had.
struct Run<'m> {
    before: &'m Machine,
    immediate: i128,
    after: Machine,
    names: BTreeMap<String, i128>,
    seen: BTreeMap<(usize, usize), (i128, i128)>,
    /// Whether a number has more bits than the evaluator can keep; nothing is compared then.
    is_too_large: bool,
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
            Kind::Int(value) => *value,
            Kind::Name(name) => self.names[name],
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
fn run(steps: &[Step], before: &Machine, immediate: i128) -> Option<(Machine, Seen)> {
    let (names, seen) = Default::default();
    let mut run =
        Run { before, immediate, after: before.clone(), names, seen, is_too_large: false };
    run.steps(steps);
    (!run.is_too_large).then_some((run.after, run.seen))
}

/// The least and the largest value of the expression at each place.
type Seen = BTreeMap<(usize, usize), (i128, i128)>;

/// The bounds of the expressions of a checked program, by their places.
#[derive(Default)]
struct Ranges {
    found: Vec<((u32, u32), Interval)>,
}

impl Ranges {
    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Bind { value, .. } | StatementKind::Do(value) => self.expr(value),
                StatementKind::Write { value, .. } => self.expr(value),
                StatementKind::If { condition, yes, no } => {
                    self.expr(condition);
                    self.statements(yes);
                    self.statements(no);
                }
                StatementKind::For { range, body, .. } => {
                    self.range(range);
                    self.statements(body);
                }
                other => panic!("not in random programs: {other:?}"),
            }
        }
    }

    fn range(&mut self, range: &Range) {
        if let Range::Between(first, last) = range {
            self.expr(first);
            self.expr(last);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        self.found.push(((expr.span.start, expr.span.end), expr.range));
        match &expr.kind {
            ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } => self.expr(of),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Choice(parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::Concat(parts) | ExprKind::Builtin(_, parts) => {
                parts.iter().for_each(|part| self.expr(part))
            }
            ExprKind::Part { of, low, .. } => {
                self.expr(of);
                self.expr(low);
            }
            ExprKind::Fold { item, range, .. } => {
                self.range(range);
                self.expr(item);
            }
            _ => {}
        }
    }
}

/// Prints a program if its evaluation fails.
struct Shown<'t>(&'t str);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("while evaluating `{}`", self.0);
        }
    }
}

struct Case {
    text: String,
    steps: Vec<Step>,
    /// Where the text begins in the specification.
    at: usize,
}

fn specification(cases: &mut [Case]) -> String {
    let mut text = String::from(
        "__DefIsa RANDOM<32>\n    Semantics<checked>;\n__DefRegFile R<8, 4>\n__DefRegFile FLAG<1, 4>\n\
         __DefOperandType Reg<2>\n    r[0..3] = 0 : R;\n__DefImmediate Imm<4>\n    Number = signed;\n\
         __DefGroup ALL : []\n  __Encoding\n    field[31:30] Reg rd; field[29:28] Reg ra; field[27:26] Reg rb; field[25:24] Reg rc;\n    \
         field[23:20] Imm imm; zero[19:7];\n  __OperandInfo\n    Operands<inout rd, in ra, in rb, in rc, in imm>; Writes<FLAG>;\n\
         __DefInstructions : [ALL]\n",
    );
    for (number, case) in cases.iter_mut().enumerate() {
        text.push_str("    ///= ");
        case.at = text.len();
        text.push_str(&case.text);
        let _ = writeln!(text, "\n    OP{number} \"op{number}\" [6:0] == {number};");
    }
    text
}

fn checked(text: String) -> Checked {
    let mut sources = SourceMap::new();
    sources.add("random.isa", text.into_bytes());
    let mut compilation = isadl::compile(&sources);
    compilation.semantics.pop().expect("only the programs have errors")
}

fn machine(random: &mut Random) -> Machine {
    let edges = [0, 1, 2, 0x7f, 0x80, 0xff];
    let mut value = || match random.one_in(3) {
        true => edges[random.below(edges.len())],
        false => (random.next() & 0xff) as i128,
    };
    Machine { registers: [value(), value(), value(), value()], flags: (random.next() & 0xf) as u32 }
}

#[test]
fn bounds_and_data_flow_hold_for_random_programs() {
    let batches = std::env::var("ISADL_SETS").ok().and_then(|sets| sets.parse().ok()).unwrap_or(40);
    let (mut accepted, mut ranges, mut influences) = (0, 0, 0);
    for batch in 0..batches {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (batch as u64 + 1) << 20);
        let mut cases: Vec<Case> = (0..BATCH)
            .map(|_| {
                let mut writer =
                    Writer { random: &mut random, text: String::new(), names: Vec::new(), made: 0 };
                let count = 1 + writer.random.below(3);
                let steps = writer.steps(2, count);
                Case { text: writer.text, steps, at: 0 }
            })
            .collect();
        let text = specification(&mut cases);
        let checked = checked(text);
        for (case, instances) in cases.iter().zip(&checked.opcodes) {
            let [instance] = instances.as_slice() else { continue };
            accepted += 1;
            let _shown = Shown(&case.text);
            ranges += holds(case, instance, &mut random);
            influences += flows(case, instance, &mut random);
        }
    }
    println!("{accepted} programs accepted, {ranges} bounds and {influences} influences compared");
    assert!(accepted > batches * 10, "only {accepted} programs were accepted");
    assert!(
        ranges > accepted * 100 && influences > accepted * 4,
        "{ranges} bounds, {influences} influences"
    );
}

/// Compares the values of runs with the bounds of the program; returns how many.
fn holds(case: &Case, instance: &Instance, random: &mut Random) -> usize {
    let mut bounds = Ranges::default();
    bounds.statements(&instance.program.statements);
    let mut count = 0;
    for _ in 0..30 {
        let before = machine(random);
        let immediate = random.below(16) as i128 - 8;
        let Some((_, seen)) = run(&case.steps, &before, immediate) else { continue };
        for ((start, end), range) in &bounds.found {
            let place = (*start as usize - case.at, *end as usize - case.at);
            let Some((low, high)) = seen.get(&place) else { continue };
            count += 1;
            let value = Interval::between(*low, *high);
            assert!(
                value.is_within(*range),
                "`{}` in `{}` is {value}, the compiler says {range}, with {before:?} and {immediate}",
                &case.text[place.0..place.1],
                case.text,
            );
        }
    }
    count
}

/// Changes registers one by one, and compares what changes with the derived data flow; returns how many changes were seen.
fn flows(case: &Case, instance: &Instance, random: &mut Random) -> usize {
    let accesses = &instance.effects.accesses;
    // The names of fields are numbered as they first appear, so the registers have the numbers 0 to 3.
    let is_read = |register: usize| {
        accesses.iter().any(|effect| {
            let is_it = matches!(effect.resource, Resource::Operand { field, .. } if field.index() == register);
            is_it && (!effect.is_write || effect.is_partial)
        })
    };
    let written: BTreeSet<u32> = accesses
        .iter()
        .filter(|effect| effect.is_write)
        .filter_map(|effect| match effect.resource {
            Resource::Register { number, .. } => number,
            _ => None,
        })
        .collect();
    let writes_rd = accesses
        .iter()
        .any(|effect| effect.is_write && matches!(effect.resource, Resource::Operand { .. }));
    let mut count = 0;
    for _ in 0..10 {
        let before = machine(random);
        let immediate = random.below(16) as i128 - 8;
        let Some((after, _)) = run(&case.steps, &before, immediate) else { continue };
        assert!(
            writes_rd || after.registers[0] == before.registers[0],
            "`{}` writes rd",
            case.text
        );
        for flag in 0..4 {
            let is_same = (after.flags ^ before.flags) >> flag & 1 == 0;
            assert!(is_same || written.contains(&flag), "`{}` writes FLAG[{flag}]", case.text);
        }
        for (register, name) in REGISTERS.into_iter().enumerate() {
            let mut changed = before.clone();
            changed.registers[register] ^= 1 << random.below(WIDTH as usize);
            let Some((other, _)) = run(&case.steps, &changed, immediate) else { continue };
            // A register that is not written keeps what it is.
            let is_kept = register == 0 && after.registers[0] == before.registers[0];
            let differs = (other.registers[0] != after.registers[0] && !is_kept)
                || other.flags != after.flags;
            count += 1;
            assert!(!differs || is_read(register), "`{}` depends on {name}", case.text);
        }
    }
    count
}
