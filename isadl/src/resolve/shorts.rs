//! Shorter encodings: `Short<ADDI> : rs1 = sp;`.
//!
//! Codes: E0520.

use super::Resolver;
use super::lists::EffectiveStatements;
use crate::ast::{self, Ident, OperandStatementKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Binding, NameId};
use crate::model::{FieldId, LayerId, LayerKind, Short, Source};
use crate::source::Span;

impl<'a> Resolver<'a, '_> {
    /// The opcode whose compressed encoding a layer is, with the sources of its fields.
    pub(super) fn short(
        &mut self,
        layer: LayerId,
        in_force: &EffectiveStatements<'a>,
    ) -> Option<Short<'a>> {
        let statement = in_force.short.statement?;
        let OperandStatementKind::Short { of, given } = &statement.kind else { return None };
        if self.model.layer(layer).kind != LayerKind::Opcode {
            return None;
        }
        let known = self.index.layers.get(of.text).copied();
        let found = known.and_then(|defined| defined.id);
        let is_opcode = |id: &LayerId| self.model.layer(*id).kind == LayerKind::Opcode;
        let Some(long) = found.filter(is_opcode) else {
            // A duplicate or broken definition was reported already.
            if known.is_none_or(|defined| defined.id.is_some()) {
                let message = format!("`{}` is not an opcode", of.text);
                self.wrong_short(of.span, message, "name the opcode of the longer encoding");
            }
            return None;
        };
        let fixed = self.fixed(long).values;
        let mut fields = Vec::new();
        for index in 0..self.model.layer(long).fields.len() {
            let id = self.model.layer(long).fields[index];
            let name = self.model.field(id).name;
            let is_fixed = matches!(self.model.field(id).binding, Some(Binding::Fixed(_)));
            if is_fixed || fixed.iter().any(|(fixed, _)| *fixed == name) {
                continue;
            }
            let text = self.model.field(id).ast.name.text;
            let given = given.iter().find(|(name, _)| name.text == text).map(|(_, value)| *value);
            let source = self.source((layer, long), id, given, statement.span)?;
            fields.push((name, source));
        }
        for (name, _) in given {
            let is_known = self.model.find_field_text(long, name.text).is_some();
            if !is_known && !self.model.may_have_field(long, name.text) {
                let message = format!("`{}` does not have a field `{}`", of.text, name.text);
                self.wrong_short(name.span, message, "name a field of the longer encoding");
            }
        }
        Some(Short { of: long, fields, guard: statement.guard.as_deref() })
    }

    /// The source of a field of the long encoding: as given, or the field of the same name.
    fn source(
        &mut self,
        (layer, long): (LayerId, LayerId),
        field: FieldId,
        given: Option<ast::Value<'a>>,
        statement: Span,
    ) -> Option<Source> {
        let (name, of) = (self.model.field(field).ast.name, self.model.layer(long).name);
        let own = match given {
            Some(ast::Value::Name(name, _)) => self.own_field(layer, name),
            Some(ast::Value::Int(_)) => None,
            None => self.own_field(layer, name),
        };
        if let Some(own) = own {
            return Some(Source::Field(own));
        }
        let Some(value) = given else {
            let message = format!("`Short` does not define `{}` of `{}`", name.text, of.text);
            let help = "give it a value or a field after the colon, `field = value`";
            self.wrong_short(statement, message, help);
            return None;
        };
        let (ast, ty) = (self.model.field(field).ast, self.model.field(field).ty?);
        let given = ast::Binding { fixed: ast::Fixed::Yes, value };
        match self.binding(ast, ty, given)? {
            Binding::Fixed(raw) => Some(Source::Value(raw)),
            _ => None,
        }
    }

    fn own_field(&self, layer: LayerId, name: Ident<'a>) -> Option<NameId> {
        self.model.find_field_text(layer, name.text).map(|id| self.model.field(id).name)
    }

    fn wrong_short(&mut self, span: Span, message: String, help: &str) {
        if self.is_new(Code::E0520, span) {
            let diagnostic = Diagnostic::new(Code::E0520, message, span);
            self.report(diagnostic.with_help(help.to_string()));
        }
    }
}
