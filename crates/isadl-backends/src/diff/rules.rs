//! Differences of rules.

use isadl_ir::dump;
use isadl_ir::isa::{Expr, Field, Isa, Opcode, OpcodeId, RuleScope};
use isadl_prove::{Effort, Word, Words};

use super::kind::Kind;
use super::opcodes::{Forms, layers};
use super::places::{Key, Places, SourceLine};
use super::report::Finding;
use super::{Change, Pair};
use crate::wording::expressions;

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
    expr: Expr,
}

/// How the conditions of two rules differ.
enum Difference {
    /// They hold for the same words.
    None,
    /// They differ; the text names a word for which only one of them holds.
    Word(String),
    /// Their fields differ, or the search would take too long.
    Unknown,
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
    let rule = |rule: &isadl_ir::isa::Rule| {
        let expr = isa.expr(rule.condition);
        Rule {
            kind: rule.kind.clone(),
            message: rule.message.clone(),
            scope: rule.scope,
            condition: renamed(&expressions::text(isa, opcode, expr)),
            numbers: renamed(&dump::expr(isa, expr)),
            expr: expr.clone(),
        }
    };
    rules.map(rule).collect()
}

fn place(isa: &Isa, opcode: &Opcode, rule: &Rule, places: &Places) -> Option<SourceLine> {
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

/// Rewrites a condition of the old version over the fields of the new version; `None` if a field differs.
fn translated(old: &Isa, new: &Isa, forms: &Forms<'_>, expr: &Expr) -> Option<Expr> {
    let inner = |expr: &Expr| Some(Box::new(translated(old, new, forms, expr)?));
    Some(match expr {
        Expr::Int(value) => Expr::Int(*value),
        Expr::Field(name, reading) => {
            let was = forms.was.field(*name)?;
            let is_it = |field: &&Field| {
                new.name_of(field.name) == forms.new_name(old.name_of(*name))
                    && field.bits == was.bits
            };
            Expr::Field(forms.is.fields.iter().find(is_it)?.name, *reading)
        }
        Expr::Extensions(_) if old.extensions().names == new.extensions().names => expr.clone(),
        Expr::Extensions(_) => return None,
        Expr::Unary(op, operand) => Expr::Unary(*op, inner(operand)?),
        Expr::Binary(op, left, right) => Expr::Binary(*op, inner(left)?, inner(right)?),
        Expr::Call(function, arguments) => {
            let arguments = arguments.iter().map(|one| translated(old, new, forms, one));
            Expr::Call(*function, arguments.collect::<Option<Vec<Expr>>>()?)
        } // The name is that of the field, which is in the expression too.
    })
}

/// Compares two conditions by the words of the new version that satisfy them.
fn difference(old: &Isa, new: &Isa, forms: &Forms<'_>, [was, is]: [&Rule; 2]) -> Difference {
    if was.is_alike(is) {
        return Difference::None;
    }
    let is_it = |id: &OpcodeId| std::ptr::eq(new.opcode(*id), forms.is);
    let (Some(before), Some(id)) =
        (translated(old, new, forms, &was.expr), new.opcode_ids().find(is_it))
    else {
        return Difference::Unknown;
    };
    let words = Words::with(new, Effort::Check);
    let mut found = Difference::None;
    let sides = [("new", &is.expr, &before), ("old", &before, &is.expr)];
    for (version, first, second) in sides {
        match words.apart(id, first, second) {
            Word::Found(word) => {
                let digits = forms.is.width as usize / 4;
                let name = &forms.is.name;
                return Difference::Word(format!(
                    "the word 0x{:0digits$x} of `{name}` breaks only the {version} rule",
                    new.numbering(forms.is).number(word)
                ));
            }
            Word::Impossible => {}
            Word::Undecided => found = Difference::Unknown,
        }
    }
    found
}

impl Pair<'_> {
    pub(super) fn rules(&mut self, forms: &Forms<'_>) {
        let mut olds = rules(self.old, forms.was, &|text| forms.renamed(text));
        let mut news = rules(self.new, forms.is, &str::to_string);
        self.matched(forms, (&mut olds, &mut news), |old, new| {
            old.is_alike(new) && (&old.message, &old.kind) == (&new.message, &new.kind)
        });
        let (before, after) = (self.old, self.new);
        let is_equal = |old: &Rule, new: &Rule| {
            matches!(difference(before, after, forms, [old, new]), Difference::None)
        };
        self.matched(forms, (&mut olds, &mut news), |old, new| {
            (&old.message, &old.kind) == (&new.message, &new.kind) && is_equal(old, new)
        });
        self.matched(forms, (&mut olds, &mut news), |old, new| {
            (&old.message, &old.kind) == (&new.message, &new.kind)
        });
        self.matched(forms, (&mut olds, &mut news), Rule::is_alike);
        self.matched(forms, (&mut olds, &mut news), is_equal);
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
        let difference = difference(self.old, self.new, forms, [old, new]);
        if !matches!(difference, Difference::None) {
            let condition = |rule: &Rule| Some(format!("if {}", rule.condition));
            let finding = Finding {
                kind: Kind::RuleCondition,
                item: new.item(),
                was: condition(old),
                is: condition(new),
                old: place.0.clone(),
                new: place.1.clone(),
            };
            self.report.add(finding.clone(), &opcode, self.generations);
            if let Difference::Word(witness) = difference {
                self.report.show(&finding, witness);
            }
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
