//! Floating-point numbers: what has a format, literals, comparisons, and the functions of the language on them.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_float::Extremum;
use isadl_ir::isa::NameId;

use super::Checker;
use crate::float::{Format, Function, Operation, Order, RaisedFlags, Setting, written};
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, Place, Statement, StatementKind, Type};
use crate::syntax::ast::{self, Declaration, Name};

/// The functions on floating-point numbers, with the least and the largest number of their arguments.
pub(crate) const FLOAT_FUNCTIONS: [(&str, usize, usize); 24] = [
    ("from_bits", 1, 2),
    ("is_infinite", 1, 1),
    ("is_nan", 1, 1),
    ("is_signaling", 1, 1),
    ("is_subnormal", 1, 1),
    ("is_zero", 1, 1),
    ("max_num", 2, 2),
    ("maximum", 2, 2),
    ("maximum_number", 2, 2),
    ("min_num", 2, 2),
    ("minimum", 2, 2),
    ("minimum_number", 2, 2),
    ("quiet", 1, 1),
    ("round", 1, 3),
    ("scaled", 2, 2),
    ("sign", 1, 1),
    ("signaling", 1, 1),
    ("sqrt", 1, 1),
    ("to_bits", 1, 1),
    ("to_integral", 1, 2),
    ("to_integral_exact", 1, 2),
    ("to_signed", 2, 3),
    ("to_unsigned", 2, 3),
    ("with_sign", 2, 2),
];

/// The flags in the order of their bits, by their names in `float flags { … }`.
pub(crate) const FLAGS: [&str; RaisedFlags::COUNT as usize] =
    ["inexact", "underflow", "overflow", "division", "invalid", "subnormal"];

impl<'c, 's> Checker<'c, 's, '_> {
    // ---- formats

    /// The format that is written as a type.
    pub(super) fn written_format(
        &mut self,
        parts: &'c [ast::Expr<'s>],
        span: Span,
    ) -> Option<Format> {
        let widths: Option<Vec<u32>> = parts.iter().map(|part| self.width(part)).collect();
        let found = match widths?.as_slice() {
            [width] => Format::interchange(*width).ok_or(format!("no format has {width} bits")),
            [exponent, fraction] => Format::new(*exponent, *fraction)
                .ok_or(format!("no format has {exponent} and {fraction} bits")),
            _ => return None,
        };
        let help = "write `float(16)`, `float(32)` or `float(64)`, or the bits of exponent (2 to 11) and fraction (1 to 52): `float(8, 7)`";
        found.map_err(|message| self.error(Code::E1231, span, message, help)).ok()
    }

    /// The format that an argument is.
    fn format_argument(&mut self, argument: &'c ast::Expr<'s>) -> Option<Format> {
        match &argument.kind {
            ast::ExprKind::Call { function, arguments } if is_format(argument) => {
                self.written_format(arguments, function.span)
            }
            _ => {
                let help = "write `float(32)`";
                self.error(Code::E1231, argument.span, "this is not a format", help);
                None
            }
        }
    }

    /// The declared format of an operand; `None` outside after a report.
    pub(super) fn declared_format(&mut self, id: NameId, span: Span) -> Option<Option<Format>> {
        let declared = self.about_operand(id, |declaration| match declaration {
            Declaration::Number { format, .. } => Some(format),
            _ => None,
        });
        let Some((name, ty)) = declared else { return Some(None) };
        let ast::TypeKind::Float(parts) = &ty.kind else {
            let help = "write a format: `float(32)`";
            self.error(Code::E1231, ty.span, "operands are numbers of a format", help);
            return None;
        };
        self.outside(name, span, |checker| checker.written_format(parts, ty.span)).map(Some)
    }

    /// What an operand contains, as a number of its declared format.
    pub(super) fn as_declared(&mut self, id: NameId, read: Expr) -> Option<Expr> {
        let Some(format) = self.declared_format(id, read.span)? else { return Some(read) };
        self.format_fits(id, format, read.width().unwrap_or(0), read.span)?;
        Some(Expr { ty: Type::Float(format), ..read })
    }

    /// Checks that a format has as many bits as its operand.
    pub(super) fn format_fits(
        &mut self,
        id: NameId,
        format: Format,
        width: u32,
        span: Span,
    ) -> Option<()> {
        if format.width() == width {
            return Some(());
        }
        let name = self.context.isa.name_of(id);
        let message = format!("`{name}` has {width} bits, its format {}", format.width());
        let help = format!("declare how many bits instructions use: `{name} : {}`", format.width());
        self.error(Code::E1231, span, message, help);
        None
    }

    /// Checks that a value is a number of a format.
    pub(super) fn is_of_format(&mut self, value: &Expr, format: Format, place: &str) -> Option<()> {
        let help = match value.ty {
            Type::Float(own) if own == format => return Some(()),
            Type::Float(own) => {
                let message =
                    format!("the value is a {}, {place} a {}", described(own), described(format));
                let found = Diagnostic::new(Code::E1231, message, value.span);
                self.report(found.with_help("round it to the format: `round(…)`"));
                return None;
            }
            _ => "write `round(…)` for the number of an integer, or `from_bits(…)` for an encoding",
        };
        let message =
            format!("the value is no floating-point number, {place} a {}", described(format));
        self.error(Code::E1231, value.span, message, help);
        None
    }

    /// `whole(operand)`: all bits of the register, whatever instructions use of them.
    pub(super) fn whole(&mut self, argument: &'c ast::Expr<'s>, span: Span) -> Option<Expr> {
        let field = argument.as_name().and_then(|name| self.field_of(name.text));
        let place = match field {
            Some(field) => self.operand_place(field, span)?.0,
            None => {
                let help = "write the name of a register operand";
                self.error(Code::E1213, argument.span, "this is not an operand", help);
                return None;
            }
        };
        let Place::Operand { field, part, is_external, .. } = place else { return None };
        let ty = &self.context.isa.ty(self.context.opcode.field(field)?.ty).kind;
        let files = super::files_of(ty);
        let width = files.map(|file| self.context.isa.reg_files()[file.index()].width).max();
        let Some(width) = width else {
            let help = "write the name of a register operand";
            self.error(Code::E1213, argument.span, "this is not a register", help);
            return None;
        };
        Some(self.read(Place::Operand { field, part, width, is_external }, width, span))
    }

    // ---- literals

    /// Whether an expression is a number whose format is that of what it stands beside.
    pub(super) fn is_literal(&self, expr: &ast::Expr<'s>) -> bool {
        match &expr.kind {
            ast::ExprKind::Real(_) => true,
            ast::ExprKind::Name("inf" | "nan") => {
                expr.as_name().is_some_and(|name| self.is_new(&name))
            }
            ast::ExprKind::Unary(UnaryOp::Neg, of) => self.is_literal(of),
            _ => false,
        }
    }

    /// A number with a point, or `inf` or `nan`, in a format.
    pub(super) fn literal(
        &mut self,
        text: &str,
        format: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        let Some(format) = format else {
            let message = format!("the format of `{text}` is not known here");
            let help = "write it beside a floating-point number, or give a format: `round(1.5, float(32))`";
            self.error(Code::E1231, span, message, help);
            return None;
        };
        let bits = match text {
            "inf" => format.infinity(),
            "nan" => format.infinity() | 1 << (format.fraction() - 1),
            _ => {
                match isadl_engine::number::parse_float(text, format.exponent(), format.fraction())
                {
                    Ok(bits) => bits,
                    Err(_) => {
                        let message = format!("`{text}` is no number of a {}", described(format));
                        self.error(Code::E1231, span, message, "write a smaller number");
                        return None;
                    }
                }
            }
        };
        Some(self.encoded(ExprKind::Int(bits.into()), format, span))
    }

    /// Two expressions, of which a literal has the format of the other.
    pub(super) fn pair(
        &mut self,
        a: &'c ast::Expr<'s>,
        b: &'c ast::Expr<'s>,
    ) -> Option<(Expr, Expr)> {
        let is_swapped = self.is_literal(a) && !self.is_literal(b);
        let (first, second) = if is_swapped { (b, a) } else { (a, b) };
        let first = self.expr(first);
        self.format = first.as_ref().and_then(Expr::format);
        let second = self.expr(second);
        self.format = None;
        let (first, second) = (first?, second?);
        Some(if is_swapped { (second, first) } else { (first, second) })
    }

    // ---- expressions on encodings

    /// A number of a format.
    pub(super) fn encoded(&mut self, kind: ExprKind, format: Format, span: Span) -> Expr {
        self.make(kind, Type::Float(format), Interval::unsigned(format.width()), span)
    }

    /// An operation on the bits of encodings.
    fn bitwise(&mut self, op: BinaryOp, a: Expr, mask: u64, span: Span) -> Expr {
        let width = a.format().map_or(64, Format::width);
        let mask = Box::new(self.int(mask.into(), span));
        self.make_bits(ExprKind::Binary(op, Box::new(a), mask), width, span)
    }

    fn is(&mut self, op: BinaryOp, a: Expr, number: u64, span: Span) -> Expr {
        let number = Box::new(self.int(number.into(), span));
        self.make_bits(ExprKind::Binary(op, Box::new(a), number), 1, span)
    }

    /// `-x`: the opposite sign, of a NaN as well.
    pub(super) fn negated(&mut self, of: Expr, format: Format, span: Span) -> Expr {
        let flipped = self.bitwise(BinaryOp::BitXor, of, format.sign(), span);
        Expr { ty: Type::Float(format), ..flipped }
    }

    /// `abs(x)`: without its sign.
    pub(super) fn magnitude(&mut self, of: Expr, format: Format, span: Span) -> Expr {
        let cleared = self.bitwise(BinaryOp::BitAnd, of, format.sign() - 1, span);
        Expr { ty: Type::Float(format), ..cleared }
    }

    /// A value that is used several times, computed once.
    fn shared(&mut self, value: Expr) -> (Vec<Statement>, Expr) {
        if matches!(value.kind, ExprKind::Local(_) | ExprKind::Variable(_) | ExprKind::Int(_)) {
            return (Vec::new(), value);
        }
        let (ty, range, span) = (value.ty, value.range, value.span);
        let local = self.add_temporary(ty, range, span);
        let read = self.read_local(local, span);
        (vec![Statement { span, kind: StatementKind::Bind { local, value } }], read)
    }

    /// `is_nan(x)` and the other questions about one number.
    fn question(&mut self, name: &str, of: Expr, format: Format, span: Span) -> Expr {
        let (bindings, of) = self.shared(of);
        let magnitude = self.magnitude(of.clone(), format, span);
        let infinity = format.infinity();
        let quiet = infinity | 1 << (format.fraction() - 1);
        let both = |checker: &mut Self, a: Expr, b: Expr| {
            let kind = ExprKind::Binary(BinaryOp::And, Box::new(a), Box::new(b));
            checker.make_bits(kind, 1, span)
        };
        let value = match name {
            "is_nan" => self.is(BinaryOp::Gt, magnitude, infinity, span),
            "is_infinite" => self.is(BinaryOp::Eq, magnitude, infinity, span),
            "is_zero" => self.is(BinaryOp::Eq, magnitude, 0, span),
            "is_signaling" => {
                let is_nan = self.is(BinaryOp::Gt, magnitude.clone(), infinity, span);
                let is_below = self.is(BinaryOp::Lt, magnitude, quiet, span);
                both(self, is_nan, is_below)
            }
            "is_subnormal" => {
                let is_above = self.is(BinaryOp::Gt, magnitude.clone(), 0, span);
                let is_below = self.is(BinaryOp::Lt, magnitude, 1 << format.fraction(), span);
                both(self, is_above, is_below)
            }
            _ => {
                let low = format.width() - 1;
                self.make_bits(ExprKind::Slice { of: Box::new(of), low, width: 1 }, 1, span)
            }
        };
        with_bindings(bindings, value)
    }

    /// `with_sign(x, s)`
    fn with_sign(&mut self, arguments: &'c [ast::Expr<'s>], span: Span) -> Option<Expr> {
        let (of, sign) = (self.float(&arguments[0]), self.condition(&arguments[1]));
        let ((of, format), sign) = (of?, sign?);
        let rest = Box::new(Expr { ty: Type::Bits(format.width()), ..of });
        let low = ExprKind::Slice { of: rest, low: 0, width: format.width() - 1 };
        let low = self.make_bits(low, format.width() - 1, span);
        let sign = self.stored(sign, 1);
        Some(self.encoded(ExprKind::Concat(vec![sign, low]), format, span))
    }

    // ---- operations

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

    // ---- comparisons

    /// A comparison of floating-point numbers. Only `==` and `!=` are quiet by themselves.
    pub(super) fn float_comparison(
        &mut self,
        op: BinaryOp,
        a: Expr,
        b: Expr,
        span: Span,
    ) -> Option<Expr> {
        for (value, other) in [(&a, &b), (&b, &a)] {
            let Some(format) = other.format() else { continue };
            self.is_of_format(value, format, "the other is")?;
        }
        let format = a.format()?;
        let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let is_signaling = self.is_signaling.take().unwrap_or(!is_equality);
        let (order, is_swapped) = match op {
            BinaryOp::Lt => (Order::Less, false),
            BinaryOp::Gt => (Order::Less, true),
            BinaryOp::Le => (Order::LessOrEqual, false),
            BinaryOp::Ge => (Order::LessOrEqual, true),
            _ => (Order::Equal, false),
        };
        let arguments = if is_swapped { vec![b, a] } else { vec![a, b] };
        let function = Function::Compare { order, is_signaling };
        let operation = Operation { function, from: vec![format; 2], to: format };
        let found = self.operation(operation, arguments, None, span)?;
        Some(match op {
            BinaryOp::Ne => self.make_bits(ExprKind::Unary(UnaryOp::Not, Box::new(found)), 1, span),
            _ => found,
        })
    }

    /// `quiet(a < b)`, `signaling(a == b)`
    fn with_signal(
        &mut self,
        argument: &'c ast::Expr<'s>,
        is_signaling: bool,
        span: Span,
    ) -> Option<Expr> {
        if let ast::ExprKind::Binary(op, left, right) = &argument.kind
            && is_comparison(*op)
        {
            let (a, b) = self.pair(left, right)?;
            if a.format().is_some() || b.format().is_some() {
                self.is_signaling = Some(is_signaling);
                return self.float_comparison(*op, a, b, span);
            }
        }
        let help = "write a comparison of two: `quiet(rs1 < rs2)`";
        let message = "this is no comparison of floating-point numbers";
        self.error(Code::E1231, argument.span, message, help);
        None
    }

    // ---- functions

    /// A call of a function on floating-point numbers. `format` is that of the place that the value is for.
    pub(super) fn float_call(
        &mut self,
        function: Name<'s>,
        arguments: &'c [ast::Expr<'s>],
        format: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        let first = &arguments[0];
        match function.text {
            "round" => self.round(arguments, format, span),
            "quiet" | "signaling" => self.with_signal(first, function.text == "signaling", span),
            "with_sign" => self.with_sign(arguments, span),
            "from_bits" => self.from_bits(arguments, format, span),
            "to_bits" => {
                let (of, format) = self.float(first)?;
                Some(Expr { ty: Type::Bits(format.width()), span, ..of })
            }
            "to_signed" | "to_unsigned" => {
                self.to_integer(arguments, function.text == "to_signed", span)
            }
            "sqrt" | "scaled" => {
                let message = format!("`{}` gives an exact number", function.text);
                let help = format!("round it: `round({}(…))`", function.text);
                self.error(Code::E1231, span, message, help);
                None
            }
            "to_integral" | "to_integral_exact" => {
                let (of, format) = self.float(first)?;
                let mode = self.mode_argument(arguments.get(1))?;
                let is_exact = function.text == "to_integral_exact";
                let function = Function::ToIntegral { is_exact };
                let operation = Operation { function, from: vec![format], to: format };
                self.operation(operation, vec![of], mode, span)
            }
            "is_nan" | "is_infinite" | "is_zero" | "is_signaling" | "is_subnormal" | "sign" => {
                let (of, format) = self.float(first)?;
                Some(self.question(function.text, of, format, span))
            }
            name => {
                let function = match name {
                    "minimum" => Function::Minimum(Extremum::Nan),
                    "maximum" => Function::Maximum(Extremum::Nan),
                    "minimum_number" => Function::Minimum(Extremum::Number),
                    "maximum_number" => Function::Maximum(Extremum::Number),
                    "min_num" => Function::Minimum(Extremum::NumberUnlessSignaling),
                    _ => Function::Maximum(Extremum::NumberUnlessSignaling),
                };
                self.extremum(function, arguments, span)
            }
        }
    }

    fn extremum(
        &mut self,
        function: Function,
        arguments: &'c [ast::Expr<'s>],
        span: Span,
    ) -> Option<Expr> {
        let (a, b) = self.pair(&arguments[0], &arguments[1])?;
        let Some(format) = a.format().or(b.format()) else {
            let help = "of integers, write `min(a, b)` or `max(a, b)`";
            self.error(Code::E1231, a.span, "this is no floating-point number", help);
            return None;
        };
        self.is_of_format(&a, format, "the other is")?;
        self.is_of_format(&b, format, "the other is")?;
        let operation = Operation { function, from: vec![format; 2], to: format };
        self.operation(operation, vec![a, b], None, span)
    }

    /// An argument that is a rounding mode, if it is written.
    pub(super) fn mode_argument(
        &mut self,
        argument: Option<&'c ast::Expr<'s>>,
    ) -> Option<Option<Expr>> {
        match argument {
            Some(argument) => self.mode(Setting::Rounding, argument).map(Some),
            None => Some(None),
        }
    }

    /// `to_signed(x, 32)`, `to_unsigned(x, 32, mode)`
    fn to_integer(
        &mut self,
        arguments: &'c [ast::Expr<'s>],
        is_signed: bool,
        span: Span,
    ) -> Option<Expr> {
        let (of, by) = match scaled(&arguments[0]) {
            Some([of, by]) => (of, Some(self.scale(by)?)),
            None => (&arguments[0], None),
        };
        let of = self.float(of);
        let width = self.width(&arguments[1]);
        let mode = self.mode_argument(arguments.get(2));
        let ((of, format), width, mode) = (of?, width?, mode?);
        if width > 64 {
            let help = "integers of conversions have at most 64 bits";
            self.error(Code::E1219, arguments[1].span, format!("{width} bits are too many"), help);
            return None;
        }
        let function = Function::ToInteger { width, is_signed };
        let operation = Operation { function, from: vec![format], to: format };
        self.operation(operation, [of].into_iter().chain(by).collect(), mode, span)
    }

    /// `from_bits(x)`, `from_bits(x, float(32))`
    fn from_bits(
        &mut self,
        arguments: &'c [ast::Expr<'s>],
        wanted: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        let given = match arguments.get(1) {
            Some(argument) => Some(self.format_argument(argument)?),
            None => wanted,
        };
        let of = self.number(&arguments[0])?;
        let Some(format) = given else {
            let help = "give a format: `from_bits(x, float(32))`";
            self.error(Code::E1231, span, "the format is not known here", help);
            return None;
        };
        self.store(&of, format.width(), "the format has")?;
        let bits = self.stored(of, format.width());
        Some(Expr { ty: Type::Float(format), span, ..bits })
    }

    /// The format of `round(e, float(32))` and its mode, which both may be left out.
    pub(super) fn round_arguments(
        &mut self,
        arguments: &'c [ast::Expr<'s>],
    ) -> Option<(Option<Format>, Option<Expr>)> {
        let rest = &arguments[1..];
        let (format, rest) = match rest.split_first() {
            Some((first, rest)) if is_format(first) => (Some(self.format_argument(first)?), rest),
            _ => (None, rest),
        };
        if let Some(extra) = rest.get(1) {
            let help = "write `round(x, format, mode)`";
            self.error(Code::E1213, extra.span, "`round` has a format and a mode", help);
            return None;
        }
        Some((format, self.mode_argument(rest.first())?))
    }
}

/// The parts of `scaled(x, n)`.
pub(super) fn scaled<'c, 's>(expr: &'c ast::Expr<'s>) -> Option<[&'c ast::Expr<'s>; 2]> {
    match &expr.kind {
        ast::ExprKind::Call { function, arguments } if function.text == "scaled" => {
            arguments.as_slice().try_into().ok().map(|[of, by]: &[ast::Expr<'s>; 2]| [of, by])
        }
        _ => None,
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// Whether an argument is written as a format.
fn is_format(argument: &ast::Expr<'_>) -> bool {
    match &argument.kind {
        ast::ExprKind::Call { function, arguments } => {
            function.text == "float" && matches!(arguments.len(), 1 | 2)
        }
        _ => false,
    }
}

/// A format in a message.
pub(super) fn described(format: Format) -> String {
    format!("`{}`", written(format))
}

/// A value that uses names that are bound before.
pub(super) fn with_bindings(bindings: Vec<Statement>, value: Expr) -> Expr {
    if bindings.is_empty() {
        return value;
    }
    let (ty, range, span, is_signed) = (value.ty, value.range, value.span, value.is_signed);
    let kind = ExprKind::Inline { bindings, value: Box::new(value) };
    Expr { kind, ty, range, span, is_signed, is_exact: false }
}
