//! The numbers of opcodes in generated code, pinned by a file next to the specification.
//!
//! `opcodes.lock` contains lines `NAME = number`. Numbers are for ever: an opcode keeps its number
//! when others are added, and the number of a removed opcode is not given again. Codes: E0801, W0802.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::ast::{Definition, DefinitionKind, File, Ident};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::isa::Merged;
use crate::source::{FileId, SourceMap, Span};

/// The given numbers of opcodes.
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
                    .with_note("`NAME` is an opcode; the number is decimal, 0 to 65535"),
            );
            // The opcode has a line, but it could not be parsed.
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

    /// Numbers the opcodes without a number: they follow the largest given number, in order of definition. Warns about
    /// opcodes that are missing from a numbers file. Reports an error if no number is left for an opcode.
    pub(crate) fn complete(&mut self, files: &[File<'_>], diagnostics: &mut Diagnostics) {
        let definitions = files.iter().flat_map(|file| &file.definitions);
        let is_opcode =
            |definition: &&Definition<'_>| matches!(definition.kind, DefinitionKind::Opcode(_));
        let mut next = self.first_free();
        for definition in definitions.filter(is_opcode) {
            let name = definition.name;
            // An opcode that is defined twice has one number, or was reported.
            if self.by_name.contains_key(name.text) || self.unread.contains(name.text) {
                continue;
            }
            let Ok(number) = u16::try_from(next) else {
                diagnostics.push(self.no_number(name));
                return;
            };
            self.by_name.insert(name.text.to_string(), number);
            next += 1;
            if self.pinned.is_some() {
                diagnostics.push(unpinned(name));
            }
        }
    }

    fn no_number(&self, name: Ident<'_>) -> Diagnostic {
        let message = format!("no number is left for opcode `{}`", name.text);
        let diagnostic = Diagnostic::new(Code::E0801, message, name.span).with_note(
            "opcodes without a pinned number get numbers after the largest one, up to 65535",
        );
        match self.lines.last_key_value() {
            Some((_, largest)) => diagnostic
                .with_related(*largest, "the largest number is here")
                .with_help("pin the opcode to a number that is not used"),
            None => diagnostic,
        }
    }

    /// The number after the largest given number.
    fn first_free(&self) -> u32 {
        self.lines.last_key_value().map_or(0, |(largest, _)| u32::from(*largest) + 1)
    }

    /// The line of each pinned opcode.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&str, Span)> {
        let line = |(name, number)| Some((name, *self.lines.get(number)?));
        self.by_name.iter().map(|(name, number)| (name.as_str(), number)).filter_map(line)
    }

    /// The number of an opcode.
    pub(crate) fn number(&self, name: &str) -> u16 {
        self.by_name.get(name).copied().unwrap_or(u16::MAX)
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

fn unpinned(name: Ident<'_>) -> Diagnostic {
    let message = format!("the number of opcode `{}` is not pinned", name.text);
    Diagnostic::new(Code::W0802, message, name.span)
        .with_note("its number in generated code may change when opcodes are added")
        .with_help("run `isadl lock` on the specification")
}

/// Whether a text is a numbers file: [`lock_text`] wrote it, or it pins a number.
pub fn is_lock_text(text: &str) -> bool {
    let is_pin = |line: &str| parse(line.split('#').next().unwrap_or("").trim()).is_some();
    text.contains("Written by `isadl lock`") || text.lines().any(is_pin)
}

/// The numbers file that pins the current numbers of `isa`; names in `before` that are no longer
/// opcodes remain, so that their numbers are not given again.
pub fn lock_text(isa: &Merged, before: &str) -> String {
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
    let mut new: Vec<(u16, &str)> =
        isa.items().opcodes().iter().map(|opcode| (opcode.number, opcode.name.as_str())).collect();
    new.retain(|(_, name)| !known.contains(name));
    new.sort_unstable();
    new.dedup();
    for (number, name) in new {
        text += &format!("{name} = {number}\n");
    }
    text
}
