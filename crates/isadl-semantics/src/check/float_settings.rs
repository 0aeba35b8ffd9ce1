//! Operations on floating-point numbers, with what is declared about their results, and the flags that they raise.

use isadl_diagnostics::diagnostic::Code;
use isadl_diagnostics::span::Span;

use super::Checker;
use super::floats::FLAGS;
use crate::float::{Format, Function, Operation, RaisedFlags, Setting};
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, Statement, StatementKind, Type};
use crate::syntax::ast::{self, Declaration, Name};

impl<'c, 's> Checker<'c, 's, '_> {
    /// An expression that is a floating-point number.
    pub(super) fn float(&mut self, expr: &'c ast::Expr<'s>) -> Option<(Expr, Format)> {
        let found = self.expr(expr)?;
        match found.format() {
            Some(format) => Some((found, format)),
            None => {
                let help = "declare the format of an operand: `number rs1 = float(32)`; for an encoding write `from_bits(…)`";
                self.error(Code::E1231, expr.span, "this is no floating-point number", help);
                None
            }
        }
    }

    /// An operation with what is declared about its results.
    pub(super) fn operation(
        &mut self,
        operation: Operation,
        arguments: Vec<Expr>,
        mode: Option<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let mut settings = Vec::new();
        for setting in operation.function.settings() {
            let given = mode.as_ref().filter(|_| *setting == Setting::Rounding);
            let value = match given {
                Some(mode) => Some(mode.clone()),
                None => self.declared_setting(*setting, &operation, span)?,
            };
            settings.extend(value.map(|value| (*setting, value)));
        }
        let raises = self.flags().is_some();
        self.raises |= raises;
        let (ty, range, is_signed) = match operation.function {
            Function::Compare { .. } => (Type::Bits(1), Interval::unsigned(1), false),
            Function::ToInteger { width, is_signed: true } => {
                let half = 1 << (width - 1);
                (Type::Integer, Interval::between(-half, half - 1), true)
            }
            Function::ToInteger { width, .. } => {
                (Type::Bits(width), Interval::unsigned(width), false)
            }
            _ => {
                let format = operation.to;
                (Type::Float(format), Interval::unsigned(format.width()), false)
            }
        };
        let kind = ExprKind::Float { operation, arguments, settings, raises };
        let made = self.make(kind, ty, range, span);
        Some(Expr { is_signed, ..made })
    }

    /// The power of two of `scaled(x, n)`.
    pub(super) fn scale(&mut self, by: &'c ast::Expr<'s>) -> Option<Expr> {
        let found = self.number(by)?;
        if found.range.is_within(Interval::signed(32)) {
            return Some(found);
        }
        let message = format!("a power of two with {}", found.range);
        let help = "the exponent has at most 32 bits: write `signed((…)[31:0])`";
        self.error(Code::E1210, by.span, message, help);
        None
    }

    /// The nearest declaration that says something about floating-point arithmetic.
    fn nearest<T>(&self, step: impl Fn(&'c Declaration<'s>) -> Option<T>) -> Option<T> {
        self.context.scopes.about(self.context.layer).filter_map(step).last()
    }

    /// What is declared of the results of floating-point arithmetic, and what happens with its flags.
    pub(super) fn about_floats(&self) -> Vec<&'c Declaration<'s>> {
        let named = |wanted: &'static str| {
            self.nearest(move |declaration| match declaration {
                Declaration::Setting { name, .. } if name.text == wanted => Some(declaration),
                _ => None,
            })
        };
        let flags = self.nearest(|declaration| {
            matches!(declaration, Declaration::Flags { .. }).then_some(declaration)
        });
        Setting::ALL.into_iter().filter_map(|setting| named(setting.name())).chain(flags).collect()
    }

    /// What is to be done with raised flags.
    fn flags(&self) -> Option<(Name<'s>, &'c ast::Block<'s>)> {
        self.nearest(|declaration| match declaration {
            Declaration::Flags { name, body } => Some((*name, body)),
            _ => None,
        })
    }

    /// The declared value of a setting, if there is one. In it, `width` is the number of bits of the number that it is about: of operands,
    /// or of the result.
    fn declared_setting(
        &mut self,
        setting: Setting,
        operation: &Operation,
        span: Span,
    ) -> Option<Option<Expr>> {
        let declared = self.nearest(|declaration| match declaration {
            Declaration::Setting { name, value } if name.text == setting.name() => {
                Some((*name, value))
            }
            _ => None,
        });
        let Some((name, value)) = declared else { return Some(None) };
        let format = match setting {
            Setting::SubnormalOperands => operation.from.first().copied().unwrap_or(operation.to),
            _ => operation.to,
        };
        let width = Interval::one(format.width().into());
        let found = self.outside(name, span, |checker| {
            let own = Name { text: "width", span: name.span };
            checker.bind_parameter(own, Type::Integer, width)?;
            checker.mode(setting, value)
        });
        found.map(Some)
    }

    /// A value of a setting.
    pub(super) fn mode(&mut self, setting: Setting, value: &'c ast::Expr<'s>) -> Option<Expr> {
        let before = self.setting.replace(setting);
        let found = self.expr(value);
        self.setting = before;
        let found = found?;
        if found.ty == Type::Mode(setting) {
            return Some(found);
        }
        let message = format!("this is no value of `{}`", setting.name());
        let values = setting.values().iter().map(|value| format!("`{value}`"));
        let help = format!("write one of {}", values.collect::<Vec<_>>().join(", "));
        self.error(Code::E1231, value.span, message, help);
        None
    }

    /// A name as a value of the setting that is looked for.
    pub(super) fn mode_named(&mut self, name: Name<'s>) -> Option<Expr> {
        let setting = self.setting?;
        let at = setting.values().iter().position(|value| *value == name.text)?;
        let value = self.int(at as i128, name.span);
        Some(Expr { ty: Type::Mode(setting), ..value })
    }

    /// What happens with the flags at the end of the program.
    pub(super) fn flag_statements(&mut self) -> Vec<Statement> {
        let Some((name, body)) = self.flags().filter(|_| self.raises) else { return Vec::new() };
        let span = name.span;
        let found = self.outside(name, span, |checker| {
            let raised = checker.make_bits(ExprKind::Raised, RaisedFlags::COUNT, span);
            let mut found = Vec::new();
            for (low, flag) in FLAGS.into_iter().enumerate() {
                let of = Box::new(raised.clone());
                let kind = ExprKind::Slice { of, low: low as u32, width: 1 };
                let value = checker.make_bits(kind, 1, span);
                let flag = Name { text: flag, span };
                let local = checker.bind_parameter(flag, Type::Bits(1), Interval::unsigned(1))?;
                found.push(Statement { span, kind: StatementKind::Bind { local, value } });
            }
            found.extend(checker.sequence(&body.statements).0);
            Some(found)
        });
        found.unwrap_or_default()
    }
}
