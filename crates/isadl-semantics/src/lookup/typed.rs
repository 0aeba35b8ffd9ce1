//! Types and bounds by their position in a checked program.

use isadl_diagnostics::span::{FileId, Span};
use isadl_ir::isa::{Isa, Opcode};

use crate::checked::Instance;
use crate::interval::Interval;
use crate::program::{Expr, Place, Program, Statement, StatementKind, Type};

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
    search.targets(&program.statements);
    for statement in &program.statements {
        statement.each_expr(&mut |expr| expr.visit(&mut |part| search.offer_expr(part)));
    }
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

    fn offer_expr(&mut self, expr: &Expr) {
        self.offer(Typed { span: expr.span, ty: expr.ty, range: expr.range });
    }

    /// The registers that statements write.
    fn targets(&mut self, statements: &[Statement]) {
        for statement in statements {
            if let StatementKind::Write { place, .. } = &statement.kind {
                self.target(place, statement.span);
            }
            statement.blocks().into_iter().for_each(|block| self.targets(block));
        }
    }

    /// A register that a statement writes; the statement begins with it.
    fn target(&mut self, place: &Place, span: Span) {
        let width = place.width(self.isa);
        self.offer(Typed { span, ty: Type::Bits(width), range: Interval::unsigned(width) });
    }
}

/// The values of the fields that decide widths of a program, in words; empty if there are none.
pub fn choice(isa: &Isa, opcode: &Opcode, instance: &Instance) -> String {
    crate::checked::describe(isa, opcode, &instance.chosen)
}
