//! Text as words: every opcode of a mnemonic is tried, and what came closest is reported.
//!
//! The line is split into its parts first (`line.rs`). A try for an opcode (`attempt.rs`) gives its
//! words to modifiers (`modifiers.rs`) and its pieces to operands (`operand.rs`), whose names and
//! numbers are values (`value.rs`, `integer.rs`, `float.rs`), read by a cursor (`cursor.rs`).

use std::collections::HashMap;
use std::fmt;

use super::cursor::{Detail, Failure, Reason, reason};
use super::expected::{self, add};
use super::line::Parts;
use crate::interpret::Inst;
use crate::isa::{Isa, OpcodeId, OptypeId};
use crate::suggest;

/// Most opcodes that begin with one word and are all tried for a line among many.
const MAX_OPCODES: usize = 128;

/// Most opcodes that the text of an error names.
const MAX_CLOSEST: usize = 4;

/// Why a line is no instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsmError {
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
    /// The opcodes that came closest, or that all fit.
    pub closest: Vec<String>,
}

impl AsmError {
    /// The first of the opcodes that came closest, and how many more there are; `None` without any.
    pub(crate) fn closest_names(&self) -> Option<String> {
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

/// What is said of a line that is an instruction in several ways.
pub(crate) const SEVERAL_FIT: &str = "more than one opcode fits";

/// The opcodes by the first word of their mnemonics, for who assembles many lines.
#[derive(Debug)]
pub(crate) struct Mnemonics<'i> {
    by_word: HashMap<&'i str, Vec<OpcodeId>>,
}

impl<'i> Mnemonics<'i> {
    pub(crate) fn new(isa: &'i Isa) -> Mnemonics<'i> {
        let mut by_word: HashMap<&str, Vec<OpcodeId>> = HashMap::new();
        for id in isa.opcode_ids() {
            let words = isa.opcode(id).syntax.mnemonics().map(first_word);
            for word in words {
                let of_word = by_word.entry(word).or_default();
                if of_word.last() != Some(&id) {
                    of_word.push(id);
                }
            }
        }
        Mnemonics { by_word }
    }

    /// Assembles a line as [`Isa::assemble`] does; but where very many opcodes share the first
    /// word, only as one of those of `home`.
    pub(crate) fn assemble(
        &self,
        isa: &Isa,
        home: &[OptypeId],
        line: &str,
    ) -> Result<Inst, AsmError> {
        isa.assemble_of(line, |word| {
            let all = self.by_word.get(word).map_or(&[][..], Vec::as_slice);
            let is_home = |id: &OpcodeId| isa.opcode(*id).optypes.iter().any(|o| home.contains(o));
            let only_home = all.len() > MAX_OPCODES && all.iter().any(is_home);
            all.iter().copied().filter(move |id| !only_home || is_home(id))
        })
    }
}

fn first_word(mnemonic: &str) -> &str {
    mnemonic.split('.').next().unwrap_or_default()
}

impl Isa {
    /// Assembles one instruction. A `;` may end it, and a `//` comment may follow. Of several
    /// instructions that the line may mean the shortest is taken, and one without a literal before
    /// one with it; of several that are left, the one that is printed so.
    pub fn assemble(&self, line: &str) -> Result<Inst, AsmError> {
        self.assemble_of(line, |_| self.opcode_ids())
    }

    /// Reads a line as an instruction of one opcode; `None` if it is none.
    pub(crate) fn assemble_as(&self, id: OpcodeId, line: &str) -> Option<Inst> {
        let parts = Parts::split(line, self.modifiers).ok()?;
        let dots = parts.dots_of(&self.opcode(id).syntax.mnemonic)?;
        self.attempt(id, &parts, dots, Detail::None).ok().filter(|inst| inst.opcode == id)
    }

    /// Assembles one instruction of the opcodes that `opcodes` gives for the first word of the
    /// mnemonic.
    fn assemble_of<I: Iterator<Item = OpcodeId>>(
        &self,
        line: &str,
        opcodes: impl FnOnce(&str) -> I,
    ) -> Result<Inst, AsmError> {
        let parts =
            Parts::split(line, self.modifiers).map_err(|failure| general(line, &failure))?;
        let candidates = self.candidates(&parts, opcodes(parts.mnemonic.text));
        if candidates.is_empty() {
            return Err(self.unknown_mnemonic(line, &parts));
        }
        if let Some(at) = parts.glued {
            return Err(general(line, &Failure { at, reason: reason("a space") }));
        }
        let mut fits: Vec<(usize, Inst)> = Vec::new();
        for (id, dots) in &candidates {
            let read = self.attempt(*id, &parts, *dots, Detail::None);
            fits.extend(read.ok().map(|inst| (*dots, inst)));
        }
        let longest = fits.iter().map(|(dots, _)| *dots).max();
        fits.retain(|(dots, _)| Some(*dots) == longest);
        let rank = |inst: &Inst| {
            let opcode = self.opcode(inst.opcode);
            (opcode.width, opcode.literal.is_some())
        };
        let first = fits.iter().map(|(_, inst)| rank(inst)).min();
        fits.retain(|(_, inst)| Some(rank(inst)) == first);
        fits.dedup_by_key(|(_, inst)| inst.word);
        if fits.len() > 1 {
            self.keep_printed(&parts, &mut fits);
        }
        match fits.as_slice() {
            [] => Err(self.closest(line, &parts, &candidates)),
            [(_, inst)] => Ok(*inst),
            several => {
                let name = |(_, inst): &(usize, Inst)| self.opcode(inst.opcode).name.clone();
                let closest: Vec<String> = several.iter().map(name).collect();
                let column = column(line, parts.mnemonic.at);
                Err(AsmError { column, message: SEVERAL_FIT.to_string(), closest })
            }
        }
    }

    /// Keeps those of several instructions that are printed as the line is, apart from blanks, if
    /// there are any.
    fn keep_printed(&self, parts: &Parts<'_>, fits: &mut Vec<(usize, Inst)>) {
        let is_dark = |byte: &u8| !byte.is_ascii_whitespace();
        let line = &parts.line.as_bytes()[..parts.end];
        let is_printed = |(_, inst): &(usize, Inst)| {
            let text = self.text(*inst);
            text.bytes().filter(is_dark).eq(line.iter().copied().filter(is_dark))
        };
        if fits.iter().any(is_printed) {
            fits.retain(is_printed);
        }
    }

    /// The opcodes whose mnemonics the dotted words begin with, and how many of the dotted words
    /// belong to the mnemonic.
    fn candidates(
        &self,
        parts: &Parts<'_>,
        opcodes: impl Iterator<Item = OpcodeId>,
    ) -> Vec<(OpcodeId, usize)> {
        let dots = |id: OpcodeId| {
            let mnemonics = self.opcode(id).syntax.mnemonics();
            Some((id, mnemonics.filter_map(|mnemonic| parts.dots_of(mnemonic)).max()?))
        };
        opcodes.filter_map(dots).collect()
    }

    fn unknown_mnemonic(&self, line: &str, parts: &Parts<'_>) -> AsmError {
        let word = parts.mnemonic.text;
        let mut known: Vec<&str> =
            self.opcodes.iter().flat_map(|opcode| opcode.syntax.mnemonics()).collect();
        known.sort_unstable();
        known.dedup();
        let near = suggest::nearest(word, known);
        let elsewhere = parts.dotted.iter().rev().map(|dot| &line[parts.mnemonic.at..dot.at]);
        let mut elsewhere = [&line[parts.mnemonic.at..parts.dots_end]].into_iter().chain(elsewhere);
        if let Some(set) = elsewhere.find_map(|text| self.elsewhere.get(text)) {
            let names: Vec<&str> = self.generation_names(*set).collect();
            let message = format!("`{word}` is only in {}", names.join(", "));
            let column = column(line, parts.mnemonic.at);
            return AsmError { column, message, closest: Vec::new() };
        }
        let message = match near {
            _ if word.is_empty() => {
                format!("expected a mnemonic, found {}", found(line, parts.mnemonic.at))
            }
            Some(near) => format!("unknown mnemonic `{word}`; did you mean `{near}`?"),
            None => format!("unknown mnemonic `{word}`"),
        };
        AsmError { column: column(line, parts.mnemonic.at), message, closest: Vec::new() }
    }

    /// The error of the opcodes of which the most was read.
    fn closest(&self, line: &str, parts: &Parts<'_>, candidates: &[(OpcodeId, usize)]) -> AsmError {
        let failure = |(id, dots): &(OpcodeId, usize)| {
            Some((*id, self.attempt(*id, parts, *dots, Detail::Full).err()?))
        };
        let failures: Vec<(OpcodeId, Failure)> = candidates.iter().filter_map(failure).collect();
        let at = failures.iter().map(|(_, failure)| failure.at).max().unwrap_or(0);
        let mut expected: Vec<String> = Vec::new();
        let mut wrong: Vec<String> = Vec::new();
        let mut whole: Vec<String> = Vec::new();
        let mut closest: Vec<String> = Vec::new();
        for (id, failure) in failures.into_iter().filter(|(_, failure)| failure.at == at) {
            let (list, texts) = match failure.reason {
                Reason::Expected(what) => (&mut expected, what),
                Reason::Wrong(what) => (&mut wrong, vec![what]),
                Reason::Whole(what) => (&mut whole, vec![what]),
            };
            add(list, texts);
            add(&mut closest, vec![self.opcode(id).name.clone()]);
        }
        let (at, message) = match (whole.as_slice(), wrong.as_slice()) {
            ([], []) => {
                (at, format!("expected {}, found {}", expected::any_of(expected), found(line, at)))
            }
            ([], wrong) => (at, wrong.join("; or ")),
            (whole, _) => (parts.mnemonic.at, whole.join("; or ")),
        };
        AsmError { column: column(line, at), message, closest }
    }
}

/// An error that concerns no opcode.
fn general(line: &str, failure: &Failure) -> AsmError {
    let message = match &failure.reason {
        Reason::Expected(what) => {
            format!(
                "expected {}, found {}",
                expected::any_of(what.clone()),
                found(line, failure.at)
            )
        }
        Reason::Wrong(what) | Reason::Whole(what) => what.clone(),
    };
    AsmError { column: column(line, failure.at), message, closest: Vec::new() }
}

fn column(line: &str, at: usize) -> usize {
    line[..at].chars().count() + 1
}

/// What stands at a place or behind the blanks there, in words.
fn found(line: &str, at: usize) -> String {
    let rest = line[at..].trim_ascii_start();
    let length = found_length(rest);
    match rest.chars().next() {
        None | Some(';') => "the end".to_string(),
        Some('/') if rest.starts_with("//") => "the end".to_string(),
        Some(c) if c.is_control() || c.is_whitespace() => format!("{c:?}"),
        Some(_) if length > MAX_FOUND => "a long word".to_string(),
        Some(c) => format!("`{}`", &rest[..length.max(c.len_utf8())]),
    }
}

/// Most bytes of a line that an error quotes.
const MAX_FOUND: usize = 40;

/// The length of what a person would call a word: a name with its sign, a number, a register with
/// its brackets; 0 if there is none.
fn found_length(text: &str) -> usize {
    let name = |from: usize| {
        let is_other = |c: char| !(c.is_alphanumeric() || c == '_');
        text[from..].find(is_other).map_or(text.len(), |end| from + end)
    };
    match text.chars().next() {
        Some('.' | '$') => name(1),
        Some(c) if c.is_ascii_digit() => {
            let is_other = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'));
            text.find(is_other).unwrap_or(text.len())
        }
        _ => {
            let end = name(0);
            let close = text[end..].find(']').map_or(end, |close| end + close + 1);
            let is_index = |c: char| c.is_ascii_alphanumeric() || matches!(c, '[' | ']' | ':');
            let has_brackets = end > 0 && text[end..].starts_with('[');
            if has_brackets && text[end..close].chars().all(is_index) { close } else { end }
        }
    }
}
