//! What programs run in: its registers exist, and nothing is said twice. Codes: E0201, E0208, E0322, E0505.
//!
//! Which traps, memories and registers of the machine programs declare is known later (`check/environments.rs`).

use std::collections::HashMap;

use super::Resolver;
use crate::ast::{
    self, DefinitionKind, EnvironmentRegister, EnvironmentStatement, EnvironmentStatementKind,
    Ident, Int, RegisterPart, RegisterRange,
};
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::isa::{self, Kept, KeptValue, Register};
use crate::model::Environment;
use crate::prose;
use crate::source::Span;

impl<'a> Resolver<'a, '_> {
    /// Resolves all environments.
    pub(super) fn environments(&mut self) {
        let mut known: HashMap<&str, Span> = HashMap::new();
        for definition in self.definitions() {
            let DefinitionKind::Environment(written) = &definition.kind else { continue };
            let name = definition.name;
            if let Some(first) = known.get(name.text) {
                let message = format!("`{}` is defined twice", name.text);
                let found = Diagnostic::new(Code::E0201, message, name.span)
                    .with_label("second environment with this name")
                    .with_related(*first, "the first is here")
                    .with_help("rename one of the two");
                self.report(found);
                continue;
            }
            known.insert(name.text, name.span);
            let environment =
                self.environment(name, written, prose::description(&definition.prose));
            self.model.environments.push(environment);
        }
    }

    fn environment(
        &mut self,
        name: Ident<'a>,
        written: &'a ast::Environment<'a>,
        description: String,
    ) -> Environment<'a> {
        self.repeated(written);
        let mut environment = Environment {
            name,
            trap: None,
            code: None,
            kept: Vec::new(),
            made: isa::Environment {
                name: name.text.to_string(),
                description,
                call: None,
                number: None,
                arguments: Vec::new(),
                result: None,
                stack: None,
                code: None,
                kept: Vec::new(),
                calls: Vec::new(),
            },
        };
        let made = &mut environment.made;
        let text = |name: &Ident<'_>| name.text.to_string();
        let mut names: HashMap<u64, Ident<'a>> = HashMap::new();
        for statement in &written.statements {
            match &statement.kind {
                EnvironmentStatementKind::Trap(name) => {
                    (environment.trap, made.call) = (Some(*name), Some(text(name)));
                }
                EnvironmentStatementKind::Code(name) => {
                    (environment.code, made.code) = (Some(*name), Some(text(name)));
                }
                EnvironmentStatementKind::Register(role, range) => {
                    let register = self.registers_of(range).into_iter().next();
                    match role {
                        EnvironmentRegister::Number => made.number = register,
                        EnvironmentRegister::Result => made.result = register,
                        EnvironmentRegister::Stack => made.stack = register,
                    }
                }
                EnvironmentStatementKind::Arguments(ranges) => made.arguments = self.all(ranges),
                EnvironmentStatementKind::Composed { name, parts } => {
                    environment.kept.push(*name);
                    let value = KeptValue::Registers(self.parts(parts));
                    made.kept.push(Kept { name: text(name), value });
                }
                EnvironmentStatementKind::Initial { name, value } => {
                    environment.kept.push(*name);
                    // INVARIANT: the grammar accepts numbers without a sign, which have at most 64 bits.
                    let value = KeptValue::Initial(value.value as u64);
                    made.kept.push(Kept { name: text(name), value });
                }
                EnvironmentStatementKind::Counter { name, step } => {
                    environment.kept.push(*name);
                    let value = KeptValue::Counter(step.value as u64);
                    made.kept.push(Kept { name: text(name), value });
                }
                EnvironmentStatementKind::Call { name, number } => {
                    let value = number.value as u64;
                    if let Some(first) = names.insert(value, *name) {
                        self.same_number(first, *name, *number);
                    }
                    made.calls.push((text(name), value));
                }
            }
        }
        environment
    }

    /// Reports two calls with one number.
    fn same_number(&mut self, first: Ident<'a>, second: Ident<'a>, number: Int) {
        if first.text == second.text {
            return;
        }
        let message = format!("`{}` has the number of `{}`", second.text, first.text);
        let found = Diagnostic::new(Code::E0322, message, number.span)
            .with_label("a number means one call")
            .with_related(first.span, "the first is here")
            .with_help("correct one of the numbers, or remove one of the calls");
        self.report(found);
    }

    /// Reports statements about something that an earlier statement is about.
    fn repeated(&mut self, written: &'a ast::Environment<'a>) {
        let mut seen: HashMap<(&str, &str), Span> = HashMap::new();
        for statement in &written.statements {
            let (key, written, span) = subject(statement);
            let Some(first) = seen.get(&key) else {
                seen.insert(key, span);
                continue;
            };
            let found = Diagnostic::new(Code::E0505, format!("{written} is given twice"), span)
                .with_related(*first, "the first is here")
                .with_removal("keep one of the two", Old::Statement(span));
            self.report(found);
        }
    }

    /// The bits that a register is made of.
    fn parts(&mut self, parts: &[RegisterPart<'a>]) -> Vec<isa::RegisterPart> {
        let mut found = Vec::new();
        for part in parts {
            for register in self.registers_of(&part.range) {
                let whole = self.model.reg_files[register.file.index()].width;
                let Some((high, low)) = part.bits else {
                    found.push(isa::RegisterPart { register, low: 0, width: whole });
                    continue;
                };
                let bit = |bit: Int| u32::try_from(bit.value).ok().filter(|bit| *bit < whole);
                let (Some(first), Some(last)) = (bit(low), bit(high)) else {
                    self.no_bit(if bit(high).is_some() { low } else { high }, register, whole);
                    break;
                };
                if first > last {
                    let found = Diagnostic::new(Code::E0322, "bits in the wrong order", high.span)
                        .with_label("the highest bit comes first")
                        .with_help(format!("write `[{first}:{last}]`"));
                    self.report(found);
                    break;
                }
                found.push(isa::RegisterPart { register, low: first, width: last - first + 1 });
            }
        }
        found
    }

    fn no_bit(&mut self, bit: Int, of: Register, width: u32) {
        let name = self.model.reg_files[of.file.index()].name;
        let message = format!("registers of `{}` have no bit {}", name.text, bit.value);
        let found = Diagnostic::new(Code::E0322, message, bit.span)
            .with_label(format!("the highest bit is {}", width - 1))
            .with_related(name.span, "defined here")
            .with_help("correct the number");
        self.report(found);
    }

    fn all(&mut self, ranges: &[RegisterRange<'a>]) -> Vec<Register> {
        ranges.iter().flat_map(|range| self.registers_of(range)).collect()
    }

    /// The registers of a range; none if there are no such registers, which is reported.
    fn registers_of(&mut self, range: &RegisterRange<'a>) -> Vec<Register> {
        let Some(file) = self.reg_file_of(range.file) else { return Vec::new() };
        let known = &self.model.reg_files[file.index()];
        let (name, count) = (known.name, known.count);
        let Some((first, last)) = range.numbers else {
            if count == 1 {
                return vec![Register { file, number: 0 }];
            }
            let message = format!("`{}` has {count} registers", name.text);
            let found = Diagnostic::new(Code::E0322, message, range.span)
                .with_label("which of them?")
                .with_related(name.span, "defined here")
                .with_help(format!("write `{}[0]` for the first", name.text));
            self.report(found);
            return Vec::new();
        };
        let number = |written: Int| u32::try_from(written.value).ok().filter(|n| *n < count);
        let (Some(from), Some(to)) = (number(first), number(last)) else {
            let wrong = if number(first).is_some() { last } else { first };
            let message = format!("`{}` does not have a register {}", name.text, wrong.value);
            let found = Diagnostic::new(Code::E0322, message, wrong.span)
                .with_label(format!("the last register is {}", count - 1))
                .with_related(name.span, "defined here")
                .with_help("correct the number");
            self.report(found);
            return Vec::new();
        };
        if from > to {
            let message = "range without registers";
            let found = Diagnostic::new(Code::E0322, message, range.span)
                .with_label("the last register is before the first")
                .with_help(format!("write `{}[{to}..{from}]`", name.text));
            self.report(found);
        }
        (from..=to).map(|number| Register { file, number }).collect()
    }
}

/// What a statement is about: a key, the statement in words, and where it says so.
fn subject<'a>(statement: &EnvironmentStatement<'a>) -> ((&'a str, &'a str), String, Span) {
    let single = |word: &'static str| ((word, ""), format!("`{word}`"), statement.keyword.span);
    let named = |word: &'static str, name: &Ident<'a>| {
        let shown = format!("`{}<{}>`", statement.keyword.text, name.text);
        ((word, name.text), shown, name.span)
    };
    match &statement.kind {
        EnvironmentStatementKind::Trap(_) => single("Trap"),
        EnvironmentStatementKind::Code(_) => single("Code"),
        EnvironmentStatementKind::Arguments(_) => single("Arguments"),
        EnvironmentStatementKind::Register(EnvironmentRegister::Number, _) => single("Number"),
        EnvironmentStatementKind::Register(EnvironmentRegister::Result, _) => single("Result"),
        EnvironmentStatementKind::Register(EnvironmentRegister::Stack, _) => single("Stack"),
        EnvironmentStatementKind::Composed { name, .. }
        | EnvironmentStatementKind::Initial { name, .. }
        | EnvironmentStatementKind::Counter { name, .. } => named("Register", name),
        EnvironmentStatementKind::Call { name, .. } => named("Call", name),
    }
}
