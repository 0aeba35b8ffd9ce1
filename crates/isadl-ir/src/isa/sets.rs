//! Which sets of extensions meet some conditions.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{ExtensionCondition, ExtensionSet, Inst, Isa, Opcode, Type, TypeId, TypeKind};

/// Limit on evaluated conditions per question.
const BUDGET: u64 = 1 << 20;

/// The first set that meets all conditions; `None` if the budget runs out. Extensions are left out first, in the order
/// in which the conditions are evaluated.
pub fn find_set(conditions: &[ExtensionCondition]) -> Option<Option<ExtensionSet>> {
    let all: Vec<&ExtensionCondition> = conditions.iter().collect();
    find_set_of(&all)
}

/// Like `find_set`, for conditions from several lists.
pub fn find_set_of(conditions: &[&ExtensionCondition]) -> Option<Option<ExtensionSet>> {
    from(0, 0, conditions, &mut { BUDGET })
}

/// The first set with `known` extensions as in `set`.
fn from(
    known: ExtensionSet,
    set: ExtensionSet,
    conditions: &[&ExtensionCondition],
    budget: &mut u64,
) -> Option<Option<ExtensionSet>> {
    let mut open = Vec::with_capacity(conditions.len());
    *budget = budget.checked_sub(1 + conditions.len() as u64)?;
    for condition in conditions {
        match condition.truth(known, set) {
            Some(true) => {}
            Some(false) => return Some(None),
            None => open.push(*condition),
        }
    }
    let Some(first) = open.first() else { return Some(Some(set)) };
    let bits = first.support() & !known;
    let bit = bits & bits.wrapping_neg();
    match from(known | bit, set, &open, budget)? {
        None => from(known | bit, set | bit, &open, budget),
        found => Some(found),
    }
}

/// Which opcodes may be together.
pub struct Coexistence<'i> {
    allowed: Vec<ExtensionCondition>,
    known: HashMap<[&'i ExtensionCondition; 2], bool>,
}

impl<'i> Coexistence<'i> {
    /// Of the sets of extensions that an instruction set allows.
    pub fn of(isa: &Isa) -> Coexistence<'i> {
        Coexistence { allowed: isa.extensions().conditions(), known: HashMap::new() }
    }

    /// Whether some set of extensions has both. Returns true if undecided.
    pub fn may(&mut self, a: &'i ExtensionCondition, b: &'i ExtensionCondition) -> bool {
        if a.is_always() && b.is_always() {
            return true;
        }
        let allowed = &self.allowed;
        *self.known.entry([a, b]).or_insert_with(|| {
            let all: Vec<&ExtensionCondition> = allowed.iter().chain([a, b]).collect();
            find_set_of(&all) != Some(None)
        })
    }
}

/// The conditions that a value of a type needs, including conditions of its parts.
pub fn needed(types: &[Type], ty: TypeId, raw: u64) -> Vec<&ExtensionCondition> {
    let ty = &types[ty.index()];
    let parts = match &ty.kind {
        TypeKind::Composite(composite) => composite.parts.as_slice(),
        _ => &[],
    };
    let of_parts = parts.iter().filter_map(|part| {
        let value = part.bits.extract(raw.into());
        types[part.ty.index()].requires(value)
    });
    ty.requires(raw).into_iter().chain(of_parts).collect()
}

impl Isa {
    /// Whether anything depends on the set of extensions: opcodes, aliases, rules or values.
    pub fn depends_on_extensions(&self) -> bool {
        self.has_guarded_texts()
            || self.opcodes().iter().any(|opcode| !opcode.requires.is_always())
            || self.rules().iter().any(|rule| self.expr(rule.condition).extensions() != 0)
    }

    /// Whether the text of an instruction depends on the set: some sets with an opcode lack an alias of it, or do not
    /// have it as a compressed encoding.
    pub fn has_guarded_texts(&self) -> bool {
        self.opcodes().iter().any(|opcode| {
            opcode.aliases.iter().any(|alias| alias.form.requires != opcode.requires)
                || opcode.shorter().is_some_and(|short| !short.requires.is_always())
        })
    }

    /// A set of extensions that is allowed and has an opcode: the default set, if it has it.
    pub fn set_with(&self, opcode: &Opcode) -> ExtensionSet {
        self.set_meeting(std::slice::from_ref(&opcode.requires))
    }

    /// An allowed set of extensions that has an instruction, if any. Prefers the default set.
    pub fn set_for(&self, inst: Inst) -> ExtensionSet {
        self.set_meeting(&self.conditions_of(inst))
    }

    /// Conditions on the sets of extensions that have an instruction.
    fn conditions_of(&self, inst: Inst) -> Vec<ExtensionCondition> {
        let opcode = self.opcode(inst.opcode);
        let conditions = opcode.rules.iter().map(|id| self.expr(self.rule(*id).condition));
        let broken = conditions.filter_map(|condition| match condition.apart() {
            (Some(within), inner) if self.holds(inst, inner) => within.not(),
            _ => None,
        });
        [opcode.requires.clone()].into_iter().chain(broken).collect()
    }

    /// Conditions on the extension sets in which an instruction is a compressed encoding.
    ///
    /// Returns one list for each kind of set in which one of the two encodings has other rules; none if no set has the
    /// compressed encoding.
    pub fn conditions_of_short(&self, inst: Inst, long: &Opcode) -> Vec<Vec<ExtensionCondition>> {
        let mut common = self.conditions_of(inst);
        common.extend(self.opcode(inst.opcode).short.iter().map(|short| short.requires.clone()));
        let guards = long.rules.iter().filter_map(|id| {
            let (within, _) = self.expr(self.rule(*id).condition).apart();
            within.cloned()
        });
        let more = guards.map(|within| common.iter().cloned().chain([within]).collect());
        let all: BTreeSet<Vec<ExtensionCondition>> =
            [common.clone()].into_iter().chain(more).collect();
        all.into_iter().collect()
    }

    /// The types of parts of composites.
    pub(super) fn part_types(&self) -> HashSet<TypeId> {
        let composites = self.types().iter().filter_map(|ty| match &ty.kind {
            TypeKind::Composite(composite) => Some(composite),
            _ => None,
        });
        composites.flat_map(|composite| composite.parts.iter().map(|part| part.ty)).collect()
    }

    /// An allowed set of extensions that meets some conditions, if any.
    pub fn find_set(&self, conditions: &[ExtensionCondition]) -> Option<ExtensionSet> {
        let found = self.set_meeting(conditions);
        let is_found = conditions.iter().all(|one| one.holds(found));
        (is_found && self.extensions().allows(found)).then_some(found)
    }

    /// An allowed set of extensions that meets some conditions, as close to the default set as possible.
    fn set_meeting(&self, conditions: &[ExtensionCondition]) -> ExtensionSet {
        let default = self.extensions().default;
        if conditions.iter().all(|one| one.holds(default)) {
            return default;
        }
        let allowed = self.extensions().conditions();
        let mut all: Vec<&ExtensionCondition> = allowed.iter().chain(conditions).collect();
        // As much of the default set as there can be.
        let kept: Vec<ExtensionCondition> = (0..64)
            .map(|bit| 1 << bit)
            .filter(|bit| default & bit != 0)
            .map(ExtensionCondition::all_of)
            .collect();
        for one in &kept {
            all.push(one);
            if !matches!(find_set_of(&all), Some(Some(_))) {
                all.pop();
            }
        }
        find_set_of(&all).flatten().unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_found_exactly_if_there_is_one() {
        let bit = |at: u32| ExtensionCondition::all_of(1 << at);
        let not = |presence: &ExtensionCondition| presence.not().expect("few terms");
        let mut pool: Vec<ExtensionCondition> = Vec::new();
        for a in 0..4 {
            for b in 0..4 {
                pool.push(bit(a).or(&bit(b)).expect("few terms"));
                pool.push(bit(a).or(&not(&bit(b))).expect("few terms"));
                pool.push(not(&bit(a)).or(&not(&bit(b))).expect("few terms"));
            }
        }
        let mut random = 1u64;
        let mut counts = [0; 2];
        for _ in 0..2000 {
            let mut next = || {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                pool[(random >> 40) as usize % pool.len()].clone()
            };
            let conditions: Vec<ExtensionCondition> = (0..6).map(|_| next()).collect();
            let exists = (0..16).any(|set| conditions.iter().all(|one| one.holds(set)));
            let found = find_set(&conditions).expect("a small question");
            assert_eq!(found.is_some(), exists);
            assert!(found.is_none_or(|set| conditions.iter().all(|one| one.holds(set))));
            counts[usize::from(exists)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
    }
}
