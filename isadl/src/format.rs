//! The usual layout of specifications, with their programs.
//!
//! Statements and columns are laid out by the syntax alone. Whether pseudo code is a program depends on the layers above it, which may
//! be in other files. Invariants: only white space changes; a program that has errors of syntax, and prose, are kept as they are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use isadl_semantics::syntax::{LaidLine, Line, layout};

use crate::ast::{Definition, DefinitionKind, Ident, Layer, SectionKind};
use crate::diagnostic::Diagnostics;
use crate::model::MAX_CHAIN;
use crate::parse;
use crate::prose;
use crate::source::{FileId, SourceMap};

/// The spaces of one indentation.
const INDENT: usize = 4;

/// Lays out the files of an instruction set.
#[derive(Debug, Default)]
pub struct Formatter {
    layers: HashMap<String, Says>,
    /// What the header says about all layers.
    header: bool,
}

/// What definitions of a layer say about its pseudo code.
#[derive(Debug, Default)]
struct Says {
    parents: Vec<String>,
    /// Whether it is checked, if that is said.
    is_checked: Option<bool>,
}

impl Formatter {
    /// Reads in an instruction set which pseudo code is checked. Files with errors are read as far as they can be.
    pub fn new(set: &SourceMap) -> Formatter {
        let mut made = Formatter::default();
        let files = parse::parse(set, &mut Diagnostics::default());
        for definition in files.iter().flat_map(|file| &file.definitions) {
            if let DefinitionKind::Isa(isa) = &definition.kind {
                made.header |= isa.semantics.is_some_and(is_checked);
            }
            let Some(layer) = layer_of(definition) else { continue };
            let says = made.layers.entry(definition.name.text.to_string()).or_default();
            says.parents.extend(layer.parents.iter().map(|parent| parent.text.to_string()));
            // Variants of generations that say different things are left alone.
            if let Some(word) = layer.semantics {
                says.is_checked = Some(says.is_checked.unwrap_or(true) && is_checked(word));
            }
        }
        made
    }

    /// A file with the usual layout.
    ///
    /// ```
    /// use isadl::{format::Formatter, source::SourceMap};
    ///
    /// let mut sources = SourceMap::new();
    /// let text = "__DefIsa X<8>\n  Semantics < checked >;\n__DefInstructions : [ALL]\n///=rd=ra+1\nINC [7:0]==1;\n";
    /// let file = sources.add("x.isa", text.as_bytes().to_vec());
    /// let laid = Formatter::new(&sources).file(&sources, file).expect("no errors of syntax");
    /// assert!(laid.contains("    ///= rd = ra + 1\n    INC [7:0] == 1;\n"));
    /// ```
    ///
    /// # Errors
    ///
    /// What the grammar does not know: a file that has errors of syntax is not laid out.
    pub fn file(&self, sources: &SourceMap, id: FileId) -> Result<String, Diagnostics> {
        let text = isadl_syntax::format::format(sources, id)?;
        let mut alone = SourceMap::new();
        alone.add("", text.clone().into_bytes());
        let mut edits = Vec::new();
        for file in parse::parse(&alone, &mut Diagnostics::default()) {
            for definition in &file.definitions {
                self.definition(definition, &text, &mut edits);
            }
        }
        // Definitions that share a place in the text have the same programs.
        edits.sort_by_key(|edit| edit.place.start);
        edits.dedup_by_key(|edit| edit.place.start);
        Ok(edited(text, &edits))
    }

    fn definition(&self, definition: &Definition<'_>, text: &str, edits: &mut Vec<Edit>) {
        let Some(layer) = layer_of(definition) else { return };
        let sections = definition.prose.iter();
        for section in sections.filter(|section| section.kind == SectionKind::Semantics) {
            for lines in prose::programs(section, self.is_checked(layer)) {
                program(&lines, text, edits);
            }
        }
    }

    /// Whether the pseudo code of a layer is checked: what the nearest layer of its chain says, as the compiler has it.
    fn is_checked(&self, layer: &Layer<'_>) -> bool {
        if let Some(word) = layer.semantics {
            return is_checked(word);
        }
        let parents = layer.parents.iter().map(|parent| parent.text);
        let chain = self.chain(parents.collect());
        let said = chain.iter().rev().find_map(|says| says.is_checked);
        said.unwrap_or(self.header)
    }

    /// Layers and their ancestors, ancestors first.
    fn chain<'f>(&'f self, layers: Vec<&'f str>) -> Vec<&'f Says> {
        let (mut chain, mut seen) = (Vec::new(), HashSet::new());
        // Names, and whether their parents are in the chain.
        let mut open: Vec<(&str, bool)> =
            layers.into_iter().rev().map(|name| (name, false)).collect();
        while let Some((name, is_entered)) = open.pop() {
            let Some(says) = self.layers.get(name) else { continue };
            if is_entered {
                chain.push(says);
            } else if seen.len() < MAX_CHAIN && seen.insert(name) {
                open.push((name, true));
                open.extend(says.parents.iter().rev().map(|parent| (parent.as_str(), false)));
            }
        }
        chain
    }
}

fn is_checked(word: Ident<'_>) -> bool {
    word.text == "checked"
}

/// The layer of a definition that may have a program.
fn layer_of<'d, 's>(definition: &'d Definition<'s>) -> Option<&'d Layer<'s>> {
    match &definition.kind {
        DefinitionKind::Group(layer)
        | DefinitionKind::Optype(layer)
        | DefinitionKind::Opcode(layer) => Some(layer),
        _ => None,
    }
}

/// A part of a line that is replaced.
struct Edit {
    place: Range<usize>,
    new: String,
}

fn edited(text: String, edits: &[Edit]) -> String {
    let (mut made, mut at) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        made += &text[at..edit.place.start];
        made += &edit.new;
        at = edit.place.end;
    }
    made + &text[at..]
}

/// Lays out the lines of a program.
fn program(lines: &[Ident<'_>], text: &str, edits: &mut Vec<Edit>) {
    let of_program: Vec<Line<'_>> =
        lines.iter().map(|line| Line { text: line.text, span: line.span }).collect();
    let (Some(first), Some(laid)) = (lines.first(), layout(&of_program)) else { return };
    let start = first.span.start as usize;
    if whole(text, start).1.trim_start().starts_with("///=") {
        for (line, laid) in lines.iter().zip(&laid) {
            pseudo_code(line, laid, text, edits);
        }
        return;
    }
    let places: Vec<usize> = lines.iter().map(|line| line.span.start as usize).collect();
    fence(&places, &laid, text, edits);
}

/// A `///=` line, from the sign on.
fn pseudo_code(line: &Ident<'_>, laid: &LaidLine, text: &str, edits: &mut Vec<Edit>) {
    let (start, whole) = whole(text, line.span.start as usize);
    let Some(sign) = whole.find("///=") else { return };
    let place = start + sign + "///=".len()..start + whole.len();
    let indent = INDENT * laid.indent;
    edits.push(Edit { place, new: format!(" {:indent$}{}", "", laid.text) });
}

/// The lines of a fence: those at some places, and the comments between them.
fn fence(places: &[usize], laid: &[LaidLine], text: &str, edits: &mut Vec<Edit>) {
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let open = text[..places[0]].rfind("```").map_or(0, |ticks| whole(text, ticks).0);
    let opening = whole(text, open).1;
    let base = &opening[..opening.len() - opening.trim_start().len()];
    let (mut at, mut nth, mut depth) = (open + opening.len(), 0, 0);
    loop {
        at += text[at..].find('\n').map_or(text.len() - at, |end| end + 1);
        let line = whole(text, at).1;
        if at >= text.len() || is_fence(line) {
            return;
        }
        let is_program = places.get(nth).is_some_and(|place| *place < at + line.len());
        let (indent, new) = match is_program {
            true => (laid[nth].indent, laid[nth].text.as_str()),
            false => (depth, line.trim()),
        };
        if is_program {
            depth = laid[nth].indent_after;
            nth += 1;
        }
        let indent = if new.is_empty() {
            String::new()
        } else {
            format!("{base}{:1$}", "", INDENT * indent)
        };
        edits.push(Edit { place: at..at + line.len(), new: indent + new });
        at += line.len();
    }
}

/// The line that a place is in, without its end, and where it starts.
fn whole(text: &str, at: usize) -> (usize, &str) {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
    (start, text[start..end].trim_end_matches('\r'))
}
