//! Operand types: the registers and constants that values select.
//!
//! Codes: E0109, E0304, E0305, E0306, E0307, E0309, E0311.

use std::collections::HashMap;

use super::Subject;
use super::spelling::spellings;
use super::texts::{Runs, Texts};
use crate::ast::{self, Ident, Int, OperandMeaning, RegisterRole};
use crate::diagnostic::{Code, Diagnostic, Old, bits};
use crate::isa::{ConstantBits, Entry, Meaning, OtherName, RegFileId, TypeKind};
use crate::resolve::Resolver;
use crate::source::Span;

/// The maximum length of a chain of includes.
const MAX_INCLUDES: usize = 16;

/// Limit on the names of a range that becomes several entries.
pub(super) const MAX_APART: i128 = 1024;

/// The included types whose entries are collected for a type.
#[derive(Default)]
struct Includes<'a> {
    /// The types on the path from this type to the current type.
    path: Vec<Ident<'a>>,
    /// All of them, with the place of their first include.
    seen: HashMap<&'a str, Span>,
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn operand_type(
        &mut self,
        subject: Subject<'a>,
        ty: &'a ast::OperandType<'a>,
    ) -> TypeKind {
        let mut entries = Vec::new();
        let mut taken = Runs::default();
        let folds_case = self.model.isa.as_ref().is_some_and(|isa| isa.folds_case);
        let (mut texts, mut names) = (Texts::new(folds_case), Texts::default());
        let mut includes = Includes::default();
        let all = self.included(subject, subject.definition, &mut includes);
        let has_spellings = all.iter().any(|given| given.spelling.is_some());
        for given in all {
            let spellings = self.spellings_of(given);
            let written = match (given.spelling, &spellings) {
                (Some(spelling), Some(all)) => texts.take_spelled(spelling, all),
                _ => texts.take(&given.meaning),
            };
            let also = given.also.iter().filter_map(|meaning| texts.take(meaning));
            let mut clashes: Vec<_> = written.into_iter().chain(also).collect();
            // The names that the specification uses for values must be distinct, as well as the names that are read.
            if has_spellings {
                let own = std::iter::once(&given.meaning).chain(&given.also);
                let of_names: Vec<_> = own.filter_map(|meaning| names.take(meaning)).collect();
                if clashes.is_empty() {
                    clashes = of_names;
                }
            }
            for clash in clashes {
                let message = format!("`{}` occurs twice in this type", clash.text);
                let diagnostic = Diagnostic::new(Code::E0304, message, clash.name.span)
                    .with_related(clash.first, "the first is here")
                    .with_help("rename one of the two, or remove it");
                self.report(diagnostic);
                self.gap(subject);
            }
            let made = self.operand_entry(subject, given).zip(spellings);
            let Some((mut entry, spellings)) = made else {
                self.gap(subject);
                self.model.unresolved.extend(given.file.map(|file| file.text));
                continue;
            };
            let apart = self.apart(given, &entry, &spellings);
            // The spellings of a range belong to the entries that it becomes.
            entry.spelling = spellings.into_iter().next();
            let last = entry.value + (entry.count - 1);
            self.guarded(subject, (entry.value, last), given.guard.as_deref());
            if let Some((value, first)) = taken.take(entry.value.into(), last.into(), given.span) {
                self.two_meanings(given.span, value, first);
            }
            match apart {
                Some(apart) => entries.extend(apart),
                None => entries.push(entry),
            }
        }
        if ty.entries.is_empty() && ty.includes.is_empty() && subject.definition.broken.is_empty() {
            let header = subject.definition.header;
            let diagnostic = Diagnostic::new(Code::E0307, "operand type without values", header)
                .with_help("add its values, such as `R[0..254] = 0 : GPR;`");
            self.report(diagnostic);
            self.gap(subject);
        }
        TypeKind::Operand(entries)
    }

    /// The entries of a type: first the entries of included types, then its own. `subject` is the type that they are
    /// collected for.
    fn included(
        &mut self,
        subject: Subject<'a>,
        definition: &'a ast::Definition<'a>,
        includes: &mut Includes<'a>,
    ) -> Vec<&'a ast::OperandEntry<'a>> {
        let ast::DefinitionKind::OperandType(ty) = &definition.kind else { return Vec::new() };
        let mut entries = Vec::new();
        includes.path.push(definition.name);
        for include in &ty.includes {
            match self.include(subject, definition, include.name, includes) {
                Some(other) => entries.extend(self.included(subject, other, includes)),
                None => self.gap(subject),
            }
        }
        includes.path.pop();
        entries.extend(&ty.entries);
        entries
    }

    /// The definition of an included type; reports a type that cannot be included.
    fn include(
        &mut self,
        subject: Subject<'a>,
        of: &'a ast::Definition<'a>,
        name: Ident<'a>,
        includes: &mut Includes<'a>,
    ) -> Option<&'a ast::Definition<'a>> {
        if let Some(at) = includes.path.iter().position(|open| open.text == name.text) {
            self.includes_itself(name, &includes.path[at..]);
            return None;
        }
        if includes.path.len() > MAX_INCLUDES {
            self.included_too_deeply(name, &includes.path);
            return None;
        }
        if let Some(first) = includes.seen.insert(name.text, name.span) {
            let message = format!("`{}` is included twice", name.text);
            let subject = subject.definition.name;
            let diagnostic = Diagnostic::new(Code::E0304, message, name.span)
                .with_related(first, "the first is here")
                .with_related(subject.span, "in the entries of this type")
                .with_removal("keep one of the two", Old::Statement(name.span));
            return self.refused(diagnostic);
        }
        let other = self.operand_type_named(name)?;
        let width = |ty: &ast::Definition<'_>| super::width_of(&ty.kind).map(|width| width.value);
        if width(other) > width(of) {
            let message = format!("`{}` is wider than `{}`", name.text, of.name.text);
            let diagnostic = Diagnostic::new(Code::E0305, message, name.span)
                .with_related(other.name.span, "the type is defined here")
                .with_note("its values would not fit");
            return self.refused(diagnostic);
        }
        if !other.broken.is_empty() {
            self.gap(subject);
        }
        Some(other)
    }

    /// Reports an include once, even if several types lead to it.
    fn refused<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        if self.is_new(diagnostic.code, diagnostic.primary.span) {
            self.report(diagnostic);
        }
        None
    }

    /// Reports a chain of includes that is too long, once for all types that lead to it.
    fn included_too_deeply(&mut self, name: Ident<'a>, path: &[Ident<'a>]) {
        let known = path.iter().filter(|ty| !self.is_new(Code::E0109, ty.span)).count();
        if known == 0 {
            let message = format!("`{}` is included too deeply", name.text);
            let note = format!("a chain of includes has at most {MAX_INCLUDES} types");
            self.report(Diagnostic::new(Code::E0109, message, name.span).with_note(note));
        }
    }

    /// Reports a cycle of includes once, whichever type it begins with.
    fn includes_itself(&mut self, name: Ident<'a>, circle: &[Ident<'a>]) {
        let known = circle.iter().filter(|ty| !self.is_new(Code::E0311, ty.span)).count();
        if known == 0 {
            let message = format!("`{}` includes itself", name.text);
            self.report(Diagnostic::new(Code::E0311, message, name.span));
        }
    }

    /// The operand type that is included; anything else is reported.
    fn operand_type_named(&mut self, name: Ident<'a>) -> Option<&'a ast::Definition<'a>> {
        let id = self.type_of(name)?;
        let known = &self.model.types[id.index()];
        let mut definitions = self.definitions();
        let definition = definitions.find(|definition| definition.name.span == known.name.span)?;
        if let ast::DefinitionKind::OperandType(_) = &definition.kind {
            self.model.included.insert(id);
            return Some(definition);
        }
        if self.is_new(Code::E0311, name.span) {
            let message = format!("`{}` is not an operand type", name.text);
            self.report(Diagnostic::new(Code::E0311, message, name.span));
        }
        None
    }

    fn two_meanings(&mut self, span: Span, value: i128, first: Span) {
        let diagnostic =
            Diagnostic::new(Code::E0309, format!("value {value} has two meanings"), span)
                .with_related(first, "already covered here")
                .with_note("a decoder could not tell which is meant");
        self.report(diagnostic);
    }

    fn operand_entry(
        &mut self,
        subject: Subject<'a>,
        given: &'a ast::OperandEntry<'a>,
    ) -> Option<Entry> {
        let (meaning, count) = match &given.meaning {
            OperandMeaning::Run { name, first, last, step, registers } => {
                let file = given.file.map(|file| self.reg_file_of(file));
                // The prefix is known even if nothing else of the range is.
                let known = self.index.prefixes.entry(name.text).or_insert(None);
                *known = known.or(file.flatten());
                let Some(file) = file else {
                    let why = "a range of registers needs a register file after `:`";
                    return self.impossible(given.span, why);
                };
                let align = self.alignment(given, *first)?;
                let count = self.count_of(&given.meaning)?;
                let has_own = step.is_some() || registers.is_some() || given.spelling.is_some();
                if let (Some(align), true) = (given.align, has_own) {
                    let why =
                        "registers with numbers or spellings of their own do not have an alignment";
                    return self.impossible(align.span, why);
                }
                let (low, high) = match registers {
                    Some((low, high)) if high.value - low.value + 1 != count => {
                        let registers = (high.value - low.value + 1).max(0);
                        let message = format!("there are {count} names of {registers} registers");
                        self.report(Diagnostic::new(Code::E0306, message, low.span).with_help(
                            "give as many of both, or leave out `[…]` where names have the numbers of their registers",
                        ));
                        return None;
                    }
                    Some((low, high)) => (low, high),
                    None => (first, last),
                };
                self.registers(file?, *name, (*low, *high), align)?;
                (
                    self.registers(file?, *name, (*first, *last), align)
                        .filter(|_| registers.is_none())
                        .or_else(|| {
                            let prefix = name.text.to_string();
                            Some(Meaning::Registers {
                                file: file?,
                                prefix,
                                first: first.value as u32,
                                align,
                            })
                        })?,
                    count,
                )
            }
            OperandMeaning::Named { name, role } => {
                let file = match given.file {
                    Some(file) => Some(self.reg_file_of(file)?),
                    None => None,
                };
                (self.named(*name, *role, file)?, 1)
            }
            OperandMeaning::Integers { first, last } => {
                self.check_constant(given);
                (self.integers(*first, *last)?, (last.value - first.value).abs() + 1)
            }
            OperandMeaning::Float(text) => {
                self.check_constant(given);
                (Meaning::Float(text.text.to_string()), 1)
            }
            OperandMeaning::Literal(_) => (Meaning::Literal, 1),
        };
        if let (Some(align), false) = (given.align, is_run(given)) {
            return self.impossible(align.span, "only a range of registers can have an alignment");
        }
        let value = given.value.value;
        if value + count > subject.limit() {
            let width = bits(u64::from(subject.limit().ilog2()));
            let message = match count {
                1 => format!("the value {value} does not fit in {width}"),
                _ => format!("the values {value} to {} do not fit in {width}", value + count - 1),
            };
            return self.impossible(given.value.span, &message);
        }
        let classes = given.classes.iter().map(|class| class.text.to_string()).collect();
        let also = self.other_names(given, count)?;
        let (value, count) = (value as u64, count as u64);
        Some(Entry { value, count, meaning, spelling: None, also, classes })
    }

    /// The texts after `as`, one for each value; none if the names are the texts.
    fn spellings_of(&mut self, given: &'a ast::OperandEntry<'a>) -> Option<Vec<String>> {
        let Some(spellings) = spellings(given) else { return Some(Vec::new()) };
        let fault = match spellings {
            Ok(texts) => return Some(texts),
            Err(fault) => fault,
        };
        let span = given.spelling.map_or(given.span, |spelling| spelling.span);
        let diagnostic = Diagnostic::new(Code::E0306, fault.message, span);
        self.report(match fault.help {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        });
        None
    }

    /// How many names a statement gives.
    fn count_of(&mut self, names: &OperandMeaning<'a>) -> Option<i128> {
        let OperandMeaning::Run { first, last, step, .. } = names else { return Some(1) };
        let distance = last.value - first.value;
        if distance < 0 {
            return self.impossible(last.span, "the last register is below the first");
        }
        let by = step.map_or(1, |step| step.value);
        let span = step.map_or(last.span, |step| step.span);
        match by {
            ..=0 => self.impossible(span, "the step is at least 1"),
            by if distance % by != 0 => {
                self.impossible(span, "no number of steps leads from the first to the last")
            }
            by if by > 1 && distance / by >= MAX_APART => {
                let message = format!("a range with a step has at most {MAX_APART} names");
                self.impossible(span, &message)
            }
            by => Some(distance / by + 1),
        }
    }

    /// The names after `also`, as many in each range as there are values.
    fn other_names(
        &mut self,
        given: &'a ast::OperandEntry<'a>,
        count: i128,
    ) -> Option<Vec<OtherName>> {
        let mut names = Vec::new();
        for other in &given.also {
            let (name, first) = match other {
                OperandMeaning::Run { name, first, .. } => (name, Some(first.value as u32)),
                OperandMeaning::Named { name, .. } | OperandMeaning::Literal(name) => (name, None),
                OperandMeaning::Integers { .. } | OperandMeaning::Float(_) => continue,
            };
            let is_register =
                matches!(given.meaning, OperandMeaning::Run { .. } | OperandMeaning::Named { .. });
            if !is_register {
                let why = "constants and literals do not have other names";
                return self.impossible(name.span, why);
            }
            let own = self.count_of(other)?;
            if own != count || first.is_none() && is_run(given) {
                let message = match (own, count) {
                    (1, _) => format!("`{}` is one name for {count} values", name.text),
                    (_, 1) => format!("there are {own} other names for one value"),
                    _ => format!("there are {own} other names for {count} values"),
                };
                return self.impossible(name.span, &message);
            }
            let own_first = match given.meaning {
                OperandMeaning::Run { first, .. } => first.value,
                _ => 0,
            };
            let align = given.align.map_or(1, |align| align.value.max(1));
            if first.is_some_and(|first| (i128::from(first) - own_first) % align != 0) {
                let message = format!("the first other name is not at a multiple of {align}");
                return self.impossible(name.span, &message);
            }
            names.push(OtherName { text: name.text.to_string(), first });
        }
        Some(names)
    }

    /// The entries of a range whose names and registers are numbered differently, or whose names are spelled otherwise:
    /// one entry for each value. `None` if a single entry suffices.
    fn apart(
        &mut self,
        given: &'a ast::OperandEntry<'a>,
        entry: &Entry,
        spellings: &[String],
    ) -> Option<Vec<Entry>> {
        let OperandMeaning::Run { first, registers, step, .. } = &given.meaning else {
            return None;
        };
        let Meaning::Registers { file, prefix, .. } = &entry.meaning else { return None };
        let step_of = |names: &OperandMeaning<'_>| match names {
            OperandMeaning::Run { step, .. } => step.map_or(1, |step| step.value),
            _ => 1,
        };
        let is_moved = registers.is_some_and(|(low, _)| low.value != first.value);
        let is_whole = !is_moved && step.is_none_or(|step| step.value == 1);
        if is_whole && spellings.is_empty() && given.also.iter().all(|other| step_of(other) == 1) {
            return None;
        }
        if entry.count as i128 > MAX_APART {
            let message = format!(
                "a range with spellings, or of registers with other numbers, has at most {MAX_APART} names"
            );
            return self.impossible(given.span, &message);
        }
        let own_step = step_of(&given.meaning);
        let at = |position: u64| {
            let position_of = |step: i128| i128::from(position) * step;
            let name = format!("{prefix}{}", first.value + position_of(own_step));
            let number = match registers {
                Some((low, _)) => low.value + i128::from(position),
                None => first.value + position_of(own_step),
            };
            let also = entry.also.iter().zip(&given.also).map(|(other, names)| OtherName {
                text: format!(
                    "{}{}",
                    other.text,
                    i128::from(other.first.unwrap_or(0)) + position_of(step_of(names))
                ),
                first: None,
            });
            Entry {
                value: entry.value + position,
                count: 1,
                meaning: Meaning::Register { file: *file, name, number: number as u32 },
                spelling: spellings.get(position as usize).cloned(),
                also: also.collect(),
                classes: entry.classes.clone(),
            }
        };
        Some((0..entry.count).map(at).collect())
    }

    fn impossible<T>(&mut self, span: Span, why: &str) -> Option<T> {
        self.report(Diagnostic::new(Code::E0306, why, span));
        None
    }

    /// The alignment of a range of registers.
    fn alignment(&mut self, given: &'a ast::OperandEntry<'a>, first: Int) -> Option<u32> {
        let Some(align) = given.align else { return Some(1) };
        let value = u32::try_from(align.value).ok().filter(|align| (1..=1 << 16).contains(align));
        let Some(value) = value else {
            return self.impossible(align.span, "the alignment of registers must be 1 to 65536");
        };
        if first.value % i128::from(value) != 0 {
            let message = format!("the first register is not a multiple of {value}");
            return self.impossible(first.span, &message);
        }
        Some(value)
    }

    /// Registers numbered from `first` to `last`, both included.
    fn registers(
        &mut self,
        file: RegFileId,
        name: Ident<'a>,
        (first, last): (Int, Int),
        align: u32,
    ) -> Option<Meaning> {
        if last.value < first.value {
            return self.impossible(last.span, "the last register is below the first");
        }
        self.check_number(file, last)?;
        let prefix = name.text.to_string();
        Some(Meaning::Registers { file, prefix, first: first.value as u32, align })
    }

    fn check_number(&mut self, file: RegFileId, number: Int) -> Option<()> {
        let registers = self.model.reg_files[file.index()].count;
        if number.value < i128::from(registers) {
            return Some(());
        }
        let message = format!("the register file has {registers} registers, numbered from 0");
        self.impossible(number.span, &message)
    }

    /// Reports a register file given for a constant, which remains a constant.
    fn check_constant(&mut self, given: &'a ast::OperandEntry<'a>) {
        if let Some(file) = given.file {
            self.model.unresolved.insert(file.text);
            let diagnostic = Diagnostic::new(
                Code::E0306,
                "a constant does not belong to a register file",
                file.span,
            )
            .with_help("remove the colon and the name after it");
            self.report(diagnostic);
        }
    }

    fn integers(&mut self, first: Int, last: Int) -> Option<Meaning> {
        for end in [first, last] {
            if i64::try_from(end.value).is_err() {
                let (bound, least) =
                    if end.value < 0 { (i64::MIN, "least") } else { (i64::MAX, "most") };
                let message = format!("a constant is at {least} {bound}");
                return self.impossible(end.span, &message);
            }
        }
        if u64::try_from((last.value - first.value).abs() + 1).is_err() {
            return self.impossible(last.span, "there are more constants than values");
        }
        let step = if last.value < first.value { -1 } else { 1 };
        Some(Meaning::Integers { first: first.value as i64, step })
    }

    fn named(
        &mut self,
        name: Ident<'a>,
        role: Option<RegisterRole>,
        file: Option<RegFileId>,
    ) -> Option<Meaning> {
        let text = name.text.to_string();
        Some(match (role, file) {
            (Some(RegisterRole::Nothing), _) => Meaning::Nothing(text),
            (_, None) => Meaning::Special(text),
            (Some(RegisterRole::Zero), Some(file)) => {
                Meaning::Constant { file, name: text, bits: ConstantBits::Zero }
            }
            (Some(RegisterRole::One), Some(file)) => {
                Meaning::Constant { file, name: text, bits: ConstantBits::One }
            }
            (Some(RegisterRole::Index(number) | RegisterRole::Range(number, _)), Some(file)) => {
                self.check_number(file, number)?;
                Meaning::Register { file, name: text, number: number.value as u32 }
            }
            (None, Some(_)) => {
                let message =
                    format!("`{text}` needs `zero`, `one` or `[number]` after the register file");
                return self.impossible(name.span, &message);
            }
        })
    }
}

fn is_run(given: &ast::OperandEntry<'_>) -> bool {
    matches!(given.meaning, OperandMeaning::Run { .. })
}
