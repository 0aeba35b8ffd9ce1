//! Specifications on disk: finds the files of an instruction set and reads their bytes.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::encoding::text_of;
use super::{MAX_FILE_BYTES, SourceMap, content};

/// The name of the file in a specification's folder that pins the numbers of opcodes.
pub const LOCK_FILE: &str = "opcodes.lock";

/// The file that marks a folder as a cache, such as a build folder.
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// The definition that makes a folder an instruction set.
const DEFINITION: &str = "__DefIsa";

/// The maximum number of folders above a file that are searched for its instruction set.
const ABOVE: usize = 4;

impl SourceMap {
    /// Reads the files that `paths` name together as one instruction set. A folder stands for its `*.isa` files, the
    /// `*.isa` files of its subfolders, and its `opcodes.lock`. A file stands for itself, with any extension. A
    /// subfolder with its own `__DefIsa` is another instruction set and is left out. The files are sorted by path, so
    /// their order does not depend on the disk.
    pub fn read(paths: &[PathBuf]) -> io::Result<SourceMap> {
        let files = specification_files(paths)?;
        let folders = paths.iter().rev().filter(|path| path.is_dir());
        let lock = folders.map(|path| path.join(LOCK_FILE)).find(|lock| lock.is_file());
        let mut map = SourceMap::new();
        for path in &files {
            map.insert(display_name(path), bytes(path)?);
        }
        if let Some(path) = lock {
            map.lock = Some(map.insert(display_name(&path), bytes(&path)?));
        }
        let is_defined = map.specification().any(|id| defines(map.file(id).text()));
        if !is_defined && !paths.iter().any(|path| path.is_dir()) {
            map.folder = files.first().and_then(|file| set_folder(file)).map(|f| display_name(&f));
        }
        Ok(map)
    }
}

/// The files of the instruction set that `paths` name together, sorted by path, without its `opcodes.lock`.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn specification_files(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found = Sets::default();
            found.start(path, FolderRole::Named)?;
            files.extend(found.list.into_iter().take(1).flat_map(|set| set.files));
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// The instruction sets in `path`, sorted. A file is an instruction set. A folder of `*.isa` files is one, together
/// with its subfolders except subfolders with a `__DefIsa` of their own. Folders without such files are searched.
/// Hidden folders and folders with a `CACHEDIR.TAG` are skipped, and no folder is read twice, even through links.
pub fn instruction_sets(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        std::fs::metadata(path).map_err(|error| named(path, error))?;
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Sets::default();
    found.start(path, FolderRole::Search)?;
    if found.list.is_empty() {
        let message = "neither the folder nor its subfolders contain `*.isa` files";
        return Err(named(path, io::Error::new(io::ErrorKind::NotFound, message)));
    }
    let mut folders: Vec<PathBuf> = found.list.into_iter().map(|set| set.folder).collect();
    folders.sort();
    Ok(folders)
}

/// The instruction sets found so far.
#[derive(Default)]
struct Sets {
    list: Vec<Set>,
    /// The folders that were read, with links resolved.
    seen: BTreeSet<PathBuf>,
}

struct Set {
    folder: PathBuf,
    files: Vec<PathBuf>,
}

/// The position of a folder relative to instruction sets.
#[derive(Clone, Copy)]
enum FolderRole {
    /// The caller states that it belongs to an instruction set.
    Named,
    /// It does not belong to an instruction set so far.
    Search,
    /// It is below the folder of an instruction set.
    Below(usize),
}

impl Sets {
    fn start(&mut self, folder: &Path, place: FolderRole) -> io::Result<()> {
        self.walk(folder, resolved(folder)?, place)
    }

    /// Reads a folder, whose path with links resolved is `real`.
    fn walk(&mut self, folder: &Path, real: PathBuf, place: FolderRole) -> io::Result<()> {
        if !self.seen.insert(real.clone()) {
            return Ok(());
        }
        let (mut folders, mut files) = (Vec::new(), Vec::new());
        for Entry { path, kind } in entries(folder)? {
            match kind {
                Kind::Folder { is_link } => folders.push((path, is_link)),
                _ if !is_isa(&path) => {}
                Kind::File => files.push(path),
                Kind::Other => {
                    let error = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
                    return Err(named(&path, error));
                }
            }
        }
        let is_set = match place {
            FolderRole::Named => true,
            FolderRole::Search => !files.is_empty(),
            FolderRole::Below(_) => define(&files)?,
        };
        let place = if is_set {
            self.list.push(Set { folder: folder.to_path_buf(), files });
            FolderRole::Below(self.list.len() - 1)
        } else {
            if let FolderRole::Below(index) = place {
                self.list[index].files.extend(files);
            }
            place
        };
        for (folder, is_link) in folders {
            if is_hidden(&folder) || folder.join(CACHE_MARK).is_file() {
                continue;
            }
            // Resolving the path of each folder would take long where there are many above it.
            let own = match folder.file_name().filter(|_| !is_link) {
                Some(name) => real.join(name),
                None => resolved(&folder)?,
            };
            self.walk(&folder, own, place)?;
        }
        Ok(())
    }
}

/// A path with links resolved.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map_err(|error| named(path, error))
}

fn is_isa(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "isa")
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Whether a file defines an instruction set.
fn define(files: &[PathBuf]) -> io::Result<bool> {
    for path in files {
        if bytes(path)?.is_some_and(|bytes| defines(&text_of(bytes).text)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a text defines an instruction set. A definition begins in the first column.
fn defines(text: &str) -> bool {
    let is_definition = |line: &str| {
        line.strip_prefix(DEFINITION)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    };
    content(text).lines().any(is_definition)
}

/// The nearest folder above a file that contains an instruction set; the file is part of it.
pub fn set_folder(file: &Path) -> Option<PathBuf> {
    let here = Path::new(".");
    let above = file.ancestors().skip(1).take(ABOVE);
    let folders = above.map(|path| if path.as_os_str().is_empty() { here } else { path });
    let defines = |folder: &&Path| {
        let files = entries(folder).unwrap_or_default().into_iter();
        let files = files.filter(|entry| entry.kind == Kind::File && is_isa(&entry.path));
        define(&files.map(|entry| entry.path).collect::<Vec<_>>()).unwrap_or(false)
    };
    folders.filter(|folder| folder.is_dir()).find(defines).map(Path::to_path_buf)
}

/// The bytes of a file; `None` if it is too large.
fn bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let read = || {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let limit = MAX_FILE_BYTES as u64 + 1;
        if length >= limit {
            return Ok(None);
        }
        // The length of a device or a pipe is unknown.
        let mut bytes = Vec::with_capacity(length as usize);
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(Some(bytes).filter(|bytes| bytes.len() <= MAX_FILE_BYTES))
    };
    read().map_err(|error| named(path, error))
}

/// An entry of a folder.
struct Entry {
    path: PathBuf,
    kind: Kind,
}

/// The kind of a folder entry, following links.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder {
        is_link: bool,
    },
    /// A pipe, a device, or a link to nothing.
    Other,
}

fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let entry = |entry: std::fs::DirEntry| {
        let (path, own) = (entry.path(), entry.file_type()?);
        let is_link = own.is_symlink();
        let kind =
            match if is_link { path.metadata().ok().map(|of| of.file_type()) } else { Some(own) } {
                Some(of) if of.is_dir() => Kind::Folder { is_link },
                Some(of) if of.is_file() => Kind::File,
                _ => Kind::Other,
            };
        Ok(Entry { path, kind })
    };
    let read = || -> io::Result<Vec<Entry>> {
        std::fs::read_dir(folder)?.map(|found| entry(found?)).collect()
    };
    let mut all = read().map_err(|error| named(folder, error))?;
    all.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(all)
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn display_name(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}
