//! Files of another revision, through git.

use std::path::{Path, PathBuf};
use std::process::Command;

use isadl::source::{LOCK_FILE, SourceMap};
use isadl_codegen::output::write_file;

use crate::Failure;

/// The specification that was at a path in a revision. The names of its files begin with the revision.
pub(crate) fn sources(revision: &str, path: &Path) -> Result<SourceMap, Failure> {
    let (folder, below) = match (path.is_dir(), path.file_name()) {
        (false, Some(name)) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            (folder.unwrap_or(Path::new(".")), name.to_string_lossy().into_owned())
        }
        _ => (path, ".".to_string()),
    };
    // A revision cannot be taken for an option.
    let commit = format!("{revision}^{{commit}}");
    let commit = git(folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
    let commit = commit.map_err(|_| unknown(revision, folder))?;
    let commit = String::from_utf8_lossy(&commit).trim().to_string();
    let listed = git(folder, &["ls-tree", "-r", "-z", "--name-only", &commit, "--", &below])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let is_named = |name: &&str| below != "." && **name == below;
    let is_read = |name: &&str| name.ends_with(".isa") || Path::new(name).ends_with(LOCK_FILE);
    let names: Vec<&str> =
        listed.split('\0').filter(|name| is_named(name) || is_read(name)).collect();
    if names.is_empty() {
        let message = format!("{}: {revision} has no specification there", path.display());
        return Err(Failure::Usage(message));
    }
    // Which files are an instruction set is decided on a copy on disk, as for any folder.
    let copy = tempfile::tempdir()?;
    for name in &names {
        let bytes = git(folder, &["show", &format!("{commit}:./{name}")])?;
        let target = copy.path().join(name);
        match String::from_utf8(bytes) {
            Ok(text) => write_file(&target, &text).map(drop)?,
            // The compiler reports the error in the file.
            Err(error) => std::fs::write(&target, error.as_bytes())?,
        }
    }
    let root = if below == "." { copy.path().to_path_buf() } else { copy.path().join(&below) };
    let read = SourceMap::read(&[root])?;
    Ok(renamed(&read, copy.path(), &format!("{revision}:"), folder))
}

/// The sources under the names that they have in the revision.
fn renamed(read: &SourceMap, copy: &Path, prefix: &str, folder: &Path) -> SourceMap {
    let mut sources = SourceMap::new();
    let name = |id| {
        let name = PathBuf::from(read.file(id).name());
        let below = name.strip_prefix(copy).unwrap_or(&name).to_path_buf();
        let below = if folder == Path::new(".") { below } else { folder.join(below) };
        format!("{prefix}{}", below.display())
    };
    for id in read.specification() {
        sources.add(name(id), read.file(id).text().as_bytes().to_vec());
    }
    if let Some(id) = read.lock() {
        sources.add_lock(name(id), read.file(id).text().as_bytes().to_vec());
    }
    sources
}

fn unknown(revision: &str, folder: &Path) -> Failure {
    Failure::Usage(format!(
        "`{revision}` is not a revision of the repository of {}",
        folder.display()
    ))
}

/// The output of git, run in a folder.
fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .output()
        .map_err(|error| Failure::Usage(format!("cannot run git: {error}")))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(Failure::Usage(format!("git: {message}")));
    }
    Ok(output.stdout)
}
