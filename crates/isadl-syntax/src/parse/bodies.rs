//! The lines between a header and the first section: the statements of types and of the
//! instruction set. Groups, optypes and opcodes do not have such statements.

use super::messages::{read_as_near, report_missing_semicolon, unknown_in_body};
use super::split::{Chunk, SectionLines};
use super::statements::{StatementText, statements};
use super::{
    Context, Keyword, Rule, Sink, Statements, build, find, first_word, near, section_of,
    section_statements,
};
use crate::ast::{Definition, DefinitionKind, Ident, Layer, SectionKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::source::Span;

/// Whether the previous statement was known: misplaced text is a single finding, however long.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Known,
    Unknown,
}

impl<'s> Context<'s> {
    /// Adds the statements before the first section.
    pub(super) fn body(
        &self,
        definition: &mut Definition<'s>,
        chunk: &Chunk<'s>,
        diagnostics: &mut Diagnostics,
    ) {
        let lines = &chunk.body;
        let mut sink = Sink { broken: &mut definition.broken, diagnostics };
        match &mut definition.kind {
            DefinitionKind::Group(layer)
            | DefinitionKind::Optype(layer)
            | DefinitionKind::Opcode(layer)
            | DefinitionKind::Alias(layer) => self.body_of_layer(layer, chunk, &mut sink),
            kind => self.body_of_type(kind, lines, &mut sink),
        }
    }

    /// Every line of a type begins a statement, except lines within an expression of an immediate.
    fn body_of_type(
        &self,
        kind: &mut DefinitionKind<'s>,
        lines: &[Ident<'s>],
        sink: &mut Sink<'_, 's>,
    ) {
        let mut before = Before::Known;
        let has_expressions = matches!(kind, DefinitionKind::Immediate(_));
        let known = body_statements(kind);
        statements(
            self.text,
            lines,
            |line| !has_expressions || begins_statement(line, known),
            |statement| {
                let word = first_word(statement.text.text);
                let rule = find(word, body_statements(kind)).filter(|_| !is_entry(&statement));
                let rule = rule.or_else(|| any_statement(kind));
                match rule {
                    Some(rule) => {
                        self.body_statement(kind, rule, statement, sink);
                        before = Before::Known;
                    }
                    None => before = self.unknown_in_type(kind, word, statement, before, sink),
                }
            },
        );
    }

    fn body_statement(
        &self,
        kind: &mut DefinitionKind<'s>,
        rule: Rule,
        mut statement: StatementText<'s>,
        sink: &mut Sink<'_, 's>,
    ) {
        let doc = std::mem::take(&mut statement.doc);
        let built = self.build_body(kind, rule, statement.text, doc);
        match built {
            Ok(()) => report_missing_semicolon(&statement, sink.diagnostics),
            Err(error) => sink.lose(first_word(statement.text.text), statement.text, error),
        }
    }

    fn build_body(
        &self,
        kind: &mut DefinitionKind<'s>,
        rule: Rule,
        text: Ident<'s>,
        doc: Vec<&'s str>,
    ) -> Result<(), Diagnostic> {
        let (text, guard) = self.guarded(text)?;
        let pair = self.run(rule, text)?;
        build::body_statement(self, kind, pair, doc, guard)
    }

    /// Treats a statement whose keyword is close to a known keyword as that statement, if the rest fits.
    fn unknown_in_type(
        &self,
        kind: &mut DefinitionKind<'s>,
        word: &'s str,
        mut statement: StatementText<'s>,
        before: Before,
        sink: &mut Sink<'_, 's>,
    ) -> Before {
        let known = body_statements(kind);
        let error = unknown_in_body(&statement, word, known);
        let Some((meant, rule)) = near(word, known) else {
            sink.broken.add(word, statement.text.text);
            if before == Before::Known {
                sink.report(error);
            }
            return Before::Unknown;
        };
        let doc = std::mem::take(&mut statement.doc);
        let built = self.build_body(kind, rule, statement.text, doc);
        match built {
            Ok(()) => sink.report(read_as_near(error, word, known)),
            Err(_) => sink.lose(meant, statement.text, error),
        }
        Before::Known
    }

    /// Statements that belong to a section whose heading is missing are accepted all the same.
    fn body_of_layer(&self, layer: &mut Layer<'s>, chunk: &Chunk<'s>, sink: &mut Sink<'_, 's>) {
        let mut headless: Vec<SectionKind> = Vec::new();
        let mut found = Vec::new();
        let mut is_mixed = false;
        let lines = &chunk.body;
        let mut before = Before::Known;
        let begins = |line: &str| section_of(first_word(line)).is_some();
        statements(self.text, lines, begins, |statement| {
            let word = first_word(statement.text.text);
            let error = unknown_in_body(&statement, word, &[]);
            let Some(section) = section_of(word) else {
                is_mixed = true;
                sink.broken.add(word, statement.text.text);
                if before == Before::Known {
                    sink.report(error);
                }
                before = Before::Unknown;
                return;
            };
            before = Before::Known;
            is_mixed |=
                headless.last().is_some_and(|last| *last != section && headless.contains(&section));
            if !headless.contains(&section) {
                headless.push(section);
                found.push(without_heading(&statement, section.heading()));
            }
            if let Some(rule) = find(word, section_statements(section)) {
                self.layer_statement(layer, rule, &statement, sink);
            }
        });
        // A heading applies to everything after it; a second heading of its kind would be wrong too.
        let has_heading =
            |section: &SectionLines<'_>| section.kind.is_some_and(|kind| headless.contains(&kind));
        let is_certain = !is_mixed && !chunk.sections.iter().any(has_heading);
        for finding in found {
            sink.report(if is_certain { finding.certainly() } else { finding });
        }
    }
}

fn without_heading(statement: &StatementText<'_>, heading: &str) -> Diagnostic {
    Diagnostic::new(Code::E0105, "unknown statement in this definition", statement.text.span)
        .with_change(
            format!("write `{heading}` on a line before it"),
            Old::Span(Span { end: statement.text.span.start, ..statement.text.span }),
            format!("{heading}\n    "),
        )
}

const OF_ISA: Statements = &[
    ("Generations", Rule::generations),
    ("NameSets", Rule::generations),
    ("Extensions", Rule::extensions),
    ("Implies", Rule::implies),
    ("Requires", Rule::requires),
    ("Set", Rule::extension_set),
    ("DefaultSet", Rule::default_set),
    ("Modifiers", Rule::setting),
    ("ByteOrder", Rule::setting),
    ("Bits", Rule::setting),
    ("Case", Rule::setting),
    ("Ranges", Rule::setting),
    ("Semantics", Rule::guard_field),
    ("Unit", Rule::unit),
    ("Placeholder", Rule::placeholder),
    ("Comment", Rule::signs),
    ("Separator", Rule::signs),
    ("Padding", Rule::format),
    ("Elf", Rule::elf),
    ("Detour", Rule::detour),
];
const OF_VALUES: Statements = &[("else", Rule::include)];
const OF_OPERANDS: Statements = &[("include", Rule::include), ("else", Rule::include)];
const OF_IMMEDIATES: Statements = &[
    ("Number", Rule::number),
    ("Print", Rule::print),
    ("Scale", Rule::scaling),
    ("Bias", Rule::scaling),
    ("Digits", Rule::scaling),
    ("Value", Rule::computed),
    ("Canonical", Rule::canonical),
    ("Except", Rule::excepted),
    ("Relative", Rule::relative),
    ("Relocation", Rule::relocation),
    ("Prefix", Rule::format),
];
const OF_ENVIRONMENTS: Statements = &[
    ("Trap", Rule::setting),
    ("Number", Rule::one_register),
    ("Arguments", Rule::registers),
    ("Result", Rule::one_register),
    ("Stack", Rule::one_register),
    ("Code", Rule::setting),
    ("Register", Rule::composed),
    ("Initial", Rule::named_number),
    ("Counter", Rule::named_number),
    ("Call", Rule::named_number),
];
const OF_COMPOSITES: Statements = &[("field", Rule::field), ("Format", Rule::format)];

/// The statements of a body by their first words.
fn body_statements(kind: &DefinitionKind<'_>) -> Statements {
    match kind {
        DefinitionKind::Isa(_) => OF_ISA,
        DefinitionKind::BitFieldType(_) => OF_VALUES,
        DefinitionKind::OperandType(_) => OF_OPERANDS,
        DefinitionKind::Immediate(_) => OF_IMMEDIATES,
        DefinitionKind::Composite(_) => OF_COMPOSITES,
        DefinitionKind::Environment(_) => OF_ENVIRONMENTS,
        _ => &[],
    }
}

/// The first words of the statements in the body of a definition with a keyword.
pub(super) fn body_words(keyword: Keyword) -> Statements {
    match keyword {
        Keyword::Isa => OF_ISA,
        Keyword::BitFieldType => OF_VALUES,
        Keyword::OperandType => OF_OPERANDS,
        Keyword::Immediate => OF_IMMEDIATES,
        Keyword::Composite => OF_COMPOSITES,
        Keyword::Environment => OF_ENVIRONMENTS,
        _ => &[],
    }
}

/// Whether a line begins with a keyword, or with a possibly misspelled keyword.
fn begins_statement(line: &str, known: &[(&str, Rule)]) -> bool {
    let word = first_word(line);
    let after = line[word.len()..].trim_start();
    find(word, known).is_some()
        || !word.is_empty() && after.starts_with('=') && !after.starts_with("==")
}

/// Whether a statement gives a value, even if it begins like another statement.
fn is_entry(statement: &StatementText<'_>) -> bool {
    let word = first_word(statement.text.text);
    let after = statement.text.text[word.len()..].trim_start();
    // Where a name of another type follows, it is not the name of a value.
    let names_a_type = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_spelled =
        after.strip_prefix("as").is_some_and(|text| text.trim_start().starts_with('"'));
    match word {
        "include" => after.starts_with(['=', '[']),
        "else" => !names_a_type || is_spelled,
        _ => false,
    }
}

/// The rule of all statements of a body, if they do not begin with a keyword.
fn any_statement(kind: &DefinitionKind<'_>) -> Option<Rule> {
    match kind {
        DefinitionKind::BitFieldType(_) => Some(Rule::enumerator),
        DefinitionKind::OperandType(_) => Some(Rule::operand_entry),
        _ => None,
    }
}
