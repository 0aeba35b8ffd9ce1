//! The numbers of opcodes in generated code, pinned by a file beside the specification.
//!
//! `opcodes.lock` holds lines `NAME = number`. Numbers are for ever: an opcode keeps its own
//! when others are added, and that of a removed opcode is not given again. Codes: E0801, W0802.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Isa, Opcode};
use crate::model::{Layer, LayerKind, Model};
use crate::source::{FileId, SourceMap, Span};

/// The numbers that are given.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    by_name: HashMap<String, u16>,
    /// The line of each number.
    lines: BTreeMap<u16, Span>,
    /// The first words of lines that were reported.
    unread: HashSet<String>,
    /// Whether there is a file at all.
    pinned: Option<FileId>,
}

impl Numbers {
    /// Reads the numbers of a source map.
    pub(crate) fn read(sources: &SourceMap, diagnostics: &mut Diagnostics) -> Numbers {
        let mut numbers = Numbers { pinned: sources.lock(), ..Numbers::default() };
        let Some(file) = sources.lock() else { return numbers };
        let mut start = sources.start(file).start;
        for line in sources.file(file).content().split_inclusive('\n') {
            let span = Span { file, start, end: start + line.trim_end().len() as u32 };
            start += line.len() as u32;
            let content = line.split('#').next().unwrap_or("").trim();
            if !content.is_empty() {
                numbers.line(content, span, diagnostics);
            }
        }
        numbers
    }

    fn line(&mut self, content: &str, span: Span, diagnostics: &mut Diagnostics) {
        let Some((name, number)) = parse(content) else {
            diagnostics.push(
                Diagnostic::new(Code::E0801, "expected `NAME = number`", span)
                    .with_note("a name is that of an opcode, numbers are decimal, 0 to 65535"),
            );
            // The opcode has a line; it only cannot be read.
            let word = content.split(|c: char| c.is_whitespace() || c == '=').next();
            self.unread.extend(word.map(str::to_string));
            return;
        };
        if let Some(first) = self.lines.insert(number, span) {
            diagnostics.push(
                Diagnostic::new(Code::E0801, format!("number {number} is given twice"), span)
                    .with_related(first, "the first is here"),
            );
        }
        if self.by_name.insert(name.to_string(), number).is_some() {
            let message = format!("`{name}` has two numbers");
            diagnostics.push(Diagnostic::new(Code::E0801, message, span));
        }
    }

    /// Warns of opcodes that a numbers file leaves out; it is an error if there is no number
    /// left for one.
    pub(crate) fn check(&self, model: &Model<'_>, diagnostics: &mut Diagnostics) {
        let is_opcode = |layer: &&Layer<'_>| layer.kind == LayerKind::Opcode;
        let mut seen = HashSet::new();
        let mut next = self.first_free();
        for layer in model.layers.iter().filter(is_opcode) {
            let name = layer.name.text;
            let has_line = self.by_name.contains_key(name) || self.unread.contains(name);
            // An opcode that is defined twice was reported for that.
            if has_line || !seen.insert(name) {
                continue;
            }
            if next > u32::from(u16::MAX) {
                diagnostics.push(self.no_number(layer));
                return;
            }
            next += 1;
            if self.pinned.is_some() {
                diagnostics.push(unpinned(layer));
            }
        }
    }

    fn no_number(&self, layer: &Layer<'_>) -> Diagnostic {
        let message = format!("no number is left for opcode `{}`", layer.name.text);
        let diagnostic = Diagnostic::new(Code::E0801, message, layer.name.span)
            .with_note("opcodes that are not pinned follow the largest number, up to 65535");
        match self.lines.last_key_value() {
            Some((_, largest)) => diagnostic
                .with_related(*largest, "the largest number is here")
                .with_help("pin the opcode to a number that is not used"),
            None => diagnostic,
        }
    }

    /// The number behind the largest that is given.
    fn first_free(&self) -> u32 {
        self.lines.last_key_value().map_or(0, |(largest, _)| u32::from(*largest) + 1)
    }

    /// Gives every opcode its number; those without one follow the largest that is given, in
    /// order of definition.
    pub(crate) fn assign(&self, opcodes: &mut [Opcode]) {
        let mut next = self.first_free();
        for opcode in opcodes {
            opcode.number = match self.by_name.get(&opcode.name) {
                Some(number) => *number,
                None => {
                    next += 1;
                    u16::try_from(next - 1).unwrap_or(u16::MAX)
                }
            };
        }
    }
}

/// The name and number of a line.
fn parse(line: &str) -> Option<(&str, u16)> {
    let (name, number) = line.split_once('=')?;
    let (name, number) = (name.trim(), number.trim());
    let is_letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let is_name = name.bytes().next().is_some_and(is_letter)
        && name.bytes().all(|b| is_letter(b) || b.is_ascii_digit());
    let is_number = number.bytes().all(|b| b.is_ascii_digit());
    Some((name, number.parse().ok()?)).filter(|_| is_name && is_number)
}

fn unpinned(layer: &Layer<'_>) -> Diagnostic {
    let message = format!("opcode `{}` has no pinned number", layer.name.text);
    Diagnostic::new(Code::W0802, message, layer.name.span)
        .with_note("its number in generated code may change when opcodes are added")
        .with_help("run `isadl lock` on the specification")
}

/// The numbers file that pins what `isa` has now; names in `before` that are no longer opcodes
/// stay, so that their numbers are not given again.
pub fn lock_text(isa: &Isa, before: &str) -> String {
    let mut text = String::new();
    if before.is_empty() {
        text += "# The numbers of opcodes in generated code. A number is for ever: lines are added, never\n";
        text += "# changed or removed. Written by `isadl lock`.\n";
    } else {
        text += before;
        if !before.ends_with('\n') {
            text.push('\n');
        }
    }
    let known: Vec<&str> =
        before.lines().filter_map(|line| Some(line.split_once('=')?.0.trim())).collect();
    for opcode in isa.opcodes().iter().filter(|opcode| !known.contains(&opcode.name.as_str())) {
        text += &format!("{} = {}\n", opcode.name, opcode.number);
    }
    text
}
