//! The texts of the values of an operand type: each denotes a single value.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::ast::{Ident, OperandMeaning};
use crate::source::Span;

/// The texts that are already used.
#[derive(Default)]
pub(super) struct Texts<'a> {
    names: HashMap<Cow<'a, str>, Span>,
    /// Names that end in a number in its usual notation, by the text before it.
    numbered: HashMap<Cow<'a, str>, BTreeMap<i128, Span>>,
    /// Ranges of registers by their prefix.
    registers: HashMap<Cow<'a, str>, Runs>,
    integers: Runs,
    /// Whether case does not matter.
    folds_case: bool,
}

/// A text that is already used.
pub(super) struct Clash<'a> {
    pub(super) name: Ident<'a>,
    /// The text, possibly one of several in a range.
    pub(super) text: String,
    pub(super) first: Span,
}

/// Disjoint ranges of numbers.
#[derive(Default)]
pub(super) struct Runs {
    /// First number, last number and location of ranges that came in ascending order, as most do.
    rising: Vec<(i128, i128, Span)>,
    /// The others by their first number: last number and place.
    others: BTreeMap<i128, (i128, Span)>,
}

impl Runs {
    /// The least number from `low` to `high` that is already used, and where.
    fn find(&self, low: i128, high: i128) -> Option<(i128, Span)> {
        let rising = || {
            let at = self.rising.partition_point(|(_, last, _)| *last < low);
            let (first, _, span) = self.rising.get(at)?;
            (*first <= high).then_some(((*first).max(low), *span))
        };
        let others = || {
            let before =
                self.others.range(..=low).next_back().filter(|(_, (last, _))| *last >= low);
            let (first, (_, span)) = before.or_else(|| self.others.range(low..=high).next())?;
            Some(((*first).max(low), *span))
        };
        let rising = if self.is_rising(low) { None } else { rising() };
        rising.into_iter().chain(others()).min_by_key(|(number, _)| *number)
    }

    /// Whether a number is greater than all that came in ascending order.
    fn is_rising(&self, low: i128) -> bool {
        self.rising.last().is_none_or(|(_, last, _)| *last < low)
    }

    /// Adds the numbers, unless one is already used. Then returns the least used number and its location.
    pub(super) fn take(&mut self, low: i128, high: i128, span: Span) -> Option<(i128, Span)> {
        let found = self.find(low, high);
        match found {
            Some(_) => {}
            None if self.is_rising(low) => self.rising.push((low, high, span)),
            None => drop(self.others.insert(low, (high, span))),
        }
        found
    }
}

impl<'a> Texts<'a> {
    /// None yet; whether case does not matter.
    pub(super) fn new(folds_case: bool) -> Texts<'a> {
        Texts { folds_case, ..Texts::default() }
    }

    fn folded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.folds_case { text.to_ascii_lowercase().into() } else { text.into() }
    }

    /// Adds the texts of an entry; returns a text that is already used, if any.
    pub(super) fn take(&mut self, meaning: &OperandMeaning<'a>) -> Option<Clash<'a>> {
        match meaning {
            OperandMeaning::Named { name, .. }
            | OperandMeaning::Float(name)
            | OperandMeaning::Literal(name) => self.name(*name, name.text.into()),
            OperandMeaning::Run { name, first, last, step, .. } => {
                let (first, last) = (first.value, last.value.max(first.value));
                match step.map(|step| step.value).filter(|step| (2..=last).contains(step)) {
                    None => self.run(*name, first, last),
                    Some(step) => {
                        let most = crate::resolve::types::operand::MAX_APART;
                        let numbers = (0..most).map(|at| first + at * step);
                        let mut numbers = numbers.take_while(|number| *number <= last);
                        numbers.find_map(|number| self.run(*name, number, number))
                    }
                }
            }
            OperandMeaning::Integers { first, last } => {
                let (low, high) = (first.value.min(last.value), first.value.max(last.value));
                let (value, taken) = self.integers.take(low, high, first.span)?;
                let name = Ident { text: "", span: first.span };
                Some(Clash { name, text: value.to_string(), first: taken })
            }
        }
    }

    /// Adds the spellings of an entry; returns one that is already used, if any.
    pub(super) fn take_spelled(&mut self, at: Ident<'a>, all: &[String]) -> Option<Clash<'a>> {
        let mut first = None;
        for text in all {
            let clash = self.name(at, text.clone().into());
            first = first.or(clash);
        }
        first
    }

    /// Adds a text that is given at a place.
    fn name(&mut self, name: Ident<'a>, text: Cow<'a, str>) -> Option<Clash<'a>> {
        let folded = self.folded(&text).into_owned();
        let mut first = self.names.insert(folded.into(), name.span);
        for (prefix, number) in numbered(&text) {
            let prefix = Cow::Owned(self.folded(prefix).into_owned());
            let run = self.registers.get(&prefix).and_then(|runs| runs.find(number, number));
            first = first.or(run.map(|(_, span)| span));
            self.numbered.entry(prefix).or_default().insert(number, name.span);
        }
        first.map(|first| Clash { name, text: text.into_owned(), first })
    }

    fn run(&mut self, name: Ident<'a>, low: i128, high: i128) -> Option<Clash<'a>> {
        let prefix = self.folded(name.text);
        let named = self.numbered.get(&prefix).and_then(|names| names.range(low..=high).next());
        let named = named.map(|(number, span)| (*number, *span));
        let run = self.registers.entry(prefix).or_default().take(low, high, name.span);
        let (number, first) = run.or(named)?;
        Some(Clash { name, text: format!("{}{number}", name.text), first })
    }
}

/// The ways to read a name as a prefix and a number.
fn numbered(name: &str) -> impl Iterator<Item = (&str, i128)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    // A register number does not have more digits than this.
    (1..=digits.min(9)).filter_map(move |count| {
        let (prefix, number) = name.split_at(name.len() - count);
        let written = number == "0" || !number.starts_with('0');
        Some((prefix, number.parse().ok()?)).filter(|_| written)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    /// The least used number is found in any order of ranges.
    #[test]
    fn the_least_number_that_is_taken_is_found() {
        let file = SourceMap::new().add("runs", b"x".to_vec());
        let given = [(10, 19), (30, 39), (5, 6), (50, 50), (20, 22), (0, 1), (41, 45), (7, 9)];
        let mut runs = Runs::default();
        let mut owners: Vec<Option<Span>> = vec![None; 60];
        for (index, (low, high)) in given.into_iter().enumerate() {
            let span = Span { file, start: index as u32, end: index as u32 };
            assert_eq!(runs.take(low, high, span), None);
            owners[low as usize..=high as usize].fill(Some(span));
            for low in 0..60 {
                for high in low..60 {
                    let expected = (low..=high).find_map(|at| Some((at, owners[at as usize]?)));
                    assert_eq!(runs.find(low, high), expected, "{low} to {high}");
                }
            }
        }
        let taken = Span { file, start: 3, end: 3 };
        assert_eq!(runs.take(46, 55, taken), Some((50, taken)));
    }
}
