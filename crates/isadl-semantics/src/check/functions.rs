//! Functions of the instruction set, which are written out where they are called, and functions of the machine.

use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;

use super::Checker;
use crate::float::Format;
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, ExternEffects, Statement, StatementKind, Type};
use crate::syntax::ast::{self, Function, Name, Parameter};

impl<'c, 's> Checker<'c, 's, '_> {
    /// A call of a function of the instruction set.
    pub(super) fn inline(
        &mut self,
        own: &'c Function<'s>,
        function: Name<'s>,
        arguments: &'c [ast::Expr<'s>],
        span: Span,
    ) -> Option<Expr> {
        if own.parameters.len() != arguments.len() {
            let names: Vec<&str> =
                own.parameters.iter().map(|parameter| parameter.name.text).collect();
            self.wrong_parameters(function, &names, arguments.len());
            return None;
        }
        let mut values = Vec::new();
        for (parameter, argument) in own.parameters.iter().zip(arguments) {
            self.format = match &parameter.ty {
                Some(ty) => self.outside(own.name, span, |checker| checker.format_of(ty))?,
                None => None,
            };
            values.push(self.expr(argument));
        }
        let values: Vec<Expr> = values.into_iter().collect::<Option<_>>()?;
        let found = self.outside(own.name, span, |checker| {
            let mut bindings = Vec::new();
            checker.bind_arguments(&own.parameters, values, &mut bindings)?;
            let format = match &own.result {
                Some(ty) => checker.format_of(ty)?,
                None => None,
            };
            let value = checker.returned(&own.body.statements, format, &mut bindings)?;
            let value = match &own.result {
                Some(ty) => checker.as_type(value, ty, &mut bindings)?,
                None => value,
            };
            Some((bindings, value))
        });
        let (bindings, value) = found?;
        let (ty, range, is_signed) = (value.ty, value.range, value.is_signed);
        let kind = ExprKind::Inline { bindings, value: Box::new(value) };
        Some(Expr { kind, ty, range, span, is_signed, is_exact: false })
    }

    /// Binds the parameters of a function.
    fn bind_arguments(
        &mut self,
        parameters: &'c [Parameter<'s>],
        values: Vec<Expr>,
        bindings: &mut Vec<Statement>,
    ) -> Option<()> {
        // The width that a parameter `bits(n)` gives to `n`.
        let mut generic: Option<(&'s str, u32)> = None;
        for (parameter, value) in parameters.iter().zip(values) {
            let span = value.span;
            let (ty, range) = match &parameter.ty {
                None => (value.ty, value.range),
                Some(ty) if matches!(ty.kind, ast::TypeKind::Float(_)) => {
                    let format = self.format_of(ty)??;
                    self.is_of_format(&value, format, "the parameter")?;
                    (value.ty, value.range)
                }
                Some(ty) => {
                    let width = self.parameter_width(ty, &value, &mut generic)?;
                    match width {
                        Some(width) => {
                            self.store(
                                &value,
                                width,
                                &format!("the parameter `{}` has", parameter.name.text),
                            )?;
                            let is_small = !value.range.may_be_negative()
                                && value.range.is_within(Interval::unsigned(width));
                            (
                                Type::Bits(width),
                                if is_small { value.range } else { Interval::unsigned(width) },
                            )
                        }
                        None => {
                            self.is_of_enumeration(&value, ty)?;
                            (value.ty, value.range)
                        }
                    }
                }
            };
            let local = self.bind_parameter(parameter.name, ty, range)?;
            bindings.push(Statement { span, kind: StatementKind::Bind { local, value } });
        }
        Some(())
    }

    pub(super) fn bind_parameter(
        &mut self,
        name: Name<'s>,
        ty: Type,
        range: Interval,
    ) -> Option<crate::program::LocalId> {
        // A parameter may have the name of an operand: inside, it is the argument.
        let local = self.add_local(name, ty, range, false);
        self.uses[local.index()] = true;
        Some(local)
    }

    /// The width of a parameter; `None` inside for one of an enumeration.
    fn parameter_width(
        &mut self,
        ty: &'c ast::Type<'s>,
        value: &Expr,
        generic: &mut Option<(&'s str, u32)>,
    ) -> Option<Option<u32>> {
        let ast::TypeKind::Bits(width) = &ty.kind else {
            if matches!(ty.kind, ast::TypeKind::Named(_)) {
                return Some(None);
            }
            return self.type_width(ty).map(Some);
        };
        let free = width.as_name().filter(|name| {
            self.find_local(name.text).is_none()
                && !self.context.chain.names.contains_key(name.text)
        });
        let Some(name) = free else { return self.width(width).map(Some) };
        if let Some((known, width)) = *generic {
            if known == name.text {
                return Some(Some(width));
            }
            self.unknown(name);
            return None;
        }
        let Some(width) = value.width() else {
            let message = format!("the argument has no width that `{}` could be", name.text);
            self.error(Code::E1208, value.span, message, "take its bits: `(…)[31:0]`");
            return None;
        };
        *generic = Some((name.text, width));
        let local = self.add_local(name, Type::Integer, Interval::one(width.into()), false);
        self.uses[local.index()] = true;
        Some(Some(width))
    }

    fn is_of_enumeration(&mut self, value: &Expr, ty: &ast::Type<'s>) -> Option<()> {
        let ast::TypeKind::Named(name) = ty.kind else { return Some(()) };
        let is_same = match value.ty {
            Type::Enumeration(id) => self.context.isa.ty(id).name == name,
            _ => false,
        };
        if !is_same {
            let message = format!("the argument is not a value of `{name}`");
            self.error(
                Code::E1217,
                value.span,
                message,
                format!("give a field of the type `{name}`"),
            );
            return None;
        }
        Some(())
    }

    /// The statements of a function up to the value that it returns.
    fn returned(
        &mut self,
        statements: &'c [ast::Statement<'s>],
        format: Option<Format>,
        bindings: &mut Vec<Statement>,
    ) -> Option<Expr> {
        let Some((last, before)) = statements.split_last() else {
            let span = self.calls.last().map(|(_, span)| *span)?;
            self.error(Code::E1228, span, "the function has no statements", "add `return value`");
            return None;
        };
        for statement in before {
            let found = self.statement(statement)?;
            if let Some(other) = found.iter().find_map(other_than_computing) {
                let help = "write it in the program, and compute values in functions";
                self.error(Code::E1228, other, "a function only computes a value", help);
                return None;
            }
            bindings.extend(found);
        }
        match &last.kind {
            ast::StatementKind::Return(value) | ast::StatementKind::Value(value) => {
                self.format = format;
                self.expr(value)
            }
            _ => {
                self.error(
                    Code::E1228,
                    last.span,
                    "the function ends without a value",
                    "end it with `return value`",
                );
                None
            }
        }
    }

    /// A value stored in a type that is written.
    fn as_type(
        &mut self,
        value: Expr,
        ty: &'c ast::Type<'s>,
        bindings: &mut Vec<Statement>,
    ) -> Option<Expr> {
        if matches!(ty.kind, ast::TypeKind::Named(_)) {
            self.is_of_enumeration(&value, ty)?;
            return Some(value);
        }
        if let Some(format) = self.format_of(ty)? {
            self.is_of_format(&value, format, "the result")?;
            return Some(value);
        }
        let width = self.type_width(ty)?;
        self.store(&value, width, "the result has")?;
        let span = value.span;
        let local = self.add_temporary(Type::Bits(width), Interval::unsigned(width), span);
        bindings.push(Statement { span, kind: StatementKind::Bind { local, value } });
        Some(self.make_bits(ExprKind::Local(local), width, span))
    }

    /// A type of bits, or a format.
    pub(super) fn written_type(&mut self, ty: &'c ast::Type<'s>) -> Option<Type> {
        match self.format_of(ty)? {
            Some(format) => Some(Type::Float(format)),
            None => self.type_width(ty).map(Type::Bits),
        }
    }

    /// The format that a type is, if it is one; `None` outside after a report.
    pub(super) fn format_of(&mut self, ty: &'c ast::Type<'s>) -> Option<Option<Format>> {
        match &ty.kind {
            ast::TypeKind::Float(parts) => self.written_format(parts, ty.span).map(Some),
            _ => Some(None),
        }
    }

    /// The number of bits of a type.
    pub(super) fn type_width(&mut self, ty: &'c ast::Type<'s>) -> Option<u32> {
        match &ty.kind {
            ast::TypeKind::Bit => Some(1),
            ast::TypeKind::Bits(width) => self.width(width),
            ast::TypeKind::Float(_) => {
                let message = "a floating-point format where a number of bits is expected";
                self.error(Code::E1231, ty.span, message, "write `bits(n)`");
                None
            }
            ast::TypeKind::Named(name) => {
                let message = format!("`{name}` is not a type of bits");
                self.report(
                    Diagnostic::new(Code::E1217, message, ty.span)
                        .with_suggestion(name, ["bit", "bits"])
                        .with_help("write `bit` or `bits(n)`"),
                );
                None
            }
        }
    }

    /// A call of a function that the machine provides.
    pub(super) fn external(
        &mut self,
        function: Name<'s>,
        (parameters, result, effects): (
            &'c [Parameter<'s>],
            Option<&'c ast::Type<'s>>,
            &'c [Name<'s>],
        ),
        arguments: &'c [ast::Expr<'s>],
        span: Span,
    ) -> Option<Expr> {
        if parameters.len() != arguments.len() {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.text).collect();
            self.wrong_parameters(function, &names, arguments.len());
            return None;
        }
        let effects = self.effects(effects)?;
        let mut values = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.format = match &parameter.ty {
                Some(ty) => self.outside(function, span, |checker| checker.format_of(ty))?,
                None => None,
            };
            let value = self.expr(argument);
            let Some(ty) = &parameter.ty else {
                let help = "the machine must know how many bits it gets: `x : bits(32)`";
                self.error(
                    Code::E1208,
                    parameter.name.span,
                    "a parameter of the machine has no type",
                    help,
                );
                return None;
            };
            let mut value = value?;
            if let ast::TypeKind::Named(_) = ty.kind {
                self.is_of_enumeration(&value, ty)?;
            } else if let Some(format) =
                self.outside(function, span, |checker| checker.format_of(ty))?
            {
                self.is_of_format(&value, format, "the parameter")?;
            } else {
                value = self.as_number(value, argument.span)?;
                let width = self.outside(function, span, |checker| checker.type_width(ty))?;
                self.store(&value, width, &format!("the parameter `{}` has", parameter.name.text))?;
                value = self.stored(value, width);
            }
            values.push(value);
        }
        let kind = ExprKind::Extern { name: function.text.to_string(), arguments: values, effects };
        match result {
            Some(ty) => {
                let found = self.outside(function, span, |checker| checker.written_type(ty))?;
                let width = found.width();
                Some(self.make(kind, found, Interval::unsigned(width), span))
            }
            None => Some(self.make(kind, Type::Integer, Interval::one(0), span)),
        }
    }

    fn effects(&mut self, words: &'c [Name<'s>]) -> Option<ExternEffects> {
        let mut found = ExternEffects::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let place = match (word.text, words.as_slice().first().map(|next| next.text)) {
                ("pure", _) => {
                    found.is_pure = true;
                    continue;
                }
                ("reads", Some("memory")) => &mut found.reads_memory,
                ("writes", Some("memory")) => &mut found.writes_memory,
                ("may", Some("trap")) => &mut found.may_trap,
                _ => {
                    let help = "write `pure`, `reads memory`, `writes memory` or `may trap`";
                    self.error(
                        Code::E1201,
                        word.span,
                        format!("`{}` is not an effect", word.text),
                        help,
                    );
                    return None;
                }
            };
            *place = true;
            words.next();
        }
        Some(found)
    }
}

/// The location of a statement that does more than give names values.
fn other_than_computing(statement: &Statement) -> Option<Span> {
    match &statement.kind {
        StatementKind::Bind { .. } | StatementKind::BindBits { .. } => None,
        StatementKind::If { yes, no, .. } => yes.iter().chain(no).find_map(other_than_computing),
        StatementKind::For { body, .. } => body.iter().find_map(other_than_computing),
        _ => Some(statement.span),
    }
}
