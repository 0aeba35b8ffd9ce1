//! A part of an instruction set: some of its groups, some of its generations.
//!
//! Invariant: what is selected is an instruction set like any other. Nothing in it mentions an
//! opcode or a generation that is not.

use super::{Family, Generations, Isa, Opcode, OpcodeId};
use crate::tree::Tree;

/// What to keep of an instruction set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only the opcodes of these groups; all if empty.
    pub groups: Vec<String>,
    /// Only these generations; all if empty.
    pub generations: Vec<String>,
}

/// A name that selects nothing, as the instruction set lacks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSelection {
    /// What was to be named.
    pub kind: SelectionKind,
    /// The name.
    pub name: String,
    /// The names that there are.
    pub known: Vec<String>,
}

/// What a selection names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionKind {
    /// A group.
    Group,
    /// A generation.
    Generation,
}

impl std::fmt::Display for UnknownSelection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            SelectionKind::Group => "group",
            SelectionKind::Generation => "generation",
        };
        match self.known.is_empty() {
            true => write!(f, "`{}` is no {kind}; there is none", self.name),
            false => {
                write!(f, "`{}` is no {kind}; the {kind}s are {}", self.name, self.known.join(", "))
            }
        }
    }
}

impl std::error::Error for UnknownSelection {}

impl Family {
    /// The selected part.
    pub fn select(self, selection: &Selection) -> Result<Family, UnknownSelection> {
        let mut groups: Vec<String> = Vec::new();
        for group in self.isas().iter().flat_map(|isa| isa.groups()) {
            if !groups.contains(&group.name) {
                groups.push(group.name.clone());
            }
        }
        all_known(SelectionKind::Group, &selection.groups, groups)?;
        let declared = self.generations().to_vec();
        all_known(SelectionKind::Generation, &selection.generations, declared)?;
        if *selection == Selection::default() {
            return Ok(self);
        }
        let known = self.generations().to_vec();
        let isas = self.into_isas().into_iter().filter_map(|isa| isa.select(selection)).collect();
        Family::new(isas).ok_or_else(|| UnknownSelection {
            kind: SelectionKind::Generation,
            name: selection.generations.join(", "),
            known,
        })
    }
}

fn all_known(
    kind: SelectionKind,
    wanted: &[String],
    known: Vec<String>,
) -> Result<(), UnknownSelection> {
    match wanted.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(UnknownSelection { kind, name: name.clone(), known }),
        None => Ok(()),
    }
}

impl Isa {
    /// The selected part; `None` if it describes none of the generations.
    fn select(mut self, selection: &Selection) -> Option<Isa> {
        let kept = self.kept_generations(selection);
        if !self.generations.is_empty() {
            let described =
                kept.iter().enumerate().filter(|(_, old)| self.describes.contains(**old));
            let described = described.map(|(new, _)| Generations::one(new));
            self.describes = described.reduce(Generations::union)?;
            self.generations = kept.iter().map(|old| self.generations[*old].clone()).collect();
        }
        let mut opcodes = std::mem::take(&mut self.opcodes);
        opcodes.retain(|opcode| self.is_in_groups(opcode, &selection.groups));
        opcodes.iter_mut().for_each(|opcode| opcode.generations = self.describes);
        self.opcodes = opcodes;
        self.index_opcodes();
        Some(self)
    }

    /// The indexes of the generations that are left; none where none are declared.
    fn kept_generations(&self, selection: &Selection) -> Vec<usize> {
        let is_wanted = |name: &String| {
            selection.generations.is_empty() || selection.generations.contains(name)
        };
        let all = self.generations.iter().enumerate();
        all.filter(|(_, name)| is_wanted(name)).map(|(index, _)| index).collect()
    }

    fn is_in_groups(&self, opcode: &Opcode, groups: &[String]) -> bool {
        let mut own = opcode.groups.iter().map(|group| &self.groups[group.index()].name);
        groups.is_empty() || own.any(|name| groups.contains(name))
    }

    /// Lists the opcodes of operations anew, and builds the tree.
    fn index_opcodes(&mut self) {
        self.optypes.iter_mut().for_each(|optype| optype.opcodes.clear());
        for (index, opcode) in self.opcodes.iter().enumerate() {
            for optype in &opcode.optypes {
                self.optypes[optype.index()].opcodes.push(OpcodeId(index as u32));
            }
        }
        let all: Vec<OpcodeId> = self.opcode_ids().collect();
        self.tree = Tree::build(&self.opcodes, &all, self.width);
    }
}
