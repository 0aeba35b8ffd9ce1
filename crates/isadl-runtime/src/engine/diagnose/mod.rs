//! Why a line is not an instruction, in sentences.
//!
//! The engine reports how far each opcode of the line's mnemonic could be read, and the reason as numbers. This module
//! puts the furthest of them in words (`reasons.rs`, `expected.rs`).

mod expected;
mod reasons;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use isadl_engine::names::Named;
use isadl_engine::parse::{failures, readings};
use isadl_engine::parse_error::{ParseError, Reason};
use isadl_engine::target::Target;

use super::Engine;
use crate::isa::{ExtensionCondition, Isa, Opcode};
use crate::suggest;
use expected::distinct;
use reasons::{Said, found, reason};

/// Limit on the opcodes that the text of an error names.
const MAX_CLOSEST: usize = 4;

/// Why a line is not an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsmError {
    /// The column, in characters from 1.
    pub column: usize,
    /// The message.
    pub message: String,
    /// The opcodes that came closest, or that all fit.
    pub closest: Vec<String>,
    /// Whether the line is an instruction of several opcodes.
    pub is_ambiguous: bool,
}

impl AsmError {
    /// The first of the opcodes that came closest, and how many more there are; `None` without any.
    pub fn closest_names(&self) -> Option<String> {
        let (first, more) = self.closest.split_at(self.closest.len().min(MAX_CLOSEST));
        let names = first.join(", ");
        match more.len() {
            _ if first.is_empty() => None,
            0 => Some(names),
            more => Some(format!("{names}, {more} more")),
        }
    }
}

impl fmt::Display for AsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message)?;
        match self.closest_names() {
            Some(names) => write!(f, " (closest: {names})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for AsmError {}

/// Builds the full error of a line from the engine's error; the line may have an address or names.
pub(super) fn diagnose(
    engine: &Engine<'_>,
    (line, address, named): (&str, Option<u64>, Option<&Named<'_>>),
    error: ParseError,
) -> AsmError {
    let target = (engine.target, address);
    if let Reason::Ambiguous(_) = error.reason {
        let message = "more than one opcode fits".to_string();
        let closest = fitting(engine, target, line);
        return AsmError { closest, is_ambiguous: true, ..general(line, error.offset, message) };
    }
    let (mut words, mut pieces) = engine.room();
    let mut found: Vec<(ParseError, u128)> = Vec::new();
    let buffers = (words.as_mut_slice(), pieces.as_mut_slice());
    let target = (engine.target, address, named);
    let of_rows = failures(&engine.image, target, line, buffers, |failure, word| {
        let furthest = found.first().map_or(0, |(other, _)| other.offset);
        if failure.offset > furthest {
            found.clear();
        }
        if failure.offset >= furthest {
            found.push((failure, word));
        }
    });
    match of_rows {
        Err(error) => of_line(engine, line, &error),
        Ok(()) => of_opcodes(engine, (line, address), error.offset, &found),
    }
}

/// The opcodes that the line fits.
fn fitting(engine: &Engine<'_>, target: (Target, Option<u64>), line: &str) -> Vec<String> {
    let (mut words, mut pieces) = engine.room();
    let mut names = Vec::new();
    // A line that is several instructions can be split.
    let _ = readings(&engine.image, target, line, (&mut words, &mut pieces), |_, row, _| {
        names.push(engine.isa.opcode(engine.opcode(row)).name.clone());
    });
    distinct(names)
}

/// The error of a line that has no opcode.
fn of_line(engine: &Engine<'_>, line: &str, error: &ParseError) -> AsmError {
    let isa = engine.isa;
    let message = match error.reason {
        Reason::Absent => absent(engine, &line[error.offset..], error),
        Reason::UnknownMnemonic | Reason::OtherGeneration => {
            unknown_mnemonic(isa, &line[error.offset..])
        }
        Reason::Expected(what) => format!("expected {what}, found {}", found(line, error.offset)),
        _ => "the line is too long".to_string(),
    };
    general(line, error.offset, message)
}

fn general(line: &str, at: usize, message: String) -> AsmError {
    let column = line[..at].chars().count() + 1;
    AsmError { column, message, closest: Vec::new(), is_ambiguous: false }
}

/// Reports the extensions that the opcodes of a mnemonic need; the target has none of these opcodes.
fn absent(engine: &Engine<'_>, rest: &str, error: &ParseError) -> String {
    let isa = engine.isa;
    let Some(row) = error.closest else { return "unknown mnemonic".to_string() };
    let has_it = |text: &Opcode, mnemonic: &str| {
        let mut own = isa.mnemonics(text).into_iter();
        own.any(|own| isa.folded(&own.text) == isa.folded(mnemonic))
    };
    let written = prefixes(rest).into_iter().find(|name| isa.texts().any(|t| has_it(t, name)));
    let own = &isa.opcode(engine.opcode(row)).syntax.mnemonic;
    let mnemonic = written.unwrap_or(own);
    let needed = isa.texts().filter(|text| has_it(text, mnemonic)).map(|text| &text.requires);
    let any = needed.fold(ExtensionCondition::never(), |any, one| any.or(one).unwrap_or(any));
    format!("`{mnemonic}` needs {}", isa.extensions().needs(&any))
}

/// The words with dots between them that a text begins with, the longest first.
fn prefixes(rest: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let dotted = rest.find(|c| !is_word(c) && c != '.').map_or(rest, |end| &rest[..end]);
    let ends = dotted.match_indices('.').map(|(at, _)| at).chain([dotted.len()]);
    ends.map(|end| &dotted[..end]).rev().collect()
}

fn unknown_mnemonic(isa: &Isa, rest: &str) -> String {
    let prefixes = prefixes(rest);
    let word = prefixes.last().copied().unwrap_or_default();
    if let Some(set) = prefixes.iter().find_map(|name| isa.elsewhere(name)) {
        let names: Vec<&str> = isa.generation_names(set).collect();
        return format!("`{word}` is only in {}", names.join(", "));
    }
    let all = isa.texts().flat_map(|text| isa.mnemonics(text));
    let known: BTreeMap<String, String> =
        all.map(|mnemonic| (isa.folded(&mnemonic.text).into_owned(), mnemonic.text)).collect();
    // Text after a dot belongs to the mnemonic where known mnemonics have equally many dots.
    let dots = |name: &str| name.matches('.').count();
    let near = |name| {
        let alike = known.keys().filter(|known| dots(known) == dots(name));
        Some((name, &known[&suggest::nearest(&isa.folded(name), alike)?]))
    };
    match prefixes.into_iter().find_map(near) {
        Some((word, near)) => format!("unknown mnemonic `{word}`; did you mean `{near}`?"),
        None => format!("unknown mnemonic `{word}`"),
    }
}

/// The continuations of a mnemonic in longer mnemonics, such as `.eq` of `b.eq`. Empty unless the line continues with a
/// dot.
fn continued(isa: &Isa, line: &str, end: usize) -> Vec<String> {
    let word = line[..end].rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
    if word.is_empty() || !line[end..].starts_with('.') {
        return Vec::new();
    }
    let before = isa.folded(word);
    let all = isa.texts().flat_map(|text| isa.mnemonics(text)).map(|longer| longer.text);
    let rest = |longer: String| {
        let rest = isa.folded(&longer).strip_prefix(&*before)?.len();
        Some(longer[longer.len() - rest..].to_string()).filter(|rest| rest.starts_with('.'))
    };
    let all: BTreeSet<String> = all.filter_map(rest).collect();
    all.into_iter().map(|rest| format!("`{rest}`")).collect()
}

/// Builds the error from the opcodes that matched the longest part of the line.
fn of_opcodes(
    engine: &Engine<'_>,
    (line, address): (&str, Option<u64>),
    start: usize,
    failures: &[(ParseError, u128)],
) -> AsmError {
    let (mut expected, mut wrong, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let mut closest = Vec::new();
    for (failure, word) in failures {
        let Some(row) = failure.closest else { continue };
        let id = engine.opcode(row);
        match reason(engine, row, (line, start, address), (failure, *word)) {
            Said::Expected(what) => expected.extend(what),
            Said::Wrong(what) => wrong.push(what),
            Said::Whole(what) => whole.push(what),
        }
        closest.push(engine.isa.opcode(id).name.clone());
    }
    let [expected, wrong, whole, closest] = [expected, wrong, whole, closest].map(distinct);
    let at = failures.first().map_or(start, |(failure, _)| failure.offset);
    let expected = [continued(engine.isa, line, at), expected].concat();
    let (at, message) = match (whole.as_slice(), wrong.as_slice()) {
        ([], []) => {
            (at, format!("expected {}, found {}", expected::any_of(expected), found(line, at)))
        }
        ([], wrong) => (at, wrong.join("; or ")),
        // Errors about the whole instruction are reported at its start.
        (whole, _) => (start, whole.join("; or ")),
    };
    AsmError { closest, ..general(line, at, message) }
}
