//! Lines of source files, for debuggers: what `.file` and `.loc` say, before it is written.

use crate::symbols::FragmentOffset;
use crate::text::Loc;

/// A source file.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineFile {
    /// Its folder, as an index.
    pub(crate) folder: usize,
    pub(crate) name: String,
    pub(crate) md5: Option<u128>,
}

/// What is said of the instructions that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) file: u64,
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) isa: u64,
    pub(crate) discriminator: u64,
    pub(crate) is_statement: bool,
    pub(crate) begins_block: bool,
    pub(crate) ends_prologue: bool,
    pub(crate) begins_epilogue: bool,
    /// Whether the table states the address anew.
    pub(crate) is_new: bool,
}

/// The lines of a file.
#[derive(Debug)]
pub(crate) struct LineTable {
    pub(crate) files: Vec<Option<LineFile>>,
    /// The first is the folder of the compiler.
    pub(crate) folders: Vec<String>,
    /// Whether `.file 0` was there, which needs version 5 of the table.
    pub(crate) has_first: bool,
    /// What is said of the next instruction.
    pub(crate) next: Option<(Line, Loc)>,
    pub(crate) rows: Vec<(FragmentOffset, Line, Loc)>,
    pub(crate) is_statement: bool,
}

impl Default for LineTable {
    fn default() -> LineTable {
        LineTable {
            files: Vec::new(),
            folders: vec![String::new()],
            has_first: false,
            next: None,
            rows: Vec::new(),
            is_statement: true,
        }
    }
}

impl LineTable {
    /// Places what is said of the next instruction.
    pub(crate) fn put(&mut self, here: FragmentOffset) {
        if let Some((line, loc)) = self.next.take() {
            self.rows.push((here, line, loc));
        }
    }

    /// The index of a folder.
    pub(crate) fn folder(&mut self, name: &str) -> usize {
        match self.folders.iter().position(|known| known == name) {
            Some(index) => index,
            None => {
                self.folders.push(name.to_string());
                self.folders.len() - 1
            }
        }
    }
}
