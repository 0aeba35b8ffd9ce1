//! Differences of rules.

use isadl::dump;
use isadl::isa::{Isa, Opcode, RuleScope};

use super::kind::Kind;
use super::opcodes::{Forms, layers};
use super::places::{Key, Place, Places};
use super::{Change, Pair};
use crate::markdown::expressions;

/// A rule of an opcode.
#[derive(Clone)]
struct Rule {
    kind: String,
    message: String,
    scope: RuleScope,
    /// The condition with the names of values.
    condition: String,
    /// The condition with the numbers of values.
    numbers: String,
}

impl Rule {
    /// Whether the condition is the same; values may have other names or other numbers.
    fn is_alike(&self, other: &Rule) -> bool {
        self.condition == other.condition || self.numbers == other.numbers
    }

    fn item(&self) -> String {
        format!("rule \"{}\"", self.message)
    }
}

fn rules(isa: &Isa, opcode: &Opcode, renamed: &dyn Fn(&str) -> String) -> Vec<Rule> {
    let rules = opcode.rules.iter().map(|id| isa.rule(*id));
    let rule = |rule: &isadl::isa::Rule| {
        let expr = isa.expr(rule.condition);
        Rule {
            kind: rule.kind.clone(),
            message: rule.message.clone(),
            scope: rule.scope,
            condition: renamed(&expressions::text(isa, opcode, expr)),
            numbers: renamed(&dump::expr(isa, expr)),
        }
    };
    rules.map(rule).collect()
}

fn place(isa: &Isa, opcode: &Opcode, rule: &Rule, places: &Places) -> Option<Place> {
    let key = |layer: &str| Key::Rule(layer.to_string(), rule.message.clone());
    places.first(layers(isa, opcode).map(key))
}

fn scope(scope: RuleScope) -> String {
    let whom = match scope {
        RuleScope::Word => "everyone: the word is illegal",
        RuleScope::Assembler => "assemblers: the word is legal",
    };
    whom.to_string()
}

impl Pair<'_> {
    pub(super) fn rules(&mut self, forms: &Forms<'_>) {
        let mut olds = rules(self.old, forms.was, &|text| forms.renamed(text));
        let mut news = rules(self.new, forms.is, &str::to_string);
        self.matched(forms, (&mut olds, &mut news), |old, new| {
            old.is_alike(new) && (&old.message, &old.kind) == (&new.message, &new.kind)
        });
        self.matched(forms, (&mut olds, &mut news), |old, new| {
            (&old.message, &old.kind) == (&new.message, &new.kind)
        });
        self.matched(forms, (&mut olds, &mut news), Rule::is_alike);
        let opcode = [forms.is.name.as_str()];
        for rule in olds {
            let place = (place(self.old, forms.was, &rule, self.places.0), None);
            let change = Change(format!("if {}", rule.condition), String::new());
            self.add(Kind::RuleRemoved, rule.item(), change, place, &opcode);
        }
        for rule in news {
            let place = (None, place(self.new, forms.is, &rule, self.places.1));
            let change = Change(String::new(), format!("if {}", rule.condition));
            self.add(Kind::RuleAdded, rule.item(), change, place, &opcode);
        }
    }

    /// Takes the pairs that belong together out of the lists, and reports how they differ.
    fn matched(
        &mut self,
        forms: &Forms<'_>,
        (olds, news): (&mut Vec<Rule>, &mut Vec<Rule>),
        belong: impl Fn(&Rule, &Rule) -> bool,
    ) {
        let mut left = Vec::new();
        for old in std::mem::take(olds) {
            match news.iter().position(|new| belong(&old, new)) {
                Some(at) => self.rule(forms, &old, &news.remove(at)),
                None => left.push(old),
            }
        }
        *olds = left;
    }

    fn rule(&mut self, forms: &Forms<'_>, old: &Rule, new: &Rule) {
        let place = (
            place(self.old, forms.was, old, self.places.0),
            place(self.new, forms.is, new, self.places.1),
        );
        let opcode = [forms.is.name.as_str()];
        if !old.is_alike(new) {
            let change = Change(format!("if {}", old.condition), format!("if {}", new.condition));
            self.add(Kind::RuleCondition, new.item(), change, place.clone(), &opcode);
        }
        if old.scope != new.scope {
            let change = Change(scope(old.scope), scope(new.scope));
            self.add(Kind::RuleScope, new.item(), change, place.clone(), &opcode);
        }
        if (&old.message, &old.kind) != (&new.message, &new.kind) {
            let say = |rule: &Rule| format!("{}, \"{}\"", rule.kind, rule.message);
            let change = Change(say(old), say(new));
            self.add(Kind::RuleMessage, old.item(), change, place, &opcode);
        }
    }
}
