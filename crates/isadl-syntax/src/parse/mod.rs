//! Parsing: from texts to syntax trees.
//!
//! A file is cut into definitions (`split.rs`, `fences.rs`) and statements (`statements.rs`, `bodies.rs`,
//! `sections.rs`). One rule of the grammar (`grammar.pest`) parses each, and `build.rs` and `expr.rs` turn it into a
//! node. Invariant: a broken header loses its definition and a broken statement loses only itself, with one error each;
//! the names in the lost text are remembered (`broken.rs`).

mod bodies;
mod build;
mod def_forms;
mod encoding;
mod entries;
mod environment;
mod expr;
mod extensions;
mod fences;
mod guard;
mod memo;
mod messages;
mod numbers;
mod operands;
mod sections;
mod settings;
mod split;
mod statements;
mod table;
mod tokens;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use pest::Parser;
use pest::iterators::Pair;

use crate::ast::{
    Broken, BrokenDefinition, Definition, File, Ident, Int, NameSpace, SectionKind, Words,
};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::parallel;
use crate::source::{FileId, SourceMap, Span};
use crate::suggest::nearest;
use memo::Memo;
use split::{Chunk, trimmed};

pub use expr::{MAX_NESTING, MAX_OPERATORS};
pub use tokens::{GrammarSegment, SegmentKind, Token, TokenKind};

#[rustfmt::skip]
#[allow(dead_code, missing_docs, unreachable_pub, clippy::all, reason = "generated from grammar.pest")]
mod grammar;
use grammar::{Grammar, Rule};

/// Parses every specification file of the map.
pub fn parse<'s>(sources: &'s SourceMap, diagnostics: &mut Diagnostics) -> Vec<File<'s>> {
    let made = sources.made_names(|| def_forms::names(sources));
    let left = Rc::new(Cell::new(def_forms::MAX_FORMS));
    let context = |id| {
        let text = sources.file(id).text();
        let (left, memo) = (Rc::clone(&left), Memo::default());
        Context { file: id, text, made, left, memo, pieces: None }
    };
    sources.specification().map(|id| parse_file(&context(id), diagnostics)).collect()
}

/// The headers, statements and headings of a file that the grammar knows, in order. Reports everything else.
pub fn pieces(
    sources: &SourceMap,
    id: FileId,
    diagnostics: &mut Diagnostics,
) -> Vec<GrammarSegment> {
    let pieces = Rc::new(RefCell::new(Vec::new()));
    let context = Context {
        file: id,
        text: sources.file(id).text(),
        made: sources.made_names(|| def_forms::names(sources)),
        left: Rc::new(Cell::new(def_forms::MAX_FORMS)),
        memo: Memo::default(),
        pieces: Some(Rc::clone(&pieces)),
    };
    parse_file(&context, diagnostics);
    let mut pieces = pieces.take();
    pieces.sort_by_key(GrammarSegment::start);
    // Text that was parsed more than once has several entries.
    pieces.dedup_by_key(|piece| piece.start());
    pieces
}

fn parse_file<'s>(context: &Context<'s>, diagnostics: &mut Diagnostics) -> File<'s> {
    let (id, text) = (context.file, context.text);
    let chunks = split::definitions(id, text, diagnostics);
    let mut file = File { id, definitions: Vec::with_capacity(chunks.len()), broken: Vec::new() };
    // The opcodes that forms create are counted over all chunks.
    if context.pieces.is_some() || chunks.len() < 2 * LEAST_PARALLEL || text.contains("Forms") {
        for chunk in &chunks {
            context.definition(chunk, &mut file, diagnostics);
        }
        return file;
    }
    let made = context.made;
    let parts = parallel::pieces(&chunks, LEAST_PARALLEL, |chunks| {
        let (left, memo) = Default::default();
        let context = Context { file: id, text, made, left, memo, pieces: None };
        let mut part = File { id, definitions: Vec::new(), broken: Vec::new() };
        let mut found = Diagnostics::default();
        for chunk in chunks {
            context.definition(chunk, &mut part, &mut found);
        }
        (part, found)
    });
    for (part, found) in parts {
        file.definitions.extend(part.definitions);
        file.broken.extend(part.broken);
        diagnostics.extend(found);
    }
    file
}

/// The fewest definitions that are worth a thread.
const LEAST_PARALLEL: usize = 256;

/// The definition that a keyword begins.
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
    Alias,
    Optypes,
    Instructions,
    Aliases,
    Forms,
    Environment,
}

impl Keyword {
    /// The rule of the header.
    fn rule(self) -> Rule {
        match self {
            Keyword::Isa => Rule::isa_header,
            Keyword::RegFile => Rule::reg_file_header,
            Keyword::Group => Rule::group_header,
            Keyword::Optype | Keyword::Opcode | Keyword::Alias => Rule::layer_header,
            Keyword::Optypes | Keyword::Instructions => Rule::table_header,
            Keyword::Aliases => Rule::alias_table_header,
            Keyword::Forms => Rule::forms_header,
            Keyword::Environment => Rule::environment_header,
            _ => Rule::type_header,
        }
    }

    /// The name space of the defined name.
    fn space(self) -> NameSpace {
        match self {
            Keyword::Isa => NameSpace::Isa,
            Keyword::RegFile => NameSpace::RegFiles,
            Keyword::Group
            | Keyword::Optype
            | Keyword::Opcode
            | Keyword::Alias
            | Keyword::Optypes
            | Keyword::Instructions
            | Keyword::Aliases
            | Keyword::Forms => NameSpace::Layers,
            Keyword::Environment => NameSpace::Environments,
            _ => NameSpace::Types,
        }
    }
}

const KEYWORDS: [(&str, Keyword); 15] = [
    ("__DefIsa", Keyword::Isa),
    ("__DefRegFile", Keyword::RegFile),
    ("__DefBitFieldType", Keyword::BitFieldType),
    ("__DefOperandType", Keyword::OperandType),
    ("__DefImmediate", Keyword::Immediate),
    ("__DefComposite", Keyword::Composite),
    ("__DefGroup", Keyword::Group),
    ("__DefOptype", Keyword::Optype),
    ("__DefOpcode", Keyword::Opcode),
    ("__DefAlias", Keyword::Alias),
    ("__DefOptypes", Keyword::Optypes),
    ("__DefInstructions", Keyword::Instructions),
    ("__DefAliases", Keyword::Aliases),
    ("__DefForms", Keyword::Forms),
    ("__DefEnvironment", Keyword::Environment),
];

/// The words that definitions begin with, in the order of the reference.
pub fn definition_words() -> impl Iterator<Item = &'static str> {
    KEYWORDS.into_iter().map(|(word, _)| word)
}

/// The words that statements begin with: of a section, or of the body of a definition that begins with a word.
pub fn statement_words(
    definition: &str,
    section: Option<SectionKind>,
) -> impl Iterator<Item = &'static str> {
    let statements = match section {
        Some(kind) => section_statements(kind),
        None => find(definition, &KEYWORDS).map_or(&[][..], bodies::body_words),
    };
    statements.iter().map(|(word, _)| *word)
}

/// The statements that are allowed in a place by their first words, with their grammar rules.
type Statements = &'static [(&'static str, Rule)];

/// The statements of a section of instructions.
fn section_statements(kind: SectionKind) -> Statements {
    match kind {
        SectionKind::Encoding => &[
            ("field", Rule::field),
            ("control", Rule::field),
            ("literal", Rule::literal_field),
            ("zero", Rule::reserved),
            ("fixed", Rule::fixed_bits),
            ("ignored", Rule::ignored_bits),
            ("fix", Rule::fix),
            ("Unstated", Rule::unstated),
            ("Match", Rule::match_cond),
        ],
        SectionKind::OperandInfo => &[
            ("InList", Rule::operand_list),
            ("OutList", Rule::operand_list),
            ("Order", Rule::operand_list),
            ("Operands", Rule::operands),
            ("Guard", Rule::guard_field),
            ("ModiOrder", Rule::modi_order),
            ("Bitwidth", Rule::bitwidth),
            ("Operand", Rule::template),
            ("Modifier", Rule::template),
            ("Loads", Rule::memory),
            ("Short", Rule::short),
            ("Stores", Rule::memory),
            ("AsmFormat", Rule::asm_format),
            ("Reads", Rule::use_list),
            ("Writes", Rule::use_list),
            ("Partial", Rule::operand_list),
            ("Mask", Rule::mask),
            ("Flow", Rule::flow),
            ("Mnemonic", Rule::texts),
            ("Suffix", Rule::texts),
            ("Print", Rule::guard_field),
            ("Semantics", Rule::guard_field),
        ],
        SectionKind::Exception => {
            &[("EncodingError", Rule::encoding_rule), ("AssemblerError", Rule::encoding_rule)]
        }
        _ => &[],
    }
}

/// The section whose statements begin with a word.
fn section_of(word: &str) -> Option<SectionKind> {
    SectionKind::ALL.into_iter().find(|kind| find(word, section_statements(*kind)).is_some())
}

/// Collects findings, and the text that is lost in the current definition.
struct Sink<'d, 's> {
    broken: &'d mut Broken<'s>,
    diagnostics: &'d mut Diagnostics,
}

impl<'s> Sink<'_, 's> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports a statement that is lost. `keyword` is its first word, or the word that was meant.
    fn lose(&mut self, keyword: &'s str, text: Ident<'s>, diagnostic: Diagnostic) {
        self.broken.add(keyword, text.text);
        self.diagnostics.push(diagnostic);
    }
}

/// The current file, which gives source locations to pairs.
struct Context<'s> {
    file: FileId,
    text: &'s str,
    /// The names that `__DefForms` makes.
    made: &'s HashSet<String>,
    /// The number of opcodes that `__DefForms` may still make.
    left: Rc<Cell<usize>>,
    /// The statements that were read before.
    memo: Memo<'s>,
    /// The pieces parsed so far, if the caller requests them.
    pieces: Option<Rc<RefCell<Vec<GrammarSegment>>>>,
}

impl<'s> Context<'s> {
    /// The location of a pair; pairs are slices of the file's text.
    fn span(&self, pair: &Pair<'s, Rule>) -> Span {
        self.locate(pair.as_str())
    }

    fn locate(&self, slice: &str) -> Span {
        let start = self.memo.shifted(slice.as_ptr() as usize - self.text.as_ptr() as usize);
        Span { file: self.file, start, end: start + slice.len() as u32 }
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

    /// Parses `text` by a rule; an error names the expected text and the position.
    fn run(&self, rule: Rule, text: Ident<'s>) -> Result<Pair<'s, Rule>, Diagnostic> {
        if let Some(error) = expr::check_nesting(text.text, text.span) {
            return Err(error);
        }
        match Grammar::parse(rule, text.text).map(|mut pairs| pairs.next()) {
            Ok(Some(pair)) => {
                if let Some(pieces) = &self.pieces {
                    pieces.borrow_mut().push(tokens::piece(rule, text, pair.clone()));
                }
                Ok(pair)
            }
            Ok(None) => Err(Diagnostic::new(Code::E0101, "syntax error", text.span)),
            Err(error) => Err(messages::syntax_error(rule, text, error)),
        }
    }

    /// Adds a definition to its file, or its remains if its header is broken.
    fn definition(&self, chunk: &Chunk<'s>, file: &mut File<'s>, diagnostics: &mut Diagnostics) {
        let keyword = keyword(chunk.header, diagnostics);
        match keyword {
            Some(of @ (Keyword::Optypes | Keyword::Instructions | Keyword::Aliases)) => {
                return self.table(of, chunk, file, diagnostics);
            }
            Some(Keyword::Forms) => return self.forms(chunk, file, diagnostics),
            _ => {}
        }
        let Some(mut definition) = self.header(keyword, chunk.header, diagnostics) else {
            file.broken.push(broken_definition(keyword, chunk));
            return;
        };
        self.body(&mut definition, chunk, diagnostics);
        self.sections(&mut definition, &chunk.sections, diagnostics);
        definition.shrink_to_fit();
        file.definitions.push(definition);
    }

    fn header(
        &self,
        keyword: Option<Keyword>,
        header: Ident<'s>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Definition<'s>> {
        let keyword = keyword?;
        let definition = self.guarded(header).and_then(|(text, guard)| {
            let pair = self.run(keyword.rule(), text)?;
            build::definition(self, keyword, (header.span, guard), pair)
        });
        definition.map_err(|error| diagnostics.push(of_header(error))).ok()
    }
}

/// An error in a header: it has a code of its own, unless it concerns a number.
fn of_header(error: Diagnostic) -> Diagnostic {
    let code = if error.code == Code::E0101 { Code::E0108 } else { error.code };
    Diagnostic { code, ..error }
}

/// Reports the sections of a definition that cannot have any.
fn refuse_sections(chunk: &Chunk<'_>, note: &str, diagnostics: &mut Diagnostics) {
    for section in &chunk.sections {
        let heading = section.kind.map_or("section", SectionKind::heading);
        let message = format!("`{heading}` is not allowed in this definition");
        let found = Diagnostic::new(Code::E0112, message, section.heading).with_note(note);
        diagnostics.push(found);
    }
}

/// The keyword of a header. Reports a misspelt keyword and treats it as the nearest known keyword.
fn keyword(header: Ident<'_>, diagnostics: &mut Diagnostics) -> Option<Keyword> {
    let word = first_word(header.text);
    if let Some(keyword) = find(word, &KEYWORDS) {
        return Some(keyword);
    }
    let span = Span { end: header.span.start + word.len() as u32, ..header.span };
    let known = KEYWORDS.map(|(word, _)| word);
    diagnostics.push(
        Diagnostic::new(Code::E0103, format!("unknown definition keyword `{word}`"), span)
            .with_note(format!("the keywords are {}", known.join(", ")))
            .with_suggestion(word, known)
            .certain_if_only(word, &known),
    );
    find(&nearest(word, known)?, &KEYWORDS)
}

/// The remains of a definition whose header is broken.
fn broken_definition<'s>(keyword: Option<Keyword>, chunk: &Chunk<'s>) -> BrokenDefinition<'s> {
    let header = chunk.header;
    let behind = first_word(header.text).len();
    let rest = Ident {
        text: &header.text[behind..],
        span: Span { start: header.span.start + behind as u32, ..header.span },
    };
    let rest = trimmed(rest);
    let text = first_word(rest.text);
    let name = Ident { text, span: Span { end: rest.span.start + text.len() as u32, ..rest.span } };
    let mut words = Words::default();
    words.add(rest.text);
    let sections = chunk.sections.iter().flat_map(|section| &section.lines);
    chunk.body.iter().chain(sections).for_each(|line| words.add(line.text));
    BrokenDefinition {
        space: keyword.map(Keyword::space),
        name: Some(name).filter(|name| !name.text.is_empty()),
        words,
    }
}

/// The identifier that a text begins with.
fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

fn find<T: Copy>(word: &str, known: &[(&str, T)]) -> Option<T> {
    known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// The known word that is closest to an unknown word.
fn near(word: &str, known: Statements) -> Option<(&'static str, Rule)> {
    let near = nearest(word, known.iter().map(|(word, _)| word))?;
    known.iter().copied().find(|(word, _)| *word == near)
}
