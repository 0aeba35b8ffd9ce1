//! `__DefOptypes`, `__DefInstructions` and `__DefAliases`: optypes, opcodes and aliases as the rows of a table.
//!
//! Each row becomes a definition: of an optype, of an opcode that is its own operation, or of an alias. Invariant: a
//! malformed row costs one error, and the other rows are read. Code: W0212 (no rows).

use super::build::{Parts, string};
use super::encoding::{bits, fixed_to};
use super::guard::Guarded;
use super::messages::report_missing_semicolon;
use super::operands::{never, row_if, row_order, short_of};
use super::split::Chunk;
use super::statements::{StatementText, statements};
use super::{Context, Keyword, Rule, broken_definition, first_word, of_header, refuse_sections};
use crate::ast::{
    Broken, BrokenDefinition, Definition, DefinitionKind, File, Fix, Ident, Layer, NameSpace,
    OperandStatement, OperandStatementKind, Reserved, ReservedKind, Section, SectionKind, Words,
};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;

/// The head of a table, which all rows share.
struct Head<'s> {
    parents: Vec<Ident<'s>>,
    guard: Guarded<'s>,
}

/// A kind of `///` lines: the sign after the slashes, the section, and the fence around the lines.
const COMMENTS: [(&str, SectionKind, Option<&str>); 3] = [
    ("", SectionKind::Description, None),
    ("=", SectionKind::Semantics, Some("```c")),
    (">", SectionKind::Examples, Some("```asm")),
];

impl<'s> Context<'s> {
    /// Adds the rows of a table to its file.
    pub(super) fn table(
        &self,
        of: Keyword,
        chunk: &Chunk<'s>,
        file: &mut File<'s>,
        diagnostics: &mut Diagnostics,
    ) {
        let (rows, one, form) = match of {
            Keyword::Aliases => ("aliases", "alias", "NAME : [OPCODE] field == value;"),
            Keyword::Optypes => ("operations", "operation", "NAME field == value;"),
            _ => ("instructions", "instruction", "NAME field == value;"),
        };
        refuse_sections(chunk, &format!("a table of {rows} contains only rows"), diagnostics);
        let head = match self.table_head(of, chunk.header) {
            Ok(head) => head,
            Err(error) => {
                diagnostics.push(of_header(error));
                file.broken.push(broken_definition(Some(of), chunk));
                return;
            }
        };
        let mut is_empty = chunk.sections.is_empty();
        let mut names = Vec::new();
        statements(self.text, &chunk.body, begins_row, |row| {
            if of == Keyword::Optypes && is_forms(row.text.text) {
                return self.forms_of_rows((&row, &names), &head, file, diagnostics);
            }
            is_empty = false;
            names.push(first_name(row.text));
            match self.row(of, &head, &row) {
                Ok(definition) => {
                    report_missing_semicolon(&row, diagnostics);
                    file.definitions.push(definition);
                }
                Err(error) => {
                    diagnostics.push(error);
                    file.broken.push(broken_row(&row, &head));
                }
            }
        });
        if is_empty {
            let message = format!("table of {rows} without rows");
            let found = Diagnostic::new(Code::W0212, message, chunk.header.span)
                .with_note(format!("it does not define any {one}"))
                .with_help(format!("add a row, `{form}`, or remove the table"));
            diagnostics.push(found);
            // Findings about parents without opcodes would be a consequence.
            file.broken.push(broken_definition(Some(of), chunk));
        }
    }

    /// Adds the forms of the rows with these names.
    fn forms_of_rows(
        &self,
        (statement, names): (&StatementText<'s>, &[Ident<'s>]),
        head: &Head<'s>,
        file: &mut File<'s>,
        diagnostics: &mut Diagnostics,
    ) {
        report_missing_semicolon(statement, diagnostics);
        let forms = self.row_forms(statement.text, names).map_err(|error| diagnostics.push(error));
        let is_right = forms.is_ok_and(|forms| self.add_forms(&forms, file, diagnostics));
        if !is_right {
            file.broken.push(broken_row(statement, head));
        }
    }

    fn table_head(&self, of: Keyword, header: Ident<'s>) -> Result<Head<'s>, Diagnostic> {
        let (text, guard) = self.guarded(header)?;
        let mut parts = Parts::of(self, self.run(of.rule(), text)?);
        parts.take_one()?;
        Ok(Head { parents: parts.map(|pair| self.ident(&pair)).collect(), guard })
    }

    fn row(
        &self,
        of: Keyword,
        head: &Head<'s>,
        row: &StatementText<'s>,
    ) -> Result<Definition<'s>, Diagnostic> {
        let span = row.text.span;
        let (text, guard) = self.guarded(row.text)?;
        let is_alias = of == Keyword::Aliases;
        let rule = if is_alias { Rule::alias_row } else { Rule::row };
        let mut parts = Parts::of(self, self.run(rule, text)?);
        let name = parts.ident()?;
        let mut layer = Layer { parents: head.parents.clone(), ..Layer::default() };
        let mut mnemonics = Vec::new();
        for pair in parts {
            let of = self.span(&pair);
            if pair.as_rule() == Rule::string {
                mnemonics.push(string(self, pair));
                continue;
            }
            let kind = match pair.as_rule() {
                Rule::row_of => {
                    layer.parents = Parts::of(self, pair).map(|pair| self.ident(&pair)).collect();
                    continue;
                }
                Rule::row_print => {
                    layer.silent = Some(never(self, pair)?);
                    continue;
                }
                Rule::row_if => {
                    layer.matches.push(row_if(self, of, pair)?);
                    continue;
                }
                Rule::row_short => Some(short_of(self, Parts::of(self, pair.clone()))?),
                Rule::row_order => Some(row_order(self, pair.clone())?),
                _ => None,
            };
            if let Some(kind) = kind {
                let statement = OperandStatement { span: of, kind, guard: None, is_short: false };
                layer.operand_info.push(statement);
                continue;
            }
            let mut parts = Parts::of(self, pair);
            if parts.is_next(Rule::open_bracket) || parts.is_next(Rule::open_angle) {
                let bits = bits(self, &mut parts)?;
                parts.take_one()?;
                let (kind, value) = (ReservedKind::Fixed, Some(parts.int()?));
                layer.reserved.push(Reserved { span: of, kind, bits, value, guard: None });
                continue;
            }
            let name = parts.ident()?;
            parts.take_one()?;
            let value = fixed_to(self, parts.take_one()?)?;
            layer.fixes.push(Fix { span: of, name, value, guard: None });
        }
        if layer.parents.is_empty() {
            let message = format!("alias `{}` does not name its opcode", name.text);
            return Err(Diagnostic::new(Code::E0101, message, name.span).with_help(format!(
                "write `{} : [OPCODE]`, or `__DefAliases : [OPCODE]` for all rows",
                name.text
            )));
        }
        if let (Some(first), Some(last)) = (mnemonics.first(), mnemonics.last()) {
            let span = first.span.to(last.span);
            let kind = OperandStatementKind::Mnemonic(mnemonics);
            let statement = OperandStatement { span, kind, guard: None, is_short: false };
            layer.operand_info.push(statement);
        }
        Ok(Definition {
            header: span,
            name,
            guard: guard.or_else(|| head.guard.clone()),
            kind: match of {
                Keyword::Aliases => DefinitionKind::Alias(layer),
                Keyword::Optypes => DefinitionKind::Optype(layer),
                _ => DefinitionKind::Opcode(layer),
            },
            prose: self.comments(&row.doc),
            broken: Broken::default(),
        })
    }

    /// The sections that the `///` lines before a row are.
    fn comments(&self, lines: &[&'s str]) -> Vec<Section<'s>> {
        let is_other = |line: &str| {
            COMMENTS.iter().any(|(sign, ..)| !sign.is_empty() && line.starts_with(sign))
        };
        let mut sections = Vec::new();
        for (sign, kind, fence) in COMMENTS {
            let own = lines.iter().filter_map(|line| match sign {
                "" => (!is_other(line)).then_some(*line),
                sign => line.strip_prefix(sign),
            });
            let runs: Vec<Ident<'s>> = own
                .map(|line| line.strip_prefix(' ').unwrap_or(line))
                .map(|text| Ident { text, span: self.locate(text) })
                .collect();
            let (Some(first), Some(last)) = (runs.first(), runs.last()) else { continue };
            let (start, end) = (Span { end: first.span.start, ..first.span }, last.span);
            let end = Span { start: end.end, ..end };
            let open = fence.map(|text| Ident { text, span: start });
            let close = fence.map(|_| Ident { text: "```", span: end });
            let runs = open.into_iter().chain(runs).chain(close).collect();
            sections.push(Section { kind, heading: start, runs });
        }
        sections
    }
}

/// Whether a line begins a row, or its comment, even if the row before it does not end: a name is
/// followed by a text or another name.
pub(super) fn begins_row(line: &str) -> bool {
    let word = first_word(line);
    let rest = line[word.len()..].trim_start();
    let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    line.starts_with("///")
        || is_forms(line)
        || is_name && rest.starts_with(|c: char| "\"[_:".contains(c) || c.is_ascii_alphabetic())
}

/// Whether a statement of a table is its forms, and no row with that name.
pub(super) fn is_forms(text: &str) -> bool {
    let rest = text.strip_prefix("Forms").unwrap_or_default();
    rest.starts_with(char::is_whitespace) && rest.contains(['{', ':'])
}

/// The first word of a row.
pub(super) fn first_name(row: Ident<'_>) -> Ident<'_> {
    let text = first_word(row.text);
    let end = row.span.start + text.len() as u32;
    Ident { text, span: Span { end, ..row.span } }
}

/// The remains of a row that was reported. It may be all that is below its parents.
fn broken_row<'s>(row: &StatementText<'s>, head: &Head<'s>) -> BrokenDefinition<'s> {
    let name = first_name(row.text);
    let mut words = Words::default();
    words.add(row.text.text);
    head.parents.iter().for_each(|parent| words.add(parent.text));
    BrokenDefinition {
        space: Some(NameSpace::Layers),
        name: Some(name).filter(|name| !name.text.is_empty()),
        words,
    }
}
