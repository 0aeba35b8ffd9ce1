//! The names of an instruction set: which definitions a use means.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::lookup::{Lookup, Use};
use crate::symbols::{Def, FileSymbols, Space};
use crate::text::Text;

/// A definition, by its file and its place among the definitions of the file.
pub(crate) type DefId = (usize, usize);

/// A place in the text of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Occurrence {
    pub(crate) file: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A file of an instruction set.
pub(crate) struct IndexedFile {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<Text>,
    pub(crate) symbols: Arc<FileSymbols>,
}

/// The files of an instruction set, with their names.
pub(crate) struct Index {
    pub(crate) files: Vec<IndexedFile>,
    by_name: HashMap<(Space, String), Vec<DefId>>,
    /// The fields and operands of each layer.
    fields: HashMap<DefId, Vec<DefId>>,
    children: HashMap<String, Vec<DefId>>,
    /// The names inside of definitions that names were found to mean.
    looked_up: RefCell<HashMap<(Space, String, DefId), Vec<DefId>>>,
    /// Whether the pseudo code of layers is checked, as far as that was asked.
    pub(crate) checked: RefCell<HashMap<DefId, bool>>,
    /// Whether pseudo code is checked where no layer says anything.
    pub(crate) is_checked_by_default: bool,
}

impl Index {
    pub(crate) fn new(files: Vec<IndexedFile>) -> Index {
        let mut index = Index {
            files,
            by_name: HashMap::new(),
            fields: HashMap::new(),
            children: HashMap::new(),
            looked_up: RefCell::default(),
            checked: RefCell::default(),
            is_checked_by_default: false,
        };
        index.is_checked_by_default = is_checked_by_header(&index.files);
        for (file, of) in index.files.iter().enumerate() {
            for (at, def) in of.symbols.defs.iter().enumerate() {
                let id = (file, at);
                index.by_name.entry((def.space, def.name.clone())).or_default().push(id);
                if let Some(owner) = def.owner {
                    index.fields.entry((file, owner)).or_default().push(id);
                }
                for parent in &def.parents {
                    index.children.entry(parent.clone()).or_default().push(id);
                }
            }
        }
        index
    }

    pub(crate) fn def(&self, id: DefId) -> &Def {
        &self.files[id.0].symbols.defs[id.1]
    }

    pub(crate) fn defs(&self) -> impl Iterator<Item = (DefId, &Def)> {
        self.files.iter().enumerate().flat_map(|(file, of)| {
            of.symbols.defs.iter().enumerate().map(move |(at, def)| ((file, at), def))
        })
    }

    /// The definitions of a name.
    pub(crate) fn named(&self, space: Space, name: &str) -> &[DefId] {
        self.by_name.get(&(space, name.to_string())).map_or(&[], Vec::as_slice)
    }

    /// A layer and its ancestors, the nearest first.
    pub(crate) fn chain(&self, layer: DefId) -> Vec<DefId> {
        self.related(layer, |id| {
            let parents = self.def(id).parents.iter();
            parents.flat_map(|name| self.named(Space::Layer, name).iter().copied()).collect()
        })
    }

    /// A layer and everything that inherits from it.
    pub(crate) fn heirs(&self, layer: DefId) -> Vec<DefId> {
        self.related(layer, |id| self.children.get(&self.def(id).name).cloned().unwrap_or_default())
    }

    fn related(&self, layer: DefId, next: impl Fn(DefId) -> Vec<DefId>) -> Vec<DefId> {
        let (mut all, mut seen, mut at) = (vec![layer], HashSet::from([layer]), 0);
        while let Some(id) = all.get(at).copied() {
            all.extend(next(id).into_iter().filter(|id| seen.insert(*id)));
            at += 1;
        }
        all
    }

    /// The names of a space that a definition itself has.
    pub(crate) fn own(&self, space: Space, of: DefId) -> impl Iterator<Item = DefId> {
        let own = self.fields.get(&of).into_iter().flatten().copied();
        own.filter(move |id| self.def(*id).space == space)
    }

    /// The fields of a definition itself.
    pub(crate) fn own_fields(&self, of: DefId) -> impl Iterator<Item = DefId> {
        self.own(Space::Field, of)
    }

    /// The operands that a placeholder stands for.
    pub(crate) fn stand_ins(&self, placeholder: &str) -> impl Iterator<Item = &str> {
        let all = self.files.iter().flat_map(|of| &of.symbols.placeholders);
        let found = all.filter(move |(name, _)| name == placeholder);
        found.flat_map(|(_, operands)| operands.iter().map(String::as_str))
    }

    /// The values of a type, including values of included types.
    pub(crate) fn values(&self, ty: &str) -> Vec<DefId> {
        let mut values = Vec::new();
        let mut types: Vec<DefId> = self.named(Space::Type, ty).to_vec();
        let mut at = 0;
        while let Some(id) = types.get(at).copied() {
            let own = self.fields.get(&id).into_iter().flatten().copied();
            values.extend(own.filter(|id| self.def(*id).space == Space::Value));
            let inner = self.files[id.0].symbols.uses.iter();
            let inner = inner.filter(|of| of.owner == Some(id.1) && of.lookup == Lookup::Type);
            let more: Vec<DefId> =
                inner.flat_map(|of| self.named(Space::Type, &of.name).iter().copied()).collect();
            types.extend(more.into_iter().filter(|more| !types.contains(more)).collect::<Vec<_>>());
            at += 1;
        }
        values
    }

    /// The fields that a definition has, the nearest of each name; operands made of fields among them.
    pub(crate) fn fields_in_scope(&self, of: DefId) -> Vec<DefId> {
        let mut seen = HashSet::new();
        let all = self.chain(of).into_iter().flat_map(|layer| self.own_fields(layer));
        all.filter(|id| seen.insert(&self.def(*id).name)).collect()
    }

    /// The fields or declarations that a name can refer to in a definition: the definition's own or inherited. If there is none, those
    /// of definitions that inherit from it, with what these inherit.
    pub(crate) fn inner(&self, space: Space, name: &str, of: DefId) -> Vec<DefId> {
        let own = |layer: &DefId| -> Vec<DefId> {
            self.own(space, *layer).filter(|id| self.def(*id).name == name).collect()
        };
        let key = (space, name.to_string(), of);
        if let Some(known) = self.looked_up.borrow().get(&key) {
            return known.clone();
        }
        let above = |of: DefId| {
            let chain = self.chain(of).into_iter();
            chain.map(|layer| own(&layer)).find(|found| !found.is_empty()).unwrap_or_default()
        };
        let mut found = above(of);
        if found.is_empty() {
            // An alias of an operation belongs to one of its opcodes.
            let is_alias = self.def(of).keyword == "__DefAlias";
            let parents = self.def(of).parents.iter().filter(|_| is_alias);
            let parents = parents.flat_map(|name| self.named(Space::Layer, name)).copied();
            let heirs = parents.chain([of]).flat_map(|layer| self.heirs(layer));
            found = heirs.flat_map(above).collect();
            found.sort_unstable();
            found.dedup();
        }
        self.looked_up.borrow_mut().insert(key, found.clone());
        found
    }

    /// The definitions that a use means.
    pub(crate) fn resolve(&self, file: usize, of: &Use) -> Vec<DefId> {
        let owner = of.owner.map(|owner| (file, owner));
        let fields =
            |name: &str| owner.map_or(Vec::new(), |owner| self.inner(Space::Field, name, owner));
        let values_of = |fields: Vec<DefId>| self.values_of_fields(&fields, &of.name);
        let fields_of = |layer: &str, name: &str| -> Vec<DefId> {
            let layers = self.named(Space::Layer, layer).iter();
            layers.flat_map(|layer| self.inner(Space::Field, name, *layer)).collect()
        };
        let or = |found: Vec<DefId>, other: &dyn Fn() -> Vec<DefId>| {
            if found.is_empty() { other() } else { found }
        };
        match &of.lookup {
            Lookup::Type => self.named(Space::Type, &of.name).to_vec(),
            Lookup::RegFile => self.named(Space::RegFile, &of.name).to_vec(),
            Lookup::Layer => self.named(Space::Layer, &of.name).to_vec(),
            Lookup::Condition => self.named(Space::Condition, &of.name).to_vec(),
            Lookup::AnyField => self.named(Space::Field, &of.name).to_vec(),
            Lookup::Declared => self.named(Space::Declaration, &of.name).to_vec(),
            Lookup::Kept => or(self.named(Space::Value, &of.name).to_vec(), &|| {
                self.named(Space::Declaration, &of.name).to_vec()
            }),
            Lookup::Field => {
                or(fields(&of.name), &|| self.named(Space::RegFile, &of.name).to_vec())
            }
            Lookup::FieldOrValue(field) => or(values_of(fields(field)), &|| fields(&of.name)),
            Lookup::ValueOf(ty) => self.values_named(ty, &of.name),
            Lookup::FieldOf(layer) => fields_of(layer, &of.name),
            Lookup::Excepted { entries, .. } => {
                entries.iter().flat_map(|name| self.named(Space::Layer, name)).copied().collect()
            }
            Lookup::FieldOrValueOf(layer, field) => {
                or(fields(&of.name), &|| values_of(fields_of(layer, field)))
            }
            _ => self.resolve_in_program(file, of),
        }
    }

    /// The values of a type with a name.
    fn values_named(&self, ty: &str, name: &str) -> Vec<DefId> {
        let values = self.values(ty).into_iter();
        values.filter(|id| is_value(self.def(*id), name)).collect()
    }

    /// The values with a name of the types of some fields.
    pub(crate) fn values_of_fields(&self, fields: &[DefId], name: &str) -> Vec<DefId> {
        let types = fields.iter().filter_map(|id| self.def(*id).ty.as_deref());
        let types: HashSet<&str> = types.collect();
        let mut found: Vec<DefId> =
            types.into_iter().flat_map(|ty| self.values_named(ty, name)).collect();
        found.sort_unstable();
        found
    }

    /// The definitions that the name at a place means, and the place of the name.
    pub(crate) fn at(&self, file: usize, offset: usize) -> Option<(Vec<DefId>, Occurrence)> {
        let symbols = &self.files[file].symbols;
        let holds = |span: &std::ops::Range<usize>| span.start <= offset && offset <= span.end;
        let defs = symbols.defs.iter().enumerate();
        let own: Vec<usize> = defs
            .filter(|(at, def)| holds(&def.span) && self.is_meant((file, *at)))
            .map(|(at, _)| at)
            .collect();
        if let Some(first) = own.first() {
            let span = symbols.defs[*first].span.clone();
            let ids = own.into_iter().map(|at| (file, at)).collect();
            return Some((ids, Occurrence { file, start: span.start, end: span.end }));
        }
        let of = symbols.uses.iter().find(|of| holds(&of.span) && self.is_used(file, of))?;
        let place = Occurrence { file, start: of.span.start, end: of.span.end };
        Some((self.resolve(file, of), place))
    }

    /// All occurrences of the names of definitions, and of all definitions that share a use with one of them.
    pub(crate) fn occurrences(&self, of: &[DefId]) -> (HashSet<DefId>, Vec<Occurrence>) {
        let mut defs: HashSet<DefId> = of.iter().copied().collect();
        let names: HashSet<String> = of.iter().map(|id| self.def(*id).name.clone()).collect();
        let uses: Vec<(usize, &Use, Vec<DefId>)> = self
            .files
            .iter()
            .enumerate()
            .flat_map(|(file, of)| of.symbols.uses.iter().map(move |of| (file, of)))
            .filter(|(file, of)| is_named(of, &names) && self.is_used(*file, of))
            .map(|(file, of)| (file, of, self.resolve(file, of)))
            .collect();
        loop {
            let before = defs.len();
            for (_, _, found) in &uses {
                if found.iter().any(|id| defs.contains(id)) {
                    defs.extend(found.iter().copied());
                }
            }
            if defs.len() == before {
                break;
            }
        }
        let of_defs = defs.iter().map(|id| {
            let span = &self.def(*id).span;
            Occurrence { file: id.0, start: span.start, end: span.end }
        });
        let of_uses = uses.iter().filter(|(_, _, found)| found.iter().any(|id| defs.contains(id)));
        let of_uses = of_uses.map(|(file, of, found)| Occurrence {
            file: *file,
            start: of.span.start,
            // In a name of one of several registers, only the part before the number.
            end: match found.first().map(|id| self.def(*id)) {
                Some(def) if def.space == Space::Value => of.span.start + def.name.len(),
                _ => of.span.end,
            },
        });
        let mut all: Vec<Occurrence> = of_defs.chain(of_uses).collect();
        all.sort();
        all.dedup();
        (defs, all)
    }
}

/// Whether pseudo code is checked where no layer says anything.
fn is_checked_by_header(files: &[IndexedFile]) -> bool {
    let defs = files.iter().flat_map(|of| &of.symbols.defs);
    defs.filter(|def| def.space == Space::Isa).any(|def| def.is_checked == Some(true))
}

/// Whether a use may mean one of some names.
fn is_named(of: &Use, names: &HashSet<String>) -> bool {
    let is_attribute = || {
        let is_it = |name: &String| name.split_once('.').is_some_and(|(_, part)| part == of.name);
        matches!(of.lookup, Lookup::Part(_)) && names.iter().any(is_it)
    };
    names.contains(&of.name) || names.contains(without_number(&of.name)) || is_attribute()
}

/// Whether a value has a name: its own name, or the name of one of several registers.
fn is_value(def: &Def, name: &str) -> bool {
    let is_run = || {
        let number = name.strip_prefix(def.name.as_str()).unwrap_or_default();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number && def.head.contains(&format!("{}[", def.name))
    };
    def.name == name || is_run()
}

/// The name of a register without its number.
fn without_number(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}
