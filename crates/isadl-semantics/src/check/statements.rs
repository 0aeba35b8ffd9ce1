//! Statements.

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;

use super::Checker;
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, Label, Statement, StatementKind, Type};
use crate::scope::Met;
use crate::syntax::ast::{self, Declaration};

impl<'c, 's> Checker<'c, 's, '_> {
    /// The programs of the opcode, from the outermost.
    pub(super) fn program(&mut self) -> Vec<Statement> {
        let Some(statements) = self.context.chain.programs.first() else { return Vec::new() };
        let switches = self.switches();
        self.switched(&switches, statements)
    }

    /// The statements of a block, and whether the program ends in it.
    pub(super) fn block(&mut self, statements: &'c [ast::Statement<'s>]) -> (Vec<Statement>, bool) {
        self.in_block(|checker| checker.sequence(statements))
    }

    /// Statements one after the other, in the open block.
    pub(super) fn sequence(
        &mut self,
        statements: &'c [ast::Statement<'s>],
    ) -> (Vec<Statement>, bool) {
        let mut found = Vec::new();
        for (at, statement) in statements.iter().enumerate() {
            let Some(own) = self.statement(statement) else {
                self.is_reported(statement.span);
                continue;
            };
            let ends = own.last().is_some_and(ends);
            found.extend(own);
            if ends {
                if let Some(next) = statements.get(at + 1) {
                    let help = "remove what follows, or put it before";
                    self.error(
                        Code::E1228,
                        next.span,
                        "this is never reached: the program has ended",
                        help,
                    );
                }
                return (found, true);
            }
        }
        (found, false)
    }

    /// Reports a statement that is lost without a reason: it must never be missing from a program that counts as checked.
    fn is_reported(&mut self, span: Span) {
        if !self.has_errors {
            let message = "this statement is not checked so far";
            self.error(Code::E1219, span, message, "write it in another way");
        }
    }

    /// A statement; nothing if the generation does not have it.
    pub(super) fn statement(
        &mut self,
        statement: &'c ast::Statement<'s>,
    ) -> Option<Vec<Statement>> {
        let Some(guard) = &statement.guard else { return self.unguarded(statement) };
        match self.context.scopes.met(guard) {
            Met::Always => self.unguarded(statement),
            Met::Never => Some(Vec::new()),
            Met::If(condition) => {
                let yes = self.unguarded(statement)?;
                let condition = self.make_bits(ExprKind::Has(condition), 1, guard.span);
                let kind = StatementKind::If { condition, yes, no: Vec::new() };
                Some(vec![Statement { span: statement.span, kind }])
            }
        }
    }

    fn unguarded(&mut self, statement: &'c ast::Statement<'s>) -> Option<Vec<Statement>> {
        let span = statement.span;
        let one = |kind: StatementKind| Some(vec![Statement { span, kind }]);
        match &statement.kind {
            ast::StatementKind::Assign { target, value } => self.assign(target, value, span),
            ast::StatementKind::Var { name, ty, value } => self.variable(*name, ty, value, span),
            ast::StatementKind::If { branches, otherwise } => {
                self.conditional(branches, otherwise.as_ref(), span).map(|found| found.0)
            }
            ast::StatementKind::Match(found) => {
                self.match_statements(found, span).map(|found| found.0)
            }
            ast::StatementKind::For { name, range, body } => {
                let (range, values) = self.loop_range(range)?;
                let (local, body) = self.in_block(|checker| {
                    let local = checker.bind(*name, Type::Integer, values, false)?;
                    // How often a step is repeated may be all that matters.
                    checker.uses[local.index()] = true;
                    Some((local, checker.sequence(&body.statements).0))
                })?;
                one(StatementKind::For { local, range, body })
            }
            ast::StatementKind::Each { index, range, body } => {
                self.each(*index, range.as_ref(), body, span)
            }
            ast::StatementKind::Atomic(body) => {
                let (body, _) = self.visible_block(&body.statements);
                one(StatementKind::Atomic(body))
            }
            ast::StatementKind::Labelled { word, label, body } => {
                let label = self.label(label)?;
                let (body, _) = self.visible_block(&body.statements);
                one(StatementKind::Labelled { word: word.text.to_string(), label, body })
            }
            ast::StatementKind::Trap(trap) => self.trap(trap, span),
            ast::StatementKind::Nothing => Some(Vec::new()),
            ast::StatementKind::Unpredictable => one(StatementKind::Unpredictable),
            ast::StatementKind::Commit => {
                self.facts.forget_registers();
                self.written = Default::default();
                one(StatementKind::Commit)
            }
            ast::StatementKind::Return(_) => {
                self.error(
                    Code::E1228,
                    span,
                    "only functions return a value",
                    "assign the value to an operand",
                );
                None
            }
            ast::StatementKind::Value(value) => self.alone(value),
            ast::StatementKind::Declare(_) => {
                // Those outside of blocks are looked up by their names.
                let mut programs = self.context.chain.programs.iter().copied().flatten();
                if programs.any(|own| std::ptr::eq(own, statement)) {
                    return Some(Vec::new());
                }
                let help = "write it in the text of a group, outside of blocks";
                self.error(Code::E1228, span, "a declaration inside a program", help);
                None
            }
        }
    }

    /// A block whose names and facts stay: the statements only have a label.
    fn visible_block(&mut self, statements: &'c [ast::Statement<'s>]) -> (Vec<Statement>, bool) {
        self.sequence(statements)
    }

    fn variable(
        &mut self,
        name: ast::Name<'s>,
        ty: &'c ast::Type<'s>,
        value: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Vec<Statement>> {
        let ty = self.written_type(ty);
        let value = ty.and_then(|ty| self.value_for(ty, value, &format!("`{}`", name.text)));
        let Some((ty, value)) = ty.zip(value) else {
            self.lose(name.text);
            return None;
        };
        let local = self.bind(name, ty, Interval::unsigned(ty.width()), true)?;
        Some(vec![Statement { span, kind: StatementKind::Bind { local, value } }])
    }

    /// A value that is stored in a place of bits or of a format.
    pub(super) fn value_for(
        &mut self,
        ty: Type,
        value: &'c ast::Expr<'s>,
        place: &str,
    ) -> Option<Expr> {
        if let Type::Float(format) = ty {
            self.format = Some(format);
            let found = self.expr(value)?;
            self.is_of_format(&found, format, place)?;
            return Some(found);
        }
        let width = ty.width();
        self.wanted = Some(width);
        let found = self.number(value);
        self.wanted = None;
        let found = found?;
        self.store(&found, width, &format!("{place} has"))?;
        Some(found)
    }

    fn conditional(
        &mut self,
        branches: &'c [(ast::Expr<'s>, ast::Block<'s>)],
        otherwise: Option<&'c ast::Block<'s>>,
        span: Span,
    ) -> Option<(Vec<Statement>, bool)> {
        let base = self.facts.clone();
        let mut found = Vec::new();
        let mut is_lost = false;
        let mut all_end = true;
        for (condition, block) in branches {
            let condition = self.condition(condition);
            let before = self.facts.clone();
            if let Some(condition) = &condition {
                self.facts.assume(condition, true);
            }
            let (yes, ends) = self.block(&block.statements);
            self.facts = before;
            all_end &= ends;
            match condition {
                Some(condition) => {
                    self.facts.assume(&condition, false);
                    found.push((condition, yes));
                }
                None => is_lost = true,
            }
        }
        let (mut no, no_ends) = match otherwise {
            Some(block) => self.block(&block.statements),
            None => (Vec::new(), false),
        };
        // After branches that end, what made them be taken is known not to hold.
        if let ([(condition, _)], true, false) = (found.as_slice(), no_ends, all_end) {
            self.facts = base;
            self.facts.assume(condition, true);
        } else if !all_end {
            self.facts = base;
        }
        if is_lost {
            return None;
        }
        for (condition, yes) in found.into_iter().rev() {
            no = vec![Statement { span, kind: StatementKind::If { condition, yes, no } }];
        }
        Some((no, all_end && no_ends))
    }

    fn label(&mut self, label: &'c ast::Expr<'s>) -> Option<Label> {
        if let Some(name) = label.as_name()
            && self.field_of(name.text).is_none()
            && self.find_local(name.text).is_none()
        {
            return Some(Label::Word(name.text.to_string()));
        }
        self.expr(label).map(Label::Value)
    }

    pub(super) fn trap(&mut self, trap: &'c ast::Trap<'s>, span: Span) -> Option<Vec<Statement>> {
        let declared = self.context.chain.names.get(trap.name.text).copied();
        let Some(Declaration::Trap { parameters, .. }) = declared else {
            self.no_trap(trap.name);
            return None;
        };
        if parameters.len() != trap.arguments.len() {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.text).collect();
            self.wrong_parameters(trap.name, &names, trap.arguments.len());
            return None;
        }
        let mut arguments = Vec::new();
        for (parameter, argument) in parameters.iter().zip(&trap.arguments) {
            let mut value = self.number(argument)?;
            if let Some(ty) = &parameter.ty {
                let width = self.outside(trap.name, span, |checker| checker.type_width(ty))?;
                self.store(&value, width, &format!("the parameter `{}` has", parameter.name.text))?;
                value = self.stored(value, width);
            }
            arguments.push(value);
        }
        let kind = StatementKind::Trap { name: trap.name.text.to_string(), arguments };
        Some(vec![Statement { span, kind }])
    }

    /// Reports a trap that no group declares.
    pub(super) fn no_trap(&mut self, name: ast::Name<'s>) {
        let names = self.context.chain.names.iter();
        let traps = names.filter(|(_, one)| matches!(one, Declaration::Trap { .. }));
        let known: Vec<&str> = traps.map(|(name, _)| *name).collect();
        let found =
            Diagnostic::new(Code::E1202, format!("there is no trap `{}`", name.text), name.span);
        let help = format!("declare it in a group: `extern trap {}`", name.text);
        self.report(found.with_suggestion(name.text, &known).with_help(help));
    }

    /// An expression that is a statement: `body`, or a call for its effects.
    fn alone(&mut self, value: &'c ast::Expr<'s>) -> Option<Vec<Statement>> {
        if matches!(value.kind, ast::ExprKind::Body) {
            return self.body_statements(value.span);
        }
        let is_call = matches!(value.kind, ast::ExprKind::Call { .. });
        let found = if is_call {
            self.expr(value)?
        } else {
            Expr { span: value.span, ..self.int(0, value.span) }
        };
        let has_effect = matches!(
            &found.kind,
            ExprKind::Extern { .. }
                | ExprKind::StoreConditional { .. }
                | ExprKind::Builtin(crate::program::Builtin::Use, _)
        );
        if !has_effect {
            let help = "assign it: `rd = …`";
            self.error(Code::E1228, value.span, "the value is not used", help);
            return None;
        }
        Some(vec![Statement { span: value.span, kind: StatementKind::Do(found) }])
    }

    // ---- wrappers

    /// The statements that `body` stands for.
    fn body_statements(&mut self, span: Span) -> Option<Vec<Statement>> {
        let statements = self.enter_body(span)?;
        self.body += 1;
        let found = match statements {
            [ast::Statement { kind: ast::StatementKind::Value(value), .. }]
                if !matches!(value.kind, ast::ExprKind::Body | ast::ExprKind::Call { .. }) =>
            {
                let help = "write statements, since the wrapper has `body` as a statement";
                self.error(
                    Code::E1218,
                    value.span,
                    "the text is an expression, the wrapper wants statements",
                    help,
                );
                None
            }
            _ => Some(self.block(statements).0),
        };
        self.body -= 1;
        found
    }

    /// The value that `body` stands for.
    pub(super) fn body_value(&mut self, span: Span) -> Option<Expr> {
        let statements = self.enter_body(span)?;
        let others = statements
            .iter()
            .filter(|statement| !matches!(statement.kind, ast::StatementKind::Declare(_)));
        let others: Vec<&'c ast::Statement<'s>> = others.collect();
        let [ast::Statement { kind: ast::StatementKind::Value(value), .. }] = others.as_slice()
        else {
            let at = others.first().map_or(span, |statement| statement.span);
            let help = "write an expression, since the wrapper has `body` as a value";
            self.error(Code::E1218, at, "the text has statements, the wrapper wants a value", help);
            return None;
        };
        self.body += 1;
        self.blocks.push(Default::default());
        let found = self.expr(value);
        self.blocks.pop();
        self.body -= 1;
        found
    }

    fn enter_body(&mut self, span: Span) -> Option<&'c [ast::Statement<'s>]> {
        let found = self.context.chain.programs.get(self.body + 1).copied();
        if found.is_none() || !self.calls.is_empty() {
            let help = "`body` stands for the text of an opcode, in a group above it";
            self.error(Code::E1218, span, "there is no text that `body` could stand for", help);
            return None;
        }
        found
    }
}

/// Whether a statement ends the program.
fn ends(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Trap { .. } | StatementKind::Unpredictable => true,
        StatementKind::If { yes, no, .. } => {
            yes.last().is_some_and(ends) && no.last().is_some_and(ends)
        }
        StatementKind::Atomic(body) | StatementKind::Labelled { body, .. } => {
            body.last().is_some_and(ends)
        }
        _ => false,
    }
}
