//! What names in programs mean.

use crate::index::{DefId, Index};
use crate::lookup::{Lookup, Use};
use crate::symbols::{Def, Space};

impl Index {
    /// Whether the text with a number among the programs of a file is a program: pseudo code may be prose. The nearest layer that says
    /// what it is decides, else the header.
    pub(crate) fn is_program(&self, file: usize, program: usize) -> bool {
        let of = &self.files[file].symbols.programs[program];
        !of.is_pseudo_code || self.is_checked((file, of.owner))
    }

    /// The program at a place, an index among those of the file.
    pub(crate) fn program_at(&self, file: usize, at: usize) -> Option<usize> {
        let mut programs = self.files[file].symbols.programs.iter();
        let is_here = |line: &std::ops::Range<usize>| line.start <= at && at <= line.end;
        let found = programs.position(|program| program.lines.iter().any(is_here))?;
        self.is_program(file, found).then_some(found)
    }

    /// Whether the pseudo code of a layer is checked.
    pub(crate) fn is_checked(&self, layer: DefId) -> bool {
        if let Some(known) = self.checked.borrow().get(&layer) {
            return *known;
        }
        let said = self.chain(layer).into_iter().find_map(|id| self.def(id).is_checked);
        let is_checked = said.unwrap_or(self.is_checked_by_default);
        self.checked.borrow_mut().insert(layer, is_checked);
        is_checked
    }

    /// Whether a definition gives its name a meaning. One in a program does not if the text is prose, or if it is an assignment to
    /// something that has a meaning already.
    pub(crate) fn is_meant(&self, id: DefId) -> bool {
        let def = self.def(id);
        let Some(of) = &def.in_program else { return true };
        let owner = || (id.0, def.owner.unwrap_or_default());
        self.is_program(id.0, of.program)
            && (of.is_certain || self.meaning(&def.name, owner()).is_empty())
    }

    /// Whether a use is not in prose.
    pub(crate) fn is_used(&self, file: usize, of: &Use) -> bool {
        of.program.is_none_or(|program| self.is_program(file, program))
    }

    /// What a name in a program means if the program does not bind it: a field, what a layer declares, what a surrounding program
    /// binds, or a register file.
    pub(crate) fn meaning(&self, name: &str, owner: DefId) -> Vec<DefId> {
        let mut found = self.inner(Space::Field, name, owner);
        // An operand without a value has that of a declaration.
        found.extend(self.declared(name, owner, |def| !is_called(def) && !is_trap(def)));
        if found.is_empty() {
            found = self.surrounding(owner).filter(|id| self.def(*id).name == name).collect();
        }
        if found.is_empty() {
            found = self.named(Space::RegFile, name).to_vec();
        }
        found
    }

    /// The declarations of a name that the programs of a layer see.
    fn declared(&self, name: &str, owner: DefId, is_it: impl Fn(&Def) -> bool) -> Vec<DefId> {
        let mut found = self.inner(Space::Declaration, name, owner);
        found.retain(|id| is_it(self.def(*id)) && self.is_meant(*id));
        found
    }

    /// The names that programs around those of a layer bind where `body` stands.
    pub(crate) fn surrounding(&self, owner: DefId) -> impl Iterator<Item = DefId> {
        let above = self.chain(owner).into_iter().skip(1);
        let names = above.flat_map(|layer| self.own(Space::Local, layer).collect::<Vec<_>>());
        names.filter(|id| {
            let of = &self.def(*id).in_program;
            of.as_ref().is_some_and(|of| of.reaches_body) && self.is_meant(*id)
        })
    }

    /// The definitions that a use in a program means.
    pub(crate) fn resolve_in_program(&self, file: usize, of: &Use) -> Vec<DefId> {
        let Some(owner) = of.owner.map(|owner| (file, owner)) else { return Vec::new() };
        if !self.is_used(file, of) {
            return Vec::new();
        }
        match &of.lookup {
            Lookup::Value(binding) => self.value(&of.name, owner, *binding),
            Lookup::Compared(with, binding) => {
                let found = self.values_of_fields(&self.inner(Space::Field, with, owner), &of.name);
                if found.is_empty() { self.value(&of.name, owner, *binding) } else { found }
            }
            Lookup::ComparedPart(operand, part) => {
                self.values_of_fields(&self.part(operand, part, owner), &of.name)
            }
            Lookup::Part(operand) => self.part(operand, &of.name, owner),
            Lookup::Function => self.declared(&of.name, owner, is_called),
            Lookup::Trap => self.declared(&of.name, owner, is_trap),
            Lookup::FileOrView => {
                let files = self.named(Space::RegFile, &of.name);
                let views = || self.declared(&of.name, owner, |def| def.keyword == "view");
                if files.is_empty() { views() } else { files.to_vec() }
            }
            Lookup::StateOfType(declaration) => match self.named(Space::Type, &of.name) {
                [] => Vec::new(),
                types => types.iter().copied().chain([(file, *declaration)]).collect(),
            },
            _ => Vec::new(),
        }
    }

    fn value(&self, name: &str, owner: DefId, binding: Option<usize>) -> Vec<DefId> {
        let bound = binding.map(|binding| (owner.0, binding));
        match bound.filter(|id| self.is_meant(*id)) {
            Some(id) => vec![id],
            None => self.meaning(name, owner),
        }
    }

    /// A part of an operand: an attribute, or a part of its composite.
    fn part(&self, operand: &str, name: &str, owner: DefId) -> Vec<DefId> {
        let attribute =
            |operand: &str| self.inner(Space::Field, &format!("{operand}.{name}"), owner);
        let mut attributes = attribute(operand);
        for stand_in in self.stand_ins(operand) {
            attributes.extend(attribute(stand_in));
        }
        if !attributes.is_empty() {
            attributes.sort_unstable();
            attributes.dedup();
            return attributes;
        }
        let operands = self.inner(Space::Field, operand, owner);
        let types = operands.iter().filter_map(|id| self.def(*id).ty.as_deref());
        let types = types.flat_map(|ty| self.named(Space::Type, ty).iter().copied());
        let mut parts: Vec<DefId> = types.flat_map(|ty| self.own_fields(ty)).collect();
        parts.retain(|id| self.def(*id).name == name);
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

/// Whether a declaration is a function.
fn is_called(def: &Def) -> bool {
    def.keyword == "fn"
}

/// Whether a declaration is a trap.
fn is_trap(def: &Def) -> bool {
    def.keyword == "extern trap"
}
