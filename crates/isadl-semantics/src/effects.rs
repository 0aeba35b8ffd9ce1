//! What a program reads and writes, and for which words: the data flow and flow of control that follow from it.
//!
//! Conditions on fields are kept exactly; conditions on registers and memory make what depends on them uncertain.

use std::collections::{BTreeSet, HashMap, HashSet};

use isadl_base::vocabulary::BinaryOp;
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Expr as FieldExpr, NameId, RegFileId};

use crate::condition::{Fields, Known, When, binary};
use crate::program::{
    Bits, Expr, ExprKind, LocalId, Place, Program, Range, Statement, StatementKind,
};

/// The most steps of a loop that are looked at one by one.
const MAX_STEPS: i128 = 256;

/// The most registers of a file whose numbers are computed from fields that are told apart.
const MAX_REGISTERS: u32 = 64;

/// The most effects of one program.
const MAX_EFFECTS: usize = 1 << 14;

/// Something that is read or written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// The register, or several, that an operand denotes.
    Operand {
        /// Its field.
        field: NameId,
        /// The part of the composite in the field.
        part: Option<usize>,
    },
    /// A register of a file; without a number, any of them.
    Register {
        /// The file.
        file: RegFileId,
        /// Its number, if it is known.
        number: Option<u32>,
    },
    /// A register outside of files.
    State(String),
    /// The number in a field.
    Value(NameId),
    /// Memory.
    Memory {
        /// Which, an index among the memories.
        memory: usize,
        /// The number of bits.
        width: u32,
        /// The fields that the address is computed of: their registers, numbers and values.
        address: Vec<NameId>,
    },
}

/// A read or a write.
#[derive(Debug, Clone)]
pub struct Effect {
    /// Of what.
    pub resource: Resource,
    /// Whether it is written.
    pub is_write: bool,
    /// Whether only some of its bits are written, so that the others stay.
    pub is_partial: bool,
    /// Whether it happens as often as registers decide.
    pub is_repeated: bool,
    /// When.
    pub when: When,
    /// Where it is written in the program.
    pub span: Span,
}

/// A change of the program counter.
#[derive(Debug, Clone)]
pub struct Jump {
    /// When.
    pub when: When,
    /// Whether the target follows from the word and the address of the instruction.
    pub is_direct: bool,
    /// Where it is written.
    pub span: Span,
}

/// What a program does beside computing.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    /// Reads and writes, in the order of the program.
    pub accesses: Vec<Effect>,
    /// Changes of the program counter.
    pub jumps: Vec<Jump>,
    /// Traps.
    pub traps: Vec<When>,
}

/// The effects of a program.
pub(crate) fn effects(program: &Program, fields: &Fields<'_>) -> Effects {
    let (found, known) = (Effects::default(), Known::new());
    let (from_state, sources, parts) = Default::default();
    let is_repeated = false;
    let mut walk = Walk { fields, found, known, from_state, sources, parts, is_repeated };
    walk.statements(&program.statements, &When::always());
    walk.join_parts();
    walk.found
}

struct Walk<'w> {
    fields: &'w Fields<'w>,
    found: Effects,
    known: Known,
    /// The names whose values depend on registers or memory.
    from_state: HashSet<LocalId>,
    /// The fields that names are computed of.
    sources: HashMap<LocalId, BTreeSet<NameId>>,
    /// The bits of operands and registers that are written at known places: the number of all, the lowest and the end.
    parts: Vec<(Resource, When, u32, std::ops::Range<u32>)>,
    /// Whether the walk is in a loop whose number of steps depends on registers.
    is_repeated: bool,
}

impl Walk<'_> {
    fn add(
        &mut self,
        resource: Resource,
        is_write: bool,
        is_partial: bool,
        when: &When,
        span: Span,
    ) {
        if when.necessary == Some(FieldExpr::Int(0)) || self.found.accesses.len() >= MAX_EFFECTS {
            return;
        }
        let is_known = |known: &Effect| {
            known.resource == resource
                // Each access to memory counts, since several may be declared together.
                && (known.span == span || !matches!(resource, Resource::Memory { .. }))
                && known.is_write == is_write
                && known.is_partial == is_partial
                && (known.when == *when || known.when == When::always())
        };
        if !self.found.accesses.iter().any(is_known) {
            let when = when.clone();
            let is_repeated = self.is_repeated;
            self.found.accesses.push(Effect {
                resource,
                is_write,
                is_partial,
                is_repeated,
                when,
                span,
            });
        }
    }

    /// Walks statements under a condition.
    fn statements(&mut self, statements: &[Statement], when: &When) {
        for statement in statements {
            self.statement(statement, when);
        }
    }

    fn statement(&mut self, statement: &Statement, when: &When) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Bind { local, value } => {
                self.expr(value, when);
                self.bind(*local, value, when);
            }
            StatementKind::BindBits { local, low, bits, value } => {
                self.expr(value, when);
                self.position(low, bits, when);
                if self.is_from_state(value) {
                    self.from_state.insert(*local);
                }
            }
            StatementKind::Write { place, bits, value } => {
                self.expr(value, when);
                if let Some((low, bits)) = bits {
                    self.position(low, bits, when);
                    self.part(place, low, bits, when);
                }
                self.place(place, true, bits.is_some(), when, span);
            }
            StatementKind::Store { memory, address, width, value } => {
                self.expr(address, when);
                self.expr(value, when);
                let resource = self.memory(*memory, address, *width);
                self.add(resource, true, false, when, span);
            }
            StatementKind::Jump { target } => {
                self.expr(target, when);
                let is_direct = !self.is_from_state(target);
                if when.necessary != Some(FieldExpr::Int(0)) {
                    self.found.jumps.push(Jump { when: when.clone(), is_direct, span });
                }
            }
            StatementKind::If { condition, yes, no } => {
                self.expr(condition, when);
                for (holds, branch) in [(true, yes), (false, no)] {
                    let own = when.and(self.fields.when(condition, holds, &self.known));
                    if own.necessary != Some(FieldExpr::Int(0)) {
                        self.statements(branch, &own);
                    }
                }
            }
            StatementKind::For { local, range, body } => {
                self.each(*local, range, when, |walk, when| {
                    walk.statements(body, when);
                })
            }
            StatementKind::Atomic(body) => self.statements(body, when),
            StatementKind::Labelled { label, body, .. } => {
                if let crate::program::Label::Value(label) = label {
                    self.expr(label, when);
                }
                self.statements(body, when);
            }
            StatementKind::Trap { arguments, .. } => {
                arguments.iter().for_each(|argument| self.expr(argument, when));
                self.found.traps.push(when.clone());
            }
            StatementKind::Do(value) | StatementKind::Lanes(value) => self.expr(value, when),
            StatementKind::Unpredictable | StatementKind::Commit => {}
        }
    }

    /// Remembers the bits that are written.
    fn part(&mut self, place: &Place, low: &Expr, bits: &Bits, when: &When) {
        let (resource, width) = match place {
            Place::Operand { field, part, width, .. } => {
                (Resource::Operand { field: *field, part: *part }, *width)
            }
            // Parts of several registers are not one whole.
            Place::Group { .. } => return,
            Place::State { name, width } => (Resource::State(name.clone()), *width),
            Place::OfLane { .. } => return,
            Place::Register { file, number } => {
                let Some(FieldExpr::Int(number)) = self.fields.expr(number, &self.known) else {
                    return;
                };
                let number = u32::try_from(number).ok();
                let width = self.fields.isa.reg_files()[file.index()].width;
                (Resource::Register { file: *file, number }, width)
            }
        };
        let low = match self.fields.expr(low, &self.known) {
            Some(FieldExpr::Int(low)) => u32::try_from(low).ok(),
            _ => None,
        };
        // What depends on registers need not happen together.
        if let (Some(low), Bits::Count(count)) = (low, bits)
            && when.is_certain
            && self.parts.len() < MAX_EFFECTS
        {
            self.parts.push((resource, when.clone(), width, low..low.saturating_add(*count)));
        }
    }

    /// Finds writes of parts that are together writes of the whole.
    fn join_parts(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.sort_by(|a, b| (&a.0, a.3.start).cmp(&(&b.0, b.3.start)));
        for effect in &mut self.found.accesses {
            if !(effect.is_write && effect.is_partial) {
                continue;
            }
            let mut end = 0;
            for (resource, when, width, bits) in &parts {
                let counts = *resource == effect.resource
                    && (*when == effect.when || *when == When::always());
                if counts && bits.start <= end {
                    end = end.max(bits.end);
                    effect.is_partial &= end < *width;
                }
            }
        }
    }

    fn memory(&self, memory: usize, address: &Expr, width: u32) -> Resource {
        let address = self.fields_of(address).into_iter().collect();
        Resource::Memory { memory, width, address }
    }

    /// The fields that a value is computed of.
    fn fields_of(&self, expr: &Expr) -> BTreeSet<NameId> {
        let mut found = BTreeSet::new();
        expr.visit(&mut |part| match &part.kind {
            ExprKind::Read(Place::Operand { field, .. } | Place::Group { field, .. })
            | ExprKind::Field(field)
            | ExprKind::FieldBits(field) => {
                found.insert(*field);
            }
            ExprKind::Local(local) | ExprKind::Variable(local) => {
                found.extend(self.sources.get(local).into_iter().flatten());
            }
            _ => {}
        });
        found
    }

    fn bind(&mut self, local: LocalId, value: &Expr, when: &When) {
        let fields = self.fields_of(value);
        self.sources.entry(local).or_default().extend(fields);
        let known = self.fields.expr(value, &self.known);
        // Whether a variable has a value may depend on registers even if the value does not.
        if !when.is_certain || known.is_none() && self.is_from_state(value) {
            self.from_state.insert(local);
        }
        self.known.insert(local, known);
    }

    /// Walks the steps of a loop: each number that is known when the program is checked by itself.
    fn each(
        &mut self,
        local: LocalId,
        range: &Range,
        when: &When,
        mut step: impl FnMut(&mut Self, &When),
    ) {
        let (low, high) = match range {
            Range::Between(first, last) => {
                self.expr(first, when);
                self.expr(last, when);
                // Where registers decide how many steps there are, no step is certain, and all are alike.
                match [first, last].map(|bound| self.fields.expr(bound, &self.known)) {
                    [Some(_), Some(_)] => (first.range.low.exact(), last.range.high.exact()),
                    _ => (None, None),
                }
            }
            Range::Bits(of) => {
                self.expr(of, when);
                (Some(0), of.width().map(|width| i128::from(width) - 1))
            }
        };
        let steps = low.zip(high).filter(|(low, high)| high - low < MAX_STEPS);
        let Some((low, high)) = steps else {
            self.known.insert(local, None);
            self.from_state.insert(local);
            let outside = std::mem::replace(&mut self.is_repeated, true);
            step(self, &When { is_certain: false, ..when.clone() });
            self.is_repeated = outside;
            return;
        };
        for number in low..=high {
            let own = when.and(self.takes(range, number));
            if own.necessary == Some(FieldExpr::Int(0)) {
                continue;
            }
            self.known.insert(local, Some(FieldExpr::Int(number)));
            step(self, &own);
        }
    }

    /// When a loop takes a number.
    fn takes(&self, range: &Range, number: i128) -> When {
        let number = FieldExpr::Int(number);
        let uncertain = When { necessary: None, is_certain: false };
        let certain = |necessary: FieldExpr| match necessary {
            FieldExpr::Int(value) if value != 0 => When::always(),
            other => When { necessary: Some(other), is_certain: true },
        };
        let of = |expr: &Expr| self.fields.expr(expr, &self.known);
        match range {
            Range::Between(first, last) => {
                let after =
                    of(first).map(|first| certain(binary(BinaryOp::Le, first, number.clone())));
                let before = of(last).map(|last| certain(binary(BinaryOp::Le, number, last)));
                after.unwrap_or(uncertain.clone()).and(before.unwrap_or(uncertain))
            }
            Range::Bits(bits) => of(bits).map_or(uncertain, |bits| {
                let bit = binary(
                    BinaryOp::BitAnd,
                    binary(BinaryOp::Shr, bits, number),
                    FieldExpr::Int(1),
                );
                certain(bit)
            }),
        }
    }

    fn position(&mut self, low: &Expr, bits: &Bits, when: &When) {
        self.expr(low, when);
        if let Bits::UpTo(high) = bits {
            self.expr(high, when);
        }
    }

    fn place(&mut self, place: &Place, is_write: bool, is_partial: bool, when: &When, span: Span) {
        match place {
            Place::Operand { field, part, .. } => {
                self.add(
                    Resource::Operand { field: *field, part: *part },
                    is_write,
                    is_partial,
                    when,
                    span,
                );
            }
            Place::State { name, .. } => {
                self.add(Resource::State(name.clone()), is_write, is_partial, when, span)
            }
            Place::Group { field, offset, .. } => {
                self.expr(offset, when);
                let resource = Resource::Operand { field: *field, part: None };
                self.add(resource, is_write, true, when, span);
            }
            // The register stays in the other lanes.
            Place::OfLane { place, lane } => {
                self.expr(lane, when);
                self.place(place, is_write, is_write, when, span);
            }
            Place::Register { file, number } => {
                self.expr(number, when);
                let count = self.fields.isa.reg_files()[file.index()].count;
                let register = |number: Option<u32>| Resource::Register { file: *file, number };
                match self.fields.expr(number, &self.known) {
                    Some(FieldExpr::Int(number)) => {
                        self.add(
                            register(u32::try_from(number).ok()),
                            is_write,
                            is_partial,
                            when,
                            span,
                        );
                    }
                    Some(expr) if count <= MAX_REGISTERS => {
                        for number in 0..count {
                            let is_it =
                                binary(BinaryOp::Eq, expr.clone(), FieldExpr::Int(number.into()));
                            let own = when.and(When { necessary: Some(is_it), is_certain: true });
                            self.add(register(Some(number)), is_write, is_partial, &own, span);
                        }
                    }
                    _ => {
                        let own = When { is_certain: false, ..when.clone() };
                        self.add(register(None), is_write, is_partial, &own, span);
                    }
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr, when: &When) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Local(_)
            | ExprKind::Variable(_)
            | ExprKind::Has(_)
            | ExprKind::Pc
            | ExprKind::Next
            | ExprKind::Lane
            | ExprKind::Active
            | ExprKind::Raised
            | ExprKind::Unknown => {}
            ExprKind::Field(field) | ExprKind::FieldBits(field) => {
                self.add(Resource::Value(*field), false, false, when, expr.span);
            }
            ExprKind::Read(place) => self.place(place, false, false, when, expr.span),
            ExprKind::Load { memory, address, width, .. } => {
                self.expr(address, when);
                let resource = self.memory(*memory, address, *width);
                self.add(resource, false, false, when, expr.span);
            }
            ExprKind::StoreConditional { memory, address, width, value } => {
                self.expr(address, when);
                self.expr(value, when);
                let resource = self.memory(*memory, address, *width);
                self.add(resource, true, false, when, expr.span);
            }
            ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } | ExprKind::Ballot(of) => {
                self.expr(of, when);
            }
            ExprKind::Binary(op, a, b) => {
                self.expr(a, when);
                let own = match op {
                    BinaryOp::And => when.and(self.fields.when(a, true, &self.known)),
                    BinaryOp::Or => when.and(self.fields.when(a, false, &self.known)),
                    _ => when.clone(),
                };
                self.expr(b, &own);
            }
            ExprKind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                self.expr(condition, when);
                for (holds, arm) in [(true, yes), (false, no)] {
                    let own = when.and(self.fields.when(condition, holds, &self.known));
                    if own.necessary != Some(FieldExpr::Int(0)) {
                        self.expr(arm, &own);
                    }
                }
            }
            ExprKind::Concat(parts) | ExprKind::Builtin(_, parts) => {
                parts.iter().for_each(|part| self.expr(part, when));
            }
            ExprKind::Extern { arguments, .. } => {
                arguments.iter().for_each(|argument| self.expr(argument, when))
            }
            ExprKind::Float { arguments, settings, .. } => {
                let values = arguments.iter().chain(settings.iter().map(|(_, value)| value));
                values.for_each(|value| self.expr(value, when));
            }
            ExprKind::Repeat { item, local, first, last } => {
                let range = |value: i128| {
                    Expr { kind: ExprKind::Int(value), ..item.as_ref().clone() }.at(value)
                };
                let range = Range::Between(range(*first.min(last)), range(*first.max(last)));
                self.each(*local, &range, when, |walk, when| walk.expr(item, when));
            }
            ExprKind::Part { of, low, bits } => {
                self.expr(of, when);
                self.position(low, bits, when);
            }
            ExprKind::Fold { item, local, range, condition, .. } => {
                self.each(*local, range, when, |walk, when| {
                    let Some(condition) = condition else { return walk.expr(item, when) };
                    walk.expr(condition, when);
                    let own = when.and(walk.fields.when(condition, true, &walk.known));
                    walk.expr(item, &own);
                })
            }
            ExprKind::Inline { bindings, value } => {
                self.statements(bindings, when);
                self.expr(value, when);
            }
            ExprKind::Any(bounds) => bounds.iter().for_each(|bound| self.expr(bound, when)),
        }
    }

    /// Whether a value depends on registers or memory.
    fn is_from_state(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Field(_)
            | ExprKind::FieldBits(_)
            | ExprKind::Has(_)
            | ExprKind::Pc
            | ExprKind::Next => false,
            ExprKind::Local(local) | ExprKind::Variable(local) => self.from_state.contains(local),
            ExprKind::Read(_)
            | ExprKind::Load { .. }
            | ExprKind::StoreConditional { .. }
            | ExprKind::Unknown
            | ExprKind::Raised
            | ExprKind::Lane
            | ExprKind::Active
            | ExprKind::Any(_) => true,
            ExprKind::Extern { arguments, effects, .. } => {
                !effects.is_pure || arguments.iter().any(|argument| self.is_from_state(argument))
            }
            ExprKind::Float { arguments, settings, .. } => {
                let mut values = arguments.iter().chain(settings.iter().map(|(_, value)| value));
                values.any(|value| self.is_from_state(value))
            }
            ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } | ExprKind::Ballot(of) => {
                self.is_from_state(of)
            }
            ExprKind::Binary(_, a, b) => self.is_from_state(a) || self.is_from_state(b),
            ExprKind::Choice(parts) => parts.iter().any(|part| self.is_from_state(part)),
            ExprKind::Concat(parts) | ExprKind::Builtin(_, parts) => {
                parts.iter().any(|part| self.is_from_state(part))
            }
            ExprKind::Repeat { item, .. } => self.is_from_state(item),
            ExprKind::Part { of, low, .. } => self.is_from_state(of) || self.is_from_state(low),
            ExprKind::Fold { item, .. } => self.is_from_state(item),
            ExprKind::Inline { bindings, value } => {
                let binds = |statement: &Statement| match &statement.kind {
                    StatementKind::Bind { value, .. } => self.is_from_state(value),
                    _ => true,
                };
                bindings.iter().any(binds) || self.is_from_state(value)
            }
        }
    }
}

impl Expr {
    /// The expression with the bounds of one number.
    fn at(self, value: i128) -> Expr {
        Expr { range: crate::interval::Interval::one(value), ..self }
    }
}
