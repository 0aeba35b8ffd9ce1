//! The texts by which the values of an operand type are written: each stands for one value.

use std::collections::{BTreeMap, HashMap};

use crate::ast::{Ident, OperandMeaning};
use crate::source::Span;

/// The texts that are taken.
#[derive(Default)]
pub(super) struct Texts<'a> {
    names: HashMap<&'a str, Span>,
    /// Names that end in a number as it would be written, by what is before it.
    numbered: HashMap<&'a str, BTreeMap<i128, Span>>,
    /// Runs of registers by their prefix.
    registers: HashMap<&'a str, Runs>,
    integers: Runs,
}

/// A text that is taken already.
pub(super) struct Clash<'a> {
    pub(super) name: Ident<'a>,
    /// The text, which is one of several in a run.
    pub(super) text: String,
    pub(super) first: Span,
}

/// Disjoint runs of numbers by their first: their last and place.
#[derive(Default)]
struct Runs(BTreeMap<i128, (i128, Span)>);

impl Runs {
    /// The least number from `low` to `high` that is taken, and by what.
    fn find(&self, low: i128, high: i128) -> Option<(i128, Span)> {
        let before = self.0.range(..=low).next_back().filter(|(_, (last, _))| *last >= low);
        let within = || self.0.range(low..=high).next();
        before.or_else(within).map(|(first, (_, span))| ((*first).max(low), *span))
    }

    /// Takes the numbers, unless one is taken.
    fn take(&mut self, low: i128, high: i128, span: Span) -> Option<(i128, Span)> {
        let found = self.find(low, high);
        if found.is_none() {
            self.0.insert(low, (high, span));
        }
        found
    }
}

impl<'a> Texts<'a> {
    /// Takes the texts of an entry; tells of one that is taken.
    pub(super) fn take(&mut self, meaning: &OperandMeaning<'a>) -> Option<Clash<'a>> {
        match meaning {
            OperandMeaning::Named { name, .. }
            | OperandMeaning::Float(name)
            | OperandMeaning::Literal(name) => self.name(*name),
            OperandMeaning::Run { name, first, last } => {
                self.run(*name, first.value, last.value.max(first.value))
            }
            OperandMeaning::Integers { first, last } => {
                let (low, high) = (first.value.min(last.value), first.value.max(last.value));
                let (value, taken) = self.integers.take(low, high, first.span)?;
                let name = Ident { text: "", span: first.span };
                Some(Clash { name, text: value.to_string(), first: taken })
            }
        }
    }

    fn name(&mut self, name: Ident<'a>) -> Option<Clash<'a>> {
        let mut first = self.names.insert(name.text, name.span);
        for (prefix, number) in numbered(name.text) {
            let run = self.registers.get(prefix).and_then(|runs| runs.find(number, number));
            first = first.or(run.map(|(_, span)| span));
            self.numbered.entry(prefix).or_default().insert(number, name.span);
        }
        first.map(|first| Clash { name, text: name.text.to_string(), first })
    }

    fn run(&mut self, name: Ident<'a>, low: i128, high: i128) -> Option<Clash<'a>> {
        let run = self.registers.entry(name.text).or_default().take(low, high, name.span);
        let named = self.numbered.get(name.text).and_then(|names| names.range(low..=high).next());
        let named = named.map(|(number, span)| (*number, *span));
        let (number, first) = run.or(named)?;
        Some(Clash { name, text: format!("{}{number}", name.text), first })
    }
}

/// The ways to read a name as a prefix and a number.
fn numbered(name: &str) -> impl Iterator<Item = (&str, i128)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    // More digits than this are no number of a register.
    (1..=digits.min(9)).filter_map(move |count| {
        let (prefix, number) = name.split_at(name.len() - count);
        let written = number == "0" || !number.starts_with('0');
        Some((prefix, number.parse().ok()?)).filter(|_| written)
    })
}
