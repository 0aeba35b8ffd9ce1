//! The default and fixed values of fields.
//!
//! Codes: E0405, E0406.

use super::Resolver;
use crate::ast::{self, Fixed, Int, Value};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Binding, Entry, Immediate, Number, NumberFormat, Reading, TypeId, TypeKind};

/// The maximum number of values of a type that a message lists.
const VALUES_TOLD: usize = 16;

impl<'a> Resolver<'a, '_> {
    /// The value that a field is bound to; `None` if it was reported, or is unknown.
    pub(super) fn binding(
        &mut self,
        field: &'a ast::Field<'a>,
        ty: TypeId,
        given: ast::Binding<'a>,
    ) -> Option<Binding> {
        let raw = match (&self.model.ty(ty).kind, given.value) {
            (
                TypeKind::Immediate(_) | TypeKind::Composite(_),
                Value::Name(_, Some(int)) | Value::Int(int),
            ) => self.integer(field, ty, int)?,
            _ => match self.other_value(ty, given.value) {
                Some((other, int)) => self.integer(field, other, int)?,
                None => self.named_value(ty, given.value)?,
            },
        };
        Some(match given.fixed {
            Fixed::Yes => Binding::Fixed(raw),
            Fixed::No => Binding::Default(raw),
        })
    }

    /// A number that is not a name of a type, with the immediate that such values are written as.
    fn other_value(&self, ty: TypeId, value: Value<'a>) -> Option<(TypeId, Int)> {
        let other = self.model.ty(ty).otherwise.as_ref()?.ty;
        let (Value::Name(_, Some(int)) | Value::Int(int)) = value else { return None };
        let is_number = matches!(self.model.ty(other).kind, TypeKind::Immediate(_));
        let is_named = self.value_named(ty, self.written(value.span())).is_some();
        (is_number && !is_named).then_some((other, int))
    }

    fn named_value(&mut self, ty: TypeId, value: Value<'a>) -> Option<u64> {
        let text = self.written(value.span());
        let found = self.value_named(ty, text).or_else(|| match (&self.model.ty(ty).kind, value) {
            // A constant may be given in hexadecimal.
            (TypeKind::Operand(_), Value::Int(int)) => self.value_named(ty, &int.value.to_string()),
            _ => None,
        });
        if found.is_some() || self.model.types[ty.index()].has_gaps {
            return found;
        }
        let name = &self.model.ty(ty).name;
        let message = format!("`{text}` is not a value of `{name}`");
        let diagnostic = Diagnostic::new(Code::E0405, message, value.span());
        let diagnostic = self.with_values(diagnostic, ty, text);
        self.report(diagnostic);
        None
    }

    /// The value that a text names in a type.
    pub(super) fn value_named(&self, ty: TypeId, text: &str) -> Option<u64> {
        match &self.model.ty(ty).kind {
            TypeKind::BitField(list) => {
                let other = || list.iter().find(|e| e.also.iter().any(|other| other == text));
                list.iter().find(|e| e.name == text).or_else(other).map(|e| e.value)
            }
            TypeKind::Operand(entries) => entries.iter().find_map(|entry| entry.find(text)),
            TypeKind::Immediate(_) | TypeKind::Composite(_) => None,
        }
    }

    /// Lists the values of a type, if there are few, and suggests a value that may be intended.
    pub(super) fn with_values(
        &mut self,
        diagnostic: Diagnostic,
        ty: TypeId,
        text: &str,
    ) -> Diagnostic {
        let kind = &self.model.types[ty.index()].ty.kind;
        let diagnostic = match values_in_words(kind) {
            Some(values) => diagnostic.with_note(values),
            None => diagnostic,
        };
        match self.suggestions.near(text, || value_names(kind)) {
            Some(near) => diagnostic.with_guess(text, &near),
            None => diagnostic,
        }
    }

    fn integer(&mut self, field: &'a ast::Field<'a>, ty: TypeId, int: Int) -> Option<u64> {
        let known = self.model.ty(ty);
        if let TypeKind::Immediate(immediate) = &known.kind
            && immediate.is_scaled()
        {
            let immediate = immediate.clone();
            return self.scaled_integer(field, ty, int, &immediate);
        }
        let (low, high) = match known.reading() {
            Reading::Signed => (-(1i128 << (known.width - 1)), (1i128 << known.width) - 1),
            Reading::Unsigned => (0, (1i128 << known.width) - 1),
        };
        if (low..=high).contains(&int.value) {
            let raw = (int.value as u128 & crate::isa::low_bits(known.width)) as u64;
            return self.not_excepted(ty, int, raw);
        }
        if self.model.types[ty.index()].has_gaps {
            return None;
        }
        let message =
            format!("{} does not fit in field `{}`", self.written(int.span), field.name.text);
        let diagnostic = Diagnostic::new(Code::E0406, message, int.span)
            .with_label(format!("the values of `{}` are {low} to {high}", known.name));
        let is_float = matches!(
            known.kind,
            TypeKind::Immediate(Immediate {
                number: NumberFormat { number: Number::Float { .. }, .. },
                ..
            })
        );
        self.report(if is_float {
            diagnostic.with_note("the value of a floating-point field is given as its bits")
        } else {
            diagnostic
        });
        None
    }

    /// The bits of a number of a type with a scale or bias. The number is given after scaling.
    fn scaled_integer(
        &mut self,
        field: &'a ast::Field<'a>,
        ty: TypeId,
        int: Int,
        immediate: &Immediate,
    ) -> Option<u64> {
        let known = self.model.ty(ty);
        let (name, width) = (known.name.clone(), known.width);
        if let Some(raw) = immediate.bits_of(int.value, width) {
            return self.not_excepted(ty, int, raw);
        }
        if self.model.types[ty.index()].has_gaps {
            return None;
        }
        let message =
            format!("{} does not fit in field `{}`", self.written(int.span), field.name.text);
        let label = format!("the values of `{name}` are {}", immediate.range_in_words(width));
        let near = match immediate.beside(int.value, width) {
            (Some(below), Some(above)) => format!("the nearest values are {below} and {above}"),
            (Some(near), None) | (None, Some(near)) => format!("the nearest value is {near}"),
            (None, None) => String::new(),
        };
        let diagnostic = Diagnostic::new(Code::E0406, message, int.span).with_label(label);
        self.report(diagnostic.with_note(near));
        None
    }

    /// The bits of a number, unless it is illegal.
    fn not_excepted(&mut self, ty: TypeId, int: Int, raw: u64) -> Option<u64> {
        let known = self.model.ty(ty);
        if known.is_legal(raw) {
            return Some(raw);
        }
        let message =
            format!("{} is not a legal value of `{}`", self.written(int.span), known.name);
        let diagnostic = Diagnostic::new(Code::E0406, message, int.span)
            .with_note("`Except` in the definition of the type says which values are illegal");
        self.report(diagnostic);
        None
    }
}

/// The values of a type in words: all of them if few statements name them, else their number.
fn values_in_words(kind: &TypeKind) -> Option<String> {
    let run = |entry: &Entry| match entry.count {
        1 => format!("`{}`", entry.name_at(0)),
        count => format!("`{}` to `{}`", entry.name_at(0), entry.name_at(count - 1)),
    };
    let names: Vec<String> = match kind {
        TypeKind::Immediate(_) | TypeKind::Composite(_) => return None,
        _ if statements(kind) > VALUES_TOLD => {
            let count = statements(kind);
            let first = value_names(kind).into_iter().next()?;
            return Some(format!("it has {count} names, such as `{first}`"));
        }
        TypeKind::BitField(list) => list.iter().map(|e| format!("`{}`", e.name)).collect(),
        TypeKind::Operand(entries) => entries.iter().map(run).collect(),
    };
    (!names.is_empty()).then(|| format!("its values are {}", names.join(", ")))
}

/// The number of statements that name the values of a type.
fn statements(kind: &TypeKind) -> usize {
    match kind {
        TypeKind::BitField(list) => list.len(),
        TypeKind::Operand(entries) => entries.len(),
        TypeKind::Immediate(_) | TypeKind::Composite(_) => 0,
    }
}

/// The names of the values of a type; of a range, the first and last.
fn value_names(kind: &TypeKind) -> Vec<String> {
    let ends = |entry: &Entry| {
        let last = (entry.count > 1).then(|| entry.name_at(entry.count - 1));
        [Some(entry.name_at(0)), last].into_iter().flatten()
    };
    match kind {
        TypeKind::BitField(list) => list.iter().map(|e| e.name.clone()).collect(),
        TypeKind::Operand(entries) => entries.iter().flat_map(ends).collect(),
        TypeKind::Immediate(_) | TypeKind::Composite(_) => Vec::new(),
    }
}
