//! Which layers fix a value that a generation, or a set of extensions, does not have.

use std::collections::{HashMap, HashSet};

use super::{Key, definitions, key};
use crate::ast::{
    Definition, DefinitionKind, File, Fixed, FixedTo, Guard, Layer, OperandMeaning, Value,
};

/// A layer with its definition.
type Defined<'d, 's> = (&'d Definition<'s>, &'d Layer<'s>);

/// The names of values that a generation has and does not have, by type; and all layers.
pub(super) struct Values<'d, 's, A> {
    present: HashSet<(&'s str, &'s str)>,
    absent: HashSet<(&'s str, &'s str)>,
    includes: HashMap<&'s str, Vec<&'s str>>,
    layers: &'d [Defined<'d, 's>],
    /// The layers of each name, by index.
    named: HashMap<&'s str, Vec<usize>>,
    /// The names of the layers directly below each layer name, without aliases.
    children: HashMap<&'s str, Vec<&'s str>>,
    /// The types of the fields of each name, in all layers.
    types: HashMap<&'s str, HashSet<&'s str>>,
    admits: &'d A,
}

impl<'d, 's, A: Fn(Option<&Guard<'s>>) -> bool> Values<'d, 's, A> {
    pub(super) fn of(
        files: &[File<'s>],
        layers: &'d [Defined<'d, 's>],
        admits: &'d A,
    ) -> Values<'d, 's, A> {
        let (present, absent, includes) = (HashSet::new(), HashSet::new(), HashMap::new());
        let (named, children, types) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut values =
            Values { present, absent, includes, layers, named, children, types, admits };
        definitions(files).for_each(|definition| values.add(definition));
        for (index, (definition, layer)) in layers.iter().enumerate() {
            let name = definition.name.text;
            values.named.entry(name).or_default().push(index);
            for parent in &layer.parents {
                if !matches!(definition.kind, DefinitionKind::Alias(_)) {
                    values.children.entry(parent.text).or_default().push(name);
                }
            }
            for field in &layer.fields {
                values.types.entry(field.name.text).or_default().insert(field.type_name.text);
            }
        }
        values
    }

    /// Adds the values of a type.
    fn add(&mut self, definition: &Definition<'s>) {
        let of = definition.name.text;
        let is_there = (self.admits)(definition.guard.as_deref());
        let mut add = |name: &'s str, guard: Option<&Guard<'s>>| {
            let list = match is_there && (self.admits)(guard) {
                true => &mut self.present,
                false => &mut self.absent,
            };
            list.insert((of, name));
        };
        match &definition.kind {
            DefinitionKind::BitFieldType(ty) => {
                ty.enumerators.iter().for_each(|e| add(e.name.text, e.guard.as_deref()));
            }
            DefinitionKind::OperandType(ty) => {
                for entry in &ty.entries {
                    if let OperandMeaning::Named { name, .. } = entry.meaning {
                        add(name.text, entry.guard.as_deref());
                    }
                }
                let includes = ty.includes.iter().map(|include| include.name.text);
                self.includes.entry(of).or_default().extend(includes);
            }
            _ => {}
        }
    }

    /// Whether a type has a value only in other generations.
    fn lacks(&self, ty: &'s str, value: &'s str) -> bool {
        self.knows(&self.absent, ty, value) && !self.knows(&self.present, ty, value)
    }

    /// Whether a type, or a type that it includes, has a value in the set.
    fn knows(&self, set: &HashSet<(&'s str, &'s str)>, ty: &'s str, value: &'s str) -> bool {
        let mut seen = HashSet::from([ty]);
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            if set.contains(&(ty, value)) {
                return true;
            }
            let included = self.includes.get(ty).into_iter().flatten();
            open.extend(included.copied().filter(|ty| seen.insert(*ty)));
        }
        false
    }

    /// Whether a layer fixes a value that is not there.
    pub(super) fn is_lacking(&self, of: Defined<'_, 's>, absent: &HashSet<Key<'s>>) -> bool {
        let (_, layer) = of;
        let name = |value: Value<'s>| match value {
            Value::Name(name, _) => Some(name.text),
            Value::Int(_) => None,
        };
        let mut own = layer.fields.iter().filter(|field| (self.admits)(field.guard.as_deref()));
        let field_lacks = own.any(|field| {
            let fixed = field.binding.filter(|binding| binding.fixed == Fixed::Yes);
            let value = fixed.and_then(|binding| name(binding.value));
            value.is_some_and(|value| self.lacks(field.type_name.text, value))
        });
        let mut fixes = layer.fixes.iter().filter(|fix| (self.admits)(fix.guard.as_deref()));
        field_lacks
            || fixes.any(|fix| {
                // A computed value does not name a value.
                let FixedTo::Value(value) = fix.value else { return false };
                let Some(value) = name(value) else { return false };
                // Most values exist in all generations.
                self.types
                    .get(fix.name.text)
                    .is_some_and(|types| types.iter().any(|ty| self.lacks(ty, value)))
                    && self.all_lack(of, (fix.name.text, value), absent)
            })
    }

    /// Whether all fields with a name that a layer fixes lack a value. Considers fields of the layer and its ancestors,
    /// or if they have none, fields of the layers below.
    fn all_lack(
        &self,
        (definition, layer): Defined<'_, 's>,
        (field, value): (&str, &'s str),
        absent: &HashSet<Key<'s>>,
    ) -> bool {
        let inherited = self.inherited_types(layer, field);
        if !inherited.is_empty() {
            return inherited.iter().all(|ty| self.lacks(ty, value));
        }
        // Each opcode below has the field from where else it inherits.
        let types = self.types_below((definition, layer), field, absent);
        !types.is_empty() && types.iter().all(|ty| self.lacks(ty, value))
    }

    /// The types of fields with a name in the opcodes below a layer, or in the opcodes of an alias.
    fn types_below(
        &self,
        (definition, layer): Defined<'_, 's>,
        field: &str,
        absent: &HashSet<Key<'s>>,
    ) -> HashSet<&'s str> {
        let mut open: Vec<&str> = match definition.kind {
            DefinitionKind::Alias(_) => layer.parents.iter().map(|parent| parent.text).collect(),
            _ => vec![definition.name.text],
        };
        let (mut types, mut seen) = (HashSet::new(), HashSet::new());
        while let Some(name) = open.pop() {
            if !seen.insert(name) {
                continue;
            }
            for index in self.named.get(name).into_iter().flatten() {
                let (definition, layer) = self.layers[*index];
                if !absent.contains(&key(definition)) {
                    types.extend(self.inherited_types(layer, field));
                }
            }
            open.extend(self.children.get(name).into_iter().flatten());
        }
        types
    }

    /// The types of the fields of a name that a layer and its ancestors have.
    fn inherited_types(&self, layer: &Layer<'s>, name: &str) -> HashSet<&'s str> {
        let mut found = HashSet::new();
        self.each_with_ancestors(layer, &mut |layer| {
            let fields = layer.fields.iter().filter(|field| (self.admits)(field.guard.as_deref()));
            let of_name = fields.filter(|field| field.name.text == name);
            found.extend(of_name.map(|field| field.type_name.text));
        });
        found
    }

    /// Calls `each` with a layer and all above it.
    fn each_with_ancestors(&self, layer: &Layer<'s>, each: &mut impl FnMut(&Layer<'s>)) {
        each(layer);
        let mut seen = HashSet::new();
        let mut open: Vec<&str> = layer.parents.iter().map(|parent| parent.text).collect();
        while let Some(name) = open.pop() {
            if !seen.insert(name) {
                continue;
            }
            for index in self.named.get(name).into_iter().flatten() {
                let (_, layer) = self.layers[*index];
                each(layer);
                open.extend(layer.parents.iter().map(|parent| parent.text));
            }
        }
    }
}
