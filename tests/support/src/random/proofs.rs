//! The truth about the words of a small instruction set, found by examining every word: opcodes that share a word,
//! useless opcodes, rules, values and defaults, and impossible widths. The prover is not used.

use std::collections::{BTreeMap, BTreeSet};

use isadl::isa::{
    Binding, Expr, ExprId, Field, FieldRole, Isa, NameId, Opcode, OpcodeId, RuleId, RuleOrigin,
    RuleScope, TypeKind,
};

use crate::oracle::{self, Verdict};

/// The expected findings, by names. A rule is an opcode and a number.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Opcodes that share a legal word with an earlier opcode, with the first such opcode.
    pub sharing: BTreeMap<String, String>,
    /// Opcodes without a word of their own, for several reasons.
    pub dead: BTreeSet<String>,
    /// Rules that forbid every word.
    pub always: BTreeSet<(String, usize)>,
    /// Rules that never hold.
    pub never: BTreeSet<(String, usize)>,
    /// Rules that hold for words of special cases only.
    pub special: BTreeSet<(String, usize)>,
    /// Rules that follow from others.
    pub implied: BTreeSet<(String, usize)>,
    /// Values of enumerations, type and name, that no word has.
    pub unseen: BTreeSet<(String, String)>,
    /// Opcodes with an operand that lacks a value for several reasons.
    pub lost: BTreeSet<String>,
    /// Fields whose default is never legal.
    pub defaults: BTreeSet<(String, String)>,
    /// Opcodes whose defaults are never legal together.
    pub together: BTreeSet<String>,
    /// Operands, opcode and name, that some word gives more bits than their register file has.
    pub too_wide: BTreeSet<(String, String)>,
    /// Opcodes with a condition of a read or write that is the same in all of their words.
    pub constant: BTreeSet<String>,
    /// Operands that some word gives no bits.
    pub too_narrow: BTreeSet<(String, String)>,
}

/// The words of an opcode.
struct Words<'i> {
    opcode: &'i Opcode,
    /// Those with its fixed bits and legal values in all fields.
    typed: Vec<u128>,
    /// Those that rules do not forbid either.
    legal: Vec<u128>,
    /// Those that no special case takes either.
    own: Vec<u128>,
}

impl<'i> Words<'i> {
    fn of(isa: &'i Isa, id: OpcodeId) -> Words<'i> {
        let opcode = &isa.opcodes()[id.index()];
        let mut words = Words { opcode, typed: Vec::new(), legal: Vec::new(), own: Vec::new() };
        for word in 0..1u128 << isa.width() {
            if word & opcode.mask != opcode.value {
                continue;
            }
            match oracle::verdict(isa, id, word) {
                Verdict::Legal { .. } => {
                    words.typed.push(word);
                    words.legal.push(word);
                    if oracle::candidates(isa, word).contains(&id) {
                        words.own.push(word);
                    }
                }
                // A rule that is not written: an operand is a literal that the instruction does not have.
                Verdict::Rule { .. } if is_literal(isa, opcode, word) => {}
                Verdict::Rule { .. } => words.typed.push(word),
                Verdict::IllegalValue { .. } | Verdict::Unknown => {}
            }
        }
        words
    }
}

fn is_implied(isa: &Isa, rule: RuleId) -> bool {
    let rule = &isa.rules()[rule.index()];
    rule.kind == "Literal" || rule.origin == RuleOrigin::Match
}

fn is_literal(isa: &Isa, opcode: &Opcode, word: u128) -> bool {
    let mut implied = opcode.rules.iter().filter(|rule| is_implied(isa, **rule));
    implied.any(|rule| oracle::breaks(isa, opcode, word, *rule))
}

/// Looks at every word.
pub fn truth(isa: &Isa) -> Truth {
    let words: Vec<Words<'_>> = isa.opcode_ids().map(|id| Words::of(isa, id)).collect();
    let mut truth = Truth::default();
    sharing(&words, &mut truth);
    let rules = rules(isa, &words, &mut truth);
    for words in words.iter().filter(|words| words.own.is_empty()) {
        // A form with a literal is an opcode of its own.
        if !words.opcode.rules.iter().any(|rule| forbids_all(isa, words, *rule)) {
            truth.dead.insert(words.opcode.name.clone());
        }
    }
    useless_rules(isa, &words, &rules, &mut truth);
    values(isa, &words, &mut truth);
    defaults(isa, &words, &mut truth);
    widths(isa, &words, &mut truth);
    conditions(isa, &words, &mut truth);
    truth
}

fn conditions(isa: &Isa, words: &[Words<'_>], truth: &mut Truth) {
    // A form with a literal has the same conditions.
    let mut values: BTreeMap<(&str, ExprId), BTreeSet<bool>> = BTreeMap::new();
    for words in words.iter().filter(|words| !words.own.is_empty()) {
        let opcode = words.opcode;
        for condition in opcode.flow.iter().filter_map(|item| item.condition) {
            let holds = |word: &u128| oracle::holds(isa, opcode, *word, condition);
            let of = values.entry((&opcode.name, condition)).or_default();
            of.extend(words.own.iter().map(holds));
        }
    }
    let constant = values.into_iter().filter(|(_, values)| values.len() == 1);
    truth.constant.extend(constant.map(|((name, _), _)| name.to_string()));
}

fn sharing(words: &[Words<'_>], truth: &mut Truth) {
    for (at, second) in words.iter().enumerate() {
        let own: BTreeSet<u128> = second.own.iter().copied().collect();
        let shares = |first: &&Words<'_>| first.own.iter().any(|word| own.contains(word));
        if let Some(first) = words[..at].iter().find(shares) {
            let name = second.opcode.name.clone();
            truth.sharing.entry(name).or_insert_with(|| first.opcode.name.clone());
        }
    }
}

/// Whether a rule forbids every word of an opcode; an unwritten rule does not.
fn forbids_all(isa: &Isa, words: &Words<'_>, rule: RuleId) -> bool {
    isa.rules()[rule.index()].scope == RuleScope::Word
        && !is_implied(isa, rule)
        && words.own.is_empty()
        && !words.typed.is_empty()
        && words.typed.iter().all(|word| oracle::breaks(isa, words.opcode, *word, rule))
}

/// A rule as written, with the indexes of the opcodes that have it: one opcode, or two if there is a literal.
type Rules = BTreeMap<(String, usize), Vec<(usize, RuleId)>>;

fn rules(isa: &Isa, words: &[Words<'_>], truth: &mut Truth) -> Rules {
    let mut rules = Rules::new();
    for (index, words) in words.iter().enumerate() {
        let written = words.opcode.rules.iter().filter(|rule| !is_implied(isa, **rule));
        for (at, id) in written.enumerate() {
            let key = (words.opcode.name.clone(), at);
            rules.entry(key.clone()).or_default().push((index, *id));
            if forbids_all(isa, words, *id) {
                truth.always.insert(key);
            }
        }
    }
    rules
}

fn useless_rules(isa: &Isa, words: &[Words<'_>], rules: &Rules, truth: &mut Truth) {
    let scope = |id: RuleId| isa.rules()[id.index()].scope;
    let mut dropped: BTreeSet<(String, usize)> = truth.always.clone();
    for (key, places) in rules.iter().rev() {
        if dropped.contains(key) {
            continue;
        }
        let holds = |index: usize, id: RuleId| {
            let words = &words[index];
            words
                .typed
                .iter()
                .copied()
                .filter(move |word| oracle::breaks(isa, words.opcode, *word, id))
        };
        let is_own = |index: usize, word: &u128| {
            oracle::candidates(isa, *word).iter().any(|id| id.index() == index)
        };
        let is_left = |index: usize, own: RuleId, word: u128| {
            let opcode = words[index].opcode;
            opcode.rules.iter().enumerate().all(|(at, other)| {
                at == key.1
                    || scope(*other) == RuleScope::Assembler && scope(own) == RuleScope::Word
                    || dropped.contains(&(key.0.clone(), at))
                    || !oracle::breaks(isa, opcode, word, *other)
            })
        };
        let any = |test: &dyn Fn(usize, RuleId, u128) -> bool| {
            places.iter().any(|(index, id)| holds(*index, *id).any(|word| test(*index, *id, word)))
        };
        if !any(&|_, _, _| true) {
            truth.never.insert(key.clone());
        } else if !any(&|index, _, word| is_own(index, &word)) {
            truth.special.insert(key.clone());
        } else if !any(&|index, id, word| is_own(index, &word) && is_left(index, id, word))
            && places.iter().all(|(index, _)| !words[*index].own.is_empty())
        {
            truth.implied.insert(key.clone());
            dropped.insert(key.clone());
        }
    }
}

fn is_fixed(field: &Field) -> bool {
    matches!(field.binding, Binding::Fixed(_))
}

fn values(isa: &Isa, words: &[Words<'_>], truth: &mut Truth) {
    for ty in isa.types() {
        let TypeKind::BitField(enumerators) = &ty.kind else { continue };
        let fields: Vec<(&Words<'_>, &Field)> = words
            .iter()
            .flat_map(|words| words.opcode.fields.iter().map(move |field| (words, field)))
            .filter(|(_, field)| isa.types()[field.ty.index()].name == ty.name)
            .collect();
        if fields.iter().all(|(_, field)| is_fixed(field)) {
            continue;
        }
        for enumerator in enumerators {
            let has = |(words, field): &(&Words<'_>, &Field)| {
                let value = enumerator.value;
                // An opcode that is dead is an error, and values that only it has are an echo.
                let has_bits = |opcode: &Opcode| {
                    (field.extract(opcode.value) ^ value) & field.extract(opcode.mask) == 0
                };
                words.own.iter().any(|word| field.extract(*word) == value)
                    || words.own.is_empty() && has_bits(words.opcode)
            };
            if !fields.iter().any(has) {
                truth.unseen.insert((ty.name.clone(), enumerator.name.clone()));
            }
        }
    }
    for words in words.iter().filter(|words| !words.own.is_empty()) {
        let opcode = words.opcode;
        let is_operand =
            |field: &&Field| matches!(field.role, FieldRole::Operand | FieldRole::Part { .. });
        let operands = opcode.encoded().filter(is_operand);
        for field in operands.filter(|field| !is_fixed(field)) {
            let having = |list: &[u128], value: u64| -> Vec<u128> {
                list.iter().copied().filter(|word| field.extract(*word) == value).collect()
            };
            let all: BTreeSet<u64> = words.typed.iter().map(|word| field.extract(*word)).collect();
            for value in all.into_iter().filter(|value| having(&words.own, *value).is_empty()) {
                let typed = having(&words.typed, value);
                let of_rule = |id: &&RuleId| {
                    isa.rules()[id.index()].scope == RuleScope::Word
                        && mentions(isa, **id, field.name)
                        && typed.iter().all(|word| oracle::breaks(isa, opcode, *word, **id))
                };
                let is_excluded = opcode.rules.iter().find(of_rule).is_some()
                    || opcode
                        .special_cases
                        .iter()
                        .any(|case| typed.iter().all(|word| case.takes(*word)));
                if !is_excluded {
                    truth.lost.insert(opcode.name.clone());
                }
            }
        }
    }
}

fn mentions(isa: &Isa, rule: RuleId, name: NameId) -> bool {
    fn has(expr: &Expr, name: NameId) -> bool {
        match expr {
            Expr::Int(_) => false,
            Expr::Field(other, _) => *other == name,
            Expr::Unary(_, operand) => has(operand, name),
            Expr::Binary(_, left, right) => has(left, name) || has(right, name),
            Expr::Extensions(_) => false,
            Expr::Call(_, arguments) => arguments.iter().any(|argument| has(argument, name)),
        }
    }
    has(&isa.exprs()[isa.rules()[rule.index()].condition.index()], name)
}

fn widths(isa: &Isa, words: &[Words<'_>], truth: &mut Truth) {
    for words in words {
        for word in &words.own {
            for (operand, data) in oracle::data(isa, words.opcode, *word) {
                let place = (words.opcode.name.clone(), operand);
                if data.room.is_some_and(|room| data.bits > room) {
                    truth.too_wide.insert(place.clone());
                }
                if data.bits <= 0 {
                    truth.too_narrow.insert(place);
                }
            }
        }
    }
}

fn defaults(isa: &Isa, words: &[Words<'_>], truth: &mut Truth) {
    for words in words.iter().filter(|words| !words.own.is_empty()) {
        let default = |field: &Field| match field.binding {
            Binding::Default(raw) => Some(raw),
            Binding::Fixed(_) | Binding::Required => None,
        };
        // An operand that is made of fields has no default but theirs.
        let fields =
            words.opcode.fields.iter().filter(|f| words.opcode.composite_operand(f.name).is_none());
        let fields: Vec<(&Field, u64)> = fields.filter_map(|f| Some((f, default(f)?))).collect();
        let is_legal = |fields: &[(&Field, u64)]| {
            let has = |word: &&u128| fields.iter().all(|(f, raw)| f.extract(**word) == *raw);
            words.legal.iter().find(has).is_some()
        };
        if is_legal(&fields) {
            continue;
        }
        let alone: Vec<_> = fields.iter().filter(|field| !is_legal(&[**field])).collect();
        for (field, _) in &alone {
            let name = isa.name_of(field.name).to_string();
            truth.defaults.insert((words.opcode.name.clone(), name));
        }
        if alone.is_empty() {
            truth.together.insert(words.opcode.name.clone());
        }
    }
}
