//! Modifiers made of fields: `Modifier<offset> = "offset:{offset}";`.
//!
//! Such a modifier is a composite of its fields, as an operand made of fields is. Codes: E0519.

use super::Resolver;
use super::lists::EffectiveStatements;
use super::types::format::Shape;
use super::views::{Roles, add_texts};
use crate::ast::{Ident, OperandStatementKind};
use crate::isa::{FieldRole, ModifierStyle, NameId};
use crate::model::{CompositeOperand, LayerId};

impl<'a> Resolver<'a, '_> {
    /// Makes the modifiers of a layer whose fields the layer has.
    pub(super) fn modifier_views(
        &mut self,
        layer: LayerId,
        roles: &mut Roles,
        in_force: &EffectiveStatements<'a>,
        fixed: &[(NameId, u64)],
    ) {
        for statement in in_force.modifiers.iter() {
            let OperandStatementKind::Modifier(name, format) = &statement.kind else { continue };
            let made = self.modifier_view((layer, fixed), roles, (*name, *format));
            let Some((modifier, known)) = made.zip(self.model.names.get(name.text)) else {
                continue;
            };
            for field in &modifier.parts {
                let at = self.model.position(layer, self.model.field(*field).name);
                at.into_iter().for_each(|at| {
                    roles.fields[at] = Some(FieldRole::Part { of: modifier.name });
                });
            }
            roles.modifiers.push((known, modifier));
        }
    }

    fn modifier_view(
        &mut self,
        (layer, fixed): (LayerId, &[(NameId, u64)]),
        roles: &Roles,
        (name, format): (Ident<'a>, Ident<'a>),
    ) -> Option<CompositeOperand> {
        let shapes = self.shapes(format)?;
        let mut fields = Vec::new();
        add_fields(&shapes, &mut fields);
        let Some(first) = fields.first().copied() else {
            self.wrong_view(format.span, format!("modifier `{}` has no field", name.text), |d| {
                d.with_help("write its fields in braces, `{field}`; a word without fields is the spelling of a value of a bit-field type")
            });
            return None;
        };
        // An opcode without any of its fields does not have the modifier.
        let is_met =
            fields.iter().any(|field| self.model.find_field_text(layer, field.text).is_some());
        self.note_use(layer, first, is_met);
        if !is_met {
            return None;
        }
        self.check_words(&shapes, (name, format))?;
        if let Some(own) = self.model.find_field_text(layer, name.text)
            && fields.iter().all(|field| field.text != name.text)
        {
            let declared = self.model.field(own).ast.span;
            let message = format!("`{}` is a field that its modifier does not write", name.text);
            self.wrong_view(name.span, message, |d| {
                d.with_related(declared, "the field is here")
                    .with_help("give the modifier another name, or write the field in its text")
            });
            return None;
        }
        for field in &fields {
            self.check_unwritten(layer, roles, *field)?;
        }
        // The modifier is a field too, next to the field that has its name.
        let own = match self.model.find_field_text(layer, name.text) {
            Some(_) => format!("{}_modifier", name.text),
            None => name.text.to_string(),
        };
        if let Some(other) = self.model.find_field_text(layer, &own) {
            let declared = self.model.field(other).ast.span;
            let message = format!("modifier `{}` is called `{own}` in generated code", name.text);
            self.wrong_view(name.span, message, |d| {
                d.with_related(declared, "a field has this name")
            });
            return None;
        }
        self.model.names.intern(name.text);
        let own = self.model.names.intern(own);
        let made = self.made_of((layer, fixed), roles, (name, own), (&shapes, format))?;
        Some(CompositeOperand { is_modifier: true, ..made })
    }

    /// Checks that a text can be a word after the operands.
    fn check_words(
        &mut self,
        shapes: &[Shape<'a>],
        (name, format): (Ident<'a>, Ident<'a>),
    ) -> Option<()> {
        let isa = self.model.isa.as_ref();
        if isa.is_some_and(|isa| isa.modifiers != ModifierStyle::Words) {
            self.wrong_view(
                name.span,
                "a modifier made of fields is a word after the operands".to_string(),
                |d| d.with_help("add `Modifiers = words;` to `__DefIsa`"),
            );
            return None;
        }
        let begins = matches!(shapes.first(), Some(Shape::Text(text)) if text.starts_with(|c: char| c.is_ascii_alphabetic()));
        if !begins {
            let message = format!("modifier `{}` does not begin with a letter", name.text);
            self.wrong_view(format.span, message, |d| {
                d.with_help("write a word before its fields, such as `offset:{offset}`")
            });
            return None;
        }
        let mut texts = Vec::new();
        add_texts(shapes, &mut texts);
        let (mut depth, texts) = (0i32, texts.concat());
        let signs = isa.map(|isa| &isa.comment_syntax);
        let own = signs.into_iter().flat_map(|signs| signs.separators().chain(signs.comments()));
        let ends: Vec<&str> = [";", "//", "$"].into_iter().chain(own).collect();
        let wrong = ends.iter().find(|sign| texts.contains(**sign));
        let mut wrong = wrong.map(|sign| format!("`{sign}`"));
        for c in texts.chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth <= 0 => {
                    wrong = wrong.or(Some("a comma outside of brackets".to_string()))
                }
                _ if c.is_whitespace() && depth <= 0 => {
                    wrong = wrong.or(Some("a space outside of brackets".to_string()));
                }
                _ => {}
            }
        }
        let Some(wrong) = wrong else { return Some(()) };
        let message = format!("modifier `{}` contains {wrong}", name.text);
        self.wrong_view(format.span, message, |d| d.with_note("that ends the modifier in a line"));
        None
    }

    /// Checks that a field of a modifier is not written elsewhere.
    fn check_unwritten(&mut self, layer: LayerId, roles: &Roles, field: Ident<'a>) -> Option<()> {
        let id = self.model.names.get(field.text);
        let at = id.and_then(|id| self.model.position(layer, id));
        let Some(Some(FieldRole::Part { of })) = at.map(|at| roles[at]) else { return Some(()) };
        let message = format!(
            "`{}` cannot be in two places of the text: it is written in `{}` too",
            field.text,
            self.model.names.text(of)
        );
        self.wrong_view(field.span, message, |d| d);
        None
    }
}

/// Adds the fields that pieces write.
fn add_fields<'a>(shapes: &[Shape<'a>], fields: &mut Vec<Ident<'a>>) {
    for shape in shapes {
        match shape {
            Shape::Text(_) => {}
            Shape::Part(name) | Shape::Next(name, _) => fields.push(*name),
            Shape::Optional(shapes, _) => add_fields(shapes, fields),
            Shape::List(list) => add_fields(&list.items, fields),
        }
    }
}
