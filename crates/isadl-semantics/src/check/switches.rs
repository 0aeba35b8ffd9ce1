//! Values that decide widths and are known only when the program runs: the program is checked for each of them.
//!
//! `let SEW : 8 | 16 = … else trap T` makes the whole program a branch over the values of `SEW`; in each branch `SEW` is a number.

use isadl_base::vocabulary::BinaryOp;
use isadl_diagnostics::span::Span;

use super::Checker;
use super::floats::is_float_function;
use crate::program::{Expr, ExprKind, Statement, StatementKind};
use crate::syntax::ast::{self, Declaration, Function, Name};

/// A `let` with `else trap`.
#[derive(Clone, Copy)]
pub(super) struct Switch<'c, 's> {
    name: Name<'s>,
    values: &'c [ast::Expr<'s>],
    value: &'c ast::Expr<'s>,
    otherwise: &'c ast::Trap<'s>,
}

impl<'c, 's> Checker<'c, 's, '_> {
    /// The statements of a text for each value of the switches that are open.
    pub(super) fn switched(
        &mut self,
        switches: &[Switch<'c, 's>],
        statements: &'c [ast::Statement<'s>],
    ) -> Vec<Statement> {
        let Some((switch, inner)) = switches.split_first() else {
            return self.block(statements).0;
        };
        let span = switch.value.span;
        let Some((value, listed)) = self.switch_value(*switch) else { return Vec::new() };
        let base = self.facts.clone();
        let mut arms = Vec::new();
        for number in listed {
            let condition = self.is_number(&value, number, span);
            let before = self.facts.clone();
            self.facts.assume(&condition, true);
            self.switched.push((switch.name.text, number));
            arms.push((condition.clone(), self.switched(inner, statements)));
            self.switched.pop();
            self.facts = before;
            self.facts.assume(&condition, false);
        }
        let other = self.outside(switch.name, span, |checker| checker.trap(switch.otherwise, span));
        self.facts = base;
        arms.into_iter().rev().fold(other.unwrap_or_default(), |no, (condition, yes)| {
            vec![Statement { span, kind: StatementKind::If { condition, yes, no } }]
        })
    }

    /// The value of a switch, and those among the listed that it may have.
    fn switch_value(&mut self, switch: Switch<'c, 's>) -> Option<(Expr, Vec<i128>)> {
        self.outside(switch.name, switch.value.span, |checker| {
            let value = checker.number(switch.value)?;
            let mut listed = Vec::new();
            for own in switch.values {
                let number = checker.constant(own, "a value that is listed")?;
                if crate::interval::Interval::one(number).is_within(value.range) {
                    listed.push(number);
                }
            }
            Some((value, listed))
        })
    }

    fn is_number(&mut self, value: &Expr, number: i128, span: Span) -> Expr {
        let number = self.int(number, span);
        let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(value.clone()), Box::new(number));
        self.make_bits(kind, 1, span)
    }

    /// The switches that the texts of the opcode use. One that another is computed of is before it.
    pub(super) fn switches(&self) -> Vec<Switch<'c, 's>> {
        let mut uses = Uses { checker: self, seen: Vec::new(), found: Vec::new(), is_float: false };
        self.context.chain.programs.iter().for_each(|program| uses.statements(program));
        if uses.is_float {
            self.about_floats().into_iter().for_each(|declaration| uses.declaration(declaration));
        }
        uses.found
    }

    /// The values of the switches that are open, in words.
    pub(super) fn open_switches(&self) -> Option<String> {
        let value = |(name, number): &(&str, i128)| format!("{name} = {number}");
        let all: Vec<String> = self.switched.iter().map(value).collect();
        (!all.is_empty()).then(|| format!("with {}", all.join(", ")))
    }
}

/// Finds the switches that a text uses.
struct Uses<'u, 'c, 's, 'd> {
    checker: &'u Checker<'c, 's, 'd>,
    seen: Vec<&'s str>,
    found: Vec<Switch<'c, 's>>,
    /// Whether there is floating-point arithmetic.
    is_float: bool,
}

impl<'c, 's> Uses<'_, 'c, 's, '_> {
    fn statements(&mut self, statements: &'c [ast::Statement<'s>]) {
        for statement in statements {
            if matches!(statement.kind, ast::StatementKind::Declare(_)) {
                continue;
            }
            statement.expressions().into_iter().for_each(|expr| self.expr(expr));
            let widths = statement.types().into_iter().flat_map(ast::Type::parts);
            widths.for_each(|width| self.expr(width));
            statement.blocks().into_iter().for_each(|block| self.statements(&block.statements));
        }
    }

    fn expr(&mut self, expr: &'c ast::Expr<'s>) {
        if let ast::ExprKind::Name(text) = expr.kind {
            self.name(text);
        }
        if let ast::ExprKind::Call { function, .. } = &expr.kind {
            self.name(function.text);
        }
        expr.parts().into_iter().for_each(|part| self.expr(part));
    }

    fn name(&mut self, name: &'s str) {
        if self.seen.contains(&name) {
            return;
        }
        self.seen.push(name);
        let checker = self.checker;
        if let Some(id) = checker.field_of(name) {
            checker.about_field(id).for_each(|(_, declaration)| self.declaration(declaration));
        }
        if let Some(declaration) = checker.context.chain.names.get(name).copied() {
            self.declaration(declaration);
        }
        self.is_float |= is_float_function(name);
    }

    fn declaration(&mut self, declaration: &'c Declaration<'s>) {
        declaration.parts().into_iter().for_each(|part| self.expr(part));
        match declaration {
            Declaration::Let { name, values, value, otherwise: Some(otherwise) } => {
                self.found.push(Switch { name: *name, values, value, otherwise });
            }
            Declaration::Function(Function { body, .. }) | Declaration::Flags { body, .. } => {
                self.statements(&body.statements);
            }
            Declaration::Number { .. } => self.is_float = true,
            _ => {}
        }
    }
}
