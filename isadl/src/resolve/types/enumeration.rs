//! Bit-field types: the values of enumerators and their spellings.
//!
//! Codes: E0301, E0302, W0303, E0304, E0307, E1007.

use std::collections::{HashMap, HashSet};

use super::Subject;
use crate::ast::{self, Ident};
use crate::diagnostic::{Code, Diagnostic, bits};
use crate::isa::{Enumerator, TypeKind};
use crate::resolve::Resolver;
use crate::source::Span;

/// The previous value, which an enumerator without a value follows.
#[derive(PartialEq)]
enum Before {
    /// A value that fits, or none.
    Fits,
    /// A value that is too large, so that all that follow are too large as well.
    TooLarge,
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn enumeration(
        &mut self,
        subject: Subject<'a>,
        ty: &'a ast::BitFieldType<'a>,
    ) -> TypeKind {
        // After a broken line all implicit values may differ.
        let counts = subject.definition.broken.is_empty();
        let mut list: Vec<(Enumerator, &'a ast::Enumerator<'a>)> = Vec::new();
        let mut names: HashMap<&str, &'a ast::Enumerator<'a>> = HashMap::new();
        let mut values: HashMap<i128, Ident<'a>> = HashMap::new();
        let mut next: i128 = 0;
        let mut before = Before::Fits;
        for given in &ty.enumerators {
            if let Some(first) = names.insert(given.name.text, given) {
                match (first.value, given.value) {
                    (Some(first_value), Some(value)) if first.name.span == given.name.span => {
                        self.second_value(given.name, value, first_value);
                    }
                    _ => self.duplicate_name(given.name, first.name.span, "in this type"),
                }
                self.gap(subject);
                continue;
            }
            let value = given.value.map_or(next, |value| value.value);
            next = value.saturating_add(1);
            if value >= subject.limit() {
                let follows = given.value.is_none() && before == Before::TooLarge;
                if !follows && (counts || given.value.is_some()) {
                    self.value_too_large(subject, given, value);
                }
                before = Before::TooLarge;
            } else {
                before = Before::Fits;
                let first = values.insert(value, given.name).filter(|_| counts);
                first.into_iter().for_each(|first| self.used_twice(value, given.name, first));
            }
            let raw = value as u64;
            self.guarded(subject, (raw, raw), given.guard.as_deref());
            list.push((self.enumerator_of(subject, given, value), given));
        }
        if ty.enumerators.is_empty() && counts {
            let header = subject.definition.header;
            let diagnostic = Diagnostic::new(Code::E0307, "bit-field type without values", header)
                .with_help("add its values, `NAME;` or `NAME = value;`");
            self.report(diagnostic);
            self.gap(subject);
        }
        hide_negatives(&mut list);
        self.check_spellings(&list);
        for (enumerator, given) in &list {
            self.check_silent_guard(enumerator, given);
        }
        let names = list.iter().map(|(_, given)| given.name);
        self.model.types[subject.id.index()].values = names.collect();
        TypeKind::BitField(list.into_iter().map(|(enumerator, _)| enumerator).collect())
    }

    /// Omitted text means one value in every set of extensions.
    fn check_silent_guard(&mut self, value: &Enumerator, given: &'a ast::Enumerator<'a>) {
        let names = self.model.names_of_guards();
        let depends = |guard: &&ast::Guard<'a>| names.has_extension(&guard.condition);
        let guard = given.guard.as_deref().filter(depends);
        if let Some(guard) = guard.filter(|_| value.spelling.is_empty()) {
            let span = guard.span;
            let message = "a value that is written as nothing cannot depend on extensions";
            let diagnostic = Diagnostic::new(Code::E1007, message, span)
                .with_note("text without it would mean something else in other sets")
                .with_help("guard other values of the type, or the opcodes");
            self.report(diagnostic);
        }
    }

    /// Resolves an enumerator. It defines a name of its type even if its value is too large.
    fn enumerator_of(
        &mut self,
        subject: Subject<'a>,
        given: &'a ast::Enumerator<'a>,
        value: i128,
    ) -> Enumerator {
        let format = given.format.as_ref().map(|format| self.number_format(format, None));
        if format == Some(None) {
            self.gap(subject);
        }
        let spelling = given.spelling.unwrap_or(given.name).text;
        Enumerator {
            name: given.name.text.to_string(),
            value: value as u64,
            spelling: spelling.to_string(),
            also: given.also.iter().map(|other| other.text.to_string()).collect(),
            format: format.flatten(),
            doc: given.doc.join(" "),
        }
    }

    /// Reports a second value of a name in the same generation.
    fn second_value(&mut self, name: Ident<'a>, value: ast::Int, first: ast::Int) {
        let message = format!("`{}` has two values in one generation", name.text);
        let diagnostic = Diagnostic::new(Code::E0304, message, value.span)
            .with_related(first.span, "the first is here")
            .with_note("the guards of the values of a name do not share a generation");
        self.report(diagnostic.with_help("correct one of the two guards"));
    }

    fn used_twice(&mut self, value: i128, name: Ident<'a>, first: Ident<'a>) {
        let message = format!("value {value} is used twice");
        let diagnostic = Diagnostic::new(Code::W0303, message, name.span)
            .with_related(first.span, format!("`{}` has the same value", first.text))
            .with_note("an instruction with this value is always printed with the first name");
        self.report(diagnostic);
    }

    fn value_too_large(
        &mut self,
        subject: Subject<'a>,
        given: &'a ast::Enumerator<'a>,
        value: i128,
    ) {
        let limit = subject.limit();
        let (width, largest) = (bits(u64::from(limit.ilog2())), limit - 1);
        let diagnostic = match given.value {
            Some(int) => {
                let message = format!("value {} does not fit in {width}", self.written(int.span));
                Diagnostic::new(Code::E0302, message, int.span)
                    .with_label(format!("the largest is {largest}"))
            }
            None => {
                let message = format!("too many values for {width}");
                Diagnostic::new(Code::E0301, message, given.name.span)
                    .with_label(format!("this would be {value}, the largest is {largest}"))
                    .with_help("widen the type, or give the values explicitly")
            }
        };
        self.report(diagnostic);
    }

    /// Reports values that are written alike, since assembly text cannot distinguish them.
    fn check_spellings(&mut self, list: &[(Enumerator, &'a ast::Enumerator<'a>)]) {
        let folds_case = self.model.isa.as_ref().is_some_and(|isa| isa.folds_case);
        let folded = |text: &str| match folds_case {
            true => text.to_ascii_lowercase(),
            false => text.to_string(),
        };
        let mut seen: HashMap<String, Span> = HashMap::new();
        for (_, given) in list.iter().filter(|(enumerator, _)| !enumerator.spelling.is_empty()) {
            let spelling = given.spelling.unwrap_or(given.name);
            if let Some(first) = seen.insert(folded(spelling.text), spelling.span) {
                self.duplicate_name(spelling, first, "in this type");
            }
        }
        for other in list.iter().flat_map(|(_, given)| &given.also) {
            if let Some(first) = seen.insert(folded(other.text), other.span) {
                self.duplicate_name(*other, first, "in this type");
            }
        }
    }
}

/// Hides names that consist of `No` and another name, unless they have a spelling.
fn hide_negatives(list: &mut [(Enumerator, &ast::Enumerator<'_>)]) {
    let names: HashSet<&str> = list.iter().map(|(_, given)| given.name.text).collect();
    for (enumerator, given) in list {
        let negated = given.name.text.strip_prefix("No");
        if given.spelling.is_none() && negated.is_some_and(|name| names.contains(name)) {
            enumerator.spelling.clear();
        }
    }
}
