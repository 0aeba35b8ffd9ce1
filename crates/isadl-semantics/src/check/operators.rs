//! Operators: their types, bounds, and what is refused because its sign or excess comes from operators alone.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_diagnostics::diagnostic::{Code, Diagnostic};
use isadl_diagnostics::span::Span;
use isadl_ir::isa::{NameId, TypeId, TypeKind};

use super::Checker;
use super::store::is_ring;
use crate::float::Format;
use crate::interval::{Bound, Interval, MAX_BITS};
use crate::program::{Builtin, Expr, ExprKind, Type};
use crate::syntax::ast;

impl<'c, 's> Checker<'c, 's, '_> {
    pub(super) fn unary(&mut self, op: UnaryOp, of: &'c ast::Expr<'s>, span: Span) -> Option<Expr> {
        if op == UnaryOp::Not {
            let of = self.condition(of)?;
            return Some(self.make_bits(ExprKind::Unary(op, Box::new(of)), 1, span));
        }
        let found = self.expr(of)?;
        if let (UnaryOp::Neg, Some(format)) = (op, found.format()) {
            return Some(self.negated(found, format, span));
        }
        let of = self.as_number(found, of.span)?;
        let range = match op {
            UnaryOp::Neg => -of.range,
            _ => of.range.complement(),
        };
        // A number with its sign is written so.
        let is_constant = matches!(of.kind, ExprKind::Int(_));
        let is_signed = of.is_signed && (is_constant || of.range.may_be_negative());
        let kind = ExprKind::Unary(op, Box::new(of));
        let made = self.made(kind, range, span, is_signed)?;
        Some(match made.value().filter(|_| is_constant) {
            Some(value) => self.int(value, span),
            None => made,
        })
    }

    /// An exact integer, unless it may be too large.
    fn made(
        &mut self,
        kind: ExprKind,
        range: Interval,
        span: Span,
        is_signed: bool,
    ) -> Option<Expr> {
        let made = self.make(kind, Type::Integer, range, span);
        if made.range.width() > MAX_BITS {
            let message = format!("the value may have {} bits", made.range.width());
            self.error(
                Code::E1219,
                span,
                message,
                format!("a value has at most {MAX_BITS} bits; take a part: `(…)[63:0]`"),
            );
            return None;
        }
        Some(Expr { is_signed, ..made })
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &'c ast::Expr<'s>,
        right: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Expr> {
        match op {
            BinaryOp::And | BinaryOp::Or => return self.logic(op, left, right, span),
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => {
                return self.comparison(op, left, right, span);
            }
            _ => {}
        }
        let (left, right) = (self.number(left), self.number(right));
        let (a, b) = (left?, right?);
        self.arithmetic(op, a, b, span)
    }

    /// Applies an operator to numbers.
    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        a: Expr,
        b: Expr,
        span: Span,
    ) -> Option<Expr> {
        let (x, y) = (a.range, b.range);
        // Bitwise operations on values of one width have this width.
        let mut ty = Type::Integer;
        let range = match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x * y,
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                if a.width().is_some() && a.width() == b.width() {
                    ty = a.ty;
                }
                if op == BinaryOp::BitAnd { x.and(y) } else { x.or(y) }
            }
            BinaryOp::Shl => {
                let (least, most) = self.amount(&b, true)?;
                x.shl(least, most)
            }
            BinaryOp::Shr => {
                let (least, most) = self.amount(&b, false)?;
                self.sign_is_shown(&a, "shifted right")?;
                x.shr(least, most)
            }
            _ => {
                self.sign_is_shown(&a, "divided")?;
                self.sign_is_shown(&b, "a divisor")?;
                self.divisor(&b)?;
                if op == BinaryOp::Div { x / y } else { x % y }
            }
        };
        let is_signed = a.is_signed && x.may_be_negative() || b.is_signed && y.may_be_negative();
        let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
        let made = self.made(kind, range, span, is_signed)?;
        Some(Expr { ty, ..made })
    }

    /// The least and the largest amount of a shift.
    fn amount(&mut self, amount: &Expr, is_left: bool) -> Option<(u32, u32)> {
        let help = "write `… % 64`, or take the bits that count: `rs2[5:0]`";
        if amount.range.may_be_negative() {
            let message = format!("the amount of a shift may be negative: {}", amount.range);
            self.error(Code::E1210, amount.span, message, help);
            return None;
        }
        let bits = |bound: Bound| bound.exact().and_then(|value| u32::try_from(value).ok());
        let least = bits(amount.range.low).unwrap_or(MAX_BITS).min(MAX_BITS);
        match bits(amount.range.high).filter(|most| *most <= MAX_BITS) {
            Some(most) => Some((least, most)),
            None if !is_left => Some((least, MAX_BITS)),
            None => {
                let message = format!("a left shift by up to {} bits", amount.range.high);
                self.error(Code::E1210, amount.span, message, help);
                None
            }
        }
    }

    /// Refuses a value whose sign comes from operators alone.
    pub(super) fn sign_is_shown(&mut self, value: &Expr, use_of: &str) -> Option<()> {
        if !value.range.may_be_negative()
            || value.is_signed
            || value.is_exact
            || value.value().is_some()
        {
            return Some(());
        }
        let message =
            format!("a value that may be negative is {use_of}, but nothing in it is signed");
        let found =
            Diagnostic::new(Code::E1205, message, value.span).with_label(value.range.to_string());
        let width = widest(value).unwrap_or(64);
        self.report(found.with_help(format!(
            "write `(…)[{}:0]` for the bits, `signed((…)[{}:0])` for their number, or `exact(…)` for the value as it is",
            width - 1,
            width - 1
        )));
        None
    }

    pub(super) fn divisor(&mut self, divisor: &Expr) -> Option<()> {
        if self.facts.is_nonzero(divisor) {
            return Some(());
        }
        let found = Diagnostic::new(Code::E1211, "the divisor may be 0", divisor.span);
        let found = found.with_label(divisor.range.to_string());
        self.report(found.with_help("say what happens then: `rs2 == 0 ? … : … / rs2`"));
        None
    }

    fn logic(
        &mut self,
        op: BinaryOp,
        left: &'c ast::Expr<'s>,
        right: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Expr> {
        let a = self.condition(left);
        let facts = self.facts.clone();
        if let Some(a) = &a {
            self.facts.assume(a, op == BinaryOp::And);
        }
        let b = self.condition(right);
        self.facts = facts;
        let kind = ExprKind::Binary(op, Box::new(a?), Box::new(b?));
        Some(self.make_bits(kind, 1, span))
    }

    fn comparison(
        &mut self,
        op: BinaryOp,
        left: &'c ast::Expr<'s>,
        right: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Expr> {
        if let Some(found) = self.named_comparison(op, left, right, span) {
            return found;
        }
        let (a, b) = self.pair(left, right)?;
        if a.format().is_some() || b.format().is_some() {
            return self.float_comparison(op, (a, b), None, span);
        }
        let (a, b) = (self.as_number(a, left.span), self.as_number(b, right.span));
        let (a, b) = (a?, b?);
        self.signs_agree(&a, &b, op.symbol())?;
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            self.no_excess(&a, &b)?;
            self.no_excess(&b, &a)?;
        }
        let decided = decided(op, a.range, b.range);
        let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
        let made = self.make_bits(kind, 1, span);
        Some(match decided {
            Some(value) => Expr { range: Interval::one(value.into()), ..made },
            None => made,
        })
    }

    /// Refuses the comparison of bits with a number that may be negative.
    pub(super) fn signs_agree(&mut self, a: &Expr, b: &Expr, what: &str) -> Option<()> {
        for (bits, other) in [(a, b), (b, a)] {
            let is_bits = bits.width().is_some_and(|width| width > 1);
            if !is_bits
                || !other.range.may_be_negative()
                || matches!(other.kind, ExprKind::Builtin(Builtin::Exact, _))
            {
                continue;
            }
            let name = |expr: &Expr| self.text_of(expr);
            let message = format!(
                "`{what}` between {}, which is unsigned, and {}, which may be negative",
                name(bits),
                name(other)
            );
            let width = bits.width().unwrap_or(64);
            let help = format!(
                "compare `signed(…)` of the first, or `(…)[{}:0]` of the second",
                width - 1
            );
            let found = Diagnostic::new(Code::E1207, message, other.span)
                .with_label(other.range.to_string());
            self.report(found.with_related(bits.span, format!("{}", bits.range)).with_help(help));
            return None;
        }
        Some(())
    }

    /// Refuses an operator written in a comparison for equality whose value has more bits than its parts.
    fn no_excess(&mut self, value: &Expr, other: &Expr) -> Option<()> {
        let is_operator = match &value.kind {
            ExprKind::Binary(op, ..) => is_ring(*op) || *op == BinaryOp::Shl,
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, _) => true,
            _ => false,
        };
        let is_difference =
            matches!(value.kind, ExprKind::Binary(BinaryOp::Sub, ..)) && other.value() == Some(0);
        if !is_operator || value.is_exact || is_difference || value.value().is_some() {
            return Some(());
        }
        let width = widest(value).unwrap_or(1);
        if value.range.fits(width) {
            return Some(());
        }
        let message = format!(
            "the value has more bits than its parts, which have {width}, and all of them are compared"
        );
        let found =
            Diagnostic::new(Code::E1206, message, value.span).with_label(value.range.to_string());
        self.report(found.with_help(format!(
            "write `(…)[{}:0]`, or `exact(…)` for the value as it is",
            width - 1
        )));
        None
    }

    /// A comparison of a field with a named value of its type, or of two fields of an enumeration.
    fn named_comparison(
        &mut self,
        op: BinaryOp,
        left: &'c ast::Expr<'s>,
        right: &'c ast::Expr<'s>,
        span: Span,
    ) -> Option<Option<Expr>> {
        for (field, value) in [(left, right), (right, left)] {
            if let ast::ExprKind::Text(text) = value.kind {
                return Some(self.is_named(op, field, text, value.span, span));
            }
        }
        for (field, value) in [(left, right), (right, left)] {
            let Some(name) = value.as_name() else { continue };
            // A name with a meaning of its own is no value.
            if self.find_local(name.text).is_some() || self.field_of(name.text).is_some() {
                continue;
            }
            let Some(ty) = self.enumeration_of(field) else { continue };
            let Some(raw) = self.enumerator(ty, name.text, name.span) else { return Some(None) };
            let Some(field) = self.expr(field) else { return Some(None) };
            return Some(self.equals(op, field, raw, span));
        }
        let ty = self.enumeration_of(left).filter(|ty| self.enumeration_of(right) == Some(*ty))?;
        let (a, b) = (self.expr(left), self.expr(right));
        let (Some(a), Some(b)) = (a, b) else { return Some(None) };
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            self.not_ordered(ty, span);
            return Some(None);
        }
        let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
        Some(Some(self.make_bits(kind, 1, span)))
    }

    fn not_ordered(&mut self, ty: TypeId, span: Span) {
        let message = format!("values of `{}` have no order", self.context.isa.ty(ty).name);
        self.error(
            Code::E1217,
            span,
            message,
            "compare them with `==` or `!=`, or their `bits(…)`",
        );
    }

    fn equals(&mut self, op: BinaryOp, field: Expr, raw: u64, span: Span) -> Option<Expr> {
        if let Type::Enumeration(ty) = field.ty
            && !matches!(op, BinaryOp::Eq | BinaryOp::Ne)
        {
            self.not_ordered(ty, span);
            return None;
        }
        let value = self.int(raw.into(), span);
        let decided = decided(op, field.range, value.range);
        let made = self.make_bits(ExprKind::Binary(op, Box::new(field), Box::new(value)), 1, span);
        Some(match decided {
            Some(value) => Expr { range: Interval::one(value.into()), ..made },
            None => made,
        })
    }

    /// Whether an operand is the register or value of a name.
    fn is_named(
        &mut self,
        op: BinaryOp,
        field: &'c ast::Expr<'s>,
        text: &str,
        text_span: Span,
        span: Span,
    ) -> Option<Expr> {
        if let Some(ty) = self.enumeration_of(field) {
            let raw = self.enumerator(ty, text, text_span)?;
            let field = self.expr(field)?;
            return self.equals(op, field, raw, span);
        }
        let Some(id) = field.as_name().and_then(|name| self.field_of(name.text)) else {
            self.error(
                Code::E1217,
                field.span,
                "only an operand can be compared with a name",
                "write the name of an operand",
            );
            return None;
        };
        let raws = self.raws_named(id, text);
        if raws.is_empty() {
            let known = self.context.opcode.field(id)?;
            let ty = &self.context.isa.ty(known.ty).name;
            let message = format!("`{ty}` has no value `{text}`");
            let help = format!("write one of the names that `{ty}` defines");
            self.error(Code::E1202, text_span, message, help);
            return None;
        }
        let mut found: Option<Expr> = None;
        for raw in raws {
            let bits = self.field_bits(id, field.span)?;
            let one = self.equals(BinaryOp::Eq, bits, raw, span)?;
            found = Some(match found {
                None => one,
                Some(known) => {
                    let kind = ExprKind::Binary(BinaryOp::Or, Box::new(known), Box::new(one));
                    self.make_bits(kind, 1, span)
                }
            });
        }
        match op {
            BinaryOp::Eq => found,
            BinaryOp::Ne => {
                let found = found?;
                let range = found.range.value().map(|value| Interval::one(1 - value));
                let made = self.make_bits(ExprKind::Unary(UnaryOp::Not, Box::new(found)), 1, span);
                Some(Expr { range: range.unwrap_or(made.range), ..made })
            }
            _ => {
                self.error(Code::E1217, span, "names have no order", "compare with `==` or `!=`");
                None
            }
        }
    }

    /// The values of an operand's field that have a name.
    fn raws_named(&self, id: NameId, text: &str) -> Vec<u64> {
        let Some(field) = self.context.opcode.field(id) else { return Vec::new() };
        match &self.context.isa.ty(field.ty).kind {
            TypeKind::Operand(entries) => {
                entries.iter().filter_map(|entry| entry.find(text)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn choice(
        &mut self,
        parts: &'c [ast::Expr<'s>; 3],
        format: Option<Format>,
        span: Span,
    ) -> Option<Expr> {
        let [condition, yes, no] = parts;
        let condition = self.condition(condition);
        let facts = self.facts.clone();
        let mut format = format;
        let is_literal = self.is_literal(yes);
        let mut arm = |holds: bool, arm: &'c ast::Expr<'s>| {
            if let Some(condition) = &condition {
                self.facts.assume(condition, holds);
            }
            self.format = format;
            let found = self.expr(arm);
            self.facts = facts.clone();
            // A literal has the format of the other arm.
            format = format.or(found.as_ref().and_then(Expr::format));
            found
        };
        let (yes, no) = match is_literal {
            true => {
                let no = arm(false, no);
                (arm(true, yes), no)
            }
            false => (arm(true, yes), arm(false, no)),
        };
        self.choose(condition?, yes?, no?, span)
    }

    /// One of two values.
    pub(super) fn choose(
        &mut self,
        condition: Expr,
        yes: Expr,
        no: Expr,
        span: Span,
    ) -> Option<Expr> {
        let ty = match (yes.ty, no.ty) {
            (a, b) if a == b => a,
            (Type::Enumeration(_), _) | (_, Type::Enumeration(_)) => {
                self.error(
                    Code::E1217,
                    span,
                    "one value is a number, the other of an enumeration",
                    "write `bits(…)` for its bits",
                );
                return None;
            }
            (Type::Float(format), _) => {
                self.is_of_format(&no, format, "the other is")?;
                return None;
            }
            (_, Type::Float(format)) => {
                self.is_of_format(&yes, format, "the other is")?;
                return None;
            }
            (Type::Mode(_), _) | (_, Type::Mode(_)) => {
                let help = "write names of values in all arms";
                self.error(Code::E1231, span, "the values are of different kinds", help);
                return None;
            }
            _ => Type::Integer,
        };
        let range = match condition.value() {
            Some(0) => no.range,
            Some(_) => yes.range,
            None => yes.range.join(no.range),
        };
        let is_signed = yes.is_signed && yes.range.may_be_negative()
            || no.is_signed && no.range.may_be_negative();
        let made = self.make(ExprKind::Choice(Box::new([condition, yes, no])), ty, range, span);
        Some(Expr { is_signed, ..made })
    }

    /// An expression in a message.
    pub(super) fn text_of(&self, expr: &Expr) -> String {
        let isa = self.context.isa;
        match &expr.kind {
            ExprKind::Local(local) | ExprKind::Variable(local)
                if !self.locals[local.index()].name.is_empty() =>
            {
                format!("`{}`", self.locals[local.index()].name)
            }
            ExprKind::Field(field) | ExprKind::FieldBits(field) => {
                format!("`{}`", isa.name_of(*field))
            }
            ExprKind::Read(
                crate::program::Place::Operand { field, .. }
                | crate::program::Place::Group { field, .. },
            ) => {
                format!("`{}`", isa.name_of(*field))
            }
            ExprKind::Read(crate::program::Place::Register { file, number }) => {
                let file = &isa.reg_files()[file.index()];
                match number.value() {
                    Some(_) if file.count == 1 => format!("`{}`", file.name),
                    Some(number) => format!("`{}[{number}]`", file.name),
                    None => format!("a register of `{}`", file.name),
                }
            }
            ExprKind::Int(value) => format!("`{value}`"),
            _ => "a value".to_string(),
        }
    }
}

/// The result of a comparison that bounds decide.
fn decided(op: BinaryOp, a: Interval, b: Interval) -> Option<bool> {
    let (below, above) = (a.high < b.low, a.low > b.high);
    let same = a.value().is_some() && a.value() == b.value();
    match op {
        BinaryOp::Eq if same => Some(true),
        BinaryOp::Eq if below || above => Some(false),
        BinaryOp::Ne if same => Some(false),
        BinaryOp::Ne if below || above => Some(true),
        BinaryOp::Lt if below => Some(true),
        BinaryOp::Lt if a.low >= b.high => Some(false),
        BinaryOp::Le if a.high <= b.low => Some(true),
        BinaryOp::Le if above => Some(false),
        BinaryOp::Gt if above => Some(true),
        BinaryOp::Gt if a.high <= b.low => Some(false),
        BinaryOp::Ge if a.low >= b.high => Some(true),
        BinaryOp::Ge if below => Some(false),
        _ => None,
    }
}

/// The number of bits of the widest part that operators are applied to.
fn widest(value: &Expr) -> Option<u32> {
    match &value.kind {
        ExprKind::Binary(op, a, b) if is_ring(*op) => widest(a).max(widest(b)),
        ExprKind::Binary(BinaryOp::Shl, a, _) => widest(a),
        ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, of) => widest(of),
        _ => Some(value.width().unwrap_or(value.range.width())),
    }
}
