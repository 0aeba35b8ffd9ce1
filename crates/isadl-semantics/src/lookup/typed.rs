//! The type and bounds of what is at a place of a checked program.

use isadl_diagnostics::span::{FileId, Span};
use isadl_ir::isa::{Isa, Opcode};

use crate::checked::Instance;
use crate::interval::Interval;
use crate::program::{
    Bits, Expr, ExprKind, Label, Place, Program, Range, Statement, StatementKind, Type,
};

/// A typed place of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typed {
    /// Where it is.
    pub span: Span,
    /// Its type.
    pub ty: Type,
    /// Its bounds.
    pub range: Interval,
}

/// The innermost expression, bound name or written register at a place; of several with the same location, the outermost.
pub fn typed_at(program: &Program, isa: &Isa, file: FileId, at: u32) -> Option<Typed> {
    let mut search = Search { isa, file, at, found: None };
    for local in program.locals.iter().filter(|local| !local.name.is_empty()) {
        search.offer(Typed { span: local.span, ty: local.ty, range: local.range });
    }
    search.statements(&program.statements);
    search.found
}

struct Search<'p> {
    isa: &'p Isa,
    file: FileId,
    at: u32,
    found: Option<Typed>,
}

impl Search<'_> {
    fn offer(&mut self, typed: Typed) {
        let span = typed.span;
        let is_here = span.file == self.file && span.start <= self.at && self.at <= span.end;
        let length = |span: Span| span.end - span.start;
        let is_nearer = self.found.is_none_or(|known| length(span) < length(known.span));
        if is_here && is_nearer {
            self.found = Some(typed);
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Bind { value, .. } | StatementKind::Do(value) => self.expr(value),
            StatementKind::BindBits { low, bits, value, .. } => {
                self.expr(low);
                self.bits(bits);
                self.expr(value);
            }
            StatementKind::Write { place, bits, value } => {
                self.target(place, statement.span);
                if let Some((low, bits)) = bits {
                    self.expr(low);
                    self.bits(bits);
                }
                self.expr(value);
            }
            StatementKind::Store { address, value, .. } => {
                self.expr(address);
                self.expr(value);
            }
            StatementKind::Jump { target } => self.expr(target),
            StatementKind::If { condition, yes, no } => {
                self.expr(condition);
                self.statements(yes);
                self.statements(no);
            }
            StatementKind::For { range, body, .. } => {
                self.range(range);
                self.statements(body);
            }
            StatementKind::Labelled { label, body, .. } => {
                if let Label::Value(value) = label {
                    self.expr(value);
                }
                self.statements(body);
            }
            StatementKind::Atomic(body) => self.statements(body),
            StatementKind::Trap { arguments, .. } => {
                arguments.iter().for_each(|one| self.expr(one))
            }
            StatementKind::Unpredictable | StatementKind::Commit => {}
        }
    }

    /// A register that a statement writes; the statement begins with it.
    fn target(&mut self, place: &Place, span: Span) {
        let width = match place {
            Place::Operand { width, .. } | Place::State { width, .. } => *width,
            Place::Register { file, number } => {
                self.number(number);
                self.isa.reg_files()[file.index()].width
            }
        };
        self.offer(Typed { span, ty: Type::Bits(width), range: Interval::unsigned(width) });
    }

    /// The number of a register, unless it is known: that of the only register of a file is not in the text.
    fn number(&mut self, number: &Expr) {
        if number.value().is_none() {
            self.expr(number);
        }
    }

    fn bits(&mut self, bits: &Bits) {
        if let Bits::UpTo(high) = bits {
            self.expr(high);
        }
    }

    fn range(&mut self, range: &Range) {
        match range {
            Range::Between(first, last) => {
                self.expr(first);
                self.expr(last);
            }
            Range::Bits(of) => self.expr(of),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        self.offer(Typed { span: expr.span, ty: expr.ty, range: expr.range });
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Local(_)
            | ExprKind::Variable(_)
            | ExprKind::Field(_)
            | ExprKind::FieldBits(_)
            | ExprKind::Has(_)
            | ExprKind::Pc
            | ExprKind::Next
            | ExprKind::Unknown
            | ExprKind::Read(Place::Operand { .. } | Place::State { .. }) => {}
            ExprKind::Read(Place::Register { number, .. }) => self.number(number),
            ExprKind::Load { address: of, .. }
            | ExprKind::Unary(_, of)
            | ExprKind::Repeat { item: of, .. }
            | ExprKind::Slice { of, .. } => self.expr(of),
            ExprKind::StoreConditional { address: a, value: b, .. } | ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Choice(parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::Any(bounds) => bounds.iter().for_each(|bound| self.expr(bound)),
            ExprKind::Concat(parts)
            | ExprKind::Builtin(_, parts)
            | ExprKind::Extern { arguments: parts, .. } => {
                parts.iter().for_each(|part| self.expr(part));
            }
            ExprKind::Part { of, low, bits } => {
                self.expr(of);
                self.expr(low);
                self.bits(bits);
            }
            ExprKind::Fold { item, range, condition, .. } => {
                self.expr(item);
                self.range(range);
                condition.iter().for_each(|condition| self.expr(condition));
            }
            ExprKind::Inline { bindings, value } => {
                self.statements(bindings);
                self.expr(value);
            }
        }
    }
}

/// The values of the fields that decide widths of a program, in words; empty if there are none.
pub fn choice(isa: &Isa, opcode: &Opcode, instance: &Instance) -> String {
    crate::checked::describe(isa, opcode, &instance.chosen)
}
