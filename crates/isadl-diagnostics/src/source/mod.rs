//! Source texts and locations in them: the first stage, and the only stage that reads files (`files.rs`).
//!
//! Invariant: every [`Span`] made by a later stage lies inside the text of its file, on
//! character boundaries.

mod encoding;
mod files;

pub use crate::span::{FileId, Span};
pub use files::{LOCK_FILE, instruction_sets, set_folder, specification_files};

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::visible::{Shown, line_starts};
use encoding::{Decoded, Fault};

/// Largest file that is read, in bytes; spans are 32 bits wide.
pub const MAX_FILE_BYTES: usize = 1 << 30;

/// One text with its name.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    /// The text as it may be shown, if it differs.
    shown: Option<Shown>,
    is_ascii: bool,
    excerpt: Excerpt,
}

/// The position of a text that was cut out of a larger text. Locations are reported in the larger text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Number of the first line, from 1.
    pub line: usize,
    /// The number of characters cut off at the beginning of each line; lines after these are uncut.
    pub margins: Vec<usize>,
}

impl Default for Excerpt {
    fn default() -> Excerpt {
        Excerpt { line: 1, margins: Vec::new() }
    }
}

impl SourceFile {
    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it may be shown on a terminal; see [`SourceFile::shown_place`].
    pub(crate) fn shown_text(&self) -> &str {
        self.shown.as_ref().map_or(&self.text, Shown::text)
    }

    /// Whether the text is ASCII, so that each byte is a column.
    pub(crate) fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    /// The positions in the shown text where lines start.
    pub(crate) fn shown_line_starts(&self) -> &[u32] {
        self.shown.as_ref().map_or(&self.line_starts, Shown::line_starts)
    }

    /// The position in the shown text of a position in the text.
    pub(crate) fn shown_place(&self, at: usize) -> usize {
        self.shown.as_ref().map_or(at, |shown| shown.place(at))
    }

    /// Byte offsets where lines start; the first offset is after a byte order mark.
    pub fn line_starts(&self) -> &[u32] {
        &self.line_starts
    }

    /// The number of a line, from 1; its index is from 0.
    pub(crate) fn line_number(&self, index: usize) -> usize {
        self.excerpt.line + index
    }

    /// The number of characters cut off at the beginning of a line; its index is from 0.
    pub(crate) fn margin(&self, index: usize) -> usize {
        self.excerpt.margins.get(index).copied().unwrap_or(0)
    }

    /// The text without a byte order mark.
    pub fn content(&self) -> &str {
        content(&self.text)
    }
}

/// A text without its byte order mark, if any.
pub fn content(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The texts of one instruction set, in a fixed order.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    lock: Option<FileId>,
    problems: Diagnostics,
    /// Whether the text of a file is unknown.
    is_incomplete: bool,
    /// The folder of the instruction set, if only files of it were read.
    folder: Option<String>,
    /// The names that definitions in the texts make of others.
    made: OnceLock<HashSet<String>>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a text. Bytes that are not UTF-8 are reported as E0001, an empty text as E0002.
    pub fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> FileId {
        self.insert(name.into(), Some(bytes).filter(|bytes| bytes.len() <= MAX_FILE_BYTES))
    }

    /// Adds a file; a file that is too large has no bytes.
    fn insert(&mut self, name: String, bytes: Option<Vec<u8>>) -> FileId {
        let id = FileId::new(self.files.len() as u32);
        let file = self.file_of(id, name, bytes);
        self.files.push(file);
        id
    }

    /// Creates the file with an id. Discards texts made from definitions, since they may change.
    fn file_of(&mut self, id: FileId, name: String, bytes: Option<Vec<u8>>) -> SourceFile {
        self.made = OnceLock::new();
        let text = self.decode_text(id, &name, bytes);
        let (line_starts, shown) = (line_starts(&text), Shown::of(&text));
        let is_ascii = text.is_ascii();
        SourceFile { name, text, line_starts, shown, is_ascii, excerpt: Excerpt::default() }
    }

    /// Replaces the text of a file, for example by an unsaved text.
    pub fn replace(&mut self, id: FileId, text: String) {
        self.problems.retain(|problem| problem.primary.span.file != id);
        let name = self.file(id).name.clone();
        self.files[id.index()] = self.file_of(id, name, Some(text.into_bytes()));
    }

    /// Adds a text that was cut out of a file.
    pub fn add_excerpt(
        &mut self,
        name: impl Into<String>,
        text: String,
        excerpt: Excerpt,
    ) -> FileId {
        let id = self.add(name, text.into_bytes());
        self.files[id.index()].excerpt = excerpt;
        id
    }

    /// Adds the text that pins opcode numbers.
    pub fn add_lock(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> FileId {
        let id = self.add(name, bytes);
        self.lock = Some(id);
        id
    }

    fn decode_text(&mut self, id: FileId, name: &str, bytes: Option<Vec<u8>>) -> String {
        let span = |at: usize| Span { file: id, start: at as u32, end: at as u32 };
        let Some(bytes) = bytes else {
            self.problems.push(
                Diagnostic::new(Code::E0003, format!("`{name}` is larger than 1 GiB"), span(0))
                    .with_help("split the specification into several files"),
            );
            self.is_incomplete = true;
            return String::new();
        };
        let Decoded { text, fault } = encoding::text_of(bytes);
        if let Some(Fault { at, message, label, help }) = fault {
            self.is_incomplete |= text.is_empty();
            self.problems.push(
                Diagnostic::new(Code::E0001, format!("`{name}` {message}"), span(at))
                    .with_label(label)
                    .with_help(help),
            );
        } else if content(&text).trim().is_empty() {
            let at = text.len() - content(&text).len();
            self.problems.push(
                Diagnostic::new(Code::E0002, format!("`{name}` is empty"), span(at))
                    .with_help("remove the file, or write a definition in it"),
            );
        }
        text
    }

    /// The specification files, without the lock file.
    pub fn specification(&self) -> impl Iterator<Item = FileId> + '_ {
        self.ids().filter(|id| Some(*id) != self.lock)
    }

    /// The file that pins opcode numbers, if any.
    pub fn lock(&self) -> Option<FileId> {
        self.lock
    }

    /// All files, in order.
    pub fn ids(&self) -> impl Iterator<Item = FileId> + '_ {
        (0..self.files.len() as u32).map(FileId::new)
    }

    /// The file with an id of this map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.index()]
    }

    /// The file with an id, or `None` if the id belongs to another map.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.index())
    }

    /// The position where a file begins, after a byte order mark.
    pub fn start(&self, file: FileId) -> Span {
        let start = self.file(file).line_starts[0];
        Span { file, start, end: start }
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        &self.file(span.file).text[span.range()]
    }

    /// The names that definitions make of others, which no text contains. They are made of the
    /// texts alone, so once is enough.
    pub fn made_names(&self, make: impl FnOnce() -> HashSet<String>) -> &HashSet<String> {
        self.made.get_or_init(make)
    }

    /// Whether the text of a file is unknown, so that names may be defined in it.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// The folder of the instruction set, if only some of its files were read, without its definition.
    pub fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// The problems found while the texts were added.
    pub fn problems(&self) -> &Diagnostics {
        &self.problems
    }

    /// Line and column of a byte offset, both from 1; the column counts characters.
    pub fn position(&self, file: FileId, offset: u32) -> (usize, usize) {
        let source = self.file(file);
        let line = source.line_starts.partition_point(|start| *start <= offset).max(1) - 1;
        let start = source.line_starts[line] as usize;
        let column = source.text[start..(offset as usize).max(start)].chars().count();
        (source.line_number(line), source.margin(line) + column + 1)
    }
}
