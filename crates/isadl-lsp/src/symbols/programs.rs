//! The names in programs: definitions and uses beside those of statements.
//!
//! A text says what a program is, but not what its names mean: fields and declarations come from other layers. So each use says
//! how it is looked up, and `programs/resolve.rs` finds what it means.

use std::collections::HashMap;
use std::ops::Range;

use isadl::ast::{Definition, DefinitionKind, Ident, Layer, SectionKind};
use isadl::diagnostic::Diagnostics;
use isadl::parse::parse as parse_files;
use isadl::prose;
use isadl::semantics::lookup::{
    Binding, BindingKind, Declared, DeclaredKind, Names, Role, Use, Word, words,
};
use isadl::semantics::syntax::ast::Statement;
use isadl::semantics::syntax::{Line, parse};
use isadl::source::{SourceMap, Span};

use super::{Def, FileSymbols, InProgram, Space};
use crate::lookup::{self, Lookup};

/// The programs of a layer.
#[derive(Debug)]
pub(crate) struct ProgramText {
    /// The definition of the layer.
    pub(crate) owner: usize,
    /// Whether these are `///=` lines, which may be prose.
    pub(crate) is_pseudo_code: bool,
    pub(crate) lines: Vec<Range<usize>>,
    pub(crate) words: Vec<Word>,
    /// Whether there are errors of syntax.
    pub(crate) is_broken: bool,
}

/// Adds the programs of a file, and the names in them.
pub(super) fn collect(sources: &SourceMap, text: &str, made: &mut FileSymbols) {
    // Texts without these words have no program, and need not be parsed.
    if !text.contains("Semantics") && !text.contains("///=") {
        return;
    }
    let layers =
        made.defs.iter().enumerate().filter(|(_, def)| def.owner.is_none() && !def.is_made);
    let layers: HashMap<usize, usize> = layers.map(|(at, def)| (def.span.start, at)).collect();
    for file in parse_files(sources, &mut Diagnostics::default()) {
        for definition in &file.definitions {
            let Some(owner) = layers.get(&(definition.name.span.start as usize)) else { continue };
            made.defs[*owner].is_checked = says(definition);
            if is_layer(definition) {
                of_definition(definition, *owner, text, made);
            }
        }
    }
    made.uses.sort_by_key(|of| (of.span.start, of.span.end));
}

/// Whether the pseudo code of a definition is checked, if the definition says that.
fn says(definition: &Definition<'_>) -> Option<bool> {
    let word = match &definition.kind {
        DefinitionKind::Isa(isa) => isa.semantics,
        DefinitionKind::Group(Layer { semantics, .. })
        | DefinitionKind::Optype(Layer { semantics, .. })
        | DefinitionKind::Opcode(Layer { semantics, .. }) => *semantics,
        _ => None,
    };
    word.map(|word| word.text == "checked")
}

/// Whether a definition may have a program.
fn is_layer(definition: &Definition<'_>) -> bool {
    use DefinitionKind::{Group, Opcode, Optype};
    matches!(definition.kind, Group(_) | Optype(_) | Opcode(_))
}

fn of_definition(definition: &Definition<'_>, owner: usize, text: &str, made: &mut FileSymbols) {
    let sections = definition.prose.iter();
    let sections = sections.filter(|section| section.kind == SectionKind::Semantics);
    let programs: Vec<Vec<Ident<'_>>> =
        sections.flat_map(|section| prose::programs(section, true)).collect();
    let Some(first) = programs.iter().flatten().next() else { return };
    let mut of = ProgramText {
        owner,
        is_pseudo_code: line_before(text, first.span.start as usize).contains("///="),
        lines: Vec::new(),
        words: Vec::new(),
        is_broken: false,
    };
    let mut statements: Vec<Statement<'_>> = Vec::new();
    for lines in &programs {
        let lines: Vec<Line<'_>> =
            lines.iter().map(|line| Line { text: line.text, span: line.span }).collect();
        let mut found = Diagnostics::default();
        statements.extend(parse(&lines, &mut found).statements);
        of.is_broken |= found.has_errors();
        of.words.extend(words(&lines));
        of.lines.extend(lines.iter().map(|line| line.span.range()));
    }
    let mut collector = Collector { text, owner, program: made.programs.len(), made };
    collector.names(&Names::of(&statements, text));
    made.programs.push(of);
}

/// The text of a line before a place in it.
fn line_before(text: &str, at: usize) -> &str {
    &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at]
}

/// Adds the names of the programs of a layer.
struct Collector<'t, 'm> {
    text: &'t str,
    owner: usize,
    program: usize,
    made: &'m mut FileSymbols,
}

impl Collector<'_, '_> {
    fn names(&mut self, names: &Names<'_>) {
        let first = self.made.defs.len();
        names.bindings.iter().for_each(|binding| self.binding(binding));
        for declared in &names.declared {
            self.declared(declared);
        }
        for of in &names.uses {
            self.using(of, first);
        }
    }

    fn binding(&mut self, binding: &Binding<'_>) {
        let keyword = match binding.kind {
            BindingKind::Local => "local",
            BindingKind::Variable => "variable",
            BindingKind::Loop => "loop",
            BindingKind::Parameter => "parameter",
            BindingKind::Width => "width",
        };
        let program = self.program;
        let (is_certain, reaches_body) = (binding.is_certain, binding.reaches_body);
        let def = self.def(Space::Local, binding.name.span, keyword, binding.whole);
        // It is visible from its name on.
        let end = binding.end.map_or(usize::MAX, |end| end as usize);
        let whole = def.span.start..end;
        let in_program = Some(InProgram { program, is_certain, reaches_body });
        self.made.defs.push(Def { whole, in_program, ..def });
    }

    fn declared(&mut self, declared: &Declared<'_>) {
        let keyword = match declared.kind {
            DeclaredKind::Constant => "const",
            DeclaredKind::Let => "let",
            DeclaredKind::Function => "fn",
            DeclaredKind::View => "view",
            DeclaredKind::Memory => "extern memory",
            DeclaredKind::Trap => "extern trap",
            DeclaredKind::State => "extern",
        };
        let def = self.def(Space::Declaration, declared.name.span, keyword, declared.whole);
        let (program, doc) = (self.program, comment(self.text, declared.whole.start as usize));
        let in_program = Some(InProgram { program, is_certain: true, reaches_body: false });
        let at = self.made.defs.len();
        let (name, span) = (def.name.clone(), def.span.clone());
        self.made.defs.push(Def { doc, in_program, ..def });
        if declared.kind == DeclaredKind::State {
            self.add_use(name, span, Lookup::StateOfType(at));
        }
    }

    fn def(&self, space: Space, name: Span, keyword: &str, whole: Span) -> Def {
        let head = &self.text[whole.range()];
        Def {
            space,
            name: self.text[name.range()].to_string(),
            span: name.range(),
            whole: whole.range(),
            keyword: keyword.to_string(),
            owner: Some(self.owner),
            // What follows is the body of a function.
            head: head.lines().next().unwrap_or_default().trim_end_matches('{').trim().to_string(),
            ..Def::default()
        }
    }

    fn using(&mut self, of: &Use<'_>, first: usize) {
        let binding = of.binding.map(|binding| first + binding);
        let lookup = match of.role {
            Role::Value => Lookup::Value(binding),
            Role::Function => Lookup::Function,
            Role::Trap => Lookup::Trap,
            Role::File => Lookup::FileOrView,
            Role::Compared(with) => Lookup::Compared(with.to_string(), binding),
            Role::ValueOf(ty) => Lookup::ValueOf(ty.to_string()),
            Role::ComparedPart(of, part) => Lookup::ComparedPart(of.to_string(), part.to_string()),
            Role::Part(of) => Lookup::Part(of.to_string()),
            Role::Type => Lookup::Type,
            Role::Condition => Lookup::Condition,
        };
        self.add_use(of.name.text.to_string(), of.name.span.range(), lookup);
    }

    fn add_use(&mut self, name: String, span: Range<usize>, lookup: Lookup) {
        let (owner, program) = (Some(self.owner), Some(self.program));
        self.made.uses.push(lookup::Use { name, span, lookup, owner, program });
    }
}

/// The comment lines before a declaration.
fn comment(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let lines = text[..start].lines().rev().map(|line| line.trim().strip_prefix("//"));
    let mut lines: Vec<&str> = lines.map_while(|line| line).map(str::trim).collect();
    lines.reverse();
    lines.join("\n")
}
