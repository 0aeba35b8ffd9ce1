//! What the bits of a word decide: numbers, conditions, and which part of a choice remains.

use isadl_base::vocabulary::{BinaryOp, UnaryOp};
use isadl_ir::isa::{Field, Type, TypeKind};

use super::Fill;
use crate::fields::{Mark, field_named, mark_named};
use crate::syntax::ast::{Expr, ExprKind, Match, Name, Pattern, PatternKind};

impl<'f> Fill<'f> {
    /// The field that a name means.
    pub(super) fn field(&self, name: &str) -> Option<&'f Field> {
        self.opcode.field(field_named(self.isa, self.opcode, name)?)
    }

    /// The type and the bits of the field that an expression is the name of, or of an operand's mark.
    fn field_of(&self, expr: &Expr<'_>) -> Option<(&'f Type, u64)> {
        if let ExprKind::Member { of, name } = &expr.kind {
            return self.mark(of.text, name.text);
        }
        let name = expr.as_name()?.text;
        if let Some((outer, argument)) = self.argument(name) {
            return outer.field_of(argument);
        }
        let field = self.field(name)?;
        Some((self.isa.ty(field.ty), field.extract(self.word)))
    }

    /// The type and the bits of a mark: 0 if only other forms of the operand have it.
    pub(super) fn mark(&self, of: &str, mark: &str) -> Option<(&'f Type, u64)> {
        Some(match mark_named(self.isa, self.opcode, of, mark)? {
            Mark::Field(name) => {
                let field = self.opcode.field(name)?;
                (self.isa.ty(field.ty), field.extract(self.word))
            }
            Mark::Absent(ty) => (self.isa.ty(ty), 0),
        })
    }

    pub(super) fn truth(&self, condition: &Expr<'_>) -> Option<bool> {
        self.value(condition).map(|value| value != 0)
    }

    /// The number that an expression is for this word, if the word decides it.
    pub(super) fn value(&self, expr: &Expr<'_>) -> Option<i128> {
        match &expr.kind {
            ExprKind::Int(value) => i128::try_from(*value).ok(),
            ExprKind::Name(name) => {
                if let Some((outer, argument)) = self.argument(name) {
                    return outer.value(argument);
                }
                match self.with_meaning(name, |fill, value| fill.value(value)) {
                    Some(value) => value,
                    None => self.number(name),
                }
            }
            ExprKind::Unary(UnaryOp::Not, of) => Some(i128::from(self.value(of)? == 0)),
            ExprKind::Unary(UnaryOp::Neg, of) => self.value(of)?.checked_neg(),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Call { function, arguments } => self.call(*function, arguments),
            _ => None,
        }
    }

    /// The number in an immediate field; `None` if an `apply` makes another of it.
    fn number(&self, name: &str) -> Option<i128> {
        let field = self.field(name)?;
        if !self.is_plain(field.name) {
            return None;
        }
        let raw = field.extract(self.word);
        match &self.isa.ty(field.ty).kind {
            TypeKind::Immediate(immediate) if immediate.is_integer() => {
                Some(immediate.value(raw, field.width()))
            }
            _ => None,
        }
    }

    /// The result of a function of the language on fields.
    pub(super) fn call(&self, function: Name<'_>, arguments: &[Expr<'_>]) -> Option<i128> {
        match (function.text, arguments) {
            ("bits", [field]) => Some(self.field_of(field)?.1.into()),
            ("same_register", [a, b]) => {
                Some(i128::from(self.field_of(a)?.1 == self.field_of(b)?.1))
            }
            _ => None,
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr<'_>, b: &Expr<'_>) -> Option<i128> {
        if let Some(is_equal) = self.is_named(a, b).or_else(|| self.is_named(b, a)) {
            return match op {
                BinaryOp::Eq => Some(is_equal.into()),
                BinaryOp::Ne => Some((!is_equal).into()),
                _ => None,
            };
        }
        let (a, b) = (self.value(a), self.value(b));
        match (op, a, b) {
            // One side may be enough.
            (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => return Some(0),
            (BinaryOp::Or, Some(one), _) | (BinaryOp::Or, _, Some(one)) if one != 0 => {
                return Some(1);
            }
            _ => {}
        }
        let (a, b) = (a?, b?);
        let amount = u32::try_from(b).ok().filter(|amount| *amount < 64);
        match op {
            BinaryOp::Or => Some((a != 0 || b != 0).into()),
            BinaryOp::And => Some((a != 0 && b != 0).into()),
            BinaryOp::Eq => Some((a == b).into()),
            BinaryOp::Ne => Some((a != b).into()),
            BinaryOp::Lt => Some((a < b).into()),
            BinaryOp::Le => Some((a <= b).into()),
            BinaryOp::Gt => Some((a > b).into()),
            BinaryOp::Ge => Some((a >= b).into()),
            BinaryOp::BitOr => Some(a | b),
            BinaryOp::BitXor => Some(a ^ b),
            BinaryOp::BitAnd => Some(a & b),
            BinaryOp::Shl => a.checked_mul(1i128.checked_shl(amount?)?),
            BinaryOp::Shr => Some(a >> amount?),
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::Div | BinaryOp::Rem => None,
        }
    }

    /// Whether a field has the value that a name or a text in quotes means; `None` if it is no such comparison.
    fn is_named(&self, field: &Expr<'_>, value: &Expr<'_>) -> Option<bool> {
        let name = match value.kind {
            ExprKind::Text(text) => text,
            // A name with a meaning of its own is no value.
            ExprKind::Name(name) if self.field(name).is_none() => name,
            _ => return None,
        };
        let (ty, raw) = self.field_of(field)?;
        match (&ty.kind, &value.kind) {
            (TypeKind::BitField(values), _) => {
                let found = values.iter().find(|value| value.name == name)?;
                Some(found.value == raw)
            }
            (TypeKind::Operand(entries), ExprKind::Text(_)) => {
                Some(entries.iter().any(|entry| entry.find(name) == Some(raw)))
            }
            _ => None,
        }
    }

    /// The part of a choice that the word decides, and of choices in it.
    pub(super) fn reduced<'e, 's>(&self, expr: &'e Expr<'s>) -> Option<&'e Expr<'s>> {
        let taken = match &expr.kind {
            ExprKind::Choice(parts) => &parts[if self.truth(&parts[0])? { 1 } else { 2 }],
            ExprKind::Match(found) => self.taken(found)?,
            _ => return None,
        };
        Some(self.reduced(taken).unwrap_or(taken))
    }

    /// The arm that a `match` on fields alone takes.
    pub(super) fn taken<'m, V>(&self, found: &'m Match<'_, V>) -> Option<&'m V> {
        for arm in &found.arms {
            let mut fits = true;
            for (subject, patterns) in found.subjects.iter().zip(&arm.patterns) {
                fits &= self.fits(subject, patterns)?;
            }
            if fits {
                return Some(&arm.value);
            }
        }
        None
    }

    fn fits(&self, subject: &Expr<'_>, patterns: &[Pattern<'_>]) -> Option<bool> {
        let fits = |pattern: &Pattern<'_>| match pattern.kind {
            PatternKind::Any => Some(true),
            PatternKind::Int(number) => Some(self.value(subject)? == number),
            PatternKind::Name(name) => {
                let (ty, raw) = self.field_of(subject)?;
                Some(ty.enumerator(raw)?.name == name)
            }
        };
        let found: Option<Vec<bool>> = patterns.iter().map(fits).collect();
        Some(found?.contains(&true))
    }
}
