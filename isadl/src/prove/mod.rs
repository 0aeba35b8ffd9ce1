//! Questions about instruction words, answered exactly: is there a word with these fixed bits for
//! which these constraints hold?
//!
//! A search over partial words (`search.rs`): bits are decided one after another, and a constraint
//! that no longer depends on the rest, by its interval (`interval.rs`), ends a branch. Budgets
//! count steps, so that a verdict repeats on every machine.

mod constraint;
mod interval;
mod search;

use constraint::Constraint;
use search::search;

use crate::isa::{Isa, Opcode, RuleScope};

/// Steps of the search for one answer.
const BUDGET: u32 = 1 << 20;

/// What is known of a word: some of its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Partial {
    /// The bits that are known.
    pub(crate) known: u128,
    /// Their values; 0 for the others.
    pub(crate) value: u128,
}

impl Partial {
    /// The word with one more bit.
    fn with(self, bit: u32, value: bool) -> Partial {
        let known = self.known | 1 << bit;
        Partial { known, value: self.value | u128::from(value) << bit }
    }

    /// What is known by both; `None` if they contradict each other.
    pub(crate) fn and(self, other: Partial) -> Option<Partial> {
        let agrees = (self.value ^ other.value) & self.known & other.known == 0;
        let both = Partial { known: self.known | other.known, value: self.value | other.value };
        agrees.then_some(both)
    }
}

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There is such a word: this one, with 0 in all bits that do not matter.
    Word(u128),
    /// There is none.
    None,
    /// The budget did not suffice.
    Undecided,
}

/// Constraints that a word must meet.
#[derive(Clone)]
pub(crate) struct Question<'q> {
    fixed: Partial,
    constraints: Vec<Constraint<'q>>,
}

/// Asks questions about the words of an instruction set.
pub(crate) struct Prover<'i> {
    isa: &'i Isa,
    /// The illegal values of each type.
    holes: Vec<Vec<(u64, u128)>>,
}

impl<'i> Prover<'i> {
    pub(crate) fn new(isa: &'i Isa) -> Prover<'i> {
        Prover { isa, holes: isa.types().iter().map(|ty| ty.holes()).collect() }
    }

    /// Asks for a word that has the fixed bits of an opcode and is legal for it.
    pub(crate) fn legal(&self, opcode: &'i Opcode) -> Question<'_> {
        let fixed = Partial { known: opcode.mask, value: opcode.value };
        let fields = opcode.fields.iter().filter_map(|field| {
            let holes = self.holes[field.ty.index()].as_slice();
            (!holes.is_empty()).then_some(Constraint::Legal { field, holes })
        });
        let rules = opcode.rules.iter().map(|id| self.isa.rule(*id));
        let rules = rules.filter(|rule| rule.scope == RuleScope::Word);
        let rules = rules
            .map(|rule| Constraint::Fails { condition: self.isa.expr(rule.condition), opcode });
        Question { fixed, constraints: fields.chain(rules).collect() }
    }
}

impl Question<'_> {
    /// Asks for more bits; `None` if they contradict those that are fixed.
    pub(crate) fn with(mut self, bits: Partial) -> Option<Self> {
        self.fixed = self.fixed.and(bits)?;
        Some(self)
    }

    /// Asks for a word that does not have these bits.
    pub(crate) fn without(mut self, bits: Partial) -> Self {
        self.constraints.push(Constraint::Outside(bits));
        self
    }

    /// Answers it.
    pub(crate) fn answer(&self) -> Answer {
        search(self.fixed, &self.constraints, BUDGET)
    }
}
