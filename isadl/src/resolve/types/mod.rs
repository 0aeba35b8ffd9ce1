//! Types: first their names and widths, then the meanings of their values.
//!
//! Enumerations (`enumeration.rs`), registers and constants (`operand.rs`), numbers (`number.rs`), composites
//! (`composite.rs`), syntax of values without a name (`otherwise.rs`). Invariant: a type with a reported statement has
//! gaps, and missing values of such a type are not reported.

mod composite;
mod computed;
mod enumeration;
pub(super) mod format;
mod number;
mod operand;
mod otherwise;
mod relative;
mod relocation;
mod spelling;
mod texts;

use super::{Defined, Resolver};
use crate::ast::{Definition, DefinitionKind, Guard, Int, NameSpace};
use crate::isa::{Composite, MAX_FIELD_BITS, Type, TypeId, TypeKind};
use crate::model;

/// A type while its values are resolved.
#[derive(Clone, Copy)]
struct Subject<'a> {
    id: TypeId,
    definition: &'a Definition<'a>,
    /// The width in bits of a field of the type, if the number is valid.
    width: Option<u32>,
}

impl Subject<'_> {
    /// One more than the largest value; for an unknown width, the limit of the widest type.
    fn limit(&self) -> i128 {
        1 << self.width.unwrap_or(MAX_FIELD_BITS)
    }
}

impl<'a> Resolver<'a, '_> {
    /// Resolves all types. Names are entered first, since a composite may use a type defined later.
    pub(super) fn types(&mut self) {
        let types = self
            .definitions()
            .filter_map(|definition| width_of(&definition.kind).map(|width| (definition, width)));
        let types: Vec<(&Definition<'a>, Int)> = types.collect();
        for (index, (definition, _)) in types.iter().enumerate() {
            let id = TypeId::new(index);
            self.define(|index| &mut index.types, definition.name, id, "type");
        }
        for name in self.broken_names(NameSpace::Types) {
            let unknown = Defined { id: None, span: name.span };
            self.index.types.entry(name.text).or_insert(unknown);
        }
        let subjects: Vec<Subject<'a>> =
            types.into_iter().map(|(definition, width)| self.subject(definition, width)).collect();
        // Composites are last, since they depend on the values of other types.
        let is_composite = |subject: &&Subject<'_>| {
            matches!(subject.definition.kind, DefinitionKind::Composite(_))
        };
        for subject in subjects.iter().filter(|subject| !is_composite(subject)) {
            self.values_of(*subject);
        }
        // The fallback syntax of types that a composite writes must be known first.
        let is_late = |subject: &&Subject<'_>| self.is_written_by_composite(subject.definition);
        let (late, early): (Vec<&Subject<'_>>, Vec<&Subject<'_>>) =
            subjects.iter().partition(is_late);
        for subject in early {
            self.otherwise(*subject, &[]);
        }
        for subject in subjects.iter().filter(is_composite) {
            self.values_of(*subject);
        }
        let ids: Vec<TypeId> = late.iter().map(|subject| subject.id).collect();
        for subject in late {
            self.otherwise(*subject, &ids);
        }
    }

    /// Enters a type without values.
    fn subject(&mut self, definition: &'a Definition<'a>, width: Int) -> Subject<'a> {
        let id = TypeId::new(self.model.types.len());
        let width = self.width_in(width, MAX_FIELD_BITS, "a type's width in bits");
        let kind = match &definition.kind {
            DefinitionKind::Composite(_) => {
                TypeKind::Composite(Composite { parts: Vec::new(), format: Vec::new() })
            }
            _ => TypeKind::BitField(Vec::new()),
        };
        let ty = Type::new(
            definition.name.text.to_string(),
            width.unwrap_or(MAX_FIELD_BITS),
            kind,
            crate::prose::description(&definition.prose),
        );
        let has_gaps = !definition.broken.is_empty();
        self.model.types.push(model::Type {
            name: definition.name,
            ty,
            width,
            values: Vec::new(),
            guarded: Vec::new(),
            has_gaps,
            prose: &definition.prose,
            is_view: false,
        });
        Subject { id, definition, width }
    }

    fn values_of(&mut self, subject: Subject<'a>) {
        let kind = match &subject.definition.kind {
            DefinitionKind::BitFieldType(ty) => self.enumeration(subject, ty),
            DefinitionKind::OperandType(ty) => self.operand_type(subject, ty),
            DefinitionKind::Immediate(ty) => self.immediate(subject, ty),
            DefinitionKind::Composite(ty) => self.composite(subject, ty),
            _ => return,
        };
        let ty = &mut self.model.types[subject.id.index()].ty;
        *ty = Type::new(
            std::mem::take(&mut ty.name),
            ty.width,
            kind,
            std::mem::take(&mut ty.description),
        );
    }

    /// Remembers that values, first and last, depend on extensions, if their guard does.
    fn guarded(&mut self, subject: Subject<'a>, ends: (u64, u64), guard: Option<&'a Guard<'a>>) {
        let names = self.model.names_of_guards();
        let guard =
            guard.filter(|guard| guard.is_lacked() || names.has_extension(&guard.condition));
        let known = &mut self.model.types[subject.id.index()].guarded;
        known.extend(guard.map(|guard| (ends.0, ends.1, guard)));
    }

    /// Remembers that some values of a type were reported.
    fn gap(&mut self, subject: Subject<'a>) {
        self.model.types[subject.id.index()].has_gaps = true;
    }
}

fn width_of(kind: &DefinitionKind<'_>) -> Option<Int> {
    match kind {
        DefinitionKind::BitFieldType(ty) => Some(ty.width),
        DefinitionKind::OperandType(ty) => Some(ty.width),
        DefinitionKind::Immediate(ty) => Some(ty.width),
        DefinitionKind::Composite(ty) => Some(ty.width),
        _ => None,
    }
}
