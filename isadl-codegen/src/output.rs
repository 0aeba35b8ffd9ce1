//! Generated files: from memory to disk, and disk held against memory.
//!
//! The only place of this crate that touches files. Invariant: a file is replaced as a whole or
//! not at all, and only when its bytes change.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The files of one backend's run, by path below the output folder, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Output {
    files: BTreeMap<PathBuf, String>,
    /// The folders in which nothing else may be.
    owned: BTreeSet<PathBuf>,
}

/// What writing a file came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The file has new bytes.
    Written,
    /// It had these bytes already.
    Unchanged,
}

/// How a file on disk differs from what would be generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Its bytes are others.
    Stale,
    /// It is not there.
    Missing,
    /// It is there, but not generated any more.
    LeftOver,
}

impl Difference {
    /// The word that is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Difference::Stale => "stale",
            Difference::Missing => "missing",
            Difference::LeftOver => "left over",
        }
    }
}

impl Output {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: String) {
        self.files.insert(path.into(), text);
    }

    /// Makes a folder this output's own: what else is in it and the folders below is left over.
    pub fn own(&mut self, folder: impl Into<PathBuf>) {
        self.owned.insert(folder.into());
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files.iter().map(|(path, text)| (path.as_path(), text.as_str()))
    }

    /// Bytes in all files.
    pub fn bytes(&self) -> usize {
        self.files.values().map(String::len).sum()
    }

    /// The text of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(Path::new(path)).map(String::as_str)
    }

    /// Writes all files below `folder` and removes those that a former run left there.
    pub fn write(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        for (path, text) in &self.files {
            let path = folder.join(path);
            if write_file(&path, text)? == Change::Written {
                written.push(path);
            }
        }
        for path in self.left_over(folder)? {
            std::fs::remove_file(&path).map_err(|error| named(&path, error))?;
            written.push(path);
        }
        Ok(written)
    }

    /// Compares all files below `folder` with what would be written.
    pub fn diff(&self, folder: &Path) -> io::Result<Vec<(PathBuf, Difference)>> {
        let mut differences = Vec::new();
        for (path, text) in &self.files {
            let path = folder.join(path);
            match std::fs::read(&path) {
                Ok(bytes) if bytes == text.as_bytes() => {}
                Ok(_) => differences.push((path, Difference::Stale)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    differences.push((path, Difference::Missing));
                }
                Err(error) => return Err(named(&path, error)),
            }
        }
        let left_over =
            self.left_over(folder)?.into_iter().map(|path| (path, Difference::LeftOver));
        differences.extend(left_over);
        differences.sort();
        Ok(differences)
    }

    /// Files in the folders of this output that this run does not generate: those that it owns,
    /// and `src` if it writes there. Files elsewhere are the user's, or another backend's.
    fn left_over(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        if self.files.keys().any(|path| path.starts_with("src")) {
            files_in(&folder.join("src"), Below::Left, &mut paths)?;
        }
        for owned in &self.owned {
            files_in(&folder.join(owned), Below::Taken, &mut paths)?;
        }
        let is_other =
            |path: &PathBuf| !self.files.contains_key(path.strip_prefix(folder).unwrap_or(path));
        paths.retain(is_other);
        paths.sort();
        Ok(paths)
    }
}

/// Whether files of folders below a folder belong to it.
#[derive(Clone, Copy, PartialEq)]
enum Below {
    Taken,
    Left,
}

/// The files in a folder; none if it is not there.
fn files_in(folder: &Path, below: Below, into: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(named(folder, error)),
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_file() {
            into.push(path);
        } else if below == Below::Taken && path.is_dir() {
            files_in(&path, below, into)?;
        }
    }
    Ok(())
}

/// Replaces a file by another of the same name, unless it has these bytes already. Folders are
/// made as needed.
pub fn write_file(path: &Path, text: &str) -> io::Result<Change> {
    if std::fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(Change::Unchanged);
    }
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| named(folder, error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let replaced =
        std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    if let Err(error) = replaced {
        // The file itself is untouched; what is left of the attempt is not worth a second error.
        let _ = std::fs::remove_file(&temporary);
        return Err(named(path, error));
    }
    Ok(Change::Written)
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
