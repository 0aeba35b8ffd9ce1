//! Editor features for programs that have an editor of their own and speak another protocol.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use isadl::diagnostic::Diagnostics;
use isadl::isa::Family;
use isadl::semantics::Checked;
use isadl::source::SourceMap;
use lsp_types as lsp;

use crate::compiled::Compiled;
use crate::index::{Index, IndexedFile};
use crate::symbols::FileSymbols;
use crate::text::Text;
use crate::{complete, findings, hover};

/// The texts of an instruction set at one time, in the order in which they are read. Positions are lines and UTF-16
/// units, both from 0.
pub struct Live {
    index: Index,
    compiled: Option<Compiled>,
}

/// An instruction set without errors.
pub struct LiveSet<'s> {
    /// Its generations.
    pub family: Family,
    /// The programs of each generation.
    pub programs: Arc<Vec<Checked>>,
    /// The texts that were compiled.
    pub sources: &'s SourceMap,
}

/// A text with its names.
#[derive(Clone)]
pub struct LiveText {
    text: Arc<Text>,
    symbols: Arc<FileSymbols>,
}

impl LiveText {
    /// Finds the names in a text. The result can be reused as long as the text does not change.
    pub fn new(text: String) -> LiveText {
        let symbols = Arc::new(FileSymbols::of(&text));
        LiveText { text: Arc::new(Text::new(text)), symbols }
    }
}

impl Live {
    /// Combines texts with these names; adds diagrams, examples and types of programs if they compiled.
    pub fn new(
        texts: impl IntoIterator<Item = (String, LiveText)>,
        set: Option<LiveSet<'_>>,
    ) -> Live {
        let file = |(name, of): (String, LiveText)| IndexedFile {
            path: PathBuf::from(name),
            text: of.text,
            symbols: of.symbols,
        };
        let index = Index::new(texts.into_iter().map(file).collect());
        let compiled = set.map(|set| Compiled::new(set.family, set.programs, set.sources));
        Live { index, compiled }
    }

    /// The hover text for the name at a position.
    pub fn hover(&self, file: &str, place: lsp::Position) -> Option<lsp::Hover> {
        let (file, at) = self.place(file, place)?;
        hover::hover(&self.index, self.compiled.as_ref(), (file, at))
    }

    /// The completions at a position.
    pub fn completions(&self, file: &str, place: lsp::Position) -> Vec<lsp::CompletionItem> {
        let place = self.place(file, place);
        place.map_or(Vec::new(), |(file, at)| complete::complete(&self.index, file, at))
    }

    fn place(&self, file: &str, place: lsp::Position) -> Option<(usize, usize)> {
        let found = self.index.files.iter().position(|one| one.path.as_os_str() == file)?;
        Some((found, self.index.files[found].text.offset(place)))
    }
}

/// Findings by the names of their texts, with suggestions. Texts without findings have an empty list.
pub fn findings(found: &Diagnostics, sources: &SourceMap) -> HashMap<String, Vec<lsp::Diagnostic>> {
    let names: Vec<PathBuf> =
        sources.ids().map(|id| PathBuf::from(sources.file(id).name())).collect();
    let found = findings::by_file(found.iter(), sources, &names);
    found.into_iter().map(|(path, list)| (path.display().to_string(), list)).collect()
}
