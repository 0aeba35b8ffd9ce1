//! The names in a program: what binds them, what declares them, and where they are used.

use std::collections::HashMap;

use isadl_base::vocabulary::BinaryOp;
use isadl_diagnostics::span::Span;

use crate::syntax::ast::{
    Block, Condition, Declaration, Expr, ExprKind, Function, Match, Name, Parameter, Pattern,
    PatternKind, Range, Statement, StatementKind, Type, TypeKind,
};

/// The names in a program.
#[derive(Debug, Default)]
pub struct Names<'s> {
    /// The names that the program binds.
    pub bindings: Vec<Binding<'s>>,
    /// The names that it declares for all programs below.
    pub declared: Vec<Declared<'s>>,
    /// The names that it uses.
    pub uses: Vec<Use<'s>>,
}

/// A name that is bound in a block.
#[derive(Debug, Clone)]
pub struct Binding<'s> {
    /// The name.
    pub name: Name<'s>,
    /// What binds it.
    pub kind: BindingKind,
    /// The statement or expression that binds it.
    pub whole: Span,
    /// Whether it has this meaning in any case. An assignment writes the operand or register of the name, if there is one.
    pub is_certain: bool,
    /// Where the block ends; `None` if it is the whole program.
    pub end: Option<u32>,
    /// Whether `body` stands where it is visible, so that programs of other layers can use it.
    pub reaches_body: bool,
}

/// The kinds of bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingKind {
    /// `t = value`
    Local,
    /// `var x : type = value`
    Variable,
    /// The variable of a loop.
    Loop,
    /// A parameter of a function.
    Parameter,
    /// A width that the argument of a function gives.
    Width,
}

/// A declared name.
#[derive(Debug, Clone)]
pub struct Declared<'s> {
    /// The name.
    pub name: Name<'s>,
    /// What it is.
    pub kind: DeclaredKind,
    /// The declaration.
    pub whole: Span,
}

/// The kinds of declared names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredKind {
    /// `const`
    Constant,
    /// `let`
    Let,
    /// `fn`, `extern fn`
    Function,
    /// `view`
    View,
    /// `extern memory`
    Memory,
    /// `extern trap`
    Trap,
    /// `extern NAME : bits(n)`: a register that the machine keeps, or what an operand type of this name denotes.
    State,
}

/// A use of a name.
#[derive(Debug, Clone)]
pub struct Use<'s> {
    /// The name, without quotes.
    pub name: Name<'s>,
    /// How it is used.
    pub role: Role<'s>,
    /// What binds it in the program, an index among the bindings.
    pub binding: Option<usize>,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role<'s> {
    /// As a value or place.
    Value,
    /// As a function that is called.
    Function,
    /// As a trap.
    Trap,
    /// As a register file or view that something is said about.
    File,
    /// Compared with this name: as one of its values, or as a value.
    Compared(&'s str),
    /// Compared with something of this type: as one of its values.
    ValueOf(&'s str),
    /// Compared with the part of an operand, the second name: as one of its values.
    ComparedPart(&'s str, &'s str),
    /// As the part of this operand.
    Part(&'s str),
    /// As a type.
    Type,
    /// As a generation or extension.
    Condition,
}

impl<'s> Names<'s> {
    /// The names in the statements of a program, whose locations are in a text.
    pub fn of(statements: &[Statement<'s>], text: &'s str) -> Names<'s> {
        let names = Names::default();
        let mut walk = Walk { text, names, ..Walk::default() };
        walk.inside(None, |walk| walk.statements(statements));
        walk.names
    }
}

/// The names of a block.
#[derive(Default)]
struct Scope<'s> {
    bound: HashMap<&'s str, usize>,
    end: Option<u32>,
}

#[derive(Default)]
struct Walk<'s> {
    text: &'s str,
    names: Names<'s>,
    /// The open blocks, the innermost last.
    blocks: Vec<Scope<'s>>,
    /// The types of parameters that have values of enumerations, by their bindings.
    types: HashMap<usize, &'s str>,
    /// Whether this is the text of a function, which assigns to names of its own alone.
    is_function: bool,
}

impl<'s> Walk<'s> {
    fn inside(&mut self, end: Option<u32>, step: impl FnOnce(&mut Self)) {
        self.blocks.push(Scope { bound: HashMap::new(), end });
        step(self);
        self.blocks.pop();
    }

    fn bind(&mut self, name: Name<'s>, kind: BindingKind, whole: Span, is_certain: bool) {
        let at = self.names.bindings.len();
        let Some(block) = self.blocks.last_mut() else { return };
        block.bound.insert(name.text, at);
        let end = block.end;
        let made = Binding { name, kind, whole, is_certain, end, reaches_body: false };
        self.names.bindings.push(made);
    }

    fn found(&self, name: &str) -> Option<usize> {
        self.blocks.iter().rev().find_map(|block| block.bound.get(name)).copied()
    }

    /// A name without the quotes and parentheses that its location includes.
    fn bare(&self, name: Name<'s>) -> Name<'s> {
        let whole = self.text.get(name.span.range()).unwrap_or_default();
        let start = name.span.start + whole.find(name.text).unwrap_or(0) as u32;
        let end = start + name.text.len() as u32;
        Name { span: Span { start, end, ..name.span }, ..name }
    }

    fn using(&mut self, name: Name<'s>, role: Role<'s>) {
        let name = self.bare(name);
        let is_value = matches!(role, Role::Value | Role::Compared(_));
        let binding = if is_value { self.found(name.text) } else { None };
        self.names.uses.push(Use { name, role, binding });
    }

    // ---- statements

    fn statements(&mut self, statements: &[Statement<'s>]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn block(&mut self, block: &Block<'s>) {
        self.inside(Some(block.span.end), |walk| walk.statements(&block.statements));
    }

    fn statement(&mut self, statement: &Statement<'s>) {
        if let Some(guard) = &statement.guard {
            self.condition(&guard.condition);
        }
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                self.expr(value);
                self.target(target, statement.span);
            }
            StatementKind::Var { name, ty, value } => {
                self.ty(ty);
                self.expr(value);
                self.bind(*name, BindingKind::Variable, statement.span, true);
            }
            StatementKind::For { name, range, body } => {
                self.range(range);
                self.inside(Some(body.span.end), |walk| {
                    walk.bind(*name, BindingKind::Loop, statement.span, true);
                    walk.statements(&body.statements);
                });
            }
            StatementKind::Each { index, range, body } => {
                range.iter().for_each(|range| self.range(range));
                self.inside(Some(body.span.end), |walk| {
                    if let Some(name) = index {
                        walk.bind(*name, BindingKind::Loop, statement.span, true);
                    }
                    walk.statements(&body.statements);
                })
            }
            StatementKind::Match(found) => {
                self.patterns(found);
                statement.expressions().into_iter().for_each(|expr| self.expr(expr));
                statement.blocks().into_iter().for_each(|block| self.block(block));
            }
            StatementKind::Trap(trap) => {
                self.using(trap.name, Role::Trap);
                trap.arguments.iter().for_each(|argument| self.expr(argument));
            }
            StatementKind::Declare(declaration) => self.declaration(declaration, statement),
            _ => {
                statement.expressions().into_iter().for_each(|expr| self.expr(expr));
                statement.blocks().into_iter().for_each(|block| self.block(block));
            }
        }
    }

    /// What a statement assigns to: a name that is new here may be bound by that.
    fn target(&mut self, target: &Expr<'s>, whole: Span) {
        if let Some(name) = target.as_name()
            && self.found(name.text).is_none()
        {
            self.bind(self.bare(name), BindingKind::Local, whole, self.is_function);
        }
        self.expr(target);
    }

    fn declaration(&mut self, declaration: &Declaration<'s>, statement: &Statement<'s>) {
        let kind = match declaration {
            Declaration::Let { otherwise, .. } => {
                otherwise.iter().for_each(|trap| self.using(trap.name, Role::Trap));
                DeclaredKind::Let
            }
            Declaration::Const { .. } => DeclaredKind::Constant,
            Declaration::Function(_) | Declaration::Extern { .. } => DeclaredKind::Function,
            Declaration::View { .. } => DeclaredKind::View,
            Declaration::Memory { .. } => DeclaredKind::Memory,
            Declaration::Trap { .. } => DeclaredKind::Trap,
            Declaration::State { .. } => DeclaredKind::State,
            Declaration::Narrow { .. }
            | Declaration::Range { .. }
            | Declaration::Elements { .. }
            | Declaration::Number { .. }
            | Declaration::Lanes { .. }
            | Declaration::Setting { .. }
            | Declaration::Flags { .. }
            | Declaration::Apply { .. } => {
                let operands = declaration.operands();
                operands.iter().for_each(|name| self.using(*name, Role::Value));
                if let Declaration::Lanes { names, .. } = declaration {
                    names.iter().for_each(|name| self.using(*name, Role::File));
                }
                if let Declaration::Narrow { name, .. } | Declaration::Range { name, .. } =
                    declaration
                {
                    self.using(*name, Role::File);
                }
                statement.types().into_iter().for_each(|ty| self.ty(ty));
                statement.expressions().into_iter().for_each(|expr| self.expr(expr));
                statement.blocks().into_iter().for_each(|block| self.block(block));
                return;
            }
        };
        let name = declaration.name();
        self.names.declared.push(Declared { name, kind, whole: statement.span });
        if let Declaration::Function(function) = declaration {
            return self.function(function);
        }
        statement.types().into_iter().for_each(|ty| self.ty(ty));
        statement.expressions().into_iter().for_each(|expr| self.expr(expr));
    }

    fn function(&mut self, function: &Function<'s>) {
        self.inside(Some(function.body.span.end), |walk| {
            walk.is_function = true;
            function.parameters.iter().for_each(|parameter| walk.parameter(parameter));
            function.result.iter().for_each(|ty| walk.ty(ty));
            walk.statements(&function.body.statements);
            walk.is_function = false;
        });
    }

    fn parameter(&mut self, parameter: &Parameter<'s>) {
        let whole = match &parameter.ty {
            Some(ty) => Span { end: ty.span.end, ..parameter.name.span },
            None => parameter.name.span,
        };
        if let Some(ty) = &parameter.ty {
            if let TypeKind::Bits(width) = &ty.kind
                && let Some(width) = width.as_name()
                && self.found(width.text).is_none()
            {
                self.bind(self.bare(width), BindingKind::Width, whole, false);
            }
            self.ty(ty);
            if let TypeKind::Named(ty) = ty.kind {
                self.types.insert(self.names.bindings.len(), ty);
            }
        }
        self.bind(parameter.name, BindingKind::Parameter, whole, true);
    }

    fn ty(&mut self, ty: &Type<'s>) {
        if let TypeKind::Named(text) = ty.kind {
            self.using(Name { text, span: ty.span }, Role::Type);
        }
        ty.parts().into_iter().for_each(|part| self.expr(part));
    }

    fn condition(&mut self, condition: &Condition<'s>) {
        match condition {
            Condition::Name(name) => self.using(*name, Role::Condition),
            Condition::Not(inner) => self.condition(inner),
            Condition::All(list) | Condition::Any(list) => {
                list.iter().for_each(|inner| self.condition(inner));
            }
        }
    }

    // ---- expressions

    fn range(&mut self, range: &Range<'s>) {
        range.parts().into_iter().for_each(|part| self.expr(part));
    }

    fn expr(&mut self, expr: &Expr<'s>) {
        match &expr.kind {
            ExprKind::Name(text) => self.using(Name { text, span: expr.span }, Role::Value),
            ExprKind::Body => self.reach_body(),
            ExprKind::Member { of, name } => {
                self.using(*of, Role::Value);
                self.using(*name, Role::Part(of.text));
            }
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => {
                self.expr(left);
                self.compared(left, right);
            }
            ExprKind::Match(found) => {
                self.patterns(found);
                expr.parts().into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Call { function, arguments } => self.call(*function, arguments),
            ExprKind::Repeat { item, name, bounds } => {
                bounds.iter().for_each(|bound| self.expr(bound));
                self.looped(*name, expr.span, |walk| walk.expr(item));
            }
            ExprKind::Fold { function, item, name, range, condition } => {
                self.using(*function, Role::Function);
                self.range(range);
                self.looped(*name, expr.span, |walk| {
                    walk.expr(item);
                    condition.iter().for_each(|condition| walk.expr(condition));
                });
            }
            _ => expr.parts().into_iter().for_each(|part| self.expr(part)),
        }
    }

    /// The parts of an expression that a loop variable is visible in.
    fn looped(&mut self, name: Name<'s>, whole: Span, step: impl FnOnce(&mut Self)) {
        self.inside(Some(whole.end), |walk| {
            walk.bind(name, BindingKind::Loop, whole, true);
            step(walk);
        });
    }

    fn call(&mut self, function: Name<'s>, arguments: &[Expr<'s>]) {
        self.using(function, Role::Function);
        for argument in arguments {
            match argument.as_name().filter(|_| function.text == "has") {
                Some(name) => self.using(name, Role::Condition),
                None => self.expr(argument),
            }
        }
    }

    /// The right side of a comparison: a value of the left side, or anything else.
    fn compared(&mut self, left: &Expr<'s>, right: &Expr<'s>) {
        let Some(role) = self.compared_with(left) else { return self.expr(right) };
        match &right.kind {
            ExprKind::Name(text) | ExprKind::Text(text) => {
                self.using(Name { text, span: right.span }, role);
            }
            _ => self.expr(right),
        }
    }

    /// How a name beside an operand, field or parameter in a comparison is used; `None` beside anything else.
    fn compared_with(&self, left: &Expr<'s>) -> Option<Role<'s>> {
        if let ExprKind::Member { of, name } = &left.kind {
            return Some(Role::ComparedPart(of.text, name.text));
        }
        let name = left.as_name()?.text;
        let ty = self.found(name).and_then(|binding| self.types.get(&binding));
        Some(ty.map_or(Role::Compared(name), |ty| Role::ValueOf(ty)))
    }

    fn patterns<V>(&mut self, found: &Match<'s, V>) {
        for arm in &found.arms {
            for (subject, patterns) in found.subjects.iter().zip(&arm.patterns) {
                let Some(role) = self.compared_with(subject) else { continue };
                patterns.iter().for_each(|pattern| self.pattern(role, pattern));
            }
        }
    }

    fn pattern(&mut self, role: Role<'s>, pattern: &Pattern<'s>) {
        if let PatternKind::Name(text) = pattern.kind {
            self.using(Name { text, span: pattern.span }, role);
        }
    }

    /// Everything that is visible where `body` stands is visible in the programs that it stands for.
    fn reach_body(&mut self) {
        for at in self.blocks.iter().flat_map(|block| block.bound.values()) {
            self.names.bindings[*at].reaches_body = true;
        }
    }
}
