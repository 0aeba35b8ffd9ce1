//! Floating-point numbers: what has a format, literals, comparisons, and the functions of the language on them.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::NameId;

use super::Checker;
use crate::float::{Format, RaisedFlags, written};
use crate::interval::Interval;
use crate::program::{Expr, ExprKind, Place, Statement, StatementKind, Type};
use crate::syntax::ast::{self, Declaration};

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
    pub(super) fn format_argument(&mut self, argument: &'c ast::Expr<'s>) -> Option<Format> {
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
            ast::ExprKind::Call { function, arguments } if function.text == "with_sign" => {
                arguments.first().is_some_and(|of| self.is_literal(of))
            }
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
    pub(super) fn question(&mut self, name: &str, of: Expr, format: Format, span: Span) -> Expr {
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
    pub(super) fn with_sign(
        &mut self,
        arguments: &'c [ast::Expr<'s>],
        format: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        self.format = format;
        let (of, sign) = (self.float(&arguments[0]), self.condition(&arguments[1]));
        let ((of, format), sign) = (of?, sign?);
        let rest = Box::new(Expr { ty: Type::Bits(format.width()), ..of });
        let low = ExprKind::Slice { of: rest, low: 0, width: format.width() - 1 };
        let low = self.make_bits(low, format.width() - 1, span);
        let sign = self.stored(sign, 1);
        Some(self.encoded(ExprKind::Concat(vec![sign, low]), format, span))
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

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// Whether a function of this name computes with floating-point numbers.
pub(super) fn is_float_function(name: &str) -> bool {
    FLOAT_FUNCTIONS.iter().any(|(own, ..)| *own == name)
}

/// Whether an argument is written as a format.
pub(super) fn is_format(argument: &ast::Expr<'_>) -> bool {
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
