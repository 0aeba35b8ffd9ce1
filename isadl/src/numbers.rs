//! The numbers of opcodes in generated code, pinned by a file beside the specification.
//!
//! `opcodes.lock` holds lines `NAME = number`. Numbers are for ever: an opcode keeps its own
//! when others are added, and that of a removed opcode is not given again. Codes: E0801, W0802.

use std::collections::{BTreeMap, HashMap};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::{Isa, Opcode};
use crate::model::{LayerKind, Model};
use crate::source::{FileId, SourceMap, Span};

/// The numbers that are given.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    by_name: HashMap<String, u16>,
    /// Whether there is a file at all.
    pinned: Option<FileId>,
}

impl Numbers {
    /// Reads the numbers of a source map.
    pub(crate) fn read(sources: &SourceMap, diagnostics: &mut Diagnostics) -> Numbers {
        let mut numbers = Numbers { pinned: sources.lock(), ..Numbers::default() };
        let Some(file) = sources.lock() else { return numbers };
        let mut lines: BTreeMap<u16, Span> = BTreeMap::new();
        let mut start = 0;
        for line in sources.file(file).text().split_inclusive('\n') {
            let span = Span { file, start, end: start + line.trim_end().len() as u32 };
            start += line.len() as u32;
            let content = line.split('#').next().unwrap_or("").trim();
            if content.is_empty() {
                continue;
            }
            let parsed = content
                .split_once('=')
                .map(|(name, number)| (name.trim(), number.trim().parse::<u16>()));
            let Some((name, Ok(number))) = parsed else {
                diagnostics.push(
                    Diagnostic::new(Code::E0801, "expected `NAME = number`", span)
                        .with_note("numbers are 0 to 65535"),
                );
                continue;
            };
            if let Some(first) = lines.insert(number, span) {
                diagnostics.push(
                    Diagnostic::new(Code::E0801, format!("number {number} is given twice"), span)
                        .with_related(first, "the first is here"),
                );
            }
            if numbers.by_name.insert(name.to_string(), number).is_some() {
                diagnostics.push(Diagnostic::new(
                    Code::E0801,
                    format!("`{name}` has two numbers"),
                    span,
                ));
            }
        }
        numbers
    }

    /// Warns of opcodes that a numbers file leaves out.
    pub(crate) fn check(&self, model: &Model<'_>, diagnostics: &mut Diagnostics) {
        if self.pinned.is_none() {
            return;
        }
        for layer in model.layers.iter().filter(|layer| layer.kind == LayerKind::Opcode) {
            if !self.by_name.contains_key(layer.name.text) {
                diagnostics.push(
                    Diagnostic::new(
                        Code::W0802,
                        format!("opcode `{}` has no pinned number", layer.name.text),
                        layer.name.span,
                    )
                    .with_note("its number in generated code may change when opcodes are added")
                    .with_help("run `isadl lock` on the specification"),
                );
            }
        }
    }

    /// Gives every opcode its number; those without one follow the largest that is given, in
    /// order of definition.
    pub(crate) fn assign(&self, opcodes: &mut [Opcode]) {
        let largest = self.by_name.values().max();
        let mut next = largest.map_or(0, |largest| u32::from(*largest) + 1);
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
