//! The texts of programs for readers, in one generation: the author's spelling and line breaks without what other generations have,
//! with the wrappers of a chain written out around the text of an opcode.
//!
//! Invariant: a text of a program, and a text with its wrappers, can be parsed, and means what the opcode does.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use isadl_diagnostics::diagnostic::Diagnostics;
use isadl_ir::isa::{Extensions, Isa, OpcodeId};

use crate::scope::{Layer, Met, Scopes, collect};
use crate::splice::{laid_out, lines_of, range, unfolded};
use crate::syntax::ast::{Declaration, Function, Parameter, Program, Statement, StatementKind};
use crate::syntax::{Token, parse, tokens};

/// The texts of all programs in one generation.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Texts {
    /// The names of the generations.
    generations: Vec<String>,
    extensions: Extensions,
    layers: Vec<LayerText>,
    opcodes: BTreeMap<String, Behaviour>,
}

/// The texts of a group, optype or opcode.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct LayerText {
    name: String,
    /// Itself and its ancestors.
    chain: Vec<usize>,
    /// The statements; empty if there are none.
    statements: String,
    declarations: Vec<Declared>,
}

/// A declaration of a group.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Declared {
    name: String,
    /// Names that mean something else inside, or are no reference: its own, and those of parameters and locals.
    own_names: Vec<String>,
    kind: DeclarationKind,
    text: String,
}

/// The programs of an opcode.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Behaviour {
    opcode: OpcodeId,
    /// Its layer.
    layer: usize,
    /// The layers of the programs: wrappers, the outermost first, and then the text.
    programs: Vec<usize>,
}

/// A text of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// Lines without a line break at the end.
    pub text: String,
    /// The names that groups declare, in order.
    pub mentions: Vec<Mention>,
}

/// Where a text has a name that a group declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The bytes of the name.
    pub range: Range<usize>,
    /// The group.
    pub group: String,
}

/// What a group declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DeclarationKind {
    /// `const`
    Constant,
    /// `let`
    Expression,
    /// `fn`
    Function,
    /// `view`
    View,
    /// `extern fn`
    ExternFunction,
    /// `extern trap`
    Trap,
    /// `extern memory`
    Memory,
    /// Something else that the machine keeps.
    State,
    /// `range`, `narrow`, `lanes`, `elements`, `number`, `float` and `apply`: they say something about names, and give them no meaning.
    About,
}

impl DeclarationKind {
    fn of(declaration: &Declaration<'_>) -> DeclarationKind {
        match declaration {
            Declaration::Const { .. } => DeclarationKind::Constant,
            Declaration::Let { .. } => DeclarationKind::Expression,
            Declaration::Function(_) => DeclarationKind::Function,
            Declaration::View { .. } => DeclarationKind::View,
            Declaration::Extern { .. } => DeclarationKind::ExternFunction,
            Declaration::Trap { .. } => DeclarationKind::Trap,
            Declaration::Memory { .. } => DeclarationKind::Memory,
            Declaration::State { .. } => DeclarationKind::State,
            Declaration::Narrow { .. }
            | Declaration::Range { .. }
            | Declaration::Elements { .. }
            | Declaration::Number { .. }
            | Declaration::Lanes { .. }
            | Declaration::Setting { .. }
            | Declaration::Flags { .. }
            | Declaration::Apply { .. } => DeclarationKind::About,
        }
    }
}

/// A declaration of a group with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclarationText {
    /// The declared name.
    pub name: String,
    /// What it declares.
    pub kind: DeclarationKind,
    /// The declaration.
    pub text: Text,
}

impl Texts {
    /// The texts of layers.
    pub(crate) fn new(isa: &Isa, layers: &[Layer<'_>], scopes: &Scopes<'_, '_>) -> Texts {
        Texts {
            generations: isa.generation_names(isa.describes()).map(str::to_string).collect(),
            extensions: isa.extensions().clone(),
            layers: layers.iter().map(|layer| LayerText::new(layer, scopes)).collect(),
            opcodes: BTreeMap::new(),
        }
    }

    /// Adds an opcode of a layer, with the layers of its wrappers and its text.
    pub(crate) fn add(&mut self, isa: &Isa, opcode: OpcodeId, layer: usize, programs: &[usize]) {
        let known = Behaviour { opcode, layer, programs: programs.to_vec() };
        self.opcodes.insert(isa.opcode(opcode).name.clone(), known);
    }

    /// Whether these are the texts of the generation that an instruction set describes, or of one of these generations.
    pub(crate) fn is_of(&self, isa: &Isa) -> bool {
        let mut names = isa.generation_names(isa.describes());
        self.generations.is_empty()
            || names.any(|name| self.generations.iter().any(|own| own == name))
    }

    /// Whether texts that were read from a file refer to each other, and to opcodes of an instruction set.
    pub fn fits(&self, isa: &Isa) -> bool {
        let has = |layer: &usize| *layer < self.layers.len();
        let known = |one: &Behaviour| {
            one.opcode.index() < isa.opcodes().len()
                && has(&one.layer)
                && !one.programs.is_empty()
                && one.programs.iter().all(has)
        };
        self.layers.iter().all(|layer| layer.chain.iter().all(has))
            && self.opcodes.values().all(known)
    }

    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// The number that an opcode has in the instruction set that was checked; `None` if it has no program.
    pub(crate) fn opcode(&self, name: &str) -> Option<OpcodeId> {
        Some(self.opcodes.get(name)?.opcode)
    }

    /// The text of an opcode without its wrappers; `None` if it has no program.
    pub fn own(&self, opcode: &str) -> Option<Text> {
        let (layer, text) = self.text_of(opcode)?;
        Some(self.shown(layer, &self.layers[text].statements, &[]))
    }

    /// The group, optype or opcode that the text of an opcode is from.
    pub fn source(&self, opcode: &str) -> Option<&str> {
        Some(&self.layers[self.text_of(opcode)?.1].name)
    }

    /// The groups whose programs surround the text of an opcode, the outermost first.
    pub fn wrappers(&self, opcode: &str) -> Vec<&str> {
        let programs = self.opcodes.get(opcode).and_then(|known| known.programs.split_last());
        let wrappers = programs.map_or(&[][..], |(_, wrappers)| wrappers);
        wrappers.iter().map(|layer| self.layers[*layer].name.as_str()).collect()
    }

    /// The text of an opcode inside its wrappers.
    pub fn whole(&self, opcode: &str) -> Option<Text> {
        let layer = self.opcodes.get(opcode)?.layer;
        Some(self.shown(layer, &self.unfolded(opcode)?, &[]))
    }

    /// The statements of a layer, such as a wrapper; `None` if it has none.
    pub fn statements(&self, layer: &str) -> Option<Text> {
        let at = self.layer(layer)?;
        let text = &self.layers[at].statements;
        (!text.is_empty()).then(|| self.shown(at, text, &[]))
    }

    /// The declarations of a group, in order.
    pub fn declarations(&self, group: &str) -> Vec<DeclarationText> {
        let Some(at) = self.layer(group) else { return Vec::new() };
        let own = self.layers[at].declarations.iter();
        own.map(|declared| self.declaration(at, declared)).collect()
    }

    /// The declarations that the program of an opcode uses, directly or not, and what groups say about names; with the group of each,
    /// roots first.
    pub fn used(&self, opcode: &str) -> Vec<(&str, DeclarationText)> {
        let (Some(known), Some(whole)) = (self.opcodes.get(opcode), self.whole(opcode)) else {
            return Vec::new();
        };
        let mut needed: BTreeSet<(String, String)> = BTreeSet::new();
        let mut open = vec![whole];
        while let Some(text) = open.pop() {
            for mention in &text.mentions {
                let name = &text.text[mention.range.clone()];
                if needed.insert((mention.group.clone(), name.to_string()))
                    && let Some((_, declared)) = self.find(known.layer, name)
                {
                    open.push(self.declaration(known.layer, declared).text);
                }
            }
        }
        let mut found = Vec::new();
        for layer in &self.layers[known.layer].chain {
            let group = self.layers[*layer].name.as_str();
            let is_used = |own: &&Declared| {
                !own.gives_meaning() || needed.contains(&(group.to_string(), own.name.clone()))
            };
            let own = self.layers[*layer].declarations.iter().filter(is_used);
            found.extend(own.map(|own| (group, self.declaration(known.layer, own))));
        }
        found
    }

    /// The text of an opcode inside its wrappers, in lines without indentation.
    pub(crate) fn unfolded(&self, opcode: &str) -> Option<String> {
        let (text, wrappers) = self.opcodes.get(opcode)?.programs.split_last()?;
        let text = self.layers[*text].statements.clone();
        let wrap = |inner: String, layer: &usize| unfolded(&self.layers[*layer].statements, &inner);
        Some(wrappers.iter().rev().fold(text, wrap))
    }

    /// The declaration that a name has in the programs of an opcode.
    pub(crate) fn declared(&self, opcode: &str, name: &str) -> Option<&str> {
        let layer = self.opcodes.get(opcode)?.layer;
        Some(&self.find(layer, name)?.1.text)
    }

    /// What groups say about names in the programs of an opcode, the nearest last.
    pub(crate) fn about(&self, opcode: &str) -> impl DoubleEndedIterator<Item = &str> {
        let chain = self.opcodes.get(opcode).map(|known| &self.layers[known.layer].chain);
        let layers = chain.into_iter().flatten().map(|at| &self.layers[*at]);
        let about = layers.flat_map(|layer| &layer.declarations);
        about.filter(|declared| !declared.gives_meaning()).map(|declared| declared.text.as_str())
    }

    /// A declaration as a layer sees it.
    fn declaration(&self, layer: usize, declared: &Declared) -> DeclarationText {
        DeclarationText {
            name: declared.name.clone(),
            kind: declared.kind,
            text: self.shown(layer, &declared.text, &declared.own_names),
        }
    }

    fn layer(&self, name: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == name)
    }

    /// The layer of an opcode, and the layer that its text is from.
    fn text_of(&self, opcode: &str) -> Option<(usize, usize)> {
        let known = self.opcodes.get(opcode)?;
        Some((known.layer, *known.programs.last()?))
    }

    /// The declaration of a name in the chain of a layer, with its layer.
    fn find(&self, layer: usize, name: &str) -> Option<(usize, &Declared)> {
        self.layers[layer].chain.iter().find_map(|at| {
            let mut own = self.layers[*at].declarations.iter();
            Some((*at, own.find(|declared| declared.gives_meaning() && declared.name == name)?))
        })
    }

    /// A text of a layer with its indentation, and the names in it but `other`.
    fn shown(&self, layer: usize, text: &str, other: &[String]) -> Text {
        let text = laid_out(text);
        let mut mentions = Vec::new();
        for located in tokens(&lines_of(&text), &mut Diagnostics::default()) {
            let Token::Name(name) = located.token else { continue };
            if other.iter().any(|other| other == name) {
                continue;
            }
            if let Some((at, _)) = self.find(layer, name) {
                let range = range(located.span);
                mentions.push(Mention { range, group: self.layers[at].name.clone() });
            }
        }
        Text { text, mentions }
    }
}

/// A program whose locations are bytes of its text.
pub(crate) fn parsed(text: &str) -> Program<'_> {
    parse(&lines_of(text), &mut Diagnostics::default())
}

impl LayerText {
    fn new(layer: &Layer<'_>, scopes: &Scopes<'_, '_>) -> LayerText {
        let lines: Vec<&str> = layer.lines.iter().map(|line| line.text).collect();
        let source = lines.join("\n");
        let program = parsed(&source);
        let mut made = LayerText {
            name: layer.name.clone(),
            chain: layer.chain.clone(),
            statements: String::new(),
            declarations: Vec::new(),
        };
        let mut last = 0;
        for statement in &program.statements {
            let Some(text) = kept(&source, statement, scopes) else { continue };
            let place = range(statement.span);
            match &statement.kind {
                StatementKind::Declare(declaration) => {
                    made.declarations.push(Declared::new(declaration, text));
                }
                _ => {
                    // Statements that the author wrote on one line stay there.
                    let is_new = made.statements.is_empty();
                    let is_same_line = !source[last..place.start].contains('\n');
                    made.statements += match (is_new, is_same_line) {
                        (true, _) => "",
                        (false, true) => "; ",
                        (false, false) => "\n",
                    };
                    made.statements += &text;
                }
            }
            last = place.end;
        }
        made
    }
}

impl Declared {
    fn gives_meaning(&self) -> bool {
        self.kind != DeclarationKind::About
    }

    fn new(declaration: &Declaration<'_>, text: String) -> Declared {
        let none = Vec::new();
        let (parameters, body): (&Vec<Parameter<'_>>, _) = match declaration {
            Declaration::Function(Function { parameters, body, .. }) => (parameters, Some(body)),
            Declaration::Extern { parameters, .. } | Declaration::Trap { parameters, .. } => {
                (parameters, None)
            }
            _ => (&none, None),
        };
        let parameters = parameters.iter().map(|parameter| parameter.name.text);
        let locals = body.into_iter().flat_map(|body| &body.statements).filter_map(bound);
        let name = declaration.name().text;
        let own_names = [name].into_iter().chain(parameters).chain(locals);
        let operands: Vec<&str> = declaration.operands().iter().map(|name| name.text).collect();
        Declared {
            name: if operands.is_empty() { name.to_string() } else { operands.join(", ") },
            own_names: own_names.map(str::to_string).collect(),
            kind: DeclarationKind::of(declaration),
            text,
        }
    }
}

/// The name that a statement of a function binds.
fn bound<'s>(statement: &Statement<'s>) -> Option<&'s str> {
    match &statement.kind {
        StatementKind::Assign { target, .. } => target.as_name().map(|name| name.text),
        StatementKind::Var { name, .. } => Some(name.text),
        _ => None,
    }
}

/// The text of a statement without guards that are always met, and without statements whose guards are never met; `None` if it is one
/// of these.
fn kept(source: &str, statement: &Statement<'_>, scopes: &Scopes<'_, '_>) -> Option<String> {
    let place = range(statement.span);
    let mut all = Vec::new();
    collect(std::slice::from_ref(statement), &mut all);
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for inner in all {
        let Some(guard) = &inner.guard else { continue };
        let own = range(inner.span);
        match scopes.met(guard) {
            Met::Never if own == place => return None,
            Met::Never => cuts.push(with_separator(source, own)),
            Met::Always => {
                let start = source[..guard.span.start as usize].trim_end().len();
                cuts.push(start..guard.span.end as usize);
            }
            Met::If(_) => {}
        }
    }
    let mut text = source[place.clone()].to_string();
    cuts.sort_by_key(|cut| std::cmp::Reverse((cut.start, cut.end)));
    let mut before = usize::MAX;
    for cut in cuts {
        // A part of a statement that is cut is gone with it.
        if cut.end <= before {
            text.replace_range(cut.start - place.start..cut.end - place.start, "");
            before = cut.start;
        }
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    Some(lines.join("\n"))
}

/// A place with the `;` after it.
fn with_separator(source: &str, place: Range<usize>) -> Range<usize> {
    let rest = &source[place.end..];
    let blank = rest.len() - rest.trim_start_matches(' ').len();
    match rest[blank..].starts_with(';') {
        true => place.start..place.end + blank + 1,
        false => place,
    }
}
