//! Sets of names: which of its names a value is printed by.

use super::{Entry, Enumerator, Isa, OtherName, SelectionKind, Type, TypeKind, UnknownSelection};

impl Isa {
    /// The index of a set of names.
    pub fn find_name_set(&self, name: &str) -> Result<usize, UnknownSelection> {
        let found = self.name_sets.iter().position(|known| known == name);
        found.ok_or_else(|| UnknownSelection {
            kind: SelectionKind::Names,
            name: name.to_string(),
            known: self.name_sets.clone(),
        })
    }

    /// Returns the same instruction set, printing values by the names of a set.
    #[must_use]
    pub fn with_names(&self, set: usize) -> Isa {
        Isa { shown_names: set, ..self.clone() }
    }

    /// How a value of a bit-field type is printed; empty if it is never written.
    pub fn spelling<'v>(&self, value: &'v Enumerator) -> &'v str {
        match nth(&value.also, self.shown_names) {
            Some(other) if !value.spelling.is_empty() => other,
            _ => &value.spelling,
        }
    }

    /// The name that is printed for an entry of an operand type, if it is not the first name.
    pub fn shown_name<'e>(&self, entry: &'e Entry) -> Option<&'e OtherName> {
        nth(&entry.also, self.shown_names)
    }
}

impl Type {
    /// Whether some values have several names.
    pub fn has_other_names(&self) -> bool {
        match &self.kind {
            TypeKind::BitField(values) => values.iter().any(|value| !value.also.is_empty()),
            _ => self.entries().iter().any(|entry| !entry.also.is_empty()),
        }
    }
}

/// The name of a set besides the first, or else the last; `None` if it is the first.
fn nth<T>(others: &[T], set: usize) -> Option<&T> {
    others.get(set.min(others.len()).checked_sub(1)?)
}
