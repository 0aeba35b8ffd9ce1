//! Exact answers to questions about instruction words: is there a word with these fixed bits that
//! satisfies these constraints?
//!
//! The answer is found by a search over partial words (`search.rs`): bits are decided one after
//! another, and a branch ends when the interval (`interval.rs`) of a constraint (`constraint.rs`) no
//! longer depends on the remaining bits. Budgets count evaluated operators, so that a verdict is the same on every machine.

mod constraint;
mod interval;
mod search;
mod words;

use constraint::{Condition, Constraint};
use search::search;
pub use words::{Wanted, Word, Words};

use crate::isa::{Expr, Field, Isa, NameId, Opcode, RuleScope};

/// The maximum number of operators that are evaluated for one answer, unless a budget is given.
const BUDGET: u64 = 1 << 24;

/// A partial word: some of its bits are known.
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

    /// The bits known by either; `None` if they contradict each other.
    fn and(self, other: Partial) -> Option<Partial> {
        let agrees = (self.value ^ other.value) & self.known & other.known == 0;
        let both = Partial { known: self.known | other.known, value: self.value | other.value };
        agrees.then_some(both)
    }
}

/// The number of operators that may still be evaluated.
pub(crate) struct Budget(u64);

impl Budget {
    /// A budget of a number of operators.
    pub(crate) fn of(operators: u64) -> Budget {
        Budget(operators)
    }

    /// Spends some; `None` if not enough are left.
    fn take(&mut self, operators: u64) -> Option<()> {
        self.0 = self.0.checked_sub(operators)?;
        Some(())
    }
}

/// The answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There is such a word: this one, with 0 in all bits that do not matter.
    Word(u128),
    /// There is none.
    None,
    /// The budget did not suffice.
    Undecided,
}

/// Constraints that a word must satisfy.
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
    pub(crate) fn legal<'q>(&'q self, opcode: &'q Opcode) -> Question<'q> {
        let fixed = Partial { known: opcode.mask, value: opcode.value };
        let fields = opcode.fields.iter().filter_map(|field| self.legal_field(field));
        let rules = opcode.rules.iter().map(|id| self.isa.rule(*id));
        let rules = rules.filter(|rule| rule.scope == RuleScope::Word).map(|rule| {
            let condition = self.isa.expr(rule.condition);
            Constraint::Condition(Condition::new(opcode, condition, false))
        });
        Question { fixed, constraints: fields.chain(rules).collect() }
    }

    /// Asks for a word that has the fixed bits of an opcode and legal values in some of its fields.
    pub(crate) fn typed<'q>(&'q self, opcode: &'q Opcode, names: &[NameId]) -> Question<'q> {
        let fixed = Partial { known: opcode.mask, value: opcode.value };
        let fields = opcode.fields.iter().filter(|field| names.contains(&field.name));
        Question { fixed, constraints: fields.filter_map(|f| self.legal_field(f)).collect() }
    }

    fn legal_field<'q>(&'q self, field: &'q Field) -> Option<Constraint<'q>> {
        let holes = self.holes[field.ty.index()].as_slice();
        (!holes.is_empty()).then_some(Constraint::Legal { field, holes })
    }
}

impl<'q> Question<'q> {
    /// Requires more bits; `None` if they contradict those that are fixed.
    pub(crate) fn with(mut self, bits: Partial) -> Option<Question<'q>> {
        self.fixed = self.fixed.and(bits)?;
        Some(self)
    }

    /// Asks for a word that does not have these bits.
    pub(crate) fn without(mut self, bits: Partial) -> Question<'q> {
        self.constraints.push(Constraint::Outside(bits));
        self
    }

    /// Asks for a word whose fields make a condition hold, or fail.
    pub(crate) fn where_condition(
        mut self,
        opcode: &'q Opcode,
        condition: &'q Expr,
        holds: bool,
    ) -> Question<'q> {
        self.constraints.push(Constraint::Condition(Condition::new(opcode, condition, holds)));
        self
    }

    /// Answers the question.
    pub(crate) fn answer(&self) -> Answer {
        self.answer_within(&mut Budget::of(BUDGET))
    }

    /// Answers it within the rest of a budget.
    pub(crate) fn answer_within(&self, budget: &mut Budget) -> Answer {
        search(self.fixed, &self.constraints, budget)
    }
}
