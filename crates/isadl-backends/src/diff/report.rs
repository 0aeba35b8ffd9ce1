//! The findings of a comparison; findings with the same cause are merged.

use std::collections::{BTreeMap, BTreeSet};

use super::kind::{Class, Kind};
use super::places::SourceLine;

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The kind of difference.
    pub kind: Kind,
    /// The item that differs, such as "field `rd`".
    pub item: String,
    /// The old state; `None` if there is nothing to report.
    pub was: Option<String>,
    /// The new state.
    pub is: Option<String>,
    /// The line of the old specification.
    pub old: Option<SourceLine>,
    /// The line of the new specification.
    pub new: Option<SourceLine>,
}

/// The opcodes and generations that a difference affects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Affected {
    /// Names of opcodes, as the new specification has them if it does.
    pub opcodes: BTreeSet<String>,
    /// Names of generations.
    pub generations: BTreeSet<String>,
    /// A word that shows the difference, in words; of the first opcode.
    pub witness: Option<String>,
}

/// All differences between two specifications.
#[derive(Debug, Clone, Default)]
pub struct Report {
    findings: BTreeMap<Finding, Affected>,
}

impl Report {
    pub(super) fn add(&mut self, finding: Finding, opcodes: &[&str], generations: &[String]) {
        let affected = self.findings.entry(finding).or_default();
        affected.opcodes.extend(opcodes.iter().map(|name| (*name).to_string()));
        affected.generations.extend(generations.iter().cloned());
    }

    /// Records a word that shows a difference, unless there is one already.
    pub(super) fn show(&mut self, finding: &Finding, witness: String) {
        if let Some(affected) = self.findings.get_mut(finding) {
            affected.witness.get_or_insert(witness);
        }
    }

    /// The differences, strict kinds first.
    pub fn findings(&self) -> impl ExactSizeIterator<Item = (&Finding, &Affected)> {
        self.findings.iter()
    }

    /// The number of differences of a class.
    pub fn count(&self, class: Class) -> usize {
        self.findings.keys().filter(|finding| finding.kind.class() == class).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}
