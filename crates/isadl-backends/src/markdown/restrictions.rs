//! Rules: the restrictions of an operation, and the page of all rules.

use std::collections::{BTreeMap, BTreeSet};

use isadl_ir::isa::{Generations, RuleOrigin, RuleScope};

use super::book::Book;
use super::operation::Operation;
use super::page_writer::PageWriter;
use super::pages::{Kind, relative};
use super::text::{Table, code, message, plain, plural};
use super::view::{RuleText, rule_text};

/// A rule with the forms that it applies to.
pub(super) struct Restriction {
    rule: RuleText,
    /// The generations of each form.
    forms: Vec<(String, Generations)>,
}

/// The maximum number of operations that a rule lists.
const MAX_LISTED: usize = 16;

/// The page of rules.
pub(super) const RULES: &str = "rules.md";

/// The anchor of the heading of a kind of rules.
fn anchor(kind: &str) -> String {
    format!("kind-{}", kind.to_lowercase())
}

impl Operation<'_> {
    /// The rules of its forms, in order.
    pub(super) fn rules(&self) -> Vec<Restriction> {
        let mut rules: Vec<Restriction> = Vec::new();
        for form in &self.forms {
            for variant in &form.variants {
                for rule in &variant.is.rules {
                    let known = rules.iter().position(|known| known.rule == *rule);
                    let at = known.unwrap_or_else(|| {
                        rules.push(Restriction { rule: rule.clone(), forms: Vec::new() });
                        rules.len() - 1
                    });
                    rules[at].add(&form.name, variant.generations);
                }
            }
        }
        rules
    }
}

impl Restriction {
    fn add(&mut self, form: &str, generations: Generations) {
        match self.forms.iter_mut().find(|(name, _)| name == form) {
            Some((_, known)) => *known = known.union(generations),
            None => self.forms.push((form.to_string(), generations)),
        }
    }

    pub(super) fn restriction(&self, operation: &Operation<'_>, number: usize) -> String {
        let book = operation.book;
        let rule = &self.rule;
        let kind = format!(
            "[{}]({}#{})",
            plain(&rule.kind),
            relative(&operation.page, RULES),
            anchor(&rule.kind)
        );
        let who = match rule.scope {
            RuleScope::Word => "Illegal",
            RuleScope::Assembler => "Refused by the assembler",
        };
        let mut text =
            format!("{number}. {} {who} if {}", message(&rule.message), condition(&rule.condition));
        text += &format!(" ({kind}).");
        let names: Vec<String> = self.forms.iter().map(|(name, _)| code(name)).collect();
        if self.forms.len() < operation.forms.len() {
            text += &format!(" Only {}.", names.join(", "));
        }
        let is_in_all = |(name, set): &(String, Generations)| {
            let form = operation.forms.iter().find(|form| form.name == *name);
            form.is_none_or(|form| form.generations() == *set)
        };
        if !self.forms.iter().all(is_in_all) {
            let all =
                self.forms.iter().fold(Generations::default(), |all, (_, set)| all.union(*set));
            text += &format!(" Only in {}.", book.names(all));
        }
        text + "\n"
    }
}

/// A condition in words: `1` holds for every word.
fn condition(text: &str) -> String {
    if text.trim() == "1" { "used at all".to_string() } else { code(text) }
}

/// The rules of one kind.
#[derive(Default)]
struct OfKind {
    /// The optypes and generations of each rule.
    rules: Vec<(RuleText, BTreeSet<String>, Generations)>,
}

/// The page of all rules, by kind.
pub(super) fn write(book: &Book<'_>, writer: &mut PageWriter) {
    let mut kinds: BTreeMap<String, OfKind> = BTreeMap::new();
    for isa in book.isas() {
        for opcode in isa.opcodes() {
            for id in opcode.rules.iter().filter(|id| isa.rule(**id).origin != RuleOrigin::Value) {
                let rule = rule_text(isa, &book.sources, opcode, *id);
                let kind = kinds.entry(rule.kind.clone()).or_default();
                let known = kind.rules.iter().position(|(known, ..)| *known == rule);
                let at = known.unwrap_or_else(|| {
                    kind.rules.push((rule, BTreeSet::new(), Generations::default()));
                    kind.rules.len() - 1
                });
                let (_, optypes, generations) = &mut kind.rules[at];
                *generations = generations.union(isa.describes());
                optypes
                    .extend(opcode.optypes.iter().map(|o| isa.optypes()[o.index()].name.clone()));
            }
        }
    }
    let mut text = String::from(
        "# Rules\n\nA word is not an instruction if it has too few bytes, if it does not have the fixed bits of any form \
         (see the [index by encoding](encodings.md)), if a field has a value that its [type](types.md) does not define, \
         or if a rule forbids it. If the rule is for assemblers, the word is legal, but tools refuse to produce it.\n\n",
    );
    if kinds.is_empty() {
        text += "There are none.\n";
    }
    for (name, kind) in &kinds {
        text += &format!("## Kind {}\n\n{}\n", plain(name), table(book, kind));
    }
    writer.page(RULES, "Rules", 0, &text);
}

fn table(book: &Book<'_>, kind: &OfKind) -> String {
    let mut table = Table::new(&["Message", "Holds if", "Refused by", "Operations", "Generations"]);
    for (rule, optypes, generations) in &kind.rules {
        let links = optypes.iter().map(|name| book.link(Kind::Optype, name, RULES));
        let who = match rule.scope {
            RuleScope::Word => "everyone",
            RuleScope::Assembler => "assembler",
        };
        table.row(vec![
            message(&rule.message),
            condition(&rule.condition),
            who.to_string(),
            match optypes.len() {
                count if count > MAX_LISTED => plural(count, "operation"),
                _ => links.collect::<Vec<_>>().join(", "),
            },
            book.label(*generations),
        ]);
    }
    table.render()
}
