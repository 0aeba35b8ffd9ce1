//! Extensions: optional parts of an instruction set. Each implementation has its own set of them.

use std::collections::BTreeSet;

/// A set of extensions: one bit each, in order of declaration.
pub type ExtensionSet = u64;

/// The extensions of an instruction set, and which of them may be together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Extensions {
    /// Their names.
    pub names: Vec<String>,
    /// Extensions that follow from other extensions.
    pub implied: Vec<Implied>,
    /// Constraints on sets with certain extensions.
    pub required: Vec<Required>,
    /// Sets with names, with all that they imply.
    pub sets: Vec<(String, ExtensionSet)>,
    /// The set that applies if none is given.
    pub default: ExtensionSet,
}

/// Extensions that a set with others has too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Implied {
    /// The others.
    pub needed: ExtensionSet,
    /// The implied extensions.
    pub added: ExtensionSet,
}

/// A constraint on sets with certain extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Required {
    /// The sets that the constraint applies to.
    pub when: ExtensionCondition,
    /// The condition that these sets must meet.
    pub then: ExtensionCondition,
}

impl Extensions {
    /// The maximum number of extensions of an instruction set.
    pub const MAX: usize = 64;

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All extensions, whether they may be together or not.
    pub fn all(&self) -> ExtensionSet {
        super::low_bits(self.names.len() as u32) as u64
    }

    /// The extension or named set of a name.
    pub fn find(&self, name: &str) -> Option<ExtensionSet> {
        let extension = self.names.iter().position(|known| known == name);
        let set = || self.sets.iter().find(|(known, _)| known == name).map(|(_, set)| *set);
        extension.map(|bit| 1 << bit).or_else(set)
    }

    /// The set together with all extensions that it implies.
    pub fn closed(&self, mut set: ExtensionSet) -> ExtensionSet {
        loop {
            let before = set;
            for implied in self.implied.iter().filter(|implied| implied.needed & !before == 0) {
                set |= implied.added;
            }
            if set == before {
                return set;
            }
        }
    }

    /// The first requirement that a set does not meet.
    pub fn unmet(&self, set: ExtensionSet) -> Option<&Required> {
        self.required.iter().find(|one| one.when.holds(set) && !one.then.holds(set))
    }

    /// Whether an implementation may have exactly these extensions.
    pub fn allows(&self, set: ExtensionSet) -> bool {
        self.closed(set) == set && self.unmet(set).is_none()
    }

    /// Conditions that hold together for every allowed set, and for no other set.
    pub fn conditions(&self) -> Vec<ExtensionCondition> {
        let implied = self.implied.iter().map(|implied| {
            let lacks = ExtensionCondition::all_of(implied.needed).not();
            lacks.and_then(|lacks| lacks.or(&ExtensionCondition::all_of(implied.added)))
        });
        let required = self.required.iter().map(|required| required.when.not()?.or(&required.then));
        implied.chain(required).flatten().collect()
    }

    /// The names of extensions.
    pub fn names_of(&self, set: ExtensionSet) -> impl Iterator<Item = &str> {
        let all = self.names.iter().enumerate();
        all.filter(move |(bit, _)| set >> bit & 1 == 1).map(|(_, name)| name.as_str())
    }

    /// The set in words: `Zba, Zbb`, or "no extension" for the empty set.
    pub fn text_of(&self, set: ExtensionSet) -> String {
        match set {
            0 => "no extension".to_string(),
            _ => self.names_of(set).collect::<Vec<_>>().join(", "),
        }
    }

    /// The extensions that a condition needs, in words: `extension Zbb`, `extension C and not Zcmp, or Zce`, `an
    /// implementation without E`.
    pub fn needs(&self, presence: &ExtensionCondition) -> String {
        // A term that only excludes extensions needs none.
        if presence.terms().iter().all(|term| term.needed == 0) && !presence.is_always() {
            let term = |term: &Term| {
                format!(
                    "without {}",
                    self.names_of(term.excluded).collect::<Vec<_>>().join(" and ")
                )
            };
            let all: Vec<String> = presence.terms().iter().map(term).collect();
            return format!("an implementation {}", all.join(" or "));
        }
        let term = |term: &Term| {
            let needed = self.names_of(term.needed).map(str::to_string);
            let excluded = self.names_of(term.excluded).map(|name| format!("not {name}"));
            needed.chain(excluded).collect::<Vec<_>>().join(" and ")
        };
        let all: Vec<String> = presence.terms().iter().map(term).collect();
        let plural = if presence.support().count_ones() > 1 { "s" } else { "" };
        let is_long = all.len() > 1 && all.iter().any(|text| text.contains(' '));
        format!("extension{plural} {}", all.join(if is_long { ", or " } else { " or " }))
    }

    /// A condition as the language writes it: `Zba and not Zbb or C`.
    pub fn condition(&self, presence: &ExtensionCondition) -> String {
        let term = |term: &Term| {
            let needed = self.names_of(term.needed).map(str::to_string);
            let excluded = self.names_of(term.excluded).map(|name| format!("not {name}"));
            needed.chain(excluded).collect::<Vec<_>>().join(" and ")
        };
        presence.terms().iter().map(term).collect::<Vec<_>>().join(" or ")
    }
}

/// The sets of extensions that have an item: sets that meet at least one of the terms.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExtensionCondition(Vec<Term>);

/// Sets that have some extensions and lack others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Term {
    /// The extensions that a set has.
    pub needed: ExtensionSet,
    /// Extensions that the set must not have.
    pub excluded: ExtensionSet,
}

impl Default for ExtensionCondition {
    fn default() -> ExtensionCondition {
        ExtensionCondition::always()
    }
}

impl ExtensionCondition {
    /// The maximum number of terms.
    pub const MAX_TERMS: usize = 64;

    /// Every set has it.
    pub fn always() -> ExtensionCondition {
        ExtensionCondition::all_of(0)
    }

    /// No set has it.
    pub fn never() -> ExtensionCondition {
        ExtensionCondition(Vec::new())
    }

    /// The sets with all of some extensions have it.
    pub fn all_of(needed: ExtensionSet) -> ExtensionCondition {
        ExtensionCondition(vec![Term { needed, excluded: 0 }])
    }

    /// Its terms; no term is a part of another.
    pub fn terms(&self) -> &[Term] {
        &self.0
    }

    /// Whether every set has it.
    pub fn is_always(&self) -> bool {
        self.0.iter().any(|term| term.needed | term.excluded == 0)
    }

    /// Whether no set has it.
    pub fn is_never(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a set has it.
    pub fn holds(&self, set: ExtensionSet) -> bool {
        self.truth(ExtensionSet::MAX, set) == Some(true)
    }

    /// Whether sets with `known` extensions as in `set` have it, if that is decided.
    pub fn truth(&self, known: ExtensionSet, set: ExtensionSet) -> Option<bool> {
        let mut truth = Some(false);
        for term in &self.0 {
            let is_false = (term.needed & !set | term.excluded & set) & known != 0;
            if !is_false && (term.needed | term.excluded) & !known == 0 {
                return Some(true);
            }
            if !is_false {
                truth = None;
            }
        }
        truth
    }

    /// The extensions on which the condition depends.
    pub fn support(&self) -> ExtensionSet {
        self.0.iter().fold(0, |bits, term| bits | term.needed | term.excluded)
    }

    /// The sets that have this and the other; `None` if that takes too many terms.
    pub fn and(&self, other: &ExtensionCondition) -> Option<ExtensionCondition> {
        let pairs = self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a, b)));
        ExtensionCondition::of(
            pairs.map(|(a, b)| Term {
                needed: a.needed | b.needed,
                excluded: a.excluded | b.excluded,
            }),
        )
    }

    /// The sets that have this or the other; `None` if that takes too many terms.
    pub fn or(&self, other: &ExtensionCondition) -> Option<ExtensionCondition> {
        ExtensionCondition::of(self.0.iter().chain(&other.0).copied())
    }

    /// The sets that do not have it; `None` if that takes too many terms.
    pub fn not(&self) -> Option<ExtensionCondition> {
        self.0.iter().try_fold(ExtensionCondition::always(), |all, term| {
            let bits =
                |set: ExtensionSet| (0..64).map(|bit| 1 << bit).filter(move |b| set & b != 0);
            let lacks = bits(term.needed).map(|bit| Term { needed: 0, excluded: bit });
            let has = bits(term.excluded).map(|bit| Term { needed: bit, excluded: 0 });
            all.and(&ExtensionCondition(lacks.chain(has).collect()))
        })
    }

    /// Drops terms that no set meets and terms that are a part of another term.
    fn of(terms: impl Iterator<Item = Term>) -> Option<ExtensionCondition> {
        let terms: BTreeSet<Term> = terms.filter(|term| term.needed & term.excluded == 0).collect();
        let is_part = |term: &Term| {
            terms.iter().any(|other| {
                other != term
                    && other.needed & !term.needed == 0
                    && other.excluded & !term.excluded == 0
            })
        };
        let kept: Vec<Term> = terms.iter().filter(|term| !is_part(term)).copied().collect();
        (kept.len() <= ExtensionCondition::MAX_TERMS).then_some(ExtensionCondition(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation against every set of three extensions.
    #[test]
    fn conditions_mean_what_their_sets_say() {
        let mut all = vec![ExtensionCondition::always(), ExtensionCondition::never()];
        all.extend((0..3).map(|bit| ExtensionCondition::all_of(1 << bit)));
        for _ in 0..2 {
            let known = all.clone();
            for a in &known {
                let not = a.not().expect("few terms");
                assert!((0..8).all(|set| not.holds(set) != a.holds(set)));
                all.push(not);
                for b in &known {
                    let (and, or) = (a.and(b).expect("few terms"), a.or(b).expect("few terms"));
                    for set in 0..8 {
                        assert_eq!(and.holds(set), a.holds(set) && b.holds(set));
                        assert_eq!(or.holds(set), a.holds(set) || b.holds(set));
                    }
                    all.extend([and, or]);
                }
            }
            all.sort();
            all.dedup();
        }
        for presence in &all {
            for known in 0..8u64 {
                for set in (0..8).filter(|set| set & !known == 0) {
                    let of = |open: u64| presence.holds(set | open & !known);
                    if let Some(truth) = presence.truth(known | !7, set) {
                        assert!((0..8).all(|open| of(open) == truth));
                    }
                }
            }
        }
    }
}
