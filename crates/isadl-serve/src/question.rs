//! The questions of the page.

use std::collections::BTreeMap;

use lsp_types::Position;
use serde::Deserialize;

/// A question about an instruction set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The number of the instruction set; without it, `texts` are all there is.
    #[serde(default)]
    pub set: Option<usize>,
    /// Texts that are not as on disk, by the names of their files.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    /// The generation; without it, the first.
    #[serde(default)]
    pub generation: Option<String>,
    /// The extensions, by names of extensions and sets; without it, the default set.
    #[serde(default)]
    pub extensions: Option<Vec<String>>,
    /// The question itself.
    pub ask: Request,
}

/// A question. The answers are JSON objects; `docs/serve.md` describes them.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// Which instruction sets there are.
    Sets,
    /// The files of an instruction set as they are on disk.
    Open,
    /// A stamp that changes when a file on disk does.
    Stamp,
    /// The findings, and the available items.
    Check,
    /// The hover text for the name at a position.
    Hover {
        /// The name of the file.
        file: String,
        /// The place, in lines and UTF-16 units from 0.
        place: Position,
    },
    /// The completions at a position.
    Complete {
        /// The name of the file.
        file: String,
        /// The place, in lines and UTF-16 units from 0.
        place: Position,
    },
    /// A text in the usual layout.
    Format {
        /// The name of the file.
        file: String,
    },
    /// The meaning of a word.
    Word {
        /// A number `0x…`, or bytes in memory order.
        text: String,
    },
    /// An instruction as a word.
    Line {
        /// The instruction.
        text: String,
    },
    /// A program as bytes.
    Program {
        /// The program.
        text: String,
        /// The address of its first byte.
        #[serde(default)]
        address: u64,
    },
    /// The taken and free parts of the encoding.
    Space,
    /// A page of the manual.
    Page {
        /// Its name, such as `README.md` or `ops/ADD.md`.
        name: String,
    },
    /// Pages of the manual that contain words.
    Search {
        /// The words.
        text: String,
    },
}
