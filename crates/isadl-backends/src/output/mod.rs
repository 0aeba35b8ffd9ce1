//! Generated files: writes them to disk, or compares them with the files on disk.
//!
//! This is the only module of this crate that touches files. Invariants: a file is replaced as a whole or not at all,
//! and only when its bytes change. A file that this crate did not write is neither replaced nor removed. Written files
//! are recorded in a manifest next to them (`manifest.rs`), and carry their own hash where their format has comments
//! (`seal.rs`). `plan.rs` decides what to do with each file before any file is touched.

mod manifest;
mod plan;
mod seal;

pub use plan::{Existing, Obstacle, Plan};
pub(crate) use seal::MARK;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The files of a backend's run, by path below the output folder, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Output {
    files: BTreeMap<PathBuf, String>,
    /// The file that records the others; without it, files are never removed.
    manifest: Option<PathBuf>,
}

/// The result of writing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The file has new bytes.
    Written,
    /// It already had these bytes.
    Unchanged,
}

/// A difference between a file on disk and the generated file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Its bytes differ.
    Stale,
    /// It does not exist.
    Missing,
    /// It exists, but is no longer generated.
    LeftOver,
    /// A file that was not generated is in its place.
    Blocked(Obstacle),
}

impl Difference {
    /// The end of a sentence that begins with the path.
    pub fn as_str(self) -> &'static str {
        match self {
            Difference::Stale => "is stale",
            Difference::Missing => "is missing",
            Difference::LeftOver => "is left over",
            Difference::Blocked(obstacle) => obstacle.as_str(),
        }
    }
}

impl Output {
    /// An output of several files, which are recorded in the manifest of the backend.
    pub fn recorded(backend: &str) -> Output {
        Output { files: BTreeMap::new(), manifest: Some(format!(".isadl-{backend}").into()) }
    }

    /// Adds a file. If it has the comment of generated files, its hash is added to that.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: String) {
        self.files.insert(path.into(), seal::sealed(&text));
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files.iter().map(|(path, text)| (path.as_path(), text.as_str()))
    }

    /// The total size of all files in bytes.
    pub fn bytes(&self) -> usize {
        self.files.values().map(String::len).sum()
    }

    /// The text of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(Path::new(path)).map(String::as_str)
    }

    /// Determines what writing the files below `folder` would do, without touching anything.
    pub fn plan(&self, folder: &Path) -> io::Result<Plan<'_>> {
        Plan::new(&self.files, self.manifest.as_deref(), folder)
    }

    /// Writes all files below `folder` and removes files left over from an earlier run. Writes nothing if a file that
    /// was not generated is in the way. Returns the paths that changed.
    pub fn write(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let plan = self.plan(folder)?;
        if let Some((path, obstacle)) = plan.obstacles(Existing::Kept).next() {
            return Err(in_the_way(path, obstacle));
        }
        plan.apply()
    }

    /// Compares all files below `folder` with the files that would be written.
    pub fn diff(&self, folder: &Path) -> io::Result<Vec<(PathBuf, Difference)>> {
        Ok(self.plan(folder)?.differences())
    }
}

/// Writes a generated file to a build folder. One that an earlier version generated, without a hash, is replaced.
///
/// # Errors
///
/// If the file cannot be written, or if there is a file that was not generated, or changed since. Such a file stays as
/// it is.
pub fn write_generated(path: &Path, text: &str) -> io::Result<Change> {
    let text = seal::sealed(text);
    match plan::inspect(path, &text, None)? {
        plan::Found::Same => Ok(Change::Unchanged),
        plan::Found::Missing
        | plan::Found::Replaceable
        | plan::Found::Obstacle(Obstacle::Unknown) => write_file(path, &text),
        plan::Found::Obstacle(obstacle) => Err(in_the_way(path, obstacle)),
    }
}

fn in_the_way(path: &Path, obstacle: Obstacle) -> io::Error {
    let error = io::Error::new(io::ErrorKind::AlreadyExists, "it is in the way");
    io::Error::new(
        error.kind(),
        format!("nothing was written: {} {}", path.display(), obstacle.as_str()),
    )
}

/// Replaces a file, unless it already has these bytes; its permissions stay. Folders are
/// created as needed.
///
/// # Errors
///
/// The file or its folder cannot be written, or the file is read-only and has other bytes; it is what it was before.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>) -> io::Result<Change> {
    let content = content.as_ref();
    let is_same = || std::fs::read(path).is_ok_and(|bytes| bytes == content);
    if is_read_only(path) && !is_same() {
        let error = io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only");
        return Err(named(path, error));
    }
    replace_file(path, content)
}

/// Whether there is a file that must not be written.
pub fn is_read_only(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.permissions().readonly())
}

/// Replaces a file, even if it is read-only.
fn replace_file(path: &Path, content: &[u8]) -> io::Result<Change> {
    if std::fs::read(path).is_ok_and(|bytes| bytes == content) {
        return Ok(Change::Unchanged);
    }
    let staged = Staged::new(path, content)?;
    if let Ok(data) = std::fs::metadata(path) {
        std::fs::set_permissions(&staged.temporary, data.permissions())
            .map_err(|error| named(path, error))?;
    }
    staged.commit()?;
    Ok(Change::Written)
}

/// Replaces a file that the user named, like [`write_file`]. A symbolic link stays, and the file that it leads to is
/// replaced. A path that is not a file, such as a pipe or `/dev/null`, receives the bytes directly.
///
/// # Errors
///
/// The file is read-only, its folder does not exist, or it cannot be written; a file is what it was before.
pub fn write_named(path: &Path, content: &[u8]) -> io::Result<Change> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match std::fs::metadata(path) {
        Ok(data) if !data.is_file() => std::fs::write(path, content)
            .map(|()| Change::Written)
            .map_err(|error| named(path, error)),
        Ok(data) if data.permissions().readonly() => {
            let error = io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only");
            Err(named(path, error))
        }
        Ok(_) => write_file(&path.canonicalize().map_err(|error| named(path, error))?, content),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(path, error)),
        Err(_) if path.is_symlink() => {
            // The link leads to a file that does not exist yet.
            let to = path.read_link().map_err(|error| named(path, error))?;
            write_named(&folder.unwrap_or(Path::new("")).join(to), content)
        }
        Err(_) => {
            let folder = folder.unwrap_or(Path::new("."));
            std::fs::metadata(folder).map_err(|error| named(folder, error))?;
            write_file(path, content)
        }
    }
}

/// A file that is written under a temporary name in order to replace another. It is removed
/// unless it does so.
struct Staged {
    temporary: PathBuf,
    path: PathBuf,
}

impl Staged {
    /// Writes the content to a file next to `path`.
    fn new(path: &Path, content: &[u8]) -> io::Result<Staged> {
        let folder =
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|error| named(folder, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut attempt = 0;
        loop {
            let temporary = folder.join(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(mut file) => {
                    let staged = Staged { temporary, path: path.to_path_buf() };
                    file.write_all(content).map_err(|error| named(path, error))?;
                    return Ok(staged);
                }
                // An earlier process with the same number was interrupted.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => attempt += 1,
                Err(error) => return Err(named(path, error)),
            }
        }
    }

    /// Moves the file to its final name.
    fn commit(self) -> io::Result<()> {
        std::fs::rename(&self.temporary, &self.path).map_err(|error| named(&self.path, error))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After `commit` there is no such file; before it, a leftover file does not need another error.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
