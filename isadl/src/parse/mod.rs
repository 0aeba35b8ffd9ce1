//! Parsing: from texts to syntax trees.
//!
//! A file is cut into definitions and statements (`split.rs`), each is given to one rule of the
//! grammar (`grammar.pest`) and built into a node (`build.rs`, `expr.rs`). Invariant: a broken
//! header costs its definition and a broken statement costs itself, with one error each.

mod build;
mod expr;
mod split;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

use crate::ast::{Definition, DefinitionKind, File, Ident, Int, Layer, Section, SectionKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, SourceMap, Span};
use crate::suggest::nearest;
use split::{Chunk, Ended, SectionLines, StatementText};

pub use expr::{MAX_NESTING, MAX_OPERATORS};

mod grammar {
    #![allow(missing_docs, reason = "generated from the grammar")]

    #[derive(pest_derive::Parser)]
    #[grammar = "parse/grammar.pest"]
    pub(super) struct Grammar;
}
use grammar::{Grammar, Rule};

/// Parses every specification file of the map.
pub fn parse<'s>(sources: &'s SourceMap, diagnostics: &mut Diagnostics) -> Vec<File<'s>> {
    sources.specification().map(|id| parse_file(id, sources.file(id).text(), diagnostics)).collect()
}

fn parse_file<'s>(id: FileId, text: &'s str, diagnostics: &mut Diagnostics) -> File<'s> {
    let context = Context { file: id, text };
    let chunks = split::definitions(id, text, diagnostics);
    let mut definitions = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        definitions.extend(context.definition(chunk, diagnostics));
    }
    File { id, definitions }
}

/// What a definition keyword begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Isa,
    RegFile,
    BitFieldType,
    OperandType,
    Immediate,
    Composite,
    Group,
    Optype,
    Opcode,
}

const KEYWORDS: [(&str, Keyword); 9] = [
    ("__DefIsa", Keyword::Isa),
    ("__DefRegFile", Keyword::RegFile),
    ("__DefBitFieldType", Keyword::BitFieldType),
    ("__DefOperandType", Keyword::OperandType),
    ("__DefImmediate", Keyword::Immediate),
    ("__DefComposite", Keyword::Composite),
    ("__DefGroup", Keyword::Group),
    ("__DefOptype", Keyword::Optype),
    ("__DefOpcode", Keyword::Opcode),
];

/// The statements of a section of instructions, by their first word, and the rule for each.
fn section_statements(kind: SectionKind) -> &'static [(&'static str, Rule)] {
    match kind {
        SectionKind::Encoding => &[("field", Rule::field), ("control", Rule::field)],
        SectionKind::OperandInfo => &[
            ("InList", Rule::operand_list),
            ("OutList", Rule::operand_list),
            ("Order", Rule::operand_list),
            ("ModiOrder", Rule::modi_order),
            ("Bitwidth", Rule::bitwidth),
            ("AsmFormat", Rule::asm_format),
        ],
        SectionKind::Exception => &[("EncodingError", Rule::encoding_rule)],
        _ => &[],
    }
}

/// The file at hand, to give places to pairs.
struct Context<'s> {
    file: FileId,
    text: &'s str,
}

impl<'s> Context<'s> {
    /// The place of a pair; pairs are made from slices of the file's text.
    fn span(&self, pair: &Pair<'s, Rule>) -> Span {
        self.locate(pair.as_str())
    }

    fn locate(&self, slice: &str) -> Span {
        let start = slice.as_ptr() as usize - self.text.as_ptr() as usize;
        Span { file: self.file, start: start as u32, end: (start + slice.len()) as u32 }
    }

    fn ident(&self, pair: &Pair<'s, Rule>) -> Ident<'s> {
        Ident { text: pair.as_str(), span: self.span(pair) }
    }

    /// The number of an `int` or `signed_int` pair.
    fn int(&self, pair: &Pair<'s, Rule>) -> Result<Int, Diagnostic> {
        let span = self.span(pair);
        let (negative, digits) = match pair.as_str().strip_prefix('-') {
            Some(digits) => (true, digits.trim_start()),
            None => (false, pair.as_str()),
        };
        let magnitude = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let magnitude = magnitude.map_err(|_| {
            Diagnostic::new(Code::E0110, "number is too large", span)
                .with_note("numbers are at most 18446744073709551615, which is 64 bits")
        })?;
        Ok(Int {
            value: if negative { -i128::from(magnitude) } else { i128::from(magnitude) },
            span,
        })
    }

    /// Gives `text` to a rule; an error names what was expected where.
    fn run(&self, rule: Rule, text: Ident<'s>) -> Result<Pair<'s, Rule>, Diagnostic> {
        if let Some(error) = expr::check_nesting(text.text, text.span) {
            return Err(error);
        }
        match Grammar::parse(rule, text.text).map(|mut pairs| pairs.next()) {
            Ok(Some(pair)) => Ok(pair),
            Ok(None) => Err(Diagnostic::new(Code::E0101, "syntax error", text.span)),
            Err(error) => Err(syntax_error(text, error)),
        }
    }

    fn definition(
        &self,
        chunk: Chunk<'s>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Definition<'s>> {
        let word = first_word(chunk.header.text);
        let keyword = find(word, &KEYWORDS).or_else(|| {
            let span =
                Span { end: chunk.header.span.start + word.len() as u32, ..chunk.header.span };
            let known = KEYWORDS.map(|(word, _)| word);
            diagnostics.push(
                Diagnostic::new(Code::E0103, format!("unknown definition keyword `{word}`"), span)
                    .with_note(format!("the keywords are {}", known.join(", ")))
                    .with_suggestion(word, known),
            );
            find(&nearest(word, known)?, &KEYWORDS)
        })?;
        let mut definition = match self.header(keyword, chunk.header) {
            Ok(definition) => definition,
            Err(error) => {
                diagnostics.push(Diagnostic { code: header_code(error.code), ..error });
                return None;
            }
        };
        self.body(&mut definition, &chunk.body, diagnostics);
        self.sections(&mut definition, chunk.sections, diagnostics);
        Some(definition)
    }

    fn header(&self, keyword: Keyword, header: Ident<'s>) -> Result<Definition<'s>, Diagnostic> {
        let rule = match keyword {
            Keyword::Isa => Rule::isa_header,
            Keyword::RegFile => Rule::reg_file_header,
            Keyword::Group | Keyword::Optype | Keyword::Opcode => Rule::layer_header,
            _ => Rule::type_header,
        };
        let pair = self.run(rule, header)?;
        build::definition(self, keyword, header.span, pair)
    }

    /// The statements before the first section.
    fn body(
        &self,
        definition: &mut Definition<'s>,
        lines: &[Ident<'s>],
        diagnostics: &mut Diagnostics,
    ) {
        let rule = |word: &str| match (&definition.kind, word) {
            (DefinitionKind::Isa(_), "Generations") => Some(Rule::generations),
            (DefinitionKind::BitFieldType(_), _) => Some(Rule::enumerator),
            (DefinitionKind::OperandType(_), _) => Some(Rule::operand_entry),
            (DefinitionKind::Immediate(_), "Number") => Some(Rule::number),
            (DefinitionKind::Immediate(_), "Print") => Some(Rule::print),
            (DefinitionKind::Composite(_), "field") => Some(Rule::field),
            (DefinitionKind::Composite(_), "Format") => Some(Rule::format),
            _ => None,
        };
        let known: &[&str] = match &definition.kind {
            DefinitionKind::Isa(_) => &["Generations"],
            DefinitionKind::Immediate(_) => &["Number", "Print"],
            DefinitionKind::Composite(_) => &["field", "Format"],
            _ => &[],
        };
        let mut pairs = Vec::new();
        // Every line of a type begins a statement: they are one line each.
        for statement in split::statements(self.text, lines, |_| true) {
            report_missing_semicolon(&statement, diagnostics);
            let word = first_word(statement.text.text);
            let Some(rule) = rule(word).or_else(|| rule(&nearest(word, known)?)) else {
                diagnostics.push(unknown_in_body(&statement, word, known));
                continue;
            };
            if !known.is_empty() && !known.contains(&word) {
                diagnostics.push(unknown_in_body(&statement, word, known));
            }
            match self.run(rule, statement.text) {
                Ok(pair) => pairs.push((pair, statement.doc)),
                Err(error) => diagnostics.push(error),
            }
        }
        for (pair, doc) in pairs {
            if let Err(error) = build::body_statement(self, &mut definition.kind, pair, doc) {
                diagnostics.push(error);
            }
        }
    }

    fn sections(
        &self,
        definition: &mut Definition<'s>,
        sections: Vec<SectionLines<'s>>,
        diagnostics: &mut Diagnostics,
    ) {
        let mut seen: Vec<(SectionKind, Span)> = Vec::new();
        for section in sections {
            if let Some((kind, first)) = seen.iter().find(|(kind, _)| *kind == section.kind) {
                diagnostics.push(
                    Diagnostic::new(
                        Code::W0113,
                        format!("second `{}` in one definition", kind.heading()),
                        section.heading,
                    )
                    .with_related(*first, "the first is here")
                    .with_help("join the two sections"),
                );
            }
            seen.push((section.kind, section.heading));
            let layer = match &mut definition.kind {
                DefinitionKind::Group(layer)
                | DefinitionKind::Optype(layer)
                | DefinitionKind::Opcode(layer) => layer,
                _ => {
                    self.section_of_type(&mut definition.prose, section, diagnostics);
                    continue;
                }
            };
            match section.kind {
                SectionKind::Encoding | SectionKind::Exception => {
                    self.statements(layer, section, diagnostics)
                }
                SectionKind::OperandInfo => {
                    let lines = self.mixed(layer, &section, diagnostics);
                    definition.prose.push(Section {
                        kind: section.kind,
                        heading: section.heading,
                        lines,
                    });
                }
                _ => definition.prose.push(prose(section)),
            }
        }
    }

    /// Types, register files and the instruction set have a description and nothing else.
    fn section_of_type(
        &self,
        into: &mut Vec<Section<'s>>,
        section: SectionLines<'s>,
        diagnostics: &mut Diagnostics,
    ) {
        if section.kind == SectionKind::Description {
            into.push(prose(section));
            return;
        }
        let heading = section.kind.heading();
        diagnostics.push(
            Diagnostic::new(Code::E0112, format!("`{heading}` has no meaning in this definition"), section.heading)
                .with_note("`__Description` is the only section of a type, a register file or the instruction set"),
        );
    }

    /// A section that holds statements and nothing else.
    fn statements(
        &self,
        layer: &mut Layer<'s>,
        section: SectionLines<'s>,
        diagnostics: &mut Diagnostics,
    ) {
        let known = section_statements(section.kind);
        let begins = |line: &str| find(first_word(line), known).is_some();
        for statement in split::statements(self.text, &section.lines, begins) {
            let word = first_word(statement.text.text);
            let rule = find(word, known);
            let meant =
                rule.or_else(|| find(&nearest(word, known.iter().map(|(word, _)| word))?, known));
            if rule.is_none() {
                diagnostics.push(unknown_statement(&statement, word, section.kind));
            }
            let Some(rule) = meant else { continue };
            report_missing_semicolon(&statement, diagnostics);
            self.layer_statement(layer, rule, &statement, diagnostics);
        }
    }

    /// `__OperandInfo`: takes the statements and returns the prose.
    fn mixed(
        &self,
        layer: &mut Layer<'s>,
        section: &SectionLines<'s>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Ident<'s>> {
        let known = section_statements(section.kind);
        let mut prose = Vec::new();
        let mut at = 0;
        let mut fenced = false;
        while at < section.lines.len() {
            let line = split::trimmed(section.lines[at]);
            fenced ^= line.text.starts_with("```");
            let word = first_word(line.text);
            let opens_list = line.text[word.len()..].trim_start().starts_with('<');
            if fenced || !opens_list {
                prose.push(section.lines[at]);
                at += 1;
                continue;
            }
            let length = statement_lines(&section.lines[at..], known);
            let lines = &section.lines[at..at + length];
            for statement in split::statements(self.text, lines, |_| false) {
                let word = first_word(statement.text.text);
                match find(word, known) {
                    Some(rule) => {
                        report_missing_semicolon(&statement, diagnostics);
                        self.layer_statement(layer, rule, &statement, diagnostics);
                    }
                    None => match self.misspelt(layer, word, &statement, known) {
                        Some(warning) => diagnostics.push(warning),
                        None => prose.extend_from_slice(lines),
                    },
                }
            }
            at += length;
        }
        prose
    }

    /// Prose that would be a statement but for its first word: takes it as that statement, so
    /// that its absence causes no further finding, and warns.
    fn misspelt(
        &self,
        layer: &mut Layer<'s>,
        word: &str,
        statement: &StatementText<'s>,
        known: &[(&str, Rule)],
    ) -> Option<Diagnostic> {
        let meant = nearest(word, known.iter().map(|(word, _)| word))?;
        let pair = self.run(find(&meant, known)?, statement.text).ok()?;
        let mut probe = empty_layer();
        let as_meant = build::layer_statement_as(self, &mut probe, &meant, pair);
        as_meant.ok()?;
        layer.operand_info.append(&mut probe.operand_info);
        let span =
            Span { end: statement.text.span.start + word.len() as u32, ..statement.text.span };
        Some(
            Diagnostic::new(Code::W0111, format!("`{word}` is no statement"), span)
                .with_label(format!("taken as `{meant}`"))
                .with_help(format!("did you mean `{meant}`?")),
        )
    }

    fn layer_statement(
        &self,
        layer: &mut Layer<'s>,
        rule: Rule,
        statement: &StatementText<'s>,
        diagnostics: &mut Diagnostics,
    ) {
        let built = self
            .run(rule, statement.text)
            .and_then(|pair| build::layer_statement(self, layer, pair));
        if let Err(error) = built {
            diagnostics.push(error);
        }
    }
}

fn empty_layer<'s>() -> Layer<'s> {
    Layer {
        width: None,
        parents: Vec::new(),
        fields: Vec::new(),
        operand_info: Vec::new(),
        rules: Vec::new(),
    }
}

/// How many lines the statement at the start of `lines` takes: to its semicolon, but not beyond
/// a blank line or the next statement.
fn statement_lines(lines: &[Ident<'_>], known: &[(&str, Rule)]) -> usize {
    for (i, line) in lines.iter().enumerate() {
        let text = line.text.trim();
        let next = i > 0 && (text.is_empty() || find(first_word(text), known).is_some());
        if next {
            return i;
        }
        if split::without_comment(*line).text.ends_with(';') {
            return i + 1;
        }
        // Prose may open with `word <`; it is no statement, so it ends with its line.
        if i == 0 && find(first_word(text), known).is_none() {
            return 1;
        }
    }
    lines.len()
}

fn prose(section: SectionLines<'_>) -> Section<'_> {
    Section { kind: section.kind, heading: section.heading, lines: section.lines }
}

/// The identifier that a text begins with.
fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

fn find<T: Copy>(word: &str, known: &[(&str, T)]) -> Option<T> {
    known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

fn report_missing_semicolon(statement: &StatementText<'_>, diagnostics: &mut Diagnostics) {
    if statement.ended == Ended::Missing {
        let end = statement.text.span.end;
        let last = statement.text.text.chars().next_back().map_or(0, char::len_utf8) as u32;
        let span = Span { start: end - last, end, ..statement.text.span };
        diagnostics.push(
            Diagnostic::new(Code::E0102, "statement without `;`", span)
                .with_label("expected `;` behind this")
                .with_help("end the statement with `;`"),
        );
    }
}

fn unknown_statement(
    statement: &StatementText<'_>,
    word: &str,
    section: SectionKind,
) -> Diagnostic {
    let elsewhere =
        SectionKind::ALL.into_iter().find(|kind| find(word, section_statements(*kind)).is_some());
    let heading = section.heading();
    if let Some(kind) = elsewhere {
        return Diagnostic::new(
            Code::E0112,
            format!("`{word}` has no meaning in `{heading}`"),
            statement.text.span,
        )
        .with_help(format!("move the statement to `{}`", kind.heading()));
    }
    let known = section_statements(section);
    let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
    Diagnostic::new(Code::E0105, format!("unknown statement in `{heading}`"), statement.text.span)
        .with_note(format!("a statement here begins with {}", names.join(" or ")))
        .with_suggestion(word, known.iter().map(|(word, _)| word))
}

fn unknown_in_body(statement: &StatementText<'_>, word: &str, known: &[&str]) -> Diagnostic {
    let in_section =
        SectionKind::ALL.into_iter().find(|kind| find(word, section_statements(*kind)).is_some());
    let diagnostic =
        Diagnostic::new(Code::E0105, "unknown statement in this definition", statement.text.span);
    match (in_section, known) {
        (Some(kind), _) => {
            diagnostic.with_help(format!("write `{}` in a line before it", kind.heading()))
        }
        (None, []) => diagnostic.with_note("only sections follow this header"),
        (None, known) => diagnostic
            .with_note(format!("a statement here begins with `{}`", known.join("` or `")))
            .with_suggestion(word, known),
    }
}

/// Errors of a header have a code of their own, unless they are about a number.
fn header_code(code: Code) -> Code {
    if code == Code::E0101 { Code::E0108 } else { code }
}

fn syntax_error(text: Ident<'_>, error: pest::error::Error<Rule>) -> Diagnostic {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => expected_words(positives),
        ErrorVariant::CustomError { message } => message.clone(),
    };
    let rest = &text.text[at..];
    let found = found_word(rest);
    let start = text.span.start + at as u32;
    let span = Span { start, end: start + found.len() as u32, ..text.span };
    let found = if found.is_empty() {
        "the end of the statement".to_string()
    } else {
        format!("`{found}`")
    };
    Diagnostic::new(Code::E0101, format!("expected {expected}, found {found}"), span)
        .with_label(format!("expected {expected}"))
}

/// The word or sign at the start of a text.
fn found_word(text: &str) -> &str {
    match first_word(text) {
        "" => text.chars().next().map_or("", |c| &text[..c.len_utf8()]),
        word => word,
    }
}

fn expected_words(rules: &[Rule]) -> String {
    let mut words: Vec<&str> = rules.iter().map(|rule| describe(*rule)).collect();
    words.sort_unstable();
    words.dedup();
    // Operators may stand behind every operand; naming all of them tells nothing.
    if words.contains(&"an operator") && words.len() > 3 {
        words.retain(|word| *word != "an operator");
    }
    match words.as_slice() {
        [] => "something else".to_string(),
        [word] => word.to_string(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A rule in words of the language.
fn describe(rule: Rule) -> &'static str {
    match rule {
        Rule::keyword => "a keyword",
        Rule::ident | Rule::named | Rule::operand_ref | Rule::indirect => "a name",
        Rule::dotted => "a field name",
        Rule::enum_name => "the name of a value",
        Rule::int | Rule::signed_int => "a number",
        Rule::float => "a floating-point number",
        Rule::string | Rule::string_text => "a text in quotes",
        Rule::open_angle => "`<`",
        Rule::close_angle => "`>`",
        Rule::open_bracket | Rule::run => "`[`",
        Rule::close_bracket => "`]`",
        Rule::open_paren => "`(`",
        Rule::close_paren => "`)`",
        Rule::comma => "`,`",
        Rule::colon | Rule::register_file => "`:`",
        Rule::equals | Rule::default => "`=`",
        Rule::fixed => "`==`",
        Rule::binding => "`=`, `==`",
        Rule::dots => "`..`",
        Rule::role => "`zero`, `one`, `[number]`",
        Rule::constant => "`const`",
        Rule::number_format | Rule::unsigned | Rule::signed | Rule::float_format => {
            "`unsigned`, `signed` or `float<exponent, fraction>`"
        }
        Rule::lanes => "`x` and a number of lanes",
        Rule::group_width => "`<width>`",
        Rule::EOI => "the end of the statement",
        Rule::not | Rule::neg | Rule::expr | Rule::primary => "an expression",
        Rule::infix
        | Rule::or
        | Rule::and
        | Rule::eq
        | Rule::ne
        | Rule::le
        | Rule::ge
        | Rule::shl
        | Rule::shr
        | Rule::lt
        | Rule::gt
        | Rule::bit_or
        | Rule::bit_and
        | Rule::add
        | Rule::sub
        | Rule::mul
        | Rule::div => "an operator",
        _ => "a statement",
    }
}
