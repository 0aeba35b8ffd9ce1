//! Names that are decided over the whole specification, so that they do not depend on which part of it is
//! generated: an extension that is added later does not change the getters of the others.

use std::collections::BTreeMap;

use proc_macro2::Ident;

use super::construct::{self, Named};
use super::plan::Plan;

/// What things are called in the code of the whole specification, by their names there. Where several have one
/// name, they are in order.
#[derive(Default)]
pub(super) struct WholeNames {
    types: BTreeMap<String, Vec<Ident>>,
    fields: BTreeMap<String, Ident>,
    /// Getter and setter, by the names of field and type.
    getters: BTreeMap<(String, String), Vec<(Ident, Ident)>>,
    opcodes: BTreeMap<String, Ident>,
    /// By the names of opcodes.
    constructors: BTreeMap<String, Vec<Named>>,
}

impl WholeNames {
    /// The names in the code of a specification of which nothing is left out.
    pub(super) fn of(plan: &Plan<'_>) -> WholeNames {
        let mut names = WholeNames::default();
        for (ty, ident) in &plan.types {
            let own = names.types.entry(plan.isa.ty(*ty).name.clone()).or_default();
            own.push(ident.clone());
        }
        for field in &plan.fields {
            names.fields.insert(plan.isa.name_of(field.name).to_string(), field.ident.clone());
        }
        for slot in &plan.slots {
            let key = (plan.isa.name_of(slot.name).to_string(), plan.isa.ty(slot.ty).name.clone());
            let own = names.getters.entry(key).or_default();
            own.push((slot.getter.clone(), slot.setter.clone()));
        }
        for opcode in &plan.opcodes {
            let name = &plan.definition(&plan.rows[opcode.rows.start]).name;
            names.opcodes.insert(name.clone(), opcode.ident.clone());
        }
        for named in construct::names(plan) {
            names.constructors.entry(named.opcode.clone()).or_default().push(named);
        }
        names
    }

    /// The name of the type that is the `at`-th of its name.
    pub(super) fn ty(&self, name: &str, at: usize) -> Option<&Ident> {
        self.types.get(name)?.get(at)
    }

    /// The name of a field in the list of fields.
    pub(super) fn field(&self, name: &str) -> Option<&Ident> {
        self.fields.get(name)
    }

    /// The getter and the setter of a field of the type that is the `at`-th of its name.
    pub(super) fn getter(&self, field: &str, ty: &str, at: usize) -> Option<&(Ident, Ident)> {
        self.getters.get(&(field.to_string(), ty.to_string()))?.get(at)
    }

    /// The name of an opcode in the list of opcodes.
    pub(super) fn opcode(&self, name: &str) -> Option<&Ident> {
        self.opcodes.get(name)
    }

    /// The `at`-th constructor that takes the same for the same opcode or alias.
    pub(super) fn constructor(&self, like: &Named, at: usize) -> Option<&Ident> {
        let of_opcode = self.constructors.get(&like.opcode)?.iter();
        of_opcode.filter(|known| known.is_of_same(like)).nth(at).map(|known| &known.ident)
    }

    /// The names of all constructors, getters and setters.
    pub(super) fn methods(&self) -> impl Iterator<Item = String> {
        let getters = self.getters.values().flatten();
        let getters = getters.flat_map(|(getter, setter)| [getter.to_string(), setter.to_string()]);
        getters.chain(self.constructors.values().flatten().map(|known| known.ident.to_string()))
    }
}
