//! Checked programs in a form that can be compared: without spelling, and without the names and places of locals.
//!
//! Fields and files have their names, since their numbers differ between versions of a specification.

use std::collections::HashMap;

use isadl_ir::isa::{Isa, NameId, OpcodeId};

use crate::checked::{Checked, Instance};
use crate::interval::Interval;
use crate::program::{
    Bits, Builtin, Expr, ExprKind, Label, LocalId, Place, Program, Range, Statement, StatementKind,
    Type,
};

/// The meaning of a program. Equal meanings are equal behaviour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// Expressions and statements, after those that they refer to by number.
    nodes: Vec<String>,
    /// For each choice of the fields that decide widths: the choice, and its program.
    programs: Vec<(String, usize)>,
}

impl Checked {
    /// The meaning of an opcode's program; `None` if it has no program. `isa` is the instruction set that was checked, or a part of it. `field`
    /// gives the name that a field has in the comparison.
    pub fn meaning(
        &self,
        isa: &Isa,
        opcode: &str,
        field: &dyn Fn(&str) -> String,
    ) -> Option<Meaning> {
        let id: OpcodeId = self.texts.opcode(opcode)?;
        let instances = self.opcodes.get(id.index())?;
        let mut writer = Writer {
            checked: self,
            isa,
            field,
            nodes: Vec::new(),
            known: HashMap::new(),
            program: None,
            locals: HashMap::new(),
            bound: 0,
            commits: false,
        };
        let programs = instances.iter().map(|instance| writer.instance(instance)).collect();
        Some(Meaning { nodes: writer.nodes, programs })
    }
}

/// The meaning of a local name.
#[derive(Clone, Copy)]
enum Local<'p> {
    /// An expression that is the same wherever it is computed, stored in some bits if that changes it.
    Same(&'p Expr, Option<u32>),
    /// The same, written down.
    Written(usize),
    /// Something that is bound in its place; the number tells them apart.
    Bound(usize),
}

struct Writer<'p, 'f> {
    checked: &'p Checked,
    isa: &'p Isa,
    field: &'f dyn Fn(&str) -> String,
    nodes: Vec<String>,
    known: HashMap<String, usize>,
    program: Option<&'p Program>,
    locals: HashMap<LocalId, Local<'p>>,
    bound: usize,
    /// Whether registers are written before the end of the instruction.
    commits: bool,
}

impl<'p> Writer<'p, '_> {
    fn instance(&mut self, instance: &'p Instance) -> (String, usize) {
        self.program = Some(&instance.program);
        self.locals.clear();
        self.bound = 0;
        self.commits = commits(&instance.program.statements);
        let chosen = instance.chosen.iter();
        let mut chosen: Vec<String> =
            chosen.map(|(name, raw)| format!("{} = {raw}", self.name(*name))).collect();
        chosen.sort();
        (chosen.join(", "), self.block(&instance.program.statements))
    }

    /// A node; equal nodes have one number.
    fn node(&mut self, text: String) -> usize {
        if let Some(at) = self.known.get(&text) {
            return *at;
        }
        self.known.insert(text.clone(), self.nodes.len());
        self.nodes.push(text);
        self.nodes.len() - 1
    }

    fn name(&self, name: NameId) -> String {
        (self.field)(self.isa.name_of(name))
    }

    // ---- statements

    fn block(&mut self, statements: &'p [Statement]) -> usize {
        let found: Vec<usize> =
            statements.iter().filter_map(|statement| self.statement(statement)).collect();
        self.node(format!("block {found:?}"))
    }

    /// A statement; `None` if it only gives a name to something that is the same everywhere.
    fn statement(&mut self, statement: &'p Statement) -> Option<usize> {
        let text = match &statement.kind {
            StatementKind::Bind { local, value } => return self.bind(*local, value),
            StatementKind::BindBits { local, low, bits, value } => {
                let (local, low, bits) = (self.local(*local), self.expr(low), self.bits(bits));
                format!("change {local} {low} {bits} {}", self.expr(value))
            }
            StatementKind::Write { place, bits, value } => {
                let bits = bits.as_ref().map(|(low, bits)| (self.expr(low), self.bits(bits)));
                format!("write {} {bits:?} {}", self.place(place), self.expr(value))
            }
            StatementKind::Store { memory, address, width, value } => {
                let memory = &self.checked.memories[*memory];
                let (address, value) = (self.expr(address), self.expr(value));
                format!("store {memory} {address} {width} {value}")
            }
            StatementKind::Jump { target } => format!("jump {}", self.expr(target)),
            StatementKind::If { condition, yes, no } => {
                let condition = self.expr(condition);
                format!("if {condition} {} {}", self.block(yes), self.block(no))
            }
            StatementKind::For { local, range, body } => {
                let (range, local) = (self.range(range), self.bound(*local));
                format!("for {local} {range} {}", self.block(body))
            }
            StatementKind::Atomic(body) => format!("atomic {}", self.block(body)),
            StatementKind::Labelled { word, label, body } => {
                let label = match label {
                    Label::Word(label) => format!("`{label}`"),
                    Label::Value(value) => self.expr(value).to_string(),
                };
                format!("{word} {label} {}", self.block(body))
            }
            StatementKind::Trap { name, arguments } => {
                format!("trap {name} {:?}", self.exprs(arguments))
            }
            StatementKind::Lanes(lanes) => format!("lanes {}", self.expr(lanes)),
            StatementKind::Unpredictable => "unpredictable".to_string(),
            StatementKind::Commit => "commit".to_string(),
            StatementKind::Do(value) => format!("do {}", self.expr(value)),
        };
        Some(self.node(text))
    }

    fn bind(&mut self, local: LocalId, value: &'p Expr) -> Option<usize> {
        let program = self.program?;
        let known = &program.locals[local.index()];
        let width = match known.ty {
            Type::Bits(width) if !value.range.is_within(Interval::unsigned(width)) => Some(width),
            _ => None,
        };
        if !known.is_variable && self.is_timeless(value) {
            self.locals.insert(local, Local::Same(value, width));
            return None;
        }
        let value = self.expr(value);
        // A variable that changes keeps its number.
        let local = match self.locals.get(&local) {
            Some(Local::Bound(local)) => *local,
            _ => self.bound(local),
        };
        let width = if known.is_variable { width_of(known.ty) } else { width };
        Some(self.node(format!("bind {local} {width:?} {value}")))
    }

    /// A number for something that is bound here.
    fn bound(&mut self, local: LocalId) -> usize {
        self.bound += 1;
        self.locals.insert(local, Local::Bound(self.bound));
        self.bound
    }

    fn local(&mut self, local: LocalId) -> usize {
        match self.locals.get(&local).copied() {
            Some(Local::Written(at)) => at,
            Some(Local::Same(value, width)) => {
                let value = self.expr(value);
                let at = match width {
                    Some(width) => self.node(format!("store in {width} {value}")),
                    None => value,
                };
                self.locals.insert(local, Local::Written(at));
                at
            }
            Some(Local::Bound(local)) => self.node(format!("local {local}")),
            // Every name is bound before it is used.
            None => self.node("nothing".to_string()),
        }
    }

    fn bits(&mut self, bits: &'p Bits) -> String {
        match bits {
            Bits::Count(count) => format!("count {count}"),
            Bits::UpTo(high) => format!("up to {}", self.expr(high)),
        }
    }

    fn range(&mut self, range: &'p Range) -> String {
        match range {
            Range::Between(first, last) => format!("{} .. {}", self.expr(first), self.expr(last)),
            Range::Bits(of) => format!("bits {}", self.expr(of)),
        }
    }

    fn place(&mut self, place: &'p Place) -> String {
        match place {
            Place::Operand { field, part, width, is_external: _ } => {
                format!("operand `{}` {part:?} {width}", self.name(*field))
            }
            Place::State { name, width } => format!("state {name} {width}"),
            Place::OfLane { place, lane } => {
                format!("{} of lane {}", self.place(place), self.expr(lane))
            }
            Place::Register { file, number } => {
                let file = &self.isa.reg_files()[file.index()];
                let number = self.expr(number);
                format!("register {} {} {number}", file.name, file.width)
            }
            Place::Group { field, offset, width } => {
                format!("group `{}` {width} {}", self.name(*field), self.expr(offset))
            }
        }
    }

    // ---- expressions

    /// Whether an expression has one value in the whole program, wherever it is computed.
    fn is_timeless(&self, expr: &Expr) -> bool {
        let all = |exprs: &[Expr]| exprs.iter().all(|expr| self.is_timeless(expr));
        match &expr.kind {
            ExprKind::Variable(_)
            | ExprKind::Load { .. }
            | ExprKind::StoreConditional { .. }
            | ExprKind::Builtin(Builtin::Use, _)
            | ExprKind::Unknown
            | ExprKind::Raised
            | ExprKind::Active
            | ExprKind::Any(_) => false,
            ExprKind::Float { arguments, settings, raises, .. } => {
                !raises
                    && all(arguments)
                    && settings.iter().all(|(_, value)| self.is_timeless(value))
            }
            ExprKind::Int(_)
            | ExprKind::Local(_)
            | ExprKind::Field(_)
            | ExprKind::FieldBits(_)
            | ExprKind::Has(_)
            | ExprKind::Lane
            | ExprKind::Pc
            | ExprKind::Next => true,
            ExprKind::Read(place) => self.is_kept(place) && !self.commits,
            // Lanes compute it together.
            ExprKind::Ballot(_) => false,
            ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } => self.is_timeless(of),
            ExprKind::Binary(_, a, b) => self.is_timeless(a) && self.is_timeless(b),
            ExprKind::Choice(parts) => all(parts.as_slice()),
            ExprKind::Concat(parts) | ExprKind::Builtin(_, parts) => all(parts),
            ExprKind::Repeat { item, .. } => self.is_timeless(item),
            ExprKind::Part { of, low, bits } => {
                let high = match bits {
                    Bits::Count(_) => true,
                    Bits::UpTo(high) => self.is_timeless(high),
                };
                high && self.is_timeless(of) && self.is_timeless(low)
            }
            ExprKind::Fold { item, range, condition, .. } => {
                let range = match &**range {
                    Range::Between(a, b) => self.is_timeless(a) && self.is_timeless(b),
                    Range::Bits(of) => self.is_timeless(of),
                };
                let condition = condition.as_ref().is_none_or(|expr| self.is_timeless(expr));
                range && condition && self.is_timeless(item)
            }
            ExprKind::Inline { bindings, value } => {
                let is_timeless = |binding: &Statement| match &binding.kind {
                    StatementKind::Bind { value, .. } => self.is_timeless(value),
                    _ => false,
                };
                bindings.iter().all(is_timeless) && self.is_timeless(value)
            }
            ExprKind::Extern { arguments, effects, .. } => effects.is_pure && all(arguments),
        }
    }

    /// Whether a register is the same wherever it is read.
    fn is_kept(&self, place: &Place) -> bool {
        match place {
            Place::Register { number, .. } | Place::Group { offset: number, .. } => {
                self.is_timeless(number)
            }
            Place::Operand { is_external, .. } => !is_external,
            Place::State { .. } => false,
            Place::OfLane { place, lane } => self.is_timeless(lane) && self.is_kept(place),
        }
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'p Expr> + 'e) -> Vec<usize> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    /// Expressions whose numbers of bits matter.
    fn wide(&mut self, exprs: &'p [Expr]) -> Vec<(usize, Option<u32>)> {
        exprs.iter().map(|expr| (self.expr(expr), expr.width())).collect()
    }

    fn expr(&mut self, expr: &'p Expr) -> usize {
        let text = match &expr.kind {
            ExprKind::Int(value) => format!("int {value}"),
            ExprKind::Local(local) => return self.local(*local),
            ExprKind::Variable(local) => format!("variable {}", self.local(*local)),
            ExprKind::Field(name) => format!("field `{}`", self.name(*name)),
            ExprKind::FieldBits(name) => format!("bits of `{}`", self.name(*name)),
            ExprKind::Has(condition) => {
                format!("has {}", self.checked.texts.extensions().condition(condition))
            }
            ExprKind::Read(place) => format!("read {}", self.place(place)),
            ExprKind::Load { memory, address, width, is_reserving } => {
                let (memory, address) = (&self.checked.memories[*memory], self.expr(address));
                format!("load {memory} {address} {width} {is_reserving}")
            }
            ExprKind::StoreConditional { memory, address, width, value } => {
                let memory = &self.checked.memories[*memory];
                let (address, value) = (self.expr(address), self.expr(value));
                format!("store conditional {memory} {address} {width} {value}")
            }
            ExprKind::Lane => "lane".to_string(),
            ExprKind::Active => "active".to_string(),
            ExprKind::Ballot(of) => format!("ballot {}", self.expr(of)),
            ExprKind::Pc => "pc".to_string(),
            ExprKind::Next => "next".to_string(),
            ExprKind::Unary(op, of) => format!("{op:?} {}", self.expr(of)),
            ExprKind::Binary(op, a, b) => format!("{op:?} {} {}", self.expr(a), self.expr(b)),
            ExprKind::Choice(parts) => format!("choice {:?}", self.exprs(parts.iter())),
            ExprKind::Concat(parts) => format!("concat {:?}", self.wide(parts)),
            ExprKind::Repeat { item, local, first, last } => {
                let local = self.bound(*local);
                let item = self.wide(std::slice::from_ref(item));
                format!("repeat {local} {first} {last} {item:?}")
            }
            ExprKind::Slice { of, low, width } => format!("slice {} {low} {width}", self.expr(of)),
            ExprKind::Part { of, low, bits } => {
                let (of, low) = (self.expr(of), self.expr(low));
                format!("part {of} {low} {}", self.bits(bits))
            }
            ExprKind::Builtin(function, arguments) => {
                format!("{function:?} {:?}", self.wide(arguments))
            }
            ExprKind::Fold { fold, item, local, range, condition } => {
                let (range, local) = (self.range(range), self.bound(*local));
                let item = self.wide(std::slice::from_ref(item));
                let condition = condition.as_ref().map(|condition| self.expr(condition));
                format!("{fold:?} {local} {range} {item:?} {condition:?}")
            }
            ExprKind::Inline { bindings, value } => {
                let bindings: Vec<usize> =
                    bindings.iter().filter_map(|binding| self.statement(binding)).collect();
                let value = self.expr(value);
                if bindings.is_empty() {
                    return value;
                }
                format!("with {bindings:?} {value}")
            }
            ExprKind::Extern { name, arguments, effects } => {
                format!("extern {name} {:?} {effects:?}", self.wide(arguments))
            }
            ExprKind::Float { operation, arguments, settings, raises } => {
                let settings: Vec<String> = settings
                    .iter()
                    .map(|(setting, value)| format!("{} {}", setting.name(), self.expr(value)))
                    .collect();
                format!("float {operation} {:?} {settings:?} {raises}", self.exprs(arguments))
            }
            ExprKind::Raised => "raised".to_string(),
            ExprKind::Unknown => format!("unknown {:?}", expr.width()),
            ExprKind::Any(bounds) => format!("any {:?}", self.exprs(bounds.iter())),
        };
        self.node(text)
    }
}

fn width_of(ty: Type) -> Option<u32> {
    match ty {
        Type::Bits(width) => Some(width),
        Type::Integer | Type::Enumeration(_) | Type::Float(_) | Type::Mode(_) => None,
    }
}

/// Whether some writes take effect before the end of the instruction.
fn commits(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Commit => true,
        StatementKind::If { yes, no, .. } => commits(yes) || commits(no),
        StatementKind::For { body, .. }
        | StatementKind::Atomic(body)
        | StatementKind::Labelled { body, .. } => commits(body),
        _ => false,
    })
}
