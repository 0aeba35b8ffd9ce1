//! Fields: their types, their values, what a layer inherits.
//!
//! Codes: E0405, E0406, E0407, W0408, E0409.

use super::Resolver;
use crate::ast::{self, Fixed, Int, Value};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Binding, Number, Reading, TypeId, TypeKind};
use crate::model::{Field, FieldId, LayerId};

impl<'a> Resolver<'a, '_> {
    /// The fields of all layers; parents come before children.
    pub(super) fn fields(&mut self) {
        for id in self.model.layer_ids() {
            let ast = self.model.layer(id).ast;
            for given in &ast.fields {
                let field = FieldId(self.model.fields.len() as u32);
                let ty = self.type_of(given.type_name);
                let binding = match given.binding {
                    None => Some(Binding::Required),
                    Some(binding) => ty.and_then(|ty| self.binding(given, ty, binding)),
                };
                let name = self.model.names.intern(given.name.text);
                self.model.fields.push(Field { ast: given, layer: id, name, ty, binding });
                self.model.layers[id.0 as usize].own_fields.push(field);
            }
        }
        let mut order: Vec<LayerId> = self.model.layer_ids().collect();
        order.sort_by_key(|id| self.model.layer(*id).chain.len());
        for id in order {
            self.inherit(id);
        }
    }

    /// The fields of a layer: those of its parents, then its own. A chain is longer than that
    /// of any parent, so the parents' are known.
    fn inherit(&mut self, id: LayerId) {
        let mut fields: Vec<FieldId> = Vec::new();
        let parents = self.model.layer(id).parents.clone();
        let inherited: Vec<FieldId> =
            parents.iter().flat_map(|parent| &self.model.layer(*parent).fields).copied().collect();
        for field in inherited {
            if fields.contains(&field) {
                continue;
            }
            let name = self.model.field(field).name;
            match fields.iter().copied().find(|other| self.model.field(*other).name == name) {
                Some(first) => self.inherited_twice(id, field, first),
                None => fields.push(field),
            }
        }
        for own in self.model.layer(id).own_fields.clone() {
            let name = self.model.field(own).name;
            match fields.iter().copied().find(|other| self.model.field(*other).name == name) {
                Some(first) => self.declared_again(id, own, first),
                None => fields.push(own),
            }
        }
        self.model.layers[id.0 as usize].fields = fields;
    }

    /// Two parents declare a field of one name.
    fn inherited_twice(&mut self, layer: LayerId, second: FieldId, first: FieldId) {
        let (a, b) = (self.model.field(second).ast, self.model.field(first).ast);
        let message = format!("field `{}` comes from two parents", a.name.text);
        let diagnostic = Diagnostic::new(Code::E0409, message, self.model.layer(layer).header)
            .with_related(b.span, "from here")
            .with_related(a.span, "and from here")
            .with_help("declare it once, in a common ancestor");
        self.report(diagnostic);
    }

    fn declared_again(&mut self, layer: LayerId, again: FieldId, first: FieldId) {
        let (a, b) = (self.model.field(again), self.model.field(first));
        let name = a.ast.name;
        let alike = (a.lsb(), a.width(), a.ty, a.binding) == (b.lsb(), b.width(), b.ty, b.binding)
            && a.ast.control.is_some() == b.ast.control.is_some();
        let place = b.ast.span;
        let diagnostic = if b.layer == layer {
            Diagnostic::new(
                Code::E0407,
                format!("field `{}` is declared twice", name.text),
                name.span,
            )
            .with_related(place, "the first is here")
            .with_help("rename one of the two, or remove it")
        } else if alike {
            let from = self.model.layer(b.layer).name.text;
            Diagnostic::new(
                Code::W0408,
                format!("field `{}` is inherited from `{from}` already", name.text),
                a.ast.span,
            )
            .with_related(place, "declared here, alike")
            .with_help("remove the line")
        } else {
            let from = self.model.layer(b.layer).name.text;
            Diagnostic::new(
                Code::E0409,
                format!("field `{}` is inherited from `{from}`, but unlike", name.text),
                a.ast.span,
            )
            .with_related(place, "declared here")
            .with_note("a child has every field of its parents; it cannot change one")
            .with_help("rename the field, or move the declaration to those children that differ")
        };
        self.report(diagnostic);
    }

    fn binding(
        &mut self,
        field: &'a ast::Field<'a>,
        ty: TypeId,
        given: ast::Binding<'a>,
    ) -> Option<Binding> {
        let raw = match self.value(field, ty, given.value) {
            Ok(raw) => raw,
            Err(diagnostic) => {
                self.report(*diagnostic);
                return None;
            }
        };
        Some(match given.fixed {
            Fixed::Yes => Binding::Fixed(raw),
            Fixed::No => Binding::Default(raw),
        })
    }

    /// The encoded value that a default or constant means.
    fn value(
        &self,
        field: &'a ast::Field<'a>,
        ty: TypeId,
        value: Value<'a>,
    ) -> Result<u64, Box<Diagnostic>> {
        let ty = self.model.ty(ty);
        let no_value = |text: &str, known: Vec<String>| {
            let diagnostic = Diagnostic::new(
                Code::E0405,
                format!("`{text}` is no value of `{}`", ty.name),
                value.span(),
            );
            let diagnostic = if known.is_empty() || known.len() > 16 {
                diagnostic
            } else {
                diagnostic.with_note(format!("its values are {}", known.join(", ")))
            };
            Err(Box::new(diagnostic.with_suggestion(text, known)))
        };
        match (&ty.kind, value) {
            (TypeKind::BitField(list), Value::Name(name, _)) => {
                match list.iter().find(|enumerator| enumerator.name == name.text) {
                    Some(enumerator) => Ok(enumerator.value),
                    None => no_value(name.text, list.iter().map(|e| e.name.clone()).collect()),
                }
            }
            (TypeKind::BitField(list), Value::Int(int)) => {
                no_value(&int.value.to_string(), list.iter().map(|e| e.name.clone()).collect())
            }
            (TypeKind::Operand(entries), Value::Name(name, _)) => {
                let named = entries.iter().find_map(|entry| entry.find(name.text));
                named.map_or_else(|| no_value(name.text, operand_names(entries)), Ok)
            }
            (TypeKind::Operand(entries), Value::Int(int)) => {
                let named = entries.iter().find_map(|entry| entry.find(&int.value.to_string()));
                named.map_or_else(|| no_value(&int.value.to_string(), operand_names(entries)), Ok)
            }
            (
                TypeKind::Immediate(_) | TypeKind::Composite(_),
                Value::Name(_, Some(int)) | Value::Int(int),
            ) => self.integer(field, ty, int),
            (TypeKind::Immediate(_) | TypeKind::Composite(_), Value::Name(name, None)) => {
                no_value(name.text, Vec::new())
            }
        }
    }

    fn integer(
        &self,
        field: &'a ast::Field<'a>,
        ty: &crate::isa::Type,
        int: Int,
    ) -> Result<u64, Box<Diagnostic>> {
        let is_float = matches!(&ty.kind, TypeKind::Immediate(immediate) if matches!(immediate.number.number, Number::Float { .. }));
        let (low, high) = match ty.reading() {
            Reading::Signed => (-(1i128 << (ty.width - 1)), (1i128 << ty.width) - 1),
            Reading::Unsigned => (0, (1i128 << ty.width) - 1),
        };
        if (low..=high).contains(&int.value) {
            return Ok((int.value as u128 & crate::isa::low_bits(ty.width)) as u64);
        }
        let diagnostic = Diagnostic::new(
            Code::E0406,
            format!("{} does not fit in field `{}`", int.value, field.name.text),
            int.span,
        )
        .with_label(format!("`{}` holds {low} to {high}", ty.name));
        Err(Box::new(if is_float {
            diagnostic.with_note("the value is given as bits")
        } else {
            diagnostic
        }))
    }
}

/// Names for suggestions; of a run, the first and last.
fn operand_names(entries: &[crate::isa::Entry]) -> Vec<String> {
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.name_at(0));
        if entry.count > 1 {
            names.push(entry.name_at(entry.count - 1));
        }
    }
    names
}
