//! Sections: fields, rules, statements on operands, and prose.

use isadl_base::fences::{Fences, Part};
use std::borrow::Cow;

use super::messages::{
    missing_semicolon, read_as_near, report_missing_semicolon, unknown_statement,
};
use super::split::{SectionLines, find_outside_strings, trimmed, without_comment};
use super::statements::{Ended, StatementText, statements};
use super::{
    Context, GrammarSegment, Rule, Sink, Statements, build, find, first_word, near, section_of,
    section_statements,
};
use crate::ast::{Definition, DefinitionKind, Ident, Layer, Section, SectionKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Old};
use crate::source::Span;

impl<'s> Context<'s> {
    /// Adds the sections of a definition.
    pub(super) fn sections(
        &self,
        definition: &mut Definition<'s>,
        sections: &[SectionLines<'s>],
        diagnostics: &mut Diagnostics,
    ) {
        let mut seen: Vec<(SectionKind, Span)> = Vec::new();
        let mut before = None;
        for section in sections {
            if let (Some(pieces), Some(kind)) = (&self.pieces, section.kind) {
                pieces.borrow_mut().push(GrammarSegment::Heading(section.heading, kind));
            }
            let Some(kind) = section.kind else {
                let lines = section.lines.iter();
                lines.for_each(|line| {
                    definition.broken.add(first_word(line.text.trim()), line.text)
                });
                continue;
            };
            match seen.iter().find(|(other, _)| *other == kind) {
                Some((_, first)) => {
                    let follows = before == Some(kind);
                    diagnostics.push(second_section(kind, section.heading, *first, follows));
                }
                None => seen.push((kind, section.heading)),
            }
            before = Some(kind);
            self.section(definition, kind, section, diagnostics);
        }
    }

    fn section(
        &self,
        definition: &mut Definition<'s>,
        kind: SectionKind,
        section: &SectionLines<'s>,
        diagnostics: &mut Diagnostics,
    ) {
        let heading = section.heading;
        let mut sink = Sink { broken: &mut definition.broken, diagnostics };
        let layer = match &mut definition.kind {
            DefinitionKind::Group(layer)
            | DefinitionKind::Optype(layer)
            | DefinitionKind::Opcode(layer)
            | DefinitionKind::Alias(layer) => layer,
            _ if kind == SectionKind::Description => {
                definition.prose.push(Section { kind, heading, runs: self.runs(&section.lines) });
                return;
            }
            _ => {
                sink.report(section_of_type(kind, heading));
                return;
            }
        };
        let lines = match kind {
            kind if kind.is_statements() => {
                self.statements(layer, kind, &section.lines, &mut sink);
                return;
            }
            SectionKind::OperandInfo => Cow::Owned(self.mixed(layer, &section.lines, &mut sink)),
            _ => Cow::Borrowed(&section.lines),
        };
        definition.prose.push(Section { kind, heading, runs: self.runs(&lines) });
    }

    /// Joins consecutive lines into runs: prose is most of a specification, and its lines are not
    /// needed separately.
    fn runs(&self, lines: &[Ident<'s>]) -> Vec<Ident<'s>> {
        let mut runs: Vec<Ident<'s>> = Vec::new();
        for line in lines {
            let between =
                |last: &Ident<'s>| &self.text[last.span.end as usize..line.span.start as usize];
            match runs.last_mut().filter(|last| between(last).trim().is_empty()) {
                Some(last) => {
                    last.span = last.span.to(line.span);
                    last.text = &self.text[last.span.range()];
                }
                None => runs.push(*line),
            }
        }
        runs.shrink_to_fit();
        runs
    }

    /// A section that contains only statements.
    fn statements(
        &self,
        layer: &mut Layer<'s>,
        section: SectionKind,
        lines: &[Ident<'s>],
        sink: &mut Sink<'_, 's>,
    ) {
        let known = section_statements(section);
        let begins = |line: &str| find(first_word(line), known).is_some();
        statements(self.text, lines, begins, |statement| {
            let word = first_word(statement.text.text);
            match find(word, known) {
                Some(rule) => self.layer_statement(layer, rule, &statement, sink),
                None => self.unknown(layer, section, &statement, sink),
            }
        });
    }

    /// Adds a statement to a layer.
    pub(super) fn layer_statement(
        &self,
        layer: &mut Layer<'s>,
        rule: Rule,
        statement: &StatementText<'s>,
        sink: &mut Sink<'_, 's>,
    ) {
        let word = first_word(statement.text.text);
        match self.build_as(layer, (word, rule), statement.text) {
            Ok(()) => report_missing_semicolon(statement, sink.diagnostics),
            Err(error) => sink.lose(word, statement.text, error),
        }
    }

    /// Adds a statement to a layer as if it began with another word.
    fn build_as(
        &self,
        layer: &mut Layer<'s>,
        (word, rule): (&str, Rule),
        text: Ident<'s>,
    ) -> Result<(), Diagnostic> {
        let (text, guard) = self.guarded(text)?;
        self.build(rule, text, |pair| build::layer_statement(self, layer, (word, guard), pair))
    }

    /// Reports a statement that is not allowed here. A statement whose keyword is close to a known keyword is treated
    /// as that statement, if the rest fits.
    fn unknown(
        &self,
        layer: &mut Layer<'s>,
        section: SectionKind,
        statement: &StatementText<'s>,
        sink: &mut Sink<'_, 's>,
    ) {
        let word = first_word(statement.text.text);
        let error = unknown_statement(statement, word, section);
        let meant = near(word, section_statements(section)).filter(|_| section_of(word).is_none());
        match meant.map(|meant| (meant.0, self.build_as(layer, meant, statement.text))) {
            Some((_, Ok(()))) => {
                sink.report(read_as_near(error, word, section_statements(section)));
            }
            Some((meant, Err(_))) => sink.lose(meant, statement.text, error),
            None => sink.lose(word, statement.text, error),
        }
    }

    /// `__OperandInfo`: adds the statements and returns the prose.
    fn mixed(
        &self,
        layer: &mut Layer<'s>,
        lines: &[Ident<'s>],
        sink: &mut Sink<'_, 's>,
    ) -> Vec<Ident<'s>> {
        let mut prose = Vec::new();
        let mut fences = Fences::default();
        let mut at = 0;
        while at < lines.len() {
            let taken = match fences.line(lines[at].text) {
                Part::Outside => self.mixed_statement(layer, &lines[at..], &mut prose, sink),
                _ => 0,
            };
            if taken == 0 {
                prose.push(lines[at]);
            }
            at += taken.max(1);
        }
        prose
    }

    /// Adds the statements at the start of `lines`, if there are any; returns the number of their lines.
    fn mixed_statement(
        &self,
        layer: &mut Layer<'s>,
        lines: &[Ident<'s>],
        prose: &mut Vec<Ident<'s>>,
        sink: &mut Sink<'_, 's>,
    ) -> usize {
        if !opens_list(lines[0].text) {
            return 0;
        }
        let lines = &lines[..statement_lines(lines)];
        let mut found = Vec::new();
        statements(self.text, lines, |_| false, |statement| found.push(statement));
        for (index, statement) in found.iter().enumerate() {
            let word = first_word(statement.text.text);
            let known = section_statements(SectionKind::OperandInfo);
            if let Some(rule) = find(word, known) {
                if let Some(taken) = self.operand_statement(layer, rule, statement, lines, sink) {
                    return taken;
                }
            } else if section_of(word).is_some() {
                self.unknown(layer, SectionKind::OperandInfo, statement, sink);
            } else if let Some(warning) = self.misspelt(layer, word, statement, known) {
                sink.report(warning);
            } else if index == 0 {
                return 0;
            } else {
                prose.push(statement.text);
            }
        }
        lines.len()
    }

    /// Adds a statement on operands. If prose follows that cannot belong to it, its semicolon is
    /// missing: then this returns the number of its lines.
    fn operand_statement(
        &self,
        layer: &mut Layer<'s>,
        rule: Rule,
        statement: &StatementText<'s>,
        lines: &[Ident<'s>],
        sink: &mut Sink<'_, 's>,
    ) -> Option<usize> {
        let word = first_word(statement.text.text);
        let error = match self.build_as(layer, (word, rule), statement.text) {
            Ok(()) => {
                report_missing_semicolon(statement, sink.diagnostics);
                return None;
            }
            Err(error) => error,
        };
        let counts = [lines_before(lines, error.primary.span.start), 1];
        // Only text that continues without semicolon may be prose from its second line on.
        let counts = if statement.ended == Ended::Missing { &counts[..] } else { &counts[..1] };
        for count in counts.iter().copied().filter(|count| *count < lines.len()) {
            let Some(text) = self.up_to(statement.text, &lines[..count]) else { continue };
            if self.build_as(layer, (word, rule), text).is_ok() {
                sink.report(missing_semicolon(text));
                return Some(count);
            }
        }
        sink.lose(word, statement.text, error);
        None
    }

    /// The part of a statement's text that is in some lines.
    fn up_to(&self, statement: Ident<'s>, lines: &[Ident<'s>]) -> Option<Ident<'s>> {
        let end = without_comment(trimmed(*lines.last()?)).span.end;
        let span = Span { end, ..statement.span };
        (statement.span.start < end).then(|| Ident { text: &self.text[span.range()], span })
    }

    /// Treats prose that looks like a misspelt statement as that statement, and warns. Otherwise the missing statement
    /// would cause further findings.
    fn misspelt(
        &self,
        layer: &mut Layer<'s>,
        word: &str,
        statement: &StatementText<'s>,
        known: Statements,
    ) -> Option<Diagnostic> {
        let meant = near(word, known)?;
        self.build_as(layer, meant, statement.text).ok()?;
        let span =
            Span { end: statement.text.span.start + word.len() as u32, ..statement.text.span };
        Some(
            Diagnostic::new(Code::W0111, format!("`{word}` is not a statement"), span)
                .with_label(format!("treated as `{}`", meant.0))
                .with_guess(word, meant.0),
        )
    }
}

/// The number of lines before the start of a line; 0 for positions inside a line.
fn lines_before(lines: &[Ident<'_>], at: u32) -> usize {
    let starts = |line: &Ident<'_>| trimmed(*line).span.start == at;
    lines.iter().position(starts).unwrap_or(0)
}

/// Whether a line begins with a word and `<`, as the statements on operands do.
fn opens_list(line: &str) -> bool {
    let line = line.trim_start();
    let word = first_word(line);
    !word.is_empty() && line[word.len()..].trim_start().starts_with('<')
}

fn begins_statement(line: &str) -> bool {
    opens_list(line) && section_of(first_word(line.trim_start())).is_some()
}

/// The number of lines of the statements at the start of `lines`. They end at a semicolon without a statement after it,
/// at a blank line, or at the next statement.
fn statement_lines(lines: &[Ident<'_>]) -> usize {
    // Prose may begin with `word <`; it is not a statement, so it ends with its line.
    if !begins_statement(lines[0].text) {
        return 1;
    }
    for (i, line) in lines.iter().enumerate() {
        if i > 0 && (line.text.trim().is_empty() || begins_statement(line.text)) {
            return i;
        }
        if ends_statement(without_comment(*line).text) {
            return i + 1;
        }
    }
    lines.len()
}

/// Whether a line contains a semicolon after which no statement begins.
fn ends_statement(line: &str) -> bool {
    let mut rest = line;
    let mut ended = false;
    while let Some(at) = find_outside_strings(rest, |text| text.find(';')) {
        rest = &rest[at + 1..];
        ended = true;
    }
    ended && !begins_statement(rest)
}

/// The finding for a second section of a kind. If it `follows` the first, the fix is to remove its heading.
fn second_section(kind: SectionKind, heading: Span, first: Span, follows: bool) -> Diagnostic {
    let message = format!("second `{}` in one definition", kind.heading());
    let found =
        Diagnostic::new(Code::W0113, message, heading).with_related(first, "the first is here");
    match follows {
        false => found.with_help("merge the two sections"),
        true => found.with_removal("remove this heading", Old::Line(heading)),
    }
}

/// The error for a section of a type, register file, environment or instruction set other than its description.
fn section_of_type(kind: SectionKind, heading: Span) -> Diagnostic {
    let message = format!("`{}` is not allowed in this definition", kind.heading());
    Diagnostic::new(Code::E0112, message, heading).with_note(
        "a type, a register file, an environment or the instruction set can only have the section `__Description`",
    )
}
