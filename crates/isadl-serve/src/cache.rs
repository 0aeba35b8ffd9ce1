//! The latest texts that were compiled.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use isadl::levels::Levels;
use isadl::source::SourceMap;

use crate::work::{Named, Work, texts};

/// Number of kept entries: enough for a page that goes back and forth, and for a few pages.
const KEPT: usize = 6;

/// Texts, and the result of compiling them.
struct Entry {
    texts: Vec<Named>,
    work: OnceLock<Arc<Work>>,
}

/// The most recent compilations, the latest first.
#[derive(Default)]
pub(crate) struct Cache {
    kept: Mutex<VecDeque<Arc<Entry>>>,
}

impl Cache {
    /// The texts of an instruction set, compiled. Questions about texts that are being compiled wait; questions about
    /// other texts do not.
    pub(crate) fn get(&self, sources: SourceMap, levels: &Levels) -> Arc<Work> {
        let entry = self.entry(texts(&sources));
        Arc::clone(entry.work.get_or_init(|| Arc::new(Work::new(sources, levels))))
    }

    fn entry(&self, texts: Vec<Named>) -> Arc<Entry> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|entry| entry.texts == texts) {
            kept.make_contiguous()[..=at].rotate_right(1);
            return Arc::clone(&kept[0]);
        }
        let entry = Arc::new(Entry { texts, work: OnceLock::new() });
        kept.push_front(Arc::clone(&entry));
        kept.truncate(KEPT);
        entry
    }
}
