//! The texts of an instruction set at one time, compiled once for all questions about them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use isadl::Counts;
use isadl::diagnostic::Diagnostics;
use isadl::engine::Loaded;
use isadl::isa::Family;
use isadl::levels::Levels;
use isadl::semantics::Checked;
use isadl::source::SourceMap;
use isadl_lsp::live::{Live, LiveSet, LiveText};

use crate::manual::Manual;

/// A text, and its name.
pub(crate) type Named = (String, String);

/// Texts, and the result of compiling them.
pub(crate) struct Work {
    pub(crate) texts: Vec<Named>,
    pub(crate) sources: SourceMap,
    pub(crate) found: Diagnostics,
    pub(crate) counts: Counts,
    /// The instruction set, if it has no errors.
    pub(crate) family: Option<Family>,
    /// What its opcodes do, in each generation.
    pub(crate) programs: Arc<Vec<Checked>>,
    /// How long it took, in milliseconds.
    pub(crate) milliseconds: f64,
    loaded: OnceLock<Vec<Loaded>>,
    live: OnceLock<Mutex<Live>>,
    manual: OnceLock<Manual>,
}

impl Work {
    pub(crate) fn new(sources: SourceMap, levels: &Levels) -> Work {
        let start = Instant::now();
        let compilation = isadl::compile(&sources);
        let mut found = compilation.diagnostics;
        found.apply(levels);
        let family = compilation.family;
        Work {
            texts: texts(&sources),
            found,
            counts: compilation.counts,
            family,
            programs: Arc::new(compilation.semantics),
            sources,
            milliseconds: start.elapsed().as_secs_f64() * 1e3,
            loaded: OnceLock::new(),
            live: OnceLock::new(),
            manual: OnceLock::new(),
        }
    }

    /// The generations, ready for words and lines; none if there are errors.
    pub(crate) fn loaded(&self) -> &[Loaded] {
        self.loaded.get_or_init(|| {
            let isas = self.family.iter().flat_map(|family| family.isas());
            isas.cloned().map(Loaded::quick).collect()
        })
    }

    /// The state for editor features.
    pub(crate) fn live(&self) -> MutexGuard<'_, Live> {
        let live = self.live.get_or_init(|| {
            let texts = self.texts.iter().cloned();
            let texts = texts.map(|(name, text)| (name, LiveText::new(text)));
            let set = self.family.clone().map(|family| LiveSet {
                family,
                programs: Arc::clone(&self.programs),
                sources: &self.sources,
            });
            Mutex::new(Live::new(texts, set))
        });
        live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The manual, unless there are errors.
    pub(crate) fn manual(&self) -> Option<&Manual> {
        let family = self.family.as_ref()?;
        Some(self.manual.get_or_init(|| Manual::new(family, &self.programs, &self.sources)))
    }
}

/// The specification's texts with their names.
pub(crate) fn texts(sources: &SourceMap) -> Vec<Named> {
    let file = |id| {
        let file = sources.file(id);
        (file.name().to_string(), file.text().to_string())
    };
    sources.specification().map(file).collect()
}
