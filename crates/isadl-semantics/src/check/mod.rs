//! Checking: from the syntax tree of an opcode's programs to a [`Program`], for one choice of the fields that decide widths.
//!
//! Names are resolved, types and bounds computed, functions and wrappers written out. A function returns `None` after it reported why
//! there is no result; nothing is reported as a consequence of that.

mod bits;
mod calls;
mod claims;
mod elements;
mod float_calls;
mod float_settings;
mod floats;
mod folds;
mod functions;
mod lanes;
mod matches;
mod names;
mod narrow;
mod operands;
mod operators;
mod registers;
mod round;
mod statements;
mod store;
mod switches;
mod targets;

#[cfg(test)]
pub(crate) use calls::FUNCTIONS;
pub(crate) use claims::claims;
#[cfg(test)]
pub(crate) use floats::FLOAT_FUNCTIONS;
pub(crate) use registers::files_of;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use isadl_diagnostics::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{Isa, NameId, Opcode, Register, RegisterNames};

use crate::facts::Facts;
use crate::float::{Format, Setting};
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, Local, LocalId, Program, Type};
use crate::scope::{Chain, Scopes};
use crate::syntax::ast::{self, Name};
use claims::Moment;

/// How deep functions may call each other.
const MAX_CALLS: usize = 32;

/// How deep expressions may be, with functions written out.
const MAX_DEPTH: usize = 250;

/// The most expressions of one program, with functions written out.
const MAX_SIZE: usize = 1 << 16;

/// The memories of an instruction set, in order of declaration.
pub(crate) type Memories<'s> = Vec<Name<'s>>;

/// What a program is checked in.
pub(crate) struct Context<'c, 's> {
    pub(crate) isa: &'c Isa,
    pub(crate) opcode: &'c Opcode,
    pub(crate) scopes: &'c Scopes<'c, 's>,
    pub(crate) chain: &'c Chain<'c, 's>,
    pub(crate) layer: usize,
    pub(crate) memories: &'c Memories<'s>,
    /// The values of the fields that decide widths, beyond those that the opcode fixes.
    pub(crate) chosen: &'c BTreeMap<NameId, u64>,
    /// The names of registers, if claims are checked: they name registers as assembly text does.
    pub(crate) registers: Option<&'c RegisterNames<'c>>,
}

/// Checks the programs of an opcode. The result is `None` if something was reported.
pub(crate) fn check<'c, 's>(
    context: &'c Context<'c, 's>,
    diagnostics: &mut Diagnostics,
) -> Option<Program> {
    let mut checker = Checker::new(context, diagnostics);
    let mut statements = checker.program();
    statements.extend(checker.flag_statements());
    let statements = checker.lane_statements(statements);
    let lanes = checker.all_lanes();
    checker.report_unused();
    let (locals, has_errors) = (checker.locals, checker.has_errors);
    (!has_errors).then_some(Program { statements, locals, lanes })
}

/// A local name in a block; `None` if a fault in its statement was reported.
type Bound = Option<LocalId>;

struct Checker<'c, 's, 'd> {
    context: &'c Context<'c, 's>,
    diagnostics: &'d mut Diagnostics,
    has_errors: bool,
    locals: Vec<Local>,
    /// Whether each local name is read, or need not be.
    uses: Vec<bool>,
    /// The names of the open blocks, the innermost last.
    blocks: Vec<HashMap<&'s str, Bound>>,
    /// The first block whose names are visible: those of a caller are not.
    visible: usize,
    facts: Facts,
    /// The program that is checked, an index into [`Chain::programs`].
    body: usize,
    /// The functions that are written out, and where they are called.
    calls: Vec<(Name<'s>, Span)>,
    size: usize,
    depth: usize,
    /// Whether the program was found too large or too deep.
    is_beyond_limits: bool,
    /// The places that were surely written, by their text.
    written: Rc<HashSet<String>>,
    /// The bits of the place that the value is for.
    wanted: Option<u32>,
    /// The number of the element, inside of `each`.
    element: Option<LocalId>,
    /// The names of `let` with `else trap` that have a number here.
    switched: Vec<(&'s str, i128)>,
    /// The format of the place that the next expression is for.
    format: Option<Format>,
    /// The setting whose values names are.
    setting: Option<Setting>,
    /// Whether an operation raised flags that matter.
    raises: bool,
    /// The moment that names are about, in claims.
    moment: Moment,
    /// The values from before the first instruction that claims name, each with its number of bits.
    old: Vec<(Expr, u32)>,
    /// The registers that claims read.
    named: BTreeSet<Register>,
}

impl<'c, 's, 'd> Checker<'c, 's, 'd> {
    fn new(context: &'c Context<'c, 's>, diagnostics: &'d mut Diagnostics) -> Checker<'c, 's, 'd> {
        Checker {
            context,
            diagnostics,
            has_errors: false,
            locals: Vec::new(),
            uses: Vec::new(),
            blocks: vec![HashMap::new()],
            visible: 0,
            facts: Facts::default(),
            body: 0,
            calls: Vec::new(),
            size: 0,
            depth: 0,
            is_beyond_limits: false,
            written: Rc::default(),
            wanted: None,
            element: None,
            switched: Vec::new(),
            format: None,
            setting: None,
            raises: false,
            moment: Moment::Before,
            old: Vec::new(),
            named: BTreeSet::new(),
        }
    }

    // ---- findings

    fn report(&mut self, diagnostic: Diagnostic) {
        self.has_errors = true;
        let mut diagnostic = diagnostic;
        if let Some((Name { text: name, .. }, span)) = self.calls.last() {
            diagnostic = diagnostic.with_related(*span, format!("in this call of `{name}`"));
        }
        if let Some(values) = self.open_switches() {
            diagnostic = diagnostic.with_note(values);
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error without more to say than a help.
    fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::new(code, message, span).with_help(help));
    }

    // ---- local names

    fn add_local(
        &mut self,
        name: Name<'s>,
        ty: Type,
        range: Interval,
        is_variable: bool,
    ) -> LocalId {
        let local = LocalId(self.locals.len() as u32);
        self.locals.push(Local {
            name: name.text.to_string(),
            span: name.span,
            ty,
            range,
            is_variable,
        });
        self.uses.push(false);
        if let Some(block) = self.blocks.last_mut() {
            block.insert(name.text, Some(local));
        }
        local
    }

    /// A name of its own for a value that is used several times.
    fn add_temporary(&mut self, ty: Type, range: Interval, span: Span) -> LocalId {
        let local = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: String::new(), span, ty, range, is_variable: false });
        self.uses.push(true);
        local
    }

    fn find_local(&self, name: &str) -> Option<LocalId> {
        self.find_bound(name).flatten()
    }

    fn find_bound(&self, name: &str) -> Option<Bound> {
        self.blocks[self.visible..].iter().rev().find_map(|block| block.get(name)).copied()
    }

    /// Remembers a name whose statement has a fault, so that nothing is reported where it is used.
    fn lose(&mut self, name: &'s str) {
        if let Some(block) = self.blocks.last_mut() {
            block.entry(name).or_insert(None);
        }
    }

    /// An expression that reads a local name.
    fn read_local(&mut self, local: LocalId, span: Span) -> Expr {
        self.uses[local.index()] = true;
        let known = &self.locals[local.index()];
        let constant = known.range.value().filter(|_| known.ty == Type::Integer);
        let kind = match constant {
            _ if known.is_variable => ExprKind::Variable(local),
            // A width that a parameter gives a name is bound by no statement.
            Some(value) => ExprKind::Int(value),
            None => ExprKind::Local(local),
        };
        let (ty, range) = (known.ty, known.range);
        self.finish(Expr { kind, ty, range, span, is_signed: true, is_exact: true })
    }

    /// Runs a step in a block of its own, with facts of its own.
    fn in_block<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        self.blocks.push(HashMap::new());
        let (facts, written) = (self.facts.clone(), self.written.clone());
        let result = step(self);
        self.facts = facts;
        self.written = written;
        self.blocks.pop();
        result
    }

    /// Reports names that are never read.
    fn report_unused(&mut self) {
        if self.has_errors {
            return;
        }
        for index in 0..self.locals.len() {
            let local = &self.locals[index];
            let is_loop = local.name.starts_with('_');
            if self.uses[index] || is_loop {
                continue;
            }
            let message = format!("`{}` is never read", local.name);
            let span = local.span;
            let near = self.writable_names();
            let found = Diagnostic::new(Code::E1227, message, span);
            let found = found.with_suggestion(&self.locals[index].name, near);
            self.report(found.with_note("a name without a meaning is a new name"));
        }
    }

    /// The names of the opcode's operands.
    fn writable_names(&self) -> Vec<String> {
        let fields = self.context.opcode.fields.iter();
        fields.map(|field| self.context.isa.name_of(field.name).to_string()).collect()
    }

    // ---- expressions

    /// Narrows the bounds of an expression by what is known.
    fn finish(&mut self, mut expr: Expr) -> Expr {
        expr.range = self.facts.known(&expr);
        expr
    }

    /// An expression of a type with bounds, whose sign is shown by its parts.
    fn make(&mut self, kind: ExprKind, ty: Type, range: Interval, span: Span) -> Expr {
        self.finish(Expr { kind, ty, range, span, is_signed: false, is_exact: false })
    }

    /// Bits without a sign.
    fn make_bits(&mut self, kind: ExprKind, width: u32, span: Span) -> Expr {
        self.make(kind, Type::Bits(width), Interval::unsigned(width), span)
    }

    fn int(&mut self, value: i128, span: Span) -> Expr {
        let range = Interval::one(value);
        Expr {
            kind: ExprKind::Int(value),
            ty: Type::Integer,
            range,
            span,
            is_signed: true,
            is_exact: false,
        }
    }

    /// Checks an expression.
    fn expr(&mut self, expr: &'c ast::Expr<'s>) -> Option<Expr> {
        self.size += 1;
        if self.is_beyond_limits {
            return None;
        }
        if self.size > MAX_SIZE || self.depth == MAX_DEPTH {
            self.is_beyond_limits = true;
            let what = if self.depth == MAX_DEPTH { "deep" } else { "large" };
            let message = format!("the program is too {what} with its functions written out");
            let help = "give parts names, and write loops instead of repeated calls";
            self.error(Code::E1219, expr.span, message, help);
            return None;
        }
        self.depth += 1;
        let found = self.kind(expr);
        self.depth -= 1;
        found
    }

    fn kind(&mut self, expr: &'c ast::Expr<'s>) -> Option<Expr> {
        let span = expr.span;
        // Only what gives its own value hands it on.
        let format = self.format.take();
        match &expr.kind {
            ast::ExprKind::Int(value) => match i128::try_from(*value) {
                Ok(value) => Some(self.int(value, span)),
                Err(_) => {
                    let help = "write it as a sum of smaller numbers, shifted";
                    self.error(Code::E1219, span, "the number has more than 127 bits", help);
                    None
                }
            },
            ast::ExprKind::Real(text) => self.literal(text, format, span),
            ast::ExprKind::Text(_) => {
                let help = "compare an operand with it: `rd == \"zero\"`";
                self.error(Code::E1217, span, "a text is not a number", help);
                None
            }
            ast::ExprKind::Name(text) if self.is_literal(expr) => self.literal(text, format, span),
            ast::ExprKind::Name(text) => self.name(Name { text, span }),
            ast::ExprKind::Member { of, name } => self.member(*of, *name, span),
            ast::ExprKind::Unary(op, of) => {
                self.format = format;
                self.unary(*op, of, span)
            }
            ast::ExprKind::Binary(op, a, b) => self.binary(*op, a, b, span),
            ast::ExprKind::Choice(parts) => self.choice(parts, format, span),
            ast::ExprKind::Match(found) => self.match_value(found, format, span),
            ast::ExprKind::Concat(parts) => self.concat(parts, span),
            ast::ExprKind::Repeat { item, name, bounds } => self.repeat(item, *name, bounds, span),
            ast::ExprKind::Slice { of, bounds } => self.slice(of, bounds, span),
            ast::ExprKind::Part { of, bounds } => self.part(of, bounds, span),
            ast::ExprKind::Index { of, indices } => self.index(of, indices, span),
            ast::ExprKind::Lane { of, lane } => self.lane_value(of, lane, span),
            ast::ExprKind::Call { function, arguments } => {
                self.call(*function, arguments, format, span)
            }
            ast::ExprKind::Fold { function, item, name, range, condition } => self.fold(
                folds::Loop {
                    function: *function,
                    item,
                    name: *name,
                    range,
                    condition: condition.as_deref(),
                },
                span,
            ),
            ast::ExprKind::Between(_) => {
                self.error(
                    Code::E1213,
                    span,
                    "a range is not a value",
                    "write it in `any(a .. b)` or `for i in a .. b`",
                );
                None
            }
            ast::ExprKind::Unknown if format.is_some() => {
                format.map(|format| self.encoded(ExprKind::Unknown, format, span))
            }
            ast::ExprKind::Unknown if self.wanted.is_some() => {
                let width = self.wanted.unwrap_or(1);
                Some(self.make_bits(ExprKind::Unknown, width, span))
            }
            ast::ExprKind::Unknown => {
                let help =
                    "write `rd = unknown`, or say how many bits: `var x : bits(8) = unknown`";
                self.error(Code::E1208, span, "`unknown` has no width here", help);
                None
            }
            ast::ExprKind::Body => {
                self.format = format;
                self.body_value(span)
            }
        }
    }

    /// A condition: 0 or 1.
    fn condition(&mut self, expr: &'c ast::Expr<'s>) -> Option<Expr> {
        let found = self.number(expr)?;
        match found.range.is_within(Interval::between(0, 1)) {
            true => Some(found),
            false => {
                let message = format!("a condition is 0 or 1; this is {}", found.range);
                self.error(Code::E1212, expr.span, message, "compare it: `… != 0`");
                None
            }
        }
    }

    /// An expression that is an integer, and no value of an enumeration.
    fn number(&mut self, expr: &'c ast::Expr<'s>) -> Option<Expr> {
        let found = self.expr(expr)?;
        self.as_number(found, expr.span)
    }

    /// A value, if it is an integer.
    fn as_number(&mut self, found: Expr, span: Span) -> Option<Expr> {
        match found.ty {
            Type::Enumeration(ty) => {
                let name = &self.context.isa.ty(ty).name;
                let message = format!("a value of `{name}` is not a number");
                self.error(
                    Code::E1217,
                    span,
                    message,
                    "compare it with a name, or write `bits(…)` for its bits",
                );
                None
            }
            Type::Float(_) => {
                let message = "a floating-point number where an integer is expected";
                let help = "compute with it in `round(…)`; write `to_bits(…)` for its encoding, `to_signed(…, 32)` for an integer";
                self.error(Code::E1231, span, message, help);
                None
            }
            Type::Mode(setting) => {
                let message = format!("a value of `{}` is not a number", setting.name());
                self.error(Code::E1231, span, message, "it is for `float` declarations and modes");
                None
            }
            Type::Bits(_) | Type::Integer => Some(found),
        }
    }

    /// An integer that is known when the program is checked.
    fn constant(&mut self, expr: &'c ast::Expr<'s>, what: &str) -> Option<i128> {
        let found = self.number(expr)?;
        let value = found.value();
        if value.is_none() {
            let message = format!(
                "{what} must be known when the program is checked; this is {}",
                found.range
            );
            let help = "use numbers, constants, and fields that decide widths";
            self.error(Code::E1208, expr.span, message, help);
        }
        value
    }

    /// A number of bits that is known when the program is checked.
    fn width(&mut self, expr: &'c ast::Expr<'s>) -> Option<u32> {
        let value = self.constant(expr, "a number of bits")?;
        let width = u32::try_from(value)
            .ok()
            .filter(|width| (1..=crate::interval::MAX_BITS).contains(width));
        if width.is_none() {
            let help = format!("a value has 1 to {} bits", crate::interval::MAX_BITS);
            self.error(Code::E1219, expr.span, format!("{value} is not a number of bits"), help);
        }
        width
    }
}
