//! Fields: their types, and inheritance of fields.
//!
//! Codes: E0407, W0408, E0409.

use super::Resolver;
use crate::diagnostic::{Code, Diagnostic, Old, names};
use crate::isa::Binding;
use crate::model::{Field, FieldId, LayerId, LayerKind, MAX_INHERITED};

/// The maximum number of field pairs that one finding shows as related locations.
const PAIRS_TOLD: usize = 4;

/// How a field compares with the inherited field that it redeclares.
enum Likeness {
    Alike,
    Unlike,
    /// All known parts are alike.
    Unknown,
}

/// The layer that last had a field of each name, and the field.
type Seen = Vec<Option<(LayerId, FieldId)>>;

impl<'a> Resolver<'a, '_> {
    /// The fields of all layers; `order` has parents before children.
    pub(super) fn fields(&mut self, order: &[LayerId]) {
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
                // No field of a specification can have such a name.
                let later =
                    given.literal_of.iter().skip(1).map(|of| {
                        self.model.names.intern(format!("{}.{}", given.name.text, of.text))
                    });
                let later = later.collect();
                self.model.fields.push(Field { ast: given, layer: id, name, ty, binding, later });
                self.model.layers[id.0 as usize].own_fields.push(field);
            }
        }
        let mut seen = vec![None; self.model.names.all().len()];
        for id in order {
            self.inherit(*id, &mut seen);
        }
    }

    /// The fields of a layer: first its parents' fields, then its own.
    fn inherit(&mut self, id: LayerId, seen: &mut Seen) {
        let mut fields = Vec::new();
        let mut clashes = Vec::new();
        for field in self.inherited(id) {
            let slot = &mut seen[self.model.field(field).name.index()];
            match *slot {
                Some((layer, first)) if layer == id && first == field => {}
                Some((layer, first)) if layer == id => clashes.push((field, first)),
                _ => {
                    *slot = Some((id, field));
                    fields.push(field);
                }
            }
        }
        // An alias of two opcodes belongs to each of them, and has the fields of each.
        let is_alias = self.model.layer(id).kind == LayerKind::Alias;
        if !clashes.is_empty() && !is_alias {
            self.inherited_twice(id, &clashes);
        }
        for own in self.model.layer(id).own_fields.clone() {
            let slot = &mut seen[self.model.field(own).name.index()];
            match *slot {
                Some((layer, first)) if layer == id => self.declared_again(id, own, first),
                _ => {
                    *slot = Some((id, own));
                    fields.push(own);
                }
            }
        }
        let positions = fields.iter().zip(0..).map(|(id, at)| (self.model.field(*id).name, at));
        let mut positions: Vec<_> = positions.collect();
        positions.sort_unstable();
        let layer = &mut self.model.layers[id.0 as usize];
        (layer.fields, layer.positions) = (fields, positions);
    }

    /// The fields of a layer's parents. If a parent has too many fields, only some are inherited.
    fn inherited(&mut self, id: LayerId) -> Vec<FieldId> {
        let mut fields = Vec::new();
        let mut is_orphan = false;
        for parent in &self.model.layer(id).parents {
            let parent = self.model.layer(*parent);
            is_orphan |= parent.is_orphan || parent.fields.len() > MAX_INHERITED;
            fields.extend(parent.fields.iter().copied().take(MAX_INHERITED));
        }
        self.model.layers[id.0 as usize].is_orphan |= is_orphan;
        fields
    }

    /// Reports fields of the same name that two parents declare.
    fn inherited_twice(&mut self, layer: LayerId, clashes: &[(FieldId, FieldId)]) {
        let ast = |id: &FieldId| self.model.field(*id).ast;
        let mut twice: Vec<&str> =
            clashes.iter().map(|(second, _)| ast(second).name.text).collect();
        twice.dedup();
        let (what, verb) = if twice.len() == 1 { ("field", "is") } else { ("fields", "are") };
        let message = format!("{what} {} {verb} inherited from two parents", names(&twice));
        let mut diagnostic = Diagnostic::new(Code::E0409, message, self.model.layer(layer).header)
            .with_help("declare it once, in a common ancestor");
        for (second, first) in clashes.iter().take(PAIRS_TOLD) {
            diagnostic = diagnostic
                .with_related(ast(first).span, "from here")
                .with_related(ast(second).span, "and from here");
        }
        self.report(diagnostic);
    }

    fn declared_again(&mut self, layer: LayerId, again: FieldId, first: FieldId) {
        let (a, b) = (self.model.field(again), self.model.field(first));
        let name = a.ast.name;
        let place = b.ast.span;
        if b.layer == layer {
            let message = format!("field `{}` is declared twice", name.text);
            let diagnostic = Diagnostic::new(Code::E0407, message, name.span)
                .with_related(place, "the first is here")
                .with_removal("rename one of the two, or remove it", Old::Statement(a.ast.span));
            self.report(diagnostic);
            return;
        }
        let from = self.model.layer(b.layer).name.text;
        let diagnostic = match self.likeness(a, b) {
            Likeness::Unknown => return,
            Likeness::Alike => {
                let message = format!("field `{}` is already inherited from `{from}`", name.text);
                Diagnostic::new(Code::W0408, message, a.ast.span)
                    .with_related(place, "the same declaration is here")
                    .with_removal("remove the line", Old::Statement(a.ast.span))
                    .certainly()
            }
            Likeness::Unlike => Diagnostic::new(
                Code::E0409,
                format!("field `{}` differs from the one inherited from `{from}`", name.text),
                a.ast.span,
            )
            .with_related(place, "declared here")
            .with_note("a child inherits every field of its parents and cannot change one")
            .with_help("rename the field, or declare it in each child instead of the parent"),
        };
        self.report(diagnostic);
    }

    fn likeness(&self, a: &Field<'a>, b: &Field<'a>) -> Likeness {
        let place = |field: &Field<'a>| {
            Some(field.bits()).filter(|_| self.model.misplaced(field).is_none())
        };
        let control = |field: &Field<'a>| Some(field.ast.control.is_some());
        let parts = [
            likeness(place(a), place(b)),
            likeness(a.ty, b.ty),
            likeness(a.binding, b.binding),
            likeness(control(a), control(b)),
        ];
        if parts.contains(&Some(false)) {
            Likeness::Unlike
        } else if parts.contains(&None) {
            Likeness::Unknown
        } else {
            Likeness::Alike
        }
    }
}

/// Whether two values are equal, if both are known.
fn likeness<T: PartialEq>(a: Option<T>, b: Option<T>) -> Option<bool> {
    Some(a? == b?)
}
