//! The names of a file: their definitions, their uses, and how each use is looked up.
//!
//! They are taken from the tokens of the grammar, so that they are known while a file has errors. Offsets are bytes
//! of the file.

mod environments;
mod programs;

use std::ops::Range;

use isadl::ast::SectionKind;
use isadl::diagnostic::Diagnostics;
use isadl::parse::{GrammarSegment, SegmentKind, Token, TokenKind, pieces};
use isadl::source::SourceMap;

use crate::combinations;
use crate::lookup::{Lookup, Use};
pub(crate) use programs::ProgramText;

/// The name space of a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// The instruction set itself.
    #[default]
    Isa,
    /// Types of fields.
    Type,
    /// Register files.
    RegFile,
    /// Groups, optypes, opcodes and aliases.
    Layer,
    /// Fields, operands composed of fields, and parts of composites, all within one definition.
    Field,
    /// Values of a type.
    Value,
    /// Generations, extensions and sets of them.
    Condition,
    /// What programs declare for all programs of layers below.
    Declaration,
    /// Names that programs bind.
    Local,
    /// What programs run in.
    Environment,
}

/// A definition of a name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Def {
    pub(crate) space: Space,
    pub(crate) name: String,
    /// The name in the text; for an attribute, the part after the dot.
    pub(crate) span: Range<usize>,
    /// The whole definition, or statement; for a name that a program binds, where it is visible.
    pub(crate) whole: Range<usize>,
    /// The keyword of the definition, or the kind of item.
    pub(crate) keyword: String,
    /// The definition in this file that a field or value belongs to.
    pub(crate) owner: Option<usize>,
    /// The parents of a layer.
    pub(crate) parents: Vec<String>,
    /// The type of a field.
    pub(crate) ty: Option<String>,
    /// The header or statement as text.
    pub(crate) head: String,
    /// The lines that document it.
    pub(crate) doc: String,
    /// Whether the name is made of others, and not in the text.
    pub(crate) is_made: bool,
    /// Whether its pseudo code and that of layers below is checked, if it says that.
    pub(crate) is_checked: Option<bool>,
    /// What is known of a name that a program defines.
    pub(crate) in_program: Option<InProgram>,
}

/// How a program defines a name.
#[derive(Debug, Clone)]
pub(crate) struct InProgram {
    /// The program, an index among those of the file.
    pub(crate) program: usize,
    /// Whether it defines the name even if the name means something else too. An assignment may write an operand.
    pub(crate) is_certain: bool,
    /// Whether programs that stand inside of it see the name.
    pub(crate) reaches_body: bool,
}

/// A section of a definition.
#[derive(Debug, Clone)]
pub(crate) struct SectionRange {
    pub(crate) kind: SectionKind,
    pub(crate) whole: Range<usize>,
}

/// All facts about the names of one file.
#[derive(Debug, Default)]
pub(crate) struct FileSymbols {
    pub(crate) pieces: Vec<GrammarSegment>,
    pub(crate) defs: Vec<Def>,
    pub(crate) uses: Vec<Use>,
    pub(crate) sections: Vec<SectionRange>,
    pub(crate) programs: Vec<ProgramText>,
    /// The names of placeholders, and the operands that each stands for.
    pub(crate) placeholders: Vec<(String, Vec<String>)>,
}

impl FileSymbols {
    pub(crate) fn of(text: &str) -> FileSymbols {
        let mut sources = SourceMap::new();
        let id = sources.add("", text.as_bytes().to_vec());
        // Findings are reported for the whole instruction set, not here.
        let pieces = pieces(&sources, id, &mut Diagnostics::default());
        let mut collector = Collector {
            text,
            made: FileSymbols::default(),
            current: None,
            table: None,
            rows: vec![],
        };
        for piece in &pieces {
            match piece {
                GrammarSegment::Tokens { kind, tokens } => {
                    if *kind == SegmentKind::Header {
                        collector.end_section(piece.start() as usize);
                    }
                    collector.tokens(*kind, tokens);
                }
                GrammarSegment::Heading(span, kind) => {
                    collector.end_section(span.start as usize);
                    let whole = span.start as usize..text.len();
                    collector.made.sections.push(SectionRange { kind: *kind, whole });
                }
            }
        }
        let mut made = collector.finish();
        made.pieces = pieces;
        programs::collect(&sources, text, &mut made);
        made
    }

    /// The definition of a layer, type, … that a place is in.
    pub(crate) fn definition_at(&self, at: usize) -> Option<usize> {
        let is_it = |def: &Def| def.owner.is_none() && def.whole.contains(&at);
        self.defs.iter().rposition(is_it)
    }
}

struct Collector<'t> {
    text: &'t str,
    made: FileSymbols,
    /// The definition of the header before.
    current: Option<usize>,
    /// The header of the table before: its keyword and the parents of its rows.
    table: Option<(String, Vec<String>)>,
    /// The names of its rows up to here.
    rows: Vec<String>,
}

/// A token with its text.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    kind: TokenKind,
    start: usize,
}

impl Word<'_> {
    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    fn is_name(&self) -> bool {
        self.kind == TokenKind::Name
    }
}

impl<'t> Collector<'t> {
    fn tokens(&mut self, kind: SegmentKind, tokens: &[Token]) {
        let word = |token: &Token| Word {
            text: &self.text[token.span.range()],
            kind: token.kind,
            start: token.span.start as usize,
        };
        let words: Vec<Word<'t>> = tokens.iter().map(word).collect();
        match kind {
            SegmentKind::Header => self.header(&words),
            SegmentKind::Row => self.row(&words),
            SegmentKind::Field => self.field(&words),
            SegmentKind::Entry => self.entry(&words),
            SegmentKind::Guard => self.conditions(&words),
            SegmentKind::Statement => self.statement(&words),
        }
    }

    fn header(&mut self, words: &[Word<'t>]) {
        let [keyword, rest @ ..] = words else { return };
        self.end_definition(keyword.start);
        self.table = None;
        self.rows.clear();
        let space = match keyword.text {
            "__DefIsa" => Space::Isa,
            "__DefRegFile" => Space::RegFile,
            "__DefEnvironment" => Space::Environment,
            "__DefGroup" | "__DefOptype" | "__DefOpcode" | "__DefAlias" => Space::Layer,
            "__DefForms" => return self.forms(words, None),
            "__DefOptypes" | "__DefInstructions" | "__DefAliases" => {
                let parents = self.parents(rest);
                self.table = Some((keyword.text.to_string(), parents));
                return;
            }
            _ => Space::Type,
        };
        let Some(name) = rest.first().filter(|word| word.is_name()) else { return };
        let parents = if space == Space::Layer { self.parents(&rest[1..]) } else { Vec::new() };
        let whole = keyword.start..self.text.len();
        let def = self.define(space, *name, (keyword.text, whole), words);
        self.current = Some(def);
        self.made.defs[def].parents = parents;
    }

    /// The layers in brackets, which are used.
    fn parents(&mut self, words: &[Word<'t>]) -> Vec<String> {
        let names = words.iter().filter(|word| word.is_name());
        let names: Vec<Word<'t>> = names.copied().collect();
        names.iter().for_each(|name| self.using(*name, Lookup::Layer));
        names.iter().map(|name| name.text.to_string()).collect()
    }

    /// Ends the last section where the next, or another definition, begins.
    fn end_section(&mut self, at: usize) {
        if let Some(section) = self.made.sections.last_mut() {
            section.whole.end = section.whole.end.min(at);
        }
    }

    /// Ends the last definition where the next begins.
    fn end_definition(&mut self, at: usize) {
        if let Some(current) = self.current.take() {
            let def = &mut self.made.defs[current];
            def.whole.end = at.max(def.span.end);
        }
    }

    /// The opcodes that a definition of forms makes, or such a statement after rows.
    fn forms(&mut self, words: &[Word<'t>], rows: Option<Vec<String>>) {
        let Some(pattern) = words.get(1).copied() else { return };
        let end = words.iter().position(|word| word.text == "except").unwrap_or(words.len());
        let lists = words[2..end]
            .split(|word| word.text == "x" && word.kind == TokenKind::Keyword)
            .map(|list| {
                let names = list.iter().filter(|word| word.is_name());
                names.map(|word| word.text.to_string()).collect()
            });
        let lists: Vec<Vec<String>> = rows.into_iter().chain(lists).collect();
        words[2..end].iter().for_each(|word| {
            if word.is_name() {
                self.using(*word, Lookup::Layer);
            }
        });
        for entries in combinations::combinations(&lists) {
            let name = combinations::made(pattern.text, &entries);
            if let Some(word) = words[end..].iter().find(|word| word.text == name) {
                self.using(*word, Lookup::Excepted { pattern: pattern.span(), entries });
                continue;
            }
            let whole = words[0].start..words[words.len() - 1].span().end;
            let def = self.define(Space::Layer, pattern, ("__DefForms", whole), words);
            let def = &mut self.made.defs[def];
            (def.name, def.parents, def.is_made) = (name, entries, true);
        }
    }

    /// A row of a table: an opcode, operation or alias.
    fn row(&mut self, words: &[Word<'t>]) {
        let (Some(name), Some((table, shared))) = (words.first().copied(), self.table.clone())
        else {
            return;
        };
        let keyword = match table.as_str() {
            "__DefAliases" => "__DefAlias",
            "__DefOptypes" => "__DefOptype",
            _ => "__DefOpcode",
        };
        let whole = name.start..words[words.len() - 1].span().end;
        let def = self.define(Space::Layer, name, (keyword, whole), words);
        self.current = Some(def);
        self.rows.push(name.text.to_string());
        let rest = &words[1..];
        let has_parents = rest.first().is_some_and(|word| word.text == ":");
        let end = rest.iter().position(|word| word.text == "]").map_or(0, |at| at + 1);
        let own = if has_parents { self.parents(&rest[..end]) } else { Vec::new() };
        self.made.defs[def].parents = if has_parents { own } else { shared };
        self.expression(if has_parents { &rest[end..] } else { rest });
        self.current = None;
    }

    fn field(&mut self, words: &[Word<'t>]) {
        let names: Vec<usize> =
            (0..words.len()).filter(|at| words[*at].is_name() && *at > 0).collect();
        let [ty, name, rest @ ..] = names.as_slice() else { return };
        let (ty, name) = (words[*ty], words[*name]);
        self.using(ty, Lookup::Type);
        let whole = words[0].start..words[words.len() - 1].span().end;
        let def = self.define(Space::Field, name, (words[0].text, whole), words);
        self.made.defs[def].ty = Some(ty.text.to_string());
        for at in rest {
            let is_literal = words[*at - 1].text == ":";
            let value = Lookup::ValueOf(ty.text.to_string());
            self.using(words[*at], if is_literal { Lookup::Field } else { value });
        }
    }

    fn entry(&mut self, words: &[Word<'t>]) {
        let whole = words[0].start..words[words.len() - 1].span().end;
        let mut is_value = true;
        let mut at = 0;
        while at < words.len() {
            let word = words[at];
            match word.text {
                "=" | "as" => is_value = false,
                "also" => is_value = true,
                "is" => {
                    let guard = words[at..].iter().position(|word| word.text == "@");
                    self.conditions(guard.map_or(&[], |guard| &words[at + guard..]));
                    return;
                }
                "@" => {
                    let rest = &words[at..];
                    let end = rest.iter().position(|word| word.text == "]").unwrap_or(0);
                    self.conditions(&rest[..end]);
                    at += end;
                }
                ":" => {
                    if let Some(file) = words.get(at + 1).filter(|word| word.is_name()) {
                        self.using(*file, Lookup::RegFile);
                    }
                    at += 1;
                    is_value = false;
                }
                _ if word.is_name() && is_value => {
                    self.define(Space::Value, word, ("value", whole.clone()), words);
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn conditions(&mut self, words: &[Word<'t>]) {
        for word in words.iter().filter(|word| word.is_name()) {
            self.using(*word, Lookup::Condition);
        }
    }

    fn statement(&mut self, words: &[Word<'t>]) {
        let [keyword, rest @ ..] = words else { return };
        let whole = keyword.start..words[words.len() - 1].span().end;
        match keyword.text {
            "Generations" | "Extensions" | "Set" => {
                let end = rest.iter().position(|word| word.text == ">").unwrap_or(rest.len());
                for word in rest[..end].iter().filter(|word| word.is_name()) {
                    let what = (keyword.text.trim_end_matches('s'), whole.clone());
                    self.define(Space::Condition, *word, what, words);
                }
                self.conditions(&rest[end..]);
            }
            "Forms" => self.forms(words, Some(self.rows.clone())),
            "Implies" | "Requires" | "DefaultSet" => self.conditions(rest),
            "include" | "else" => {
                rest.iter().take(1).for_each(|word| self.using(*word, Lookup::Type));
            }
            "Operand" => {
                let [_, name, rest @ ..] = rest else { return };
                let def = self.define(Space::Field, *name, ("operand", whole), words);
                let ty = rest.iter().position(|word| word.text == ":").map(|at| at + 1);
                if let Some(ty) = ty.and_then(|at| rest.get(at)) {
                    self.made.defs[def].ty = Some(ty.text.to_string());
                    self.using(*ty, Lookup::Type);
                }
                let value = rest.iter().position(|word| word.text == "=").unwrap_or(0);
                self.expression(&rest[value..]);
            }
            "Modifier" => {
                let [_, name, rest @ ..] = rest else { return };
                // The name of one of its fields means this field.
                let own = format!("{{{}}}", name.text);
                match rest.iter().any(|word| word.text.contains(&own)) {
                    true => self.using(*name, Lookup::Field),
                    false => {
                        self.define(Space::Field, *name, ("modifier", whole), words);
                    }
                }
                self.expression(rest);
            }
            "Short" => self.short(rest),
            "Detour" => {
                for word in rest.iter().filter(|word| word.is_name()) {
                    self.using(*word, Lookup::Layer);
                }
            }
            "Placeholder" => {
                let Some(name) = rest.get(1) else { return };
                let operands = || rest.iter().skip(3).filter(|word| word.is_name());
                let texts = operands().map(|word| word.text.to_string()).collect();
                self.made.placeholders.push((name.text.to_string(), texts));
                operands().for_each(|word| self.using(*word, Lookup::AnyField));
            }
            "Flow" | "EncodingError" | "AssemblerError" => {
                let end = rest.iter().position(|word| word.text == "=").unwrap_or(rest.len());
                self.expression(&rest[end..]);
            }
            "Mask" => {
                let names = rest.iter().filter(|word| word.is_name());
                for (word, lookup) in names.zip([Lookup::Field, Lookup::RegFile]) {
                    self.using(*word, lookup);
                }
            }
            "AsmFormat" => {
                let called = |at: usize| rest.get(at + 1).is_some_and(|word| word.text == "(");
                for (at, word) in rest.iter().enumerate() {
                    if word.is_name() && !called(at) {
                        self.using(*word, Lookup::Field);
                    }
                }
            }
            _ if self.is_in_layer() => self.expression(rest),
            word if self.is_in_environment() => self.environment(word, rest),
            "Format" => self.expression(rest),
            _ => {}
        }
    }

    /// Reads `<OPCODE> : field = value, …`, the long encoding.
    fn short(&mut self, words: &[Word<'t>]) {
        let Some(of) = words.iter().find(|word| word.is_name()).copied() else { return };
        self.using(of, Lookup::Layer);
        let colon = words.iter().position(|word| word.text == ":").unwrap_or(words.len());
        for item in words[colon..].split(|word| word.text == ",") {
            let names: Vec<&Word<'_>> = item.iter().filter(|word| word.is_name()).collect();
            if let [field, value @ ..] = names.as_slice() {
                self.using(**field, Lookup::FieldOf(of.text.to_string()));
                // It is a field of this opcode, or a value of the other opcode's field.
                let lookup = Lookup::FieldOrValueOf(of.text.to_string(), field.text.to_string());
                value.iter().for_each(|value| self.using(**value, lookup.clone()));
            }
        }
    }

    /// Whether the current definition is a group, optype, opcode or alias.
    fn is_in_layer(&self) -> bool {
        self.current.is_some_and(|at| self.made.defs[at].space == Space::Layer)
    }

    /// The names of an expression or list: fields, and values of the fields that they are compared with.
    fn expression(&mut self, words: &[Word<'t>]) {
        let mut before: Option<&str> = None;
        let mut is_compared = false;
        for (at, word) in words.iter().enumerate() {
            let is_class = at > 0 && words[at - 1].text == "is";
            match word.kind {
                TokenKind::Name if is_class => {}
                TokenKind::Name => {
                    let lookup = match before.filter(|_| is_compared) {
                        Some(field) => Lookup::FieldOrValue(field.to_string()),
                        None => Lookup::Field,
                    };
                    self.using(*word, lookup);
                    // After `=` a condition begins, and nothing is compared yet.
                    if before.is_none() || !is_compared {
                        (before, is_compared) = (Some(word.text), false);
                    }
                }
                TokenKind::Text => self.text(*word, before.filter(|_| is_compared)),
                // The last parts of rows.
                _ if word.text == "Short" => return self.short(&words[at + 1..]),
                _ if word.text == "Print" => return,
                _ if word.text == "Order" => (before, is_compared) = (None, false),
                _ => match word.text {
                    "==" | "!=" | "<" | "<=" | ">" | ">=" | "=" => is_compared = true,
                    "and" | "or" | "if" | "," => (before, is_compared) = (None, false),
                    _ => {}
                },
            }
        }
    }

    /// The names in a quoted text: a value that a field is compared with, or fields in braces.
    fn text(&mut self, word: Word<'t>, compared: Option<&str>) {
        let inner = word.text.trim_matches('"');
        let start = word.start + 1;
        if let Some(field) = compared {
            let lookup = Lookup::FieldOrValue(field.to_string());
            return self.using(Word { text: inner, kind: TokenKind::Name, start }, lookup);
        }
        for (at, _) in inner.match_indices('{') {
            let rest = &inner[at + 1..];
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            if length > 0 && rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                let text = rest[..length].trim_end_matches('.');
                let start = start + at + 1;
                self.using(Word { text, kind: TokenKind::Name, start }, Lookup::Field);
            }
        }
    }

    fn define(
        &mut self,
        space: Space,
        name: Word<'t>,
        (keyword, whole): (&str, Range<usize>),
        words: &[Word<'t>],
    ) -> usize {
        let is_inner = matches!(space, Space::Field | Space::Value | Space::Condition);
        let owner = if is_inner { self.current } else { None };
        let end = words.last().map_or(whole.end, |last| last.span().end);
        let (text, start) = self.attribute(name);
        self.made.defs.push(Def {
            space,
            name: name.text.to_string(),
            span: start..start + text.len(),
            keyword: keyword.to_string(),
            owner,
            head: self.text[words[0].start..end].to_string(),
            doc: documentation(self.text, words[0].start),
            whole,
            ..Def::default()
        });
        self.made.defs.len() - 1
    }

    /// For an attribute, returns the part after the dot, and records a use of the part before it.
    fn attribute(&mut self, name: Word<'t>) -> (&'t str, usize) {
        match name.text.split_once('.') {
            Some((operand, attribute)) => {
                self.using(Word { text: operand, ..name }, Lookup::Field);
                (attribute, name.start + operand.len() + 1)
            }
            None => (name.text, name.start),
        }
    }

    fn using(&mut self, word: Word<'t>, lookup: Lookup) {
        let is_field =
            matches!(lookup, Lookup::Field | Lookup::FieldOf(_) | Lookup::FieldOrValue(_));
        let (text, start) = match is_field {
            true => self.attribute(word),
            false => (word.text, word.start),
        };
        let span = start..start + text.len();
        let name = word.text.to_string();
        self.made.uses.push(Use { name, span, lookup, owner: self.current, program: None });
    }

    fn finish(mut self) -> FileSymbols {
        self.end_definition(self.text.len());
        for at in 0..self.made.defs.len() {
            if self.made.defs[at].doc.is_empty() {
                self.made.defs[at].doc = self.description(at);
            }
        }
        self.made.uses.sort_by_key(|of| (of.span.start, of.span.end));
        self.made
    }

    /// The first paragraph of a definition's description.
    fn description(&self, at: usize) -> String {
        let whole = &self.made.defs[at].whole;
        let is_it = |section: &&SectionRange| {
            section.kind == SectionKind::Description && whole.contains(&section.whole.start)
        };
        let Some(section) = self.made.sections.iter().find(is_it) else { return String::new() };
        let end = section.whole.end.min(whole.end);
        let text = &self.text[section.whole.start..end];
        let lines = text.lines().skip(1).skip_while(|line| line.trim().is_empty());
        let paragraph: Vec<&str> = lines.take_while(|line| !line.trim().is_empty()).collect();
        paragraph.join("\n")
    }
}

/// The `///` lines before a place, without pseudo code and examples.
fn documentation(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let mut lines: Vec<&str> = Vec::new();
    for line in text[..start].lines().rev() {
        let Some(doc) = line.trim().strip_prefix("///") else { break };
        if !doc.starts_with(['=', '>']) {
            lines.push(doc.trim());
        }
    }
    lines.reverse();
    lines.join("\n")
}
