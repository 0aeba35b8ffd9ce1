//! Files and instruction sets: which texts belong together, and their current contents.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isadl::source::{LOCK_FILE, SourceMap, set_folder, specification_files};

use crate::index::{Index, IndexedFile};
use crate::symbols::FileSymbols;
use crate::text::Text;

/// The texts of an instruction set at one time.
#[derive(Clone)]
pub(crate) struct Snapshot {
    /// The paths of the texts, in the order in which they are read; the file of opcode numbers comes last, if any.
    pub(crate) paths: Vec<PathBuf>,
    texts: Vec<Arc<Text>>,
    has_lock: bool,
}

impl Snapshot {
    /// The texts as the compiler reads them.
    pub(crate) fn sources(&self) -> SourceMap {
        let mut sources = SourceMap::new();
        for (at, (path, text)) in self.paths.iter().zip(&self.texts).enumerate() {
            let (name, bytes) = (path.display().to_string(), text.text.clone().into_bytes());
            if self.has_lock && at + 1 == self.paths.len() {
                sources.add_lock(name, bytes);
            } else {
                sources.add(name, bytes);
            }
        }
        sources
    }
}

/// The texts that are open in the editor, and the names in texts that were looked at.
#[derive(Default)]
pub(crate) struct Workspace {
    open: HashMap<PathBuf, Arc<Text>>,
    names: HashMap<PathBuf, (Arc<Text>, Arc<FileSymbols>)>,
    /// Files as they were read.
    read: HashMap<PathBuf, Arc<Text>>,
}

impl Workspace {
    pub(crate) fn set(&mut self, path: PathBuf, text: String) {
        self.open.insert(path, Arc::new(Text::new(text)));
    }

    pub(crate) fn close(&mut self, path: &Path) {
        self.open.remove(path);
        self.read.remove(path);
    }

    /// Discards the cached text of a file that another program changed.
    pub(crate) fn changed(&mut self, path: &Path) {
        self.read.remove(path);
    }

    pub(crate) fn text(&self, path: &Path) -> Option<&Arc<Text>> {
        self.open.get(path)
    }

    pub(crate) fn open_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.open.keys()
    }

    /// The folder of the instruction set that a file belongs to, or the file.
    pub(crate) fn set_of(&self, path: &Path) -> PathBuf {
        set_folder(path).unwrap_or_else(|| path.to_path_buf())
    }

    /// The texts of an instruction set.
    pub(crate) fn snapshot(&mut self, set: &Path) -> Snapshot {
        let mut paths = specification_files(&[set.to_path_buf()]).unwrap_or_default();
        // Includes files that were not saved yet.
        let unsaved: Vec<PathBuf> = self
            .open
            .keys()
            .filter(|path| !paths.contains(path) && self.set_of(path) == set)
            .cloned()
            .collect();
        paths.extend(unsaved);
        paths.sort();
        let lock = Some(set.join(LOCK_FILE)).filter(|lock| lock.is_file());
        let has_lock = lock.is_some();
        paths.extend(lock);
        let texts = paths.iter().map(|path| self.current(path)).collect();
        Snapshot { paths, texts, has_lock }
    }

    /// The text of a file: as it is in the editor, or on disk.
    fn current(&mut self, path: &Path) -> Arc<Text> {
        if let Some(text) = self.open.get(path).or(self.read.get(path)) {
            return Arc::clone(text);
        }
        // An unreadable file counts as empty: it is not open in the editor.
        let bytes = std::fs::read(path).unwrap_or_default();
        let text = Arc::new(Text::new(String::from_utf8_lossy(&bytes).into_owned()));
        self.read.insert(path.to_path_buf(), Arc::clone(&text));
        text
    }

    /// The names of an instruction set. Only texts that changed are read again.
    pub(crate) fn index(&mut self, snapshot: &Snapshot) -> Index {
        let files = snapshot.paths.iter().zip(&snapshot.texts);
        let files = files.filter(|(path, _)| !path.ends_with(LOCK_FILE));
        let indexed = files.map(|(path, text)| {
            let known = self.names.get(path).filter(|(known, _)| Arc::ptr_eq(known, text));
            let symbols = match known {
                Some((_, symbols)) => Arc::clone(symbols),
                None => {
                    let symbols = Arc::new(FileSymbols::of(&text.text));
                    let entry = (Arc::clone(text), Arc::clone(&symbols));
                    self.names.insert(path.clone(), entry);
                    symbols
                }
            };
            IndexedFile { path: path.clone(), text: Arc::clone(text), symbols }
        });
        Index::new(indexed.collect())
    }
}
