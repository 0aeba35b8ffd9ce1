//! Statements to the items of sections: labels, instructions and data. Directives are in `directives.rs`.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use foldhash::fast::RandomState;
use isadl::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl::engine::{Engine, Relaxations};
use isadl::isa::ExtensionSet;
use isadl::source::SourceMap;

use crate::architecture::Architecture;
use crate::definitions::{add_versions, define_sections, mark_used, of_value, shorten_chains};
use crate::expand::{Expander, Fault, FaultKind, Statement};
use crate::expr::{Evaluator, Expr, Malformed, NoValue, Reader, Unplaced, at_place};
use crate::frames::Frames;
use crate::lines::LineTable;
use crate::memo::Memo;
use crate::no_values::no_value;
use crate::options::{Limits, Options};
use crate::sections::{
    Attributes, Content, FileAttributes, Group, Literal, MAX_BYTES, Patch, Section,
};
use crate::subsections::join;
use crate::symbols::{Definition, FragmentOffset, Symbols};
use crate::text::{LineScanner, Loc, Text, blanks, name, symbol_word};

/// Limit on reported errors.
const MAX_ERRORS: usize = 10_000;

/// What makes a section another one: its name, its group, and the symbol of the section that it is linked to.
type SectionKey = (String, Option<Group>, Option<String>);

/// The contents that were read from the files.
pub(crate) struct Unit {
    pub(crate) sections: Vec<Section>,
    pub(crate) symbols: Symbols,
    pub(crate) files: Vec<String>,
    pub(crate) inputs: Vec<PathBuf>,
    /// Numbers of relocations whose symbols are thread-local.
    pub(crate) thread_local: Vec<RangeInclusive<u32>>,
    /// How functions save registers.
    pub(crate) frames: Frames,
    /// Lines of source files.
    pub(crate) lines: LineTable,
}

/// A call of a macro that is watched.
struct Recording {
    line: String,
    /// How many texts were open when it was called.
    depth: usize,
    /// The bytes of the section then.
    start: usize,
    before: State,
}

/// State that is unchanged after a macro that only made bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    places: (u32, usize, usize),
    counts: (u64, u64, u64),
    age: u64,
    errors: usize,
}

pub(crate) struct Assembler<'e, 's> {
    pub(crate) engine: Engine<'e>,
    pub(crate) sets: Vec<ExtensionSet>,
    pub(crate) sources: &'s mut SourceMap,
    pub(crate) options: &'s Options,
    pub(crate) symbols: RefCell<Symbols>,
    pub(crate) sections: Vec<Section>,
    pub(crate) by_name: HashMap<SectionKey, u32>,
    pub(crate) current: u32,
    pub(crate) previous: u32,
    pub(crate) stack: Vec<(u32, u32)>,
    /// The last `.loc` of each section, and its view.
    pub(crate) views: HashMap<u32, (FragmentOffset, Expr), RandomState>,
    /// The literals of sections that are not placed yet.
    pub(crate) pools: HashMap<u32, Vec<Literal>>,
    /// Numbers of relocations by their names.
    pub(crate) relocation_names: HashMap<String, u32>,
    /// Numbers of relocations whose symbols are thread-local.
    pub(crate) thread_local: Vec<RangeInclusive<u32>>,
    /// Where the structure that is read goes on.
    pub(crate) structure: Option<i64>,
    /// How names of architectures are written.
    pub(crate) architecture: Option<Architecture>,
    /// Attributes of the file, if the instruction set has them.
    pub(crate) attributes: Option<FileAttributes>,
    /// How functions save registers.
    pub(crate) frames: Frames,
    /// Lines of source files.
    pub(crate) lines: LineTable,
    /// Texts that names stand for in instructions.
    pub(crate) aliases: HashMap<String, String>,
    /// The bits that are written over the instruction that is read.
    pub(crate) patch: Option<Patch>,
    /// What was warned of.
    pub(crate) warned: HashSet<String>,
    pub(crate) expander: Expander,
    pub(crate) memo: Memo,
    /// A call of a macro that may be kept there.
    recording: Option<Recording>,
    pub(crate) relaxations: Relaxations,
    /// How often the extensions were changed.
    pub(crate) changes: u64,
    /// How often a directive did something that is not in the bytes of an instruction.
    pub(crate) effects: u64,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) files: Vec<String>,
    /// The files that statements named.
    pub(crate) inputs: Vec<PathBuf>,
    /// Bytes of the shortest instruction, if all are multiples of a power of 2.
    pub(crate) unit: u64,
    /// Whether a linker completes the file.
    pub(crate) for_linker: bool,
    errors: usize,
    /// Bytes and statements so far.
    bytes: u64,
    statements: u64,
}

impl<'e, 's> Assembler<'e, 's> {
    pub(crate) fn new(
        engine: Engine<'e>,
        sources: &'s mut SourceMap,
        (options, for_linker): (&'s Options, bool),
    ) -> Assembler<'e, 's> {
        let scanner = LineScanner::new(engine.isa().comment_syntax());
        let mut symbols = Symbols::default();
        for (name, value) in &options.symbols {
            let id = symbols.intern(name);
            symbols.get_mut(id).definition = Definition::Value(Expr::Number(*value), true);
        }
        let mut text = Section::new(".text", Attributes::of_name(".text"));
        // As LLVM does, also where there are no instructions.
        text.align = unit(&engine);
        Assembler {
            unit: unit(&engine),
            for_linker,
            sets: Vec::new(),
            sources,
            options,
            symbols: RefCell::new(symbols),
            sections: vec![text],
            by_name: HashMap::from([((".text".to_string(), None, None), 0)]),
            current: 0,
            previous: 0,
            stack: Vec::new(),
            views: HashMap::default(),
            pools: HashMap::new(),
            relocation_names: HashMap::new(),
            thread_local: Vec::new(),
            structure: None,
            architecture: None,
            attributes: None,
            frames: Frames::default(),
            lines: LineTable::default(),
            aliases: HashMap::new(),
            patch: None,
            warned: HashSet::new(),
            expander: Expander::new(scanner),
            memo: Memo::new(),
            recording: None,
            relaxations: engine.relaxations(),
            changes: 0,
            effects: 0,
            diagnostics: Diagnostics::default(),
            files: Vec::new(),
            inputs: Vec::new(),
            errors: 0,
            bytes: 0,
            statements: 0,
            engine,
        }
    }

    /// Reads all statements of a text and of the files that it includes.
    pub(crate) fn read(&mut self, text: Text) {
        let mut faults = Vec::new();
        if let Err(fault) = self.expander.open(text, None) {
            self.fault(fault);
        }
        while let Some(statement) = self.expander.next(&mut faults) {
            self.end_recording();
            let before = (self.current, self.section().bytes.len());
            self.statement(&statement);
            if self.current == before.0 {
                self.bytes += self.section().bytes.len().saturating_sub(before.1) as u64;
            }
            self.statements += 1;
            if let Some(message) = self.beyond_limits() {
                self.fault(Fault {
                    kind: FaultKind::Limit,
                    loc: statement.loc(0, statement.as_str().len()),
                    message,
                });
            }
            if self.errors > MAX_ERRORS {
                self.expander.stop();
            }
        }
        self.recording = None;
        faults.into_iter().for_each(|fault| self.fault(fault));
    }

    /// The limit that was exceeded, if any.
    fn beyond_limits(&self) -> Option<String> {
        let Limits { bytes, statements } = self.options.limits;
        if self.statements > statements {
            return Some(format!("the program has more than {statements} statements"));
        }
        (self.bytes > bytes).then(|| format!("the program has more than {bytes} bytes"))
    }

    /// State that macros with simple output leave unchanged.
    ///
    /// Such a macro only makes bytes, and they depend on nothing but its line.
    fn state(&self) -> State {
        let section = self.section();
        State {
            places: (self.current, section.fragments.len(), section.fixups.len()),
            counts: (self.symbols.borrow().uses(), self.effects, self.expander.numbered()),
            age: self.age(),
            errors: self.errors,
        }
    }

    /// Begins to record the effects of the macro that a statement calls.
    pub(crate) fn begin_recording(&mut self, line: &str) {
        if self.recording.is_none() && !self.options.listing && Memo::may_keep(line) {
            let (depth, start) = (self.expander.depth(), self.section().bytes.len());
            let line = line.to_string();
            self.recording = Some(Recording { line, depth, start, before: self.state() });
        }
    }

    /// Keeps the output of a macro, if it was read to its end and only made bytes.
    #[inline]
    fn end_recording(&mut self) {
        let depth = self.expander.depth();
        let Some(done) = self.recording.take_if(|own| depth <= own.depth) else { return };
        if self.state() == done.before {
            let bytes = &self.sections[self.current as usize].bytes[done.start..];
            self.memo.keep(&done.line, bytes, done.before.age);
        }
    }

    pub(crate) fn finish(mut self) -> (Unit, Diagnostics) {
        self.put_attributes();
        let mut symbols = self.symbols.into_inner();
        let tables = (&mut self.frames, &mut self.lines);
        join(&mut self.sections, &mut symbols, tables);
        define_sections(&self.sections, &mut symbols);
        add_versions(&mut symbols);
        shorten_chains(&mut symbols);
        let Assembler { sections, files, inputs, thread_local, frames, lines, .. } = self;
        let unit = Unit { sections, symbols, files, inputs, thread_local, frames, lines };
        (unit, self.diagnostics)
    }

    pub(crate) fn fault(&mut self, fault: Fault) {
        let code = match fault.kind {
            FaultKind::Syntax => Code::E1102,
            FaultKind::Block => Code::E1105,
            FaultKind::Limit => Code::E1106,
        };
        if fault.kind == FaultKind::Limit {
            self.expander.stop();
        }
        self.error(code, fault.loc, fault.message);
    }

    /// Reports an error.
    pub(crate) fn error(&mut self, code: Code, loc: Loc, message: impl Into<String>) {
        self.report(Diagnostic::new(code, message, loc.span), loc);
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic, loc: Loc) {
        self.errors += 1;
        self.diagnostics.push(with_site(diagnostic, loc));
    }

    /// Reports an error at a byte of a part of a statement.
    pub(crate) fn malformed(&mut self, statement: &Statement, start: usize, error: &Malformed) {
        let length = statement.as_str().len();
        let at = (start + error.at).min(length);
        let end = statement.as_str()[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        self.error(Code::E1102, statement.loc(at, end), error.message.clone());
    }

    /// Reads a statement: its labels, and the rest.
    fn statement(&mut self, statement: &Statement) {
        let text = statement.as_str();
        let is_active = self.expander.is_active();
        if is_active && self.again(statement) {
            return;
        }
        let mut at = 0;
        loop {
            let rest = &text[at..];
            let (word, length) = symbol_word(rest);
            if word.is_empty() {
                break;
            }
            let after = &rest[length..];
            let colon = blanks(after);
            if !after[colon..].starts_with(':') {
                break;
            }
            if is_active {
                self.label(statement, (at, word), length);
            }
            at += length + colon + 1;
            at += blanks(&text[at..]);
        }
        if at == text.len() {
            return;
        }
        let rest = &text[at..];
        let word = name(rest);
        let after = at + word.len();
        let operands = after + blanks(&text[after..]);
        if !is_active {
            if word.starts_with('.') {
                self.skipped(statement, &word.to_ascii_lowercase(), operands);
            }
            return;
        }
        let called = self.expander.find_macro(word, &text[operands..]);
        if !word.starts_with('.')
            && !text[operands..].starts_with('=')
            && called.as_ref().is_none_or(|called| !called.splits_blanks)
            && let Some(changed) = self.without_aliases(statement, operands)
        {
            let at = at.min(changed.as_str().len());
            return self.rest(&changed, at);
        }
        self.rest(statement, at);
    }

    /// Reads a statement after its labels.
    pub(crate) fn rest(&mut self, statement: &Statement, at: usize) {
        let text = statement.as_str();
        let word = name(&text[at..]);
        let after = at + word.len();
        let operands = after + blanks(&text[after..]);
        // As in GNU as, directives have any case.
        let lower = word.to_ascii_lowercase();
        let has_case = word.starts_with('.') && lower != word;
        // A macro may also follow its first argument: `name .word value`.
        let second = name(&text[operands..]);
        let called = match self.expander.find_macro(word, &text[operands..]) {
            None if second.len() > 1 && second.starts_with('.') && !word.is_empty() => {
                if let Some(called) = self.expander.find_macro(second, "") {
                    let called = self.expander.call(&called, statement, (at, at));
                    return self.checked(called);
                }
                None
            }
            called => called,
        };
        if let Some(called) = called {
            self.call(&called, statement, (at, operands));
            return;
        }
        if text[at..].starts_with('"') {
            let (quoted, length) = symbol_word(&text[at..]);
            let equals = at + length + blanks(&text[at + length..]);
            if length > 0 && text[equals..].starts_with('=') {
                return self.assign(statement, (at, quoted), equals + 1, true);
            }
        }
        let is_assigned = text[operands..].starts_with('=');
        match word.as_bytes().first() {
            Some(first) if is_assigned && !first.is_ascii_digit() => {
                let start = operands + 1;
                let start = start + usize::from(text[start..].starts_with('='));
                self.assign(statement, (at, word), start, true);
            }
            Some(b'.') if has_case => self.directive(statement, (at, &lower), operands),
            Some(b'.') => self.directive(statement, (at, word), operands),
            _ => self.instruction(statement, at, self.options.exact),
        }
    }

    /// Defines a label here.
    pub(crate) fn label(
        &mut self,
        statement: &Statement,
        (at, word): (usize, &str),
        length: usize,
    ) {
        let loc = statement.loc(at, at + length);
        let here = self.here();
        let mut symbols = self.symbols.borrow_mut();
        let is_quoted = length > word.len();
        let is_number = !is_quoted && word.bytes().all(|byte| byte.is_ascii_digit());
        let id = match word.parse().ok().filter(|_| is_number) {
            Some(number) => symbols.define_number(number),
            None if !is_quoted && word.as_bytes()[0].is_ascii_digit() => {
                drop(symbols);
                self.error(Code::E1102, loc, format!("`{word}` cannot be a label"));
                return;
            }
            None => symbols.intern(word),
        };
        let symbol = symbols.get_mut(id);
        if symbol.is_defined() || word == "." {
            let before = symbol.loc;
            drop(symbols);
            self.defined_twice(word, loc, before);
            return;
        }
        symbol.definition = match self.structure {
            Some(offset) => Definition::Value(Expr::Number(offset), false),
            None => Definition::Label(here),
        };
        symbol.loc = Some(loc);
    }

    pub(crate) fn defined_twice(&mut self, word: &str, loc: Loc, before: Option<Loc>) {
        let message = format!("the symbol `{word}` is defined twice");
        let mut diagnostic = Diagnostic::new(Code::E1103, message, loc.span);
        if let Some(before) = before {
            diagnostic = diagnostic.with_related(before.span, "it is defined here");
        }
        self.report(diagnostic, loc);
    }

    /// Reads `name = value`, `.set`, and `.equ`; `.equiv` must be the only definition.
    pub(crate) fn assign(
        &mut self,
        statement: &Statement,
        (at, word): (usize, &str),
        start: usize,
        may_change: bool,
    ) {
        let loc = statement.loc(at, at + symbol_word(&statement.as_str()[at..]).1);
        if word == "." {
            let Some((value, _)) = self.expression(statement, start) else { return };
            self.org(value, 0, loc);
            return;
        }
        let Some((expr, _)) = self.whole_expression(statement, start) else { return };
        let here = self.here();
        let expr = at_place(expr, here);
        let mut symbols = self.symbols.borrow_mut();
        let expr = match Evaluator::new(&symbols, Unplaced, Some(here)).value(&expr) {
            Ok(value) => of_value(value),
            Err(_) => expr,
        };
        let id = symbols.intern(word);
        let symbol = symbols.get_mut(id);
        let is_variable = matches!(symbol.definition, Definition::Value(_, true));
        if symbol.is_defined() && !(may_change && is_variable) {
            let before = symbol.loc;
            drop(symbols);
            self.defined_twice(word, loc, before);
            return;
        }
        let is_number = |expr: &Expr| matches!(expr, Expr::Number(_));
        let id = match &symbol.definition {
            // Statements read earlier keep the earlier value.
            Definition::Value(before, _) if !is_number(before) => symbols.replace(id),
            _ => id,
        };
        let symbol = symbols.get_mut(id);
        symbol.definition = Definition::Value(expr, may_change);
        symbol.loc = Some(loc);
    }

    /// Where the next item of the section will be.
    pub(crate) fn here(&self) -> FragmentOffset {
        self.section().here(self.current)
    }

    pub(crate) fn section(&self) -> &Section {
        &self.sections[self.current as usize]
    }

    pub(crate) fn section_mut(&mut self) -> &mut Section {
        &mut self.sections[self.current as usize]
    }

    /// The expression at a byte of a statement, and where it ends; errors are reported.
    pub(crate) fn expression(
        &mut self,
        statement: &Statement,
        start: usize,
    ) -> Option<(Expr, usize)> {
        let text = &statement.as_str()[start..];
        let result = Reader::new(text, &mut self.symbols.borrow_mut()).read();
        match result {
            Ok((expr, length)) => Some((self.in_structure(expr), start + length)),
            Err(error) => {
                self.malformed(statement, start, &error);
                None
            }
        }
    }

    /// The expression that is all of the rest of a statement.
    pub(crate) fn whole_expression(
        &mut self,
        statement: &Statement,
        start: usize,
    ) -> Option<(Expr, usize)> {
        let (expr, end) = self.expression(statement, start)?;
        let rest = &statement.as_str()[end..];
        if !rest.trim().is_empty() {
            let at = end + blanks(rest);
            let message = "expected the end of the statement".to_string();
            self.malformed(statement, at, &Malformed { at: 0, message });
            return None;
        }
        Some((expr, end))
    }

    /// The number that an expression is here; errors are reported.
    pub(crate) fn number_of(&mut self, expr: &Expr, loc: Loc) -> Option<i64> {
        let here = self.here();
        let number = Evaluator::new(&self.symbols.borrow(), Unplaced, Some(here)).number(expr);
        match number {
            Ok(number) => Some(number),
            Err(error) => {
                self.no_value(error, loc);
                None
            }
        }
    }

    pub(crate) fn no_value(&mut self, error: NoValue, loc: Loc) {
        let diagnostic = no_value(error, loc, &self.symbols.borrow());
        self.report(diagnostic, loc);
    }

    /// Marks the symbols of an expression as used.
    pub(crate) fn mark_used(&mut self, expr: &Expr, loc: Loc) {
        mark_used(expr, loc, &mut self.symbols.borrow_mut());
    }

    /// Records the kind of content that follows in the section.
    pub(crate) fn mark(&mut self, content: Content) {
        self.sections[self.current as usize].mark(self.current, content);
    }

    /// Keeps where a statement is, for listings.
    pub(crate) fn note_line(&mut self, loc: Loc) {
        if self.options.listing {
            let here = self.here();
            self.section_mut().lines.push((here, loc));
        }
    }

    /// Reports it if the section cannot hold bytes, or has too many.
    pub(crate) fn is_without_bytes(&mut self, loc: Loc) -> bool {
        let section = self.section();
        let message = match section {
            section if section.attributes.is_empty => {
                format!("the section `{}` has no bytes in files", section.name)
            }
            section if section.bytes.len() as u64 > MAX_BYTES => {
                self.error(Code::E1106, loc, "a section has more than 1 GiB");
                self.expander.stop();
                return true;
            }
            _ => return false,
        };
        self.error(Code::E1102, loc, message);
        true
    }
}

/// The largest power of 2 that divides the lengths of all instructions, in bytes.
pub(crate) fn unit(engine: &Engine<'_>) -> u64 {
    let set = engine.extensions();
    let own = engine.isa().opcodes().iter().filter(|opcode| opcode.requires.holds(set));
    let bits = own.fold(128, |all, opcode| all | opcode.width);
    u64::from(bits & bits.wrapping_neg()) / 8
}

/// A diagnostic with the call that led to its place.
pub(crate) fn with_site(diagnostic: Diagnostic, loc: Loc) -> Diagnostic {
    match loc.site.filter(|site| *site != loc.span) {
        Some(site) => diagnostic.with_related(site, "it comes from here"),
        None => diagnostic,
    }
}
