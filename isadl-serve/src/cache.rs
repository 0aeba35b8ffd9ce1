//! The latest texts that were compiled.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use isadl::levels::Levels;
use isadl::source::SourceMap;

use crate::work::{Work, texts};

/// How many are kept: those of a page that goes back and forth, and of a few pages.
const KEPT: usize = 6;

/// What was compiled lately, the latest first.
#[derive(Default)]
pub(crate) struct Cache {
    kept: Mutex<VecDeque<Arc<Work>>>,
    /// Held while texts are compiled, so that questions about the same ones wait for it.
    compiling: Mutex<()>,
}

impl Cache {
    /// The texts of an instruction set, compiled.
    pub(crate) fn get(&self, sources: SourceMap, levels: &Levels) -> Arc<Work> {
        let wanted = texts(&sources);
        let _turn = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|work| work.texts == wanted) {
            kept.make_contiguous()[..=at].rotate_right(1);
            return Arc::clone(&kept[0]);
        }
        drop(kept);
        let work = Arc::new(Work::new(sources, levels));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front(Arc::clone(&work));
        kept.truncate(KEPT);
        work
    }
}
