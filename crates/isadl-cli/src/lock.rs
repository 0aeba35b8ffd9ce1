//! `isadl lock`: pins the numbers of opcodes in a file next to the specification.

use std::io::ErrorKind;
use std::path::Path;

use isadl::opcode_lock::{is_lock_text, lock_text};
use isadl::source::{LOCK_FILE, SourceMap, instruction_sets};
use isadl_codegen::output::{Change, write_file};

use crate::args::Lock;
use crate::{Failure, Outcome, project, report};

pub(crate) fn run(options: &Lock) -> Outcome {
    for path in project::paths(&options.paths)? {
        for folder in instruction_sets(&path)? {
            lock(&folder)?;
        }
    }
    Ok(())
}

fn lock(folder: &Path) -> Outcome {
    if !folder.is_dir() {
        return Err(Failure::Usage(format!(
            "{}: not a folder, so there is no place for {LOCK_FILE}",
            folder.display()
        )));
    }
    let sources = SourceMap::read(&[folder.to_path_buf()])?;
    let compilation = isadl::compile(&sources);
    let Some(family) = compilation.family else {
        report::complain(&format!(
            "{}: the specification has errors; run `isadl check`",
            folder.display()
        ));
        return Err(Failure::Input);
    };
    let before = sources.lock().map_or("", |id| sources.file(id).text());
    let path = folder.join(LOCK_FILE);
    if let Some(reason) = obstacle(&path, before)? {
        report::complain(&format!("{} {reason}; move it away first", path.display()));
        return Err(Failure::Input);
    }
    let change = write_file(&path, lock_text(&family.merged(), before))?;
    if change == Change::Written {
        report::note(&format!("wrote {}\n", path.display()));
    }
    Ok(())
}

/// Why the path must not be replaced.
fn obstacle(path: &Path, text: &str) -> Result<Option<&'static str>, Failure> {
    let data = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        data => data?,
    };
    Ok(if data.is_symlink() {
        Some("is a symbolic link")
    } else if !data.is_file() {
        Some("is not a file")
    } else if data.permissions().readonly() {
        Some("is read-only")
    } else if !is_lock_text(text) {
        Some("does not pin opcode numbers")
    } else {
        None
    })
}
