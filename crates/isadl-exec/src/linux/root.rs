//! The files that a program sees: those below a folder, which it takes for the root of all files.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::errno::Errno;

/// The most links on the way to a file, and the most bytes of a part of a path.
const MAX_LINKS: u32 = 40;
const MAX_NAME: usize = 255;

/// A folder that a program takes for the root of all files. It sees nothing outside.
#[derive(Debug)]
pub(super) struct Root {
    /// The folder, without links on the way to it.
    folder: PathBuf,
}

/// A file below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The names on the way to it from the root; none of them is a link, except for the last if links were not followed.
    pub(super) names: Vec<String>,
    /// Where it is outside.
    pub(super) path: PathBuf,
}

impl Root {
    /// The folder at a path.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not a folder.
    pub(super) fn new(path: &Path) -> std::io::Result<Root> {
        let folder = fs::canonicalize(path)?;
        match fs::metadata(&folder)?.is_dir() {
            true => Ok(Root { folder }),
            false => Err(std::io::Error::other("it is not a folder")),
        }
    }

    /// The file at a path, which begins at a folder of the root unless it begins with `/`. Links are resolved name by name, and `..` and
    /// links that begin with `/` stay below the root. `follows` says whether the last name may be a link to the file.
    pub(super) fn find(&self, at: &[String], path: &[u8], follows: bool) -> Result<Place, Errno> {
        if path.is_empty() {
            return Err(Errno::NOENT);
        }
        let path = std::str::from_utf8(path).map_err(|_| Errno::NOENT)?;
        let mut names = if path.starts_with('/') { Vec::new() } else { at.to_vec() };
        // What remains of the way, the next part last.
        let mut left: Vec<String> = parts(path);
        let mut links = 0;
        while let Some(name) = left.pop() {
            match name.as_str() {
                "." => continue,
                ".." => {
                    names.pop();
                    continue;
                }
                _ => check_name(&name)?,
            }
            names.push(name);
            let own = self.path_of(&names);
            let kind = fs::symlink_metadata(&own).map_err(|error| of_host(&error))?.file_type();
            let is_last = left.is_empty();
            if kind.is_symlink() && (follows || !is_last) {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP);
                }
                let target = self.link(&own)?;
                match target.starts_with('/') {
                    true => names.clear(),
                    false => drop(names.pop()),
                }
                left.extend(parts(&target));
            } else if !is_last && !kind.is_dir() {
                return Err(Errno::NOTDIR);
            }
        }
        let path = self.path_of(&names);
        // A link itself is where its folder is.
        let folder = names.len().saturating_sub(1);
        match follows {
            true => self.check_inside(&path)?,
            false => self.check_inside(&self.path_of(&names[..folder]))?,
        }
        Ok(Place { names, path })
    }

    /// What a link contains.
    pub(super) fn link(&self, path: &Path) -> Result<String, Errno> {
        let target = fs::read_link(path).map_err(|_| Errno::INVAL)?;
        target.into_os_string().into_string().map_err(|_| Errno::NOENT)
    }

    fn path_of(&self, names: &[String]) -> PathBuf {
        let mut path = self.folder.clone();
        path.extend(names);
        path
    }

    /// Makes sure that a path does not lead out of the root after all: the files may have changed meanwhile.
    fn check_inside(&self, path: &Path) -> Result<(), Errno> {
        let real = fs::canonicalize(path).map_err(|error| of_host(&error))?;
        if real.starts_with(&self.folder) { Ok(()) } else { Err(Errno::ACCES) }
    }
}

/// The parts of a path, the first last. One that ends with `/` is a folder, so `.` follows.
fn parts(path: &str) -> Vec<String> {
    let end = if path.ends_with('/') { Some(".") } else { None };
    let names = path.split('/').filter(|name| !name.is_empty()).chain(end);
    let mut names: Vec<String> = names.map(str::to_string).collect();
    names.reverse();
    names
}

/// Refuses names that mean something else to the system outside.
fn check_name(name: &str) -> Result<(), Errno> {
    if name.len() > MAX_NAME {
        return Err(Errno::NAMETOOLONG);
    }
    let mut components = Path::new(name).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(only)), None) if only == name => Ok(()),
        _ => Err(Errno::NOENT),
    }
}

/// An error of the system outside.
pub(super) fn of_host(error: &std::io::Error) -> Errno {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => Errno::NOENT,
        ErrorKind::PermissionDenied => Errno::ACCES,
        ErrorKind::NotADirectory => Errno::NOTDIR,
        ErrorKind::IsADirectory => Errno::ISDIR,
        ErrorKind::BrokenPipe => Errno::PIPE,
        _ => Errno::IO,
    }
}
