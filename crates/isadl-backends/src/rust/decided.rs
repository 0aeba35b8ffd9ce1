//! Names that are decided over the whole specification, so that they do not depend on the generated part of it. An
//! extension that is added later does not change the getters of the others.

use std::collections::BTreeMap;

use proc_macro2::Ident;

/// The name of a constructor, and its identity.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) ident: Ident,
    pub(super) opcode: String,
    pub(super) alias: Option<String>,
    /// The fields that indicate a literal.
    pub(super) selectors: Vec<String>,
    /// Its parameters, by name and Rust type.
    pub(super) parameters: Vec<(String, Ident)>,
}

impl Named {
    /// Whether two take the same for the same opcode or alias.
    pub(super) fn is_of_same(&self, other: &Named) -> bool {
        self.opcode == other.opcode
            && self.alias == other.alias
            && self.selectors == other.selectors
            && self.parameters == other.parameters
    }
}

/// Rust names in the code of the whole specification, by names of the specification. Several items with the same name
/// are in order.
#[derive(Default)]
pub(super) struct WholeNames {
    pub(super) types: BTreeMap<String, Vec<Ident>>,
    pub(super) fields: BTreeMap<String, Ident>,
    /// Getter and setter, by the names of field and type.
    pub(super) getters: BTreeMap<(String, String), Vec<(Ident, Ident)>>,
    pub(super) opcodes: BTreeMap<String, Ident>,
    /// By the names of opcodes.
    pub(super) constructors: BTreeMap<String, Vec<Named>>,
}

impl WholeNames {
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
