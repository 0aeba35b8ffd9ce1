//! Exact answers to questions about instruction words: is there a word with given fixed bits that satisfies given
//! constraints?
//!
//! The prover searches over partial words (`search.rs`). It decides bits one by one, and a branch ends when the
//! interval (`interval.rs`) of a constraint (`constraint.rs`) no longer depends on the remaining bits. Budgets count
//! evaluated operators, so that a verdict is the same on every machine.

mod constraint;
mod interval;
mod joint;
mod pairs;
mod report;
mod search;
mod values;
mod words;

use std::cell::Cell;
use std::rc::Rc;

use isadl_ir::isa;

use constraint::{All, Condition, Constraint};
pub use joint::{Both, Joint};
pub use pairs::sharing;
pub use report::Proof;
use search::search;
pub use values::{most, values_for_which};
pub use words::{Wanted, Word, Words};

use isadl_ir::isa::{
    Expr, ExtensionCondition, ExtensionSet, Field, Isa, Opcode, RuleId, RuleOrigin, RuleScope,
    SpecialCase, low_bits,
};

/// How much is tried before a question remains open. Effort counts evaluated operators, never time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// As much as each compilation can afford: about a second for all questions.
    Check,
    /// As much as a proof may take: minutes.
    Full,
}

impl Effort {
    /// Limit on evaluated operators per question.
    pub fn per_question(self) -> u64 {
        match self {
            Effort::Check => 1 << 21,
            Effort::Full => 1 << 30,
        }
    }

    /// Limit on evaluated operators for all questions about one generation.
    pub fn in_total(self) -> u64 {
        match self {
            Effort::Check => 1 << 25,
            Effort::Full => 1 << 34,
        }
    }
}

/// A partial word: some of its bits are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partial {
    /// The bits that are known.
    pub known: u128,
    /// Their values; 0 for the others.
    pub value: u128,
}

impl Partial {
    /// Returns the word with one more known bit.
    fn with(self, bit: u32, value: bool) -> Partial {
        let known = self.known | 1 << bit;
        Partial { known, value: self.value | u128::from(value) << bit }
    }

    /// The bits known by either; `None` if they contradict each other.
    pub fn and(self, other: Partial) -> Option<Partial> {
        let agrees = (self.value ^ other.value) & self.known & other.known == 0;
        let both = Partial { known: self.known | other.known, value: self.value | other.value };
        agrees.then_some(both)
    }
}

/// The extra bits that model a set of extensions in the search: from bit 127 down, above the bits of any word.
/// [`Extensions`](crate::isa::Extensions) and words are at most 128 bits together.
pub fn bits_of(set: ExtensionSet) -> u128 {
    u128::from(set).reverse_bits()
}

/// The set of extensions of an answer, if they are `all` that there are.
pub fn set_of(word: u128, all: ExtensionSet) -> ExtensionSet {
    (word.reverse_bits() as u64) & all
}

/// The number of operators that may still be evaluated.
struct Budget(u64);

impl Budget {
    /// Spends some; `None` if not enough are left.
    fn take(&mut self, operators: u64) -> Option<()> {
        self.0 = self.0.checked_sub(operators)?;
        Some(())
    }
}

/// The answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// There is such a word: this word, with 0 in all irrelevant bits.
    Word(u128),
    /// There is none.
    None,
    /// The budget did not suffice.
    Undecided,
}

/// Constraints that a word must satisfy.
#[derive(Clone)]
pub struct Question<'q> {
    fixed: Partial,
    constraints: Vec<Constraint<'q>>,
}

/// A condition that must fail, made once for many questions.
pub struct Failing<'q>(Constraint<'q>);

impl<'q> Failing<'q> {
    /// That a condition of an opcode fails.
    pub fn new(opcode: &'q Opcode, condition: &'q Expr) -> Failing<'q> {
        Failing(Constraint::Condition(Condition::new(opcode, condition, false)))
    }
}

/// Asks questions about the words of an instruction set.
pub struct Prover<'i> {
    isa: &'i Isa,
    /// The illegal values of each type.
    reserved_values: Vec<Vec<(u64, u128)>>,
    /// Conditions that every allowed set of extensions meets.
    allowed: Vec<ExtensionCondition>,
    /// The only set of extensions that is asked about, if not all are.
    set: Option<ExtensionSet>,
    effort: Effort,
    /// Operators evaluated for all questions so far.
    spent: Cell<u64>,
    questions: Cell<u64>,
}

impl<'i> Prover<'i> {
    /// Asks about an instruction set, with this effort for each question and for all.
    pub fn new(isa: &'i Isa, effort: Effort) -> Prover<'i> {
        let reserved_values = isa.types().iter().map(|ty| ty.reserved_values()).collect();
        let allowed = isa.extensions().conditions();
        Prover {
            isa,
            reserved_values,
            allowed,
            set: None,
            effort,
            spent: Cell::new(0),
            questions: Cell::new(0),
        }
    }

    /// How much is tried.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Operators evaluated so far.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Questions answered so far.
    pub fn questions(&self) -> u64 {
        self.questions.get()
    }

    /// Answers a question.
    pub fn answer(&self, question: &Question<'_>) -> Answer {
        self.within_budget(|budget| search(question.fixed, &question.constraints, budget))
    }

    /// Answers one question within the remaining budget.
    fn within_budget<A>(&self, answer: impl FnOnce(&mut Budget) -> A) -> A {
        let left = self.effort.in_total().saturating_sub(self.spent.get());
        let given = left.min(self.effort.per_question());
        let mut budget = Budget(given);
        let answer = answer(&mut budget);
        self.spent.set(self.spent.get() + (given - budget.0));
        self.questions.set(self.questions.get() + 1);
        answer
    }

    /// Asks for a word that has the fixed bits of an opcode and is legal for it.
    pub fn legal<'q>(&'q self, opcode: &'q Opcode) -> Question<'q> {
        let mut question = self.types(opcode);
        let rules = opcode.rules.iter().map(|id| self.isa.rule(*id));
        question.constraints.extend(rules.filter(|rule| rule.scope == RuleScope::Word).map(
            |rule| {
                let condition = self.isa.expr(rule.condition);
                Constraint::Condition(Condition::new(opcode, condition, false))
            },
        ));
        question
    }

    /// Asks for a word that has the fixed bits of an opcode and legal values in all of its fields.
    pub fn types<'q>(&'q self, opcode: &'q Opcode) -> Question<'q> {
        let mut question = self.free(opcode);
        let fields = opcode.fields.iter().filter_map(|field| self.legal_field(field));
        question.constraints.extend(fields);
        // Conditions of `Match` count like fixed bits.
        let rules = opcode.rules.iter().map(|id| self.isa.rule(*id));
        let own = rules.filter(|rule| rule.origin == RuleOrigin::Match);
        own.fold(question, |question, rule| {
            question.where_condition(opcode, self.isa.expr(rule.condition), false)
        })
    }

    /// Asks for a legal word of an opcode that does not belong to a special case.
    pub fn own<'q>(&'q self, opcode: &'q Opcode) -> Question<'q> {
        let cases = opcode.special_cases.iter();
        cases.fold(self.legal(opcode), |question, case| question.without_case(case, u128::MAX))
    }

    /// Asks for a word that an assembler generates for an opcode, or for a word that breaks exactly the given rule.
    ///
    /// The word has legal values, is not a word of a special case, and breaks no other rule, including rules for
    /// assemblers.
    pub fn made<'q>(&'q self, opcode: &'q Opcode, breaks: Option<RuleId>) -> Question<'q> {
        let mut question = self.types(opcode);
        for id in &opcode.rules {
            let condition = self.isa.expr(self.isa.rule(*id).condition);
            question = question.where_condition(opcode, condition, breaks == Some(*id));
        }
        let width_mask = opcode.width_mask;
        let cases = opcode.special_cases.iter();
        cases.fold(question, |question, case| question.without_case(case, width_mask))
    }

    /// Asks for any word with the fixed bits of an opcode.
    pub fn free<'q>(&'q self, opcode: &'q Opcode) -> Question<'q> {
        let all = if self.set.is_some() { self.isa.extensions().all() } else { 0 };
        let fixed = Partial {
            known: opcode.mask | bits_of(all),
            value: opcode.value | bits_of(self.set.unwrap_or(0)),
        };
        let own = std::iter::once(&opcode.requires).filter(|requires| !requires.is_always());
        let constraints = own.chain(&self.allowed).map(Constraint::Extensions);
        Question { fixed, constraints: constraints.collect() }
    }

    /// Asks for a word with the fixed bits of an opcode that no assembler generates: one question for each reason.
    pub fn broken<'q>(&'q self, opcode: &'q Opcode) -> Vec<Question<'q>> {
        let rules = opcode.rules.iter().map(|id| self.isa.expr(self.isa.rule(*id).condition));
        let rules =
            rules.map(|condition| self.free(opcode).where_condition(opcode, condition, true));
        let width_mask = opcode.width_mask;
        let cases = opcode.special_cases.iter().filter_map(|case| {
            let bits = Partial { known: case.mask & width_mask, value: case.value & width_mask };
            Some(self.free(opcode).with(bits)?.with_set(&case.requires))
        });
        rules.chain(cases).collect()
    }

    fn legal_field<'q>(&'q self, field: &'q Field) -> Option<Constraint<'q>> {
        let reserved_values = self.reserved_values[field.ty.index()].as_slice();
        (!reserved_values.is_empty()).then_some(Constraint::Legal { field, reserved_values })
    }
}

impl<'q> Question<'q> {
    /// Requires more bits; `None` if they contradict the fixed bits.
    pub fn with(mut self, bits: Partial) -> Option<Question<'q>> {
        self.fixed = self.fixed.and(bits)?;
        Some(self)
    }

    /// Asks for a word that answers another question too; `None` if fixed bits contradict each other.
    pub fn and(mut self, other: Question<'q>) -> Option<Question<'q>> {
        self.fixed = self.fixed.and(other.fixed)?;
        self.constraints.extend(other.constraints);
        Some(self)
    }

    /// The bits that conditions and excluded words depend on.
    pub fn support(&self) -> u128 {
        let lasting = self.constraints.iter().filter(|of| !matches!(of, Constraint::Legal { .. }));
        lasting.fold(0, |bits, constraint| bits | constraint.support())
    }

    /// Whether bits contradict the fixed bits.
    pub fn contradicts(&self, bits: Partial) -> bool {
        self.fixed.and(bits).is_none()
    }

    /// Whether more bits leave no word, as far as that is seen at once.
    pub fn excludes(&self, bits: Partial) -> bool {
        let Some(bits) = self.fixed.and(bits) else { return true };
        self.constraints.iter().any(|constraint| constraint.truth(bits) == Some(false))
    }

    /// Whether only its own type limits the lowest `open` bits of a field, if the other bits come from a word.
    pub fn is_free(&self, field: &Field, open: u32, word: u128) -> bool {
        let bits = field.bits.place(low_bits(open) as u64);
        let others = Partial { known: !bits, value: word & !bits };
        self.constraints.iter().all(|of| match of {
            Constraint::Legal { field: own, .. } if std::ptr::eq(*own, field) => true,
            _ => of.truth(others) == Some(true),
        })
    }

    /// The fixed bits of a field; 0 for the others.
    pub fn value_of(&self, field: &Field) -> u64 {
        field.extract(self.fixed.value)
    }

    /// Asks for a word that does not have these bits.
    pub fn without(mut self, bits: Partial) -> Question<'q> {
        self.constraints.push(Constraint::Outside(bits));
        self
    }

    /// Asks for a word outside a special case, as far as the bits in `width_mask` decide: it lacks the bits of the
    /// case, or the extensions are absent.
    pub fn without_case(self, case: &'q SpecialCase, width_mask: u128) -> Question<'q> {
        let bits = Partial { known: case.mask & width_mask, value: case.value & width_mask };
        if case.requires.is_always() {
            return self.without(bits);
        }
        let constraints = vec![Constraint::Extensions(&case.requires)];
        self.unlike(Question { fixed: bits, constraints })
    }

    /// Asks for a word with a set of extensions that meets a condition.
    pub fn with_set(mut self, presence: &'q ExtensionCondition) -> Question<'q> {
        if !presence.is_always() {
            self.constraints.push(Constraint::Extensions(presence));
        }
        self
    }

    /// Asks for a word that does not answer another question.
    pub fn unlike(mut self, other: Question<'q>) -> Question<'q> {
        let all = All::new(other.fixed, other.constraints);
        self.constraints.push(Constraint::Not(Rc::new(all)));
        self
    }

    /// Asks for a word whose fields make a condition fail.
    pub fn failing(mut self, condition: &Failing<'q>) -> Question<'q> {
        self.constraints.push(condition.0.clone());
        self
    }

    /// Asks for a word whose fields make a condition hold, or fail.
    pub fn where_condition(
        mut self,
        opcode: &'q Opcode,
        condition: &'q Expr,
        holds: bool,
    ) -> Question<'q> {
        self.constraints.push(Constraint::Condition(Condition::new(opcode, condition, holds)));
        self
    }
}
