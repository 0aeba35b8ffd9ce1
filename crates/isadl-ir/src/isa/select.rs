//! Selection of a part of an instruction set: some of its groups, some of its generations.
//!
//! Invariant: the selected part is an instruction set like any other. Except for prose, nothing in it
//! refers to an opcode, operation, group, rule or generation that is not selected.

use std::collections::HashSet;

use super::{
    ExprId, ExtensionCondition, ExtensionSet, Extensions, Family, Generations, GroupId, Isa,
    Opcode, OpcodeId, OptypeId, Origin, RuleId, RuleOrigin, TypeId,
};

/// The part of an instruction set to keep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only the opcodes of these groups; all if empty.
    pub groups: Vec<String>,
    /// Only these generations; all if empty.
    pub generations: Vec<String>,
    /// A fixed set of extensions, as names of extensions and sets; any set if absent.
    pub extensions: Option<Vec<String>>,
}

/// A selected name that does not exist in the instruction set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSelection {
    /// The kind of item that should be named.
    pub kind: SelectionKind,
    /// The name.
    pub name: String,
    /// The existing names.
    pub known: Vec<String>,
}

/// The kind of item that a selection names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionKind {
    /// A group.
    Group,
    /// A generation.
    Generation,
    /// An extension or a set of extensions.
    Extension,
    /// A set of names.
    Names,
}

/// Why names do not give a set of extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetError {
    /// A name does not exist.
    Unknown(UnknownSelection),
    /// No implementation has exactly these extensions; the text names the set and the violated constraint.
    NotAllowed(String),
}

impl std::fmt::Display for SetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SetError::Unknown(unknown) => unknown.fmt(f),
            SetError::NotAllowed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SetError {}

impl From<UnknownSelection> for SetError {
    fn from(unknown: UnknownSelection) -> SetError {
        SetError::Unknown(unknown)
    }
}

impl Extensions {
    /// The set of extensions and sets with these names, with all that they imply.
    pub fn set_of(&self, names: &[String]) -> Result<ExtensionSet, SetError> {
        let mut set = 0;
        for name in names.iter().filter(|name| !name.is_empty()) {
            set |= self.find(name).ok_or_else(|| UnknownSelection {
                kind: SelectionKind::Extension,
                name: name.clone(),
                known: self
                    .names
                    .iter()
                    .chain(self.sets.iter().map(|(name, _)| name))
                    .cloned()
                    .collect(),
            })?;
        }
        let set = self.closed(set);
        match self.unmet(set) {
            None => Ok(set),
            Some(unmet) => Err(SetError::NotAllowed(format!(
                "these extensions are not allowed together: {}; a set with {} must meet: {}",
                self.text_of(set),
                self.condition(&unmet.when),
                self.condition(&unmet.then)
            ))),
        }
    }
}

impl std::fmt::Display for UnknownSelection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, kinds) = match self.kind {
            SelectionKind::Group => ("group", "groups"),
            SelectionKind::Generation => ("generation", "generations"),
            SelectionKind::Extension => ("extension", "extensions"),
            SelectionKind::Names => ("set of names", "sets of names"),
        };
        let article = if kind.starts_with('e') { "an" } else { "a" };
        write!(f, "`{}` is not {article} {kind}; ", self.name)?;
        match crate::suggest::nearest(&self.name, &self.known) {
            Some(near) => write!(f, "did you mean `{near}`?"),
            None if self.known.is_empty() => write!(f, "there are no {kinds}"),
            None => write!(f, "the {kinds} are {}", self.known.join(", ")),
        }
    }
}

impl std::error::Error for UnknownSelection {}

impl Family {
    /// The selected part.
    pub fn select(self, selection: &Selection) -> Result<Family, SetError> {
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
        let fixed = &selection.extensions;
        let fixed = fixed.as_ref().map(|names| self.first().extensions().set_of(names));
        let fixed = fixed.transpose()?;
        let whole = self.clone();
        let isas = self.into_isas().into_iter();
        let isas = isas.filter_map(|isa| isa.select(selection, fixed)).collect();
        let part = Family::new(isas).ok_or_else(|| {
            let kind = SelectionKind::Generation;
            let name = selection.generations.join(", ");
            SetError::Unknown(UnknownSelection { kind, name, known })
        })?;
        Ok(part.part_of(whole))
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
    /// The selected part; `None` if it does not describe any of the generations.
    fn select(mut self, selection: &Selection, fixed: Option<ExtensionSet>) -> Option<Isa> {
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
        opcodes.iter_mut().for_each(|opcode| opcode.set_generations(self.describes));
        if let Some(set) = fixed {
            opcodes.retain(|opcode| opcode.requires.holds(set));
            // Words of special cases that the set lacks belong to the general opcode. Special cases in excluded groups
            // keep their words.
            for opcode in &mut opcodes {
                opcode.requires = ExtensionCondition::always();
                opcode.aliases.retain(|alias| alias.form.requires.holds(set));
                let forms = opcode.aliases.iter_mut().map(|alias| &mut alias.form);
                forms.for_each(|form| form.requires = ExtensionCondition::always());
                if let Some(short) = &mut opcode.short {
                    let is_that = short.requires.holds(set);
                    short.requires = if is_that {
                        ExtensionCondition::always()
                    } else {
                        ExtensionCondition::never()
                    };
                }
                opcode.rules.retain(|rule| self.has_rule(*rule, set));
                opcode.special_cases.retain(|case| case.requires.holds(set));
                opcode
                    .special_cases
                    .iter_mut()
                    .for_each(|c| c.requires = ExtensionCondition::always());
            }
            self.fix_rules(set);
            // Parts of composites keep all values: rules forbid values that the set lacks.
            let parts: HashSet<TypeId> = self.part_types();
            for (ty, at) in self.types.iter_mut().zip(0..) {
                *ty = if parts.contains(&TypeId(at)) { ty.in_every_set() } else { ty.in_set(set) };
            }
            self.extensions = Extensions::default();
        }
        mark_absent(&mut opcodes);
        self.opcodes = opcodes;
        self.is_part |= !selection.groups.is_empty();
        self.drop_unused();
        self.index_opcodes();
        Some(self)
    }

    /// Whether a set of extensions has a rule. A rule that forbids a value does not apply to sets that lack the value anyway.
    fn has_rule(&self, rule: RuleId, set: ExtensionSet) -> bool {
        let rule = self.rule(rule);
        let (within, _) = self.expr(rule.condition).apart();
        rule.origin != RuleOrigin::Value && within.is_none_or(|within| within.holds(set))
    }

    /// Simplifies the conditions of rules for a set of extensions.
    fn fix_rules(&mut self, set: ExtensionSet) {
        for at in 0..self.rules.len() {
            let condition = self.expr(self.rules[at].condition);
            if condition.extensions() == 0 {
                continue;
            }
            let fixed = match condition.apart() {
                (Some(_), inner) => inner.in_set(set),
                (None, whole) => whole.in_set(set),
            };
            self.rules[at].condition = ExprId(self.exprs.len() as u32);
            self.exprs.push(fixed);
        }
    }

    /// The indexes of the selected generations; none if none are declared.
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

    /// Drops groups and operations without opcodes, and rules that no opcode has.
    fn drop_unused(&mut self) {
        // The groups of an opcode include the groups of its operations and all of their ancestors.
        let groups = self.opcodes.iter().flat_map(|opcode| &opcode.groups).map(|id| id.index());
        let groups = Kept::new(self.groups.len(), groups);
        let optypes = self.opcodes.iter().flat_map(|opcode| &opcode.optypes).map(|id| id.index());
        let optypes = Kept::new(self.optypes.len(), optypes);
        let rules = self.opcodes.iter().flat_map(|opcode| &opcode.rules).map(|id| id.index());
        let rules = Kept::new(self.rules.len(), rules);
        groups.retain(&mut self.groups);
        optypes.retain(&mut self.optypes);
        rules.retain(&mut self.rules);
        let group = |id: &mut GroupId| *id = GroupId(groups.place(id.index()));
        let optype = |id: &mut OptypeId| *id = OptypeId(optypes.place(id.index()));
        self.groups.iter_mut().flat_map(|own| &mut own.parents).for_each(group);
        self.optypes.iter_mut().flat_map(|own| &mut own.groups).for_each(group);
        let own = |opcode: &mut Opcode| {
            opcode.groups.iter_mut().for_each(group);
            opcode.optypes.iter_mut().for_each(optype);
            opcode.rules.iter_mut().for_each(|id| *id = RuleId(rules.place(id.index())));
            opcode.fields.iter_mut().for_each(|field| match &mut field.origin {
                Origin::Group(id) => group(id),
                Origin::Optype(id) => optype(id),
                Origin::Opcode => {}
            });
        };
        for opcode in &mut self.opcodes {
            own(opcode);
            opcode.aliases.iter_mut().for_each(|alias| own(&mut alias.form));
        }
    }

    /// Lists the opcodes of operations anew.
    fn index_opcodes(&mut self) {
        self.optypes.iter_mut().for_each(|optype| optype.opcodes.clear());
        for (index, opcode) in self.opcodes.iter().enumerate() {
            for optype in &opcode.optypes {
                self.optypes[optype.index()].opcodes.push(OpcodeId(index as u32));
            }
        }
    }
}

/// Marks the special cases that are not selected: their words are unknown.
fn mark_absent(opcodes: &mut [Opcode]) {
    let present: HashSet<(u128, u128)> = opcodes.iter().map(|o| (o.mask, o.value)).collect();
    for case in opcodes.iter_mut().flat_map(|opcode| &mut opcode.special_cases) {
        case.is_present &= present.contains(&(case.mask, case.value));
    }
}

/// The selected elements of a list.
struct Kept {
    is_kept: Vec<bool>,
    /// The number of elements kept before each index.
    places: Vec<u32>,
}

impl Kept {
    fn new(length: usize, used: impl Iterator<Item = usize>) -> Kept {
        let mut is_kept = vec![false; length];
        used.for_each(|index| is_kept[index] = true);
        let places = is_kept.iter().scan(0, |count, is_kept| {
            let place = *count;
            *count += u32::from(*is_kept);
            Some(place)
        });
        Kept { places: places.collect(), is_kept }
    }

    fn retain<T>(&self, list: &mut Vec<T>) {
        let mut is_kept = self.is_kept.iter();
        list.retain(|_| is_kept.next() == Some(&true));
    }

    /// The new index of an element that is kept.
    fn place(&self, index: usize) -> u32 {
        self.places[index]
    }
}
