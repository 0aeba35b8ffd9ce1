//! `fix`: the values of fields that are declared elsewhere, and, in aliases, fields whose values follow from others.
//!
//! Codes: E0414, E0420.

use std::collections::HashMap;

use super::Resolver;
use crate::ast::{self, BinaryOp};
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::isa::{Binding, Expr, ExprId, Immediate, NameId, Reading, TypeKind};
use crate::model::{FieldId, LayerId, LayerKind};
use crate::source::Span;

/// The values to which fields are fixed.
pub(super) type Fixes<T> = Vec<(NameId, T)>;

/// The contents of the `fix` statements of a chain.
#[derive(Default)]
pub(super) struct Fixed {
    /// The bits of fields.
    pub(super) values: Fixes<u64>,
    /// For an alias: fields whose bits are computed from other fields, with their expressions.
    pub(super) computed: Fixes<ExprId>,
    /// When computed values can be written in their fields.
    pub(super) conditions: Vec<ExprId>,
    /// For an alias: whether the opcode fixes a field to another value, so that the opcode has no word of the alias.
    pub(super) is_never: bool,
}

impl<'a> Resolver<'a, '_> {
    /// Collects the `fix` statements in the chain of a layer.
    pub(super) fn fixed(&mut self, id: LayerId) -> Fixed {
        let mut fixed = Fixed::default();
        let mut places: HashMap<NameId, (Span, LayerId)> = HashMap::new();
        for index in 0..self.model.layer(id).chain.len() {
            let layer = self.model.layer(id).chain[index];
            let is_alias = self.model.layer(layer).kind == LayerKind::Alias;
            for fix in &self.model.layer(layer).ast.fixes {
                let Some(field) = self.field_of(id, fix.name) else { continue };
                let (ast, name) = (self.model.field(field).ast, self.model.field(field).name);
                // An alias can fix a field that has a default.
                let is_given =
                    |binding: &ast::Binding<'_>| !is_alias || binding.fixed == ast::Fixed::Yes;
                let declared = ast.binding.filter(is_given).map(|_| ast.span);
                let before = declared.map(|span| (span, self.model.field(field).layer));
                match before.or(places.insert(name, (fix.span, layer))) {
                    None => self.fix(id, (field, fix), is_alias, &mut fixed),
                    // Of several opcodes, one can fix the field itself.
                    Some((_, of)) if of != layer && self.model.layer(layer).is_shared => {
                        self.fix_again(id, (field, fix), &mut fixed);
                    }
                    Some((first, _)) => self.fixed_twice(fix, first),
                }
            }
        }
        fixed
    }

    /// Adds the value of a `fix` statement.
    fn fix(
        &mut self,
        id: LayerId,
        (field, fix): (FieldId, &'a ast::Fix<'a>),
        is_alias: bool,
        fixed: &mut Fixed,
    ) {
        let name = self.model.field(field).name;
        let value = match &fix.value {
            ast::FixedTo::Value(value) => *value,
            ast::FixedTo::Computed(expr) => {
                self.computed_field(id, field, expr, (is_alias, fixed));
                return;
            }
        };
        if let Some(other) = self.equal_field(id, field, value).filter(|_| is_alias) {
            let reading = self.model.field(field).ty.map(|ty| self.model.ty(ty).reading());
            let other = Expr::Field(other, reading.unwrap_or(Reading::Unsigned));
            fixed.computed.push((name, self.model.exprs.intern(other)));
            return;
        }
        let raw = self.fixed_bits(field, value);
        fixed.values.extend(raw.map(|raw| (name, raw)));
    }

    /// Handles an alias that fixes a field which its opcode fixes too. The opcode then has no word of the alias, or the
    /// statement is only a condition.
    fn fix_again(&mut self, id: LayerId, of: (FieldId, &'a ast::Fix<'a>), fixed: &mut Fixed) {
        let name = self.model.field(of.0).name;
        let own = match self.model.field(of.0).binding {
            Some(Binding::Fixed(raw)) => Some(raw),
            _ => fixed.values.iter().find(|(known, _)| *known == name).map(|(_, raw)| *raw),
        };
        let mut again = Fixed::default();
        self.fix(id, of, true, &mut again);
        let is_other = |(_, raw): &(NameId, u64)| own.is_some_and(|own| own != *raw);
        fixed.is_never |= again.values.iter().any(is_other);
        fixed.conditions.extend(again.conditions);
        let reading = self.model.field(of.0).ty.map(|ty| self.model.ty(ty).reading());
        for (name, computed) in again.computed {
            let field = Expr::Field(name, reading.unwrap_or(Reading::Unsigned));
            let computed = self.model.exprs.get(computed).clone();
            let equal = Expr::Binary(BinaryOp::Eq, Box::new(field), Box::new(computed));
            fixed.conditions.push(self.model.exprs.intern(equal));
        }
    }

    /// The bits of a field with a value.
    fn fixed_bits(&mut self, field: FieldId, value: ast::Value<'a>) -> Option<u64> {
        let (ast, ty) = (self.model.field(field).ast, self.model.field(field).ty?);
        let given = ast::Binding { fixed: ast::Fixed::Yes, value };
        match self.binding(ast, ty, given)? {
            Binding::Fixed(raw) => Some(raw),
            _ => None,
        }
    }

    /// The field from which `fix` copies the value of another field. It is given by name, has the same type, and its
    /// name is not a value of that type.
    fn equal_field(&self, id: LayerId, field: FieldId, value: ast::Value<'a>) -> Option<NameId> {
        let ast::Value::Name(value, _) = value else { return None };
        let field = self.model.field(field);
        let ty = self.model.ty(field.ty?);
        let is_value = match &ty.kind {
            TypeKind::BitField(values) => values.iter().any(|known| known.name == value.text),
            _ => ty.named(value.text).is_some(),
        };
        let other = self.model.field(self.model.find_field_text(id, value.text)?);
        (!is_value && other.ty == field.ty).then_some(other.name)
    }

    /// Adds the field whose value `fix` of an alias computes from others.
    fn computed_field(
        &mut self,
        id: LayerId,
        field: FieldId,
        expr: &'a ast::Expr<'a>,
        (is_alias, fixed): (bool, &mut Fixed),
    ) {
        let Some(known) = self.expr(id, expr) else { return };
        let field = self.model.field(field);
        let (name, text) = (field.name, field.ast.name.text);
        let Some(ty) = field.ty else { return };
        let bits = match &self.model.ty(ty).kind {
            TypeKind::Immediate(immediate) => bits_of_value(&known, immediate),
            TypeKind::BitField(_) | TypeKind::Operand(_) => Some((known.clone(), None)),
            TypeKind::Composite(_) => None,
        };
        let (message, help) = match bits {
            _ if !is_alias => (
                "only an alias can compute a field from others".to_string(),
                "select the instructions by `Match`, or use a rule",
            ),
            None => (
                format!("the bits of `{text}` do not follow from its value"),
                "select its instructions by `Match`",
            ),
            Some(_) if known.fields().contains(&name) => {
                (format!("`{text}` is computed from itself"), "compute it from other fields")
            }
            Some((bits, condition)) => {
                fixed.computed.push((name, self.model.exprs.intern(bits)));
                let condition = condition.map(|condition| self.model.exprs.intern(condition));
                fixed.conditions.extend(condition);
                return;
            }
        };
        if self.is_new(Code::E0420, expr.span) {
            self.report(Diagnostic::new(Code::E0420, message, expr.span).with_help(help));
        }
    }

    fn fixed_twice(&mut self, fix: &ast::Fix<'a>, first: Span) {
        if self.is_new(Code::E0414, fix.span) {
            let message = format!("field `{}` already has a value", fix.name.text);
            let diagnostic = Diagnostic::new(Code::E0414, message, fix.span)
                .with_related(first, "given here")
                .with_removal("keep one of the two", Old::Statement(fix.span));
            self.report(diagnostic);
        }
    }
}

/// The bits of an immediate with a given value, and the condition under which such bits exist. `None` if values are
/// computed from bits in another way than by scale and bias.
fn bits_of_value(value: &Expr, immediate: &Immediate) -> Option<(Expr, Option<Expr>)> {
    if immediate.computed.is_some() {
        return None;
    }
    let binary =
        |op, a: Expr, b: i64| Expr::Binary(op, Box::new(a), Box::new(Expr::Int(i128::from(b))));
    let unbiased = match immediate.bias {
        0 => value.clone(),
        bias => binary(BinaryOp::Sub, value.clone(), bias),
    };
    match immediate.scale {
        1 => Some((unbiased, None)),
        scale => {
            let rest = binary(BinaryOp::Rem, unbiased.clone(), scale);
            Some((binary(BinaryOp::Div, unbiased, scale), Some(binary(BinaryOp::Eq, rest, 0))))
        }
    }
}
