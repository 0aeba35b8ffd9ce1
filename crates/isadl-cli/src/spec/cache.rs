//! Compiled specifications in the user's cache folder, so that the second command on a specification starts at once.
//!
//! The name of a file is a hash of the texts and of the compiling program, so no file is ever out of date. The folder is `isadl` in the
//! user's cache folder; the variable `ISADL_CACHE` names another one, or none if it is empty. After any failure here, the specification
//! is compiled as without a cache.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use isadl::source::SourceMap;
use isadl_codegen::output::write_file;
use isadl_compiled::CompiledSet;
use xxhash_rust::xxh3::Xxh3;

use super::opened::{EXTENSION, Needs};

/// The variable that names another folder.
const VARIABLE: &str = "ISADL_CACHE";

/// The largest size of all files together, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The place of a compiled specification in the cache.
pub(super) struct Key {
    folder: PathBuf,
    name: String,
}

impl Key {
    /// The key of a specification and the files beside it; `None` if there is no cache.
    pub(super) fn of(sources: &SourceMap, beside: &[(String, Vec<u8>)]) -> Option<Key> {
        // Text of bytes that are not UTF-8 may equal the text of others.
        if !sources.problems().is_empty() {
            return None;
        }
        let folder = match std::env::var_os(VARIABLE) {
            Some(folder) if folder.is_empty() => return None,
            Some(folder) => PathBuf::from(folder),
            None => dirs::cache_dir()?.join("isadl"),
        };
        let mut hash = Xxh3::new();
        let mut add = |bytes: &[u8]| {
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        add(&program()?);
        for file in sources.ids().map(|id| sources.file(id)) {
            add(file.name().as_bytes());
            add(file.text().as_bytes());
        }
        add(&(beside.len() as u64).to_le_bytes());
        for (name, content) in beside {
            add(name.as_bytes());
            add(content);
        }
        Some(Key { folder, name: format!("{:032x}", hash.digest128()) })
    }

    /// The file for what a command needs.
    fn path(&self, needs: Needs) -> PathBuf {
        let suffix = match needs {
            Needs::Words => "",
            Needs::Programs => "-run",
        };
        self.folder.join(format!("{}{suffix}.{EXTENSION}", self.name))
    }

    /// The file from an earlier run, if it exists and is undamaged.
    pub(super) fn find(&self, needs: Needs) -> Option<CompiledSet> {
        let enough: &[Needs] = match needs {
            Needs::Words => &[Needs::Words, Needs::Programs],
            Needs::Programs => &[Needs::Programs],
        };
        let kept = enough.iter().find_map(|needs| std::fs::read(self.path(*needs)).ok())?;
        CompiledSet::read(kept).ok().filter(CompiledSet::is_whole)
    }

    /// Stores a compiled form, and removes the oldest files beyond [`MAX_BYTES`].
    pub(super) fn keep(&self, needs: Needs, bytes: &[u8]) {
        let kept = std::fs::create_dir_all(&self.folder)
            .and_then(|()| write_file(&self.path(needs), bytes));
        if kept.is_ok() {
            tidy(&self.folder);
        }
    }
}

/// Identifies this build of the program.
fn program() -> Option<Vec<u8>> {
    let path = std::env::current_exe().ok()?;
    let data = path.metadata().ok()?;
    let time = data.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", path.display(), data.len(), time.as_nanos()).into_bytes())
}

/// Removes the oldest files that were kept, beyond [`MAX_BYTES`].
fn tidy(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let data = entry.metadata().ok()?;
            let is_own = is_own(&entry.path()) && data.is_file();
            is_own.then_some((data.modified().ok()?, data.len(), entry.path()))
        })
        .collect();
    files.sort_unstable();
    let mut kept = 0;
    for (_, length, path) in files.into_iter().rev() {
        kept += length;
        if kept > MAX_BYTES {
            // Another process may have removed it.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether a file has a name that [`Key::path`] gives.
fn is_own(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let digits = stem.strip_suffix("-run").unwrap_or(stem);
    path.extension().is_some_and(|extension| extension == EXTENSION)
        && digits.len() == 32
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
