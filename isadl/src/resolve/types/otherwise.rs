//! `else TYPE;`: how the values of a type are written that have no name there.
//!
//! Codes: E0315, E0505.

use super::Subject;
use crate::ast::{Definition, DefinitionKind, Ident, Include};
use crate::diagnostic::{Code, Diagnostic, Old, bits};
use crate::isa::{Meaning, Otherwise, TypeId, TypeKind};
use crate::resolve::Resolver;

impl<'a> Resolver<'a, '_> {
    /// Whether the first type that a definition names for values without a name is a composite.
    pub(super) fn is_written_by_composite(&self, definition: &Definition<'a>) -> bool {
        let first = others(definition).first().map(|other| other.name.text);
        let mut composites =
            self.definitions().filter(|d| matches!(d.kind, DefinitionKind::Composite(_)));
        first.is_some_and(|name| composites.any(|composite| composite.name.text == name))
    }

    /// Resolves the syntax of values without a name; `late` lists the types that use a composite for them.
    pub(super) fn otherwise(&mut self, subject: Subject<'a>, late: &[TypeId]) {
        let [other, more @ ..] = others(subject.definition) else { return };
        for second in more {
            let diagnostic =
                Diagnostic::new(Code::E0505, "`else` is given twice", second.name.span)
                    .with_related(other.name.span, "the first is here")
                    .with_removal("keep one of the two", Old::Statement(second.name.span));
            self.report(diagnostic);
        }
        match self.written_as(subject, other.name, late) {
            Some(otherwise) => {
                self.model.types[subject.id.index()].ty.otherwise = Some(otherwise);
            }
            None => self.gap(subject),
        }
    }

    /// The type that values without a name are written as; `None` if it was reported.
    fn written_as(
        &mut self,
        subject: Subject<'a>,
        name: Ident<'a>,
        late: &[TypeId],
    ) -> Option<Otherwise> {
        let ty = self.type_of(name)?;
        let problem = self.problem(subject, ty, late);
        let other = &self.model.types[ty.index()];
        if let Some((message, help)) = problem {
            let diagnostic = Diagnostic::new(Code::E0315, message, name.span)
                .with_related(other.name.span, "the type is defined here")
                .with_help(help);
            self.model.unresolved.insert(name.text);
            self.report(diagnostic);
            return None;
        }
        if other.has_gaps {
            self.gap(subject);
        }
        let reserved_values = self.model.ty(ty).reserved_values();
        Some(Otherwise { ty, reserved_values })
    }

    /// Explains why a type cannot write the values of another type, and suggests a fix.
    fn problem(
        &self,
        subject: Subject<'a>,
        ty: TypeId,
        late: &[TypeId],
    ) -> Option<(String, &'static str)> {
        let other = &self.model.types[ty.index()];
        let name = other.name.text;
        match &other.ty.kind {
            TypeKind::BitField(_) | TypeKind::Operand(_) => {
                let message = format!("`{name}` is neither an immediate nor a composite");
                let help = "name an immediate or a composite: values without a name are written as a number or by parts";
                return Some((message, help));
            }
            TypeKind::Immediate(immediate) if immediate.number.lanes > 1 => {
                let message = format!("a value of `{name}` is several numbers");
                return Some((message, "name an immediate of one number"));
            }
            _ if self.model.has_distances(ty) => {
                let message = format!("the numbers of `{name}` are distances");
                return Some((message, "name an immediate without `Relative`"));
            }
            TypeKind::Composite(composite)
                if composite.parts.iter().any(|part| late.contains(&part.ty)) =>
            {
                let message = format!("`{name}` has a part that is itself written as a composite");
                return Some((message, "name an immediate, or a composite of other parts"));
            }
            TypeKind::Immediate(_) | TypeKind::Composite(_) => {}
        }
        if let (Some(needed), Some(width)) = (other.width, subject.width)
            && needed != width
        {
            let (needed, width) = (bits(needed.into()), bits(width.into()));
            let message = format!("`{name}` has {needed}, but this type has {width}");
            return Some((message, "name a type with the same number of bits"));
        }
        if !self.model.types[subject.id.index()].guarded.is_empty() {
            let message = "some of its values depend on extensions".to_string();
            let help =
                "remove the guards: a value that an implementation lacks has a name all the same";
            return Some((message, help));
        }
        let is_number = |meaning: &Meaning| {
            matches!(meaning, Meaning::Integers { .. } | Meaning::Float(_) | Meaning::Literal)
        };
        let mut entries = self.model.ty(subject.id).entries().iter();
        if entries.any(|entry| is_number(&entry.meaning)) {
            let message = "the type has constants or literals, which are numbers themselves";
            let help = "remove `else`, which writes them by their bits, or remove the constants";
            return Some((message.to_string(), help));
        }
        None
    }
}

/// The types that a definition names for values without a name.
fn others<'d, 's>(definition: &'d Definition<'s>) -> &'d [Include<'s>] {
    match &definition.kind {
        DefinitionKind::BitFieldType(ty) => &ty.others,
        DefinitionKind::OperandType(ty) => &ty.others,
        _ => &[],
    }
}
